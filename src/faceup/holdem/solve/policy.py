"""A strategy for every hand and every betting line, and what it does on one board; what comes from outside is checked here.

On a street a policy is a table of rows: a row gives a probability for each node that an action of the street leads to. A hole
picks its row: by its group (a self-play table), by its equity (any river policy that sees hands as paper 000 does), or as
itself (a model on flop and turn, whose features hardly ever repeat). `Policy.street` is the one question a sweep asks.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple, Protocol

import numpy as np
from numba import njit

from faceup.cards.cards import CLASS_OF_HOLE, HOLE_CARDS, HOLE_OF_CLASS, STREETS
from faceup.cards.equity import UNITS, StreetTable
from faceup.cards.features import betting_features, board_features
from faceup.holdem.betting.betting_tree import CALL, BettingTree, children, columns, decisions
from faceup.holdem.solve.groups import N_RIVER_GROUPS, Groups, hole_groups, river_equities
from faceup.lab.memo import Cache

Predict = Callable[[np.ndarray], np.ndarray]  # (n, n_features) float32 -> (n, n_labels) float32
StreetRows = tuple[np.ndarray, np.ndarray]  # probabilities (n_rows, width) float32; row of each hole (1326,) int32


class Policy(Protocol):
    """What sweeps, matches and best responses need of a strategy."""

    def street(self, street: int, board: list[int], wanted: np.ndarray | None = None) -> StreetRows:
        """Rows on a street whose board (0, 3, 4 or 5 cards) lies.

        wanted (1326,) bool: holes that will be asked for (None: all that the board leaves); others may have any row. Boards may
        share a table or have one each; what was returned is not changed later.
        """
        ...


class Agent(Protocol):
    """Who can be asked for many hands at once in one public situation. Betting is a line of real dollars."""

    def legal(self, betting: str) -> dict[str, int]:
        """Legal actions by label, and the dollars on this street to which each brings the player's bet."""
        ...

    def probabilities(self, holes: np.ndarray, board: Sequence[int], betting: str) -> np.ndarray:
        """What the player to act does with each of n holes, (n, n_legal) float64, columns in the order of `legal`.

        holes: their numbers (n,), or two cards each (n, 2); board: 0, 3, 4 or 5 cards. A hole that the board blocks may get any
        row. Raises ValueError where the line is not one of a decision on the board's street, and on answers that are none.
        """
        ...


class TablePolicy(NamedTuple):
    """Probabilities for each group of hands: what self-play learns."""

    tables: tuple[np.ndarray, ...]  # four of (n_groups, width) float32
    groups: Groups

    def street(self, street: int, board: list[int], wanted: np.ndarray | None = None) -> StreetRows:
        """Every group's row, and each hole's group."""
        return self.tables[street], hole_groups(self.groups, street, board)


def preflop_percent(tree: BettingTree, table: np.ndarray, node: int) -> dict[str, np.ndarray]:
    """How often each of the 169 hands takes each action of a preflop decision, in percent, by label.

    table: the preflop rows of a `TablePolicy`, (169, width).
    """
    return {tree.labels[tree.label[c]]: 100 * table[:, c - tree.street_start[0]] for c in children(tree, node)}


class Histories(NamedTuple):
    """What a model is told of the betting on one street, which several nodes may share."""

    told: np.ndarray  # (n_histories, n) float32, columns as in cards.features.HISTORIES
    nodes: np.ndarray  # (n_decisions,) int32
    history: np.ndarray  # (n_decisions,) int32 row of `told` for each


def histories(tree: BettingTree, street: int, setting: str = "opponent", seat: int | None = None) -> Histories:
    """Distinct betting features of a street's decisions, or one seat's (paper 000, Section 2.2.2).

    setting: what is told, a key of `cards.features.HISTORIES`.
    """
    nodes = decisions(tree, street, seat)
    told = betting_features(tree.bets[nodes], tree.actor[nodes], setting)
    distinct, history = np.unique(told, axis=0, return_inverse=True)
    return Histories(distinct, nodes, history.reshape(-1).astype(np.int32))


def calls(tree: BettingTree, street: int) -> np.ndarray:
    """The row of a street, (1, width) float32, that calls at every decision."""
    start, end = tree.street_start[street : street + 2]
    return (tree.label[None, start:end] == CALL).astype(np.float32)


def legal_probabilities(p: np.ndarray, label: np.ndarray) -> np.ndarray:
    """Answers p (n, n_labels) over the legal labels (k,) alone, renormalised; where nothing is left, check or call: (n, k)."""
    legal = p[:, label].astype(np.float64)
    total = legal.sum(axis=1, keepdims=True)
    return np.where(total > 1e-9, legal / np.maximum(total, 1e-9), label == CALL)


def checked_answers(answers: object, n: int, n_labels: int, who: str) -> np.ndarray:
    """What an agent or a model answers for n hands, as (n, n_labels) float32; answers need not sum to 1.

    Raises ValueError, which names `who`, on another shape, and on a row with a number that is not finite or below 0, or all 0.
    """
    try:
        p = np.asarray(answers)
    except ValueError as error:
        raise ValueError(f"{who}: answers are no rectangle of numbers ({error})") from error
    if p.shape != (n, n_labels) or p.dtype.kind not in "fiub":
        found = f"shape {p.shape} of {p.dtype}"
        raise ValueError(f"{who}: answers have {found}, expected numbers {n, n_labels}: a row a hand, a column a label")
    with np.errstate(over="ignore"):  # what is too large is infinite, and refused
        p = np.ascontiguousarray(p, dtype=np.float32)
    sound = ((p >= 0) & (p < np.inf)).all(axis=1) & (p > 0).any(axis=1)
    if not sound.all():
        raise ValueError(f"{who}: answer {p[sound.argmin()].tolist()}, expected finite numbers of 0 or more, and one above 0")
    return p


def ask(predict: Predict, X: np.ndarray, n_labels: int, who: str) -> np.ndarray:
    """What a model answers to rows X (n, n_features), (n, n_labels) float32, checked by `checked_answers`."""
    return checked_answers(predict(X), len(X), n_labels, who)


def checked_rows(tree: BettingTree, street: int, rows: StreetRows, n_holes: int = len(HOLE_CARDS)) -> StreetRows:
    """A policy's rows of a street as kernels read them; ValueError on a shape or a row number that would be read past its end."""
    table, row_of_hole = np.asarray(rows[0]), np.asarray(rows[1])
    width = int(tree.street_start[street + 1] - tree.street_start[street])
    if table.ndim != 2 or table.shape[1] != width or row_of_hole.shape != (n_holes,):
        found = f"{table.shape} and rows of holes {row_of_hole.shape}"
        raise ValueError(f"policy, {STREETS[street]}: table {found}, expected (rows, {width}) and ({n_holes},)")
    if row_of_hole.min() < 0 or row_of_hole.max() >= len(table):
        found = f"rows {row_of_hole.min()} to {row_of_hole.max()}"
        raise ValueError(f"policy, {STREETS[street]}: holes have {found}, expected 0 to {len(table) - 1}")
    return table, row_of_hole


class ModelPolicy:
    """One model a round (paper 000, Section 2.4), asked for every hand and every distinct betting history."""

    def __init__(
        self,
        tree: BettingTree,
        predict: list[Predict],
        tables: tuple[StreetTable, ...],
        history: str = "opponent",
        seat: int | None = None,
    ):
        """predict: four models, preflop first; tables: the street tables of cards/equity; history: what models are told.

        seat: the only one in which it will play (None: both); at the other's decisions it then calls. history: a key of
        `cards.features.HISTORIES`. Raises ValueError unless there are four models.
        """
        if len(predict) != len(STREETS):
            raise ValueError(f"predict has {len(predict)} models, expected one for each of {STREETS}")
        self.tree, self.predict, self.tables, self.history = tree, predict, tables, history
        self.histories = [histories(tree, street, history, seat) for street in range(4)]
        self._calls = [calls(tree, street) for street in range(4)]
        self._known = Cache()  # a key and the last board's rows on each street

    def street(self, street: int, board: list[int], wanted: np.ndarray | None = None) -> StreetRows:
        """Rows by starting hand preflop, by equity on the river (both asked once), by distinct features on flop and turn."""
        if street == 3:
            if 3 not in self._known:
                levels = np.arange(N_RIVER_GROUPS, dtype=np.float32)[:, None] / np.float32(UNITS[3])
                self._known[3] = self.rows_of(3, levels)
            return self._known[3], river_equities(board)
        asked = free_holes(board) if wanted is None else wanted
        key = (tuple(board), asked.tobytes() if street else b"")
        known = self._known.get(street)
        if known is None or known[0] != key:
            features = board_features(street, self.tables[street], board)
            if street:
                hands, row = np.unique(features[asked], axis=0, return_inverse=True)  # many differ in suits only
                row_of_hole = np.zeros(len(HOLE_CARDS), dtype=np.int32)
                row_of_hole[asked] = row.reshape(-1)
            else:
                hands, row_of_hole = features[HOLE_OF_CLASS], CLASS_OF_HOLE.astype(np.int32)
            known = self._known[street] = key, (self.rows_of(street, hands), row_of_hole)
        return known[1]

    def rows_of(self, street: int, hands: np.ndarray) -> np.ndarray:
        """Rows for hands given as features (n, n_hand_features) float32: (n, width) float32."""
        lines = self.histories[street]
        n, (k, told) = len(hands), lines.told.shape
        x = np.empty((k, n, hands.shape[1] + told), dtype=np.float32)
        x[:, :, :-told] = hands
        x[:, :, -told:] = lines.told[:, None, :]
        out, tree = np.repeat(self._calls[street], n, axis=0), self.tree
        p = ask(self.predict[street], x.reshape(k * n, -1), len(tree.labels), f"model of the {STREETS[street]}")
        for node, line in zip(lines.nodes, lines.history, strict=True):
            answers = p[line * n : (line + 1) * n]
            out[:, columns(tree, node)] = legal_probabilities(answers, tree.label[children(tree, node)])
        return out


@njit(cache=True)
def _street_reach(start, end, parent, actor, table, row_of_hole, reach):
    for node in range(start, end):
        above = parent[node]
        who = actor[above]
        for h in range(reach.shape[2]):
            reach[who, node, h] = reach[who, above, h] * table[row_of_hole[h], node - start]
            reach[1 - who, node, h] = reach[1 - who, above, h]


def street_reach(tree: BettingTree, street: int, rows: StreetRows, reach: np.ndarray) -> None:
    """Fill each player's reach of the nodes that a street's actions lead to, reach (2, n_nodes, 1326) float32, in place.

    Raises ValueError as `checked_rows`.
    """
    start, end = tree.street_start[street : street + 2]
    _street_reach(start, end, tree.parent, tree.actor, *checked_rows(tree, street, rows, reach.shape[2]), reach)


def preflop_reach(tree: BettingTree, rows: StreetRows) -> np.ndarray:
    """Each player's reach of the root and of nodes that preflop actions lead to, with each hole, (2, n_nodes, 1326) float32."""
    reach = np.ones((2, int(tree.street_start[1]), len(HOLE_CARDS)), dtype=np.float32)
    street_reach(tree, 0, rows, reach)
    return reach


def class_reach(tree: BettingTree, policy: Policy) -> np.ndarray:
    """`preflop_reach` of a policy with each starting hand, (2, n_nodes, 169) float64."""
    return preflop_reach(tree, policy.street(0, []))[:, :, HOLE_OF_CLASS].astype(np.float64)


@njit(cache=True)
def opponents(weights: np.ndarray) -> np.ndarray:
    """For each hole the weight of holes that share no card with it; weights (n, 1326), returns float64."""
    out = np.empty(weights.shape)
    for k in range(weights.shape[0]):
        cards = np.zeros(52)
        total = 0.0
        for h in range(weights.shape[1]):
            cards[HOLE_CARDS[h, 0]] += weights[k, h]
            cards[HOLE_CARDS[h, 1]] += weights[k, h]
            total += weights[k, h]
        for h in range(weights.shape[1]):
            out[k, h] = max(total + weights[k, h] - cards[HOLE_CARDS[h, 0]] - cards[HOLE_CARDS[h, 1]], 0.0)
    return out


def free_holes(board: list[int]) -> np.ndarray:
    """Which of the 1,326 holes share no card with a board, bool."""
    return np.asarray(~np.isin(HOLE_CARDS, board).any(axis=1))


class FixedPolicy:
    """The same action everywhere (always call, always all-in), or a uniform choice among the legal ones."""

    def __init__(self, tree: BettingTree, label: int | None):
        """label: the action taken where it is legal, else call; None for a uniform choice."""
        self._rows = []
        for street in range(4):
            row = calls(tree, street)
            for node in decisions(tree, street):
                offered = tree.label[children(tree, node)]
                if label is None:
                    row[0, columns(tree, node)] = 1 / len(offered)
                elif label in offered:
                    row[0, columns(tree, node)] = offered == label
            self._rows.append(row)

    def street(self, street: int, board: list[int], wanted: np.ndarray | None = None) -> StreetRows:
        """One row for all holes."""
        return self._rows[street], np.zeros(1326, dtype=np.int32)
