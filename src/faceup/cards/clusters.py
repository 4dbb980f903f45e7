"""Card abstraction by k-means: centers by scikit-learn, and the nearest one of each hand.

The ten deciles of a hand's later equities represent their histogram. The mean squared difference of
two hands' deciles, in order, is the squared Wasserstein-2 distance of their histograms, so that the
center of a bucket is the mean of its hands' deciles.
"""

import numpy as np
from numba import njit
from threadpoolctl import threadpool_limits

from faceup.util.parallel import on_threads


def fit_centers(rows: np.ndarray, k: int, steps: int, generator: np.random.Generator) -> np.ndarray:
    """k centers (k, d) float32 of rows (m, d), after at most `steps` of Lloyd's iterations."""
    # imported here, since it takes a second
    from sklearn.cluster import KMeans

    start = int(generator.integers(1 << 31))
    with threadpool_limits(1):  # the order of sums would depend on threads
        fit = KMeans(k, n_init=1, random_state=start, max_iter=steps).fit(rows)
    return np.asarray(fit.cluster_centers_, dtype=np.float32)


@njit(cache=True, nogil=True)
def _nearest(thread, rows, centers_t, nearest, distance):
    """Fill nearest (m,) int32 and distance (m,) float32, as in `nearest_centers`, for every
    thread[1]-th of the rows (m, d) from thread[0] on; centers_t (d, k) float32.
    """
    squared = np.empty(centers_t.shape[1], dtype=np.float32)
    for i in range(thread[0], rows.shape[0], thread[1]):
        squared[:] = 0
        for d in range(centers_t.shape[0]):
            x, center = rows[i, d], centers_t[d]
            for j in range(squared.shape[0]):
                squared[j] += (x - center[j]) * (x - center[j])
        nearest[i] = squared.argmin()
        distance[i] = squared[nearest[i]]


def nearest_centers(rows: np.ndarray, centers: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(number of the center of (k, d) nearest to each row (m, d), the lower one in a tie, (m,)
    int32; squared distance to it, (m,) float32).
    """
    nearest, distance = np.empty(len(rows), dtype=np.int32), np.empty(len(rows), dtype=np.float32)
    rows = np.ascontiguousarray(rows, dtype=np.float32)
    centers_t = np.ascontiguousarray(centers.T, dtype=np.float32)
    on_threads(_nearest, rows, centers_t, nearest, distance)
    return nearest, distance
