"""Exact values on an extensive game: of strategies against each other, of best responses, and
exploitability.

In the sequence form (Koller, Megiddo and von Stengel 1994) a sequence is the list of a player's
actions on the path to a node; with perfect recall its last action identifies it. A player's plan is
the product of the player's own probabilities along each sequence. An end pays its value times its
chance probability times both plans, so that inner nodes are not needed.
"""

from typing import NamedTuple

import numpy as np
from numba import njit

from faceup.games.extensive_game import CHANCE, END, Game


class Form(NamedTuple):
    """A game as sequences and payoffs; n_actions actions, k infosets. Infosets above come before
    those below.

    Sequence a < n_actions ends with action a; n_actions + p is player p's empty sequence.
    """

    first_action: np.ndarray  # (k + 1,) int32
    above: np.ndarray  # (k,) int32: the owner's sequence that leads to an infoset
    own: tuple[np.ndarray, np.ndarray]  # each player's infosets
    # (2, n_actions + 3) int32: payoffs of player p's sequence s are start[p, s]..start[p, s + 1]
    start: np.ndarray
    other: np.ndarray  # (2, n_payoffs) int32: the opponent's sequence of each payoff
    payoff: np.ndarray  # (2, n_payoffs) float64: to player p, times the chance of the cards


def make_form(game: Game) -> Form:
    """The sequence form. Raises ValueError without perfect recall (an infoset with two sequences of
    its owner).
    """
    n_actions, k = len(game.labels), len(game.owner)
    sequence = np.empty((len(game.player), 2), dtype=np.int32)
    chance = game.chance.copy()
    sequence[0] = n_actions, n_actions + 1
    above = np.full(k, -1, dtype=np.int32)
    for node in range(len(game.player)):
        if node > 0:
            parent = game.parent[node]
            sequence[node] = sequence[parent]
            chance[node] *= chance[parent]
            if game.action[node] >= 0:
                sequence[node, game.player[parent]] = game.action[node]
        if game.player[node] < CHANCE:
            i, last = game.infoset[node], sequence[node, game.player[node]]
            if above[i] not in (-1, last):
                raise ValueError(
                    f"infoset {game.names[i]!r} has two pasts, expected perfect recall"
                )
            above[i] = last
    ends = np.flatnonzero(game.player == END)
    pays = [
        _payoffs(sequence[ends], chance[ends] * game.value[ends], p, n_actions) for p in range(2)
    ]
    own = np.flatnonzero(game.owner == 0), np.flatnonzero(game.owner == 1)
    return Form(game.first_action, above, own, *map(np.array, zip(*pays, strict=True)))


def _payoffs(
    sequences: np.ndarray, values: np.ndarray, player: int, n_actions: int
) -> tuple[np.ndarray, ...]:
    """start, other and payoff of one player: ends with the same two sequences summed, ordered by
    own sequences.
    """
    pairs, inverse = np.unique(sequences[:, [player, 1 - player]], axis=0, return_inverse=True)
    total = np.bincount(inverse.reshape(-1), weights=values if player == 0 else -values)
    start = np.searchsorted(pairs[:, 0], np.arange(n_actions + 3)).astype(np.int32)
    return start, pairs[:, 1].astype(np.int32), total


@njit(cache=True, nogil=True)
def fill_plan(form, player, strategy, plan):
    """Fill plan (n_actions + 2,) with the player's own reach of each of its sequences."""
    plan[strategy.shape[0] + player] = 1.0
    for i in form.own[player]:
        reach = plan[form.above[i]]
        for a in range(form.first_action[i], form.first_action[i + 1]):
            plan[a] = reach * strategy[a]


@njit(cache=True, nogil=True)
def fill_values(form, player, plan, worth):
    """Fill worth (n_actions + 2,) with the payoffs of the ends of each of the player's sequences,
    weighted by chance and the opponent's plan (n_actions + 2,).
    """
    start, other, payoff = form.start[player], form.other[player], form.payoff[player]
    for s in range(worth.shape[0]):
        total = 0.0
        for k in range(start[s], start[s + 1]):
            total += payoff[k] * plan[other[k]]
        worth[s] = total


@njit(cache=True, nogil=True)
def fill_best_response(form, player, worth, best):
    """Fill best (n_actions,) with the best action of each of the player's infosets; returns their
    value. worth (n_actions + 2,) from `fill_values` is overwritten.
    """
    for i in form.own[player][::-1]:
        first, end = form.first_action[i], form.first_action[i + 1]
        choice = first
        for a in range(first + 1, end):
            if worth[a] > worth[choice]:
                choice = a
        for a in range(first, end):
            best[a] = 1.0 if a == choice else 0.0
        worth[form.above[i]] += worth[choice]
    return worth[worth.shape[0] - 2 + player]


@njit(cache=True, nogil=True)
def exploitability_kernel(form, strategy, plan, worth, best):
    """`exploitability` in kernels; plan, worth (n_actions + 2,), best (n_actions,) are scratch."""
    for player in range(2):
        fill_plan(form, player, strategy, plan)
    total = 0.0
    for player in range(2):
        fill_values(form, player, plan, worth)
        total += fill_best_response(form, player, worth, best)
    return total / 2.0


def plans(form: Form, strategy: np.ndarray) -> np.ndarray:
    """The plans of both players, (n_actions + 2,): the owner's own reach of each sequence."""
    plan = np.zeros(len(strategy) + 2)
    for player in range(2):
        fill_plan(form, player, strategy, plan)
    return plan


def value(form: Form, strategy: np.ndarray) -> float:
    """Winnings of player 0 if both play a strategy (n_actions,), in the game's unit.

    `extensive_game.against` joins two players' strategies.
    """
    plan, worth = plans(form, strategy), np.zeros(len(strategy) + 2)
    fill_values(form, 0, plan, worth)
    return float(np.sum(plan * worth))


def best_response(form: Form, strategy: np.ndarray, player: int) -> tuple[float, np.ndarray]:
    """The most that a player can win against the other's part of a strategy, and the strategy with
    the player's part replaced by a pure best response, (n_actions,); ties go to the first action.
    """
    plan, worth, best = plans(form, strategy), np.zeros(len(strategy) + 2), strategy.copy()
    fill_values(form, player, plan, worth)
    return float(fill_best_response(form, player, worth, best)), best


def exploitability(form: Form, strategy: np.ndarray) -> float:
    """Winnings of a best response to a strategy, averaged over the seats, in the game's unit; 0 at
    an equilibrium.
    """
    return sum(best_response(form, strategy, player)[0] for player in range(2)) / 2
