"""A strategy for every hand and every betting line, and what it does on one board; what comes from
outside is checked here.

On a street a policy is a table of rows: a row gives a probability for each node that an action of
the street leads to. A hole picks its row: by its bucket (a self-play table), by its equity (any
river policy that sees hands as paper 000 does), or as itself (a model on flop and turn, whose
features hardly ever repeat). `Policy.street` is the one question a sweep asks.
"""

from collections.abc import Callable, Sequence
from copy import copy
from functools import partial
from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np
from numba import config, njit

from faceup.cards.cards import (
    CLASS_OF_HOLE,
    HOLE_CARDS,
    HOLE_OF_CLASS,
    STREETS,
)
from faceup.cards.equity import UNITS, StreetTable
from faceup.cards.features import betting_features, board_features
from faceup.holdem.board import free_holes
from faceup.holdem.buckets import N_RIVER_BUCKETS, Buckets, hole_buckets, river_equities
from faceup.holdem.rules import CALL, FOLD
from faceup.holdem.tree import BettingTree, children, columns, decisions
from faceup.util.memo import Cache

# probabilities (n_rows, width) float32; row of each hole (1326,) int32
StreetRows = tuple[np.ndarray, np.ndarray]


class Policy(Protocol):
    """A strategy on a betting tree: what sweeps, matches and best responses need."""

    def street(self, street: int, board: list[int], wanted: np.ndarray | None = None) -> StreetRows:
        """Rows on a street whose board (0, 3, 4 or 5 cards) lies.

        wanted (1326,) bool: holes that will be asked for (None: all that the board leaves); others
        may have any row. Boards may share a table or have one each; what was returned is not
        changed later.
        """


@runtime_checkable
class DollarPolicy(Policy, Protocol):
    """A policy that stands on a tree with other sizes as it is: models and agents read dollars,
    tables do not.
    """

    def on(self, tree: BettingTree, seat: int) -> Policy:
        """The same in one seat of another tree."""


class TablePolicy(NamedTuple):
    """Probabilities for each bucket of hands: what self-play learns."""

    tables: tuple[np.ndarray, ...]  # four of (n_buckets, width) float32
    buckets: Buckets

    def street(self, street: int, board: list[int], wanted: np.ndarray | None = None) -> StreetRows:
        """Every bucket's row, and each hole's bucket."""
        return self.tables[street], hole_buckets(self.buckets, street, board)

    def argmax(self, tree: BettingTree) -> "TablePolicy":
        """The policy that takes this one's likeliest action at each decision of its tree."""
        tables = [
            argmax_rows(table, *street_columns(tree, s)) for s, table in enumerate(self.tables)
        ]
        return self._replace(tables=tuple(tables))


def preflop_percent(tree: BettingTree, table: np.ndarray, node: int) -> dict[str, np.ndarray]:
    """How often each of the 169 hands takes each action of a preflop decision, in percent, by
    label.

    table: the preflop rows of a `TablePolicy`, (169, width).
    """
    return {
        tree.labels[tree.label[c]]: 100 * table[:, c - tree.street_start[0]]
        for c in children(tree, node)
    }


class BettingInputs(NamedTuple):
    """Distinct betting features of a street's decisions; several decisions may share them."""

    features: np.ndarray  # (k, n) float32, columns as in cards.features.BETTING_FEATURES
    nodes: np.ndarray  # (n_decisions,) int32
    row: np.ndarray  # (n_decisions,) int32 row of `features` for each


def betting_inputs(
    tree: BettingTree, street: int, setting: str = "opponent", seat: int | None = None
) -> BettingInputs:
    """Betting inputs of a street's decisions, or one seat's (paper 000, Section 2.2.2).

    setting: which features, a key of `cards.features.BETTING_FEATURES`.
    """
    nodes = decisions(tree, street, seat)
    features = betting_features(tree.bets[nodes], tree.actor[nodes], setting)
    distinct, row = np.unique(features, axis=0, return_inverse=True)
    return BettingInputs(distinct, nodes, row.reshape(-1).astype(np.int32))


def always_call_row(tree: BettingTree, street: int) -> np.ndarray:
    """The row of a street, (1, width) float32, that calls at every decision, or else folds."""
    start, end = tree.street_start[street : street + 2]
    label = tree.label[None, start:end]
    return ((label == CALL) | ((label == FOLD) & (np.roll(label, -1) != CALL))).astype(np.float32)


def legal_probabilities(p: np.ndarray, label: np.ndarray) -> np.ndarray:
    """Answers p (n, n_labels) over the legal labels (k,) alone, renormalised; where nothing is
    left, a call or else a fold.
    """
    legal = p[:, label].astype(np.float64)
    total = legal.sum(axis=1, keepdims=True)
    return np.where(
        total > 1e-9, legal / np.maximum(total, 1e-9), label == (CALL if CALL in label else FOLD)
    )


def checked_answers(answers: object, n: int, n_labels: int, who: str) -> np.ndarray:
    """What an agent or a model answers for n hands, as (n, n_labels) float32; answers need not sum
    to 1.

    Raises ValueError, which names `who`, on another shape, and on a row with a number that is not
    finite or below 0, or all 0.
    """
    try:
        p = np.asarray(answers)
    except ValueError as error:
        raise ValueError(f"{who}: answers are no rectangle of numbers ({error})") from error
    if p.shape != (n, n_labels) or p.dtype.kind not in "fiub":
        raise ValueError(
            f"{who}: answers are {p.dtype} {p.shape}, expected numbers {n, n_labels}, a row a hand"
        )
    with np.errstate(over="ignore"):  # what is too large is infinite, and refused
        p = np.ascontiguousarray(p, dtype=np.float32)
    sound = ((p >= 0) & (p < np.inf)).all(axis=1) & (p > 0).any(axis=1)
    if not sound.all():
        raise ValueError(
            f"{who}: answer {p[sound.argmin()].tolist()}, expected finite numbers of 0 or more, and one above 0"
        )
    return p


def argmax_rows(rows: np.ndarray, first: np.ndarray, last: np.ndarray) -> np.ndarray:
    """Rows (n, width) with 1 for the likeliest action of each of k decisions, of equals the first.

    first, last (k,): a decision's first column, and the column behind its last one. Playing so is
    also called purification (Ganzfried, Sandholm & Waugh 2012).
    """
    out = np.zeros_like(rows)
    _mark_argmax(first, last, rows, out)
    return out


def street_columns(tree: BettingTree, street: int) -> tuple[np.ndarray, np.ndarray]:
    """The columns of a street's decisions as `argmax_rows` takes them."""
    return _columns_of(tree, decisions(tree, street))


def _columns_of(tree: BettingTree, nodes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """First columns (n,) of decisions in the rows of their street, and the columns behind their
    last ones.
    """
    first = tree.first_child[nodes] - tree.street_start[tree.street[nodes]]
    return first, first + tree.n_children[nodes]


@njit(cache=True, nogil=True)
def _mark_argmax(first, last, rows, out):
    """`argmax_rows` into out (n, width), which is 0."""
    for i in range(rows.shape[0]):
        for k in range(first.shape[0]):
            best = first[k]
            for c in range(first[k], last[k]):
                best = c if rows[i, c] > rows[i, best] else best
            out[i, best] = 1


def cached(cache: Cache, key: Any, make: Callable[[], Any]) -> Any:
    """The value of a key, made where it is not among the last few, of which there are several a
    thread.
    """
    if (found := cache.get(key)) is None:
        found = cache[key] = make()
        for old in list(cache)[: -4 * (1 + config.NUMBA_NUM_THREADS)]:
            cache.pop(old, None)
    return found


class ModelPolicy:
    """One model a street (paper 000, Section 2.4), asked for every hand and every distinct betting
    history.
    """

    def __init__(
        self,
        tree: BettingTree,
        models: Sequence[Any],
        tables: tuple[StreetTable, ...],
        history: str = "opponent",
        seat: int | None = None,
        labels: tuple[str, ...] | None = None,
    ):
        """models: four, preflop first, each with a method predict: features (n, n_features) float32
        to (n, n_labels) float32.

        tables: the street tables of cards/equity; history: a key of
        `cards.features.BETTING_FEATURES`. seat: the only one in which they will play (None: both);
        at the other's decisions they then call. labels: what the columns of the models' answers
        stand for (None: the tree's labels).
        """
        self.tree, self.models, self.tables, self.history = tree, tuple(models), tables, history
        self.labels, self._argmax = labels or tree.labels, False
        self.betting_inputs = [betting_inputs(tree, street, history, seat) for street in range(4)]
        # rows that serve all boards; rows of the last boards
        self._fixed, self._last = Cache(), Cache()

    def argmax(self, tree: BettingTree) -> "ModelPolicy":
        """As `TablePolicy.argmax`; both policies share the models' predictions on a board."""
        other = copy(self)
        other._argmax = True
        return other

    def on(self, tree: BettingTree, seat: int) -> "ModelPolicy":
        """As in `DollarPolicy`."""
        make = partial(ModelPolicy, tree, self.models, self.tables, self.history, seat, self.labels)
        other = cached(self._fixed, (id(tree), seat), make)
        return other.argmax(tree) if self._argmax else other

    def street(self, street: int, board: list[int], wanted: np.ndarray | None = None) -> StreetRows:
        """Rows by starting hand preflop, by equity on the river (both asked once), by distinct
        features on flop and turn.
        """
        asked = free_holes(board) if wanted is None else wanted
        cache, key = (
            (self._last, (tuple(board), asked.tobytes()))
            if street in (1, 2)
            else (self._fixed, street)
        )
        rows, row_of_hole = cached(cache, key, partial(self._drawn, street, board, asked))
        if self._argmax:
            make = partial(argmax_rows, rows, *street_columns(self.tree, street))
            rows = cached(cache, (key, "argmax"), make)
        return rows, river_equities(board) if street == 3 else row_of_hole

    def _drawn(self, street: int, board: list[int], asked: np.ndarray) -> StreetRows:
        """`street` without a threshold; on the river for each equity."""
        if street == 3:
            return self.rows_of(
                3, np.arange(N_RIVER_BUCKETS, dtype=np.float32)[:, None] / np.float32(UNITS[3])
            ), CLASS_OF_HOLE
        features = board_features(street, self.tables[street], board)
        if street == 0:
            return self.rows_of(0, features[HOLE_OF_CLASS]), CLASS_OF_HOLE.astype(np.int32)
        # many differ in suits only
        hands, row = np.unique(features[asked], axis=0, return_inverse=True)
        row_of_hole = np.zeros(len(HOLE_CARDS), dtype=np.int32)
        row_of_hole[asked] = row.reshape(-1)
        return self.rows_of(street, hands), row_of_hole

    def rows_of(self, street: int, hands: np.ndarray) -> np.ndarray:
        """Rows for hands given as features (n, n_hand_features) float32: (n, width) float32."""
        lines, tree, n = self.betting_inputs[street], self.tree, len(hands)
        out, x = (
            np.repeat(always_call_row(tree, street), n, axis=0),
            model_inputs(hands, lines.features),
        )
        p = checked_answers(
            self.models[street].predict(x),
            len(x),
            len(self.labels),
            f"model of the {STREETS[street]}",
        )
        start, end = tree.street_start[street : street + 2]
        label = np.where(np.isin(tree.parent[start:end], lines.nodes), tree.label[start:end], -1)
        # column of `p` for each of `out`
        answer = np.array([self.labels.index(tree.labels[k]) if k >= 0 else -1 for k in label])
        _write_answers(*_columns_of(tree, lines.nodes), lines.row, answer, p, out)
        return out


@njit(cache=True, nogil=True)
def _write_answers(first, last, history, answer, p, out):
    """`legal_probabilities` of each decision (n,), from answers p (n_histories n_hands, n_labels)
    to out (n_hands, width).

    history (n,): of each decision; answer (width,): column of p. out has calls at first: they stay
    where nothing legal is left.
    """
    for i in range(out.shape[0]):
        for k in range(first.shape[0]):
            row, total = history[k] * out.shape[0] + i, 0.0
            for c in range(first[k], last[k]):
                total += p[row, answer[c]]
            if total > 1e-9:
                for c in range(first[k], last[k]):
                    out[i, c] = p[row, answer[c]] / total


def model_inputs(hands: np.ndarray, betting: np.ndarray) -> np.ndarray:
    """Features of hands (n, f) with each of k histories of betting (k, g), (k n, f + g) float32: a
    history after the other.
    """
    return np.hstack([np.tile(hands, (len(betting), 1)), np.repeat(betting, len(hands), axis=0)])


class FixedPolicy:
    """The same action everywhere (always call, always all-in), or a uniform choice among the legal
    ones.
    """

    def __init__(self, tree: BettingTree, label: int | None):
        """label: the action taken where it is legal, else call; None for a uniform choice."""
        self.tables = []  # one row a street
        for street in range(4):
            row = always_call_row(tree, street)
            for node in decisions(tree, street):
                offered = tree.label[children(tree, node)]
                taken = (
                    offered >= 0
                    if label is None
                    else offered == (label if label in offered else CALL)
                )
                row[0, columns(tree, node)] = taken / taken.sum()
            self.tables.append(row)

    def street(self, street: int, board: list[int], wanted: np.ndarray | None = None) -> StreetRows:
        """One row for all holes."""
        return self.tables[street], np.zeros(len(HOLE_CARDS), dtype=np.int32)
