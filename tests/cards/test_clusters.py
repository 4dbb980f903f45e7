"""k-means on deciles: the distance is the earth mover's by SciPy and by hand, centres are means."""

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


def test_centres_are_weighted_means():
    """Of all rows together, or of rows that lie far apart."""
    rows, weights = np.random.default_rng(3).random((7, 2)).astype(np.float32), np.arange(1, 8)
    (mean,) = fit_centres(rows, 1, 50, np.random.default_rng(0), weights)
    assert mean == pytest.approx(np.average(rows, axis=0, weights=weights), rel=1e-5)
    two = fit_centres(np.concatenate([rows, rows + 9]), 2, 50, np.random.default_rng(0), np.tile(weights, 2))
    assert two[two[:, 0].argsort()] == pytest.approx(np.stack([mean, mean + 9]), rel=1e-5)
