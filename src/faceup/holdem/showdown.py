"""Card removal, and the values of hands where they end: at showdowns and folds.

At an end every hole plays against all others, less those that share a card: with holes sorted by
strength that takes one running sum for the board and one for each card (Johanson et al. 2011). The
sums of many ends are kept side by side, so that one vector instruction serves several.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numba import njit

from faceup.cards.cards import HOLE_CARDS, N_CARDS
from faceup.holdem.betting_tree import BettingTree
from faceup.holdem.board import ALL, N_SUMS, BoardOrder
from faceup.holdem.river_subgames import stakes_at
from faceup.holdem.rules import FOLD_END, SHOWDOWN


class Ends(NamedTuple):
    """Where hands end: folds, then showdowns."""

    node: np.ndarray  # (n,) int64
    n_folds: int
    # (n, 2) float32 dollars that an end is worth to each player, at a showdown to who wins
    stake: np.ndarray


def ends_of(tree: BettingTree, first: int = 0, end: int | None = None) -> Ends:
    """The ends of a tree among the nodes from `first` on, and before `end`."""
    folds, shown = (
        first + np.flatnonzero(tree.kind[first:end] == kind) for kind in (FOLD_END, SHOWDOWN)
    )
    node = np.append(folds, shown)
    return Ends(node, len(folds), stakes_at(tree, node).astype(np.float32))


def end_values(ends: Ends, order: BoardOrder, player: int, reach: np.ndarray) -> np.ndarray:
    """Dollars that a player wins at each end with each hole, times the other player's holes:
    (n_ends, 1081) float32.

    reach (n_ends, 1081) float32: the other player's, of the holes in order of strength.
    """
    opposing, each = np.ascontiguousarray(reach.T), np.arange(len(order.holes))
    value = np.zeros_like(opposing)
    add_end_values(order, each, ends.n_folds, ends.stake[:, player].copy(), opposing, value)
    return value.T


@njit(cache=True)
def _add_holes(holes, group, first, end, reach, e0, card_sums):
    """Add holes' weights, reach (numbers, n_ends), at the ends from e0 on to the sums of their two
    cards and of all, card_sums (53, n_ends).
    """
    for i in range(first, end):
        a, b, k = HOLE_CARDS[holes[i], 0], HOLE_CARDS[holes[i], 1], group[i]
        for e in range(e0, card_sums.shape[1]):
            card_sums[a, e] += reach[k, e]
            card_sums[b, e] += reach[k, e]
            card_sums[ALL, e] += reach[k, e]


@njit(cache=True, nogil=True)
def add_end_values(order, group, n_folds, stake, reach, value):
    """Add `end_values` of a player to value, summed over holes that share a number in `group`.

    group (1081,) int: by place in the order of strength; stake (n_ends,) float32; reach of the
    other player, and value: (numbers, n_ends) float32. The first n_folds ends are folds.

    card_sums[c], by end, is at folds the weight of all holes with card c; the hole itself is taken
    off twice. At showdowns it is twice the weight of weaker ones, plus once that of the strength
    at hand, less the total: a win counts 2 - 1, a tie 1 - 1, a loss 0 - 1. A hole shares both its
    cards with itself, and drops out of the difference.
    """
    holes, strength_start = order
    n_ends = stake.shape[0]
    card_sums = np.zeros((N_SUMS, n_ends), dtype=np.float32)
    _add_holes(holes, group, 0, holes.shape[0], reach, 0, card_sums)
    card_sums[:, n_folds:] *= -1
    for strength in range(strength_start.shape[0] - 1):
        first, end = strength_start[strength], strength_start[strength + 1]
        _add_holes(holes, group, first, end, reach, n_folds, card_sums)
        for i in range(first, end):
            a, b, k = HOLE_CARDS[holes[i], 0], HOLE_CARDS[holes[i], 1], group[i]
            for e in range(n_ends):
                value[k, e] += stake[e] * (card_sums[ALL, e] - card_sums[a, e] - card_sums[b, e])
            for e in range(n_folds):
                value[k, e] += stake[e] * reach[k, e]
        _add_holes(holes, group, first, end, reach, n_folds, card_sums)


# (1326, 52) 1 where a hole has a card
_HOLDS = (HOLE_CARDS[:, :, None] == np.arange(N_CARDS)).any(axis=1).astype(np.float64)


def compatible_weight(weights: np.ndarray) -> np.ndarray:
    """For each hole the weight of holes that share no card with it; weights (n, 1326), returns
    float64.

    All holes, less those with the one or the other of its cards; itself, which has both, is taken
    off twice.
    """
    left = weights + weights.sum(axis=1, keepdims=True, dtype=np.float64)
    left -= weights @ _HOLDS @ _HOLDS.T
    return np.maximum(left, 0, out=left)


def free_holes(board: Sequence[int]) -> np.ndarray:
    """Which of the 1,326 holes share no card with a board, bool."""
    return np.asarray(~np.isin(HOLE_CARDS, board).any(axis=1))
