"""How far a search's trees are from the best there are, where all trees of a depth on a grid of thresholds can be compared.

Every feature is cut into few ranges, each threshold being a yes-or-no question. What a pair of questions leaves of the
rows is summed once for all pairs, by one matrix product; the best two levels below any root then follow from those
sums (Demirovic et al. 2022, MurTree, Section 4.5), and the best three from trying every root. Nothing is left out, so
that the optimum is proven. The search sees the same grid as numbers and so has the same choice of trees.
"""

from functools import partial
from typing import NamedTuple

import numpy as np
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine, make_classification

from faceup.trees.metrics import check_range
from faceup.trees.oct import bin_features, fit_oct
from faceup.trees.trees import leaf_of

_UNTIL_DONE = 10  # sweeps; small trees stop gaining before that


class Certificate(NamedTuple):
    """The most that a tree of a depth can earn, and what the search found; shares of all weight."""

    optimum: float
    found: float

    @property
    def gap(self) -> float:
        """What the search misses, as a share of the optimum, but for rounding."""
        return abs(round(1 - self.found / self.optimum, 9))


def questions(X: np.ndarray, thresholds: int) -> tuple[np.ndarray, np.ndarray]:
    """(codes (n, f) float32, answers (n, q) bool) of rows X (n, f): the same grid as numbers and as questions.

    Each feature gets at most so many thresholds, at about equal numbers of rows.
    """
    edges, codes = bin_features(np.asarray(X, dtype=np.float32), thresholds + 1)
    answers = [codes[f, :, None] <= np.arange(len(edge)) for f, edge in enumerate(edges)]
    return codes.T.astype(np.float32), np.concatenate(answers, axis=1)


def best_agreement(answers: np.ndarray, R: np.ndarray, depth: int) -> float:
    """The most weight that a tree of 2 or 3 levels gets right, on answers (n, q) bool and R (n, n_labels), weight of each label.

    A tree may ask less than its levels allow. Takes about 2 n q^2 n_labels multiplications, for 3 levels q times as many.
    Raises ValueError for another depth.
    """
    check_range("depth", depth, 2, 3)
    if depth == 2:
        return _two_levels(answers.astype(np.float64), R)
    sides = ((asked, ~asked) for asked in answers.T)
    return max(sum(_two_levels(answers[side].astype(np.float64), R[side]) for side in both) for both in sides)


def _two_levels(answers: np.ndarray, R: np.ndarray) -> float:
    (n, q), n_labels = answers.shape, R.shape[1]
    weighted = (answers[:, :, None] * R[:, None, :]).reshape(n, q * n_labels)
    yes_yes = (answers.T @ weighted).reshape(q, q, n_labels)  # [second question, first question, label]
    yes = yes_yes[np.arange(q), np.arange(q)]
    yes_no, no_yes = yes - yes_yes, yes[:, None] - yes_yes
    no_no = R.sum(axis=0) - yes - no_yes
    after_yes = yes_yes.max(axis=2) + yes_no.max(axis=2)  # asking the first question again is not to split
    after_no = no_yes.max(axis=2) + no_no.max(axis=2)
    return float((after_yes.max(axis=0) + after_no.max(axis=0)).max())


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
) -> Certificate:
    """Optimal and found agreement of trees of depth 2 or 3 on rows X (n, f), P (n, n_labels), w (n,).

    The grid is that of `questions`. restarts: searches with seeds from `seed` on, of which the best counts, as Dunn (2018)
    does; regrowths: of each. Raises ValueError on bad rows or settings.
    """
    grid, answers = questions(X, thresholds)
    share = w / w.sum()
    fit = partial(fit_oct, grid, P, w, max_depth=depth, min_rows=1, criterion="agreement", regrowths=regrowths)
    trees = [fit(seed=seed + start, inner_sweeps=_UNTIL_DONE) for start in range(restarts)]
    return Certificate(
        optimum=best_agreement(answers, share[:, None] * np.asarray(P, dtype=np.float64), depth),
        found=max(agreement(leaf_of(tree, grid), P, share) for tree in trees),
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
