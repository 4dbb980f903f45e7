"""What CART, OCT, XGBoost and the network promise alike, with and without costs."""

from concurrent.futures import ThreadPoolExecutor
from functools import partial

import numpy as np
import pytest

from faceup.holdem.learn.boosted import fit_boosted
from faceup.holdem.learn.distill import predictor
from faceup.holdem.learn.neural import fit_neural
from faceup.trees.cart import answer_by_costs, fit_cart
from faceup.trees.oct import fit_oct


def rows(n: int = 300, n_labels: int = 4):
    rng = np.random.default_rng(1)
    X = rng.random((n, 3)).astype(np.float32)
    P = rng.dirichlet(np.full(n_labels, 0.5), n)
    return X, P, rng.exponential(size=n), rng.normal(size=(n, n_labels)) + (X[:, :1] > 0.5) * np.eye(n_labels)[0]


def fit_cart_with_costs(X, P, w, seed, **costs):
    tree = fit_cart(X, P, w, max_depth=3, min_rows=5, seed=seed)
    return answer_by_costs(tree, X, P, w, **costs) if costs else tree


NETWORK = {"layers": 1, "width": 8, "epochs": 100, "batch": 300, "learning_rate": 0.01, "n_bets": 0}
LEARNERS = {
    "CART": fit_cart_with_costs,
    "OCT": partial(fit_oct, max_depth=3, min_rows=5),
    "XGBoost": partial(fit_boosted, max_depth=3, learning_rate=0.3, rounds=40),
    "NN": partial(fit_neural, **NETWORK),
}
every_learner = pytest.mark.parametrize("name", LEARNERS)


@every_learner
def test_costs_leave_with_their_rows(name):
    """Rows of weight 0 are left out with their costs, and every learner's fit is that of the others alone."""
    X, P, w, costs = rows()
    w[::7] = 0
    kept = w > 0
    fit = partial(LEARNERS[name], seed=0, **{"criterion": "brier+cost"} if name == "OCT" else {})
    all_rows = fit(X, P, w, costs=costs, cost_weight=2)
    few = fit(X[kept], P[kept], w[kept], costs=costs[kept], cost_weight=2)
    free = fit(X[kept], P[kept], w[kept], costs=costs[kept], cost_weight=0)
    one, two, other = (predictor(model)(X) for model in (all_rows, few, free))
    assert np.array_equal(one, two)
    assert not np.allclose(one, other, atol=0.01)


@every_learner
def test_weights_have_no_unit_and_threads_no_part(name):
    """The same fit with weights in another unit, of rows of weight 0 too, and beside other fits in threads."""
    X, P, w, _ = rows()
    w[::7] = 0
    fit = partial(LEARNERS[name], X, P, seed=3)
    with ThreadPoolExecutor(3) as pool:
        fits = list(pool.map(fit, (w, w * 2.0**-20, w * 2.0**20)))
    alone = predictor(fit(w))(X)
    assert all(np.array_equal(predictor(model)(X), alone) for model in fits)
    kept = LEARNERS[name](X[w > 0], P[w > 0], w[w > 0], seed=3)
    assert np.array_equal(predictor(kept)(X), alone)


@every_learner
def test_constant_features_give_the_weighted_mean(name):
    _, P, w, _ = rows()
    X = np.full((len(P), 3), 300.0)
    assert predictor(LEARNERS[name](X, P, w, seed=0))(X[:1])[0] == pytest.approx(np.average(P, axis=0, weights=w), abs=2e-3)


@every_learner
@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"X": np.full((300, 3), np.nan)}, "X is nan"),
        ({"w": -np.ones(300)}, "w is -1.0"),
        ({"costs": np.zeros((300, 3)), "cost_weight": 1}, r"costs have shape \(300, 3\): expected \(300, 4\), that of P"),
        ({"costs": np.full((300, 4), np.nan), "cost_weight": 1}, r"cost is nan at \(0, 0\): expected a finite number"),
        ({"costs": np.zeros((300, 4)), "cost_weight": -1}, "cost_weight is -1: expected at least 0"),
    ],
)
def test_bad_rows_are_named(name, change, message):
    X, P, w, _ = rows()
    if name == "OCT" and "costs" in change:
        change = change | {"criterion": "cost"}
    with pytest.raises(ValueError, match=message):
        LEARNERS[name](**{"X": X, "P": P, "w": w, "seed": 0} | change)
