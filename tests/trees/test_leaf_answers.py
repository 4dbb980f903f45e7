"""Answers of leaves against scipy's minimiser, against the search's own leaves, and on bad input."""

from functools import partial

import numpy as np
import pytest
from scipy.optimize import minimize

from faceup.holdem.learn.boosted import fit_boosted
from faceup.holdem.learn.distill import predictor
from faceup.holdem.learn.neural import fit_neural
from faceup.trees.cart import fit_cart
from faceup.trees.leaf_answers import answer_by_costs, nearest_mixtures
from faceup.trees.oct import fit_oct
from faceup.trees.oct_moves import BRIER, BRIER_COST, _crit
from faceup.trees.trees import leaf_of, predict


def rows(n: int = 300, n_labels: int = 4):
    rng = np.random.default_rng(1)
    X = rng.random((n, 3)).astype(np.float32)
    P = rng.dirichlet(np.full(n_labels, 0.5), n)
    return X, P, rng.exponential(size=n), rng.normal(size=(n, n_labels)) + (X[:, :1] > 0.5) * np.eye(n_labels)[0]


def test_nearest_mixtures_are_what_a_minimiser_finds():
    rng = np.random.default_rng(0)
    for point in [*rng.normal(size=(20, 4)), *(3 * rng.normal(size=(10, 4)))]:
        found = nearest_mixtures(point[None])[0]
        free = {"type": "eq", "fun": lambda p: p.sum() - 1}
        least = minimize(
            lambda p, at=point: ((p - at) ** 2).sum(), np.full(4, 0.25), bounds=[(0, 1)] * 4, constraints=free, tol=1e-12
        )
        assert found.sum() == pytest.approx(1) and found.min() >= 0
        assert ((found - point) ** 2).sum() <= least.fun + 1e-7
        assert found == pytest.approx(least.x, abs=1e-3)


def test_far_points_go_to_one_label():
    assert np.array_equal(nearest_mixtures([[1e17, 0, 0], [-1e17, 5, 5]]), [[1, 0, 0], [0, 0.5, 0.5]])


@pytest.mark.parametrize("n_labels", [1, 3, 7])
def test_the_search_earns_what_the_nearest_mixture_does(n_labels):
    """2 A.p - W |p|^2 of sums A with columns of 0 behind them; ties, labels of nothing, and costs far above the weight."""
    rng = np.random.default_rng(n_labels)
    for scale in (0, 0.5, 2e4):
        for _ in range(50):
            W = rng.exponential()
            A = W * (rng.dirichlet(np.full(n_labels, 0.4)) + scale * rng.integers(0, 3, n_labels))
            p = nearest_mixtures(A[None] / W)[0]
            table = np.concatenate([A, np.zeros(7 - n_labels), [W]])
            labels = tuple(range(8))
            assert _crit(table, 0, labels, BRIER_COST) == pytest.approx(2 * A @ p - W * p @ p, rel=1e-9, abs=1e-12 * W)
            if scale == 0:
                assert _crit(table, 0, labels, BRIER_COST) == pytest.approx(_crit(table[:-1], 0, labels[:-1], BRIER))
    assert _crit(np.zeros(8), 0, labels, BRIER_COST) == 0


def test_mixtures_are_their_own_nearest():
    P = np.random.default_rng(0).dirichlet(np.full(5, 0.3), 50)
    assert nearest_mixtures(P) == pytest.approx(P, abs=1e-12)


def test_an_optimal_tree_answers_so_already():
    X, P, w, costs = rows()
    tree = fit_oct(X, P, w, max_depth=4, min_rows=5, seed=0, criterion="brier+cost", costs=costs, cost_weight=0.7, regrowths=2)
    again = answer_by_costs(tree, X, P, w, costs=costs, cost_weight=0.7)
    assert predict(again, X) == pytest.approx(predict(tree, X), abs=1e-6)


def test_answers_lose_less_the_more_costs_weigh():
    """Another answer is never both further from the targets and dearer; without weight leaves keep their means."""
    X, P, w, costs = rows()
    tree = fit_cart(X, P, w, max_depth=4, min_rows=5, seed=0)
    played = [predict(answer_by_costs(tree, X, P, w, costs=costs, cost_weight=c), X) for c in (0, 0.3, 1, 100)]
    assert played[0] == pytest.approx(predict(tree, X), abs=1e-6)
    lost, error = ([w @ f(p).sum(axis=1) for p in played] for f in (lambda p: p * costs, lambda p: (p - P) ** 2))
    assert (np.diff(lost) < 0).all() and (np.diff(error) > 0).all()
    leaf = leaf_of(tree, X)
    for k in np.unique(leaf):  # with all weight on costs a leaf plays its cheapest action
        here = leaf == k
        assert played[3][here][0].argmax() == (w[here] @ costs[here]).argmin()


def test_leaves_without_rows_keep_their_value():
    X, P, w, costs = rows()
    tree = fit_cart(X, P, w, max_depth=3, min_rows=5, seed=0)
    some = leaf_of(tree, X) == leaf_of(tree, X)[0]
    again = answer_by_costs(tree, X[some], P[some], w[some], costs=costs[some], cost_weight=5)
    kept = ~np.isin(np.arange(len(tree.feature)), leaf_of(tree, X[some]))
    assert np.array_equal(again.value[kept], tree.value[kept]) and not np.array_equal(again.value, tree.value)


def test_costs_leave_with_their_rows():
    """Rows of weight 0 are left out with their costs, and every learner's fit is that of the others alone."""
    X, P, w, costs = rows()
    w[::7] = 0
    kept = w > 0
    network = {"layers": 1, "width": 8, "epochs": 2, "batch": 64, "learning_rate": 0.01, "n_bets": 0}
    learners = {
        "OCT": partial(fit_oct, max_depth=3, min_rows=5, seed=0, criterion="brier+cost"),
        "CART": lambda *rows, **more: answer_by_costs(fit_cart(*rows, max_depth=3, min_rows=5, seed=0), *rows, **more),
        "XGBoost": partial(fit_boosted, max_depth=3, learning_rate=0.3, rounds=3, seed=0),
        "NN": partial(fit_neural, **network, seed=0),
    }
    for name, fit in learners.items():
        all_rows = fit(X, P, w, costs=costs, cost_weight=2)
        few = fit(X[kept], P[kept], w[kept], costs=costs[kept], cost_weight=2)
        free = fit(X[kept], P[kept], w[kept], costs=costs[kept], cost_weight=0)
        one, two, other = (predictor(model)(X) for model in (all_rows, few, free))
        assert np.array_equal(one, two), name
        assert not np.allclose(one, other, atol=0.01), name


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"costs": np.zeros((300, 3))}, r"costs have shape \(300, 3\): expected \(300, 4\), that of P"),
        ({"costs": np.full((300, 4), np.nan)}, r"cost is nan at \(0, 0\): expected a finite number"),
        ({"cost_weight": -1}, "cost_weight is -1: expected at least 0"),
        ({"w": -np.ones(300)}, "w is -1"),
        ({"w": np.ones(200)}, r"w has shape \(200,\): expected \(300,\)"),
    ],
)
def test_bad_input_is_named(changed, message):
    X, P, w, costs = rows()
    tree = fit_cart(X, P, w, max_depth=2, min_rows=5, seed=0)
    with pytest.raises(ValueError, match=message):
        answer_by_costs(tree, X, P, **({"w": w, "costs": costs, "cost_weight": 1} | changed))
