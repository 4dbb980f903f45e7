"""CART and pruning against scikit-learn; answers that count costs, leaves in order, by hand and by solvers; metrics by hand."""

from functools import partial

import numpy as np
import pytest
from random_trees import check_tree, random_tree, rows_for
from scipy.optimize import minimize
from sklearn.datasets import make_classification
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from faceup.lab.rng import rng
from faceup.trees.cart import answer_by_costs, fit_cart, nearest_mixtures
from faceup.trees.metrics import LEAST, brier_floor, fit_metrics, log_loss
from faceup.trees.prune import _pairs, isotonic, prune, prune_by
from faceup.trees.tree import DecisionTree, depth, leaf_of, n_leaves, truncate

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


def test_answers_lose_less_the_more_costs_weigh():
    """Another answer is never both further from the targets and dearer; without weight, or rows, leaves keep their means."""
    X, P, w = soft_rows(n=300)
    costs = np.random.default_rng(1).normal(size=P.shape) + (X[:, :1] > 0.5) * np.eye(4)[0]
    tree = fit_cart(X, P, w, max_depth=4, min_rows=5, stream=STREAM)
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
    some = leaf == leaf[0]
    again = answer_by_costs(tree, X[some], P[some], w[some], costs=costs[some], cost_weight=5)
    kept = np.arange(len(tree.feature)) != leaf[0]
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


# metrics: targets, predictions, weights of two rows
P = np.array([[1.0, 0.0], [0.25, 0.75]])
Q, W = np.array([[0.5, 0.5], [0.2, 0.8]]), np.array([1.0, 3.0])


@pytest.mark.parametrize("unit", [1, 1000])
def test_metrics_are_those_worked_out_by_hand(unit):
    found = fit_metrics(P, Q, unit * W)
    second = -(0.25 * np.log(0.2) + 0.75 * np.log(0.8))
    assert found["log_loss"] == pytest.approx((np.log(2) + 3 * second) / 4)
    assert found["floor"] == pytest.approx(-3 * (0.25 * np.log(0.25) + 0.75 * np.log(0.75)) / 4)
    assert found["brier"] == pytest.approx((2 * 0.25 + 3 * 2 * 0.05**2) / 4)
    assert found["agreement"] == pytest.approx((1.0 + 3 * 0.75) / 4)  # row 0 is a tie: the first label
    assert log_loss(P[:1], 1 - P[:1]) == pytest.approx(-np.log(LEAST))


def test_the_brier_floor_is_the_spread_within_equal_rows():
    """Rows 0 and 1 share their features: their mean (0.4375, 0.5625) is the best for both; row 2 stands alone."""
    X, third = np.array([[1.0, 2.0], [1.0, 2.0], [1.0, 3.0]]), [[0.3, 0.7]]
    mean = (1 * P[0] + 3 * P[1]) / 4
    spread = sum(w * ((p - mean) ** 2).sum() for p, w in zip(P, W, strict=True))
    assert brier_floor(X, np.concatenate([P, third]), np.array([*W, 4.0])) == pytest.approx(spread / 8)
