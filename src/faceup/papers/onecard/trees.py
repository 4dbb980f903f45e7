"""Regression trees of the one-card game: the paper's ten representations of solved games, its two
distances and two errors (Ganzfried and Yusuf, Section 4).

Representations 1 and 2 have one sample a game, 20 features and 310 probabilities as the target; 3
to 6 have one sample a card, with the card as 21st feature and its 31 probabilities as the target; 7
to 10 are like 3 to 6, but the target is one bet size, sampled with those probabilities. The text
calls the fourth "pdf values plus the cdf value of the card", which is its sixth: we number them as
the paper lists them. "The cdf value of the card" is read as the opponent's, which the paper's rules
are about. A tree is fitted once and cut back to smaller depths.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from sklearn.tree import DecisionTreeRegressor

from faceup.papers.onecard.game import CARDS, SIZES
from faceup.papers.onecard.solutions import Solutions, betting_strategies, mean_loss
from faceup.trees.cart import tree_of
from faceup.trees.tree import DecisionTree, node_depths

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
    above = generator.random((len(rows), 1)) > np.cumsum(rows, axis=1)[:, :-1]
    return SIZES[above.sum(axis=1)][:, None]


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
    return _strategies(kind, tree.predict(X))


def _strategies(kind: Representation, value: np.ndarray) -> np.ndarray:
    """Predictions (n, 310), (10 n, 31) or, one size, (10 n, 1) as strategies (n, 10, 31)."""
    if kind.sampled:
        value = np.eye(_N_SIZES)[np.rint(value[:, 0] * 10).astype(int)]
    shares = value.astype(np.float64).reshape(-1, CARDS, _N_SIZES)
    return shares / shares.sum(axis=2, keepdims=True)


def _by_card(rows: np.ndarray) -> np.ndarray:
    """Probabilities (n, 310) or (n, 31) as (n, 10 or 1, 31)."""
    return rows.reshape(len(rows), -1, _N_SIZES)


def strategy_distance(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Distance of strategies (..., 10, 31) (Algorithm 2): the earth mover's distance averaged over
    cards and scaled, so that 1 is all-in instead of a check with every card.
    """
    return np.abs(np.cumsum(first - second, axis=-1)).sum(axis=-1).mean(axis=-1) / (_N_SIZES - 1)


def tree_errors(
    kind: Representation, tree: DecisionTree, games: Solutions, depths: Sequence[int]
) -> list[tuple[int, int, float, float, float]]:
    """Errors of the tree cut at each of `depths`, averaged over games: depth, nodes, distance to
    the equilibria (Algorithm 2), one-sided exploitability in dollars (Algorithm 3) and the
    half-width of its 95 % interval. One pass, with no copy of the tree.
    """
    X, wanted = features(kind, games.own, games.other), betting_strategies(games)
    levels, errors = node_depths(tree), []
    node, rows = np.zeros(len(X), dtype=np.int32), np.arange(len(X))
    for depth in range(max(depths) + 1):
        if depth in depths:
            played = _strategies(kind, tree.value[node])
            distance = float(strategy_distance(played, wanted).mean())
            n_nodes = int((levels <= depth).sum())
            errors.append((depth, n_nodes, distance, *mean_loss(played, games)))
        goes_left = X[rows, tree.feature[node]] <= tree.threshold[node]
        child = np.where(goes_left, tree.left[node], tree.right[node])
        node = np.where(tree.feature[node] < 0, node, child)
    return errors
