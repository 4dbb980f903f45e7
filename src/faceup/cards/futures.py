"""Equities on turn and flop, and deciles of what they may become, from those of the street that follows.

A turn board gathers its 48 river boards; a flop gathers its 49 turn boards, and its 1,176 pairs of turn and river cards. Decile
d of a hole's later equities is the smallest that at least d * 10 % of them do not exceed, d = 1..10: found by sorting where they
are 48 or 49, by counting where there are more. Tables and units are those of `cards.equity`.
"""

import numpy as np
from numba import njit

from faceup.cards.cards import HOLE_CARDS, N_HOLES, PERMUTED_HOLES, _canonical, _free

N_DECILES = 10


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
