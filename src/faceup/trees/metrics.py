"""Training samples for trees and other models, and the distance of predictions from them.

A sample is one decision: features X (n, f), the probabilities P (n, n_labels) with which the
average strategy takes each action there (0 for illegal ones), and a weight w (n,).
"""

import numpy as np

LEAST = 1e-3  # predicted probability in a log-loss, so that a single 0 does not make it infinite


def log_loss(P: np.ndarray, predicted: np.ndarray) -> np.ndarray:
    """-sum(P * log(predicted)) in nats of each sample, (n,), with predictions of at least LEAST."""
    logs = np.log(np.maximum(predicted.astype(np.float64), LEAST))
    return -(P.astype(np.float64) * logs).sum(axis=1)


def fit_metrics(P: np.ndarray, predicted: np.ndarray, w: np.ndarray) -> dict[str, float]:
    """Weighted distance of predicted probabilities (n, n_labels) from the targets P (n, n_labels).

    `log_loss` is the soft cross-entropy in nats, `brier` the squared distance summed over labels,
    `agreement` the target probability of the label with the largest prediction (the first one in a
    tie).
    """
    found = {
        "log_loss": log_loss(P, predicted),
        "brier": ((P.astype(np.float64) - predicted) ** 2).sum(axis=1),
        "agreement": P[np.arange(len(P)), predicted.argmax(axis=1)],
    }
    return {name: float(np.average(each, weights=w)) for name, each in found.items()}


def used_samples(
    X: np.ndarray, P: np.ndarray, w: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """X (n, f) float32, P (n, n_labels) and w (n,) float64 without the samples of weight 0."""
    used = np.asarray(w) > 0
    return (
        np.asarray(X, dtype=np.float32)[used],
        np.asarray(P, dtype=np.float64)[used],
        np.asarray(w, dtype=np.float64)[used],
    )
