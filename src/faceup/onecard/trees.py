"""Trees of the one-card game: the paper's ten representations of solved games as rows, its two distances and two errors.

Ganzfried and Yusuf, Section 4. The first two give one row a game, 20 numbers to 310 probabilities; the third to sixth one
row a card, with the card as 21st number, to 31 probabilities; the last four are like these but learn one bet size, drawn
with those probabilities. The text calls the fourth "pdf values plus the cdf value of the card", which is its sixth: we
number as it lists them. "The cdf value of the card" is read as the opponent's, of which its rules speak; OWN_RANK is the
other reading. A greedy tree is grown once and cut back to smaller depths; an optimal one is searched for each depth.

The other way to use solved games is to remember them: `nearest` and `remembered`.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from sklearn.neighbors import NearestNeighbors
from sklearn.tree import DecisionTreeRegressor

from faceup.lab.parallel import parallel
from faceup.lab.rng import Stream
from faceup.lab.stats import mean_ci95
from faceup.onecard.game import CARDS, SIZES
from faceup.onecard.solutions import Solutions, bets, worst_cases
from faceup.trees.cart import tree_of
from faceup.trees.oct import fit_oct
from faceup.trees.tree import DecisionTree, add_up, leaf_of, truncate

_MIDDLES = (0, 10, 20)  # sizes after which an optimal tree's search looks at the summed-up probabilities: $0, $1, $2


class Representation(NamedTuple):
    """How a game becomes rows."""

    name: str
    cumulative: bool  # distributions as cdf, not pdf
    card: str  # the 21st number: "" for one row a game, "card" 1..10, "rank" or "own rank": the opponent's or own cdf at it
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
OWN_RANK = Representation("6 with your own cdf", False, "own rank", False)


def inputs(kind: Representation, own: np.ndarray, other: np.ndarray) -> np.ndarray:
    """Rows (n, 20) or (10 n, 21) float32 of games given by both distributions (n, 10)."""
    both = [np.cumsum(d, axis=1) if kind.cumulative else d for d in (own, other)]
    rows = np.hstack(both)
    if kind.card:
        cards = np.tile(np.arange(1, CARDS + 1), len(own))
        rank = cards if kind.card == "card" else np.cumsum(other if kind.card == "rank" else own, axis=1).ravel()
        rows = np.column_stack([np.repeat(rows, CARDS, axis=0), rank])
    return rows.astype(np.float32)


def input_names(kind: Representation) -> list[str]:
    """What the columns of `inputs` are, in words that a condition on them can start with."""
    share = "{} or lower" if kind.cumulative else "{}"
    names = [f"{who} chance of {share.format(i)}" for who in ("your", "the opponent's") for i in range(1, CARDS + 1)]
    rank = "chance of your card or lower"
    return names + {"": [], "card": ["your card"], "rank": [f"the opponent's {rank}"], "own rank": [f"your {rank}"]}[kind.card]


def tree_targets(kind: Representation, strategies: np.ndarray, generator: np.random.Generator) -> np.ndarray:
    """What is learned from strategies (n, 10, 31): probabilities (rows, 310 or 31), or sizes (10 n, 1) drawn from them."""
    if not kind.card:
        return strategies.reshape(len(strategies), -1)
    rows = strategies.reshape(-1, len(SIZES))
    if not kind.sampled:
        return rows
    drawn = (generator.random((len(rows), 1)) > np.cumsum(rows, axis=1)[:, :-1]).sum(axis=1)
    return SIZES[drawn][:, None]


def fit_tree(kind: Representation, X: np.ndarray, Y: np.ndarray, max_depth: int, generator: np.random.Generator) -> DecisionTree:
    """scikit-learn's regression tree for rows X, targets Y of `tree_targets`; `truncate` gives those of smaller depths.

    Probabilities are summed up over sizes before the squared error is taken, so that a bet moved far costs more than one
    moved near, as in Algorithm 2. Node values are mean probabilities, or mean sizes.
    """
    learner = DecisionTreeRegressor(max_depth=max_depth, random_state=int(generator.integers(1 << 31)))
    Y = Y if kind.sampled else np.cumsum(_by_card(Y), axis=2).reshape(Y.shape)
    learner.fit(X, Y)
    value = learner.tree_.value[:, :, 0]
    if not kind.sampled:
        value = np.clip(np.diff(_by_card(value), axis=2, prepend=0), 0, None).reshape(value.shape)
    return tree_of(learner, value)


def fit_optimal_tree(
    kind: Representation, X: np.ndarray, Y: np.ndarray, max_depth: int, generator: np.random.Generator,
    *, min_rows: int, regrowths: int,
) -> DecisionTree:  # fmt: skip
    """The tree of `faceup.trees.oct` for rows X, targets Y of `tree_targets`; leaves answer as in `fit_tree`.

    One drawn size is fitted by squared error, as `fit_tree` does. Where there are 31 or 310 targets the search looks at fewer
    numbers: a card's probabilities summed up to $0, $1 and $2, or, for whole games, the mean bets of cards 1-2, 3-4, .. 9-10.
    """
    if not kind.card:
        means = (_by_card(Y) @ SIZES).reshape(len(Y), CARDS // 2, 2).mean(axis=2) / SIZES[-1]
        shares = np.hstack([means, means.shape[1] - means.sum(axis=1, keepdims=True)])
    else:
        low = Y / SIZES[-1] if kind.sampled else np.cumsum(Y, axis=1)[:, _MIDDLES]
        shares = np.hstack([low, 1 - low])
    shares = np.clip(shares, 0, None)  # whose Brier score is the squared error to search by, up to a factor
    shares /= shares.sum(axis=1, keepdims=True)
    same, stream = np.ones(len(X)), lambda: generator
    tree = fit_oct(X, shares, same, max_depth=max_depth, min_rows=min_rows, regrowths=regrowths, stream=stream)
    leaf, sums = leaf_of(tree, X), np.zeros((len(tree.feature), Y.shape[1]))
    np.add.at(sums, leaf, Y)
    counts = add_up(tree.left, tree.right, np.bincount(leaf, minlength=len(sums)))
    return tree._replace(value=(add_up(tree.left, tree.right, sums) / counts[:, None]).astype(np.float32))


def predicted(kind: Representation, tree: DecisionTree, X: np.ndarray) -> np.ndarray:
    """The strategies (n, 10, 31) that a tree plays in the games of rows X; a size is rounded to the nearest allowed."""
    value = tree.predict(X).astype(np.float64)
    if kind.sampled:
        return np.eye(len(SIZES))[np.rint(value[:, 0] * 10).astype(int)].reshape(-1, CARDS, len(SIZES))
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
    **search: int,
) -> list[DecisionTree]:
    """A tree of each representation on all of `games`.

    search: min_rows and regrowths of `fit_optimal_tree`; without them the trees are greedy.
    """
    strategies, fit = bets(games), fit_optimal_tree if search else fit_tree

    def one(number: int) -> DecisionTree:
        X, generator = inputs(kinds[number], games.own, games.other), stream(number)
        Y = tree_targets(kinds[number], strategies, generator)
        return fit(kinds[number], X, Y, max_depth, generator, **search)

    return parallel(one, range(len(kinds)), progress)


# --- errors -------------------------------------------------------------------------------------------------


def output_distance(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Distance of strategies (..., 10, 31) (Algorithm 2): mean over cards of the earth mover's distance, 1 at most."""
    return np.abs(np.cumsum(first - second, axis=-1)).sum(axis=-1).mean(axis=-1) / (len(SIZES) - 1)


class Measured(NamedTuple):
    """A tree of one depth on the games of the test."""

    depth: int
    nodes: int
    distance: float  # to the equilibria's strategies, mean over games (Algorithm 2)
    loss: float  # one-sided exploitability in dollars, mean over games (Algorithm 3)
    ci95: float  # half-width of the loss


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


# --- memory -------------------------------------------------------------------------------------------------


def nearest(memory: tuple[np.ndarray, np.ndarray], games: tuple[np.ndarray, np.ndarray], k: int) -> np.ndarray:
    """The k games of memory (n, k) nearest to each game, nearest first; both as distributions of both players (.., 10).

    Algorithm 1: the mean over the players of the earth mover's distance.
    """
    rows = [np.cumsum(np.stack(pair, axis=1), axis=2).reshape(len(pair[0]), -1) for pair in (memory, games)]
    finder = NearestNeighbors(n_neighbors=k, metric="manhattan", algorithm="brute").fit(rows[0])
    return finder.kneighbors(rows[1], return_distance=False)


def remembered(strategies: np.ndarray, neighbours: np.ndarray) -> np.ndarray:
    """The mean (n, 10, 31) of the remembered strategies (memory, 10, 31) of each game's neighbours (n, k)."""
    return sum(strategies[column] for column in neighbours.T) / neighbours.shape[1]
