"""The joint distribution of odds and result: known counts, and brute force with phevaluator."""

import os
from itertools import combinations

import numpy as np
import pytest
from games import pair_outcomes

from faceup.cards.cards import BOARD_CARDS
from faceup.cards.equity import UNITS
from faceup.papers.bayes.enumeration import (
    LOSS,
    TIE,
    WIN,
    class_outcomes,
    joint_odds,
    mutual_information,
    odds_bins,
)

# FACTS: unordered within hands and board
DEALS, WINS, TIES = 2_781_381_002_400, 1_334_125_369_292, 113_130_263_816
SPLITS = (1, 10, 5, 1)  # ways in which a river board can have come, by street
BOARDS = int(os.environ.get("FACEUP_BAYES_BOARDS", 2))  # of each brute force; a second each


def test_starting_hands_instead_of_odds(all_in_wins):
    counts = class_outcomes(all_in_wins)
    assert (counts.sum(), counts[..., WIN].sum(), counts[..., TIE].sum()) == (DEALS, WINS, TIES)
    # two pairs of aces meet in one way for each hand
    assert counts[0, 0].sum() == 6 * 1_712_304 and counts.min() > 0


@pytest.mark.slow
def test_all_deals_are_counted(equities):
    counts = joint_odds(equities, 20)
    for street in range(4):
        assert counts[street].sum() == SPLITS[street] * DEALS
        won, lost = (counts[street][..., result].sum() for result in (WIN, LOSS))
        assert won == lost == SPLITS[street] * WINS
        assert counts[street][..., TIE].sum() == SPLITS[street] * TIES
        np.testing.assert_array_equal(counts[street], counts[street].swapaxes(0, 1)[..., ::-1])


def brute_force(hole_equities, board, bins):
    """Counts of one river board, all pairs of holes compared one by one."""
    holes, outcome = pair_outcomes(board)
    # sums are far below 2^53, so exact
    results = [(outcome == won).astype(float) for won in (-1, 0, 1)]
    counts = np.zeros((4, bins, bins, 3), dtype=np.int64)
    for street in range(4):
        for visible in combinations(board, BOARD_CARDS[street]):
            equity = hole_equities(street, visible)[holes] / UNITS[street]
            own = np.eye(bins)[np.minimum(np.floor(equity * bins + 1e-12).astype(int), bins - 1)]
            counts[street] += np.stack([own.T @ r @ own for r in results], axis=2).astype(np.int64)
    return counts


@pytest.mark.parametrize("bins", [7, 10])
def test_random_boards_equal_brute_force(equities, hole_equities, bins):
    boards = np.array([np.random.default_rng([bins, k]).permutation(52)[:5] for k in range(BOARDS)])
    expected = sum(brute_force(hole_equities, board.tolist(), bins) for board in boards)
    np.testing.assert_array_equal(joint_odds(equities, bins, boards), expected)
    assert expected[3].sum() == BOARDS * 1081 * 990


def test_odds_on_an_edge_belong_to_the_higher_bin():
    equities = np.array([0, 197, 198, 395, 396, 1979, 1980])
    assert odds_bins(3, equities, 10).tolist() == [0, 0, 1, 1, 2, 9, 9]


def test_information_of_a_fair_coin_is_one_bit():
    assert mutual_information(np.array([[3, 0], [0, 3]])) == pytest.approx(1)
    assert mutual_information(np.array([[2, 4], [3, 6]])) == pytest.approx(0, abs=1e-12)
