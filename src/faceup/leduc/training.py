"""Games of Leduc at the table, one after the other: agents playing for a score, and Q-learning (paper 001, Sections II.A, III.A).

Seats are drawn anew for each game, as RLCard does. What an agent wins is in the rules' unit, for RLCard's rules big blinds.
"""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import product
from typing import NamedTuple, Protocol

import numpy as np
from numba import njit

from faceup.games.extensive_game import END, against, checked_strategy, children
from faceup.games.sequence_form import Form, exploitability, make_form, value
from faceup.leduc.game import Leduc
from faceup.notebook.intervals import mean_ci95


class Mean(NamedTuple):
    """A sampled mean."""

    mean: float
    ci95: float  # half-width


class LearningSetting(NamedTuple):
    """Q-learning's three knobs."""

    alpha: float  # learning rate
    gamma: float  # discount
    epsilon: float  # how often a random action is taken while learning


class Curve(NamedTuple):
    """An agent's winnings from some opponents along its training; the first axis is the seed."""

    at: np.ndarray  # (n,) episodes or iterations
    exact: np.ndarray  # (n_seeds, n, n_opponents)
    sampled: np.ndarray  # (n_seeds, n, n_opponents) means of the games played
    ci95: np.ndarray  # (n_seeds, n, n_opponents) half-widths of these
    exploitability: np.ndarray  # (n_seeds, n)
    final: tuple[np.ndarray, ...]  # the last strategy of each seed, (n_actions,)


class Learner(Protocol):
    """What `training_curve` needs of an agent that learns."""

    def advance(self, n: int) -> None:
        """Train on."""
        ...

    def strategy(self) -> np.ndarray:
        """What it would play now, (n_actions,)."""
        ...


class _Table(NamedTuple):
    """What a game at the table reads of a tree."""

    player: np.ndarray
    infoset: np.ndarray
    value: np.ndarray
    child: np.ndarray  # (n, most actions)
    first_action: np.ndarray
    deal_start: np.ndarray
    deal_upto: np.ndarray  # (n_deals,) chance of this deal or an earlier one


def exact_winnings(leduc: Leduc, agent: np.ndarray, opponent: np.ndarray, form: Form | None = None) -> float:
    """What an agent wins from another a game, seats averaged; no sampling."""
    game = leduc.game
    form = form or make_form(game)
    return (value(game, against(game, agent, opponent), form) - value(game, against(game, opponent, agent), form)) / 2


def standings(leduc: Leduc, agents: dict[str, np.ndarray], opponents: dict[str, np.ndarray]) -> dict[str, dict[str, float]]:
    """Exact winnings of each agent from each opponent, and each agent's "exploitability"."""
    form = make_form(leduc.game)
    return {
        name: {other: exact_winnings(leduc, agent, opponent, form) for other, opponent in opponents.items()}
        | {"exploitability": exploitability(leduc.game, agent, form)}
        for name, agent in agents.items()
    }


def _table(leduc: Leduc) -> _Table:
    game = leduc.game
    upto = np.cumsum(game.chance[leduc.deal_start[:-1]])
    return _Table(
        game.player, game.infoset, game.value, children(game), game.first_action, leduc.deal_start, upto / upto[-1]
    )  # fmt: skip


@njit(cache=True, nogil=True)
def _draw(strategy, first, end, rng):
    """An action of first..end by its probability."""
    u = rng.random()
    for a in range(first, end - 1):
        u -= strategy[a]
        if u < 0.0:
            return a
    return end - 1


@njit(cache=True, nogil=True)
def _start(table, rng):
    """The first node of a game whose cards are dealt at random."""
    return table.deal_start[np.searchsorted(table.deal_upto, rng.random(), side="right")]


@njit(cache=True, nogil=True)
def _play(table, agent, opponent, rng, won):
    """won (n,): what the agent wins in each of n games."""
    for k in range(won.shape[0]):
        node = _start(table, rng)
        seat = 0 if rng.random() < 0.5 else 1
        while table.player[node] != END:
            i = table.infoset[node]
            first = table.first_action[i]
            strategy = agent if table.player[node] == seat else opponent
            node = table.child[node, _draw(strategy, first, table.first_action[i + 1], rng) - first]
        won[k] = table.value[node] if seat == 0 else -table.value[node]


@njit(cache=True, nogil=True)
def _best(q, first, end, rng):
    """The action of the largest value, one of them at random if there are several; and the value."""
    largest, n, best = q[first], 1, first
    for a in range(first + 1, end):
        if q[a] > largest:
            largest, n, best = q[a], 1, a
        elif q[a] == largest:
            n += 1
            if rng.random() * n < 1.0:
                best = a
    return best, largest


@njit(cache=True, nogil=True)
def _learn_q(table, opponent, q, alpha, gamma, epsilon, n_episodes, rng):
    """Play and learn so many games; the reward comes with the game's last action of the learner."""
    for _ in range(n_episodes):
        node = _start(table, rng)
        seat, last = 0 if rng.random() < 0.5 else 1, -1
        while table.player[node] != END:
            i = table.infoset[node]
            first, end = table.first_action[i], table.first_action[i + 1]
            if table.player[node] == seat:
                action, largest = _best(q, first, end, rng)
                if last >= 0:
                    q[last] += alpha * (gamma * largest - q[last])
                if rng.random() < epsilon:
                    action = first + int(rng.random() * (end - first))
                last = action
            else:
                action = _draw(opponent, first, end, rng)
            node = table.child[node, action - first]
        if last >= 0:
            reward = table.value[node] if seat == 0 else -table.value[node]
            q[last] += alpha * (reward - q[last])


def play_games(leduc: Leduc, agent: np.ndarray, opponent: np.ndarray, n: int, seed: int | list[int]) -> Mean:
    """The mean of n games played card by card, with its interval. Raises ValueError below 2 games and on bad strategies."""
    if n < 2:
        raise ValueError(f"n is {n}, expected at least 2 games")
    pair = checked_strategy(leduc.game, agent, "agent"), checked_strategy(leduc.game, opponent, "opponent")
    won = np.empty(n)
    _play(_table(leduc), *pair, np.random.default_rng(seed), won)
    return Mean(*mean_ci95(won))


class QLearner:
    """Tabular Q-learning against one opponent: a value for each action of each infoset, 0 at first."""

    def __init__(self, leduc: Leduc, opponent: np.ndarray, setting: LearningSetting, seed: int | list[int]):
        """Raises ValueError unless 0 < alpha <= 1 and gamma, epsilon are from 0 to 1."""
        if not (0 < setting.alpha <= 1 and 0 <= setting.gamma <= 1 and 0 <= setting.epsilon <= 1):
            raise ValueError(f"{setting}: expected alpha above 0, and none below 0 or above 1")
        self.leduc, self.setting, self.q = leduc, setting, np.zeros(len(leduc.game.labels))
        self._opponent, self._table = checked_strategy(leduc.game, opponent, "opponent"), _table(leduc)
        self._rng = np.random.default_rng(seed)

    def advance(self, n_episodes: int) -> None:
        """Play so many more games to learn from."""
        alpha, gamma, epsilon = map(float, self.setting)
        _learn_q(self._table, self._opponent, self.q, alpha, gamma, epsilon, n_episodes, self._rng)

    def strategy(self) -> np.ndarray:
        """Always an action of the largest value, several alike equally often, (n_actions,)."""
        first = self.leduc.game.first_action
        n = np.diff(first)
        best = (self.q == np.repeat(np.maximum.reduceat(self.q, first[:-1]), n)).astype(np.float64)
        return best / np.repeat(np.add.reduceat(best, first[:-1]), n)


def training_curve(
    leduc: Leduc,
    make: Callable[[list[int]], Learner],
    opponents: Sequence[np.ndarray],
    length: int,
    evaluations: int,
    games: int,
    seeds: Sequence[list[int]],
    progress: Callable[[int], None] = lambda done: None,
) -> Curve:
    """Train one learner a seed and evaluate it so many times on the way, by games and exactly.

    Raises ValueError unless the length is a multiple of the evaluations.
    """
    if length % evaluations:
        raise ValueError(f"length is {length}, expected a multiple of {evaluations} evaluations")
    form, shape = make_form(leduc.game), (len(seeds), evaluations, len(opponents))
    exact, sampled, ci95, lost = np.zeros(shape), np.zeros(shape), np.zeros(shape), np.zeros(shape[:2])
    final = []
    for i, seed in enumerate(seeds):
        learner = make([*seed, 0])
        for k in range(evaluations):
            learner.advance(length // evaluations)
            strategy = learner.strategy()
            lost[i, k] = exploitability(leduc.game, strategy, form)
            for j, opponent in enumerate(opponents):
                exact[i, k, j] = exact_winnings(leduc, strategy, opponent, form)
                sampled[i, k, j], ci95[i, k, j] = play_games(leduc, strategy, opponent, games, [*seed, 1 + k, j])
            progress(i * evaluations + k + 1)
        final.append(strategy)
    return Curve(length // evaluations * np.arange(1, evaluations + 1), exact, sampled, ci95, lost, tuple(final))


def q_grid(
    leduc: Leduc,
    opponent: np.ndarray,
    alphas: Sequence[float],
    gammas: Sequence[float],
    epsilons: Sequence[float],
    n_episodes: int,
    seeds: Sequence[list[int]],
    progress: Callable[[int], None] = lambda done: None,
) -> dict[LearningSetting, list[float]]:
    """What Q-learning wins in the end from its opponent, exactly, for each setting and each seed.

    All settings are given the same seeds. Runs on two threads, which changes no number: each run has a generator of its own.
    """
    form = make_form(leduc.game)
    settings = [LearningSetting(*knobs) for knobs in product(alphas, gammas, epsilons)]

    def one(job: tuple[LearningSetting, list[int]]) -> float:
        """What a setting's learner wins in the end."""
        learner = QLearner(leduc, opponent, *job)
        learner.advance(n_episodes)
        return exact_winnings(leduc, learner.strategy(), opponent, form)

    results: dict[LearningSetting, list[float]] = {setting: [] for setting in settings}
    jobs = [(setting, seed) for setting in settings for seed in seeds]
    with ThreadPoolExecutor(2) as pool:
        for done, (job, won) in enumerate(zip(jobs, pool.map(one, jobs), strict=True), start=1):
            results[job[0]].append(won)
            progress(done)
    return results
