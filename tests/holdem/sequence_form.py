"""An oracle for zero-sum games: the sequence-form linear program (Koller, Megiddo & von Stengel
1994), solved by HiGHS.

It reads an `extensive_game.Game` node by node and shares no code with `games`. A player's sequence
is all that the player has done on the way to a node. It is known by its last action: 0 before any,
then the player's actions in their order.
"""

import numpy as np
from scipy.optimize import linprog

from faceup.games.extensive_game import END, Game


def sequences(game: Game) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Owner and sequence of each action, (n_actions,), and sequences at each node, (n_nodes, 2)."""
    owner = np.repeat(game.owner, np.diff(game.first_action))
    number = np.where(owner == 0, np.cumsum(owner == 0), np.cumsum(owner == 1))
    at = np.zeros((len(game.player), 2), dtype=int)
    for node in range(1, len(at)):
        at[node] = at[game.parent[node]]
        if (action := game.action[node]) >= 0:
            at[node, owner[action]] = number[action]
    return owner, number, at


def constraints(game: Game, player: int) -> np.ndarray:
    """E of E x = (1, 0, ..): sequences through an infoset's actions sum to the one before it."""
    owner, number, at = sequences(game)
    # of each infoset; the first number is -1, for no infoset
    a_node = np.unique(game.infoset, return_index=True)[1][1:]
    infosets = np.flatnonzero(game.owner == player)
    matrix = np.zeros((1 + len(infosets), 1 + (owner == player).sum()))
    matrix[0, 0] = 1
    for row, i in enumerate(infosets, start=1):
        matrix[row, at[a_node[i], player]] = -1
        matrix[row, number[game.first_action[i] : game.first_action[i + 1]]] = 1
    return matrix


def payoffs(game: Game, factor: np.ndarray) -> np.ndarray:
    """Player 0's payoff by pairs of sequences, times the chance of cards and given factors."""
    owner, _, at = sequences(game)
    reach = game.chance.copy()
    for node in range(1, len(reach)):
        reach[node] *= reach[game.parent[node]]
        if (action := game.action[node]) >= 0:
            reach[node] *= factor[action]
    ends, found = game.player == END, np.zeros([1 + (owner == player).sum() for player in range(2)])
    np.add.at(found, tuple(at[ends].T), (reach * game.value)[ends])
    return found


def solve(game: Game) -> tuple[float, np.ndarray]:
    """What player 0 wins in equilibrium, and strategies of both seats (n_actions,); one of several
    equilibria.

    The least of A'x over the other's plans is largest: max q[0] with F'q <= A'x, E x = e, x >= 0.
    The other's plan is dual.
    """
    a, e, f = payoffs(game, np.ones(len(game.labels))), constraints(game, 0), constraints(game, 1)
    n, m = len(a), len(f)
    found = linprog(
        -np.eye(1, n + m, n)[0], A_ub=np.hstack([-a.T, f.T]), b_ub=np.zeros(a.shape[1]),
        A_eq=np.pad(e, ((0, 0), (0, m))),
        b_eq=np.eye(1, len(e))[0], bounds=[(0, None)] * n + [(None, None)] * m, method="highs",
    )  # fmt: skip
    owner, counts = sequences(game)[0], np.diff(game.first_action)
    weights = np.empty(len(owner))
    for player, plan in enumerate((found.x[:n], -found.ineqlin.marginals)):
        weights[owner == player] = np.clip(plan[1:], 0, None)
    total = np.repeat(np.add.reduceat(weights, game.first_action[:-1]), counts)
    even = 1 / np.repeat(counts, counts)  # what is never reached is played uniformly
    return -found.fun, np.divide(weights, total, out=even, where=total > 0)


def best_value(game: Game, strategy: np.ndarray, player: int) -> float:
    """What a player wins at most against a strategy (n_actions,), by linear program."""
    own = constraints(game, player)
    gain = payoffs(game, np.where(sequences(game)[0] == player, 1, strategy)).sum(
        axis=1 - player
    ) * (1 - 2 * player)
    return -linprog(
        -gain, A_eq=own, b_eq=np.eye(1, len(own))[0], bounds=(0, None), method="highs"
    ).fun
