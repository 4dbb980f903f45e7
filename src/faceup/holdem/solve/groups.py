"""Grouping strategically similar hands by rounding their interpretable features (paper 000, Section 2.3.3, point 3).

Two hands share a group where their equity and the chosen deciles of their future equities round to the same cells of a
grid. Preflop the groups are the 169 starting hands and on the river the 1,981 exact equities, which loses nothing of the
paper's river features; flop and turn need the grid.
"""

from typing import NamedTuple

import numpy as np

from faceup.cards.cards import HOLE_CARDS, N_CARDS, canonical_boards
from faceup.cards.equity import BOARD_CARDS, UNITS, StreetTable

N_RIVER_GROUPS = UNITS[3] + 1


class Grid(NamedTuple):
    """How finely a street's features are rounded: cells in the unit interval, and which deciles (1..10) count."""

    equity_cells: int
    decile_cells: int
    deciles: tuple[int, ...]


class Groups(NamedTuple):
    """Group of each (canonical board, hole) on the flop and the turn, -1 where the board blocks the hole."""

    flop: np.ndarray  # (1755, 1326) int32
    turn: np.ndarray  # (16432, 1326) int32
    n_groups: tuple[int, int, int, int]  # 169, flop, turn, 1981


def make_groups(flop: StreetTable, turn: StreetTable, flop_grid: Grid, turn_grid: Grid) -> Groups:
    """Groups of a pair of grids, numbered in order of their cells."""
    flop_ids, n_flop = street_groups(1, flop, flop_grid)
    turn_ids, n_turn = street_groups(2, turn, turn_grid)
    return Groups(flop_ids, turn_ids, (169, n_flop, n_turn, N_RIVER_GROUPS))


def street_groups(street: int, table: StreetTable, grid: Grid) -> tuple[np.ndarray, int]:
    """Group ids of a street's holes, (n_boards, 1326) int32 with -1 for blocked ones, and how many groups there are."""
    free = free_by_board(street)
    features = [(table.equity, UNITS[street], grid.equity_cells)]
    for later, deciles in enumerate(table.deciles, start=street + 1):
        features += [(deciles[..., d - 1], UNITS[later], grid.decile_cells) for d in grid.deciles]
    key, n = np.zeros(free.sum(), dtype=np.int64), 1
    for values, unit, cells in features:
        key, n = _numbered(key * (cells + 1) + _cells(values[free], unit, cells), n * (cells + 1))
    ids = np.full(free.shape, -1, dtype=np.int32)
    ids[free] = key
    return ids, n


def free_by_board(street: int) -> np.ndarray:
    """Which holes share no card with each canonical board of a street, (n_boards, 1326) bool."""
    boards = canonical_boards(BOARD_CARDS[street]).cards
    held = np.zeros((len(boards), N_CARDS), dtype=bool)
    held[np.arange(len(boards))[:, None], boards] = True
    return ~held[:, HOLE_CARDS].any(axis=2)


def _numbered(key: np.ndarray, n: int) -> tuple[np.ndarray, int]:
    """Keys 0..n - 1 counted anew without those that do not occur, in their order, and how many are left."""
    occurs = np.zeros(n, dtype=bool)
    occurs[key] = True
    number = np.cumsum(occurs) - 1
    return number[key], int(number[-1]) + 1


def _cells(values: np.ndarray, unit: int, cells: int) -> np.ndarray:
    """Nearest multiple of 1 / cells of each equity, as a whole number 0..cells; halves go up."""
    return (2 * cells * values.astype(np.int64) + unit) // (2 * unit)
