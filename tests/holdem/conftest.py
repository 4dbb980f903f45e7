"""Shared by the tests of matches: coarse groups of hands, and two sides of different bet sizes."""

import pytest
from random_tables import MINE, THEIRS

from faceup.holdem.play.match_tree import make_sides
from faceup.holdem.solve.groups import Grid, make_groups


@pytest.fixture(scope="session")
def groups(tables):
    """A few groups of hands on flop and turn."""
    return make_groups(tables[1], tables[2], Grid(5, 1, ()), Grid(4, 1, ()))


@pytest.fixture(scope="session")
def sides():
    """The match trees of both menus, and each one's own."""
    return make_sides(MINE, THEIRS)
