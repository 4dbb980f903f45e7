"""Waves by hand, and the steps that a network with waves learns where the plain one does not."""

import numpy as np
import pytest

from faceup.holdem.learn.neural import fit_neural
from faceup.holdem.studies.periodic import DECILE_OCTAVES, EQUITY_OCTAVES, fit_periodic, with_waves
from faceup.trees.metrics import log_loss

SETTINGS = {"layers": 2, "width": 64, "epochs": 30, "batch": 128, "learning_rate": 3e-3, "seed": 1, "n_bets": 1}


def stepped_rows(n: int = 4000):
    """Equities in 0..1 and a bet; the answer is one of two, and jumps at every 25th of the equity."""
    rng = np.random.default_rng(3)
    X = np.stack([rng.random(n), 100.0 * rng.integers(0, 3, n)], axis=1).astype(np.float32)
    first = np.random.default_rng(4).random(25)[(25 * X[:, 0]).astype(int)] < 0.5
    P = np.where(first[:, None], [0.9, 0.1], [0.1, 0.9])
    return X, P, np.ones(n)


def test_waves_are_sines_and_cosines_of_octaves_before_the_features():
    X = np.array([[0.3, 0.7, 500], [1.0, 0.0, 0]], dtype=np.float32)
    found, n = with_waves(X, n_bets=1), EQUITY_OCTAVES + DECILE_OCTAVES
    assert found.shape == (2, 2 * n + 3) and found.dtype == np.float32
    angle = [2 * np.pi * 2.0**k * X[:, f].astype(np.float64) for f, m in ((0, 10), (1, 5)) for k in range(m)]
    np.testing.assert_allclose(found[:, :n], np.sin(angle).T, atol=2e-4)
    np.testing.assert_allclose(found[:, n : 2 * n], np.cos(angle).T, atol=2e-4)
    assert (found[:, 2 * n :] == X).all()


def test_neighbours_on_the_river_differ():
    """Equities of the river are multiples of 1/1980."""
    waves = with_waves(np.arange(1981, dtype=np.float32)[:, None] / np.float32(1980), n_bets=0)
    assert np.abs(np.diff(waves[:, :-1], axis=0)).max(axis=1).min() > 0.5


def test_steps_are_learnt_with_waves():
    """Both networks see the same rows as long; the plain one leaves most of the steps."""
    X, P, w = stepped_rows()
    seen, unseen = slice(0, 3000), slice(3000, None)
    floor = log_loss(P[unseen], P[unseen], w[unseen])
    models = [fit(X[seen], P[seen], w[seen], **SETTINGS) for fit in (fit_neural, fit_periodic)]
    plain, waves = (log_loss(P[unseen], model.predict(X[unseen]), w[unseen]) - floor for model in models)
    assert waves < 0.5 * plain


def test_bad_arguments_are_named():
    X, P, w = stepped_rows(20)
    with pytest.raises(ValueError, match="n_bets is 2: expected 0 to 1"):
        with_waves(X, 2)
    with pytest.raises(ValueError, match="X is nan at"):
        fit_periodic(np.where(X > 0, np.nan, X), P, w, **SETTINGS)
    model = fit_periodic(X, P, w, **SETTINGS | {"epochs": 1})
    with pytest.raises(ValueError, match="features: expected"):
        model.predict(X[:, [0, 0, 1]])
