"""XGBoost and a neural network on soft labels (paper 000, Sections 2.4.3 and 2.4.4).

XGBoost's own softmax objective takes hard labels only, so the gradients are ours: for a row of
weight w with target p and prediction q = softmax(margins), the cross-entropy -w * sum(p log q) has
gradient w(q - p); as curvature we take XGBoost's bound 2wq(1 - q). Each round grows one tree a
label: a single one for all labels (`multi_output_tree`) was slower to train and worse.

XGBoost may also weigh the costs c of actions, as OCT-X does: the loss then has a second term
w * sum(c q) with gradient w q (c - sum(c q)), at most as curved as the first where no cost exceeds
1.

The network has seven hidden layers of 512, ReLU, softmax; its last layer has no bias: then a flop
network with 25 inputs and four actions has 1,591,296 parameters, as in the paper. Bets, the last
features, enter as log(1 + bet/100). Each other feature x may also enter as waves sin(2 pi k x) and
cos(2 pi k x): the blueprint's probabilities jump where one bucket of hands ends, and a network with
x alone learns a smooth curve first and the jumps last (Rahaman et al. 2019; Gorishniy, Rubachev &
Babenko 2022). Then every input is centered and scaled by its weighted mean and standard deviation
on the training rows. Everything runs on one thread of torch with deterministic algorithms: settings
of the whole process, made by the first fit or prediction.
"""

from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, Self

import numpy as np
import safetensors.torch
import torch
import xgboost as xgb
from scipy.special import log_softmax

from faceup.cards.cards import STREETS
from faceup.cards.equity import StreetEquities
from faceup.holdem.agents import load_agent
from faceup.holdem.betting_tree import BettingTree
from faceup.holdem.policy import ModelPolicy
from faceup.holdem.rules import BIG_BLIND
from faceup.trees.metrics import used_samples
from faceup.util.files import replacing
from faceup.util.memo import Cache
from faceup.util.rng import Stream

_BINS = 256
_LEAST_CURVATURE = 1e-16  # XGBoost's own: keeps the sum of a leaf positive
_PATIENCE = 10  # rounds without a lower loss on validation samples
_WAVES = (*range(1, 21), 40, 80, 160, 320)  # a unit; self-play rounds equities to 1/20 and finer
_PREDICTED_AT_ONCE = 2048  # rows: their activations stay in the cache


class _FileModel:
    """A model kept as the bytes of its file; each process decodes it once."""

    _decoded: Callable[[bytes], Any]  # the model in the bytes of a file

    def __init__(self, file: bytes | bytearray):
        self._file, self._cache = np.frombuffer(file, dtype=np.uint8), Cache()

    @property
    def _model(self) -> Any:
        if not self._cache:
            self._cache["model"] = self._decoded(self._file.tobytes())
        return self._cache["model"]

    def save(self, path: Path) -> None:
        """Write the file."""
        with replacing(path) as temporary:
            temporary.write_bytes(self._file.tobytes())

    @classmethod
    def load(cls, path: Path) -> Self:
        """Read what `save` wrote."""
        return cls(Path(path).read_bytes())


class Boosted(_FileModel):
    """A sum of trees for each label, then a softmax; its file is XGBoost's own JSON."""

    @staticmethod
    def _decoded(file: bytes) -> xgb.Booster:
        return xgb.Booster({"nthread": 1}, model_file=bytearray(file))

    @property
    def rounds(self) -> int:
        """Trees a label."""
        return self._model.num_boosted_rounds()

    def predict(self, X: np.ndarray) -> np.ndarray:
        """Probabilities (n, n_labels) float32 of rows X (n, f), on one thread; thread-safe."""
        return self._model.inplace_predict(np.ascontiguousarray(X, dtype=np.float32))


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
    costs: np.ndarray | None = None,
    valid: Sequence[np.ndarray] = (),
) -> Boosted:
    """Boost `rounds` trees a label on rows X (n, f), targets P (n, n_labels), weights w (n,) and
    costs (n, n_labels), if any.

    valid: X, P, w and costs, if any, of other samples. With them boosting ends where ten rounds
    have not lowered the loss there, and the model is that of the lowest loss.

    Weights are scaled to a mean of 1; min_child_weight is the least curvature in a leaf, which is
    at most half a unit a row and label. Features are cut into 256 quantiles, which keep all 169
    preflop hands apart. One thread, so that the bytes do not depend on the machine's; several fits
    may run in parallel threads.
    """
    X, P, w, costs = _with_costs(X, P, w, costs)
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
    stopping: dict[str, Any] = {}
    if valid:
        X, *others = _with_costs(*valid)
        evals = [(xgb.QuantileDMatrix(X, ref=rows, nthread=1), "validation")]
        stopping = {"evals": evals, "custom_metric": _loss(*others), "verbose_eval": False}
        stopping["early_stopping_rounds"] = _PATIENCE
    objective = _objective(P, w, costs)
    model = xgb.train(settings, rows, num_boost_round=rounds, obj=objective, **stopping)
    if valid:
        model = model[: model.best_iteration + 1]
    return Boosted(model.save_raw("json"))


def _with_costs(
    X: np.ndarray, P: np.ndarray, w: np.ndarray, costs: np.ndarray | None = None
) -> Sequence[np.ndarray]:
    """Checked samples; without costs these are 0."""
    costs = np.zeros(np.shape(P)) if costs is None else costs
    return used_samples(X=X, P=P, w=w, costs=costs)


def _loss(P: np.ndarray, w: np.ndarray, costs: np.ndarray) -> Callable:
    """The weighted soft cross-entropy and costs of a model's margins (n, n_labels)."""

    def measure(margins: np.ndarray, rows: xgb.DMatrix) -> tuple[str, float]:
        logs = log_softmax(margins.astype(np.float64), axis=1)
        return "loss", np.average((costs * np.exp(logs) - P * logs).sum(axis=1), weights=w)

    return measure


def _objective(P: np.ndarray, w: np.ndarray, costs: np.ndarray) -> Callable:
    """Gradients and curvatures of the weighted soft cross-entropy and the costs, in float32 as
    XGBoost keeps them.
    """
    targets, weights = P.astype(np.float32), (w / w.mean()).astype(np.float32)[:, None]
    costs, steeper = costs.astype(np.float32), np.float32(2 * (1 + np.abs(costs).max()))

    def derivatives(margins: np.ndarray, rows: xgb.DMatrix) -> tuple[np.ndarray, np.ndarray]:
        """Both for all rows and labels, (n, n_labels), at the model's present margins."""
        q = np.exp(margins - margins.max(axis=1, keepdims=True))
        q /= q.sum(axis=1, keepdims=True)
        more = q * (costs - (costs * q).sum(axis=1, keepdims=True))
        curvature = np.maximum(steeper * q * (1 - q) * weights, _LEAST_CURVATURE)
        return (q - targets + more) * weights, curvature

    return derivatives


class Neural(_FileModel):
    """A network; its file is safetensors: the layers, and the scale of the inputs."""

    _decoded = staticmethod(safetensors.torch.load)

    def predict(self, X: np.ndarray) -> np.ndarray:
        """Probabilities (n, n_labels) float32 of rows X (n, f), on one thread; thread-safe."""
        _pin_torch()
        net, inputs = self._model, _scaled(np.asarray(X, dtype=np.float32), self._model)
        with torch.no_grad():
            parts = [torch.softmax(_logits(x, net), 1) for x in inputs.split(_PREDICTED_AT_ONCE)]
        return torch.cat(parts).numpy()


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
    waves: bool = False,
    weight_decay: float = 0.0,
) -> Neural:
    """Minimize the soft cross-entropy of rows X (n, f), targets P (n, n_labels), weights w (n,) by
    Adam with decoupled weight decay (Loshchilov & Hutter 2019).

    learning_rate is the peak of one cycle: up from a 25th of it in the first tenth of the steps,
    then down to nearly 0 along a cosine. n_bets: the last features, which are dollars of 0 or more;
    the others may have waves. Several fits may run in parallel threads.
    """
    X, P, w = used_samples(X=X, P=P, w=w)
    _pin_torch()
    generator = torch.Generator().manual_seed(int(stream().integers(1 << 62)))
    frequencies = np.array(_WAVES if waves else (), dtype=np.float32)
    inputs = _inputs(X, n_bets, frequencies).astype(np.float64)
    net = _initial([inputs.shape[1], *[width] * layers, P.shape[1]], generator)
    mean = np.average(inputs, axis=0, weights=w)
    deviation = np.sqrt(np.average((inputs - mean) ** 2, axis=0, weights=w))
    deviation[deviation <= 1e-6 * np.maximum(1, np.abs(mean))] = 1  # of a constant
    scale = {
        "mean": _float32(mean),
        "deviation": _float32(deviation),
        "n_bets": torch.tensor([n_bets]),
        "frequencies": torch.from_numpy(frequencies),
    }
    targets, weights = _float32(P), _float32(w / w.mean())
    optimizer = torch.optim.AdamW(
        net.values(), learning_rate, weight_decay=weight_decay, fused=True
    )
    _train(net, _scaled(X, scale), targets, weights, epochs, batch, optimizer, generator)
    fitted = {name: tensor.detach() for name, tensor in net.items()}
    return Neural(safetensors.torch.save(scale | fitted))


def _float32(array: np.ndarray) -> torch.Tensor:
    return torch.from_numpy(array.astype(np.float32))


def _pin_torch() -> None:
    torch.use_deterministic_algorithms(True)
    torch.set_num_threads(1)  # counts for the calling thread, so each thread sets it


def _initial(widths: list[int], generator: torch.Generator) -> dict[str, torch.Tensor]:
    """Weights (after, before) and biases (after,) between neighbors of `widths`, the last without
    biases.

    He et al. 2015: normal weights that keep the size of a signal through ReLUs. Biases are small,
    as in torch's own Linear, and not 0: on inputs that are all constant, zeros would never move.
    """
    net = {}
    for k, (before, after) in enumerate(pairwise(widths)):
        weight, bias = torch.empty(after, before), torch.empty(after)
        torch.nn.init.kaiming_normal_(weight, nonlinearity="relu", generator=generator)
        net[f"weight_{k}"] = weight.requires_grad_()
        if k < len(widths) - 2:
            torch.nn.init.uniform_(bias, -(before**-0.5), before**-0.5, generator=generator)
            net[f"bias_{k}"] = bias.requires_grad_()
    return net


def _logits(x: torch.Tensor, net: dict[str, torch.Tensor]) -> torch.Tensor:
    """Of inputs x (n, f) on the network's scale, (n, n_labels)."""
    k = 0
    while f"bias_{k}" in net:
        x = torch.relu(torch.nn.functional.linear(x, net[f"weight_{k}"], net[f"bias_{k}"]))
        k += 1
    return torch.nn.functional.linear(x, net[f"weight_{k}"])


def _inputs(X: np.ndarray, n_bets: int, frequencies: np.ndarray) -> np.ndarray:
    """The network's inputs of rows X (n, f) float32: waves of all but the last n_bets features,
    these features, and the last ones as log(1 + dollars/100).
    """
    hand, bets = np.split(X, [X.shape[1] - n_bets], axis=1)
    turns = hand[:, :, None] * frequencies % 1
    angle = np.float32(2 * np.pi) * turns.reshape(len(X), -1)
    return np.hstack([np.sin(angle), np.cos(angle), hand, np.log1p(bets / np.float32(BIG_BLIND))])


def _scaled(X: np.ndarray, scale: dict[str, torch.Tensor]) -> torch.Tensor:
    """Rows X (n, f) float32 on the network's scale."""
    frequencies = scale["frequencies"].numpy()
    inputs = torch.from_numpy(_inputs(X, int(scale["n_bets"]), frequencies))
    return (inputs - scale["mean"]) / scale["deviation"]


def _train(net, inputs, targets, weights, epochs, batch, optimizer, generator) -> None:
    """Steps over shuffled batches; the last batch of an epoch may be smaller."""
    steps = epochs * -(-len(inputs) // batch)
    rise = 0.1 if steps > 10 else 0.05  # torch divides by zero where the rise is one step
    schedule = torch.optim.lr_scheduler.OneCycleLR(
        optimizer, optimizer.defaults["lr"], total_steps=steps, pct_start=rise
    )
    for _ in range(epochs):
        for rows in torch.randperm(len(inputs), generator=generator).split(batch):
            logs = torch.log_softmax(_logits(inputs[rows], net), dim=1)
            loss = (weights[rows] * -(targets[rows] * logs).sum(dim=1)).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            schedule.step()


def load_models(
    tree: BettingTree, equities: tuple[StreetEquities, ...], distill: Path, agents: Path
) -> dict[str, ModelPolicy]:
    """The distilled models as policies by name: trees from the folder `agents`, others from
    `distill`.
    """
    files = {"CART": "cart", "OCT": "oct", "OCT-X": "oct_x"}
    found = {
        name: load_agent(agents / f"{file}.json", equities).policy(tree)
        for name, file in files.items()
    }
    others = {
        "XGBoost": (Boosted, "xgboost_{}.json", found["OCT"].feature_set),
        "XGBoost-X": (Boosted, "xgboost_x_{}.json", found["OCT-X"].feature_set),
        "MLP": (Neural, "mlp_{}.safetensors", found["OCT"].feature_set),
    }
    for name, (kind, file, feature_set) in others.items():
        models = [kind.load(distill / file.format(street)) for street in STREETS]
        found[name] = ModelPolicy(tree, models, equities, feature_set)
    return found
