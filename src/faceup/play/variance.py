"""AIVAT: what a played hand would have paid on average, had luck been taken out (Burch et al. 2018, arXiv 1612.06915).

A hand has been played by one player whose strategy is known and an opponent of whom nothing is known but what the log shows.
Three kinds of luck are taken out: the known player's own cards (every card that could have been held is scored, by how likely the
known strategy would have played the same line with it), the known player's own draws among actions, and the cards dealt. The last
two need a value for each situation, fixed before any hand is seen: whatever those values are, the estimate stays unbiased,
and it is the better the closer they are to the truth.

Here for the small poker games of game/leduc, where every deal and line can be listed, so that mean and spread are exact.
"""

from typing import NamedTuple

import numpy as np

from faceup.game.flat_game import CHANCE, END, Game, checked_strategy
from faceup.game.leduc import Leduc


class Lines(NamedTuple):
    """The betting tree of one deal, the same for all; m nodes, parents first."""

    parent: np.ndarray  # (m,) int64, -1 at the root
    player: np.ndarray  # (m,) who decides, END at ends
    round: np.ndarray  # (m,) round of a decision, of an end the one it was reached in
    nodes: np.ndarray  # (n_deals, m) the game's node of each


class Spread(NamedTuple):
    """Mean and standard deviation of a hand, over all deals and lines, in the game's unit."""

    mean: float
    sd: float


def make_lines(leduc: Leduc) -> Lines:
    """The betting tree that all deals share."""
    game, first = leduc.game, int(leduc.deal_start[0])
    m = int(leduc.deal_start[1]) - first
    nodes = leduc.deal_start[:-1, None] + np.arange(m)
    parent = game.parent[nodes[0]].astype(np.int64) - first
    parent[0] = -1
    rounds = np.zeros(m, dtype=np.int64)
    for j in range(m):
        i = game.infoset[nodes[0, j]]
        rounds[j] = leduc.situations[i].round if i >= 0 else rounds[parent[j]]
    return Lines(parent, game.player[nodes[0]], rounds, nodes)


def _steps(game: Game, lines: Lines, strategy: np.ndarray) -> np.ndarray:
    """How likely the action that leads to each node is there, (n_deals, m); 1 at the root."""
    actions = game.action[lines.nodes]
    return np.where(actions >= 0, checked_strategy(game, strategy)[actions], 1.0)


def expected_values(leduc: Leduc, strategy: np.ndarray) -> np.ndarray:
    """What player 0 expects at each node of each deal when both play the strategy, (n_deals, m)."""
    lines = make_lines(leduc)
    steps, out = _steps(leduc.game, lines, strategy), leduc.game.value[lines.nodes].copy()
    for j in range(len(lines.parent) - 1, 0, -1):
        out[:, lines.parent[j]] += steps[:, j] * out[:, j]
    return out


def aivat(leduc: Leduc, strategy: np.ndarray, known: int, values: np.ndarray) -> np.ndarray:
    """The estimate of player 0's winnings for a hand of each deal that ends at each node, (n_deals, m); 0 at decisions.

    strategy: read at the known player's infosets only; values (n_deals, m): any guess of what player 0 will win, such as
    `expected_values`. Raises ValueError where known is not 0 or 1, or values have another shape.
    """
    lines = make_lines(leduc)
    if known not in (0, 1):
        raise ValueError(f"known is {known!r}, expected player 0 or 1")
    if np.shape(values) != lines.nodes.shape:
        raise ValueError(f"values have shape {np.shape(values)}, expected {lines.nodes.shape}, one for each deal and line")
    weights, mean = _weights(leduc, lines, strategy, known), _Means(leduc, known)
    out = np.zeros(lines.nodes.shape)
    out[:, 0] = weights[:, 0] @ values[:, 0] - mean.of(values, weights, 0, seen=False)  # the cards dealt
    children = [np.flatnonzero(lines.parent == j) for j in range(len(lines.parent))]
    for j in range(1, len(lines.parent)):
        above = lines.parent[j]
        seen = bool(lines.round[above])
        out[:, j] = out[:, above]
        if lines.player[above] == known:  # what the other actions, taken as often as they are, were worth
            total = sum(mean.sums(weights[:, k] * values[:, k], seen) for k in children[above])
            out[:, j] += _ratio(total, mean.sums(weights[:, above], seen)) - mean.of(values, weights, j, seen)
        if lines.round[j] > lines.round[above]:  # the public card was shown
            out[:, j] += mean.of(values, weights, j, seen=False) - mean.of(values, weights, j, seen=True)
    ends = np.flatnonzero(lines.player == END)
    pays = leduc.game.value[lines.nodes]
    for j in ends:
        out[:, j] += mean.of(pays, weights, j, seen=bool(lines.round[j]))
    out[:, lines.player != END] = 0
    return out


def _weights(leduc: Leduc, lines: Lines, strategy: np.ndarray, known: int) -> np.ndarray:
    """How likely cards and the known player's actions lead to each node, (n_deals, m)."""
    steps = _steps(leduc.game, lines, strategy)
    weights = np.repeat(leduc.game.chance[lines.nodes[:, :1]], len(lines.parent), axis=1)
    for j in range(1, len(lines.parent)):
        above = lines.parent[j]
        weights[:, j] = weights[:, above] * (steps[:, j] if lines.player[above] == known else 1)
    return weights


class _Means:
    """Sums over the deals that differ in what the known player may have held, and in a public card not yet seen."""

    def __init__(self, leduc: Leduc, known: int):
        deals = np.array(leduc.deals)
        other, public = deals[:, 1 - known], deals[:, 2] if deals.shape[1] > 2 else np.zeros(len(deals), dtype=np.int64)
        self._keys = {False: other, True: other * len(leduc.rules.ranks) + public}

    def sums(self, amounts: np.ndarray, seen: bool) -> np.ndarray:
        """For each deal the sum over the deals like it, (n_deals,); seen: whether the public card lies."""
        key = self._keys[seen]
        return np.bincount(key, weights=amounts)[key]

    def of(self, values: np.ndarray, weights: np.ndarray, j: int, seen: bool) -> np.ndarray:
        """The weighted mean of the values at node j over the deals like each, (n_deals,)."""
        return _ratio(self.sums(weights[:, j] * values[:, j], seen), self.sums(weights[:, j], seen))


def _ratio(part: np.ndarray, whole: np.ndarray) -> np.ndarray:
    """part / whole, 0 where the known player never comes."""
    return np.divide(part, whole, out=np.zeros_like(part), where=whole > 0)


def spread(leduc: Leduc, strategy: np.ndarray, pays: np.ndarray) -> Spread:
    """Mean and SD of `pays` (n_deals, m) at the ends, where both players play the strategy."""
    lines = make_lines(leduc)
    if leduc.game.player[0] != CHANCE:
        raise ValueError("game: expected one that begins with the deal")
    steps = _steps(leduc.game, lines, strategy)
    reach = np.repeat(leduc.game.chance[lines.nodes[:, :1]], len(lines.parent), axis=1)
    for j in range(1, len(lines.parent)):
        reach[:, j] = reach[:, lines.parent[j]] * steps[:, j]
    ends = lines.player == END
    reach, pays = reach[:, ends], pays[:, ends]
    mean = float((reach * pays).sum())
    return Spread(mean, float(np.sqrt((reach * (pays - mean) ** 2).sum())))


def payoffs_of(leduc: Leduc) -> np.ndarray:
    """What player 0 really wins at each end of each deal, (n_deals, m); 0 at decisions."""
    return leduc.game.value[make_lines(leduc).nodes]
