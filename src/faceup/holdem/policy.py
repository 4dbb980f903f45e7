"""Policies: a strategy's action probabilities for every hand at every node of a betting tree.

On a street a policy is a table of rows; a row has one probability for each node that an action of
the street leads to. A hole selects its row by its bucket (a blueprint), by its equity (any river
policy with the hand features of paper 000), or by its own features (a model on flop and turn, whose
features hardly ever repeat). Matches and best responses use `Policy.street_rows` alone.
"""

from collections.abc import Callable, Sequence
from copy import copy
from typing import Any, NamedTuple, Protocol

import numpy as np
from numba import config, njit

from faceup.cards.cards import CLASS_OF_HOLE, HOLE_OF_CLASS, N_HOLES, STREETS, short_repr
from faceup.cards.equity import UNITS, StreetEquities
from faceup.cards.features import betting_features, board_features
from faceup.holdem.betting_tree import BettingTree, children, decision_nodes
from faceup.holdem.buckets import N_RIVER_BUCKETS, Buckets, hole_buckets, river_equities
from faceup.holdem.rules import CALL, FOLD
from faceup.holdem.showdown import free_holes
from faceup.util.memo import Cache

# probabilities (n_rows, width) float32; row of each hole (1326,) int32
StreetRows = tuple[np.ndarray, np.ndarray]


class Policy(Protocol):
    """A strategy on a betting tree."""

    def street_rows(
        self, street: int, board: list[int], wanted_holes: np.ndarray | None = None
    ) -> StreetRows:
        """Rows of a street on a board of 0, 3, 4 or 5 cards.

        wanted_holes (1326,) bool: the holes of interest (None: all that the board leaves); others
        may have any row. Boards may share a table or have one each; returned arrays never change.
        """


class TablePolicy(NamedTuple):
    """Probabilities for each bucket of hands, as a blueprint has them."""

    tables: tuple[np.ndarray, ...]  # four of (n_buckets, width) float32
    buckets: Buckets

    def street_rows(
        self, street: int, board: list[int], wanted_holes: np.ndarray | None = None
    ) -> StreetRows:
        """Every bucket's row, and each hole's bucket."""
        return self.tables[street], hole_buckets(self.buckets, street, board)

    def argmax(self, tree: BettingTree) -> "TablePolicy":
        """The policy that takes this one's most probable action at each decision of its tree."""
        return self._replace(
            tables=tuple(argmax_street(tree, s, t) for s, t in enumerate(self.tables))
        )


class FixedPolicy:
    """The same action everywhere (always call, always all-in), or all legal ones equally often."""

    def __init__(self, tree: BettingTree, label: int | None):
        """label: the action taken where it is legal, else call; None: uniform."""
        self.tables = [fixed_row(tree, street, label) for street in range(4)]

    def street_rows(
        self, street: int, board: list[int], wanted_holes: np.ndarray | None = None
    ) -> StreetRows:
        """One row for all holes."""
        return self.tables[street], np.zeros(N_HOLES, dtype=np.int32)


def fixed_row(tree: BettingTree, street: int, label: int | None = CALL) -> np.ndarray:
    """A street's row, (1, width) float32, with one action at every decision that offers it.

    Elsewhere it calls, or folds where the tree has no call. label None: uniform.
    """
    nodes = slice(*tree.street_start[street : street + 2])
    offered, parent = tree.label[nodes], tree.parent[nodes]
    if label is None:
        return (1 / tree.n_children[parent]).astype(np.float32)[None]
    taken = np.full(len(offered), FOLD)
    for choice in (CALL, label):
        taken[np.isin(parent, parent[offered == choice])] = choice
    return (offered == taken).astype(np.float32)[None]


def preflop_percent(tree: BettingTree, table: np.ndarray, node: int) -> dict[str, np.ndarray]:
    """How often each of the 169 hands takes each action of a preflop decision, in percent, by
    label.

    table: the preflop rows of a `TablePolicy`, (169, width).
    """
    return {
        tree.labels[tree.label[c]]: 100 * table[:, c - tree.street_start[0]]
        for c in children(tree, node)
    }


def argmax_rows(rows: np.ndarray, first: np.ndarray, end: np.ndarray) -> np.ndarray:
    """Rows (n, width) with 1 for the most probable action of each of k decisions, 0 for others.

    first, end (k,): a decision's first column, and the column after its last one. Ties go to the
    first action. Playing so is also called purification (Ganzfried, Sandholm & Waugh 2012).
    """
    out = np.zeros_like(rows)
    _mark_argmax(first, end, rows, out)
    return out


def argmax_street(tree: BettingTree, street: int, rows: np.ndarray) -> np.ndarray:
    """`argmax_rows` at all decisions of a street."""
    return argmax_rows(rows, *decision_columns(tree, decision_nodes(tree, street)))


def decision_columns(tree: BettingTree, nodes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The columns of decisions (k,) in their street's rows, as in `argmax_rows`."""
    first = tree.first_child[nodes] - tree.street_start[tree.street[nodes]]
    return first, first + tree.n_children[nodes]


@njit(cache=True, nogil=True)
def _mark_argmax(first, end, rows, out):
    """`argmax_rows` into out (n, width), which is 0."""
    for i in range(rows.shape[0]):
        for k in range(first.shape[0]):
            best = first[k]
            for c in range(first[k], end[k]):
                best = c if rows[i, c] > rows[i, best] else best
            out[i, best] = 1


def legal_probabilities(p: np.ndarray, legal: np.ndarray) -> np.ndarray:
    """Predictions p (n, n_labels) restricted to the legal labels (k,) and renormalized, (n, k).

    Where nothing is left: a call, or a fold where there is none.
    """
    p = p[:, legal].astype(np.float64)
    total = p.sum(axis=1, keepdims=True)
    otherwise = legal == (CALL if CALL in legal else FOLD)
    return np.where(total > 0, p / np.where(total > 0, total, 1), otherwise)


def checked_answers(answers: object, n: int, n_labels: int, source: str) -> np.ndarray:
    """Weights that an agent or a model gives for n hands, as (n, n_labels) float32.

    A positive weight stays positive: below the smallest float32 it becomes that. Raises ValueError,
    which names the source, on another shape or type (a Fraction or a Decimal is the caller's to
    round), and on a row that is all 0 or has a number that is negative or not finite.
    """
    try:
        p = np.asarray(answers)
    except ValueError as error:
        raise ValueError(f"{source}: answers {short_repr(answers)}: {error}") from error
    if p.shape != (n, n_labels) or p.dtype.kind not in "fiub":
        raise ValueError(
            f"{source}: answers {short_repr(p.tolist())}: {p.dtype} {p.shape}, expected int or "
            f"float {n, n_labels}, a row a hand"
        )
    finite = (p >= 0) & (p <= np.finfo(np.float32).max)
    sound = finite.all(axis=1) & (p > 0).any(axis=1)
    if not sound.all():
        raise ValueError(
            f"{source}: answer {p[sound.argmin()].tolist()}, expected finite numbers of 0 or more, "
            "and one above 0"
        )
    positive = np.maximum(p, np.finfo(np.float32).smallest_subnormal)
    return np.ascontiguousarray(np.where(p > 0, positive, 0), dtype=np.float32)


def cached(cache: Cache, key: Any, function: Callable, *arguments: Any) -> Any:
    """function(*arguments), computed unless its key is among the last few (several for each
    thread).
    """
    if (found := cache.get(key)) is None:
        found = cache[key] = function(*arguments)
        for old in list(cache)[: -4 * (1 + config.NUMBA_NUM_THREADS)]:
            cache.pop(old, None)
    return found


class BettingInputs(NamedTuple):
    """Distinct betting features of a street's decisions; several decisions may share them."""

    features: np.ndarray  # (k, n) float32, columns as in cards.features.BETTING_FEATURES
    nodes: np.ndarray  # (n_decisions,) int32
    row: np.ndarray  # (n_decisions,) int32 row of `features` for each


def betting_inputs(
    tree: BettingTree, street: int, feature_set: str = "opponent", seat: int | None = None
) -> BettingInputs:
    """Betting inputs of a street's decisions, or one seat's (paper 000, Section 2.2.2).

    feature_set: which features, a key of `cards.features.BETTING_FEATURES`.
    """
    nodes = decision_nodes(tree, street, seat)
    features = betting_features(tree.bets[nodes], tree.actor[nodes], feature_set)
    distinct, row = np.unique(features, axis=0, return_inverse=True)
    return BettingInputs(distinct, nodes, row.reshape(-1).astype(np.int32))


def model_inputs(hands: np.ndarray, betting: np.ndarray) -> np.ndarray:
    """Features of n hands (n, f) with each of k betting features (k, g): (k n, f + g) float32.

    All hands with the first betting features come first.
    """
    return np.hstack([np.tile(hands, (len(betting), 1)), np.repeat(betting, len(hands), axis=0)])


class ModelPolicy:
    """One model a street (paper 000, Section 2.4), applied to all hands and betting features."""

    def __init__(
        self,
        tree: BettingTree,
        models: Sequence[Any],
        equities: tuple[StreetEquities, ...],
        feature_set: str = "opponent",
        seat: int | None = None,
        labels: tuple[str, ...] | None = None,
    ):
        """models: four, preflop first, each with a method predict: features (n, n_features) float32
        to (n, n_labels) float32.

        equities: of the streets, from cards/equity; feature_set: a key of
        `cards.features.BETTING_FEATURES`; seat: the only one to play in (None: both), the policy
        calls at the other's decisions; labels: of the models' predictions (None: the tree's).
        """
        self.tree, self.models, self.equities = tree, tuple(models), equities
        self.feature_set = feature_set
        self.labels, self._argmax = labels or tree.labels, False
        self.betting_inputs = [
            betting_inputs(tree, street, feature_set, seat) for street in range(4)
        ]
        # rows that serve all boards; rows of the last boards
        self._fixed, self._last = Cache(), Cache()

    def argmax(self) -> "ModelPolicy":
        """As `TablePolicy.argmax`; both policies share the models' predictions."""
        other = copy(self)
        other._argmax = True
        return other

    def on(self, tree: BettingTree, seat: int) -> "ModelPolicy":
        """The same policy in one seat of another tree, since models read bets in dollars."""
        given = tree, self.models, self.equities, self.feature_set, seat, self.labels
        other = cached(self._fixed, (id(tree), seat), ModelPolicy, *given)
        return other.argmax() if self._argmax else other

    def street_rows(
        self, street: int, board: list[int], wanted_holes: np.ndarray | None = None
    ) -> StreetRows:
        """Rows of starting hands preflop, of distinct features on flop and turn, of equities on the
        river.
        """
        holes = free_holes(board) if wanted_holes is None else wanted_holes
        key: Any
        cache, key = self._fixed, street
        if street in (1, 2):
            cache, key = self._last, (tuple(board), holes.tobytes())
        rows, row_of_hole = cached(cache, key, self._street, street, board, holes)
        if self._argmax:
            rows = cached(cache, (key, "argmax"), argmax_street, self.tree, street, rows)
        return rows, river_equities(board) if street == 3 else row_of_hole

    def _street(self, street: int, board: list[int], holes: np.ndarray) -> StreetRows:
        """`street_rows` of sampled actions; on the river the second part is not used."""
        if street == 3:
            levels = np.arange(N_RIVER_BUCKETS, dtype=np.float32)[:, None] / np.float32(UNITS[3])
            return self._rows(3, levels), CLASS_OF_HOLE
        features = board_features(street, self.equities[street], board)
        if street == 0:
            return self._rows(0, features[HOLE_OF_CLASS]), CLASS_OF_HOLE.astype(np.int32)
        # many holes differ in suits only
        hands, row = np.unique(features[holes], axis=0, return_inverse=True)
        row_of_hole = np.zeros(N_HOLES, dtype=np.int32)
        row_of_hole[holes] = row.reshape(-1)
        return self._rows(street, hands), row_of_hole

    def _rows(self, street: int, hands: np.ndarray) -> np.ndarray:
        """Rows (n, width) float32 of hands given as features (n, n_hand_features) float32."""
        tree, betting = self.tree, self.betting_inputs[street]
        x = model_inputs(hands, betting.features)
        predicted = self.models[street].predict(x)
        p = checked_answers(predicted, len(x), len(self.labels), f"model of the {STREETS[street]}")
        # of `p`, for each label of the tree, and for each column of the rows
        of_label = np.array([self.labels.index(x) if x in self.labels else -1 for x in tree.labels])
        column = of_label[tree.label[slice(*tree.street_start[street : street + 2])]]
        out = np.repeat(fixed_row(tree, street), len(hands), axis=0)
        _write_probabilities(*decision_columns(tree, betting.nodes), betting.row, column, p, out)
        return out


@njit(cache=True, nogil=True)
def _write_probabilities(first, end, row, column, p, out):
    """`legal_probabilities` at each of k decisions, from p (n_inputs n_hands, n_labels) to out.

    first, end (k,): as in `argmax_rows`; row (k,): betting input of each decision; column (width,)
    of p. out (n_hands, width) holds calls: they stay where nothing legal is left.
    """
    for i in range(out.shape[0]):
        for k in range(first.shape[0]):
            at, total = row[k] * out.shape[0] + i, np.float64(0)
            for c in range(first[k], end[k]):
                total += p[at, column[c]]
            if total > 0:
                for c in range(first[k], end[k]):
                    out[i, c] = p[at, column[c]] / total
