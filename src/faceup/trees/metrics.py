"""What every fit asks of its rows, and how far its predictions are from them.

A row is one decision: features X (n, f), the probabilities P (n, n_labels) with which the average strategy
takes each action there (0 for illegal ones), and a weight w (n,), how much the decision matters.
"""

import numpy as np
from sklearn.utils import check_array, check_consistent_length

FLOOR = 1e-3  # least predicted probability in a log-loss, so that a single 0 does not make it infinite
SUM_TOLERANCE = 1e-3  # how far a row of probabilities may be from summing to 1


def fit_metrics(P: np.ndarray, predicted: np.ndarray, w: np.ndarray) -> dict[str, float]:
    """Weighted distance of predicted probabilities (n, n_labels) from the targets P (n, n_labels).

    `log_loss` is the soft cross-entropy in nats; `brier` the squared distance summed over labels; `agreement`
    the target probability of the label that the model likes best (the first one in a tie).
    """
    P = np.asarray(P, dtype=np.float64)
    return {
        "log_loss": log_loss(P, predicted, w),
        "brier": float(np.average(((P - predicted) ** 2).sum(axis=1), weights=w)),
        "agreement": float(np.average(P[np.arange(len(P)), predicted.argmax(axis=1)], weights=w)),
    }


def log_loss(P: np.ndarray, predicted: np.ndarray, w: np.ndarray) -> float:
    """Weighted mean of -sum(P * log(predicted)) in nats, with predictions of at least FLOOR."""
    logs = np.log(np.maximum(predicted.astype(np.float64), FLOOR))
    return float(np.average(-(P.astype(np.float64) * logs).sum(axis=1), weights=w))


def entropy_floor(P: np.ndarray, w: np.ndarray) -> float:
    """The log-loss of a model that knows P: what mixing leaves over. FLOOR alone lets a fit go below."""
    return log_loss(P, P, w)


def brier_floor(X: np.ndarray, P: np.ndarray, w: np.ndarray) -> float:
    """The least Brier score of any model of these features: of the mean of P (n, n_labels) over equal rows of X (n, f)."""
    X, P, w = checked_rows(X, P, w)
    _, group = np.unique(X, axis=0, return_inverse=True)
    group = group.reshape(-1)
    weight = np.bincount(group, weights=w)
    mean = np.stack([np.bincount(group, weights=w * p) for p in P.T], axis=1) / weight[:, None]
    return fit_metrics(P, mean[group], w)["brier"]


def nearest_mixtures(points: np.ndarray) -> np.ndarray:
    """The probabilities (n, n_labels) nearest to each point (n, n_labels) (Held, Wolfe & Crowder 1974)."""
    points = np.asarray(points, dtype=np.float64)
    points = points - points.max(axis=1, keepdims=True)  # a common shift changes nothing, and 1 must not drown
    falling = -np.sort(-points, axis=1)
    level = (falling.cumsum(axis=1) - 1) / np.arange(1, points.shape[1] + 1)
    n = (falling > level).sum(axis=1, keepdims=True)  # labels that are played
    return np.maximum(points - np.take_along_axis(level, n - 1, axis=1), 0)


def checked_rows(X: np.ndarray, P: np.ndarray, w: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """X (n, f) float32, P (n, n_labels) and w (n,) float64 without the rows of weight 0; ValueError on what is no such row."""
    X = check_array(X, dtype=np.float32, order="C", input_name="X")
    P = check_array(P, dtype=np.float64, input_name="P")
    w = check_array(w, dtype=np.float64, ensure_2d=False, input_name="w")
    check_consistent_length(X, P, w)
    if P.min() < 0 or np.abs(P.sum(axis=1) - 1).max() > SUM_TOLERANCE:
        raise ValueError("P: expected rows of probabilities that sum to 1")
    if w.ndim != 1 or w.min() < 0 or not 0 < w.sum() < np.inf:
        raise ValueError("w: expected one weight a row, 0 or more, with a positive, finite sum")
    used = w > 0
    return (X, P, w) if used.all() else (X[used], P[used], w[used])


def checked_costs(costs: np.ndarray, w: np.ndarray) -> np.ndarray:
    """costs (n, n_labels) float64 without the rows whose weight w (n,) is 0; ValueError unless finite, one row a weight."""
    costs = check_array(costs, dtype=np.float64, input_name="costs")
    check_consistent_length(costs, w)
    return costs[np.asarray(w) > 0]
