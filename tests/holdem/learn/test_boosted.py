"""Boosting against XGBoost's own softmax on hard labels, one step by hand, files."""

import numpy as np
import pytest
import xgboost as xgb

from faceup.holdem.learn.boosted import Boosted, fit_boosted


def test_hard_labels_give_the_fit_of_xgboosts_own_softmax_which_can_read_ours(tmp_path):
    rng = np.random.default_rng(0)
    X = rng.integers(51, size=(2000, 5)).astype(np.float32)  # 51 values a feature: bins hold one each
    labels, w = ((X - 25) @ rng.normal(size=(5, 4))).argmax(axis=1), rng.exponential(size=2000) + 0.01
    model = fit_boosted(X, np.eye(4)[labels], w, max_depth=4, learning_rate=0.3, rounds=10, seed=0, min_child_weight=1)
    rows = xgb.DMatrix(X, label=labels, weight=w / w.mean())
    settings = {"objective": "multi:softprob", "num_class": 4, "max_depth": 4, "learning_rate": 0.3, "base_score": 0.0}
    theirs = xgb.train(settings, rows, num_boost_round=10)
    assert len(np.unique(labels)) == 4 and theirs.num_boosted_rounds() == 10 and model.n_trees == 40
    assert np.allclose(model.predict(X), theirs.predict(rows), atol=1e-4)
    model.save(tmp_path / "model.json")
    assert np.array_equal(xgb.Booster(model_file=tmp_path / "model.json").predict(xgb.DMatrix(X)), model.predict(X))


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


@pytest.mark.parametrize("content", [b"", b"{}", b"{", b"hello", b'{"learner": {}}', b"[]"])
def test_a_file_that_is_no_model_is_named(tmp_path, content):
    path = tmp_path / "model.json"
    path.write_bytes(content)
    with pytest.raises(ValueError, match="model.json: expected a softmax of trees"):
        Boosted.load(path)
