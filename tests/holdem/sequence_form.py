"""An oracle for zero-sum games: the sequence-form linear program (Koller, Megiddo & von Stengel 1994), solved by HiGHS.

It reads an `extensive_game.Game` node by node and shares no code with `solve`. A player's sequence is all that the player has
done on the way to a node. It is known by its last action: 0 before any, then the player's actions in their order.
"""

from typing import NamedTuple

import numpy as np
from scipy.optimize import linprog
from scipy.sparse import coo_array, csr_array, hstack, lil_array

from faceup.games.extensive_game import END, Game


class Solution(NamedTuple):
    """An equilibrium: what player 0 wins, and strategies of both seats (n_actions,); one of several equilibria."""

    value: float
    strategy: np.ndarray


def sequences(game: Game) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Each action's owner and the sequence that it ends, (n_actions,), and both players' sequences at each node, (n, 2)."""
    owner = np.repeat(game.owner, np.diff(game.first_action))
    number = np.where(owner == 0, np.cumsum(owner == 0), np.cumsum(owner == 1))
    at = np.zeros((len(game.player), 2), dtype=int)
    for node in range(1, len(at)):
        at[node] = at[game.parent[node]]
        if (action := game.action[node]) >= 0:
            at[node, owner[action]] = number[action]
    return owner, number, at


def constraints(game: Game, player: int) -> csr_array:
    """E of E x = (1, 0, ..): the first sequence has probability 1; what reaches an infoset goes on through its actions."""
    owner, number, at = sequences(game)
    a_node = np.unique(game.infoset, return_index=True)[1][1:]  # of each infoset; the first number is -1, for no infoset
    infosets = np.flatnonzero(game.owner == player)
    matrix = lil_array((1 + len(infosets), 1 + (owner == player).sum()))
    matrix[0, 0] = 1
    for row, i in enumerate(infosets, start=1):
        matrix[row, at[a_node[i], player]] = -1
        matrix[row, number[game.first_action[i] : game.first_action[i + 1]]] = 1
    return matrix.tocsr()


def end_values(game: Game, factor: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """What player 0 wins at each end, times the chance of its cards and the factors (n_actions,) on the way; and the ends."""
    reach = game.chance.copy()
    for node in range(1, len(reach)):
        reach[node] *= reach[game.parent[node]]
        if (action := game.action[node]) >= 0:
            reach[node] *= factor[action]
    ends = np.flatnonzero(game.player == END)
    return reach[ends] * game.value[ends], ends


def best_plan(payoff: csr_array, own: csr_array, other: csr_array) -> tuple[float, np.ndarray]:
    """Maximise the least of x'A over the other's plans: max q[0] with F'q <= A'x, E x = e, x >= 0."""
    n, m = own.shape[1], other.shape[0]
    found = linprog(
        -np.eye(1, n + m, n)[0],
        A_ub=hstack([-payoff.T, other.T]).tocsr(), b_ub=np.zeros(other.shape[1]),
        A_eq=hstack([own, csr_array((own.shape[0], m))]).tocsr(), b_eq=np.eye(1, own.shape[0])[0],
        bounds=[(0, None)] * n + [(None, None)] * m, method="highs",
    )  # fmt: skip
    if found.status != 0:
        raise RuntimeError(f"HiGHS: {found.message}")
    return -found.fun, np.clip(found.x[:n], 0, None)


def solve(game: Game) -> Solution:
    """An equilibrium and its value."""
    owner, _, at = sequences(game)
    own = [constraints(game, player) for player in range(2)]
    values, ends = end_values(game, np.ones(len(owner)))
    payoff = coo_array((values, tuple(at[ends].T)), shape=(own[0].shape[1], own[1].shape[1])).tocsr()
    plans = [best_plan(payoff, *own), best_plan(-payoff.T.tocsr(), *own[::-1])]
    weights, n = np.empty(len(owner)), np.diff(game.first_action)
    for player, (_, plan) in enumerate(plans):
        weights[owner == player] = plan[1:]
    total = np.repeat(np.add.reduceat(weights, game.first_action[:-1]), n)
    strategy = np.divide(weights, total, out=1 / np.repeat(n, n), where=total > 0)  # what is never reached is played uniformly
    return Solution(plans[0][0], strategy)


def best_value(game: Game, strategy: np.ndarray, player: int) -> float:
    """What a player wins at most against a strategy (n_actions,), by linear program."""
    owner, _, at = sequences(game)
    own = constraints(game, player)
    values, ends = end_values(game, np.where(owner == player, 1, strategy))
    gain = np.bincount(at[ends, player], weights=values if player == 0 else -values, minlength=own.shape[1])
    found = linprog(-gain, A_eq=own, b_eq=np.eye(1, own.shape[0])[0], bounds=(0, None), method="highs")
    return -found.fun
