"""Training samples for trees and other models, and the distance of predictions from them.

A sample is one decision: features X (n, f), the probabilities P (n, n_labels) with which the
average strategy takes each action there (0 for illegal ones), and a weight w (n,). Every learner
checks them by `used_samples`.
"""

import numpy as np

LEAST = 1e-3  # predicted probability in a log-loss, so that a single 0 does not make it infinite
_LARGEST = 1e30  # feature or cost: differences of two and sums of a few are finite in float32
_FAINTEST, _HEAVIEST = 1e-100, 1e100  # weights: their ratios and sums are normal float64 numbers
_ROUNDING = 1e-4  # by which probabilities, often float32, miss the sum 1
_AXES = {"X": ("n", "f"), "w": ("n",)}  # of samples; others: (n, n_labels)


def fit_metrics(P: np.ndarray, predicted: np.ndarray, w: np.ndarray) -> dict[str, float]:
    """Weighted distance of predicted probabilities (n, n_labels) from the targets P (n, n_labels).

    `log_loss` is the soft cross-entropy -sum(P * log(predicted)) in nats, with predictions of at
    least LEAST, `brier` the squared distance summed over labels, `agreement` the target probability
    of the label with the largest prediction (the first one in a tie).
    """
    P, predicted = np.asarray(P, dtype=np.float64), np.asarray(predicted, dtype=np.float64)
    found = {
        "log_loss": -(P * np.log(np.maximum(predicted, LEAST))).sum(axis=1),
        "brier": ((P - predicted) ** 2).sum(axis=1),
        "agreement": P[np.arange(len(P)), predicted.argmax(axis=1)],
    }
    return {name: float(np.average(each, weights=w)) for name, each in found.items()}


def used_samples(**arrays: np.ndarray) -> tuple[np.ndarray, ...]:
    """The arrays without the samples of weight 0: X as float32, others as float64.

    Raises ValueError unless they describe the same samples, at least one. P (n, n_labels):
    probabilities; w (n,): weights, not all 0; X (n, f), costs (n, n_labels): finite. The error
    names the argument, the first bad row, the bad numbers there, and what was expected.
    """
    sizes: dict[str, int] = {}  # of the axes, by the first array that has them
    for name, values in arrays.items():
        array, axes = np.asarray(values), _AXES.get(name, ("n", "n_labels"))
        sizes = dict(zip(axes, array.shape, strict=False)) | sizes
        shape = tuple(sizes.get(axis, axis) for axis in axes)
        if array.dtype.kind not in "iuf" or array.shape != shape or not array.size:
            raise ValueError(
                f"{name} is {array.dtype} {array.shape}, expected numbers {shape}, not empty"
            )
        rows = array.reshape(len(array), -1)
        good, expected = np.abs(rows) <= _LARGEST, f"finite numbers up to {_LARGEST:g}"
        if name == "P":
            total = rows.clip(-2, 2).sum(axis=1, keepdims=True)  # clipped, as infinities would warn
            good = (rows >= 0) & (np.abs(total - 1) <= _ROUNDING) & (rows.shape[1] > 1)
            expected = "probabilities of two or more labels with sum 1"
        elif name == "w":
            good = (rows >= _FAINTEST) & (rows <= _HEAVIEST) | (rows == 0) & rows.any()
            expected = f"0, but not in all rows, or from {_FAINTEST:g} to {_HEAVIEST:g}"
        bad = np.flatnonzero(~good.all(axis=1))
        if len(bad):
            found = str(rows[bad[0]][~good[bad[0]]].tolist())
            raise ValueError(f"{name}[{bad[0]}] has {found:.80}, expected {expected}")
    used = np.asarray(arrays["w"]) > 0
    types = (np.float32 if name == "X" else np.float64 for name in arrays)
    return tuple(
        np.asarray(x, dtype=of)[used] for x, of in zip(arrays.values(), types, strict=True)
    )
