"""Distillation: one model a round from the same rows, and how close each comes (paper 000, Section
2.4).

`split_boards` keeps boards for the test, `fit_rounds` trains the four rounds side by side, and
`judge` measures them: by `score`, and by `excess`, the distance from the entropy floor with an
interval over boards. `prune_and_reanswer` finishes trees with "pot-relative" features.
"""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple, TypeVar

import numpy as np

from faceup.cards.cards import canonical
from faceup.cards.features import OWN_BET_NAMES, STACK
from faceup.holdem.models import Boosted, Neural
from faceup.holdem.rules import CALL, FOLD
from faceup.holdem.samples import TrainingSamples, cost_shares
from faceup.trees.cart import answer_by_costs
from faceup.trees.metrics import fit_metrics, log_loss
from faceup.trees.prune import isotonic, prune_by
from faceup.trees.tree import DecisionTree
from faceup.util.rng import Stream

# rounds trained or judged at a time; each runs on one thread, so that results do not depend on it
WORKERS = 2
_RESAMPLES = 2000
_FACED, _STACK = -2, -1  # columns of bet_faced and stack_to_pot of "pot-relative" rows
Model = DecisionTree | Boosted | Neural  # of one round
_Model = TypeVar("_Model", bound=Model)


class Split(NamedTuple):
    """Boards that rows are drawn from, those of the test apart from those trained on."""

    boards: np.ndarray  # (n, 5) as dealt
    train: np.ndarray  # numbers of boards
    test: np.ndarray  # numbers of the test's


class Excess(NamedTuple):
    """Log-loss above the entropy floor in nats, and its 95 % bootstrap interval (none on a single
    board).
    """

    mean: float
    low: float
    high: float


class Judgement(NamedTuple):
    """A model of one round, by `score` and `excess`."""

    trained: dict[str, float]  # on the rows trained on
    tested: dict[str, float]
    excess: Excess  # on the rows tested on


def split_boards(boards: np.ndarray, held_out: float, more: np.ndarray) -> Split:
    """Split boards (n, 5) as dealt: first those of the test, then those to train on, then `more`
    (m, 5) for the test.

    The test gets the first share `held_out` of the boards, at least two. Left out are boards to
    train on whose flop is, up to suits, that of a test board, and boards of `more` whose flop is
    one trained on. Raises ValueError where none are left to train on.
    """
    n = max(2, round(held_out * len(boards)))
    train = _sharing_no_flop(boards[n:], boards[:n])
    if len(train) == 0:
        raise ValueError(
            f"held_out is {held_out} of {len(boards)} boards, expected boards left for training"
        )
    dealt = np.concatenate([boards[:n], train, _sharing_no_flop(more, train)])
    trained = np.arange(n, n + len(train))
    return Split(dealt, trained, np.delete(np.arange(len(dealt)), trained))


def _sharing_no_flop(boards: np.ndarray, others: np.ndarray) -> np.ndarray:
    """Those of boards (n, 5) as dealt whose flop is, up to suits, that of none of the others (m,
    5).
    """
    flops, theirs = (
        [canonical(board[:3])[0] for board in np.asarray(part).tolist()]
        for part in (boards, others)
    )
    return boards[~np.isin(flops, theirs)]


def on_boards(rows: TrainingSamples, boards: Sequence[int] | np.ndarray) -> TrainingSamples:
    """The rows of some boards, by their numbers, with weights of mean 1."""
    places = np.isin(rows.board, np.asarray(boards))
    part = TrainingSamples(*(column[places] for column in rows))
    return part._replace(w=part.w / part.w.mean())


def fit_rounds(
    fits: Sequence[Callable[[np.ndarray, np.ndarray, np.ndarray], _Model]],
    rounds: Sequence[TrainingSamples],
    progress: Callable[[int], None] = lambda done: None,
) -> list[_Model]:
    """Each fit(X, P, w) on its rows, WORKERS at a time; from the last on, since preflop has fewest
    rows.
    """
    models = []
    with ThreadPoolExecutor(WORKERS) as pool:
        for model in pool.map(
            lambda fit, rows: fit(rows.X, rows.P, rows.w), fits[::-1], rounds[::-1]
        ):
            models.append(model)
            progress(len(models))
    return models[::-1]


def prune_and_reanswer(
    trees: Sequence[DecisionTree],
    train: Sequence[TrainingSamples],
    valid: Sequence[TrainingSamples],
    cost_weight: float,
    tolerance: float,
) -> list[DecisionTree]:
    """Four trees with "pot-relative" features, preflop first: pruned on rows of other boards, their
    leaves fitted again.

    train: the rows that they were grown on; valid: rows that say where to prune, but for the first
    round, whose rows are all there are; tolerance: the share by which a pruned tree may lose more
    on them than the best. Leaves count what their answers cost as well (`answer_by_costs`), and no
    hand of the rows folds less often to a larger bet (`isotonic`).
    """
    done = []
    for street, (tree, rows, others) in enumerate(zip(trees, train, valid, strict=True)):
        if street:
            tree = prune_by(tree, others.X, others.P, others.w, tolerance)
        tree = answer_by_costs(
            tree, rows.X, rows.P, rows.w, costs=cost_shares(rows), cost_weight=cost_weight
        )
        X = np.concatenate([rows.X, _in_other_pots(rows.X)])
        done.append(
            isotonic(tree, X, column=X.shape[1] + _FACED, most=X[:, _STACK], label=FOLD, other=CALL)
        )
    return done


def _in_other_pots(X: np.ndarray) -> np.ndarray:
    """Rows (n, f) with "pot-relative" features, all own bets from half to twice as large: pots that
    the rows do not have.
    """
    X = X.copy()
    own = X[:, _FACED - len(OWN_BET_NAMES) - 1 : _FACED - 1]  # the button stands between
    own *= np.exp2(np.linspace(-1, 1, 97))[np.arange(len(X)) % 97, None]
    put = own.sum(axis=1)
    X[:, _STACK] = np.maximum(STACK - put, 0) / (2 * put)
    return X


def judge(
    models: Sequence[Model],
    trained: Sequence[TrainingSamples],
    tested: Sequence[TrainingSamples],
    stream: Stream,
) -> list[Judgement]:
    """Each model on its rows trained on and tested on, WORKERS at a time."""

    def one(model: Model, train: TrainingSamples, test: TrainingSamples) -> Judgement:
        return Judgement(
            score(model, train), score(model, test), excess(model.predict(test.X), test, stream())
        )

    with ThreadPoolExecutor(WORKERS) as pool:
        return list(pool.map(one, models, trained, tested))


def score(model: Model, rows: TrainingSamples) -> dict[str, float]:
    """Log-loss, its entropy floor, Brier score and agreement of a model on rows, as `fit_metrics`
    has them.
    """
    return fit_metrics(rows.P, model.predict(rows.X), rows.w)


def excess(predicted: np.ndarray, rows: TrainingSamples, generator: np.random.Generator) -> Excess:
    """Log-loss of predictions (n, n_labels) above the entropy floor; the interval resamples boards,
    whose rows are alike.
    """
    above = log_loss(rows.P, predicted) - log_loss(rows.P, rows.P)
    places, board = np.unique(rows.board, return_inverse=True)
    total = np.bincount(board, weights=rows.w * above)
    weight = np.bincount(board, weights=rows.w)
    draws = generator.integers(len(places), size=(_RESAMPLES, len(places)))
    means = total[draws].sum(axis=1) / weight[draws].sum(axis=1)
    low, high = np.quantile(means, [0.025, 0.975])
    return Excess(float(total.sum() / weight.sum()), float(low), float(high))
