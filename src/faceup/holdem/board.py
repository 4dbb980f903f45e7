"""The holes of a river board by strength and in groups.

Index spaces of the engines; each line ends with where it is made:

    a hand
      hole          0..1325  two cards, by `cards.HOLE_CARDS`
      place         0..1080  among a river board's holes by strength, the weakest first, ties side
                             by side: `BoardOrder.holes`
      bucket                 holes of a street that share an infoset: `buckets.hole_buckets`
      joint bucket  ~400     holes that share a bucket on each street before the river: `cfr`
      row                    of a strategy's table on a street, each hole's: `policy.StreetRows`
      group         ~100     holes of a river board of one strength and one row:
                             `RiverGroups.of_hole`
      entry         ~750     a group and a card, or ALL: `RiverGroups.entries`
    a node of the betting
      tree node              `BettingTree`; each but the root stands for the action leading to it
      column                 of a street's rows: tree node less `street_start` of the street
      subgame node           a node of a river subgame, the root last: `RiverSubgames.tree_node`
      slot                   its place in a sweep's arrays, showdowns and folds first
      lane          0..31    a subgame among those of one shape, swept side by side

On a complete board a river strategy knows a hole by its equity alone, which selects its row. Holes
of one strength and one row form a group, about a hundred of them where there are 1,081 holes. Two
groups of different strengths may share a row, and so their infosets. What card removal (`showdown`)
needs of the holes are sums over a group, and over those of its holes that have a certain card: the
entries.
"""

from typing import NamedTuple

import numpy as np
from numba import njit

from faceup.cards.cards import HOLE_CARDS, N_CARDS
from faceup.cards.strength import N_RIVER_HOLES, river_order

N_PAIRS = N_RIVER_HOLES * 990  # ordered pairs of holes on a complete board
N_ENTRIES = 3 * N_RIVER_HOLES  # at most
MOST_STRENGTHS = 160  # of a board's holes
ALL = N_CARDS  # stands for all holes among sums by card
N_SUMS = N_CARDS + 1  # sums by card


class BoardOrder(NamedTuple):
    """The holes of a river board by strength."""

    holes: np.ndarray  # (1081,) int16, weakest first
    # (n_strengths + 1,) int32 the first place of each strength; holes of one strength tie
    strength_start: np.ndarray


def board_order(board: np.ndarray) -> BoardOrder:
    """Holes of a board of five cards in order of strength."""
    return sort_holes(np.asarray(board, dtype=np.int64))


@njit(cache=True)
def sort_holes(board):
    """`board_order` of a board (5,) int64."""
    holes, strength_start = (
        np.empty(N_RIVER_HOLES, np.int16),
        np.empty(MOST_STRENGTHS + 1, np.int32),
    )
    n_strengths = river_order(board, holes, strength_start)
    return BoardOrder(holes, strength_start[: n_strengths + 1])


class RiverGroups(NamedTuple):
    """The groups of a board, weakest first, and their entries; card ALL is the first entry of each
    group.
    """

    of_hole: np.ndarray  # (1081,) int32 group of the hole at each place
    # (1081, 3) int32 entries of the hole at each place: all, its higher card, its lower card
    entries: np.ndarray
    # (n_groups,) int32 row of its holes in a table: of the river's buckets, 2 * wins + ties, or of
    # a strategy
    row: np.ndarray
    first: np.ndarray  # (n_groups + 1,) int32 first entry of each group
    card: np.ndarray  # (n_entries,) int32 0..51, or ALL
    # (n_entries,) float32 number of holes, negative where not ALL: a hole's opponents are those of
    # ALL less those of its two cards
    coefficient: np.ndarray
    first_of_strength: np.ndarray  # (n_strengths + 1,) int64 first group of each strength


@njit(cache=True)
def make_river_groups(order: BoardOrder, row: np.ndarray) -> RiverGroups:
    """Groups of a board, from the row of each of the 1,326 holes."""
    holes, strength_start = order
    of_hole, entries = np.full(N_RIVER_HOLES, -1, np.int32), np.empty((N_RIVER_HOLES, 3), np.int32)
    rows, first = np.empty(N_RIVER_HOLES, np.int32), np.empty(N_RIVER_HOLES + 1, np.int32)
    card, coefficient = np.empty(N_ENTRIES, np.int32), np.zeros(N_ENTRIES, np.float32)
    first_of_strength, entry_of = (
        np.empty(strength_start.shape[0], np.int64),
        np.full(N_SUMS, -1, np.int32),
    )
    n, k = 0, 0
    first[0] = first_of_strength[0] = 0
    for strength in range(strength_start.shape[0] - 1):
        for start in range(strength_start[strength], strength_start[strength + 1]):
            if of_hole[start] >= 0:
                continue
            rows[n] = row[holes[start]]
            for i in range(start, strength_start[strength + 1]):
                if row[holes[i]] != rows[n]:
                    continue
                of_hole[i] = n
                for j in range(3):
                    c = ALL if j == 0 else HOLE_CARDS[holes[i], j - 1]
                    if entry_of[c] < 0:
                        entry_of[c], card[k] = k, c
                        k += 1
                    entries[i, j] = entry_of[c]
                    coefficient[entry_of[c]] += np.float32(1 if j == 0 else -1)
            entry_of[:] = -1
            n += 1
            first[n] = k
        first_of_strength[strength + 1] = n
    return RiverGroups(
        of_hole, entries, rows[:n], first[: n + 1], card[:k], coefficient[:k], first_of_strength
    )
