"""What CART, OCT, XGBoost and the network promise alike; boosting and the network against XGBoost's
own, and by hand.
"""

import re
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import numpy as np
import pytest
import safetensors.numpy
import torch
import xgboost as xgb
from scipy.optimize import minimize
from scipy.special import log_softmax, softmax

from faceup.holdem.xgboost_mlp import fit_boosted, fit_neural
from faceup.trees.cart import fit_cart, refit_leaves
from faceup.trees.metrics import fit_metrics
from faceup.trees.oct import fit_oct
from faceup.util.rng import rng

STREAM = partial(rng, 0, "test")


def rows(n: int = 300, n_labels: int = 4):
    rng = np.random.default_rng(1)
    X = rng.random((n, 3)).astype(np.float32)
    P = rng.dirichlet(np.full(n_labels, 0.5), n)
    return X, P, rng.exponential(size=n)


LEARNERS = {
    "CART": partial(fit_cart, max_depth=3, min_rows=5),
    "OCT": partial(fit_oct, max_depth=3, min_rows=5),
    "XGBoost": partial(fit_boosted, max_depth=3, learning_rate=0.3, rounds=40),
    "NN": partial(
        fit_neural, layers=1, width=8, epochs=100, batch=300, learning_rate=0.01, n_bets=0
    ),
}
every_learner = pytest.mark.parametrize("name", LEARNERS)


@every_learner
def test_weights_have_no_unit_and_threads_no_part(name):
    """The same fit with weights in another unit, beside other fits in threads, and without the rows
    of weight 0.
    """
    X, P, w = rows()
    w[::7] = 0
    kept = w > 0
    fit = partial(LEARNERS[name], X, P, stream=STREAM)
    with ThreadPoolExecutor(3) as pool:
        fits = list(pool.map(fit, (w, w * 2.0**-20, w * 2.0**20)))
    fits.append(LEARNERS[name](X[kept], P[kept], w[kept], stream=STREAM))
    torch.manual_seed(123)  # the generator of the process is not used
    alone = fit(w).predict(X)
    assert all(np.array_equal(model.predict(X), alone) for model in fits)


def changed(array: np.ndarray, value: object) -> np.ndarray:
    """A copy with a value in row 3."""
    array = array.copy()
    array[3] = value
    return array


NAN, INF, (X, P, W) = np.nan, np.inf, rows(20)
REFUSED = {
    "P[3] has [nan, nan, nan, nan], expected probabilities": {"P": changed(P, NAN)},
    "P[3] has [-inf], expected": {"P": changed(P, [INF, -INF, 1, 0])},
    "P[3] has [-0.5], expected": {"P": changed(P, [-0.5, 0.5, 0.5, 0.5])},
    "P[3] has [0.5, 0.5, 0.5, 0.5], expected": {"P": changed(P, 0.5)},
    "P[0] has [1.0], expected probabilities of two or more labels": {"P": np.ones((20, 1))},
    "P is object (20, 4), expected numbers": {"P": P.astype(object)},
    "P is float64 (20,), expected numbers (20, 'n_labels')": {"P": P[:, 0]},
    "P is float64 (19, 4), expected numbers (20, 4)": {"P": P[1:]},
    "w[3] has [nan], expected 0, but not in all rows, or from": {"w": changed(W, NAN)},
    "w[3] has [-1.0], expected": {"w": changed(W, -1)},
    "w[3] has [inf], expected": {"w": changed(W, INF)},
    "w[3] has [1e-320], expected": {"w": changed(W, 1e-320)},
    "w[0] has [0.0], expected 0, but not in all rows": {"w": 0 * W},
    "w is float64 (20, 1), expected numbers (20,)": {"w": W[:, None]},
    "X[3] has [nan], expected finite numbers": {"X": changed(X, [1, NAN, 1])},
    "X[3] has [inf, -inf], expected finite numbers": {"X": changed(X, [1, INF, -INF])},
    "X[3] has [1e+39], expected": {"X": changed(X.astype(np.float64), [1e39, 1, 1])},
    "X is float32 (20, 0), expected numbers (20, 0), not empty": {"X": X[:, :0]},
    "X is float32 (0, 3), expected numbers (0, 3), not empty": {"X": X[:0], "P": P[:0], "w": W[:0]},
}


@pytest.mark.parametrize("message", REFUSED)
def test_samples_without_meaning_are_refused_by_name_row_and_value(message):
    tree = fit_cart(X, P, W, max_depth=3, min_rows=5, stream=STREAM)
    learners = [partial(fit, stream=STREAM) for fit in LEARNERS.values()]
    for learn in (*learners, partial(refit_leaves, tree, costs=np.zeros_like(P), cost_weight=1)):
        with pytest.raises(ValueError, match=f"^{re.escape(message)}.*$"):
            learn(**{"X": X, "P": P, "w": W} | REFUSED[message])


def test_costs_and_features_without_meaning_are_refused():
    tree = fit_cart(X, P, W, max_depth=3, min_rows=5, stream=STREAM)
    for costs, message in (
        (changed(P, NAN), r"\[3\] has \[nan"),
        (P[:, 1:], r" is float64 \(20, 3"),
    ):
        with pytest.raises(ValueError, match=f"costs{message}"):
            refit_leaves(tree, X, P, W, costs=costs, cost_weight=1)
        with pytest.raises(ValueError, match=f"costs{message}"):
            LEARNERS["XGBoost"](X, P, W, stream=STREAM, costs=costs)
    with pytest.raises(ValueError, match=r"X is \(20, 1\), expected \(n, f\) with f > [12]"):
        tree.predict(X[:, :1])


@every_learner
@pytest.mark.parametrize("n_kinds", [1, 2])
def test_each_kind_of_rows_gets_the_weighted_mean(name, n_kinds):
    """Also where all features are constant."""
    _, P, w = rows(400)
    kind = np.arange(400) % n_kinds
    X = np.stack([kind, np.full(400, 300), kind], axis=1)
    more = {"XGBoost": {"rounds": 200}, "NN": {"epochs": 600, "batch": 400}}
    model = LEARNERS[name](X, P, w, stream=STREAM, **more.get(name, {}))
    for here in (kind == k for k in range(n_kinds)):
        assert model.predict(X[here])[0] == pytest.approx(
            np.average(P[here], axis=0, weights=w[here]), abs=2e-3
        )


def test_costs_move_predictions_to_where_a_minimizer_finds_the_least_loss():
    X, P, w = np.full((400, 1), 300), *rows(400)[1:]
    costs = np.random.default_rng(2).uniform(-1, 1, P.shape) + [0, 0.5, 0, -0.5]
    p, c = np.average(P, axis=0, weights=w), np.average(costs, axis=0, weights=w)
    q = softmax(minimize(lambda z: c @ softmax(z) - p @ log_softmax(z), np.zeros(4), tol=1e-12).x)
    model = LEARNERS["XGBoost"](X, P, w, rounds=400, stream=STREAM, costs=costs)
    assert model.predict(X)[0] == pytest.approx(q, abs=2e-3) and np.abs(q - p).max() > 0.05


@pytest.mark.parametrize("name", ["XGBoost", "NN"])
def test_a_saved_model_predicts_the_same(name, tmp_path):
    X, P, w = rows()
    model = LEARNERS[name](X, P, w, stream=STREAM)
    model.save(tmp_path / "model")
    loaded = type(model).load(tmp_path / "model")
    assert np.array_equal(loaded.predict(X), model.predict(X))
    assert loaded.predict(X).dtype == np.float32


def test_hard_labels_give_the_fit_of_xgboosts_own_softmax_which_can_read_ours(tmp_path):
    rng = np.random.default_rng(0)
    # 51 values a feature: bins hold one each
    X = rng.integers(51, size=(2000, 5)).astype(np.float32)
    labels = ((X - 25) @ rng.normal(size=(5, 4))).argmax(axis=1)
    w = rng.exponential(size=2000) + 0.01
    model = fit_boosted(
        X,
        np.eye(4)[labels],
        w,
        max_depth=4,
        learning_rate=0.3,
        rounds=10,
        stream=STREAM,
        min_child_weight=1,
    )
    rows = xgb.DMatrix(X, label=labels, weight=w / w.mean())
    settings = {
        "objective": "multi:softprob",
        "num_class": 4,
        "max_depth": 4,
        "learning_rate": 0.3,
        "base_score": 0.0,
    }
    theirs = xgb.train(settings, rows, num_boost_round=10)
    assert len(np.unique(labels)) == 4 and theirs.num_boosted_rounds() == 10
    assert np.allclose(model.predict(X), theirs.predict(rows), atol=1e-4)
    model.save(tmp_path / "model.json")
    assert np.array_equal(
        xgb.Booster(model_file=tmp_path / "model.json").predict(xgb.DMatrix(X)), model.predict(X)
    )


@pytest.mark.parametrize("weight", [0, 0.5])
def test_boosting_ends_at_the_least_loss_on_validation_samples(weight):
    """The model is that of as many rounds without validation, and none nearby has a lower loss."""
    X, P, w = betting_rows(2500)
    P = np.random.default_rng(2).dirichlet(np.ones(3), len(X)) / 2 + P / 2
    (X, unseen), (P, targets), (w, weights) = (np.split(each, [1500]) for each in (X, P, w))
    costs = weight * np.random.default_rng(3).random((2500, 3))
    fit = partial(LEARNERS["XGBoost"], X, P, w, stream=STREAM, costs=costs[:1500], max_depth=8)
    whole, losses = xgb.Booster(model_file=bytearray(fit()._file.tobytes())), []
    for n in range(1, 41):
        q = whole.inplace_predict(unseen, iteration_range=(0, n))
        loss = (costs[1500:] * q - targets * np.log(q)).sum(axis=1)
        losses.append(np.average(loss, weights=weights))
    best = 1 + int(np.argmin(losses))
    stopped = fit(valid=(unseen, targets, weights, costs[1500:]))
    assert 1 < best < 30
    assert np.array_equal(stopped.predict(unseen), fit(rounds=best).predict(unseen))


def test_the_papers_network_has_the_papers_number_of_parameters(tmp_path):
    found = fit_neural(
        np.ones((2, 25)),
        np.eye(4)[:2],
        np.ones(2),
        epochs=1,
        batch=2,
        learning_rate=0.01,
        stream=STREAM,
    )
    found.save(tmp_path / "model.safetensors")
    layers = safetensors.numpy.load_file(tmp_path / "model.safetensors")
    sizes = [x.size for name, x in layers.items() if name.startswith(("weight", "bias"))]
    assert sum(sizes) == 1_591_296


@pytest.mark.parametrize("frequencies", [[], [*range(1, 21), 40, 80, 160, 320]])
def test_predictions_are_those_of_a_forward_pass_by_hand(frequencies, tmp_path):
    X, P, w = rows(1500)
    X = np.concatenate(
        [X, np.random.default_rng(0).choice([0, 50, 300, 20_000], (1500, 4))], axis=1
    ).astype(np.float32)
    shape = {"layers": 2, "width": 32, "epochs": 3, "batch": 128, "learning_rate": 3e-3}
    model = fit_neural(X, P, w, **shape, waves=bool(frequencies), stream=STREAM)
    model.save(tmp_path / "model.safetensors")
    numbers = safetensors.numpy.load_file(tmp_path / "model.safetensors")
    x = X.astype(np.float64)
    x[:, 3:] = np.log1p(x[:, 3:] / 100)
    waves = [(wave, f, k) for wave in (np.sin, np.cos) for f in range(3) for k in frequencies]
    turns = [(np.float32(k) * X[:, f]).astype(np.float64) for _, f, k in waves]
    columns = [wave(2 * np.pi * x) for (wave, *_), x in zip(waves, turns, strict=True)]
    x = np.column_stack([*columns, x])
    x = (x - np.average(x, axis=0, weights=w)) / np.sqrt(np.cov(x.T, aweights=w, ddof=0).diagonal())
    for k in (0, 1):
        x = np.maximum(0, x @ numbers[f"weight_{k}"].T + numbers[f"bias_{k}"])
    scores = np.exp(x @ numbers["weight_2"].T)
    assert np.allclose(model.predict(X), scores / scores.sum(axis=1, keepdims=True), atol=1e-5)


def betting_rows(n: int, hand: int = 2, n_labels: int = 3):
    """Hand features in 0..1, then four bets from 0 to 20,000 with most near 0."""
    rng = np.random.default_rng(0)
    bets = np.minimum(20_000, 50 * np.floor(np.exp(rng.normal(1, 1.5, (n, 4))))) * (
        rng.random((n, 4)) < 0.7
    )
    X = np.concatenate([rng.random((n, hand)), bets], axis=1).astype(np.float32)
    scaled = np.concatenate([4 * X[:, :hand], np.log1p(bets / 100)], axis=1)
    logits = (scaled - scaled.mean(axis=0)) @ rng.normal(size=(hand + 4, n_labels))
    P = np.exp(logits - logits.max(axis=1, keepdims=True))
    return X, P / P.sum(axis=1, keepdims=True), rng.exponential(size=n)


def test_soft_labels_are_learned_down_to_their_entropy():
    (X, unseen), (P, targets), (w, weights) = (
        np.split(rows, [2000]) for rows in betting_rows(n=3000)
    )
    model = fit_neural(
        X, P, w, layers=2, width=32, epochs=40, batch=128, learning_rate=1e-2, stream=STREAM
    )
    for rows, least, most in (((X, P, w), -1e-3, 0.03), ((unseen, targets, weights), -1, 0.05)):
        found = fit_metrics(rows[1], model.predict(rows[0]), rows[2])
        entropy = fit_metrics(rows[1], rows[1], rows[2])["log_loss"]
        assert least < found["log_loss"] - entropy < most
