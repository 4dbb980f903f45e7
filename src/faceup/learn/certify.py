"""How far a search's trees are from the certified optimum, on a grid of thresholds where exact solvers finish.

The solver is STreeD (van der Linden, de Weerdt & Demirovic 2023), with a cost for each row and label: w_i (1 - P_ik) makes its
least total cost the most agreement. It asks yes-or-no questions, so that features are first coded on a grid of few
thresholds; the search sees the same codes as numbers and so has the same choice of trees. pystreed is no
requirement of this package: install it to run this.
"""

from functools import partial
from typing import NamedTuple

import numpy as np
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine, make_classification

from faceup.learn.oct import bin_features, fit_oct
from faceup.learn.trees import leaf_of

_UNTIL_DONE = 10  # sweeps; small trees stop gaining before that


class Certificate(NamedTuple):
    """The most that a tree of a depth can earn, and what the search found; shares of all weight."""

    optimum: float
    found: float
    proven: bool  # the solver says that its tree is optimal

    @property
    def gap(self) -> float:
        """What the search misses, as a share of the optimum."""
        return 1 - self.found / self.optimum


def certificate(
    X: np.ndarray,
    P: np.ndarray,
    w: np.ndarray,
    *,
    depth: int,
    thresholds: int,
    regrowths: int,
    restarts: int,
    seed: int,
    seconds: float = 600,
) -> Certificate:
    """Optimal and found agreement of trees of a depth on rows X (n, f), P (n, n_labels), w (n,).

    Each feature gets at most so many thresholds, at equal numbers of rows. restarts: searches with seeds from `seed` on,
    of which the best counts, as Dunn (2018) does; regrowths: of each. seconds: the solver's limit, after which `proven` is
    False. Raises ImportError without pystreed.
    """
    from pystreed import STreeDInstanceCostSensitiveClassifier

    edges, codes = bin_features(np.asarray(X, dtype=np.float32), thresholds + 1)
    grid = codes.T.astype(np.float32)
    bits = np.concatenate([codes[f, :, None] <= np.arange(len(edge)) for f, edge in enumerate(edges)], axis=1)
    share = w / w.sum()
    costs = len(share) * share[:, None] * (1 - np.asarray(P, dtype=np.float64))
    solver = STreeDInstanceCostSensitiveClassifier(max_depth=depth, time_limit=seconds)
    solver.fit(bits.astype(np.int32), costs)
    chosen = np.asarray(solver.predict(bits.astype(np.int32)), dtype=np.int64)
    fit = partial(fit_oct, grid, P, w, max_depth=depth, min_rows=1, criterion="agreement", regrowths=regrowths)
    trees = [fit(seed=seed + start, inner_sweeps=_UNTIL_DONE) for start in range(restarts)]
    return Certificate(
        optimum=float(share @ P[np.arange(len(P)), chosen]),
        found=max(agreement(leaf_of(tree, grid), P, share) for tree in trees),
        proven=bool(solver.fit_result.is_optimal()),
    )


def agreement(leaves: np.ndarray, P: np.ndarray, share: np.ndarray) -> float:
    """Weight that the best label of each leaf gets right: leaves (n,) of rows, P (n, n_labels), share (n,)."""
    sums = np.stack([np.bincount(leaves, weights=share * p) for p in np.asarray(P, dtype=np.float64).T])
    return float(sums.max(axis=0).sum())


def bundled_sets() -> dict[str, tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """Sets (X, P, w) that come with scikit-learn or that it generates, with 15 and 35 features; labels as 0/1 targets."""
    loaders = {"iris": load_iris, "wine": load_wine, "breast cancer": load_breast_cancer, "digits": load_digits}
    sets = {name: load(return_X_y=True) for name, load in loaders.items()}
    for n_features in (15, 35):
        sets[f"synthetic, {n_features} features"] = make_classification(
            2000, n_features, n_informative=8, n_redundant=4, n_classes=4, random_state=n_features
        )
    return {name: (X, np.eye(y.max() + 1)[y], np.ones(len(y))) for name, (X, y) in sets.items()}
