"""Groups of hands whose features round to the same cells: by fractions, on a few boards and over all of them."""

from fractions import Fraction
from math import floor

import numpy as np
import pytest

from faceup.cards.cards import HOLE_CARDS, canonical_boards
from faceup.cards.equity import BOARD_CARDS, UNITS
from faceup.holdem.solve.groups import Grid, free_by_board, make_groups, street_groups


def cell(value, unit, cells):
    """The nearest multiple of 1 / cells, halves up."""
    return floor(cells * Fraction(int(value), int(unit)) + Fraction(1, 2))


def cells_of(street, table, grid, board, hole):
    """All that a hand is grouped by, in order."""
    later = [(deciles[board, hole, d - 1], street + k) for k, deciles in enumerate(table.deciles, 1) for d in grid.deciles]
    decided = [cell(value, UNITS[at], grid.decile_cells) for value, at in later]
    return (cell(table.equity[board, hole], UNITS[street], grid.equity_cells), *decided)


@pytest.mark.parametrize("street", [1, 2])
@pytest.mark.parametrize("grid", [Grid(4, 1, ()), Grid(20, 10, (2, 8)), Grid(50, 20, (3, 6, 8))])
def test_hands_share_a_group_where_all_their_cells_are_the_same(tables, street, grid):
    ids, n = street_groups(street, tables[street], grid)
    assert ids.dtype == np.int32 and set(np.unique(ids)) == {-1, *range(n)}
    rng, found = np.random.default_rng(street), {}
    for board, hole in zip(rng.integers(0, len(ids), 3000), rng.integers(0, 1326, 3000), strict=True):
        if ids[board, hole] >= 0:
            cells = cells_of(street, tables[street], grid, board, hole)
            assert found.setdefault(cells, ids[board, hole]) == ids[board, hole]
    assert len(set(found.values())) == len(found)
    assert [found[cells] for cells in sorted(found)] == sorted(found.values())  # numbered in order of the cells


@pytest.mark.parametrize("street", [1, 2])
def test_blocked_holes_have_no_group(tables, street):
    boards = canonical_boards(BOARD_CARDS[street]).cards
    free = free_by_board(street)
    for b in range(0, len(boards), 131):
        assert (free[b] == [not set(hole) & set(boards[b].tolist()) for hole in HOLE_CARDS.tolist()]).all()
    ids, _ = street_groups(street, tables[street], Grid(10, 5, (5,)))
    assert ((ids >= 0) == free).all()


def test_both_streets_together(tables):
    groups = make_groups(tables[1], tables[2], Grid(10, 5, (5,)), Grid(20, 10, (3, 8)))
    assert groups.n_groups == (169, groups.flop.max() + 1, groups.turn.max() + 1, 1981)
