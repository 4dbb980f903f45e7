"""k-means under earth mover's distance: distances by SciPy, medians and best partitions by brute force."""

from itertools import product

import numpy as np
import pytest
from scipy.stats import wasserstein_distance

from faceup.cards.cards import HOLE_CARDS, canonical_boards
from faceup.cards.equity import BOARD_CARDS, UNITS
from faceup.holdem.solve.groups import assign, cluster_groups, fit_clusters, sampled_rows, weighted_medians


def cost_of(rows, weights, labels):
    """Weighted L1 distance to the best centre of each part, the centre's coordinates tried one value after the other."""
    total = 0
    for part in set(labels):
        mine, heavy = rows[np.array(labels) == part], weights[np.array(labels) == part]
        total += sum(min(heavy @ np.abs(column - x) for x in column) for column in mine.T)
    return total


def test_distance_is_the_earth_movers(tables):
    rows, _ = sampled_rows(1, tables[1].deciles[-1], 60, seed=1)
    for row, j, moved in zip(rows, *assign(rows, rows[:7]), strict=True):
        work = [wasserstein_distance(row, centre) for centre in rows[:7]]
        assert [moved / 10, work[j]] == pytest.approx([min(work)] * 2, abs=1e-9)


def test_medians_are_the_nearest_points():
    rng = np.random.default_rng(2)
    for n in (1, 2, 5, 8):
        rows, weights = rng.integers(0, 50, (n, 3)), rng.integers(1, 6, n)
        centre = weighted_medians(rows, weights)
        for d in range(3):
            costs = [weights @ np.abs(rows[:, d] - x) for x in range(51)]
            assert weights @ np.abs(rows[:, d] - centre[d]) == min(costs)


def test_lloyd_reaches_the_best_partition_of_few_points():
    rng = np.random.default_rng(3)
    rows = np.unique(rng.integers(0, 100, (7, 2)), axis=0).astype(np.int32)
    weights = rng.integers(1, 5, len(rows))
    best = min(cost_of(rows, weights, labels) for labels in product(range(2), repeat=len(rows)))
    found = [fit_clusters(rows, weights, 2, 50, seed) for seed in range(20)]
    costs = [f.cost * weights.sum() * 2 for f in found]
    assert min(costs) == pytest.approx(best)
    for f, cost in zip(found, costs, strict=True):
        labels = assign(rows, f.centres)[0]
        assert cost == pytest.approx(cost_of(rows, weights, labels.tolist()))  # no centre could be better for its rows


def test_more_steps_never_cost_more_and_a_seed_gives_the_same(tables):
    rows, weights = sampled_rows(2, tables[2].deciles[-1], 3000, seed=4)
    assert weights.sum() == 3000
    costs = [fit_clusters(rows, weights, 20, steps, seed=5).cost for steps in (1, 2, 4, 30)]
    assert costs == sorted(costs, reverse=True) and costs[0] > costs[-1]
    again, twice = (fit_clusters(rows, weights, 20, 4, seed=5) for _ in range(2))
    assert again.cost == costs[2] and np.array_equal(again.centres, twice.centres)


def test_every_hand_joins_its_nearest_centre(tables):
    groups, costs = cluster_groups(tables[1], tables[2], (12, 9), sample=2000, steps=5, seed=6)
    assert groups.n_groups == (169, 12, 9, 1981)
    for street, ids in ((1, groups.flop), (2, groups.turn)):
        k, deciles, boards = groups.n_groups[street], tables[street].deciles[-1], canonical_boards(BOARD_CARDS[street]).cards
        assert ids.shape == deciles.shape[:2] and set(np.unique(ids)) == set(range(-1, k))
        fitted = fit_clusters(*sampled_rows(street, deciles, 2000, seed=6 + street), k, 5, seed=6 + street)
        assert costs[street - 1] == fitted.cost / UNITS[3]
        for b in (0, 17, 1000, len(boards) - 1):
            free = ~np.isin(HOLE_CARDS, boards[b]).any(axis=1)
            distance = np.abs(fitted.centres - deciles[b, :, None].astype(int)).sum(axis=2)
            assert np.array_equal(ids[b], np.where(free, distance.argmin(axis=1), -1))


def test_unusable_numbers_are_named(tables):
    with pytest.raises(ValueError, match="sample is 0"):
        sampled_rows(1, tables[1].deciles[-1], 0, seed=1)
    rows = np.arange(6, dtype=np.int32).reshape(3, 2)
    with pytest.raises(ValueError, match="k is 4, expected from 1 to 3"):
        fit_clusters(rows, np.ones(3), 4, 5, seed=1)
    with pytest.raises(ValueError, match="steps is 0"):
        fit_clusters(rows, np.ones(3), 2, 0, seed=1)
