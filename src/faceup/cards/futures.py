"""Equities on turn and flop, and deciles of what they may become, from those of the street that follows.

A turn board gathers its 48 river boards; a flop gathers its 49 turn boards, and its 1,176 pairs of turn and river cards. Decile
d of a hole's later equities is the smallest that at least d * 10 % of them do not exceed, d = 1..10: found by sorting where they
are 48 or 49, by counting where there are more. Tables and units are those of `cards.equity`.
"""

import numpy as np
from numba import njit, prange

from faceup.cards.cards import N_HOLES, PERMUTED_HOLES, _canonical

N_DECILES = 10


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
