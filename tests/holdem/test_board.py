"""The sweep over one board against brute force over all pairs of holes."""

import numpy as np
import pytest
from games import BOARD, PUSH, SMALL, RandomPolicy, node_values, pair_outcomes

from faceup.holdem.board import N_PAIRS
from faceup.holdem.match import Table, play_boards, random_boards, result
from faceup.holdem.policy import FixedPolicy

POLICIES = [RandomPolicy(SMALL, 1), RandomPolicy(SMALL, 2)]


def test_exact_match_equals_brute_force():
    wins = Table(SMALL, POLICIES).play(BOARD)
    for i, j in ((0, 1), (1, 0), (0, 0)):
        _, value = node_values(SMALL, (POLICIES[i], POLICIES[j]), BOARD)
        expected = value[0, 0].sum() / N_PAIRS
        assert wins[i, j] == pytest.approx(expected, rel=1e-4, abs=0.05)  # dollars; stakes reach 20,000 in float32


def test_subset_of_holes_equals_brute_force_on_it():
    policies = [RandomPolicy(PUSH, 1), FixedPolicy(PUSH, len(PUSH.labels) - 1)]
    subset = np.random.default_rng(0).random(1326) < 0.05
    _, value = node_values(PUSH, policies, BOARD, subset=subset)
    free, outcome = pair_outcomes(BOARD)
    n_pairs = (~np.isnan(outcome[np.ix_(subset[free], subset[free])])).sum()
    wins = Table(PUSH, policies).play(BOARD, subset)[0, 1]
    assert wins == pytest.approx(value[0, 0].sum() / n_pairs, rel=1e-4, abs=1e-2)


def test_an_agent_against_itself_wins_nothing_and_seats_swap():
    values = play_boards(Table(SMALL, POLICIES), random_boards(3, np.random.default_rng(7)))
    assert result(values, 0, 0).mbb == 0
    assert result(values, 0, 1).mbb == -result(values, 1, 0).mbb


def test_known_policies():
    """Always-call against always all-in is even over both seats; who folds to all-in loses 75 cents of a blind on average."""
    fold, call, jam = FixedPolicy(SMALL, 0), FixedPolicy(SMALL, 1), FixedPolicy(SMALL, len(SMALL.labels) - 1)
    values = play_boards(Table(SMALL, [fold, call, jam]), random_boards(2, np.random.default_rng(3)))
    assert result(values, 1, 2).mbb == pytest.approx(0, abs=1e-2)
    assert result(values, 0, 2).mbb == pytest.approx(-750, rel=1e-5)
