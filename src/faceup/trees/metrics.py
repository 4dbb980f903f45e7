"""The rows that trees and other models are fitted to, and how far its predictions are from them.

A row is one decision: features X (n, f), the probabilities P (n, n_labels) with which the average
strategy takes each action there (0 for illegal ones), and a weight w (n,), how much the decision
matters.
"""

import numpy as np

LEAST = 1e-3  # predicted probability in a log-loss, so that a single 0 does not make it infinite


def log_loss(P: np.ndarray, predicted: np.ndarray) -> np.ndarray:
    """-sum(P * log(predicted)) in nats of each row, (n,), with predictions of at least LEAST."""
    return -(P.astype(np.float64) * np.log(np.maximum(predicted.astype(np.float64), LEAST))).sum(
        axis=1
    )


def fit_metrics(P: np.ndarray, predicted: np.ndarray, w: np.ndarray) -> dict[str, float]:
    """Weighted distance of predicted probabilities (n, n_labels) from the targets P (n, n_labels).

    `log_loss` is the soft cross-entropy in nats, `floor` that of a model that knows P: what mixing
    leaves over (LEAST alone lets a fit go below); `brier` the squared distance summed over labels;
    `agreement` the target probability of the label that the model likes best (the first one in a
    tie).
    """
    found = {
        "log_loss": log_loss(P, predicted),
        "floor": log_loss(P, P),
        "brier": ((P.astype(np.float64) - predicted) ** 2).sum(axis=1),
        "agreement": P[np.arange(len(P)), predicted.argmax(axis=1)],
    }
    return {name: float(np.average(each, weights=w)) for name, each in found.items()}


def brier_floor(X: np.ndarray, P: np.ndarray, w: np.ndarray) -> float:
    """The least Brier score of any model of these features: of the mean of P (n, n_labels) over
    equal rows of X (n, f).
    """
    _, group = np.unique(X, axis=0, return_inverse=True)
    group = group.reshape(-1)
    weight = np.bincount(group, weights=w)
    mean = np.stack([np.bincount(group, weights=w * p) for p in P.T], axis=1) / weight[:, None]
    return fit_metrics(P, mean[group], w)["brier"]


def used_rows(
    X: np.ndarray, P: np.ndarray, w: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """X (n, f) float32, P (n, n_labels) and w (n,) float64 without the rows of weight 0."""
    used = np.asarray(w) > 0
    return (
        np.asarray(X, dtype=np.float32)[used],
        np.asarray(P, dtype=np.float64)[used],
        np.asarray(w, dtype=np.float64)[used],
    )
