"""Gradient boosted trees on soft labels (paper 000, Section 2.4.3: XGBoost, depth 12).

XGBoost's own softmax objective knows only hard labels, so the gradients are ours: for a row of weight w with target p and
prediction q = softmax(margins), the cross-entropy -w * sum(p log q) has gradient w(q - p); as curvature we take XGBoost's bound
2wq(1 - q). One tree a label and round: a single one for all labels (`multi_output_tree`) was slower to train and worse.
"""

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import xgboost as xgb

from faceup.lab.files import replacing
from faceup.lab.memo import Cache
from faceup.lab.rng import Stream
from faceup.trees.metrics import used_rows

_BINS = 256
_LEAST_CURVATURE = 1e-16  # XGBoost's own: keeps the sum of a leaf positive


class Boosted:
    """A fitted model: for each label a sum of trees from a margin of 0, then a softmax."""

    def __init__(self, booster: xgb.Booster):
        self._raw = np.frombuffer(booster.save_raw("ubj"), dtype=np.uint8)
        self._n_labels = int(json.loads(booster.save_config())["learner"]["learner_model_param"]["num_class"])
        self._cache = Cache()

    @property
    def _booster(self) -> xgb.Booster:
        if not self._cache:
            booster = xgb.Booster(model_file=bytearray(self._raw.tobytes()))
            booster.set_param({"nthread": 1})
            self._cache["booster"] = booster
        return self._cache["booster"]

    def predict(self, X: np.ndarray) -> np.ndarray:
        """Probabilities (n, n_labels) float32 of rows X (n, f), on one thread; safe to share by threads."""
        X = np.ascontiguousarray(X, dtype=np.float32)
        return self._booster.inplace_predict(X).reshape(len(X), self._n_labels)

    @property
    def n_trees(self) -> int:
        """Trees of all boosting rounds and labels."""
        return len(self._booster.get_dump())

    @property
    def n_leaves(self) -> int:
        """Leaves of all trees."""
        return sum(text.count("leaf=") for text in self._booster.get_dump())

    def save(self, path: Path) -> None:
        """Write XGBoost's JSON, which any XGBoost can load."""
        with replacing(path) as temporary:
            temporary.write_bytes(self._booster.save_raw("json"))

    @classmethod
    def load(cls, path: Path) -> "Boosted":
        """Read what `save` wrote."""
        return cls(xgb.Booster(model_file=bytearray(Path(path).read_bytes())))


def fit_boosted(
    X: np.ndarray,
    P: np.ndarray,
    w: np.ndarray,
    *,
    max_depth: int,
    learning_rate: float,
    rounds: int,
    stream: Stream,
    min_child_weight: float = 5.0,
) -> Boosted:
    """Boost `rounds` trees a label on rows X (n, f), targets P (n, n_labels) and weights w (n,).

    Weights are scaled to a mean of 1; min_child_weight is the least curvature in a leaf, which is at most half a unit a row and
    label. Features are cut into 256 quantiles, which keep all 169 preflop hands apart. One thread, so that the bytes do not
    depend on the machine's; several fits may run in parallel threads.
    """
    X, P, w = used_rows(X, P, w)
    settings = {
        "objective": "multi:softprob",  # makes predict() a softmax; its gradients are not used
        "num_class": P.shape[1],
        "base_score": 0.0,
        "disable_default_eval_metric": True,
        "tree_method": "hist",
        "max_bin": _BINS,
        "max_depth": max_depth,
        "min_child_weight": min_child_weight,
        "learning_rate": learning_rate,
        "seed": int(stream().integers(1 << 31)),
        "nthread": 1,
    }
    rows = xgb.QuantileDMatrix(X, max_bin=_BINS, nthread=1)
    return Boosted(xgb.train(settings, rows, num_boost_round=rounds, obj=_objective(P, w)))


def _objective(P: np.ndarray, w: np.ndarray) -> Callable:
    """Gradients and curvatures of the weighted soft cross-entropy, in float32 as XGBoost keeps them."""
    targets, weights = P.astype(np.float32), (w / w.mean()).astype(np.float32)[:, None]

    def derivatives(margins: np.ndarray, rows: xgb.DMatrix) -> tuple[np.ndarray, np.ndarray]:
        """Both for all rows and labels, (n, n_labels), at the model's present margins."""
        q = np.exp(margins - margins.max(axis=1, keepdims=True))
        q /= q.sum(axis=1, keepdims=True)
        return (q - targets) * weights, np.maximum(2 * q * (1 - q) * weights, _LEAST_CURVATURE)

    return derivatives
