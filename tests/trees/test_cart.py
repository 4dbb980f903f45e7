"""CART against scikit-learn's own predictions and a Gini classifier; answers that count costs against other answers."""

from functools import partial

import numpy as np
import pytest
from random_trees import check_tree, rows_for
from scipy.optimize import minimize
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from faceup.lab.rng import rng
from faceup.trees.cart import answer_by_costs, fit_cart, nearest_mixtures
from faceup.trees.tree import depth, leaf_of, n_leaves, truncate

STREAM = partial(rng, 0, "test")


def soft_rows(n: int = 3000, f: int = 6, n_labels: int = 4, seed: int = 0):
    rng = np.random.default_rng(seed)
    X = rng.random((n, f)).astype(np.float32)
    X[:, -1] = np.round(20_000 * X[:, -1])
    logits = 6 * (X / X.max(axis=0)) @ rng.normal(size=(f, n_labels))
    P = np.exp(logits - logits.max(axis=1, keepdims=True))
    return X, P / P.sum(axis=1, keepdims=True), rng.exponential(size=n)


def test_decisions_are_those_of_scikit_learn():
    X, P, w = soft_rows()
    tree = fit_cart(X, P, w, max_depth=12, min_rows=3, stream=STREAM)
    check_tree(tree, 6, 4)
    drawn = int(STREAM().integers(1 << 31))
    theirs = DecisionTreeRegressor(max_depth=12, min_samples_leaf=3, random_state=drawn).fit(X, P, sample_weight=w / w.mean())
    assert theirs.get_n_leaves() == n_leaves(tree) > 300 and depth(tree) == theirs.get_depth()
    for rows in (X, soft_rows(seed=9)[0], rows_for(tree, X)):
        assert np.array_equal(leaf_of(tree, rows), theirs.apply(rows))
        assert np.allclose(tree.predict(rows), theirs.predict(rows), atol=1e-6)
    leaf = tree.feature < 0
    assert tree.weight[leaf] == pytest.approx(np.bincount(leaf_of(tree, X), w)[leaf]) and tree.weight[0] == pytest.approx(w.sum())


def test_squared_error_on_soft_labels_is_gini_with_the_labels_spelt_out():
    """Each row once a label, with the label's share of its weight, to a classifier: the same splits."""
    X, P, w = soft_rows(n=2000)
    tree = fit_cart(X, P, w, max_depth=5, min_rows=20, stream=STREAM)
    labels = np.tile(np.arange(4), len(X))
    gini = DecisionTreeClassifier(max_depth=5, criterion="gini", min_samples_leaf=80, random_state=0)
    gini.fit(np.repeat(X, 4, axis=0), labels, sample_weight=(w[:, None] * P).ravel())
    assert np.array_equal(np.where(gini.tree_.feature < 0, -1, gini.tree_.feature), tree.feature)
    assert np.allclose(gini.predict_proba(X), tree.predict(X), atol=1e-6)


def test_truncating_is_fitting_shallower():
    """Large leaves: in a node of few rows two features may cut them alike, and a tie is drawn."""
    X, P, w = soft_rows()
    deep = fit_cart(X, P, w, max_depth=9, min_rows=20, stream=STREAM)
    assert depth(deep) == 9
    for most in range(1, 10):
        shallow, cut = fit_cart(X, P, w, max_depth=most, min_rows=20, stream=STREAM), truncate(deep, most)
        for ours, theirs in zip(cut[:4], shallow[:4], strict=True):
            assert np.array_equal(ours, theirs)
        assert np.allclose(cut.value, shallow.value, atol=1e-6) and np.allclose(cut.weight, shallow.weight)


@pytest.fixture(scope="module")
def costly():
    """Rows, costs of the labels in each, and a tree of the rows."""
    X, P, w = soft_rows(n=300)
    costs = np.random.default_rng(1).normal(size=P.shape) + (X[:, :1] > 0.5) * np.eye(4)[0]
    return X, P, w, costs, fit_cart(X, P, w, max_depth=4, min_rows=5, stream=STREAM)


def test_answers_lose_less_the_more_costs_weigh(costly):
    """Another answer is never both further from the targets and dearer; without weight leaves keep their means."""
    X, P, w, costs, tree = costly
    played = [answer_by_costs(tree, X, P, w, costs=costs, cost_weight=c).predict(X) for c in (0, 0.3, 1, 100)]
    assert played[0] == pytest.approx(tree.predict(X), abs=1e-6)
    lost, error = ([w @ f(p).sum(axis=1) for p in played] for f in (lambda p: p * costs, lambda p: (p - P) ** 2))
    assert (np.diff(lost) < 0).all() and (np.diff(error) > 0).all()
    leaf = leaf_of(tree, X)
    for k in np.unique(leaf):  # with all weight on costs a leaf plays its cheapest action
        here = leaf == k
        assert played[3][here][0].argmax() == (w[here] @ costs[here]).argmin()
        others = np.random.default_rng(0).dirichlet(np.full(4, 0.5), 1000)[:, None]  # no mixture errs and costs less
        found, least = ((p - P[here]) ** 2 + 0.3 * p * costs[here] for p in (played[1][here], others))
        assert w[here] @ found.sum(axis=1) <= (least.sum(axis=2) @ w[here]).min()


def test_leaves_without_rows_keep_their_value(costly):
    X, P, w, costs, tree = costly
    some = leaf_of(tree, X) == leaf_of(tree, X)[0]
    again = answer_by_costs(tree, X[some], P[some], w[some], costs=costs[some], cost_weight=5)
    kept = ~np.isin(np.arange(len(tree.feature)), leaf_of(tree, X[some]))
    assert np.array_equal(again.value[kept], tree.value[kept]) and not np.array_equal(again.value, tree.value)


def test_nearest_mixtures_are_what_a_minimiser_finds():
    rng = np.random.default_rng(0)
    for point in [*rng.normal(size=(20, 4)), *(3 * rng.normal(size=(10, 4)))]:
        found = nearest_mixtures(point[None])[0]
        free = {"type": "eq", "fun": lambda p: p.sum() - 1}
        settings = {"bounds": [(0, 1)] * 4, "constraints": free, "tol": 1e-12}
        least = minimize(lambda p, at=point: ((p - at) ** 2).sum(), np.full(4, 0.25), **settings)
        assert found.sum() == pytest.approx(1) and found.min() >= 0
        assert ((found - point) ** 2).sum() <= least.fun + 1e-7
        assert found == pytest.approx(least.x, abs=1e-3)
    assert np.array_equal(nearest_mixtures(np.array([[1e17, 0, 0], [-1e17, 5, 5]])), [[1, 0, 0], [0, 0.5, 0.5]])
