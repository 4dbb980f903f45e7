"""Distillation: one model a street, fitted to samples of the blueprint (paper 000, Section 2.4).

`split_boards` holds out boards for choices and for the test, `sample_split` draws their samples,
`fit_streets` trains the models of the four streets, `prune_streets` prunes trees and
`score_streets` measures the distance to the blueprint. `prune_and_refit` finishes trees with
"pot-relative" features.
"""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple, TypeVar

import numpy as np

from faceup.cards.cards import canonical
from faceup.cards.equity import StreetEquities
from faceup.cards.features import OWN_BET_NAMES, STACK
from faceup.holdem.betting_tree import BettingTree
from faceup.holdem.policy import TablePolicy
from faceup.holdem.rules import CALL, FOLD
from faceup.holdem.samples import (
    TrainingSamples,
    action_costs,
    cost_shares,
    draw_samples,
    select_features,
)
from faceup.holdem.xgboost_mlp import Boosted, Neural
from faceup.trees.cart import refit_leaves
from faceup.trees.metrics import fit_metrics
from faceup.trees.prune import isotonic, prune_by
from faceup.trees.tree import DecisionTree
from faceup.util.memo import memo
from faceup.util.progress import Progress
from faceup.util.rng import Stream

# models trained or measured in parallel, each on one thread: results do not depend on it
WORKERS = 2
_FACED, _STACK = -2, -1  # columns of bet_faced and stack_to_pot in "pot-relative" samples
Model = DecisionTree | Boosted | Neural  # of one street
_Model = TypeVar("_Model", bound=Model)


class Split(NamedTuple):
    """Boards that samples are drawn from, and the numbers of those of each part."""

    boards: np.ndarray  # (n, 5) as dealt
    valid: np.ndarray  # for choices, such as where to prune
    train: np.ndarray
    test: np.ndarray


def split_boards(boards: np.ndarray, held_out: float, more: np.ndarray) -> Split:
    """Split boards (n, 5) as dealt into validation and training boards; test boards are those of
    `more` (m, 5).

    The first share `held_out` of the boards, at least two, is for validation. No flop is, up to
    suits, in two parts: a board that shares one with an earlier part is dropped. Raises ValueError
    if no training or no test board is left.
    """
    n = max(2, round(held_out * len(boards)))
    train = _without_flops_of(boards[n:], boards[:n])
    if len(train) == 0:
        raise ValueError(
            f"held_out is {held_out} of {len(boards)} boards, expected boards left for training"
        )
    used = np.concatenate([boards[:n], train])
    test = _without_flops_of(more, used)
    if len(test) == 0:
        raise ValueError(f"{len(more)} more boards, expected some with flops of their own to test")
    dealt = np.concatenate([used, test])
    return Split(dealt, *np.split(np.arange(len(dealt)), [n, len(used)]))


def _without_flops_of(boards: np.ndarray, others: np.ndarray) -> np.ndarray:
    """Boards (n, 5) whose flop is, up to suits, not a flop of the others (m, 5)."""
    flops, excluded = (
        [canonical(board[:3])[0] for board in np.asarray(part).tolist()]
        for part in (boards, others)
    )
    return boards[~np.isin(flops, excluded)]


def sample_split(
    tree: BettingTree,
    blueprint: TablePolicy,
    equities: tuple[StreetEquities, ...],
    split: Split,
    n_samples: Sequence[int],
    value_boards: int,
    stream: Stream,
    off_menu: int = 0,
) -> list[TrainingSamples]:
    """Samples of the four streets on the boards of a split, with "all" betting features.

    n_samples: of flop, turn and river on the boards of validation and training together; test
    boards have as many each. The costs of actions are measured on the first value_boards training
    boards. Further arguments: as `draw_samples` takes them.
    """
    costed = split.boards[split.train][:value_boards]
    progress = Progress("action values, boards", len(costed))
    costs = memo(action_costs, tree, blueprint, costed, progress)
    per_board = [n // (split.train[-1] + 1) for n in n_samples]
    drawn = [n * len(split.boards) for n in per_board]
    progress = Progress("samples, boards", len(split.boards))
    given = tree, blueprint, equities, drawn, split.boards, stream
    return memo(draw_samples, *given, progress=progress, costs=costs, off_menu=off_menu)


def split_samples(
    samples: Sequence[TrainingSamples], split: Split, feature_set: str
) -> list[list[TrainingSamples]]:
    """The samples of validation, training and test boards, with BETTING_FEATURES[feature_set]; all
    those before the flop in each part.
    """
    preflop, *later = select_features(samples, feature_set)
    parts = split.valid, split.train, split.test
    return [[preflop, *(on_boards(street, part) for street in later)] for part in parts]


def on_boards(samples: TrainingSamples, boards: Sequence[int] | np.ndarray) -> TrainingSamples:
    """The samples of some boards, by their numbers, with weights of mean 1."""
    chosen = np.isin(samples.board, np.asarray(boards))
    part = TrainingSamples(*(column[chosen] for column in samples))
    return part._replace(w=part.w / part.w.mean())


def fit_streets(
    fits: Sequence[Callable[[np.ndarray, np.ndarray, np.ndarray], _Model]],
    samples: Sequence[TrainingSamples],
    progress: Callable[[int], None] = lambda done: None,
) -> list[_Model]:
    """The model of each fit(X, P, w) on its samples, WORKERS at a time; the last first, since
    preflop has the fewest samples.
    """
    models = []
    with ThreadPoolExecutor(WORKERS) as pool:
        for model in pool.map(lambda fit, s: fit(s.X, s.P, s.w), fits[::-1], samples[::-1]):
            models.append(model)
            progress(len(models))
    return models[::-1]


def score_streets(
    models: Sequence[Model], samples: Sequence[TrainingSamples]
) -> list[dict[str, float]]:
    """`fit_metrics` of each model on its samples, WORKERS at a time."""
    with ThreadPoolExecutor(WORKERS) as pool:
        return list(
            pool.map(lambda model, s: fit_metrics(s.P, model.predict(s.X), s.w), models, samples)
        )


def prune_streets(
    trees: Sequence[DecisionTree], valid: Sequence[TrainingSamples], tolerance: float = 0.0
) -> list[DecisionTree]:
    """The trees pruned by `prune_by` on samples of other boards, WORKERS at a time.

    The preflop tree stays as it is, since its samples are all decisions with all hands.
    """
    with ThreadPoolExecutor(WORKERS) as pool:
        pruned = pool.map(
            lambda tree, s: prune_by(tree, s.X, s.P, s.w, tolerance), trees[1:], valid[1:]
        )
        return [trees[0], *pruned]


def prune_and_refit(
    trees: Sequence[DecisionTree],
    train: Sequence[TrainingSamples],
    valid: Sequence[TrainingSamples],
    cost_weight: float,
    tolerance: float,
) -> list[DecisionTree]:
    """Four trees with "pot-relative" features, preflop first, pruned by `prune_streets`, with
    refitted leaves.

    train: the samples of the fits; valid: those for pruning; tolerance: the relative loss that a
    pruned tree may have above the best. Leaves are refitted with costs (`refit_leaves`), such that
    no hand of the samples folds less often to a larger bet (`isotonic`).
    """
    refitted = []
    for tree, samples in zip(prune_streets(trees, valid, tolerance), train, strict=True):
        costs = cost_shares(samples)
        tree = refit_leaves(
            tree, samples.X, samples.P, samples.w, costs=costs, cost_weight=cost_weight
        )
        X = np.concatenate([samples.X, _in_other_pots(samples.X)])
        faced, stack = X.shape[1] + _FACED, X[:, _STACK]
        refitted.append(isotonic(tree, X, column=faced, most=stack, label=FOLD, other=CALL))
    return refitted


def _in_other_pots(X: np.ndarray) -> np.ndarray:
    """Samples (n, f) with "pot-relative" features and all own bets scaled by 1/2 to 2, to cover
    pots that the samples lack.
    """
    X = X.copy()
    own = X[:, _FACED - len(OWN_BET_NAMES) - 1 : _FACED - 1]  # the button stands between
    own *= np.exp2(np.linspace(-1, 1, 97))[np.arange(len(X)) % 97, None]
    put = own.sum(axis=1)
    X[:, _STACK] = np.maximum(STACK - put, 0) / (2 * put)
    return X
