"""Shared by all tests: environment variables, equities, and repeatable hypothesis runs."""

import os

from faceup.lab.environment import variables

os.environ.update(variables())

import pytest
from hypothesis import settings

from faceup.cards import equity, features
from faceup.cards.matchups import preflop_wins
from faceup.util.memo import memo

# the same examples every time, no folder of past failures, and no deadline: a first call may
# compile a kernel
settings.register_profile("faceup", deadline=None, derandomize=True, database=None)
settings.load_profile("faceup")


@pytest.fixture(scope="session")
def equities():
    """The four streets' StreetTables, preflop first, for `hand`, too: 1 GB, 15 seconds once."""
    found = memo(equity.all_equities.__wrapped__)
    equity.all_equities = features.all_equities = lambda: found
    return found


@pytest.fixture(scope="session")
def all_in_wins():
    """All-in wins of every two starting hands before the flop, (169, 169): 10 seconds once."""
    return memo(preflop_wins)
