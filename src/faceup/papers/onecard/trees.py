"""Trees of the one-card game: the paper's ten representations of solved games as rows, its two
distances and two errors.

Ganzfried and Yusuf, Section 4. The first two give one row a game, 20 numbers to 310 probabilities;
the third to sixth one row a card, with the card as 21st number, to 31 probabilities; the last four
are like these but learn one bet size, drawn with those probabilities. The text calls the fourth
"pdf values plus the cdf value of the card", which is its sixth: we number as it lists them. "The
cdf value of the card" is read as the opponent's, of which its rules speak. A tree is grown once and
cut back to smaller depths.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numba import njit
from sklearn.tree import DecisionTreeRegressor

from faceup.papers.onecard.game import CARDS, SIZES
from faceup.papers.onecard.solutions import Solutions, _worst_case, bets, worst_cases
from faceup.trees.cart import tree_of
from faceup.trees.tree import DecisionTree, node_depths
from faceup.util.parallel import on_threads, parallel
from faceup.util.rng import Stream
from faceup.util.stats import mean_ci95


class Representation(NamedTuple):
    """How a game becomes rows; card: "" for a row a game, "card" 1..10, "rank": the opponent's cdf."""

    name: str
    cumulative: bool  # distributions as cdf, not pdf
    card: str  # the 21st number
    sampled: bool  # the target is one drawn size in dollars


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


def inputs(kind: Representation, own: np.ndarray, other: np.ndarray) -> np.ndarray:
    """Rows (n, 20) or (10 n, 21) float32 of games given by both distributions (n, 10)."""
    both = [np.cumsum(d, axis=1) if kind.cumulative else d for d in (own, other)]
    rows = np.hstack(both)
    if kind.card:
        cards = np.tile(np.arange(1, CARDS + 1), len(own))
        rank = cards if kind.card == "card" else np.cumsum(other, axis=1).ravel()
        rows = np.column_stack([np.repeat(rows, CARDS, axis=0), rank])
    return rows.astype(np.float32)


def input_names(kind: Representation) -> list[str]:
    """What the columns of `inputs` are, in words that a condition on them can start with."""
    share = "{} or lower" if kind.cumulative else "{}"
    names = [
        f"{who} chance of {share.format(i)}"
        for who in ("your", "the opponent's")
        for i in range(1, CARDS + 1)
    ]
    return (
        names
        + {"": [], "card": ["your card"], "rank": ["the opponent's chance of your card or lower"]}[
            kind.card
        ]
    )


def tree_targets(
    kind: Representation, strategies: np.ndarray, generator: np.random.Generator
) -> np.ndarray:
    """What is learned from strategies (n, 10, 31): probabilities (rows, 310 or 31), or sizes (10 n,
    1) drawn from them.
    """
    if not kind.card:
        return strategies.reshape(len(strategies), -1)
    rows = strategies.reshape(-1, len(SIZES))
    if not kind.sampled:
        return rows
    drawn = (generator.random((len(rows), 1)) > np.cumsum(rows, axis=1)[:, :-1]).sum(axis=1)
    return SIZES[drawn][:, None]


def fit_tree(
    kind: Representation,
    X: np.ndarray,
    Y: np.ndarray,
    max_depth: int,
    generator: np.random.Generator,
) -> DecisionTree:
    """scikit-learn's regression tree for rows X, targets Y of `tree_targets`; `truncate` gives
    those of smaller depths.

    Probabilities are summed up over sizes before the squared error is taken, so that a bet moved
    far costs more than one moved near, as in Algorithm 2. Node values are mean probabilities, or
    mean sizes.
    """
    learner = DecisionTreeRegressor(
        max_depth=max_depth, random_state=int(generator.integers(1 << 31))
    )
    Y = Y if kind.sampled else np.cumsum(_by_card(Y), axis=2).reshape(Y.shape)
    learner.fit(X, Y)
    value = learner.tree_.value[:, :, 0]
    if not kind.sampled:
        value = np.clip(np.diff(_by_card(value), axis=2, prepend=0), 0, None).reshape(value.shape)
    return tree_of(learner, value)


def predicted(kind: Representation, tree: DecisionTree, X: np.ndarray) -> np.ndarray:
    """The strategies (n, 10, 31) that a tree plays in the games of rows X; a size is rounded to the
    nearest allowed.
    """
    value = tree.predict(X).astype(np.float64)
    if kind.sampled:
        return np.eye(len(SIZES))[np.rint(value[:, 0] * 10).astype(int)].reshape(
            -1, CARDS, len(SIZES)
        )
    shares = value.reshape(-1, CARDS, len(SIZES))
    return shares / shares.sum(axis=2, keepdims=True)


def _by_card(rows: np.ndarray) -> np.ndarray:
    return rows.reshape(len(rows), -1, len(SIZES))


def grow(
    kinds: Sequence[Representation],
    games: Solutions,
    max_depth: int,
    stream: Stream,
    progress: Callable[[int], None] = lambda done: None,
) -> list[DecisionTree]:
    """A tree of each representation on all of `games`."""
    strategies = bets(games)

    def one(number: int) -> DecisionTree:
        X, generator = inputs(kinds[number], games.own, games.other), stream(number)
        return fit_tree(
            kinds[number],
            X,
            tree_targets(kinds[number], strategies, generator),
            max_depth,
            generator,
        )

    return parallel(one, range(len(kinds)), progress)


def output_distance(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Distance of strategies (..., 10, 31) (Algorithm 2): mean over cards of the earth mover's
    distance, 1 at most.
    """
    return np.abs(np.cumsum(first - second, axis=-1)).sum(axis=-1).mean(axis=-1) / (len(SIZES) - 1)


class Measured(NamedTuple):
    """A tree of one depth on the games of the test."""

    depth: int
    nodes: int
    distance: float  # to the equilibria's strategies, mean over games (Algorithm 2)
    loss: float  # one-sided exploitability in dollars, mean over games (Algorithm 3)
    ci95: float  # half-width of the loss


def measure(
    kind: Representation, tree: DecisionTree, games: Solutions, depths: Sequence[int]
) -> list[Measured]:
    """The tree cut at each depth: what `Measured` says, on `games`; as `predicted` of `truncate`,
    without making either.
    """
    X, wanted, levels, measured = (
        inputs(kind, games.own, games.other),
        bets(games),
        node_depths(tree),
        [],
    )
    table = (
        np.eye(len(SIZES))[np.rint(tree.value[:, 0] * 10).astype(int)]
        if kind.sampled
        else tree.value
    )
    table, at, rows = _by_card(table), np.zeros(len(X), dtype=np.int32), np.arange(len(X))
    for depth in range(max(depths) + 1):
        if depth in depths:
            distance, value = np.empty((2, len(wanted)))
            on_threads(
                _judge,
                table,
                at.reshape(len(wanted), -1),
                games.own,
                games.other,
                wanted,
                distance,
                value,
            )
            loss, ci95 = mean_ci95(games.value - value)
            measured.append(
                Measured(depth, int((levels <= depth).sum()), float(distance.mean()), loss, ci95)
            )
        goes_left = X[rows, tree.feature[at]] <= tree.threshold[at]
        at = np.where(tree.feature[at] < 0, at, np.where(goes_left, tree.left[at], tree.right[at]))
    return measured


@njit(cache=True, nogil=True)
def _judge(thread, table, at, own, other, wanted, distance, value):
    """Distance and value of what a tree plays in each game; table (nodes, 10 or 1, 31), at (n, 1 or
    10): the card's node.
    """
    played = np.empty((CARDS, wanted.shape[2]))
    for g in range(thread[0], len(own), thread[1]):
        distance[g] = 0.0
        for i in range(CARDS):
            row, ahead = table[at[g, i % at.shape[1]], i % table.shape[1]], 0.0
            total = row.sum()
            for s in range(len(row)):
                played[i, s] = row[s] / total
                ahead += played[i, s] - wanted[g, i, s]
                distance[g] += abs(ahead) / (CARDS * (len(row) - 1))
        value[g] = _worst_case(own[g], other[g], played)


def mean_loss(strategies: np.ndarray, games: Solutions) -> tuple[float, float]:
    """One-sided exploitability in dollars of strategies (n, 10, 31), mean over games and its 95 %
    half-width.
    """
    return mean_ci95(games.value - worst_cases(games.own, games.other, strategies))
