"""The network against the paper's parameter count and a forward pass in numpy; learning, bytes."""

from functools import partial

import numpy as np
import safetensors.numpy
import torch

from faceup.holdem.models import fit_neural
from faceup.lab.rng import rng
from faceup.trees.metrics import entropy_floor, log_loss


def soft_rows(n: int = 1500, hand: int = 2, n_labels: int = 3, seed: int = 0):
    """Hand features in 0..1, then four bets from 0 to 20,000 with most near 0."""
    rng = np.random.default_rng(seed)
    bets = np.minimum(20_000, 50 * np.floor(np.exp(rng.normal(1, 1.5, (n, 4))))) * (rng.random((n, 4)) < 0.7)
    X = np.concatenate([rng.random((n, hand)), bets], axis=1).astype(np.float32)
    scaled = np.concatenate([4 * X[:, :hand], np.log1p(bets / 100)], axis=1)
    logits = (scaled - scaled.mean(axis=0)) @ rng.normal(size=(hand + 4, n_labels))
    P = np.exp(logits - logits.max(axis=1, keepdims=True))
    return X, P / P.sum(axis=1, keepdims=True), rng.exponential(size=n)


SETTINGS = {"layers": 2, "width": 32, "epochs": 3, "batch": 128, "learning_rate": 3e-3, "stream": partial(rng, 7, "test")}


def test_the_papers_network_has_the_papers_number_of_parameters():
    settings = {"epochs": 1, "batch": 2, "learning_rate": 0.01, "stream": partial(rng, 1, "test")}
    connections, nodes = 25 * 512 + 6 * 512 * 512 + 512 * 4, 7 * 512
    found = fit_neural(np.ones((2, 25)), np.eye(4)[:2], np.ones(2), **settings)
    assert found.n_parameters == connections + nodes == 1_591_296


def test_predictions_are_those_of_a_forward_pass_by_hand(tmp_path):
    X, P, w = soft_rows()
    model = fit_neural(X, P, w, **SETTINGS)
    model.save(tmp_path / "model.safetensors")
    numbers = safetensors.numpy.load_file(tmp_path / "model.safetensors")
    x = X.astype(np.float64)
    x[:, 2:] = np.log1p(x[:, 2:] / 100)
    x = (x - np.average(x, axis=0, weights=w)) / np.sqrt(np.cov(x.T, aweights=w, ddof=0).diagonal())
    for step in (0, 2):
        x = np.maximum(0, x @ numbers[f"to_logits.{step}.weight"].T + numbers[f"to_logits.{step}.bias"])
    scores = np.exp(x @ numbers["to_logits.4.weight"].T)
    predicted = model.predict(X)
    assert predicted.dtype == np.float32
    assert np.allclose(predicted, scores / scores.sum(axis=1, keepdims=True), atol=1e-5)


def test_soft_labels_are_learnt_down_to_their_entropy():
    (X, unseen), (P, targets), (w, weights) = (np.split(rows, [2000]) for rows in soft_rows(n=3000))
    model = fit_neural(X, P, w, **SETTINGS | {"epochs": 40, "learning_rate": 1e-2})
    assert entropy_floor(P, w) - 1e-3 < log_loss(P, model.predict(X), w) < entropy_floor(P, w) + 0.03
    assert log_loss(targets, model.predict(unseen), weights) < entropy_floor(targets, weights) + 0.05


def test_the_same_bytes_on_a_rerun(tmp_path):
    X, P, w = soft_rows()
    for name, seed in (("alone", 7), ("again", 7), ("other", 8)):
        fit_neural(X, P, w, **SETTINGS | {"stream": partial(rng, seed, "test")}).save(tmp_path / name)
        torch.manual_seed(123)  # the generator of the process is not used
    alone, again, other = ((tmp_path / name).read_bytes() for name in ("alone", "again", "other"))
    assert alone == again != other
    assert torch.get_num_threads() == 1 and torch.are_deterministic_algorithms_enabled()
