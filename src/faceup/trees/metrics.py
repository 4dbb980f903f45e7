"""What every fit asks of its rows, and how far its predictions are from them.

A row is one decision: features X (n, f), the probabilities P (n, n_labels) with which the average strategy
takes each action there (0 for illegal ones), and a weight w (n,), how much the decision matters.
"""

import numpy as np

FLOOR = 1e-3  # least predicted probability in a log-loss, so that a single 0 does not make it infinite
SUM_TOLERANCE = 1e-3  # how far a row of probabilities may be from summing to 1


def fit_metrics(P: np.ndarray, predicted: np.ndarray, w: np.ndarray) -> dict[str, float]:
    """Weighted distance of predicted probabilities (n, n_labels) from the targets P (n, n_labels).

    `log_loss` is the soft cross-entropy in nats; `brier` the squared distance summed over labels; `agreement`
    the target probability of the label that the model likes best (the first one in a tie).
    """
    P, w = checked_targets(P, w)
    best = _checked_predictions(predicted, P).argmax(axis=1)
    return {
        "log_loss": log_loss(P, predicted, w),
        "brier": float(np.average(((P - predicted) ** 2).sum(axis=1), weights=w)),
        "agreement": float(np.average(P[np.arange(len(P)), best], weights=w)),
    }


def log_loss(P: np.ndarray, predicted: np.ndarray, w: np.ndarray) -> float:
    """Weighted mean of -sum(P * log(predicted)) in nats, with predictions of at least FLOOR."""
    P, w = checked_targets(P, w)
    logs = np.log(np.maximum(_checked_predictions(predicted, P), FLOOR))
    return float(np.average(-(P * logs).sum(axis=1), weights=w))


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
    """X (n, f) float32, P (n, n_labels) float64 and w (n,) float64, without the rows of weight 0.

    Raises ValueError where shapes disagree, X is not finite, P are not probabilities or w not weights.
    """
    X = checked_features(X)
    P, w = checked_targets(P, w)
    if len(X) != len(P):
        raise ValueError(f"X has {len(X)} rows and P has {len(P)}: expected as many")
    used = w > 0
    return (X, P, w) if used.all() else (X[used], P[used], w[used])


def checked_costs(costs: np.ndarray, P: np.ndarray, w: np.ndarray) -> np.ndarray:
    """costs (n, n_labels) as float64 without the rows of weight 0; raises ValueError unless finite and of the shape of P.

    P and w as in `checked_targets`, which refuses bad ones.
    """
    P, w = checked_targets(P, w)
    costs = np.asarray(costs, dtype=np.float64)
    if costs.shape != P.shape:
        raise ValueError(f"costs have shape {costs.shape}: expected {P.shape}, that of P")
    refuse(costs, ~np.isfinite(costs), "cost", "a finite number")
    return costs[w > 0]


def checked_features(X: np.ndarray) -> np.ndarray:
    """X as a finite, contiguous float32 array (n, f); raises ValueError."""
    X = np.ascontiguousarray(X, dtype=np.float32)
    if X.ndim != 2 or X.shape[1] == 0:
        raise ValueError(f"X has shape {X.shape}: expected (rows, features)")
    refuse(X, ~np.isfinite(X), "X", "finite numbers")
    return X


def checked_targets(P: np.ndarray, w: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """P (n, n_labels) and w (n,) as float64; raises ValueError unless they are probabilities and weights."""
    P, w = np.asarray(P, dtype=np.float64), np.asarray(w, dtype=np.float64)
    if P.ndim != 2 or len(P) == 0 or P.shape[1] < 2:
        raise ValueError(f"P has shape {P.shape}: expected (rows, labels) with 1 row and 2 labels at least")
    if w.shape != (len(P),):
        raise ValueError(f"w has shape {w.shape}: expected ({len(P)},), one weight a row of P")
    refuse(P, ~((P >= 0) & (P <= 1 + SUM_TOLERANCE)), "P", "probabilities from 0 to 1")
    sums = P.sum(axis=1)
    refuse(sums, np.abs(sums - 1) > SUM_TOLERANCE, "sum of P", "1")
    refuse(w, ~((w >= 0) & (w < np.inf)), "w", "finite weights of 0 or more")
    with np.errstate(over="ignore"):
        total = w.sum()
    if not 0 < total < np.inf:
        raise ValueError(f"w adds up to {total}: expected a positive, finite sum")
    return P, w


def check_range(name: str, value: float, least: float, most: float = np.inf) -> None:
    """Raises ValueError naming the setting unless it is finite and least <= value <= most."""
    if not least <= value <= most or value == np.inf:
        expected = f"at least {least}" if most == np.inf else f"{least} to {most}"
        raise ValueError(f"{name} is {value}: expected {expected}")


def check_whole(name: str, value: int, least: int, most: float = np.inf) -> None:
    """Raises ValueError naming the setting unless it is a whole number and least <= value <= most."""
    check_range(name, value, least, most)
    if not isinstance(value, int | np.integer):
        raise ValueError(f"{name} is {value}: expected a whole number")


def _checked_predictions(predicted: np.ndarray, P: np.ndarray) -> np.ndarray:
    predicted = np.asarray(predicted, dtype=np.float64)
    if predicted.shape != P.shape:
        raise ValueError(f"predicted has shape {predicted.shape}: expected {P.shape}, that of P")
    refuse(predicted, ~np.isfinite(predicted), "predicted", "finite numbers")
    return predicted


def refuse(values: np.ndarray, wrong: np.ndarray, name: str, expected: str) -> None:
    """Raises ValueError naming the first wrong value, if there is one."""
    if wrong.any():
        where = tuple(int(i) for i in np.argwhere(wrong)[0])
        raise ValueError(f"{name} is {values[where]} at {where}: expected {expected}")
