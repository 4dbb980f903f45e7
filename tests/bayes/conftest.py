"""Shared by the tests of the Bayesian player: the limit tree's moves, and counts of deals on some boards."""

import numpy as np
import pytest

from faceup.bayes.enumeration import joint_odds
from faceup.bayes.strategies import FINE, make_moves
from faceup.holdem.tree import limit_tree


@pytest.fixture(scope="session")
def moves():
    """What the eight current strategies do on the limit tree."""
    return make_moves(limit_tree())


@pytest.fixture(scope="session")
def counts(tables):
    """Deals on 200 random boards in FINE bins: enough to fill nearly all of them."""
    boards = np.array([np.random.default_rng([1, k]).permutation(52)[:5] for k in range(200)])
    return joint_odds(tables, FINE, boards)
