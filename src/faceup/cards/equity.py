"""Exact equities of every hold'em hand on every street, up to suits (paper 000, Section 2.2.1).

Equity is the chance to win against one uniformly random opposing hand and uniformly random further public cards, plus
half the chance to tie. All of it is integers here. On the river it is `2 * wins + ties` against 990 opponents, out of 1,980; an
earlier street's is the sum over what may come, out of `UNITS[street]`. The tables hold a row a canonical board and a column a
hole (of 1,326, in the canonical board's suits), with 0 where a board card blocks the hole.

A river board costs one sort of its holes by strength and one sweep with card-removal counts. A turn board gathers its 48 river
boards; a flop gathers its 49 turn boards, and its 1,176 pairs of turn and river cards. Decile d of a hole's later equities is
the smallest that at least d * 10 % of them do not exceed, d = 1..10: found by sorting where they are 48 or 49, by counting
where there are more.
"""

import os
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
    _canonical,
    _free,
    canonical_boards,
)
from faceup.cards.strength import N_RIVER_HOLES, _river_order
from faceup.lab.files import load_npy, save_npy
from faceup.lab.parallel import on_threads

N_DECILES = 10
UNITS = (2 * 2_097_572_400, 1081 * 1980, 46 * 1980, 1980)  # the equity 1.0 on each street, as an integer


class StreetTable(NamedTuple):
    """Equities on one street, as integers out of UNITS, and the deciles of the equities on each later street."""

    equity: np.ndarray  # (n_boards, n_holes) int64 preflop (169 classes), uint32, uint32, uint16
    deciles: tuple[np.ndarray, ...]  # one array a later street, (n_boards, n_holes, 10), each out of that street's UNITS


@njit(cache=True)
def _river_counts(cards, less, equal):
    """Opponents that each hole of a river board beats and ties: less, equal (1326,) int32, 0 for blocked holes."""
    order, class_start = np.empty(N_RIVER_HOLES, dtype=np.int16), np.empty(161, dtype=np.int32)
    n_classes = _river_order(cards, order, class_start)
    less[:], equal[:] = 0, 0
    met = np.zeros(52, dtype=np.int32)  # holes with each card among the weaker classes, then with this one
    for k in range(n_classes):
        start, end = class_start[k], class_start[k + 1]
        for h in order[start:end]:
            less[h] = start - met[HOLE_CARDS[h, 0]] - met[HOLE_CARDS[h, 1]]
        for h in order[start:end]:
            met[HOLE_CARDS[h, 0]] += 1
            met[HOLE_CARDS[h, 1]] += 1
        for h in order[start:end]:
            not_weaker = end - met[HOLE_CARDS[h, 0]] - met[HOLE_CARDS[h, 1]]
            equal[h] = not_weaker - less[h] + 1  # the hole itself was taken off twice


@njit(cache=True)
def _river_equity(cards, equity):
    """2 * wins + ties of each hole on a river board, equity (1326,), 0 for blocked holes."""
    less, equal = np.empty((2, N_HOLES), dtype=np.int32)
    _river_counts(cards, less, equal)
    equity[:] = 2 * less + equal


@njit(cache=True, nogil=True)
def _river_table(share, cards, equity):
    for b in range(share[0], cards.shape[0], share[1]):
        _river_equity(cards[b], equity[b])


def river_table() -> StreetTable:
    """Equities on all 134,459 river boards; 357 MB."""
    boards = canonical_boards(5)
    equity = np.empty((len(boards.keys), N_HOLES), dtype=np.uint16)
    on_threads(_river_table, boards.cards.astype(np.int64), equity)
    return StreetTable(equity, ())


@njit(cache=True)
def _sorted_next(cards, next_keys, next_equity, rows, total):
    """Equities of each hole with each further card, ascending, rows (52 - cards, 1326); total (1326,) their sum.

    Holes that the further card blocks get the largest value, so that they come after the possible ones; their equity counts 0.
    """
    left, total[:] = np.flatnonzero(_free(cards)), 0
    for n in range(left.shape[0]):
        card, row = left[n], rows[n]
        key, permutation = _canonical(np.append(cards, card), cards.shape[0] + 1)
        source, move = next_equity[np.searchsorted(next_keys, key)], PERMUTED_HOLES[permutation]
        for h in range(N_HOLES):
            blocked = HOLE_CARDS[h, 0] == card or HOLE_CARDS[h, 1] == card
            row[h] = np.iinfo(rows.dtype).max if blocked else source[move[h]]
            total[h] += 0 if blocked else row[h]
    for i in range(rows.shape[0]):  # by insertion, all columns at once, which the processor does many at a time
        for j in range(i):
            for h in range(N_HOLES):
                a, b = rows[j, h], rows[i, h]
                rows[j, h], rows[i, h] = min(a, b), max(a, b)


@njit(cache=True, nogil=True)
def _turn_table(share, cards, river_keys, river_equity, equity, deciles):
    """Equity and river deciles of each hole on turn boards; blocked holes get 0."""
    for b in range(share[0], cards.shape[0], share[1]):
        rows = np.empty((48, N_HOLES), dtype=np.uint16)
        _sorted_next(cards[b], river_keys, river_equity, rows, equity[b])
        for h in range(N_HOLES):
            for d in range(N_DECILES):
                deciles[b, h, d] = rows[(46 * (d + 1) + 9) // 10 - 1, h] if equity[b, h] else 0


@njit(cache=True)
def _histogram_deciles(values, n, deciles):
    """Deciles of n equities out of 1,980 by counting: coarse bins of 32 first, then within the one that holds the decile."""
    fine = np.zeros(2016, dtype=np.int16)
    coarse = np.zeros(63, dtype=np.int16)
    for i in range(n):
        fine[values[i]] += 1
        coarse[values[i] >> 5] += 1
    seen, bin_ = 0, 0
    for d in range(N_DECILES):
        needed = (n * (d + 1) + 9) // 10
        while seen + coarse[bin_] < needed:
            seen += coarse[bin_]
            bin_ += 1
        inside, v = seen, bin_ << 5
        while inside + fine[v] < needed:
            inside += fine[v]
            v += 1
        deciles[d] = v


@njit(cache=True)
def _river_futures(cards, river_keys, river_equity, futures):
    """River equities of each hole over all pairs of further cards, futures (1326, 1176); returns how many each has."""
    counts, left = np.zeros(N_HOLES, dtype=np.int64), np.flatnonzero(_free(cards))
    board = np.append(cards, cards[:2])
    for i in range(left.shape[0]):
        for j in range(i):
            board[3], board[4] = left[j], left[i]
            key, permutation = _canonical(board, board.shape[0])
            source, move = river_equity[np.searchsorted(river_keys, key)], PERMUTED_HOLES[permutation]
            is_free = _free(board)
            for h in range(N_HOLES):
                if is_free[HOLE_CARDS[h, 0]] and is_free[HOLE_CARDS[h, 1]]:
                    futures[h, counts[h]] = source[move[h]]
                    counts[h] += 1
    return counts


@njit(cache=True, nogil=True)
def _flop_table(share, cards, turn_keys, turn_equity, river_keys, river_equity, equity, turn_deciles, river_deciles):
    """Equity, turn deciles and river deciles of each hole on flops; blocked holes get 0."""
    for b in range(share[0], cards.shape[0], share[1]):
        rows, total = np.empty((49, N_HOLES), dtype=np.uint32), np.empty(N_HOLES, dtype=np.int64)
        _sorted_next(cards[b], turn_keys, turn_equity, rows, total)
        futures = np.empty((N_HOLES, 1176), dtype=np.uint16)
        counts = _river_futures(cards[b], river_keys, river_equity, futures)
        equity[b] = total // 2  # every river board was met twice, once in each order of turn and river
        turn_deciles[b], river_deciles[b] = 0, 0
        for h in np.flatnonzero(counts):
            for d in range(N_DECILES):
                turn_deciles[b, h, d] = rows[(47 * (d + 1) + 9) // 10 - 1, h]
            _histogram_deciles(futures[h], counts[h], river_deciles[b, h])


@njit(cache=True)
def _class_histograms(cards, multiplicity, equity, classes, counts):
    """Add each board's multiplicity to counts[class of the hole, equity], over the holes that the board leaves."""
    for b in range(cards.shape[0]):
        is_free = _free(cards[b])
        for h in range(N_HOLES):
            if is_free[HOLE_CARDS[h, 0]] and is_free[HOLE_CARDS[h, 1]]:
                counts[classes[h], equity[b, h]] += multiplicity[b]


def _weighted_deciles(values: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Smallest value with at least d * 10 % of the weight at or below it, d = 1..10, for ascending values."""
    cumulative = np.cumsum(weights.astype(np.int64))
    steps = np.arange(1, N_DECILES + 1) * cumulative[-1]
    return values[np.searchsorted(10 * cumulative, steps)]


def class_histogram(street: int, table: StreetTable, k: int) -> tuple[np.ndarray, np.ndarray]:
    """Equities (integers) that starting hand k, 0..168, can have on a later street, ascending, and how often each occurs."""
    boards = canonical_boards(BOARD_CARDS[street])
    holes, free_cards = np.flatnonzero(CLASS_OF_HOLE == k), np.ones((len(boards.keys), 52), dtype=bool)
    np.put_along_axis(free_cards, boards.cards.astype(np.int64), False, axis=1)
    free = free_cards[:, HOLE_CARDS[holes]].all(axis=2)
    weights = np.broadcast_to(boards.multiplicity[:, None], free.shape)[free]
    values, where = np.unique(table.equity[:, holes][free], return_inverse=True)
    return values, np.bincount(where, weights=weights).astype(np.int64)


@cache
def all_tables() -> tuple[StreetTable, StreetTable, StreetTable, StreetTable]:
    """Tables of the four streets, preflop first; about 1 GB, kept for the process."""
    flops, turns, rivers = (canonical_boards(n) for n in (3, 4, 5))
    river = river_table()
    shape = len(turns.keys), N_HOLES
    turn = StreetTable(np.empty(shape, dtype=np.uint32), (np.empty((*shape, N_DECILES), dtype=np.uint16),))
    on_threads(_turn_table, turns.cards, rivers.keys, river.equity, turn.equity, *turn.deciles)
    shape = len(flops.keys), N_HOLES
    deciles = np.empty((*shape, N_DECILES), dtype=np.uint32), np.empty((*shape, N_DECILES), dtype=np.uint16)
    flop = StreetTable(np.empty(shape, dtype=np.uint32), deciles)
    on_threads(_flop_table, flops.cards, turns.keys, turn.equity, rivers.keys, river.equity, flop.equity, *flop.deciles)

    preflop = [np.array([[_weighted_deciles(*class_histogram(1, flop, k)) for k in range(N_CLASSES)]])]
    for street, boards, table in ((2, turns, turn), (3, rivers, river)):
        counts = np.zeros((N_CLASSES, UNITS[street] + 1), dtype=np.int32)
        _class_histograms(boards.cards, boards.multiplicity, table.equity, CLASS_OF_HOLE, counts)
        values = np.arange(counts.shape[1], dtype=table.equity.dtype)
        preflop.append(np.array([[_weighted_deciles(values, of_class) for of_class in counts]]))
    equity = counts @ values.astype(np.int64) // np.bincount(CLASS_OF_HOLE)
    return StreetTable(equity[None], tuple(preflop)), flop, turn, river


def _names(street: int) -> list[str]:
    """Of a street's files: its equities, then the deciles of each later street's."""
    name, *later = STREETS[street:]
    return [f"{name}_equity", *(f"{name}_{other}_deciles" for other in later)]


def save_tables(folder: str | os.PathLike, tables: tuple[StreetTable, ...]) -> None:
    """Write the four streets' tables as ten .npy files into a folder; 1.0 GB."""
    for street, table in enumerate(tables):
        for name, array in zip(_names(street), (table.equity, *table.deciles), strict=True):
            save_npy(Path(folder) / f"{name}.npy", array)


def load_tables(folder: str | os.PathLike) -> tuple[StreetTable, ...]:
    """The four tables written by `save_tables`, preflop first, read-only from disk as they are used."""
    tables = []
    for street, n_boards in enumerate((1, 1755, 16_432, 134_459)):
        shape = (n_boards, N_HOLES if street else N_CLASSES)
        equity, *deciles = _names(street)
        of_later = tuple(load_shaped(Path(folder) / f"{name}.npy", (*shape, N_DECILES)) for name in deciles)
        tables.append(StreetTable(load_shaped(Path(folder) / f"{equity}.npy", shape), of_later))
    return tuple(tables)


def load_shaped(path: Path, shape: tuple[int, ...]) -> np.ndarray:
    """An array mapped read-only from a file. Raises ValueError naming the file where its shape is another."""
    array = load_npy(path, mmap=True)
    if array.shape != shape:
        raise ValueError(f"{path}: shape is {array.shape}, expected {shape}; `dvc repro equity` makes it again")
    return array
