"""Regression trees of the one-card game: the paper's ten representations of solved games, its two
distances and two errors (Ganzfried and Yusuf, Section 4).

Representations 1 and 2 have one sample a game, 20 features and 310 probabilities as the target; 3
to 6 have one sample a card, with the card as 21st feature and its 31 probabilities as the target; 7
to 10 are like 3 to 6, but the target is one bet size, sampled with those probabilities. The text
calls the fourth "pdf values plus the cdf value of the card", which is its sixth: we number them as
the paper lists them. "The cdf value of the card" is read as the opponent's, which the paper's rules
are about. A tree is fitted once and cut back to smaller depths.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numba import njit
from sklearn.tree import DecisionTreeRegressor

from faceup.papers.onecard.game import CARDS, SIZES
from faceup.papers.onecard.solutions import Solutions, betting_strategies, worst_case_value
from faceup.trees.cart import tree_of
from faceup.trees.tree import DecisionTree, node_depths
from faceup.util.parallel import on_threads, parallel
from faceup.util.rng import Stream
from faceup.util.stats import mean_ci95

_N_SIZES = len(SIZES)


class Representation(NamedTuple):
    """How a game becomes samples."""

    name: str
    cumulative: bool  # both distributions as cdf, not pdf
    # 21st feature: "card" 1..10, or "rank", the opponent's cdf at the card; "": one sample a game
    card: str
    sampled: bool  # the target is one sampled size in dollars, not probabilities


REPRESENTATIONS = (
    Representation("1: cdf", True, "", False),
    Representation("2: pdf", False, "", False),
    Representation("3: cdf, card", True, "card", False),
    Representation("4: pdf, card", False, "card", False),
    Representation("5: cdf, card's cdf", True, "rank", False),
    Representation("6: pdf, card's cdf", False, "rank", False),
    Representation("7: cdf, card; one size", True, "card", True),
    Representation("8: pdf, card; one size", False, "card", True),
    Representation("9: cdf, card's cdf; one size", True, "rank", True),
    Representation("10: pdf, card's cdf; one size", False, "rank", True),
)


def features(kind: Representation, own: np.ndarray, other: np.ndarray) -> np.ndarray:
    """Samples (n, 20) or (10 n, 21) float32 of games given by both distributions (n, 10)."""
    X = np.hstack([np.cumsum(d, axis=1) if kind.cumulative else d for d in (own, other)])
    if kind.card:
        cards = np.tile(np.arange(1, CARDS + 1), len(own))
        rank = cards if kind.card == "card" else np.cumsum(other, axis=1).ravel()
        X = np.column_stack([np.repeat(X, CARDS, axis=0), rank])
    return X.astype(np.float32)


def feature_names(kind: Representation) -> list[str]:
    """The columns of `features` as noun phrases that a condition can start with."""
    cards = [f"{i} or lower" if kind.cumulative else f"{i}" for i in range(1, CARDS + 1)]
    names = [f"{who} chance of {card}" for who in ("your", "the opponent's") for card in cards]
    of_card = {"card": "your card", "rank": "the opponent's chance of your card or lower"}
    return names + [of_card[kind.card]] if kind.card else names


def targets(
    kind: Representation, strategies: np.ndarray, generator: np.random.Generator
) -> np.ndarray:
    """Targets from strategies (n, 10, 31): probabilities (n, 310) or (10 n, 31), or sampled sizes
    in dollars (10 n, 1).
    """
    if not kind.card:
        return strategies.reshape(len(strategies), -1)
    rows = strategies.reshape(-1, _N_SIZES)
    if not kind.sampled:
        return rows
    draws = generator.random((len(rows), 1))
    sampled = (draws > np.cumsum(rows, axis=1)[:, :-1]).sum(axis=1)
    return SIZES[sampled][:, None]


def fit_tree(
    kind: Representation,
    X: np.ndarray,
    Y: np.ndarray,
    max_depth: int,
    generator: np.random.Generator,
) -> DecisionTree:
    """scikit-learn's regression tree of features X and targets Y; `truncate` gives smaller depths.

    The squared error is that of probabilities cumulated over sizes, so that a bet moved far costs
    more than one moved near, as in Algorithm 2. Node values are mean probabilities or mean sizes.
    """
    learner = DecisionTreeRegressor(
        max_depth=max_depth, random_state=int(generator.integers(1 << 31))
    )
    if not kind.sampled:
        Y = np.cumsum(_by_card(Y), axis=2).reshape(Y.shape)
    learner.fit(X, Y)
    value = learner.tree_.value[:, :, 0]
    if not kind.sampled:
        value = np.clip(np.diff(_by_card(value), axis=2, prepend=0), 0, None).reshape(value.shape)
    return tree_of(learner, value)


def predicted_strategies(kind: Representation, tree: DecisionTree, X: np.ndarray) -> np.ndarray:
    """The strategies (n, 10, 31) that a tree predicts from features X; a size is rounded to the
    nearest allowed.
    """
    value = tree.predict(X).astype(np.float64)
    if kind.sampled:
        return _pure(value).reshape(-1, CARDS, _N_SIZES)
    shares = value.reshape(-1, CARDS, _N_SIZES)
    return shares / shares.sum(axis=2, keepdims=True)


def _by_card(rows: np.ndarray) -> np.ndarray:
    """Probabilities (n, 310) or (n, 31) as (n, 10 or 1, 31)."""
    return rows.reshape(len(rows), -1, _N_SIZES)


def _pure(value: np.ndarray) -> np.ndarray:
    """Sizes in dollars (n, 1), rounded to the nearest allowed, as probabilities (n, 31)."""
    return np.eye(_N_SIZES)[np.rint(value[:, 0] * 10).astype(int)]


def fit_trees(
    kinds: Sequence[Representation],
    games: Solutions,
    max_depth: int,
    stream: Stream,
    progress: Callable[[int], None] = lambda done: None,
) -> list[DecisionTree]:
    """One tree for each representation, fitted to all of `games` with the generator stream(k)."""
    strategies = betting_strategies(games)

    def fit(k: int) -> DecisionTree:
        X, generator = features(kinds[k], games.own, games.other), stream(k)
        Y = targets(kinds[k], strategies, generator)
        return fit_tree(kinds[k], X, Y, max_depth, generator)

    return parallel(fit, range(len(kinds)), progress)


def strategy_distance(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Distance of strategies (..., 10, 31) (Algorithm 2): the earth mover's distance averaged over
    cards and scaled, so that 1 is all-in instead of a check with every card.
    """
    return np.abs(np.cumsum(first - second, axis=-1)).sum(axis=-1).mean(axis=-1) / (_N_SIZES - 1)


class TreeErrors(NamedTuple):
    """Errors of a tree cut at one depth, averaged over the test games."""

    depth: int
    nodes: int
    distance: float  # to the equilibria's strategies (Algorithm 2)
    loss: float  # one-sided exploitability in dollars (Algorithm 3)
    ci95: float  # half-width of the loss's interval


def tree_errors(
    kind: Representation, tree: DecisionTree, games: Solutions, depths: Sequence[int]
) -> list[TreeErrors]:
    """Errors of the tree cut at each of `depths`; one pass, with no copy of the tree."""
    X, wanted = features(kind, games.own, games.other), betting_strategies(games)
    levels, errors = node_depths(tree), []
    table = _by_card(_pure(tree.value) if kind.sampled else tree.value)
    node, rows = np.zeros(len(X), dtype=np.int32), np.arange(len(X))
    for depth in range(max(depths) + 1):
        if depth in depths:
            distance, value = np.empty((2, len(wanted)))
            by_game = node.reshape(len(wanted), -1)
            arrays = table, by_game, games.own, games.other, wanted, distance, value
            on_threads(_fill_errors, *arrays)
            loss, ci95 = mean_ci95(games.value - value)
            n_nodes = int((levels <= depth).sum())
            errors.append(TreeErrors(depth, n_nodes, float(distance.mean()), loss, ci95))
        goes_left = X[rows, tree.feature[node]] <= tree.threshold[node]
        child = np.where(goes_left, tree.left[node], tree.right[node])
        node = np.where(tree.feature[node] < 0, node, child)
    return errors


@njit(cache=True, nogil=True)
def _fill_errors(thread, table, node, own, other, wanted, distance, value):
    """Fill distance and value (n,) of the strategy that a tree predicts in each game; table (nodes,
    10 or 1, 31), node (n, 1 or 10), wanted (n, 10, 31).
    """
    played = np.empty((CARDS, wanted.shape[2]))
    for g in range(thread[0], len(own), thread[1]):
        distance[g] = 0.0
        for i in range(CARDS):
            row, ahead = table[node[g, i % node.shape[1]], i % table.shape[1]], 0.0
            total = row.sum()
            for s in range(len(row)):
                played[i, s] = row[s] / total
                ahead += played[i, s] - wanted[g, i, s]
                distance[g] += abs(ahead) / (CARDS * (len(row) - 1))
        value[g] = worst_case_value(own[g], other[g], played)
