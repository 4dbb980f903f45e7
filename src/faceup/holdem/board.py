"""The holes of a river board by strength and in buckets, card removal, and the ends of hands.

Index spaces of the engines; each line ends with where it is made:

    a hand
      hole          0..1325  two cards, by `cards.HOLE_CARDS`
      strength      0..1080  place among a river board's holes, weakest first: `BoardOrder.holes`
      bucket                 holes that share an infoset, `buckets.hole_buckets`; on a river board
                             those of one strength and one equity: `RiverBuckets.of_hole`
      entry         ~750     a river bucket and a card, or ALL: `RiverBuckets.entries`
      joint bucket  ~400     holes that share a bucket on each street before the river: `cfr`
    a node of the betting
      tree node              `BettingTree`; each but the root stands for the action leading to it
      column                 of a street's rows: tree node less `street_start` of the street
      number                 a node of a river subgame, the root last: `RiverSubgames.node`
      slot                   its place in a sweep's arrays, showdowns and folds first
      lane          0..31    a subgame among those of one shape, swept side by side

At an end every hole plays against all others, less those that share a card: with holes sorted by
strength that takes one running sum for the board and one for each card (Johanson et al. 2011). The
sums of many ends are kept side by side, so that one vector instruction serves several.

On a complete board a river strategy knows a hole by its equity alone. Holes of one strength and one
equity form a bucket, about a hundred of them where there are 1,081 holes. What card removal needs
of the holes are sums over a bucket, and over those of its holes that have a certain card: the
entries.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numba import njit

from faceup.cards.cards import HOLE_CARDS, HOLE_OF_CLASS, N_CARDS
from faceup.cards.strength import N_RIVER_HOLES, river_order
from faceup.holdem.river_subgames import stakes_at
from faceup.holdem.rules import FOLD_END, SHOWDOWN
from faceup.holdem.tree import BettingTree

N_PAIRS = N_RIVER_HOLES * 990  # ordered pairs of holes on a complete board
N_ENTRIES = 3 * N_RIVER_HOLES  # at most
MOST_STRENGTHS = 160  # of a board's holes
ALL = N_CARDS  # stands for all holes among sums by card
N_SUMS = N_CARDS + 1  # sums by card


@njit(cache=True, error_model="numpy")  # where the total is 0 the quotient is not used
def matching_probability(regret, total, n_actions):
    """Probability of an action: max(regret, 0) / total, where the positive regrets of its n_actions
    sum to total; even at 0.
    """
    return (
        max(regret, np.float32(0)) / total if total > 0 else np.float32(1) / np.float32(n_actions)
    )


class BoardOrder(NamedTuple):
    """The holes of a river board by strength."""

    holes: np.ndarray  # (1081,) int16, weakest first
    strength_start: np.ndarray  # (n_classes + 1,) int32


def board_order(board: np.ndarray) -> BoardOrder:
    """Holes of a five-card board in order of strength. Raises ValueError on anything but five
    distinct cards.
    """
    cards = np.asarray(board, dtype=np.int64)
    if len(cards) != 5 or len(set(cards.tolist())) != 5:
        raise ValueError(f"board {cards.tolist()}: expected five distinct cards")
    return sort_holes(cards)


@njit(cache=True)
def sort_holes(board):
    """`board_order` of a board (5,) int64."""
    holes, strength_start = (
        np.empty(N_RIVER_HOLES, np.int16),
        np.empty(MOST_STRENGTHS + 1, np.int32),
    )
    n_classes = river_order(board, holes, strength_start)
    return BoardOrder(holes, strength_start[: n_classes + 1])


class RiverBuckets(NamedTuple):
    """The buckets of a board, weakest first, and their entries; card ALL is the first entry of each
    bucket.
    """

    of_hole: np.ndarray  # (1081,) int32 bucket of each hole, in the order of `BoardOrder.holes`
    entries: np.ndarray  # (1081, 3) int32 a hole's entries: all, its higher card, its lower card
    # (n_buckets,) int32 what its holes share: 2 * wins + ties, or a row of a strategy
    key: np.ndarray
    first: np.ndarray  # (n_buckets + 1,) int32 first entry of each bucket
    card: np.ndarray  # (n_entries,) int32 0..51, or ALL
    count: np.ndarray  # type: ignore[assignment]  # (n_entries,) float32 how many holes; negative where not ALL
    first_of_strength: np.ndarray  # (n_classes + 1,) int64 first bucket of each strength


@njit(cache=True)
def make_river_buckets(order: BoardOrder, key: np.ndarray) -> RiverBuckets:
    """Buckets of a board, from a key of each of the 1,326 holes: its equity, 2 * wins + ties, or
    its row.
    """
    holes, strength_start = order
    of_hole, entries = np.full(N_RIVER_HOLES, -1, np.int32), np.empty((N_RIVER_HOLES, 3), np.int32)
    key_of, first = np.empty(N_RIVER_HOLES, np.int32), np.empty(N_RIVER_HOLES + 1, np.int32)
    card, count = np.empty(N_ENTRIES, np.int32), np.zeros(N_ENTRIES, np.float32)
    first_of_strength, entry_of = (
        np.empty(strength_start.shape[0], np.int64),
        np.full(N_SUMS, -1, np.int32),
    )
    n, k = 0, 0
    first[0] = first_of_strength[0] = 0
    for cls in range(strength_start.shape[0] - 1):
        for start in range(strength_start[cls], strength_start[cls + 1]):
            if of_hole[start] >= 0:
                continue
            key_of[n] = key[holes[start]]
            for i in range(start, strength_start[cls + 1]):
                if key[holes[i]] != key_of[n]:
                    continue
                of_hole[i] = n
                for j in range(3):
                    c = ALL if j == 0 else HOLE_CARDS[holes[i], j - 1]
                    if entry_of[c] < 0:
                        entry_of[c], card[k] = k, c
                        k += 1
                    entries[i, j] = entry_of[c]
                    count[entry_of[c]] += np.float32(1 if j == 0 else -1)
            entry_of[:] = -1
            n += 1
            first[n] = k
        first_of_strength[cls + 1] = n
    return RiverBuckets(
        of_hole, entries, key_of[:n], first[: n + 1], card[:k], count[:k], first_of_strength
    )


class Ends(NamedTuple):
    """Where hands end: folds, then showdowns."""

    node: np.ndarray  # (n,) int64
    n_folds: int
    # (n, 2) float32 dollars that an end is worth to each player, at a showdown to who wins
    stake: np.ndarray


def ends_of(tree: BettingTree, first: int = 0, last: int | None = None) -> Ends:
    """The ends of a tree among the nodes from `first` on, and before `last`."""
    folds, shown = (
        first + np.flatnonzero(tree.kind[first:last] == kind) for kind in (FOLD_END, SHOWDOWN)
    )
    node = np.append(folds, shown)
    return Ends(node, len(folds), stakes_at(tree, node).astype(np.float32))


def end_values(ends: Ends, order: BoardOrder, player: int, reach: np.ndarray) -> np.ndarray:
    """Dollars that a player wins at each end with each hole, times the other player's holes:
    (n_ends, 1081) float32.

    reach (n_ends, 1081) float32: the other player's, of the holes in order of strength.
    """
    theirs, each = np.ascontiguousarray(reach.T), np.arange(len(order.holes))
    value = np.zeros_like(theirs)
    add_end_values(order, each, ends.n_folds, ends.stake[:, player].copy(), theirs, value)
    return value.T


@njit(cache=True)
def _add_holes(holes, joint, first, end, reach, e0, card_sums):
    """Add holes' weights, reach (numbers, n_ends), at the ends from e0 on to the sums of their two
    cards and of all, card_sums (53, n_ends).
    """
    for i in range(first, end):
        a, b, k = HOLE_CARDS[holes[i], 0], HOLE_CARDS[holes[i], 1], joint[i]
        for e in range(e0, card_sums.shape[1]):
            card_sums[a, e] += reach[k, e]
            card_sums[b, e] += reach[k, e]
            card_sums[ALL, e] += reach[k, e]


@njit(cache=True, nogil=True)
def add_end_values(order, joint, n_folds, stake, reach, value):
    """Add `end_values` of a player to value, summed over holes that share a number in `joint`.

    joint (1081,) int: by place in the order of strength; stake (n_ends,) float32; reach of the
    other player, and value: (numbers, n_ends) float32. The first n_folds ends are folds.

    card_sums[c], by end, is at folds the weight of all holes with card c; the hole itself is taken
    off twice. At showdowns it is twice the weight of weaker ones, plus once that of the class at
    hand, less the total: a win counts 2 - 1, a tie 1 - 1, a loss 0 - 1. A hole shares both its
    cards with itself, and drops out of the difference.
    """
    holes, strength_start = order
    n_ends = stake.shape[0]
    card_sums = np.zeros((N_SUMS, n_ends), dtype=np.float32)
    _add_holes(holes, joint, 0, holes.shape[0], reach, 0, card_sums)
    card_sums[:, n_folds:] *= -1
    for cls in range(strength_start.shape[0] - 1):
        first, end = strength_start[cls], strength_start[cls + 1]
        _add_holes(holes, joint, first, end, reach, n_folds, card_sums)
        for i in range(first, end):
            a, b, k = HOLE_CARDS[holes[i], 0], HOLE_CARDS[holes[i], 1], joint[i]
            for e in range(n_ends):
                value[k, e] += stake[e] * (card_sums[ALL, e] - card_sums[a, e] - card_sums[b, e])
            for e in range(n_folds):
                value[k, e] += stake[e] * reach[k, e]
        _add_holes(holes, joint, first, end, reach, n_folds, card_sums)


@njit(cache=True)
def _street_reach(start, end, parent, actor, table, row_of_hole, reach):
    for node in range(start, end):
        above = parent[node]
        who = actor[above]
        for h in range(reach.shape[2]):
            reach[who, node, h] = reach[who, above, h] * table[row_of_hole[h], node - start]
            reach[1 - who, node, h] = reach[1 - who, above, h]


def street_reach(
    tree: BettingTree, street: int, rows: tuple[np.ndarray, np.ndarray], reach: np.ndarray
) -> None:
    """Fill each player's reach of the nodes that a street's actions lead to, reach (2, n_nodes,
    1326) float32, in place.
    """
    start, end = tree.street_start[street : street + 2]
    _street_reach(start, end, tree.parent, tree.actor, *rows, reach)


def preflop_reach(tree: BettingTree, rows: tuple[np.ndarray, np.ndarray]) -> np.ndarray:
    """Each player's reach of the root and of nodes that preflop actions lead to, with each hole,
    (2, n_nodes, 1326) float32.
    """
    reach = np.ones((2, int(tree.street_start[1]), len(HOLE_CARDS)), dtype=np.float32)
    street_reach(tree, 0, rows, reach)
    return reach


def class_reach(tree: BettingTree, rows: tuple[np.ndarray, np.ndarray]) -> np.ndarray:
    """`preflop_reach` with each starting hand, (2, n_nodes, 169) float64."""
    return preflop_reach(tree, rows)[:, :, HOLE_OF_CLASS].astype(np.float64)


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
