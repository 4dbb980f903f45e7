"""Exact all-in results: wins for pairs of starting hands, before the flop or on a given flop.

On a river board the holes are traversed from weak to strong. Counts of the weaker ones by starting
hand, less those that share a card, are added to the row of the hole's own starting hand: a few
vector additions a hole instead of a loop over pairs.
"""

import os
from collections.abc import Sequence
from itertools import combinations
from pathlib import Path

import numpy as np
from numba import njit

from faceup.cards.cards import CLASS_OF_HOLE, COMBOS, HOLE_CARDS, N_CLASSES, canonical_boards
from faceup.cards.equity import UNITS
from faceup.cards.strength import N_RIVER_HOLES, river_order
from faceup.util.files import save_npy
from faceup.util.parallel import on_threads

RUNOUTS_PREFLOP, RUNOUTS_FLOP = 1_712_304, 990  # boards that two known hands leave
_CHUNKS = 16  # of boards, counted in parallel
_FILE = "preflop_wins.npy"


@njit(cache=True, nogil=True)
def add_wins(order, start, group, weight, wins, below, with_card):
    """Add weight times the wins on a river board, in `river_order`, to wins (n, width) by the
    groups (1326,) of both holes.

    below (width,) and with_card (52, width) are left with weight times the holes of each group, in
    all and by card.
    """
    below[:], with_card[:], k = 0, 0, 0
    while start[k] < N_RIVER_HOLES:
        for h in order[start[k] : start[k + 1]]:
            first, second = with_card[HOLE_CARDS[h, 0]], with_card[HOLE_CARDS[h, 1]]
            row = wins[group[h]]
            for j in range(row.shape[0]):
                row[j] += below[j] - first[j] - second[j]
        for h in order[start[k] : start[k + 1]]:
            g = group[h]
            below[g] += weight
            with_card[HOLE_CARDS[h, 0], g] += weight
            with_card[HOLE_CARDS[h, 1], g] += weight
        k += 1


@njit(cache=True, nogil=True)
def _wins(thread, boards, weights, wins):
    """wins (n_chunks, 169, 169) int32, zero at first."""
    n_chunks = wins.shape[0]
    for chunk in range(thread[0], n_chunks, thread[1]):
        order, start = np.empty(N_RIVER_HOLES, dtype=np.int16), np.empty(161, dtype=np.int32)
        below = np.empty(N_CLASSES, dtype=np.int32)
        with_card = np.empty((52, N_CLASSES), dtype=np.int32)
        for b in range(chunk, boards.shape[0], n_chunks):
            river_order(boards[b], order, start)
            add_wins(order, start, CLASS_OF_HOLE, weights[b], wins[chunk], below, with_card)


def class_wins(boards: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Weighted wins of each starting hand against each on river boards (n, 5), (169, 169) int64.

    Counted over all pairs of holes of the two starting hands that share no card with each other or
    the board; sums of weights up to 14 million fit.
    """
    wins = np.zeros((_CHUNKS, N_CLASSES, N_CLASSES), dtype=np.int32)
    boards = np.ascontiguousarray(boards, dtype=np.int64)
    on_threads(_wins, boards, np.asarray(weights, dtype=np.int32), wins)
    return wins.sum(axis=0, dtype=np.int64)


def preflop_wins() -> np.ndarray:
    """`class_wins` over all boards, from the 134,459 up to suits.

    Counts for single pairs of holes would be wrong, since only one board of each suit pattern is
    used; sums over starting hands are invariant to permutations of suits.
    """
    boards = canonical_boards(5)
    return class_wins(boards.cards, boards.multiplicity)


def class_pairs() -> np.ndarray:
    """Pairs of holes without a common card, by their starting hands: (169, 169) int64."""
    of_class = np.eye(N_CLASSES)[CLASS_OF_HOLE]
    disjoint = ~(HOLE_CARDS[:, None, :, None] == HOLE_CARDS[None, :, None, :]).any(axis=(2, 3))
    return (of_class.T @ disjoint @ of_class).astype(np.int64)


def preflop_outcomes(wins: np.ndarray) -> np.ndarray:
    """(wins, ties, losses) of the 169 starting hands over 2,097,572,400 outcomes each, (169, 3)
    int64, from `preflop_wins`.
    """
    won, lost = wins.sum(axis=1) // COMBOS, wins.sum(axis=0) // COMBOS
    return np.column_stack([won, UNITS[0] // 2 - won - lost, lost])


def flop_wins(flop: Sequence[int]) -> np.ndarray:
    """`class_wins` over the 1,176 boards of a flop."""
    rest = [c for c in range(52) if c not in flop]
    boards = np.array([[*flop, *pair] for pair in combinations(rest, 2)])
    return class_wins(boards, np.ones(len(boards)))


def net_wins(wins: np.ndarray, runouts: int) -> np.ndarray:
    """Wins less losses of starting hands, a mean over runouts and a sum over pairs of holes: (169,
    169) float64.
    """
    return (wins - wins.T) / runouts


def save_preflop_wins(folder: str | os.PathLike, wins: np.ndarray) -> None:
    """Write `preflop_wins` beside the street tables."""
    save_npy(Path(folder) / _FILE, wins)


def load_preflop_wins(folder: str | os.PathLike) -> np.ndarray:
    """The array of `save_preflop_wins`, read-only from disk."""
    return np.load(Path(folder) / _FILE, mmap_mode="r")
