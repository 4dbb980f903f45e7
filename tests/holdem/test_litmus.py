"""The litmus test: a player who always checks or calls fails it wholly, one made to pass passes it."""

import numpy as np
import pytest

from faceup.cards.equity import UNITS
from faceup.holdem.litmus import litmus, never_met
from faceup.holdem.match import random_boards
from faceup.holdem.policy import FixedPolicy, river_equities
from faceup.holdem.rules import CALL, FOLD, menu_from
from faceup.holdem.tree import build_tree, children, decisions
from faceup.lab.rng import rng

TREE = build_tree(menu_from([[]], [[]], [[]], [[1], []]))
ROYAL = [51, 47, 43, 39, 1], [50, 46, 42, 38, 0]  # A K Q J of one suit and a two: only the ten makes what nothing beats
BOARDS = [*random_boards(5, rng(1, "test")).tolist(), *ROYAL]


class Sensible:
    """Bets what nothing beats, folds weak hands, else calls a bet of the pot half the time and all-in never."""

    def __init__(self, suit: float = 0):
        self.suit = suit  # how much more often hole 2c2d, number 0, bets

    def street(self, street, board, wanted=None):
        start, end = TREE.street_start[street : street + 2]
        rows = np.zeros((UNITS[3] + 2, end - start))
        for node in decisions(TREE, street):
            below, labels = np.array(children(TREE, node)) - start, TREE.label[children(TREE, node)]
            rows[:, below[labels == CALL]] = 1
            if street == 3:
                bet, fold = below[-1] if labels[-1] > CALL else below[labels == CALL][0], labels[0] == FOLD
                rows[:, below] = np.eye(len(below))[0 if fold else list(labels).index(CALL)]
                if fold and TREE.labels[TREE.label[node]] == "raise_1":
                    rows[200:, below[0]], rows[200:, below[labels == CALL]] = 0.5, 0.5
                rows[UNITS[3] :, below], rows[UNITS[3] :, bet] = 0, 1
        row = river_equities(board) if street == 3 else np.zeros(1326, dtype=np.int32)
        rows[-1] = rows[0] * (1 - self.suit) + self.suit / max(end - start, 1)
        row[0] = UNITS[3] + 1 if self.suit and street < 3 else row[0]
        return rows.astype(np.float32), row


def test_a_calling_player_checks_the_nuts_and_calls_with_nothing():
    found = litmus(TREE, FixedPolicy(TREE, CALL), BOARDS)
    assert found.nuts_checked == (100, 100) and found.air_called == (100, 100)
    assert found.larger_called == (0, 0) and found.twins == 0


def test_sensible_play_passes_and_what_depends_on_suits_is_found():
    found = litmus(TREE, Sensible(), BOARDS)
    assert found.nuts_checked == (0, 0) and found.air_called == (0, 0) and found.larger_called == (0, 0) and found.twins == 0
    assert litmus(TREE, Sensible(0.2), BOARDS).twins > 1


def test_a_player_who_calls_all_in_more_than_a_smaller_bet_is_found():
    class Brave(Sensible):
        def street(self, street, board, wanted=None):
            rows, row = super().street(street, board)
            for node in decisions(TREE, 3) if street == 3 else []:
                below = np.array(children(TREE, node)) - TREE.street_start[3]
                if TREE.labels[TREE.label[node]] == "all_in":
                    rows[:, below] = TREE.label[children(TREE, node)] == CALL
            return rows, row

    found = litmus(TREE, Brave(), BOARDS)
    assert found.larger_called[1] > 40 and found.air_called == (100, 100) and found.nuts_checked == (0, 0)


def test_infosets_that_play_all_actions_alike_are_counted():
    tables = [np.repeat(FixedPolicy(TREE, None).street(s, [])[0], 4, axis=0) for s in range(4)]
    assert never_met(TREE, tables) == [100] * 4
    tables[3][:2] = FixedPolicy(TREE, CALL).street(3, [])[0]
    assert never_met(TREE, tables) == [100, 100, 100, pytest.approx(50)]
