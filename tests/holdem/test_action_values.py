"""Values of actions against brute force over all pairs of hands."""

import numpy as np
from games import BOARD, SMALL, RandomPolicy, node_reach, node_values, pair_outcomes

from faceup.holdem.action_values import action_values
from faceup.holdem.rules import DECISION
from faceup.holdem.tree import children


def test_values_equal_brute_force_and_a_decision_is_worth_the_mean_of_its_actions():
    mine, theirs = RandomPolicy(SMALL, 1), RandomPolicy(SMALL, 2)
    found = action_values(SMALL, mine, theirs, BOARD)
    apart = ~np.isnan(pair_outcomes(BOARD)[1])
    for player, seats in enumerate(((mine, theirs), (theirs, mine))):
        holes, value = node_values(SMALL, seats, BOARD)
        reach = node_reach(SMALL, seats, BOARD, holes)
        np.testing.assert_allclose(found.value[player][:, holes], value[player], rtol=2e-4, atol=2.0)
        np.testing.assert_allclose(found.own[player][:, holes], reach[player], rtol=1e-4)
        np.testing.assert_allclose(found.others[player][:, holes], reach[1 - player] @ apart, rtol=1e-4, atol=1e-4)
    for node in np.flatnonzero(SMALL.kind == DECISION):
        below = children(SMALL, node)
        mixed = (found.share[below] * found.value[SMALL.actor[node], below]).sum(axis=0)
        np.testing.assert_allclose(found.value[SMALL.actor[node], node], mixed, rtol=1e-4, atol=1e-2)
        np.testing.assert_allclose(found.share[below].sum(axis=0), 1, rtol=1e-4)
