"""Costs beside targets, as every learner takes them."""

from functools import partial

import numpy as np

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
