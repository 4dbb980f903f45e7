"""k-means on what hands may become: centres by scikit-learn, and the nearest one of each hand.

A hand as ten deciles of its equities stands for a histogram. The mean squared difference of two
hands' deciles, taken in order, is the squared Wasserstein-2 distance of their histograms, so that
the centre of a group is the mean of its hands' deciles.
"""

import numpy as np
from numba import njit
from threadpoolctl import threadpool_limits

from faceup.util.parallel import on_threads


def fit_centres(
    rows: np.ndarray,
    k: int,
    steps: int,
    generator: np.random.Generator,
    weights: np.ndarray | None = None,
) -> np.ndarray:
    """k centres (k, d) float32 of rows (m, d), each counted by its weight (m,), after at most so
    many of Lloyd's steps.
    """
    # here, so that a notebook that clusters nothing waits a second less
    from sklearn.cluster import KMeans

    start = int(generator.integers(1 << 31))
    with threadpool_limits(1):  # sums of several threads come in any order
        fit = KMeans(k, n_init=1, random_state=start, max_iter=steps).fit(
            rows, sample_weight=weights
        )
    return np.asarray(fit.cluster_centers_, dtype=np.float32)


@njit(cache=True, nogil=True)
def _nearest(thread, rows, centres_t, nearest, distance):
    """centres_t (d, k) float32."""
    squared = np.empty(centres_t.shape[1], dtype=np.float32)
    for i in range(thread[0], rows.shape[0], thread[1]):
        squared[:] = 0
        for d in range(centres_t.shape[0]):
            x, centre = rows[i, d], centres_t[d]
            for j in range(squared.shape[0]):
                squared[j] += (x - centre[j]) * (x - centre[j])
        nearest[i] = squared.argmin()
        distance[i] = squared[nearest[i]]


def nearest_centres(rows: np.ndarray, centres: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The nearest of centres (k, d) to each row (m, d), (m,) int32, ties to the lower number; and
    the squared distance to it.
    """
    nearest, distance = np.empty(len(rows), dtype=np.int32), np.empty(len(rows), dtype=np.float32)
    rows, centres_t = (
        np.ascontiguousarray(rows, dtype=np.float32),
        np.ascontiguousarray(centres.T, dtype=np.float32),
    )
    on_threads(_nearest, rows, centres_t, nearest, distance)
    return nearest, distance
