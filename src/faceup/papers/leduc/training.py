"""Sampled games of Leduc, and two agents that learn from them: Q-learning and chance-sampled CFR
(paper 001, Sections II and III.A).

Seats are drawn for each game, as in RLCard. Winnings are in the unit of the rules.

An iteration of chance-sampled CFR (Zinkevich et al. 2007), as RLCard's agent runs it, deals twice.
Each time all betting lines of the deal are traversed for one player, drawn at random; then regret
matching updates all strategies. Iteration t has weight t^gamma in the average. In the literature
gamma is 0. In RLCard it is 1 though the regrets of all iterations have the same weight, so that no
theorem says that the average approaches an equilibrium. The table has an entry for each key and
label. RLCard's key leaves out who bet and even the seat; infosets that share a key share their
regrets.
"""

from typing import NamedTuple

import numpy as np
from numba import njit

from faceup.games.cfr import match_regrets
from faceup.games.extensive_game import END, action_infoset, normalized, uniform
from faceup.papers.leduc.game import LABELS, Leduc
from faceup.util.stats import mean_ci95


class LearningSetting(NamedTuple):
    """Parameters of Q-learning."""

    alpha: float  # learning rate
    gamma: float  # discount
    epsilon: float  # probability of a random action while learning


class _Tree(NamedTuple):
    """The arrays of a game that kernels read."""

    player: np.ndarray
    infoset: np.ndarray
    parent: np.ndarray
    action: np.ndarray
    value: np.ndarray
    child: np.ndarray  # (n, max actions)
    first_action: np.ndarray
    deal_start: np.ndarray
    deal_cdf: np.ndarray  # (n_deals,) cumulative probability of the deals


def _tree(leduc: Leduc) -> _Tree:
    game, cdf = leduc.game, np.cumsum(leduc.game.chance[leduc.deal_start[:-1]])
    child = np.full((len(game.player), int(np.diff(game.first_action).max())), -1, dtype=np.int32)
    nodes = np.flatnonzero(game.action >= 0)
    above = game.parent[nodes]
    child[above, game.action[nodes] - game.first_action[game.infoset[above]]] = nodes
    return _Tree(
        game.player,
        game.infoset,
        game.parent,
        game.action,
        game.value,
        child,
        game.first_action,
        leduc.deal_start,
        cdf / cdf[-1],
    )


@njit(cache=True, nogil=True)
def _draw(strategy, first, end, generator):
    """An action of first..end - 1, drawn by its probability in strategy (n_actions,)."""
    u = generator.random()
    for a in range(first, end - 1):
        u -= strategy[a]
        if u < 0.0:
            return a
    return end - 1


@njit(cache=True, nogil=True)
def _play(tree, agent, opponent, generator, won):
    """Fill won (n,) with the agent's winnings in each of n sampled games."""
    for k in range(won.shape[0]):
        node = tree.deal_start[np.searchsorted(tree.deal_cdf, generator.random(), side="right")]
        seat = 0 if generator.random() < 0.5 else 1
        while tree.player[node] != END:
            i = tree.infoset[node]
            first = tree.first_action[i]
            strategy = agent if tree.player[node] == seat else opponent
            node = tree.child[
                node, _draw(strategy, first, tree.first_action[i + 1], generator) - first
            ]
        won[k] = tree.value[node] if seat == 0 else -tree.value[node]


def play_games(
    leduc: Leduc, agent: np.ndarray, opponent: np.ndarray, n: int, generator: np.random.Generator
) -> tuple[float, float]:
    """Mean winnings of the agent in n sampled games, and the half-width of its 95 % interval."""
    won = np.empty(n)
    _play(_tree(leduc), agent, opponent, generator, won)
    return mean_ci95(won)


@njit(cache=True, nogil=True)
def _learn_q(tree, opponent, q, alpha, gamma, epsilon, n_episodes, generator):
    """Learn q (n_actions,) from n_episodes games; the last action of a game gets the reward. Of
    equal values the first is taken.
    """
    for _ in range(n_episodes):
        node = tree.deal_start[np.searchsorted(tree.deal_cdf, generator.random(), side="right")]
        seat, last = 0 if generator.random() < 0.5 else 1, -1
        while tree.player[node] != END:
            i = tree.infoset[node]
            first, end = tree.first_action[i], tree.first_action[i + 1]
            if tree.player[node] == seat:
                action = first + np.argmax(q[first:end])
                if last >= 0:
                    q[last] += alpha * (gamma * q[action] - q[last])
                if generator.random() < epsilon:
                    action = first + int(generator.random() * (end - first))
                last = action
            else:
                action = _draw(opponent, first, end, generator)
            node = tree.child[node, action - first]
        if last >= 0:
            reward = tree.value[node] if seat == 0 else -tree.value[node]
            q[last] += alpha * (reward - q[last])


class QLearner:
    """Tabular Q-learning against one opponent: a value of each action, 0 at first."""

    def __init__(
        self,
        leduc: Leduc,
        opponent: np.ndarray,
        setting: LearningSetting,
        generator: np.random.Generator,
    ):
        self.leduc, self.setting, self.q = leduc, setting, np.zeros(len(leduc.game.labels))
        self._opponent, self._tree, self._generator = opponent, _tree(leduc), generator

    def advance(self, n_episodes: int) -> None:
        """Learn from n_episodes more games."""
        setting = tuple(map(float, self.setting))
        _learn_q(self._tree, self._opponent, self.q, *setting, n_episodes, self._generator)

    def strategy(self) -> np.ndarray:
        """The greedy strategy (n_actions,); ties are played equally often."""
        first = self.leduc.game.first_action
        best = self.q == np.repeat(np.maximum.reduceat(self.q, first[:-1]), np.diff(first))
        return normalized(first, best.astype(np.float64))


class _Tables(NamedTuple):
    entry: np.ndarray  # (n_actions,) int32: table entry of each action
    regrets: np.ndarray  # (n_keys * 4,)
    averages: np.ndarray  # (n_keys * 4,)
    strategy: np.ndarray  # (n_actions,)
    reach: np.ndarray  # (2, n) scratch: each player's own reach of a node
    worth: np.ndarray  # (n,) scratch: player 0's expected winnings below a node


def rlcard_keys(leduc: Leduc) -> np.ndarray:
    """Key of each infoset in RLCard's table, (n_infosets,) int32, numbered from 0."""
    observed = []
    for own, public, state in leduc.situations:
        mine, theirs = state.chips[state.player], state.chips[1 - state.player]
        observed.append((own, public, sum(mine), sum(theirs)))
    keys = np.unique(np.array(observed), axis=0, return_inverse=True)[1]
    return keys.reshape(-1).astype(np.int32)


@njit(cache=True, nogil=True)
def _traverse(tree, tables, first, end, player, weight):
    """Add the regrets and averages of one player from one deal, nodes first..end - 1."""
    reach, worth, strategy = tables.reach, tables.worth, tables.strategy
    reach[0, first], reach[1, first] = 1.0, 1.0
    worth[first] = 0.0
    for node in range(first + 1, end):
        above, action = tree.parent[node], tree.action[node]
        reach[0, node], reach[1, node] = reach[0, above], reach[1, above]
        reach[tree.player[above], node] *= strategy[action]
        worth[node] = tree.value[node]
    for node in range(end - 1, first, -1):
        worth[tree.parent[node]] += strategy[tree.action[node]] * worth[node]
    sign = 1.0 - 2.0 * player
    for node in range(first + 1, end):
        above, entry = tree.parent[node], tables.entry[tree.action[node]]
        if tree.player[above] == player:
            tables.regrets[entry] += reach[1 - player, above] * sign * (worth[node] - worth[above])
            tables.averages[entry] += weight * reach[player, node]


@njit(cache=True, nogil=True)
def _advance(tree, tables, deals, players, weights):
    """One iteration for each row of deals and players, (n, 2), with its weight in the average
    (n,).
    """
    start, strategy = tree.deal_start, tables.strategy
    for t in range(deals.shape[0]):
        # regret matching for both deals precedes the traversals: neither uses the other's regrets
        for deal in deals[t]:
            for i in tree.infoset[start[deal] : start[deal + 1]]:
                if i >= 0:
                    first, end = tree.first_action[i], tree.first_action[i + 1]
                    strategy[first:end] = tables.regrets[tables.entry[first:end]]
                    match_regrets(strategy, first, end)
        for k in range(2):
            first, end = start[deals[t, k]], start[deals[t, k] + 1]
            _traverse(tree, tables, first, end, players[t, k], weights[t])


class SampledCfr:
    """A run of chance-sampled CFR (see the module)."""

    def __init__(
        self, leduc: Leduc, keys: np.ndarray, gamma: float, generator: np.random.Generator
    ):
        """keys (n_infosets,): infosets of the same key share a row of the table."""
        game = leduc.game
        label = np.array([LABELS.index(x) for x in game.labels])
        entry = (len(LABELS) * keys[action_infoset(game)] + label).astype(np.int32)
        n, size = len(game.player), len(LABELS) * (int(keys.max()) + 1)
        self.leduc, self.gamma, self.iteration = leduc, gamma, 0
        self._tables = _Tables(
            entry, np.zeros(size), np.zeros(size), uniform(game), np.zeros((2, n)), np.zeros(n)
        )
        self._tree, self._generator = _tree(leduc), generator

    def advance(self, iterations: int) -> None:
        """Run this many more iterations, with deals and players drawn at random."""
        chances = self.leduc.game.chance[self.leduc.deal_start[:-1]]
        deals = self._generator.choice(len(chances), (iterations, 2), p=chances / chances.sum())
        self.learn(deals, self._generator.integers(0, 2, (iterations, 2)))

    def learn(self, deals: np.ndarray, players: np.ndarray) -> None:
        """One iteration for each row of deals, indices of `leduc.deals`, and of the players that
        learn from them, both (n, 2).
        """
        end = self.iteration + len(deals)
        weights = np.arange(self.iteration + 1.0, end + 1) ** self.gamma
        _advance(self._tree, self._tables, deals, players, weights)
        self.iteration = end

    def strategy(self) -> np.ndarray:
        """The average strategy (n_actions,); uniform in infosets that it never reached by its own
        play.
        """
        return normalized(self.leduc.game.first_action, self._tables.averages[self._tables.entry])
