"""Chance-sampled CFR on Leduc as RLCard's agent runs it (Zinkevich et al. 2007; paper 001, Section II), with its table or ours.

An iteration deals twice. Each time all betting lines of the deal are walked for one player, the small blind or the big blind
by chance; then all strategies are matched anew. Iteration t counts t^gamma in the average. The books have gamma = 0; RLCard has
gamma = 1, though the regrets of an iteration count once, and then nothing says that the average goes to an equilibrium.

The table has an entry for each key and label. With a key for each infoset this is CFR as the books have it. RLCard's key
is what the table shows of a situation, own rank, public rank and the chips of both: it forgets who bet, and even the seat, and
infosets that share a key share their regrets.
"""

from typing import NamedTuple

import numpy as np
from numba import njit

from faceup.games.cfr import normalised
from faceup.games.extensive_game import action_infoset, uniform
from faceup.leduc.game import LABELS, Leduc


class _Tables(NamedTuple):
    entry: np.ndarray  # (n_actions,) int32 entry of each action
    regrets: np.ndarray  # (n_keys * 4,)
    averages: np.ndarray  # (n_keys * 4,)
    strategy: np.ndarray  # (n_actions,)
    reach: np.ndarray  # (2, n) scratch: a player's own reach of each node
    worth: np.ndarray  # (n,) scratch: what player 0 wins from a node on


def rlcard_keys(leduc: Leduc) -> np.ndarray:
    """Key of each infoset in RLCard's table, (n_infosets,) int32, numbered from 0."""
    seen = [(s.own, s.public, sum(s.state.chips[s.player]), sum(s.state.chips[1 - s.player])) for s in leduc.situations]
    return np.unique(np.array(seen), axis=0, return_inverse=True)[1].reshape(-1).astype(np.int32)


@njit(cache=True, nogil=True)
def _match(game, first_action, tables, first, end):
    """Regret matching at the infosets of a deal, over legal actions; uniform where no regret is positive."""
    strategy = tables.strategy
    for node in range(first, end):
        i = game.infoset[node]
        if i < 0:
            continue
        total = 0.0
        for a in range(first_action[i], first_action[i + 1]):
            strategy[a] = max(tables.regrets[tables.entry[a]], 0.0)
            total += strategy[a]
        for a in range(first_action[i], first_action[i + 1]):
            strategy[a] = strategy[a] / total if total > 0.0 else 1.0 / (first_action[i + 1] - first_action[i])


@njit(cache=True, nogil=True)
def _walk(game, tables, first, end, player, weight):
    """Learn from one deal, nodes first..end, for one player."""
    reach, worth, strategy = tables.reach, tables.worth, tables.strategy
    reach[0, first], reach[1, first] = 1.0, 1.0
    worth[first] = 0.0
    for node in range(first + 1, end):
        above, action = game.parent[node], game.action[node]
        reach[0, node], reach[1, node] = reach[0, above], reach[1, above]
        reach[game.player[above], node] *= strategy[action]
        worth[node] = game.value[node]
    for node in range(end - 1, first, -1):
        worth[game.parent[node]] += strategy[game.action[node]] * worth[node]
    sign = 1.0 - 2.0 * player
    for node in range(first + 1, end):
        above, entry = game.parent[node], tables.entry[game.action[node]]
        if game.player[above] == player:
            tables.regrets[entry] += reach[1 - player, above] * sign * (worth[node] - worth[above])
            tables.averages[entry] += weight * reach[player, node]


@njit(cache=True, nogil=True)
def _advance(game, first_action, tables, start, deals, players, weights):
    """One iteration for each row of deals and players, (n, 2), and each weight in the average, (n,)."""
    for t in range(deals.shape[0]):
        for deal in deals[t]:  # both before either walk: the regrets of one are not yet known in the other
            _match(game, first_action, tables, start[deal], start[deal + 1])
        for k in range(2):
            _walk(game, tables, start[deals[t, k]], start[deals[t, k] + 1], players[t, k], weights[t])


class _Nodes(NamedTuple):
    """What a walk reads of a game."""

    player: np.ndarray
    infoset: np.ndarray
    parent: np.ndarray
    action: np.ndarray
    value: np.ndarray


class SampledCfr:
    """A run of chance-sampled CFR."""

    def __init__(self, leduc: Leduc, keys: np.ndarray, gamma: float, seed: int | list[int]):
        """keys (n_infosets,): infosets of the same key share a row of the table. Raises ValueError on another shape."""
        if keys.shape != leduc.game.owner.shape:
            raise ValueError(f"keys has shape {keys.shape}, expected {leduc.game.owner.shape}, one an infoset")
        game = leduc.game
        label = np.array([LABELS.index(x) for x in game.labels])
        entry = (len(LABELS) * keys[action_infoset(game)] + label).astype(np.int32)
        n, size = len(game.player), len(LABELS) * (int(keys.max()) + 1)
        self.leduc, self.gamma, self.iteration = leduc, gamma, 0
        self._tables = _Tables(entry, np.zeros(size), np.zeros(size), uniform(game), np.zeros((2, n)), np.zeros(n))
        self._nodes = _Nodes(game.player, game.infoset, game.parent, game.action, game.value)
        self._rng = np.random.default_rng(seed)

    def advance(self, iterations: int) -> None:
        """Run so many more iterations."""
        chances = self.leduc.game.chance[self.leduc.deal_start[:-1]]
        deals = self._rng.choice(len(chances), (iterations, 2), p=chances / chances.sum())
        players = self._rng.integers(0, 2, (iterations, 2))
        game = self.leduc.game
        weights = np.arange(self.iteration + 1, self.iteration + iterations + 1, dtype=np.float64) ** self.gamma
        _advance(self._nodes, game.first_action, self._tables, self.leduc.deal_start, deals, players, weights)
        self.iteration += iterations

    def strategy(self) -> np.ndarray:
        """The average strategy over legal actions, (n_actions,); uniform where it never came by its own choice."""
        return normalised(self.leduc.game, self._tables.averages[self._tables.entry])
