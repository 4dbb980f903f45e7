"""Values of actions against brute force over all pairs of hands."""

import numpy as np
import pytest
from games import BOARD, SMALL, RandomPolicy, node_reach, node_values

from faceup.holdem.betting.betting_tree import CALL, DECISION, children
from faceup.holdem.play.match import Table
from faceup.holdem.solve.action_values import action_values
from faceup.holdem.solve.policy import FixedPolicy


def test_values_equal_brute_force():
    mine, theirs = RandomPolicy(SMALL, 1), RandomPolicy(SMALL, 2)
    found = action_values(SMALL, mine, theirs, BOARD)
    for player in range(2):
        seats = (mine, theirs) if player == 0 else (theirs, mine)
        holes, value = node_values(SMALL, seats, BOARD)
        np.testing.assert_allclose(found.value[player][:, holes], value[player], rtol=2e-4, atol=2.0)
        np.testing.assert_allclose(found.own[player][:, holes], node_reach(SMALL, seats, BOARD, holes)[player], rtol=1e-4)


def test_the_root_is_worth_what_the_match_says():
    mine, theirs = RandomPolicy(SMALL, 1), FixedPolicy(SMALL, CALL)
    found = action_values(SMALL, mine, theirs, BOARD)
    seats = [found.value[p, 0].sum() / (found.own[p, 0] @ found.others[p, 0]) for p in range(2)]
    table = Table(SMALL, [mine, theirs]).play(BOARD)
    assert seats == pytest.approx([table[0, 1], -table[1, 0]], rel=1e-3)


def test_a_decision_is_worth_the_mean_of_its_actions():
    found = action_values(SMALL, RandomPolicy(SMALL, 1), RandomPolicy(SMALL, 2), BOARD)
    for node in np.flatnonzero(SMALL.kind == DECISION):
        below = children(SMALL, node)
        mixed = (found.share[below] * found.value[SMALL.actor[node], below]).sum(axis=0)
        np.testing.assert_allclose(found.value[SMALL.actor[node], node], mixed, rtol=1e-4, atol=1e-2)
        np.testing.assert_allclose(found.share[below].sum(axis=0), 1, rtol=1e-4)
