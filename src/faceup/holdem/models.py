"""XGBoost and a neural net on soft labels (paper 000, Sections 2.4.3 and 2.4.4).

XGBoost's own softmax objective knows only hard labels, so the gradients are ours: for a row of weight w with target p and
prediction q = softmax(margins), the cross-entropy -w * sum(p log q) has gradient w(q - p); as curvature we take XGBoost's bound
2wq(1 - q). One tree a label and round: a single one for all labels (`multi_output_tree`) was slower to train and worse.

The network has seven hidden layers of 512, ReLU, softmax; its last layer has no bias: then a flop network with 25 inputs and four
actions has 1,591,296 parameters, as in the paper. Bets, the last features, pass through log(1 + bet/100); then every feature is
centred and scaled by its weighted mean and deviation on the training rows. Everything runs on one thread of torch with
deterministic algorithms, settings of the whole process, made by the first fit or prediction.
"""

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import safetensors
import safetensors.numpy
import torch
import xgboost as xgb
from torch.nn.utils import skip_init

from faceup.holdem.rules import BIG_BLIND
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


FORMAT = "faceup-neural-1"
_PREDICTED_AT_ONCE = 2048  # rows: their activations stay in the cache


class _Layers(torch.nn.Module):
    """The network itself, with the scale of its inputs."""

    mean: torch.Tensor  # (n_features,)
    deviation: torch.Tensor  # (n_features,)

    def __init__(self, n_features: int, n_labels: int, layers: int, width: int, n_bets: int):
        super().__init__()
        self.n_bets = n_bets
        self.register_buffer("mean", torch.zeros(n_features))
        self.register_buffer("deviation", torch.ones(n_features))
        steps: list[torch.nn.Module] = []
        for i in range(layers):  # skip_init: values come from a generator of our own, or from a file
            steps += [skip_init(torch.nn.Linear, width if i else n_features, width), torch.nn.ReLU()]
        self.to_logits = torch.nn.Sequential(*steps, skip_init(torch.nn.Linear, width, n_labels, bias=False))

    def inputs(self, X: np.ndarray) -> torch.Tensor:
        """Rows X (n, f) on the network's scale."""
        return (torch.from_numpy(_log_bets(X, self.n_bets)) - self.mean) / self.deviation


class Neural:
    """A network from n_features numbers, of which the last n_bets are dollars, to n_labels probabilities."""

    def __init__(self, shape: dict[str, int], numbers: dict[str, np.ndarray]):
        """shape: arguments of `_Layers`; numbers: its tensors by name."""
        self.shape, self.numbers, self._cache = shape, numbers, Cache()

    def _layers(self) -> _Layers:
        if not self._cache:
            layers = _Layers(**self.shape)
            layers.load_state_dict({name: torch.tensor(array) for name, array in self.numbers.items()})
            self._cache["layers"] = layers
        return self._cache["layers"]

    @property
    def n_parameters(self) -> int:
        """Weights and biases; the inputs' scale is not counted."""
        return sum(array.size for name, array in self.numbers.items() if name.startswith("to_logits"))

    def predict(self, X: np.ndarray) -> np.ndarray:
        """Probabilities (n, n_labels) float32 of rows X (n, f), on one thread; safe to share by threads."""
        _pin_torch()
        net, X = self._layers(), np.ascontiguousarray(X, dtype=np.float32)
        predicted = np.empty((len(X), self.shape["n_labels"]), dtype=np.float32)
        with torch.no_grad():
            for start in range(0, len(X), _PREDICTED_AT_ONCE):
                rows = slice(start, start + _PREDICTED_AT_ONCE)
                predicted[rows] = torch.softmax(net.to_logits(net.inputs(X[rows])), dim=1).numpy()
        return predicted

    def save(self, path: Path) -> None:
        """Write safetensors, with the shape as metadata (one key: several would come in any order)."""
        shape = json.dumps({"format": FORMAT, **self.shape})
        with replacing(path) as temporary:
            temporary.write_bytes(safetensors.numpy.save(self.numbers, {"faceup": shape}))

    @classmethod
    def load(cls, path: Path) -> "Neural":
        """Read what `save` wrote."""
        with safetensors.safe_open(path, framework="np") as file:
            shape = json.loads(file.metadata()["faceup"])
            numbers = {name: file.get_tensor(name) for name in file.keys()}
        if shape.pop("format") != FORMAT:
            raise ValueError(f"{path}: expected format {FORMAT}")
        return cls(shape, numbers)


def fit_neural(
    X: np.ndarray,
    P: np.ndarray,
    w: np.ndarray,
    *,
    layers: int = 7,
    width: int = 512,
    epochs: int,
    batch: int,
    learning_rate: float,
    stream: Stream,
    n_bets: int = 4,
) -> Neural:
    """Minimise the soft cross-entropy of rows X (n, f), targets P (n, n_labels), weights w (n,) by Adam.

    learning_rate is the peak of one cycle: up from a 25th of it in the first tenth of the steps, then down to
    nearly 0 along a cosine. Several fits may run in parallel threads.
    """
    X, P, w = used_rows(X, P, w)
    shape = dict(n_features=X.shape[1], n_labels=P.shape[1], layers=layers, width=width, n_bets=n_bets)
    net = _Layers(**shape)
    _pin_torch()
    generator = torch.Generator().manual_seed(int(stream().integers(1 << 62)))
    _initialise(net, generator)
    inputs = _log_bets(X, n_bets).astype(np.float64)
    mean = np.average(inputs, axis=0, weights=w)
    deviation = np.sqrt(np.average((inputs - mean) ** 2, axis=0, weights=w))
    constant = deviation <= 1e-6 * np.maximum(1, np.abs(mean))
    net.mean.copy_(torch.from_numpy(mean))
    net.deviation.copy_(torch.from_numpy(np.where(constant, 1, deviation)))
    rows = net.inputs(X), _float32(P), _float32(w / w.mean())
    _train(net.to_logits, *rows, epochs, batch, learning_rate, generator)
    return Neural(shape, {name: tensor.numpy() for name, tensor in net.state_dict().items()})


def _float32(array: np.ndarray) -> torch.Tensor:
    return torch.from_numpy(array.astype(np.float32))


def _pin_torch() -> None:
    torch.use_deterministic_algorithms(True)
    torch.set_num_threads(1)  # counts for the calling thread, so it is said again in each


def _initialise(net: _Layers, generator: torch.Generator) -> None:
    """He et al. 2015: normal weights that keep the size of a signal through ReLUs.

    Biases are small and not 0: on inputs that are all constant, zeros would never move.
    """
    for step in net.to_logits.children():
        if isinstance(step, torch.nn.Linear):
            torch.nn.init.kaiming_normal_(step.weight, nonlinearity="relu", generator=generator)
            if step.bias is not None:
                bound = step.in_features**-0.5  # as in torch's own Linear
                torch.nn.init.uniform_(step.bias, -bound, bound, generator=generator)


def _log_bets(X: np.ndarray, n_bets: int) -> np.ndarray:
    """A copy of X with its last n_bets columns as log(1 + dollars/100)."""
    X = X.copy()
    bets = X[:, X.shape[1] - n_bets :]
    np.log1p(bets / np.float32(BIG_BLIND), out=bets)
    return X


def _train(to_logits, inputs, targets, weights, epochs, batch, learning_rate, generator) -> None:
    """Adam over shuffled batches; the last batch of an epoch may be smaller."""
    steps = epochs * -(-len(inputs) // batch)
    optimizer = torch.optim.Adam(to_logits.parameters(), lr=learning_rate, fused=True)
    rise = 0.1 if steps > 10 else 0.05  # torch divides by zero where the rise is one step
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, learning_rate, total_steps=steps, pct_start=rise)
    for _ in range(epochs):
        for rows in torch.randperm(len(inputs), generator=generator).split(batch):
            logs = torch.log_softmax(to_logits(inputs[rows]), dim=1)
            loss = -(weights[rows] * (targets[rows] * logs).sum(dim=1)).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            schedule.step()
