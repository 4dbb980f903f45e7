"""How good a search for optimal trees is: against the proven optimum of small trees, and against CART on generated sets.

Where every feature is cut into few ranges, each threshold is a yes-or-no question. What a pair of questions leaves of the rows is
summed once for all pairs; the best two levels below any root then follow from those sums (Demirovic et al. 2022, MurTree, Section
4.5), and the best three from trying every root. The search sees the same grid as numbers.

The settings and seeds of the generated sets were fixed before any tree was fitted to them, and all that were tried are here. Half
of a set is trained on, a quarter chooses criterion, min_rows and cp, and a quarter is the test.
"""

from collections.abc import Callable, Sequence
from functools import partial
from itertools import product
from typing import NamedTuple

import numpy as np
from sklearn import datasets
from sklearn.tree import DecisionTreeClassifier

from faceup.notebook.intervals import mean_ci95
from faceup.trees.cart import tree_of
from faceup.trees.decision_tree import DecisionTree, leaf_of, n_leaves, predict
from faceup.trees.metrics import check_range
from faceup.trees.oct import bin_features, fit_oct
from faceup.trees.pruning import prune, pruning_path

_UNTIL_DONE = 10  # sweeps; small trees stop gaining before that
_MOST_CPS = 40  # tried of a pruning path
_ROUNDING = 1e-12  # a path's cp is the least that gives its tree
_IMPURITY = {"brier": "gini", "log": "entropy"}  # scikit-learn's name of a criterion

Fit = Callable[[np.ndarray, np.ndarray, str, int], DecisionTree]  # rows, labels, criterion, min_rows


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
    X: np.ndarray, P: np.ndarray, w: np.ndarray, *, depth: int, thresholds: int, regrowths: int, restarts: int, seed: int
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
    names = ("iris", "wine", "breast cancer", "digits")
    sets = {name: getattr(datasets, f"load_{name.replace(' ', '_')}")(return_X_y=True) for name in names}
    for n_features in (15, 35):
        sets[f"synthetic, {n_features} features"] = datasets.make_classification(
            2000, n_features, n_informative=8, n_redundant=4, n_classes=4, random_state=n_features
        )
    return {name: (X, np.eye(y.max() + 1)[y], np.ones(len(y))) for name, (X, y) in sets.items()}


class Trial(NamedTuple):
    """What one learner made of one set, with the settings that the validation rows chose."""

    train: float  # accuracy of the unpruned tree that fits its own rows best
    right: np.ndarray  # (n_test,) bool: the test rows that the chosen tree has right
    criterion: str
    min_rows: int
    leaves: int

    @property
    def test(self) -> float:
        """Accuracy of the chosen tree on the test rows."""
        return float(self.right.mean())


def gain(ours: Trial, theirs: Trial) -> tuple[float, float]:
    """(ours less theirs in test accuracy, 95 % margin), over the same test rows."""
    mean, ci95 = mean_ci95(ours.right.astype(np.float64) - theirs.right)
    return float(mean), float(ci95)


def generated_sets(rows: int, seed: int) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Name -> so many rows X (n, f) float64 and labels y (n,) from 0; the sets' own seeds follow `seed`."""
    shells = datasets.make_gaussian_quantiles(n_samples=rows, n_features=8, n_classes=4, random_state=seed + 3)
    hastie, sign = datasets.make_hastie_10_2(rows, random_state=seed + 4)
    return {
        "4 classes, 20 features": datasets.make_classification(
            rows, 20, n_informative=12, n_redundant=4, n_classes=4, n_clusters_per_class=4, random_state=seed + 1
        ),
        "2 classes, 16 clusters": datasets.make_classification(
            rows, 10, n_informative=8, n_redundant=0, n_classes=2, n_clusters_per_class=8, flip_y=0.02, random_state=seed + 2
        ),
        "Gaussian shells, 8 features": shells,
        "Hastie's sphere, 10 features": (hastie, (sign > 0).astype(np.int64)),
    }


def cart_learner(depth: int, seed: int) -> Fit:
    """scikit-learn's greedy tree, by Gini for criterion "brier" and by entropy for "log"."""

    def fit(X: np.ndarray, y: np.ndarray, criterion: str, min_rows: int) -> DecisionTree:
        settings = {"max_depth": depth, "min_samples_leaf": min_rows, "random_state": seed}
        learner = DecisionTreeClassifier(criterion=_IMPURITY[criterion], **settings).fit(X, y)
        return tree_of(learner, learner.tree_.value[:, 0])

    return fit


def search_learner(depth: int, regrowths: int, seed: int) -> Fit:
    """The search of `fit_oct`."""

    def fit(X: np.ndarray, y: np.ndarray, criterion: str, min_rows: int) -> DecisionTree:
        fitted = partial(fit_oct, max_depth=depth, min_rows=min_rows, criterion=criterion, regrowths=regrowths, seed=seed)
        return fitted(X, np.eye(y.max() + 1)[y], np.ones(len(y)))

    return fit


def try_learner(fit: Fit, X: np.ndarray, y: np.ndarray, *, criteria: Sequence[str], min_rows: Sequence[int]) -> Trial:
    """A learner at all criteria and min_rows on X (n, f), labels y (n,) from 0; the validation rows choose a tree."""
    n = len(y)
    train, valid, test = slice(0, n // 2), slice(n // 2, 3 * n // 4), slice(3 * n // 4, n)
    fitted, tried = [], []
    for criterion, rows in product(criteria, min_rows):
        tree = fit(X[train], y[train], criterion, rows)
        fitted.append(float(_right(tree, X[train], y[train]).mean()))
        cps = pruning_path(tree, criterion, X[valid], np.eye(tree.value.shape[1])[y[valid]], np.ones(len(y[valid]))).cp
        some = np.unique(np.linspace(0, len(cps) - 1, _MOST_CPS).round().astype(np.int64))  # evenly spread over the path
        for pruned in (prune(tree, cp + _ROUNDING, criterion) for cp in cps[some]):
            tried.append((_right(pruned, X[valid], y[valid]).mean(), pruned, criterion, rows))
    _, tree, criterion, rows = max(tried, key=lambda each: each[0])  # the first of the best
    return Trial(max(fitted), _right(tree, X[test], y[test]), criterion, rows, n_leaves(tree))


def _right(tree: DecisionTree, X: np.ndarray, y: np.ndarray) -> np.ndarray:
    return predict(tree, X).argmax(axis=1) == y
