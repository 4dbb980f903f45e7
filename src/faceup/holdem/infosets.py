"""Information-set abstraction: hand buckets x betting situations.

A row is a bucket of hands, such as a level of equity. Decisions may share a situation, as they
share a leaf of a decision tree. Regrets and summed strategies of a street are arrays (n_infosets,
n_labels), as decisions that share a situation have the same labels. Both are weights: a strategy
plays in proportion to the positive ones. An `Abstraction`, a learner's information, has infosets on
all streets: buckets of hands (`HandBuckets`), or the leaves of decision trees (`TreeLeaves`). A
street has the same infosets on all boards; rows may differ, but for the river's, which are those of
equities.
"""

from typing import NamedTuple

import numpy as np
from numba import njit

from faceup.cards.equity import UNITS
from faceup.cards.features import board_features
from faceup.holdem.betting_tree import BettingTree, decision_nodes
from faceup.holdem.buckets import N_RIVER_BUCKETS, Buckets, hole_buckets
from faceup.holdem.policy import FixedPolicy, ModelPolicy, TablePolicy, model_inputs
from faceup.holdem.regret_matching import matching_probability
from faceup.holdem.rules import DECISION
from faceup.trees.tree import DecisionTree, leaf_of

# regrets or summed strategies by street, (n_infosets, n_labels) float32
ActionWeights = tuple[np.ndarray, ...]


class Infosets(NamedTuple):
    """Infosets of a street."""

    row: np.ndarray  # int32 row of each hole (1326,) before the river, of each equity (1981,) on it
    infoset: np.ndarray  # (rows, situations) int32 infoset of a row at a situation
    situation: np.ndarray  # (n_nodes,) int32 of each decision of the street; -1 elsewhere


def make_infosets(tree: BettingTree, street: int, row: np.ndarray) -> Infosets:
    """A separate infoset for each row at each decision of a street."""
    inside, n_rows = (tree.kind == DECISION) & (tree.street == street), int(row.max()) + 1
    situation = np.where(inside, np.cumsum(inside) - 1, -1).astype(np.int32)
    infoset = np.arange(n_rows * inside.sum(), dtype=np.int32).reshape(n_rows, -1)
    return Infosets(row.astype(np.int32), infoset, situation)


@njit(cache=True)
def _fill_strategy_table(infoset, weights, label, first, n_actions, table):
    """As `strategy_table`: infoset (rows, n_decisions) int32 of a row at each decision; weights
    (n_infosets, n_labels) float32; label (width,) int8; first, n_actions (n_decisions,) int:
    columns; table (rows, width) float32.

    Sums begin with the second action and end with the first, which decides their last bits.
    """
    for row in range(infoset.shape[0]):
        for d in range(first.shape[0]):
            weight, total = weights[infoset[row, d]], np.float32(0)
            for k in range(1, n_actions[d] + 1):
                total += max(weight[label[first[d] + k % n_actions[d]]], np.float32(0))
            for e in range(first[d], first[d] + n_actions[d]):
                table[row, e] = matching_probability(weight[label[e]], total, n_actions[d])


def strategy_table(
    tree: BettingTree, street: int, infosets: Infosets, weights: np.ndarray
) -> np.ndarray:
    """The strategy of weights on a street, the table of its `StreetRows`, (rows, width) float32: in
    proportion to an infoset's positive weights, uniform where there is none.

    Of regrets this is regret matching, of summed strategies the average strategy.
    """
    nodes, (start, end) = decision_nodes(tree, street), tree.street_start[street : street + 2]
    infoset, first = infosets.infoset[:, infosets.situation[nodes]], tree.first_child[nodes] - start
    table, label = np.empty((len(infoset), end - start), dtype=np.float32), tree.label[start:end]
    _fill_strategy_table(infoset, weights, label, first, tree.n_children[nodes], table)
    return table


class HandBuckets:
    """A base policy's buckets before and on the flop, other buckets on the turn, levels of equity
    on the river. Learning begins with the base policy until the turn, and with weights of 0 from
    there on.
    """

    def __init__(
        self, tree: BettingTree, base_policy: TablePolicy, turn_ids: np.ndarray, river_levels: int
    ):
        """turn_ids (16432, 1326): buckets on the turn, as in `Buckets`; river_levels: of equity,
        equally wide, 1 to 1,981.
        """
        preflop, flop, _, river = base_policy.buckets.n_buckets
        self.betting_tree, self.base_policy = tree, base_policy
        self.buckets = Buckets(
            base_policy.buckets.flop, turn_ids, (preflop, flop, int(turn_ids.max()) + 1, river)
        )
        rows = (
            *map(np.arange, self.buckets.n_buckets[:3]),
            np.arange(N_RIVER_BUCKETS) * river_levels // N_RIVER_BUCKETS,
        )
        self._infosets = [make_infosets(tree, street, row) for street, row in enumerate(rows)]

    def uniform_on(self, tree: BettingTree) -> "HandBuckets":
        """The same buckets on another betting tree, for which the base policy has no probabilities:
        learning begins with the uniform strategy.
        """
        even = zip(FixedPolicy(tree, None).tables, self.buckets.n_buckets, strict=True)
        table = TablePolicy(
            tuple(np.broadcast_to(row, (n, row.shape[1])) for row, n in even), self.buckets
        )
        return HandBuckets(tree, table, self.buckets.turn, int(self._infosets[3].row.max()) + 1)

    def street_infosets(self, street: int, board: list[int]) -> Infosets:
        """Infosets of a street, with rows of its board's hands; on the river those of all equities,
        whatever the board.
        """
        of_all = self._infosets[street]
        if street == 3:
            return of_all
        buckets, row = np.unique(hole_buckets(self.buckets, street, board), return_inverse=True)
        return of_all._replace(row=row.astype(np.int32), infoset=of_all.infoset[buckets])

    def start(self) -> ActionWeights:
        """Weights of the strategy with which learning begins."""
        tree = self.betting_tree
        weights = tuple(
            np.zeros((x.infoset.size, len(tree.labels)), dtype=np.float32) for x in self._infosets
        )
        for street in range(2):
            nodes, infosets = slice(*tree.street_start[street : street + 2]), self._infosets[street]
            infoset = infosets.infoset[:, infosets.situation[tree.parent[nodes]]]
            weights[street][infoset, tree.label[nodes]] = self.base_policy.tables[street]
        return weights

    def policy(self, weights: ActionWeights) -> TablePolicy:
        """The whole strategy of weights."""
        streets = zip(self._infosets, weights, strict=True)
        return TablePolicy(
            tuple(
                strategy_table(self.betting_tree, s, x, w)[x.row]
                for s, (x, w) in enumerate(streets)
            ),
            self.buckets,
        )


class TreeLeaves:
    """The leaves of four decision trees, one a street: their action probabilities are learned."""

    def __init__(self, base_policy: ModelPolicy):
        """base_policy: of four decision trees, with whose probabilities learning begins."""
        self.betting_tree, self.base_policy = base_policy.tree, base_policy
        self._situation = np.full((4, len(base_policy.tree.kind)), -1, dtype=np.int32)
        for inputs, situation in zip(base_policy.betting_inputs, self._situation, strict=True):
            situation[inputs.nodes] = inputs.row
        levels = np.arange(N_RIVER_BUCKETS, dtype=np.float32)[:, None] / np.float32(UNITS[3])
        self._fixed = {
            0: self._infosets(0, board_features(0, base_policy.equities[0], [])),
            3: self._infosets(3, levels),
        }

    def street_infosets(self, street: int, board: list[int]) -> Infosets:
        """Infosets of a street, with rows of its board's hands; on the river those of all equities,
        whatever the board.
        """
        if street in self._fixed:
            return self._fixed[street]
        return self._infosets(
            street, board_features(street, self.base_policy.equities[street], board)
        )

    def _infosets(self, street: int, hands: np.ndarray) -> Infosets:
        """Hands (n, n_hand_features) that come to the same leaf at all decisions share a row."""
        betting = self.base_policy.betting_inputs[street].features
        model = self.base_policy.models[street]
        distinct, where = np.unique(hands, axis=0, return_inverse=True)
        leaves = leaf_of(model, model_inputs(distinct, betting))
        leaves = leaves.reshape(len(betting), len(distinct)).T
        infoset, row = np.unique(leaves, axis=0, return_inverse=True)
        rows = row.reshape(-1)[where.reshape(-1)].astype(np.int32)
        return Infosets(rows, np.ascontiguousarray(infoset), self._situation[street])

    def start(self) -> ActionWeights:
        """Weights of the strategy with which learning begins."""
        return tuple(model.value for model in self.base_policy.models)

    def policy(self, weights: ActionWeights) -> ModelPolicy:
        """The whole strategy of weights."""
        return ModelPolicy(
            self.betting_tree,
            self.retrained(weights),
            self.base_policy.equities,
            self.base_policy.feature_set,
        )

    def retrained(self, weights: ActionWeights) -> tuple[DecisionTree, ...]:
        """The four trees of `policy`; a leaf without a positive weight keeps its probabilities."""
        found = []
        for model, weight in zip(self.base_policy.models, weights, strict=True):
            positive = np.maximum(weight, 0)
            total = positive.sum(axis=1, keepdims=True)
            chances = np.where(total > 0, positive / np.where(total > 0, total, 1), model.value)
            found.append(model._replace(value=chances.astype(np.float32)))
        return tuple(found)


Abstraction = HandBuckets | TreeLeaves
