"""Exact equities of every hold'em hand on every street, up to suits (paper 000, Section 2.2.1).

Equity is the chance to win against one uniformly random opposing hand and uniformly random further public cards, plus
half the chance to tie. All of it is integers here. On the river it is `2 * wins + ties` against 990 opponents, out of 1,980; an
earlier street's is the sum over what may come, out of `UNITS[street]`. The tables hold a row a canonical board and a column a
hole (of 1,326, in the canonical board's suits), with 0 where a board card blocks the hole.

A river board costs one sort of its holes by strength and one sweep with card-removal counts; a turn board gathers its 48
river boards, and a flop its 49 turn boards.
"""

import os
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numba import njit, prange

from faceup.cards.cards import BOARD_CARDS, CLASS_OF_HOLE, HOLE_CARDS, N_HOLES, PERMUTED_HOLES, _canonical, canonical_boards
from faceup.cards.strength import N_RIVER_HOLES, _river_order
from faceup.notebook.storage import load_npy, save_npy

UNITS = (2 * 2_097_572_400, 1081 * 1980, 46 * 1980, 1980)  # the equity 1.0 on each street, as an integer
N_DECILES = 10


class StreetTable(NamedTuple):
    """Equities on one street, as integers out of UNITS, and the deciles of the equities on each later street."""

    equity: np.ndarray  # (n_boards, n_holes) int64 preflop (169 classes), uint32, uint32, uint16
    deciles: tuple[np.ndarray, ...]  # one array a later street, (n_boards, n_holes, 10), each out of that street's UNITS


@njit(cache=True)
def _river_counts(cards, less, equal):
    """Opponents that each hole of a river board beats and ties: less, equal (1326,) int32, 0 for blocked holes."""
    order = np.empty(N_RIVER_HOLES, dtype=np.int16)
    class_start = np.empty(161, dtype=np.int32)
    n_classes = _river_order(cards, order, class_start)
    less[:] = 0
    equal[:] = 0
    below = np.zeros(52, dtype=np.int32)  # holes with each card among weaker classes
    inside = np.zeros(52, dtype=np.int32)  # and within the class
    for k in range(n_classes):
        start, end = class_start[k], class_start[k + 1]
        for i in range(start, end):
            h = order[i]
            inside[HOLE_CARDS[h, 0]] += 1
            inside[HOLE_CARDS[h, 1]] += 1
        for i in range(start, end):
            h = order[i]
            a, b = HOLE_CARDS[h, 0], HOLE_CARDS[h, 1]
            less[h] = start - below[a] - below[b]
            equal[h] = end - start - inside[a] - inside[b] + 1  # the hole itself was taken off twice
        for i in range(start, end):
            h = order[i]
            for j in range(2):
                below[HOLE_CARDS[h, j]] += inside[HOLE_CARDS[h, j]]
                inside[HOLE_CARDS[h, j]] = 0


@njit(cache=True)
def _river_equity(cards, equity):
    """2 * wins + ties of each hole on a river board, equity (1326,), 0 for blocked holes."""
    less = np.empty(N_HOLES, dtype=np.int32)
    equal = np.empty(N_HOLES, dtype=np.int32)
    _river_counts(cards, less, equal)
    for h in range(N_HOLES):
        equity[h] = 2 * less[h] + equal[h]


@njit(cache=True, parallel=True)
def _river_table(cards, equity):
    for b in prange(cards.shape[0]):
        whole = np.empty(N_HOLES, dtype=np.int32)
        _river_equity(cards[b], whole)
        for h in range(N_HOLES):
            equity[b, h] = whole[h]


@njit(cache=True)
def _gather_next(cards, next_keys, next_equity, rows, total):
    """Equities of each hole with each further card, rows (52 - cards, 1326), 0 for blocked holes; total (1326,) their sum."""
    n_cards, n = cards.shape[0], 0
    grown = np.empty(n_cards + 1, dtype=np.int64)
    used = np.int64(0)
    for i in range(n_cards):
        grown[i] = cards[i]
        used |= np.int64(1) << np.int64(cards[i])
    total[:] = 0
    for c in range(52):
        if not used >> c & 1:
            grown[n_cards] = c
            key, permutation = _canonical(grown, n_cards + 1)
            source, move, row = next_equity[np.searchsorted(next_keys, key)], PERMUTED_HOLES[permutation], rows[n]
            for h in range(N_HOLES):
                row[h] = source[move[h]]
                total[h] += row[h]
            n += 1


def _sorting_network(n: int) -> np.ndarray:
    """Comparators of Batcher's odd-even merge sort for n lines, (m, 2) int16."""
    pairs = []
    p = 1
    while p < n:
        k = p
        while k >= 1:
            for j in range(k % p, n - k, 2 * k):
                for i in range(min(k, n - j - k)):
                    if (i + j) // (2 * p) == (i + j + k) // (2 * p):
                        pairs.append((i + j, i + j + k))
            k //= 2
        p *= 2
    return np.array(pairs, dtype=np.int16)


NETWORK_48, NETWORK_49 = _sorting_network(48), _sorting_network(49)


@njit(cache=True)
def _sort_columns(rows, network):
    """Sort every column of rows (n, n_holes) ascending by a sorting network, in place."""
    for c in range(network.shape[0]):
        upper, lower = rows[network[c, 0]], rows[network[c, 1]]
        for h in range(rows.shape[1]):
            a, b = upper[h], lower[h]
            upper[h] = min(a, b)
            lower[h] = max(a, b)


@njit(cache=True)
def _turn_board(cards, river_keys, river_equity, equity, deciles):
    """Equity and river deciles of each hole on a turn board; blocked holes get 0."""
    rows = np.empty((48, N_HOLES), dtype=np.uint16)
    _gather_next(cards, river_keys, river_equity, rows, equity)
    _hide_blocked(cards, rows)
    _sort_columns(rows, NETWORK_48)
    for h in range(N_HOLES):
        for d in range(N_DECILES):
            deciles[h, d] = rows[(46 * (d + 1) + 9) // 10 - 1, h] if equity[h] else 0


@njit(cache=True)
def _hide_blocked(cards, rows):
    """Give the largest value to holes that the next card blocks, so that they sort behind the possible ones.

    Row n stands for the n-th card not on the board. A possible hole's equity may be 0: the cards must be asked, not the value.
    """
    largest = np.iinfo(rows.dtype).max
    n = 0
    for c in range(52):
        on_board = False
        for i in range(cards.shape[0]):
            on_board |= cards[i] == c
        if on_board:
            continue
        for other in range(52):
            if other != c:
                hi, lo = max(c, other), min(c, other)
                rows[n, hi * (hi - 1) // 2 + lo] = largest
        n += 1


@njit(cache=True, parallel=True)
def _turn_table(cards, river_keys, river_equity, equity, deciles):
    for b in prange(cards.shape[0]):
        _turn_board(cards[b], river_keys, river_equity, equity[b], deciles[b])


@njit(cache=True)
def _histogram_deciles(values, n, deciles):
    """Deciles of n equities out of 1,980 by counting: coarse bins of 32 first, then within the one that holds the decile."""
    fine = np.zeros(2016, dtype=np.int16)
    coarse = np.zeros(63, dtype=np.int16)
    for i in range(n):
        fine[values[i]] += 1
        coarse[values[i] >> 5] += 1
    d, seen, bin_ = 0, 0, 0
    while d < N_DECILES:
        needed = (n * (d + 1) + 9) // 10
        while seen + coarse[bin_] < needed:
            seen += coarse[bin_]
            bin_ += 1
        inside, v = seen, bin_ << 5
        while True:
            inside += fine[v]
            if inside >= needed:
                break
            v += 1
        deciles[d] = v
        d += 1


@njit(cache=True)
def _flop_board(cards, turn_keys, turn_equity, river_keys, river_equity, equity, turn_deciles, river_deciles):
    """Equity, turn deciles and river deciles of each hole on a flop; blocked holes get 0."""
    rows = np.empty((49, N_HOLES), dtype=np.uint32)
    total = np.empty(N_HOLES, dtype=np.int64)
    _gather_next(cards, turn_keys, turn_equity, rows, total)
    _hide_blocked(cards, rows)
    _sort_columns(rows, NETWORK_49)
    futures = np.empty((N_HOLES, 1176), dtype=np.uint16)
    counts = _river_futures(cards, river_keys, river_equity, futures)
    for h in range(N_HOLES):
        equity[h] = total[h] // 2  # every river board was met twice, once in each order of turn and river
        turn_deciles[h] = 0
        river_deciles[h] = 0
        if counts[h] > 0:
            for d in range(N_DECILES):
                turn_deciles[h, d] = rows[(47 * (d + 1) + 9) // 10 - 1, h]
            _histogram_deciles(futures[h], counts[h], river_deciles[h])


@njit(cache=True)
def _river_futures(cards, river_keys, river_equity, futures):
    """River equities of each hole over all pairs of further cards, futures (1326, 1176); returns how many each has."""
    counts = np.zeros(N_HOLES, dtype=np.int64)
    board = np.empty(5, dtype=np.int64)
    used = np.int64(0)
    for i in range(3):
        board[i] = cards[i]
        used |= np.int64(1) << np.int64(cards[i])
    for turn in range(52):
        for river in range(turn):
            if (used >> turn | used >> river) & 1:
                continue
            board[3], board[4] = turn, river
            key, permutation = _canonical(board, board.shape[0])
            source, move = river_equity[np.searchsorted(river_keys, key)], PERMUTED_HOLES[permutation]
            seen = used | np.int64(1) << turn | np.int64(1) << river
            h = 0
            for hi in range(52):
                if seen >> hi & 1:
                    h += hi
                    continue
                for lo in range(hi):
                    if not seen >> lo & 1:
                        futures[h, counts[h]] = source[move[h]]
                        counts[h] += 1
                    h += 1
    return counts


@njit(cache=True, parallel=True)
def _flop_table(cards, turn_keys, turn_equity, river_keys, river_equity, equity, turn_deciles, river_deciles):
    for b in prange(cards.shape[0]):
        _flop_board(cards[b], turn_keys, turn_equity, river_keys, river_equity, equity[b], turn_deciles[b], river_deciles[b])


def river_table() -> StreetTable:
    """Equities on all 134,459 river boards; 357 MB."""
    boards = canonical_boards(5)
    equity = np.empty((len(boards.keys), N_HOLES), dtype=np.uint16)
    _river_table(boards.cards.astype(np.int64), equity)
    return StreetTable(equity, ())


def turn_table(river: StreetTable) -> StreetTable:
    """Equities and river deciles on all 16,432 turn boards; 523 MB."""
    boards = canonical_boards(4)
    equity = np.empty((len(boards.keys), N_HOLES), dtype=np.uint32)
    deciles = np.empty((len(boards.keys), N_HOLES, N_DECILES), dtype=np.uint16)
    _turn_table(boards.cards, canonical_boards(5).keys, river.equity, equity, deciles)
    return StreetTable(equity, (deciles,))


def flop_table(turn: StreetTable, river: StreetTable) -> StreetTable:
    """Equities, turn deciles and river deciles on all 1,755 flops; 149 MB."""
    boards = canonical_boards(3)
    shape = (len(boards.keys), N_HOLES)
    equity = np.empty(shape, dtype=np.uint32)
    turn_deciles = np.empty((*shape, N_DECILES), dtype=np.uint32)
    river_deciles = np.empty((*shape, N_DECILES), dtype=np.uint16)
    keys = canonical_boards(4).keys, canonical_boards(5).keys
    _flop_table(boards.cards, keys[0], turn.equity, keys[1], river.equity, equity, turn_deciles, river_deciles)
    return StreetTable(equity, (turn_deciles, river_deciles))


@njit(cache=True)
def _class_histograms(cards, multiplicity, equity, classes, counts):
    """Add each board's multiplicity to counts[class of the hole, equity], over the holes that the board leaves."""
    for b in range(cards.shape[0]):
        used = np.int64(0)
        for i in range(cards.shape[1]):
            used |= np.int64(1) << np.int64(cards[b, i])
        for h in range(N_HOLES):
            if not (used >> np.int64(HOLE_CARDS[h, 0]) | used >> np.int64(HOLE_CARDS[h, 1])) & 1:
                counts[classes[h], equity[b, h]] += multiplicity[b]


def _weighted_deciles(values: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Smallest value with at least d * 10 % of the weight at or below it, d = 1..10, for ascending values."""
    cumulative = np.cumsum(weights.astype(np.int64))
    steps = np.arange(1, N_DECILES + 1) * cumulative[-1]
    return values[np.searchsorted(10 * cumulative, steps)]


def class_histogram(street: int, table: StreetTable, k: int) -> tuple[np.ndarray, np.ndarray]:
    """Equities (integers) that starting hand k, 0..168, can have on a later street, ascending, and how often each occurs."""
    boards = canonical_boards(BOARD_CARDS[street])
    holes = np.flatnonzero(CLASS_OF_HOLE == k)
    used = np.zeros((len(boards.keys), 52), dtype=bool)
    np.put_along_axis(used, boards.cards.astype(np.int64), True, axis=1)
    free = ~used[:, HOLE_CARDS[holes]].any(axis=2)
    weights = np.broadcast_to(boards.multiplicity[:, None], free.shape)[free]
    values, where = np.unique(table.equity[:, holes][free], return_inverse=True)
    return values, np.bincount(where, weights=weights).astype(np.int64)


def preflop_table(flop: StreetTable, turn: StreetTable, river: StreetTable) -> StreetTable:
    """Equities of the 169 starting hands and the deciles of their flop, turn and river equities."""
    equity = np.empty((1, 169), dtype=np.int64)
    deciles = [np.empty((1, 169, N_DECILES), dtype=t.equity.dtype) for t in (flop, turn, river)]
    for k in range(169):
        values, counts = class_histogram(1, flop, k)
        deciles[0][0, k] = _weighted_deciles(values, counts)
    for street, table, out in ((2, turn, deciles[1]), (3, river, deciles[2])):
        boards = canonical_boards(BOARD_CARDS[street])
        counts = np.zeros((169, UNITS[street] + 1), dtype=np.int32)
        _class_histograms(boards.cards, boards.multiplicity, table.equity, CLASS_OF_HOLE, counts)
        for k in range(169):
            out[0, k] = _weighted_deciles(np.arange(counts.shape[1]), counts[k])
    combos = np.bincount(CLASS_OF_HOLE, minlength=169)
    equity[0] = counts @ np.arange(UNITS[3] + 1, dtype=np.int64) // combos
    return StreetTable(equity, tuple(deciles))


@cache
def all_tables() -> tuple[StreetTable, StreetTable, StreetTable, StreetTable]:
    """Tables of the four streets, preflop first; about 1 GB, kept for the process."""
    river = river_table()
    turn = turn_table(river)
    flop = flop_table(turn, river)
    return preflop_table(flop, turn, river), flop, turn, river


class Exact(NamedTuple):
    """What is known of a file of exact numbers: they are the same on every machine."""

    shape: tuple[int, ...]
    dtype: str
    total: int  # of its bytes taken eight at a time, modulo 2^64


_FILES = (  # of each street: its equities, then the deciles of each later street's
    {
        "preflop_equity": Exact((1, 169), "int64", 361530341721),
        "preflop_flop_deciles": Exact((1, 169, 10), "uint32", 4599352449527308199),
        "preflop_turn_deciles": Exact((1, 169, 10), "uint32", 197561155555655113),
        "preflop_river_deciles": Exact((1, 169, 10), "uint16", 9835184379628919908),
    },
    {
        "flop_equity": Exact((1755, 1326), "uint32", 9603729838357314314),
        "flop_turn_deciles": Exact((1755, 1326, 10), "uint32", 12353338987542242526),
        "flop_river_deciles": Exact((1755, 1326, 10), "uint16", 14691442265499953706),
    },
    {
        "turn_equity": Exact((16432, 1326), "uint32", 3427640141442609622),
        "turn_river_deciles": Exact((16432, 1326, 10), "uint16", 1937079203405894765),
    },
    {"river_equity": Exact((134459, 1326), "uint16", 2953696781175858840)},
)


def save_tables(folder: str | os.PathLike, tables: tuple[StreetTable, ...]) -> None:
    """Write the four streets' tables as ten .npy files into a folder; 1.0 GB."""
    for files, table in zip(_FILES, tables, strict=True):
        for name, array in zip(files, (table.equity, *table.deciles), strict=True):
            save_npy(Path(folder) / f"{name}.npy", array)


def load_tables(folder: str | os.PathLike) -> tuple[StreetTable, ...]:
    """The four tables written by `save_tables`, preflop first, read-only from disk as they are used.

    All numbers are checked, in a second. Raises ValueError naming a file that is missing, damaged or not the one it should be.
    """
    tables = []
    for files in _FILES:
        equity, *deciles = (load_exact(Path(folder) / f"{name}.npy", exact) for name, exact in files.items())
        tables.append(StreetTable(equity, tuple(deciles)))
    return tuple(tables)


def load_exact(path: Path, exact: Exact) -> np.ndarray:
    """An array mapped read-only from a file. Raises ValueError naming the file unless it holds what is known of it."""
    again = f"expected {exact.dtype} of shape {exact.shape}; remove {path.parent} and make it again with `dvc repro equity`"
    try:
        array = load_npy(path, mmap=True)
    except FileNotFoundError as error:
        raise ValueError(f"{path}: there is no such file, {again}") from error
    except Exception as error:  # numpy raises several kinds for damaged bytes
        raise ValueError(f"{path}: cannot be read ({error}), {again}") from error
    if (array.shape, array.dtype) != (exact.shape, np.dtype(exact.dtype)):
        raise ValueError(f"{path}: holds {array.dtype} of shape {array.shape}, {again}")
    if total_of(array) != exact.total:
        raise ValueError(f"{path}: holds other numbers than the exact ones, {again}")
    return array


def total_of(array: np.ndarray) -> int:
    """The sum of an array's bytes taken eight at a time, modulo 2^64; those left over at the end are added one by one."""
    content = np.ascontiguousarray(array).reshape(-1).view(np.uint8)
    whole = len(content) // 8 * 8
    return (int(content[:whole].view(np.uint64).sum()) + int(content[whole:].sum())) % 2**64


def preflop_outcomes() -> np.ndarray:
    """Exact (wins, ties, losses) of the 169 starting hands over 2,097,572,400 outcomes each, (169, 3) int64."""
    boards = canonical_boards(5)
    counts = np.zeros((N_HOLES, 2), dtype=np.int64)
    _add_outcomes(boards.cards.astype(np.int64), boards.multiplicity, counts)
    by_class = np.zeros((169, 2), dtype=np.int64)
    np.add.at(by_class, CLASS_OF_HOLE, counts)
    by_class //= np.bincount(CLASS_OF_HOLE, minlength=169)[:, None]
    return np.column_stack([by_class, UNITS[0] // 2 - by_class.sum(axis=1)])


@njit(cache=True)
def _add_outcomes(cards, multiplicity, counts):
    less = np.empty(N_HOLES, dtype=np.int32)
    equal = np.empty(N_HOLES, dtype=np.int32)
    for b in range(cards.shape[0]):
        _river_counts(cards[b], less, equal)
        for h in range(N_HOLES):
            counts[h, 0] += multiplicity[b] * less[h]
            counts[h, 1] += multiplicity[b] * equal[h]
