"""An oracle for zero-sum games: the sequence-form linear program (Koller, Megiddo & von Stengel 1994), solved by HiGHS.

It reads an `extensive_game.Game` node by node and shares no code with `solve`.
"""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from scipy.optimize import linprog
from scipy.sparse import coo_array, csr_array, hstack

from faceup.games.extensive_game import END, Game


class Solution(NamedTuple):
    """An equilibrium: what player 0 wins, and strategies of both seats (n_actions,); one of several equilibria."""

    value: float
    strategy: np.ndarray


class Program(NamedTuple):
    """A game as matrices: player 0 maximises x'Ay over plans with E x = e, F y = f."""

    payoff: csr_array  # (n_sequences of 0, n_sequences of 1)
    constraints: tuple[csr_array, csr_array]  # E (1 + infosets of 0, n_sequences of 0), F likewise
    actions: tuple[np.ndarray, np.ndarray]  # the action at the end of each sequence but the first, the empty one


def program(game: Game) -> Program:
    """The matrices of a game."""
    owner_of = np.repeat(game.owner, np.diff(game.first_action))
    actions = tuple(np.flatnonzero(owner_of == p) for p in range(2))
    number = {-1 - p: 0 for p in range(2)} | {int(a): 1 + i for p in range(2) for i, a in enumerate(actions[p])}
    last, chance = [(-1, -2)], [1.0]
    for node in range(1, len(game.player)):
        above, action = game.parent[node], int(game.action[node])
        pair = list(last[above])
        if action >= 0:
            pair[game.player[above]] = action
        last.append(tuple(pair))
        chance.append(chance[above] * game.chance[node])
    ends = np.flatnonzero(game.player == END)
    rows, columns = ([number[last[e][p]] for e in ends] for p in range(2))
    shape = (1 + len(actions[0]), 1 + len(actions[1]))
    payoff = coo_array((np.array(chance)[ends] * game.value[ends], (rows, columns)), shape=shape).tocsr()
    past = {int(game.infoset[n]): last[n][game.player[n]] for n in range(len(last)) if game.infoset[n] >= 0}
    constraints = tuple(_constraints(game, p, past, number, shape[p]) for p in range(2))
    return Program(payoff, constraints, actions)


def _constraints(game: Game, player: int, past: dict, number: dict, n: int) -> csr_array:
    """The first sequence has probability 1; what reaches an infoset goes on through its actions."""
    entries = [(0, 0, 1.0)]
    for row, i in enumerate(np.flatnonzero(game.owner == player), start=1):
        entries.append((row, number[past[int(i)]], -1.0))
        entries += [(row, number[a], 1.0) for a in range(game.first_action[i], game.first_action[i + 1])]
    rows, columns, values = zip(*entries, strict=True)
    return coo_array((values, (rows, columns)), shape=(max(rows) + 1, n)).tocsr()


def _plan(payoff: csr_array, own: csr_array, other: csr_array) -> tuple[float, np.ndarray]:
    """Maximise the least of x'A over the other's plans: max q[0] with F'q <= A'x, E x = e, x >= 0."""
    n, m = own.shape[1], other.shape[0]
    cost = np.zeros(n + m)
    cost[n] = -1
    found = linprog(
        cost,
        A_ub=hstack([-payoff.T, other.T]).tocsr(), b_ub=np.zeros(other.shape[1]),
        A_eq=hstack([own, csr_array((own.shape[0], m))]).tocsr(), b_eq=np.eye(1, own.shape[0])[0],
        bounds=[(0, None)] * n + [(None, None)] * m, method="highs",
    )  # fmt: skip
    if found.status != 0:
        raise RuntimeError(f"HiGHS: {found.message}")
    return -found.fun, np.clip(found.x[:n], 0, None)


def solve(game: Game) -> Solution:
    """An equilibrium and its value."""
    p = program(game)
    plans = [_plan(p.payoff, *p.constraints), _plan(-p.payoff.T.tocsr(), *p.constraints[::-1])]
    strategy = np.zeros(len(game.labels))
    for actions, (_, plan) in zip(p.actions, plans, strict=True):
        strategy[actions] = plan[1:]
    return Solution(plans[0][0], _normalised(game, strategy))


def best_value(game: Game, strategy: np.ndarray, player: int) -> float:
    """What a player wins at most against a strategy (n_actions,), by linear program."""
    p = program(game)
    other = 1 - player
    plan = plan_of(game, p, strategy, other)
    payoff = p.payoff @ plan if player == 0 else -(p.payoff.T @ plan)
    own = p.constraints[player]
    found = linprog(-payoff, A_eq=own, b_eq=np.eye(1, own.shape[0])[0], bounds=(0, None), method="highs")
    return -found.fun


def plan_of(game: Game, p: Program, strategy: np.ndarray, player: int) -> np.ndarray:
    """A player's plan: the rows of the constraints, from the top, fix it. (n_sequences,)"""
    plan = np.zeros(p.constraints[player].shape[1])
    plan[0] = 1
    dense = p.constraints[player].toarray()
    for row in dense[1:]:
        here = np.flatnonzero(row > 0)
        plan[here] = plan[np.flatnonzero(row < 0)[0]] * strategy[p.actions[player][here - 1]]
    return plan


def _normalised(game: Game, weights: np.ndarray) -> np.ndarray:
    out = np.empty(len(weights))
    for first, end in _ranges(game):
        total = weights[first:end].sum()
        out[first:end] = weights[first:end] / total if total > 0 else 1 / (end - first)
    return out


def _ranges(game: Game) -> Iterable[tuple[int, int]]:
    return zip(game.first_action[:-1].tolist(), game.first_action[1:].tolist(), strict=True)
