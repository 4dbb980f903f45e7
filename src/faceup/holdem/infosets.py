"""What a learner tells apart: rows of hands it plays alike, at situations of the betting it plays alike.

A row is a group of hands, such as a level of equity. Decisions may share a situation, as they share a leaf of a decision tree.
Regrets and summed strategies of a street are arrays (infosets, labels), as decisions that share a situation have the same labels.
Both are weights: a strategy plays in proportion to the positive ones. An abstraction has infosets on all streets: groups of
hands, or the leaves of decision trees.
"""

from typing import NamedTuple, Protocol

import numpy as np
from numba import njit

from faceup.cards.equity import UNITS, StreetTable
from faceup.cards.features import board_features
from faceup.holdem.board import matched
from faceup.holdem.groups import Groups, hole_groups
from faceup.holdem.policy import ModelPolicy, Policy, TablePolicy, histories
from faceup.holdem.rules import DECISION
from faceup.holdem.tree import BettingTree, children, columns, decisions
from faceup.trees.tree import DecisionTree, leaf_of

N_EQUITIES = UNITS[3] + 1  # on the river: 2 * wins + ties


class Infosets(NamedTuple):
    """Infosets of a street."""

    row: np.ndarray  # int32 row of each hole (1326,) before the river, of each equity (1981,) on it
    of: np.ndarray  # (rows, situations) int32 infoset of a row at a situation
    situation: np.ndarray  # (n_nodes,) int32 of each decision of the street; -1 elsewhere
    n: int


class Street(NamedTuple):
    """A street's n decisions as flat arrays, parents first."""

    node: np.ndarray  # (n,) int32
    actor: np.ndarray  # (n,) int8
    first_edge: np.ndarray  # (n,) int32 edge e leads to node start + e
    end_edge: np.ndarray  # (n,) int32
    label: np.ndarray  # (edges,) int8 what the action is called
    start: int


def make_street(tree: BettingTree, street: int) -> Street:
    """Decisions of a street of a betting tree."""
    start, end = tree.street_start[street : street + 2].tolist()
    node = decisions(tree, street)
    first = (tree.first_child[node] - start).astype(np.int32)
    return Street(node, tree.actor[node], first, first + tree.n_children[node], tree.label[start:end], start)


def make_infosets(tree: BettingTree, street: int, row: np.ndarray, n_rows: int) -> Infosets:
    """Infosets of n_rows rows, each at each decision of a street by itself."""
    inside = (tree.kind == DECISION) & (tree.street == street)
    situation = np.where(inside, np.cumsum(inside) - 1, -1).astype(np.int32)
    n = int(inside.sum())
    return Infosets(row.astype(np.int32), np.arange(n_rows * n, dtype=np.int32).reshape(n_rows, n), situation, n_rows * n)


def equity_levels(tree: BettingTree, n_levels: int) -> Infosets:
    """River infosets of a player who sees in which of n_levels (1 to 1,981) equal levels its equity lies."""
    return make_infosets(tree, 3, np.arange(N_EQUITIES) * n_levels // N_EQUITIES, n_levels)


@njit(cache=True)
def _match(decisions, infosets, other, rows, weights, chance):
    """Each row's strategy, chance (edges, rows), by regret matching at each decision; 1 where player `other` (-1: none) acts."""
    for d in range(decisions.actor.shape[0]):
        first, end = decisions.first_edge[d], decisions.end_edge[d]
        if decisions.actor[d] == other:
            chance[first:end] = 1
            continue
        situation = infosets.situation[decisions.node[d]]
        for k in range(rows.shape[0]):
            weight, total = weights[infosets.of[rows[k], situation]], np.float32(0)
            for e in range(first, end):
                total += max(weight[decisions.label[e]], np.float32(0))
            for e in range(first, end):
                chance[e, k] = matched(weight[decisions.label[e]], total, end - first)


def strategy_rows(tree: BettingTree, street: int, infosets: Infosets, weights: np.ndarray) -> np.ndarray:
    """The strategy of weights on a street, (rows, width) float32, a column for each node of the street.

    Where no weight of an infoset is positive it is uniform.
    """
    nodes, rows = make_street(tree, street), np.arange(len(infosets.of), dtype=np.int32)
    table = np.zeros((len(rows), len(nodes.label)), dtype=np.float32)
    _match(nodes, infosets, -1, rows, weights, table.T)
    return table


def weights_of(tree: BettingTree, street: int, infosets: Infosets, table: np.ndarray) -> np.ndarray:
    """Weights that play as a table of a street does, (rows, width), of infosets by `make_infosets`."""
    weights = np.zeros((infosets.n, len(tree.labels)), dtype=np.float32)
    for node in decisions(tree, street):
        own = infosets.of[:, infosets.situation[node], None]
        weights[own, tree.label[children(tree, node)]] = table[:, columns(tree, node)]
    return weights


Weights = tuple[np.ndarray, ...]  # a street after the other, (infosets, labels) float32


class Abstraction(Protocol):
    """What a learner tells apart. Infosets of a street are as many and mean the same on each board; their rows may differ."""

    river: Infosets

    def street(self, street: int, board: list[int]) -> Infosets:
        """Infosets of a street before the river, on its board."""
        ...

    def start(self) -> Weights:
        """Weights that play as the learner does before it learns."""
        ...

    def policy(self, weights: Weights) -> Policy:
        """The whole strategy of weights."""
        ...


class HandGroups:
    """A table's groups before and on the flop, other groups on the turn, levels of equity on the river.

    A learner begins as the table plays until the turn, and from there on with nothing.
    """

    def __init__(self, tree: BettingTree, table: TablePolicy, turn_ids: np.ndarray, river_levels: int):
        """turn_ids (16432, 1326): groups on the turn, as in `Groups`; river_levels: 1 to 1,981."""
        preflop, flop, _, river = table.groups.n_groups
        self.tree, self.table = tree, table
        self.groups = Groups(table.groups.flop, turn_ids, (preflop, flop, int(turn_ids.max()) + 1, river))
        self._before = [make_infosets(tree, street, np.arange(n), n) for street, n in enumerate(self.groups.n_groups[:3])]
        self.river = equity_levels(tree, river_levels)

    def street(self, street: int, board: list[int]) -> Infosets:
        """As in `Abstraction`."""
        return self._before[street]._replace(row=hole_groups(self.groups, street, board))

    def start(self) -> Weights:
        """As in `Abstraction`."""
        turn, river = (np.zeros((x.n, len(self.tree.labels)), dtype=np.float32) for x in (self._before[2], self.river))
        begins = [weights_of(self.tree, street, self._before[street], self.table.tables[street]) for street in range(2)]
        return (*begins, turn, river)

    def policy(self, weights: Weights) -> TablePolicy:
        """As in `Abstraction`."""
        streets = enumerate([*self._before, self.river])
        *before, river = (strategy_rows(self.tree, street, infosets, weights[street]) for street, infosets in streets)
        return TablePolicy((*before, river[self.river.row]), self.groups)


class TreeLeaves:
    """The leaves of decision trees, of one on each street: what is learnt are their answers."""

    def __init__(
        self, tree: BettingTree, models: tuple[DecisionTree, ...], tables: tuple[StreetTable, ...], history: str = "opponent"
    ):
        """models: four trees, one a street; tables, history: as in `ModelPolicy`."""
        self.tree, self.models, self.tables, self.history = tree, models, tables, history
        self._told = [histories(tree, street, history) for street in range(4)]
        self._situation = np.full((4, len(tree.kind)), -1, dtype=np.int32)
        for told, situation in zip(self._told, self._situation, strict=True):
            situation[told.nodes] = told.history
        self._preflop = self._infosets(0, board_features(0, tables[0], []))
        self.river = self._infosets(3, np.arange(N_EQUITIES, dtype=np.float32)[:, None] / np.float32(UNITS[3]))

    def street(self, street: int, board: list[int]) -> Infosets:
        """As in `Abstraction`."""
        return self._infosets(street, board_features(street, self.tables[street], board)) if street else self._preflop

    def _infosets(self, street: int, hands: np.ndarray) -> Infosets:
        """Hands (n, n_hand_features) that come to the same leaf at all decisions share a row."""
        told, model = self._told[street].features, self.models[street]
        distinct, where = np.unique(hands, axis=0, return_inverse=True)
        leaves = np.empty((len(distinct), len(told)), dtype=np.int32)
        for k, line in enumerate(told):
            leaves[:, k] = leaf_of(model, np.hstack([distinct, np.tile(line, (len(distinct), 1))]))
        of, row = np.unique(leaves, axis=0, return_inverse=True)
        rows = row.reshape(-1)[where.reshape(-1)].astype(np.int32)
        return Infosets(rows, np.ascontiguousarray(of), self._situation[street], len(model.feature))

    def start(self) -> Weights:
        """As in `Abstraction`: as the trees answer now."""
        return tuple(model.value for model in self.models)

    def policy(self, weights: Weights) -> ModelPolicy:
        """As in `Abstraction`; leaves without any positive weight keep their answers."""
        return ModelPolicy(self.tree, self.solved(weights), self.tables, self.history)

    def solved(self, weights: Weights) -> tuple[DecisionTree, ...]:
        """The four trees of `policy`."""
        found = []
        for model, weight in zip(self.models, weights, strict=True):
            positive = np.maximum(weight, 0)
            total = positive.sum(axis=1, keepdims=True)
            answers = np.where(total > 0, positive / np.where(total > 0, total, 1), model.value)
            found.append(model._replace(value=answers.astype(np.float32)))
        return tuple(found)
