"""Shared by all tests: the equity tables, made once, and repeatable hypothesis runs."""

import pytest
from hypothesis import settings

from faceup.cards.equity import all_tables
from faceup.cards.matchups import preflop_wins

# the same examples every time, no folder of past failures, and no deadline: a first call may compile a kernel
settings.register_profile("faceup", deadline=None, derandomize=True, database=None)
settings.load_profile("faceup")


@pytest.fixture(scope="session")
def tables():
    """The four streets' StreetTables, preflop first; about 15 seconds and 1 GB on two cores."""
    return all_tables()


@pytest.fixture(scope="session")
def all_in_wins():
    """All-in wins of every two starting hands before the flop, (169, 169); about 10 seconds on two cores."""
    return preflop_wins()
