"""Exact equities of every hold'em hand on every street, up to suits (paper 000, Section 2.2.1).

Equity is the probability to win against one uniformly random opposing hand and uniformly random
further public cards, plus half the probability to tie, stored as an integer. On the river it is
`2 * wins + ties` against 990 opponents, out of 1,980; on earlier streets it is the sum over further
cards, out of `UNITS[street]`. The tables have a row for each canonical board and a column for each
hole (1,326, in the canonical board's suits), with 0 for holes that the board blocks.

A river board takes one sort of its holes by strength and one sweep with card-removal counts. A turn
board sums over its 48 river boards; a flop over its 49 turn boards, and its 1,176 pairs of turn and
river cards. Decile d = 1..10 of a hole's later equities is the smallest value with at least
d * 10 % of them at or below it.
"""

import os
import sys
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numba import njit

from faceup.cards.cards import (
    BOARD_CARDS,
    CLASS_OF_HOLE,
    HOLE_CARDS,
    N_CLASSES,
    N_HOLES,
    PERMUTED_HOLES,
    STREETS,
    canonical_boards,
    canonical_key,
    free_cards,
)
from faceup.cards.strength import N_RIVER_HOLES, river_order
from faceup.util.files import save_npy
from faceup.util.parallel import on_threads

N_DECILES = 10
# the equity 1.0 on each street, as an integer
UNITS = (2 * 2_097_572_400, 1081 * 1980, 46 * 1980, 1980)


class StreetEquities(NamedTuple):
    """Equities on one street, as integers out of UNITS, and deciles of the equities on later
    streets.
    """

    equity: np.ndarray  # (n_boards, n_holes) int64 preflop (169 classes), uint32, uint32, uint16
    # of each later street, (n_boards, n_holes, 10), out of that street's UNITS
    deciles: tuple[np.ndarray, ...]


@njit(cache=True)
def river_counts(cards, less, equal):
    """Fill less and equal (1326,) int32 with the number of opposing holes that each hole of a river
    board (5,) beats and ties, 0 for blocked holes.
    """
    order, strength_start = np.empty(N_RIVER_HOLES, dtype=np.int16), np.empty(161, dtype=np.int32)
    n_classes = river_order(cards, order, strength_start)
    less[:], equal[:] = 0, 0
    # holes with each card in weaker classes, then including this class
    with_card = np.zeros(52, dtype=np.int32)
    for k in range(n_classes):
        start, end = strength_start[k], strength_start[k + 1]
        for h in order[start:end]:
            less[h] = start - with_card[HOLE_CARDS[h, 0]] - with_card[HOLE_CARDS[h, 1]]
        for h in order[start:end]:
            with_card[HOLE_CARDS[h, 0]] += 1
            with_card[HOLE_CARDS[h, 1]] += 1
        for h in order[start:end]:
            not_better = end - with_card[HOLE_CARDS[h, 0]] - with_card[HOLE_CARDS[h, 1]]
            equal[h] = not_better - less[h] + 1  # the hole itself was subtracted twice


@njit(cache=True)
def fill_river_equity(cards, equity):
    """Fill equity (1326,) with 2 * wins + ties of each hole on a river board (5,), 0 for blocked
    holes.
    """
    less, equal = np.empty((2, N_HOLES), dtype=np.int32)
    river_counts(cards, less, equal)
    equity[:] = 2 * less + equal


@njit(cache=True, nogil=True)
def _river_table(thread, cards, equity):
    """Fill equity (n_boards, 1326) for every thread[1]-th of the river boards (n_boards, 5)."""
    for b in range(thread[0], cards.shape[0], thread[1]):
        fill_river_equity(cards[b], equity[b])


@njit(cache=True)
def _sorted_next(cards, next_keys, next_equity, rows, total):
    """Fill rows (52 - n, 1326) with the equities of each hole after each further card on a board
    (n,), ascending, and total (1326,) with their sums.

    next_keys (n_next,), next_equity (n_next, 1326): of the next street's boards. Holes that the
    further card blocks get the largest value, so that they come last, and add 0 to the total.
    """
    left, total[:] = np.flatnonzero(free_cards(cards)), 0
    for n in range(left.shape[0]):
        card, row = left[n], rows[n]
        key, permutation = canonical_key(np.append(cards, card), cards.shape[0] + 1)
        source, move = next_equity[np.searchsorted(next_keys, key)], PERMUTED_HOLES[permutation]
        for h in range(N_HOLES):
            blocked = HOLE_CARDS[h, 0] == card or HOLE_CARDS[h, 1] == card
            row[h] = np.iinfo(rows.dtype).max if blocked else source[move[h]]
            total[h] += 0 if blocked else row[h]
    # insertion sort of all columns at once, which vectorizes
    for i in range(rows.shape[0]):
        for j in range(i):
            for h in range(N_HOLES):
                a, b = rows[j, h], rows[i, h]
                rows[j, h], rows[i, h] = min(a, b), max(a, b)


@njit(cache=True, nogil=True)
def _turn_table(thread, cards, river_keys, river_equity, equity, deciles):
    """Fill equity (n_boards, 1326) and river deciles (n_boards, 1326, 10) of turn boards
    (n_boards, 4).
    """
    for b in range(thread[0], cards.shape[0], thread[1]):
        rows = np.empty((48, N_HOLES), dtype=np.uint16)
        _sorted_next(cards[b], river_keys, river_equity, rows, equity[b])
        for h in range(N_HOLES):
            for d in range(N_DECILES):
                deciles[b, h, d] = rows[(46 * (d + 1) + 9) // 10 - 1, h] if equity[b, h] else 0


@njit(cache=True)
def _count_rivers(cards, river_keys, river_equity, counts):
    """Fill counts (1326, 1981) int16 with the pairs of further cards on a flop (3,) that give each
    hole each river equity.
    """
    counts[:], left, board = 0, np.flatnonzero(free_cards(cards)), np.append(cards, cards[:2])
    for i in range(left.shape[0]):
        for j in range(i):
            board[3], board[4] = left[j], left[i]
            key, permutation = canonical_key(board, board.shape[0])
            source, move = (
                river_equity[np.searchsorted(river_keys, key)],
                PERMUTED_HOLES[permutation],
            )
            is_free = free_cards(board)
            for h in range(N_HOLES):
                if is_free[HOLE_CARDS[h, 0]] and is_free[HOLE_CARDS[h, 1]]:
                    counts[h, source[move[h]]] += 1


@njit(cache=True, nogil=True)
def _flop_table(
    thread,
    cards,
    turn_keys,
    turn_equity,
    river_keys,
    river_equity,
    equity,
    turn_deciles,
    river_deciles,
):
    """Fill equity (n_boards, 1326), turn and river deciles (n_boards, 1326, 10) of flops
    (n_boards, 3).
    """
    rows, total = np.empty((49, N_HOLES), dtype=np.uint32), np.empty(N_HOLES, dtype=np.int64)
    counts = np.empty((N_HOLES, UNITS[3] + 1), dtype=np.int16)
    for b in range(thread[0], cards.shape[0], thread[1]):
        _sorted_next(cards[b], turn_keys, turn_equity, rows, total)
        _count_rivers(cards[b], river_keys, river_equity, counts)
        # every river board counts twice, once in each order of turn and river
        equity[b] = total // 2
        turn_deciles[b], river_deciles[b], is_free = 0, 0, free_cards(cards[b])
        for h in range(N_HOLES):
            passed, value = 0, -1
            for d in range(
                N_DECILES if is_free[HOLE_CARDS[h, 0]] and is_free[HOLE_CARDS[h, 1]] else 0
            ):
                turn_deciles[b, h, d] = rows[(47 * (d + 1) + 9) // 10 - 1, h]
                while 10 * passed < 1081 * (d + 1):
                    value += 1
                    passed += counts[h, value]
                river_deciles[b, h, d] = value


def weighted_deciles(values: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """The deciles d = 1..10 of ascending values (n,) with weights (n,): the smallest value with at
    least d * 10 % of the weight at or below it.
    """
    cumulative = np.cumsum(weights.astype(np.int64))
    steps = np.arange(1, N_DECILES + 1) * cumulative[-1]
    return values[np.searchsorted(10 * cumulative, steps)]


def _preflop(street: int, table: StreetEquities) -> tuple[np.ndarray, np.ndarray]:
    """Equities of the 169 starting hands on a later street, summed over its boards (169,), and
    their deciles (169, 10).
    """
    multiplicity = canonical_boards(BOARD_CARDS[street]).multiplicity[:, None]
    totals, deciles = [], []
    for k in range(N_CLASSES):
        equity = table.equity[:, CLASS_OF_HOLE == k]
        # blocked holes have equity 0
        counts = np.bincount(equity.ravel(), weights=np.where(equity > 0, multiplicity, 0).ravel())
        values = np.flatnonzero(counts)
        totals.append(counts[values] @ values)
        deciles.append(weighted_deciles(values.astype(table.equity.dtype), counts[values]))
    return np.array(totals, dtype=np.int64) // np.bincount(CLASS_OF_HOLE), np.array(deciles)


@cache
def all_equities() -> tuple[StreetEquities, StreetEquities, StreetEquities, StreetEquities]:
    """Tables of the four streets, preflop first; about 1 GB, cached."""
    print("counting the equities of all boards: half a minute, 1.3 GB", file=sys.stderr)
    flops, turns, rivers = (canonical_boards(n) for n in (3, 4, 5))
    river = StreetEquities(np.empty((len(rivers.keys), N_HOLES), dtype=np.uint16), ())
    on_threads(_river_table, rivers.cards.astype(np.int64), river.equity)
    shape = len(turns.keys), N_HOLES
    turn = StreetEquities(
        np.empty(shape, dtype=np.uint32), (np.empty((*shape, N_DECILES), dtype=np.uint16),)
    )
    on_threads(_turn_table, turns.cards, rivers.keys, river.equity, turn.equity, *turn.deciles)
    shape = len(flops.keys), N_HOLES
    deciles = (
        np.empty((*shape, N_DECILES), dtype=np.uint32),
        np.empty((*shape, N_DECILES), dtype=np.uint16),
    )
    flop = StreetEquities(np.empty(shape, dtype=np.uint32), deciles)
    on_threads(
        _flop_table,
        flops.cards,
        turns.keys,
        turn.equity,
        rivers.keys,
        river.equity,
        flop.equity,
        *flop.deciles,
    )
    later = [_preflop(street, table) for street, table in ((1, flop), (2, turn), (3, river))]
    preflop = StreetEquities(later[-1][0][None], tuple(deciles[None] for _, deciles in later))
    return preflop, flop, turn, river


def _files(folder: str | os.PathLike, street: int) -> list[Path]:
    """The files of a street: its equities, then the deciles on each later street."""
    name, *later = STREETS[street:]
    return [
        Path(folder) / f"{name}_{what}.npy"
        for what in ("equity", *(f"{other}_deciles" for other in later))
    ]


def save_equities(folder: str | os.PathLike, equities: tuple[StreetEquities, ...]) -> None:
    """Write the equities of the four streets as ten .npy files into a folder; 1.0 GB."""
    for street, table in enumerate(equities):
        for path, array in zip(_files(folder, street), (table.equity, *table.deciles), strict=True):
            save_npy(path, array)


def load_equities(folder: str | os.PathLike) -> tuple[StreetEquities, ...]:
    """The equities written by `save_equities`, preflop first, read-only from disk as they are
    used.
    """
    arrays = [
        [np.load(path, mmap_mode="r") for path in _files(folder, street)] for street in range(4)
    ]
    return tuple(StreetEquities(equity, tuple(deciles)) for equity, *deciles in arrays)
