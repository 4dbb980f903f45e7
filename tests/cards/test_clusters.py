"""k-means on deciles: the distance is the earth mover's by SciPy and by hand, centres as good as any partition's."""

from itertools import product

import numpy as np
import pytest
from scipy.stats import wasserstein_distance

from faceup.cards.clusters import fit_centres, nearest_centres


def test_the_distance_is_between_histograms():
    """Mass moves in order of the values: by its squared way here, by its way in SciPy's, which is the less of the two."""
    rng = np.random.default_rng(1)
    rows, centres = (np.sort(rng.random((n, 10)), axis=1) for n in (50, 7))
    for row, j, squared in zip(rows, *nearest_centres(rows, centres), strict=True):
        moved = [((row - centre) ** 2).sum() for centre in centres]
        assert j == np.argmin(moved) and squared == pytest.approx(min(moved), rel=1e-5)
        assert wasserstein_distance(row, centres[j]) <= np.sqrt(squared / 10) + 1e-6


def cost_of(rows, weights, labels):
    """Weighted squared distance to the mean of each part."""
    parts = [np.array(labels) == part for part in set(labels)]
    means = [np.average(rows[part], axis=0, weights=weights[part]) for part in parts]
    return sum(weights[part] @ ((rows[part] - mean) ** 2).sum(axis=1) for part, mean in zip(parts, means, strict=True))


def test_the_best_partition_of_few_points_is_found():
    rng = np.random.default_rng(3)
    rows, weights = rng.random((7, 2)).astype(np.float32), rng.integers(1, 5, 7)
    best = min(cost_of(rows, weights, labels) for labels in product(range(2), repeat=len(rows)))
    found = [fit_centres(rows, 2, 50, np.random.default_rng(seed), weights) for seed in range(10)]
    assert min(weights @ nearest_centres(rows, centres)[1] for centres in found) == pytest.approx(best, rel=1e-4)
    assert np.array_equal(found[3], fit_centres(rows, 2, 50, np.random.default_rng(3), weights))
