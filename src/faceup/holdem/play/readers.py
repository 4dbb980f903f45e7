"""Strategies at a table of real dollars, with all of their hands at once: what a local best response asks (solve).

A strategy on a betting tree reads sizes that the tree has not by chance (betting/translation); what it may have read is
a view, the node. Models that read dollars have one view only.
"""

from collections.abc import Sequence

import numpy as np

from faceup.cards.equity import StreetTable
from faceup.cards.features import betting_features, board_features, check_history
from faceup.holdem.betting.betting_tree import CALL, DECISION, BettingState, BettingTree, Menu, menu_labels, offered
from faceup.holdem.betting.translation import child, children, legal_action, read_raise
from faceup.holdem.solve.local_best_response import Move, View
from faceup.holdem.solve.policy import Policy, Predict


class TableReader:
    """A policy on a betting tree."""

    SCRATCH = ("_known",)

    def __init__(self, tree: BettingTree, policy: Policy):
        """policy: answers for the tree's nodes."""
        self.tree, self.policy = tree, policy
        self._known: dict[int, tuple[tuple[int, ...], np.ndarray]] = {}  # the last board's probabilities on each street

    def hear(self, view: View, state: BettingState, move: Move) -> list[tuple[View, float]]:
        """See `Reader`: the nodes as which a raise may be read."""
        if self.tree.kind[view] != DECISION:
            return [(view, 1.0)]
        if move[0] == "raise":
            return read_raise(self.tree, view, state, move[1])
        return [(child(self.tree, view, CALL), 1.0)]

    def act(self, view: View, state: BettingState, board: list[int]) -> list[tuple[Move, View, np.ndarray]]:
        """See `Reader`. Where the tree has the players all-in and dollars are left, it checks and calls."""
        if self.tree.kind[view] != DECISION:
            return [(("call", 0), view, np.ones(1326))]
        start = int(self.tree.street_start[state.street])
        rows = self._rows(state.street, board)
        labels = self.tree.labels
        return [(legal_action(labels[self.tree.label[c]], state), c, rows[c - start]) for c in children(self.tree, view)]

    def _rows(self, street: int, board: list[int]) -> np.ndarray:
        """Probabilities of a street's actions for each hole, (width, 1326)."""
        if street not in self._known or self._known[street][0] != tuple(board):
            table, row_of_hole = self.policy.street(street, board)
            self._known[street] = tuple(board), np.ascontiguousarray(table.T[:, row_of_hole])
        return self._known[street][1]


class DollarReader:
    """Four models, one a round, that read the opponent's dollars as they are and raise by the sizes of a menu."""

    SCRATCH = ("_known",)

    def __init__(self, menu: Menu, predict: Sequence[Predict], tables: tuple[StreetTable, ...], history: str = "opponent"):
        """predict, history: as in `ModelPolicy`."""
        self.history = check_history(history)
        self.menu, self.labels, self.predict, self.tables = menu, menu_labels(menu), predict, tables
        self._known: dict[int, tuple[tuple[int, ...], np.ndarray, np.ndarray]] = {}

    def hear(self, view: View, state: BettingState, move: Move) -> list[tuple[View, float]]:
        """See `Reader`: all is in the dollars."""
        return [(view, 1.0)]

    def act(self, view: View, state: BettingState, board: list[int]) -> list[tuple[Move, View, np.ndarray]]:
        """See `Reader`: probabilities of legal labels, renormalised; if nothing is left, check or call."""
        actions = offered(state, self.menu, self.labels)
        p = self._labels(state, board)[:, [label for label, _, _ in actions]]
        total = p.sum(axis=1)
        called = np.array([label == CALL for label, _, _ in actions], dtype=np.float64)
        p = np.where(total[:, None] > 1e-9, p / np.maximum(total, 1e-9)[:, None], called)
        return [((action, amount), view, p[:, k]) for k, (_, action, amount) in enumerate(actions)]

    def _labels(self, state: BettingState, board: list[int]) -> np.ndarray:
        """What a round's model says of each hole, (1326, n_labels); hands with the same features are asked once."""
        street = state.street
        if street not in self._known or self._known[street][0] != tuple(board):
            hands, row = np.unique(board_features(street, self.tables[street], board), axis=0, return_inverse=True)
            self._known[street] = tuple(board), hands, row.reshape(-1)
        _, hands, row = self._known[street]
        told = betting_features(np.array([state.bets]), np.array([state.actor]), self.history)
        x = np.hstack([hands.astype(np.float32), np.repeat(told, len(hands), axis=0)])
        return self.predict[street](x).astype(np.float64)[row]
