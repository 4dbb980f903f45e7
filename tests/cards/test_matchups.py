"""Who wins when all cards come, against phevaluator and the equity tables."""

import numpy as np
import pytest
from games import pair_outcomes

from faceup.cards.cards import CLASS_NAMES, CLASS_OF_HOLE
from faceup.cards.matchups import RUNOUTS_FLOP, RUNOUTS_PREFLOP, class_wins, edges, flop_wins

ACES, KINGS = CLASS_NAMES.index("AA"), CLASS_NAMES.index("KK")


def test_wins_on_boards_one_pair_of_holes_after_the_other():
    boards, weights = np.array([[9, 24, 34, 51, 3], [0, 1, 2, 3, 4]]), np.array([3, 1])
    expected = np.zeros((169, 169), dtype=int)
    for board, weight in zip(boards.tolist(), weights, strict=True):
        holes, outcome = pair_outcomes(board)
        np.add.at(expected, np.ix_(CLASS_OF_HOLE[holes], CLASS_OF_HOLE[holes]), weight * (outcome == 1))
    np.testing.assert_array_equal(class_wins(boards, weights), expected)


def test_aces_against_kings(all_in_wins):
    """As every poker calculator has it: 81.95 %, suits averaged."""
    equity = 0.5 + edges(all_in_wins, RUNOUTS_PREFLOP)[ACES, KINGS] / (2 * 36)
    assert equity == pytest.approx(0.8195, abs=1e-4)


def test_a_flop_counts_the_boards_that_may_come():
    """Pairs of aces on three deuces: never behind kings but for the two kings that may come."""
    wins = flop_wins([0, 1, 2])
    assert wins[ACES, KINGS] / (36 * RUNOUTS_FLOP) > 0.9 and wins[ACES, KINGS] + wins[KINGS, ACES] <= 36 * RUNOUTS_FLOP
    np.testing.assert_allclose(edges(wins, RUNOUTS_FLOP), -edges(wins, RUNOUTS_FLOP).T)
