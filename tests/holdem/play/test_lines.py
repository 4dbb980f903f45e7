"""Habits against sums that need no sweep."""

import numpy as np
import pytest
from games import PUSH, SMALL, RandomPolicy, node_reach, pair_outcomes

from faceup.holdem.betting.betting_tree import DECISION
from faceup.holdem.play.lines import habits
from faceup.holdem.solve.policy import FixedPolicy

BOARD = [9, 24, 34, 51, 3]


def test_habits_equal_brute_force(tables):
    policy = RandomPolicy(SMALL, 3)
    found = habits(SMALL, policy, tables, [BOARD])
    holes, outcome = pair_outcomes(BOARD)
    reach = node_reach(SMALL, (policy, policy), BOARD, holes)
    possible = ~np.isnan(outcome)
    for node in np.flatnonzero(SMALL.kind == DECISION):
        here = reach[0, node] @ possible @ reach[1, node] / possible.sum()
        assert found.reach[node].sum() == pytest.approx(here, rel=1e-4)
        below = slice(SMALL.first_child[node], SMALL.first_child[node] + SMALL.n_children[node])
        np.testing.assert_allclose(found.taken[below].sum(axis=0), found.reach[node], rtol=1e-4, atol=1e-9)


def test_who_looks_at_no_card_acts_alike_in_every_bin(tables):
    found = habits(PUSH, FixedPolicy(PUSH, None), tables, [BOARD], n_bins=4)
    share = found.taken[1] / found.reach[0]
    np.testing.assert_allclose(share, 1 / PUSH.n_children[0], rtol=1e-5)
    assert found.reach[0] == pytest.approx(np.full(4, 0.25), abs=0.002)


@pytest.mark.parametrize(("boards", "bins"), [([], 5), ([BOARD], 1)])
def test_no_boards_and_one_bin_are_refused(tables, boards, bins):
    with pytest.raises(ValueError, match="bins"):
        habits(SMALL, FixedPolicy(SMALL, None), tables, boards, bins)
