"""Shared by the tests of matches: coarse groups of hands."""

import pytest

from faceup.holdem.groups import Grid, make_groups


@pytest.fixture(scope="session")
def groups(tables):
    """A few groups of hands on flop and turn."""
    return make_groups(tables[1], tables[2], Grid(5, 1, ()), Grid(4, 1, ()))
