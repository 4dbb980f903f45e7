"""Buckets of strategically similar hands: an abstraction of the cards.

Preflop the buckets are the 169 starting hands and on the river the 1,981 exact equities, which
loses nothing of the paper's river features; flop and turn need fewer buckets than there are hands.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from faceup.cards.cards import (
    BOARD_CARDS,
    CLASS_OF_HOLE,
    HOLE_CARDS,
    N_CLASSES,
    N_HOLES,
    PERMUTED_HOLES,
    canonical,
    canonical_boards,
    free_holes_of,
)
from faceup.cards.clusters import fit_centers, nearest_centers
from faceup.cards.equity import UNITS, StreetEquities, fill_river_equity
from faceup.util.rng import Stream

N_RIVER_BUCKETS = UNITS[3] + 1


class Grid(NamedTuple):
    """Rounding of a street's features: cells in the unit interval, and the deciles (1..10) used."""

    equity_cells: int
    decile_cells: int
    deciles: tuple[int, ...]


class Buckets(NamedTuple):
    """Bucket of each (canonical board, hole) on the flop and the turn, -1 where the board blocks
    the hole.
    """

    flop: np.ndarray  # (1755, 1326) int32
    turn: np.ndarray  # (16432, 1326) int32
    n_buckets: tuple[int, int, int, int]  # 169, flop, turn, 1981


def make_buckets(
    flop: StreetEquities, turn: StreetEquities, flop_grid: Grid, turn_grid: Grid
) -> Buckets:
    """Buckets by the grids of flop and turn, numbered in order of their cells."""
    flop_ids, n_flop = street_buckets(1, flop, flop_grid)
    turn_ids, n_turn = street_buckets(2, turn, turn_grid)
    return Buckets(flop_ids, turn_ids, (N_CLASSES, n_flop, n_turn, N_RIVER_BUCKETS))


def street_buckets(street: int, table: StreetEquities, grid: Grid) -> tuple[np.ndarray, int]:
    """Bucket ids of a street's holes, (n_boards, 1326) int32 with -1 for blocked ones, and how many
    buckets there are.
    """
    free = _free(street)
    features = [(table.equity, UNITS[street], grid.equity_cells)]
    for later, deciles in enumerate(table.deciles, start=street + 1):
        features += [(deciles[..., d - 1], UNITS[later], grid.decile_cells) for d in grid.deciles]
    ids, key = np.full(free.shape, -1, dtype=np.int32), np.zeros(free.sum(), dtype=np.int64)
    for values, unit, cells in features:
        # nearest multiple of 1 / cells, halves up
        cell = (2 * cells * values[free].astype(np.int64) + unit) // (2 * unit)
        key = key * (cells + 1) + cell
        # renumber the keys that occur, in their order
        key = (np.cumsum(np.bincount(key) > 0) - 1)[key]
    ids[free] = key
    return ids, int(key.max()) + 1


def hole_buckets(buckets: Buckets, street: int, board: Sequence[int] | np.ndarray) -> np.ndarray:
    """Bucket of each of the 1,326 holes on a board, int32; blocked holes get bucket 0."""
    if street == 0:
        return CLASS_OF_HOLE.astype(np.int32)
    if street == 3:
        return river_equities(board)
    row, permutation = canonical(board)
    ids = (buckets.flop if street == 1 else buckets.turn)[row][PERMUTED_HOLES[permutation]]
    return np.maximum(ids, 0)


def river_equities(board: Sequence[int] | np.ndarray) -> np.ndarray:
    """2 * wins + ties of each hole on a river board, 0..1980, (1326,) int32."""
    equity = np.zeros(N_HOLES, dtype=np.int32)
    fill_river_equity(np.asarray(board, dtype=np.int64), equity)
    return equity


def _free(street: int) -> np.ndarray:
    """Which holes share no card with each canonical board of a street, (n_boards, 1326) bool."""
    return free_holes_of(canonical_boards(BOARD_CARDS[street]).cards)


def cluster_buckets(
    flop: StreetEquities,
    turn: StreetEquities,
    sizes: tuple[int, int],
    sample: int,
    steps: int,
    stream: Stream,
) -> tuple[Buckets, tuple[float, float]]:
    """k-means buckets of flop and turn hands by the deciles of their river equity, and the root
    mean square distance of a hand from its center on each street, in equity.

    sizes: buckets of flop and turn; sample: hands that the centers are fitted to, drawn as often as
    they are dealt; steps: of Lloyd's algorithm. All hands then join the nearest center. Preflop and
    river are as in `make_buckets`.
    """
    generator, ids, far = stream(), [], []
    for street, table, k in ((1, flop, sizes[0]), (2, turn, sizes[1])):
        deciles = table.deciles[-1]  # of river equity
        rows = _sampled(street, deciles, sample, generator)
        centers = fit_centers(rows, k, steps, generator)
        far.append(
            float(np.sqrt(nearest_centers(rows, centers)[1].mean(dtype=np.float64) / rows.shape[1]))
        )
        joined = np.empty(deciles.shape[:2], dtype=np.int32)
        # boards: what is read at once from a file that is mapped into memory
        for first in range(0, len(joined), 256):
            part = deciles[first : first + 256] / np.float32(UNITS[3])
            joined[first : first + 256] = nearest_centers(part.reshape(-1, part.shape[2]), centers)[
                0
            ].reshape(part.shape[:2])
        ids.append(np.where(_free(street), joined, np.int32(-1)))
    return Buckets(ids[0], ids[1], (N_CLASSES, *sizes, N_RIVER_BUCKETS)), (far[0], far[1])


def _sampled(
    street: int, deciles: np.ndarray, n: int, generator: np.random.Generator
) -> np.ndarray:
    """Decile rows of n hands as they are dealt, as equities from 0 to 1, (n, 10) float32; deciles
    (n_boards, 1326, 10).
    """
    boards = canonical_boards(BOARD_CARDS[street])
    picked = generator.choice(
        len(boards.keys), 2 * n, p=boards.multiplicity / boards.multiplicity.sum()
    )
    holes = generator.integers(0, len(HOLE_CARDS), 2 * n)
    # four in five are free, so that 2 n hold n
    kept = np.flatnonzero(_free(street)[picked, holes])[:n]
    return deciles[picked[kept], holes[kept]] / np.float32(UNITS[3])
