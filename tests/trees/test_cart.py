"""CART and pruning against scikit-learn; answers that count costs, leaves in order, by hand and by
solvers; metrics by hand.
"""

from functools import partial
from itertools import product

import numpy as np
import pytest
from random_trees import check_tree, random_tree, rows_for
from scipy.optimize import minimize
from sklearn.datasets import make_classification
from sklearn.tree import DecisionTreeRegressor

from faceup.trees.cart import fit_cart, project_to_simplex, refit_leaves
from faceup.trees.metrics import LEAST, fit_metrics
from faceup.trees.prune import _pairs, isotonic, prune, prune_by
from faceup.trees.tree import DecisionTree, depth, leaf_of, n_leaves, truncate
from faceup.util.rng import rng

STREAM = partial(rng, 0, "test")


def soft_rows(n: int = 3000, f: int = 6, n_labels: int = 4, seed: int = 0):
    rng = np.random.default_rng(seed)
    X = rng.random((n, f)).astype(np.float32)
    X[:, -1] = np.round(20_000 * X[:, -1])
    logits = 6 * (X / X.max(axis=0)) @ rng.normal(size=(f, n_labels))
    P = np.exp(logits - logits.max(axis=1, keepdims=True))
    return X, P / P.sum(axis=1, keepdims=True), rng.exponential(size=n)


@pytest.mark.parametrize("most", [12, 4])
def test_decisions_are_those_of_scikit_learn(most):
    """A deep tree that is truncated is a shallower fit: so near the root no two features cut rows
    alike, which would be drawn.
    """
    X, P, w = soft_rows()
    tree = truncate(fit_cart(X, P, w, max_depth=12, min_rows=3, stream=STREAM), most)
    check_tree(tree, 6, 4)
    drawn = int(STREAM().integers(1 << 31))
    theirs = DecisionTreeRegressor(max_depth=most, min_samples_leaf=3, random_state=drawn).fit(
        X, P, sample_weight=w / w.mean()
    )
    assert theirs.get_n_leaves() == n_leaves(tree) and depth(tree) == theirs.get_depth() == most
    for rows in (X, soft_rows(seed=9)[0], rows_for(tree, X)):
        assert np.array_equal(leaf_of(tree, rows), theirs.apply(rows))
        assert np.allclose(tree.predict(rows), theirs.predict(rows), atol=1e-6)
    leaf = tree.feature < 0
    assert tree.weight[leaf] == pytest.approx(np.bincount(leaf_of(tree, X), w)[leaf])
    assert tree.weight[0] == pytest.approx(w.sum())


def lost(answer, P, w, costs, cost_weight):
    return w @ ((answer - P) ** 2 + cost_weight * answer * costs).sum(axis=1)


def test_no_mixture_errs_and_costs_less_than_a_leafs_answer():
    """As a minimizer finds; without weight on costs, or rows, leaves keep their means."""
    X, P, w = soft_rows(n=300)
    costs = np.random.default_rng(1).normal(size=P.shape) + (X[:, :1] > 0.5) * np.eye(4)[0]
    tree = fit_cart(X, P, w, max_depth=4, min_rows=5, stream=STREAM)
    leaf = leaf_of(tree, X)
    mixtures = {"bounds": [(0, 1)] * 4, "constraints": {"type": "eq", "fun": lambda p: p.sum() - 1}}
    assert refit_leaves(tree, X, P, w, costs=costs, cost_weight=0).predict(X) == pytest.approx(
        tree.predict(X), abs=1e-6
    )
    for weight, k in product((0.3, 3), np.unique(leaf)):
        answer = refit_leaves(tree, X, P, w, costs=costs, cost_weight=weight).value[k]
        here = P[leaf == k], w[leaf == k], costs[leaf == k], weight
        assert answer.min() >= 0 and answer.sum() == pytest.approx(1)
        assert (
            lost(answer, *here)
            <= minimize(lost, np.full(4, 0.25), here, tol=1e-12, **mixtures).fun + 1e-6
        )
    some = leaf == leaf[0]
    again = refit_leaves(tree, X[some], P[some], w[some], costs=costs[some], cost_weight=5)
    kept = np.arange(len(tree.feature)) != leaf[0]
    assert np.array_equal(again.value[kept], tree.value[kept])
    assert not np.array_equal(again.value, tree.value)
    assert np.array_equal(
        project_to_simplex(np.array([[1e17, 0, 0], [-1e17, 5, 5]])), [[1, 0, 0], [0, 0.5, 0.5]]
    )


def pruned_by_scikit_learn(X, P, w, **shape) -> list[tuple[float, DecisionTreeRegressor]]:
    """cp in the middle of each range that gives one tree, and that tree. Their impurity is the mean
    over labels of ours.
    """
    learner = DecisionTreeRegressor(random_state=0, **shape)
    alphas = learner.cost_complexity_pruning_path(X, P, sample_weight=w / w.mean()).ccp_alphas
    middles = [
        np.sqrt(low * high)
        for low, high in zip(alphas[1:-1], alphas[2:], strict=True)
        if high > low * 1.001
    ]
    middles = [*middles, 2 * alphas[-1]]
    fits = (
        DecisionTreeRegressor(random_state=0, ccp_alpha=a, **shape).fit(
            X, P, sample_weight=w / w.mean()
        )
        for a in middles
    )
    return [(P.shape[1] * alpha, fit) for alpha, fit in zip(middles, fits, strict=True)]


def test_pruned_trees_are_those_of_scikit_learn():
    X, y = make_classification(1200, 8, n_informative=6, n_classes=3, flip_y=0.2, random_state=0)
    X = X.astype(np.float32)
    P = np.eye(3)[y] * 0.7 + 0.1
    w = np.random.default_rng(0).exponential(size=len(y))
    tree = fit_cart(X, P, w, max_depth=6, min_rows=10, stream=STREAM)
    theirs = pruned_by_scikit_learn(X, P, w, max_depth=6, min_samples_leaf=10)
    assert n_leaves(prune(tree, 0)) == n_leaves(tree) and len(theirs) > 10
    for cp, fit in theirs:
        pruned = prune(tree, cp)
        check_tree(pruned, 8, 3)
        assert n_leaves(pruned) == fit.get_n_leaves()
        np.testing.assert_allclose(pruned.predict(X), fit.predict(X), atol=1e-6)


def test_the_smallest_tree_that_loses_little_more_is_kept():
    """Of scikit-learn's, but for those that only a narrow range of cp gives. On labels without
    meaning the root is often best.
    """
    kept = []
    for seed in range(60):
        rng = np.random.default_rng(seed)
        X, y = rng.random((120, 3)).round(1).astype(np.float32), rng.integers(2, size=120)
        (X, more), (P, Q), (w, v) = (
            np.split(rows, [60]) for rows in (X, np.eye(2)[y], np.ones(120))
        )
        tree = fit_cart(X, P, w, max_depth=4, min_rows=3, stream=STREAM)
        fits = [fit for _, fit in pruned_by_scikit_learn(X, P, w, max_depth=4, min_samples_leaf=3)]
        losses = np.array([fit_metrics(Q, fit.predict(more), v)["brier"] for fit in fits])
        for tolerance in (0, 0.03, 10):
            near = [
                fit.get_n_leaves()
                for fit, loss in zip(fits, losses, strict=True)
                if loss <= (1 + tolerance) * losses.min()
            ]
            kept.append((n_leaves(prune_by(tree, more, Q, v, tolerance)), min(near)))
    assert np.mean([ours == theirs for ours, theirs in kept]) > 0.9
    assert 0 < sum(ours == 1 for ours, _ in kept[::3]) < 60
    assert {ours for ours, _ in kept[2::3]} == {1}


BY_HAND = [  # chances of label 0 in four leaves, the feature's largest value, what each label gets
    # a sure leaf gives to the third label
    ([1, 0, 1, 1], 9, [[0.25, 0.25, 1, 1], [0, 0.75, 0, 0], [0.75, 0, 0, 0]]),
    # no order beyond 2
    ([0.6, 0.2, 0.5, 0.1], 2, [[0.3, 0.3, 0.5, 0.1], [0.7, 0.7, 0.5, 0.9], [0] * 4]),
]


@pytest.mark.parametrize(("shares", "most", "expected"), BY_HAND)
def test_leaves_out_of_order_by_hand(shares, most, expected):
    """By one feature, cut at 1, 2 and 3; the second leaf weighs as much as all others."""
    leaves = [1, 3, 5, 6]
    feature = np.array([0, -1, 0, -1, 0, -1, -1])
    left = np.array([1, -1, 3, -1, 5, -1, -1])
    value = np.zeros((7, 3), np.float32)
    sums = np.ones(7)
    threshold = np.array([1, 0, 2, 0, 3, 0, 0], np.float32)
    value[leaves, 0], value[leaves, 1], sums[leaves] = shares, 1 - np.array(shares), [1, 3, 1, 1]
    chain = DecisionTree(feature, threshold, left, np.where(left > 0, left + 1, -1), value, sums)
    tree = isotonic(chain, np.zeros((1, 1)), column=0, most=np.array([most]), label=0, other=2)
    np.testing.assert_allclose(tree.predict(np.array([[1], [2], [3], [4]])).T, expected, atol=1e-6)


def test_the_answers_are_the_nearest_in_order():
    """Random trees on three features: no answer in order is nearer, by a solver that knows nothing
    of pairs' order.
    """
    tree = random_tree(5, 30, 3)
    X, most = np.random.default_rng(5).normal(size=(400, 3)).astype(np.float32), np.full(400, 9.0)
    found = isotonic(tree, X, column=1, most=most, label=2, other=0)
    low, high = _pairs(tree, X, 1, most)
    assert len(low) > 3
    before, after = (t.value[:, 2].astype(np.float64) for t in (tree, found))
    assert (after[low] <= after[high] + 1e-6).all() and (before[low] > before[high] + 0.05).any()
    order = [
        {"type": "ineq", "fun": lambda p, a=a, b=b: p[b] - p[a]}
        for a, b in zip(low, high, strict=True)
    ]
    best = minimize(
        lambda p: tree.weight @ (p - before) ** 2,
        after,
        constraints=order,
        options={"maxiter": 500, "ftol": 1e-12},
    )
    assert tree.weight @ (after - before) ** 2 <= best.fun * 1.001 + 1e-6
    for size in (-1, 0, 1):
        moved = [
            np.where(np.arange(3) == 1, X * 0 + s, X).astype(np.float32) for s in (size, size + 0.5)
        ]
        assert (found.predict(moved[1])[:, 2] >= found.predict(moved[0])[:, 2] - 1e-5).all()


def test_metrics_are_those_worked_out_by_hand():
    P = np.array([[1.0, 0.0], [0.25, 0.75]])
    Q = np.array([[0.5, 0.5], [0.2, 0.8]])
    w = np.array([1.0, 3.0])
    found, second = fit_metrics(P, Q, w), -(0.25 * np.log(0.2) + 0.75 * np.log(0.8))
    assert found["log_loss"] == pytest.approx((np.log(2) + 3 * second) / 4)
    assert found["brier"] == pytest.approx((2 * 0.25 + 3 * 2 * 0.05**2) / 4)
    # row 0 is a tie: the first label
    assert found["agreement"] == pytest.approx((1.0 + 3 * 0.75) / 4)
    wrong = fit_metrics(P[:1], 1 - P[:1], w[:1])
    assert wrong["log_loss"] == pytest.approx(-np.log(LEAST))
