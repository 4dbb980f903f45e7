"""What a learner sees on turn and river: levels of equity, or the leaves of decision trees."""

from functools import partial
from typing import Protocol

import numpy as np

from faceup.cards.equity import UNITS, StreetTable
from faceup.cards.features import board_features
from faceup.holdem.betting.betting_tree import BettingTree
from faceup.holdem.safe.infosets import N_LEVELS, Infosets, Seen, equity_levels, make_infosets, strategy_rows
from faceup.holdem.solve.groups import Groups, hole_groups
from faceup.holdem.solve.policy import ModelPolicy, Policy, TablePolicy, histories
from faceup.trees.decision_tree import DecisionTree, leaf_of, predict

Weights = tuple[np.ndarray, np.ndarray]  # of turn and river, (infosets, labels) float32


class Learner(Protocol):
    """Who can learn on turn and river."""

    river: Seen

    def turn(self, board: list[int]) -> Seen:
        """The turn on a board of four cards; infosets are as many and mean the same on each board."""
        ...

    def policy(self, weights: Weights) -> Policy:
        """A whole strategy, which acts in proportion to weights on turn and river."""
        ...


class Levels:
    """A learner that sees groups on the turn and levels of equity on the river, at each decision by itself."""

    def __init__(self, tree: BettingTree, trunk: TablePolicy, turn_ids: np.ndarray, river_levels: int):
        """turn_ids (16432, 1326): groups on the turn, as in `Groups`. Raises ValueError as `equity_levels`."""
        self.made_from = (tree, trunk, turn_ids, river_levels)
        preflop, flop, _, river = trunk.groups.n_groups
        self.tree, self.trunk = tree, trunk
        self.groups = Groups(trunk.groups.flop, turn_ids, (preflop, flop, int(turn_ids.max()) + 1, river))
        self.river = Seen(equity_levels(river_levels), make_infosets(tree, 3, river_levels))
        self._turn = make_infosets(tree, 2, self.groups.n_groups[2])

    def turn(self, board: list[int]) -> Seen:
        """As in `Learner`."""
        return Seen(hole_groups(self.groups, 2, board), self._turn)

    def policy(self, weights: Weights) -> TablePolicy:
        """The trunk, and play in proportion to the weights from the turn on."""
        turn = strategy_rows(self.tree, 2, Seen(np.arange(self.groups.n_groups[2]), self._turn), weights[0])
        river = strategy_rows(self.tree, 3, self.river, weights[1])
        return TablePolicy((*self.trunk.tables[:2], turn, river), self.groups)


class Leaves:
    """A learner that sees the leaves of decision trees, of one on each street: what it learns are their answers."""

    def __init__(
        self, tree: BettingTree, models: tuple[DecisionTree, ...], tables: tuple[StreetTable, ...], history: str = "opponent"
    ):
        """models: four trees, one a street; tables, history: as in `ModelPolicy`."""
        self.made_from = (tree, models, tables, history)
        self.tree, self.models, self.tables, self.history = tree, models, tables, history
        self._told = [histories(tree, street, history) for street in (2, 3)]
        self._situation = [np.full(len(tree.kind), -1, dtype=np.int32) for _ in range(2)]
        for told, situation in zip(self._told, self._situation, strict=True):
            situation[told.nodes] = told.history
        self.river = self._seen(3, np.arange(N_LEVELS, dtype=np.float32)[:, None] / np.float32(UNITS[3]))

    def turn(self, board: list[int]) -> Seen:
        """As in `Learner`."""
        return self._seen(2, board_features(2, self.tables[2], board))

    def _seen(self, street: int, hands: np.ndarray) -> Seen:
        """Hands (n, n_hand_features) that come to the same leaf at all decisions share a row."""
        told, model = self._told[street - 2].told, self.models[street]
        distinct, where = np.unique(hands, axis=0, return_inverse=True)
        leaves = np.empty((len(distinct), len(told)), dtype=np.int32)
        for k, line in enumerate(told):
            leaves[:, k] = leaf_of(model, np.hstack([distinct, np.tile(line, (len(distinct), 1))]))
        of, row = np.unique(leaves, axis=0, return_inverse=True)
        rows = row.reshape(-1)[where.reshape(-1)].astype(np.int32)
        return Seen(rows, Infosets(np.ascontiguousarray(of), self._situation[street - 2], len(model.feature)))

    def weights(self) -> Weights:
        """Weights that play as the trees do now."""
        return self.models[2].value, self.models[3].value

    def policy(self, weights: Weights) -> ModelPolicy:
        """The trees, with answers on turn and river in proportion to positive weights; leaves without any keep theirs."""
        return ModelPolicy(self.tree, [partial(predict, model) for model in self.solved(weights)], self.tables, self.history)

    def solved(self, weights: Weights) -> tuple[DecisionTree, ...]:
        """The four trees of `policy`."""
        answered = (_answered(model, weight) for model, weight in zip(self.models[2:], weights, strict=True))
        return *self.models[:2], *answered


def _answered(model: DecisionTree, weights: np.ndarray) -> DecisionTree:
    positive = np.maximum(weights, 0)
    total = positive.sum(axis=1, keepdims=True)
    return model._replace(value=np.where(total > 0, positive / np.where(total > 0, total, 1), model.value).astype(np.float32))
