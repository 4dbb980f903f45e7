"""Trees of every representation of the one-card game and their two errors.

A greedy tree is grown once and cut back to smaller depths; an optimal one is searched for each depth.
"""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import NamedTuple

import numpy as np

from faceup.notebook.intervals import mean_ci95
from faceup.onecard.bluff_pairs import Solutions, bets, worst_cases
from faceup.onecard.features import (
    Representation,
    fit_optimal_tree,
    fit_tree,
    inputs,
    output_distance,
    predicted,
    targets,
)
from faceup.trees.trees import DecisionTree, truncate


class Measured(NamedTuple):
    """A tree of one depth on the games of the test."""

    depth: int
    nodes: int
    distance: float  # to the equilibria's strategies, mean over games (Algorithm 2)
    loss: float  # one-sided exploitability in dollars, mean over games (Algorithm 3)
    ci95: float  # half-width of the loss


def grow(
    kinds: Sequence[Representation],
    games: Solutions,
    max_depth: int,
    seed: int,
    progress: Callable[[int], None] = lambda done: None,
) -> list[DecisionTree]:
    """A tree of each representation on all of `games`; two are grown at a time, which changes no result."""
    return _on_rows(kinds, games, seed, partial(fit_tree, max_depth=max_depth, seed=seed), progress)


def optimise(
    kinds: Sequence[Representation],
    games: Solutions,
    depth: int,
    *,
    min_rows: int,
    regrowths: int,
    seed: int,
    progress: Callable[[int], None] = lambda done: None,
) -> list[DecisionTree]:
    """The optimal tree of one depth for each representation, from the same rows as `grow` has; two at a time as there."""
    fit = partial(fit_optimal_tree, max_depth=depth, min_rows=min_rows, regrowths=regrowths, seed=seed)
    return _on_rows(kinds, games, seed, fit, progress)


def _on_rows(
    kinds: Sequence[Representation],
    games: Solutions,
    seed: int,
    fit: Callable[..., DecisionTree],
    progress: Callable[[int], None],
) -> list[DecisionTree]:
    """fit(kind, X, Y) on the rows that each representation makes of the games."""
    strategies = bets(games)

    def one(number: int) -> DecisionTree:
        """The tree of a representation."""
        X = inputs(kinds[number], games.own, games.other)
        Y = targets(kinds[number], strategies, np.random.default_rng([seed, number]))
        return fit(kinds[number], X, Y)

    trees = []
    with ThreadPoolExecutor(max_workers=2) as pool:
        for tree in pool.map(one, range(len(kinds))):
            trees.append(tree)
            progress(len(trees))
    return trees


def measure(kind: Representation, tree: DecisionTree, games: Solutions, depths: Sequence[int]) -> list[Measured]:
    """The tree cut at each depth: what `Measured` says, on `games`."""
    X, strategies = inputs(kind, games.own, games.other), bets(games)
    measured = []
    for depth in depths:
        cut = truncate(tree, depth)
        played = predicted(kind, cut, X)
        loss, ci95 = mean_loss(played, games)
        measured.append(Measured(depth, len(cut.feature), float(output_distance(played, strategies).mean()), loss, ci95))
    return measured


def mean_loss(strategies: np.ndarray, games: Solutions) -> tuple[float, float]:
    """One-sided exploitability in dollars of strategies (n, 10, 31), mean over games and its 95 % half-width."""
    return mean_ci95(games.value - worst_cases(games.own, games.other, strategies))


def part(games: Solutions, first: int, last: int | None = None) -> Solutions:
    """Games first to last - 1."""
    return Solutions(*(array[first:last] for array in games))
