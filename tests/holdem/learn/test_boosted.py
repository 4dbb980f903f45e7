"""Boosting against XGBoost's own softmax on hard labels, one step by hand, files."""

import json

import numpy as np
import pytest
import xgboost as xgb
from scipy.optimize import brentq

from faceup.holdem.learn.boosted import Boosted, fit_boosted
from faceup.trees.metrics import entropy_floor, log_loss


def soft_rows(n: int = 2000, f: int = 5, n_labels: int = 4, seed: int = 0):
    rng = np.random.default_rng(seed)
    X = np.round(rng.random((n, f)) * 50).astype(np.float32)  # 51 values a feature: bins hold one each
    logits = (X / 10 - 2.5) @ rng.normal(size=(f, n_labels))
    P = np.exp(logits - logits.max(axis=1, keepdims=True))
    return X, P / P.sum(axis=1, keepdims=True), rng.exponential(size=n) + 0.01


def least_in_sum(P: np.ndarray, costs: np.ndarray) -> np.ndarray:
    """The p for which -P.log(p) + costs.p is least: there P_k / p_k - costs_k is the same for all labels."""
    level = brentq(lambda a: (P / (costs + a)).sum() - 1, 1e-9 - costs.min(), 1e3)
    return P / (costs + level)


SETTINGS = {"max_depth": 4, "learning_rate": 0.3, "rounds": 10, "seed": 0, "min_child_weight": 1.0}


def model_bytes(model: Boosted, path) -> bytes:
    model.save(path)
    return path.read_bytes()


def test_hard_labels_give_the_fit_of_xgboosts_own_softmax():
    X, P, w = soft_rows()
    labels = P.argmax(axis=1)
    ours = fit_boosted(X, np.eye(4)[labels], w, **SETTINGS).predict(X)
    rows = xgb.DMatrix(X, label=labels, weight=w / w.mean())
    settings = {"objective": "multi:softprob", "num_class": 4, "max_depth": 4, "learning_rate": 0.3, "base_score": 0.0}
    theirs = xgb.train(settings, rows, num_boost_round=10)
    assert len(np.unique(labels)) == 4 and theirs.num_boosted_rounds() == 10
    assert np.allclose(ours, theirs.predict(rows), atol=1e-4)


def test_one_round_by_hand():
    """One feature of two values, depth 1, rate 1: a leaf is -sum(g) / (sum(h) + 1), from q = 1/2."""
    X, P = np.array([[0], [0], [1.0]]), np.array([[0.9, 0.1], [0.6, 0.4], [0.2, 0.8]])
    w = np.array([0.5, 1.0, 1.5])  # of mean 1
    model = fit_boosted(X, P, w, max_depth=1, learning_rate=1, rounds=1, seed=0, min_child_weight=0)
    g, h = w[:, None] * (0.5 - P), w[:, None] * np.full((3, 2), 2 * 0.25)
    margins = np.stack([-g[:2].sum(axis=0) / (h[:2].sum(axis=0) + 1), -g[2] / (h[2] + 1)])
    expected = np.exp(margins) / np.exp(margins).sum(axis=1, keepdims=True)
    assert np.allclose(model.predict(X), expected[[0, 0, 1]], atol=1e-6)
    assert model.n_trees == 2 and model.n_leaves == 4


def test_soft_labels_are_learnt_down_to_their_entropy():
    X, P, w = soft_rows()
    predicted = fit_boosted(X, P, w, **SETTINGS | {"rounds": 60, "min_child_weight": 0.1}).predict(X)
    assert predicted.dtype == np.float32 and np.allclose(predicted.sum(axis=1), 1, atol=1e-5)
    assert entropy_floor(P, w) < log_loss(P, predicted, w) < entropy_floor(P, w) + 0.05


def test_two_kinds_of_rows_with_costs_each_give_the_least_sum():
    _, P, w = soft_rows(n=400)
    X = np.repeat([[0.0], [1.0]], 200, axis=0)
    costs = np.random.default_rng(0).normal(size=P.shape) + np.where(X == 0, [0, 0.5, 1, 0], [1, 0, 0, 0.5])
    fit = SETTINGS | {"rounds": 200, "costs": costs}
    for weight in (0, 1, 4):
        model = fit_boosted(X, P, w, **fit, cost_weight=weight)
        for kind in (0, 1):
            here = X[:, 0] == kind
            means = (np.average(a[here], axis=0, weights=w[here]) for a in (P, weight * costs))
            assert np.allclose(model.predict(np.array([[kind]]))[0], least_in_sum(*means), atol=2e-3)


def test_a_saved_model_predicts_the_same(tmp_path):
    X, P, w = soft_rows()
    model = fit_boosted(X, P, w, **SETTINGS)
    saved = model_bytes(model, tmp_path / "model.json")
    assert json.loads(saved)["learner"]["objective"]["name"] == "multi:softprob"
    loaded = Boosted.load(tmp_path / "model.json")
    assert np.array_equal(loaded.predict(X), model.predict(X))
    assert model_bytes(loaded, tmp_path / "again.json") == saved
    assert loaded.n_leaves == model.n_leaves and loaded.n_trees == 40
    plain = xgb.Booster(model_file=tmp_path / "model.json")  # nothing of ours is needed to read it
    assert np.array_equal(plain.predict(xgb.DMatrix(X)), model.predict(X))
    assert loaded.predict(X[:0]).shape == (0, 4)


@pytest.mark.parametrize("content", [b"", b"{}", b"{", b"hello", b'{"learner": {}}', b"[]"])
def test_a_file_that_is_no_model_is_named(tmp_path, content):
    path = tmp_path / "model.json"
    path.write_bytes(content)
    with pytest.raises(ValueError, match="model.json: expected a softmax of trees"):
        Boosted.load(path)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"max_depth": 0}, "max_depth is 0"),
        ({"learning_rate": 0.0}, "learning_rate is 0.0"),
        ({"rounds": 0}, "rounds is 0"),
        ({"max_bin": 1}, "max_bin is 1"),
        ({"min_child_weight": -1}, "min_child_weight is -1"),
    ],
)
def test_bad_input_is_named(change, message):
    X, P, w = soft_rows()
    with pytest.raises(ValueError, match=message):
        fit_boosted(**({"X": X, "P": P, "w": w} | SETTINGS | change))


def test_rows_of_another_width_are_refused():
    X, P, w = soft_rows()
    model = fit_boosted(X, P, w, **SETTINGS)
    with pytest.raises(ValueError, match="X has 4 features: expected 5"):
        model.predict(X[:, :4])
    with pytest.raises(ValueError, match="X is nan"):
        model.predict(np.full((1, 5), np.nan))
