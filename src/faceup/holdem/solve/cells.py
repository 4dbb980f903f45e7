"""Cells: the holes of a board that a river strategy cannot tell apart, and that win against the same.

On a complete board a river strategy knows a hole by its equity alone. Holes of one strength and one equity form a cell, about
a hundred of them where there are 1,081 holes. What card removal needs of the holes are sums over a cell, and over those of its
holes that have a certain card: an entry is such a pair of cell and card (card 52 stands for all holes), some 750 a board.
"""

from typing import NamedTuple

import numpy as np
from numba import njit

from faceup.cards.cards import HOLE_CARDS
from faceup.cards.strength import N_RIVER_HOLES

N_ENTRIES = 3 * N_RIVER_HOLES  # at most
ALL = 52  # the card of the entry that all holes of a cell belong to


class Cells(NamedTuple):
    """The cells of a board, weakest first, and their entries; card ALL is the first entry of each cell."""

    of_hole: np.ndarray  # (1081,) int32 cell of each hole, in the order of `BoardOrder.holes`
    entries: np.ndarray  # (1081, 3) int32 a hole's entries: all, its higher card, its lower card
    group: np.ndarray  # (n_cells,) int32 2 * wins + ties of its holes
    first: np.ndarray  # (n_cells + 1,) int32 first entry of each cell
    card: np.ndarray  # (n_entries,) int32 0..51, or ALL
    count: np.ndarray  # (n_entries,) float32 how many holes, counted negative where the card is not ALL
    classes: np.ndarray  # (n_classes + 1,) int32 first cell of each strength


def make_cells(holes: np.ndarray, class_start: np.ndarray, equity: np.ndarray) -> Cells:
    """Cells of a board, from its `BoardOrder` and the equity, 2 * wins + ties, of each of the 1,326 holes."""
    of_hole, entries = np.empty(N_RIVER_HOLES, np.int32), np.empty((N_RIVER_HOLES, 3), np.int32)
    group, first = np.empty(N_RIVER_HOLES, np.int32), np.empty(N_RIVER_HOLES + 1, np.int32)
    card, count = np.empty(N_ENTRIES, np.int32), np.zeros(N_ENTRIES, np.float32)
    classes = np.empty(len(class_start), np.int32)
    n = _fill_cells(holes, class_start, equity, of_hole, entries, group, first, card, count, classes)
    return Cells(of_hole, entries, group[:n], first[: n + 1], card[: first[n]], count[: first[n]], classes)


@njit(cache=True)
def _fill_cells(holes, class_start, equity, of_hole, entries, group, first, card, count, classes):
    """Fill the arrays of `Cells`; returns how many cells there are."""
    n, k = 0, 0
    entry_of = np.full(53, -1, dtype=np.int32)
    first[0] = classes[0] = 0
    of_hole[:] = -1
    for cls in range(class_start.shape[0] - 1):
        for start in range(class_start[cls], class_start[cls + 1]):
            if of_hole[start] >= 0:
                continue
            group[n] = equity[holes[start]]
            for i in range(start, class_start[cls + 1]):
                if equity[holes[i]] != group[n]:
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
        classes[cls + 1] = n
    return n
