"""Pruning against scikit-learn's; leaves in order by hand, against a quadratic program, and on rows no leaf was fitted to."""

from functools import partial

import numpy as np
import pytest
from random_trees import check_tree, random_tree
from scipy.optimize import minimize
from sklearn.datasets import make_classification
from sklearn.tree import DecisionTreeRegressor

from faceup.lab.rng import rng
from faceup.trees.cart import fit_cart
from faceup.trees.metrics import fit_metrics
from faceup.trees.prune import _pairs, isotonic, prune, prune_by
from faceup.trees.tree import DecisionTree, n_leaves

STREAM = partial(rng, 0, "test")


def pruned_by_scikit_learn(X, P, w, **shape) -> list[tuple[float, DecisionTreeRegressor]]:
    """cp in the middle of each range that gives one tree, and that tree. Their impurity is the mean over labels of ours."""
    learner = DecisionTreeRegressor(random_state=0, **shape)
    alphas = learner.cost_complexity_pruning_path(X, P, sample_weight=w / w.mean()).ccp_alphas
    middles = [np.sqrt(low * high) for low, high in zip(alphas[1:-1], alphas[2:], strict=True) if high > low * 1.001]
    middles = [*middles, 2 * alphas[-1]]
    fits = (DecisionTreeRegressor(random_state=0, ccp_alpha=a, **shape).fit(X, P, sample_weight=w / w.mean()) for a in middles)
    return [(P.shape[1] * alpha, fit) for alpha, fit in zip(middles, fits, strict=True)]


def test_pruned_trees_are_those_of_scikit_learn():
    X, y = make_classification(1200, 8, n_informative=6, n_classes=3, flip_y=0.2, random_state=0)
    X, P, w = X.astype(np.float32), np.eye(3)[y] * 0.7 + 0.1, np.random.default_rng(0).exponential(size=len(y))
    tree = fit_cart(X, P, w, max_depth=6, min_rows=10, stream=STREAM)
    theirs = pruned_by_scikit_learn(X, P, w, max_depth=6, min_samples_leaf=10)
    assert n_leaves(prune(tree, 0)) == n_leaves(tree) and len(theirs) > 10
    for cp, fit in theirs:
        pruned = prune(tree, cp)
        check_tree(pruned, 8, 3)
        assert n_leaves(pruned) == fit.get_n_leaves()
        np.testing.assert_allclose(pruned.predict(X), fit.predict(X), atol=1e-6)


def test_the_smallest_tree_that_loses_little_more_is_kept():
    """Of scikit-learn's, but for those that only a narrow range of cp gives. On labels without meaning the root is often best."""
    kept = []
    for seed in range(60):
        rng = np.random.default_rng(seed)
        X, y = rng.random((120, 3)).round(1).astype(np.float32), rng.integers(2, size=120)
        (X, more), (P, Q), (w, v) = (np.split(rows, [60]) for rows in (X, np.eye(2)[y], np.ones(120)))
        tree = fit_cart(X, P, w, max_depth=4, min_rows=3, stream=STREAM)
        fits = [fit for _, fit in pruned_by_scikit_learn(X, P, w, max_depth=4, min_samples_leaf=3)]
        losses = np.array([fit_metrics(Q, fit.predict(more), v)["brier"] for fit in fits])
        for tolerance in (0, 0.03, 10):
            near = [fit.get_n_leaves() for fit, loss in zip(fits, losses, strict=True) if loss <= (1 + tolerance) * losses.min()]
            kept.append((n_leaves(prune_by(tree, more, Q, v, tolerance)), min(near)))
    assert np.mean([ours == theirs for ours, theirs in kept]) > 0.9
    assert 0 < sum(ours == 1 for ours, _ in kept[::3]) < 60 and {ours for ours, _ in kept[2::3]} == {1}


def chain(shares, weight):
    """Four leaves by one feature, cut at 1, 2 and 3, with chances of label 0; label 1 gets the rest."""
    leaves, feature, left = [1, 3, 5, 6], np.array([0, -1, 0, -1, 0, -1, -1]), np.array([1, -1, 3, -1, 5, -1, -1])
    value, sums = np.zeros((7, 3), dtype=np.float32), np.ones(7)
    value[leaves, 0], value[leaves, 1], sums[leaves] = shares, 1 - np.array(shares), weight
    threshold = np.array([1, 0, 2, 0, 3, 0, 0], dtype=np.float32)
    return DecisionTree(feature, threshold, left, np.where(left > 0, left + 1, -1), value, sums)


@pytest.mark.parametrize(
    ("shares", "weight", "most", "isotonic_label", "second_label"),
    [
        pytest.param([0.6, 0.2, 0.5, 1], [1, 3, 1, 1], 9, [0.3, 0.3, 0.5, 1], [0.7, 0.7, 0.5, 0], id="weighted mean"),
        pytest.param([1, 0, 1, 1], [1, 1, 1, 1], 9, [0.5, 0.5, 1, 1], [0, 0.5, 0, 0], id="a sure leaf gives to the third label"),
        pytest.param([0.6, 0.2, 0.5, 0.1], [1, 3, 1, 1], 2, [0.3, 0.3, 0.5, 0.1], [0.7, 0.7, 0.5, 0.9], id="no order beyond 2"),
    ],
)
def test_leaves_out_of_order_by_hand(shares, weight, most, isotonic_label, second_label):
    tree = isotonic(chain(shares, weight), np.zeros((1, 1)), column=0, most=np.array([most]), label=0, other=2)
    found = tree.predict(np.array([[1], [2], [3], [4]]))
    np.testing.assert_allclose(found[:, :2].T, [isotonic_label, second_label], atol=1e-6)
    np.testing.assert_allclose(found.sum(axis=1), 1, atol=1e-6)


def test_the_answers_are_the_nearest_in_order():
    """Random trees on three features: no answer in order is nearer, by a solver that knows nothing of pairs' order."""
    tree = random_tree(5, 30, 3)
    X, most = np.random.default_rng(5).normal(size=(400, 3)).astype(np.float32), np.full(400, 9.0)
    found = isotonic(tree, X, column=1, most=most, label=2, other=0)
    low, high = _pairs(tree, X, 1, most)
    assert len(low) > 3
    before, after = (t.value[:, 2].astype(np.float64) for t in (tree, found))
    assert (after[low] <= after[high] + 1e-6).all() and (before[low] > before[high] + 0.05).any()
    order = [{"type": "ineq", "fun": lambda p, a=a, b=b: p[b] - p[a]} for a, b in zip(low, high, strict=True)]
    best = minimize(lambda p: tree.weight @ (p - before) ** 2, after, constraints=order, options={"maxiter": 500, "ftol": 1e-12})
    assert tree.weight @ (after - before) ** 2 <= best.fun * 1.001 + 1e-6
    for size in (-1, 0, 1):
        moved = [np.where(np.arange(3) == 1, X * 0 + s, X).astype(np.float32) for s in (size, size + 0.5)]
        assert (found.predict(moved[1])[:, 2] >= found.predict(moved[0])[:, 2] - 1e-5).all()
