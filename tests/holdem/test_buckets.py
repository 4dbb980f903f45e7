"""Buckets of hands by rounded features and by k-means; the earth mover's distance."""

from fractions import Fraction
from functools import partial
from math import floor

import numpy as np
import pytest
from scipy.stats import wasserstein_distance

from faceup.cards.cards import BOARD_CARDS, HOLE_CARDS, canonical_boards
from faceup.cards.clusters import fit_centers, nearest_centers
from faceup.cards.equity import UNITS
from faceup.holdem.buckets import Grid, cluster_buckets, make_buckets
from faceup.util.rng import rng


def cells_of(street, table, grid, board, hole):
    """All that a hand is grouped by, in order: nearest multiples of 1 / cells, halves up."""
    told = [(table.equity[board, hole], street, grid.equity_cells)]
    later = [(deciles[board, hole], street + k) for k, deciles in enumerate(table.deciles, 1)]
    told += [(values[d - 1], at, grid.decile_cells) for values, at in later for d in grid.deciles]
    return tuple(
        floor(cells * Fraction(int(value), int(UNITS[at])) + Fraction(1, 2))
        for value, at, cells in told
    )


def check_ids(street, ids, n):
    """All buckets occur, and blocked holes have none."""
    assert set(np.unique(ids)) == set(range(-1, n))
    boards = canonical_boards(BOARD_CARDS[street]).cards[::60]
    assert np.array_equal(
        ids[::60] < 0, (HOLE_CARDS[:, :, None] == boards[:, None, None]).any(axis=(2, 3))
    )


GRIDS = [Grid(4, 1, ()), Grid(20, 10, (2, 8)), Grid(50, 20, (3, 6, 8))]


@pytest.mark.parametrize("grids", list(zip(GRIDS, GRIDS[1:] + GRIDS[:1], strict=True)))
def test_hands_share_a_group_where_all_their_cells_are_the_same(equities, grids):
    buckets = make_buckets(equities[1], equities[2], *grids)
    assert (buckets.n_buckets[0], buckets.n_buckets[3]) == (169, 1981)
    for street, ids, grid in zip((1, 2), buckets[:2], grids, strict=True):
        check_ids(street, ids, buckets.n_buckets[street])
        rng, found = np.random.default_rng(street), {}
        for board, hole in zip(
            rng.integers(0, len(ids), 3000), rng.integers(0, 1326, 3000), strict=True
        ):
            if ids[board, hole] >= 0:
                cells = cells_of(street, equities[street], grid, board, hole)
                assert found.setdefault(cells, ids[board, hole]) == ids[board, hole]
        in_order = [found[cells] for cells in sorted(found)]
        assert in_order == sorted(set(in_order))  # numbered in order of the cells


def test_every_hand_joins_its_nearest_center(equities):
    """No hand is nearer to another bucket's mean than to its own's, but for the sample's luck."""
    buckets, distance = cluster_buckets(
        equities[1], equities[2], (12, 9), sample=4000, steps=30, stream=partial(rng, 6, "test")
    )
    assert buckets.n_buckets == (169, 12, 9, 1981)
    for street, ids, far in zip((1, 2), buckets[:2], distance, strict=True):
        check_ids(street, ids, n := buckets.n_buckets[street])
        free = ids[::60] >= 0
        hands, bucket = equities[street].deciles[-1][::60][free] / UNITS[3], ids[::60][free]
        means = np.array([hands[bucket == k].mean(axis=0) for k in range(n)])
        squared = ((hands[:, None] - means) ** 2).mean(axis=2)
        own = squared[np.arange(len(hands)), bucket]
        assert (own <= squared.min(axis=1) + 1e-3).mean() > 0.95
        assert np.sqrt(own.mean()) == pytest.approx(far, rel=0.1)


def test_the_distance_is_between_histograms():
    """Mass moves in order of the values, at a squared distance; SciPy's is the lower bound."""
    rng = np.random.default_rng(1)
    rows, centers = (np.sort(rng.random((n, 10)), axis=1) for n in (50, 7))
    for row, j, squared in zip(rows, *nearest_centers(rows, centers), strict=True):
        moved = [((row - center) ** 2).sum() for center in centers]
        assert j == np.argmin(moved) and squared == pytest.approx(min(moved), rel=1e-5)
        assert wasserstein_distance(row, centers[j]) <= np.sqrt(squared / 10) + 1e-6


def test_centers_are_means():
    """Of all rows together, or of rows that lie far apart."""
    rows = np.random.default_rng(3).random((7, 2)).astype(np.float32)
    (mean,) = fit_centers(rows, 1, 50, np.random.default_rng(0))
    assert mean == pytest.approx(rows.mean(axis=0), rel=1e-5)
    two = fit_centers(np.concatenate([rows, rows + 9]), 2, 50, np.random.default_rng(0))
    assert two[two[:, 0].argsort()] == pytest.approx(np.stack([mean, mean + 9]), rel=1e-5)
