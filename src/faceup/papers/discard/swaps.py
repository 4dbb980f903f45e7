"""Exact values of swaps: the best swap on every flop and turn, against a random hand.

On the turn: the expected showdown against an opponent who holds two random cards, over its cards,
the card drawn and the river. On the flop likewise over turn and river, and nobody swaps again on
the turn. The opponent keeps its cards. It never holds the card that was thrown.

Whole boards are counted at once, a river board at a time. Holes are taken from weak to strong, and
`half` counts the holes so far, 2 for a weaker and 1 for an equal one, in all and by card. A hole
(k, n) that was drawn by throwing d plays against all holes without k, n and d:

    half - half[k] - half[n] - half[d] + the holes subtracted twice,

of which (d, k) is a sum over n given by the place of (k, d) among the holes of k, and (d, n) is a
comparison of the rows k and d of a table of strengths.
"""

import numpy as np
from numba import njit

from faceup.cards.cards import (
    HOLE_CARDS,
    N_HOLES,
    PERMUTED_HOLES,
    SUIT_PERMUTATIONS,
    canonical_boards,
    canonical_key,
    free_cards,
)
from faceup.cards.strength import N_RIVER_HOLES, river_order
from faceup.util.parallel import on_threads

KEEP, THROW_HIGH, THROW_LOW = 0, 1, 2  # choices; the high card is the one of the larger number
COUNT = 3  # column of sums behind those of the choices: opponents' holes, over the river boards
DRAWS = 43  # a swap's sums count this many times as many showdowns as those of keeping both
MOST_STARTS = 161  # of the strength classes of a river board, and their end
_WIDE = 64  # cards in whole vectors
_HOLES_WITH_CARD = 45  # other holes with a card of one's own, on a river board


def equities(sums: np.ndarray) -> np.ndarray:
    """Equity of each choice with each hole, (n_boards, 1326, 3) float32; 0 for blocked holes.

    sums (n_boards, 1326, 4): of `swap_sums`.
    """
    weights = np.array([2.0, 2.0 * DRAWS, 2.0 * DRAWS], dtype=np.float32)
    showdowns = np.maximum(sums[..., COUNT:], 1) * weights
    return (sums[..., :COUNT] / showdowns).astype(np.float32)


@njit(cache=True)
def _count(h, half):
    """Count a hole by its cards, half (64,); returns 1."""
    half[HOLE_CARDS[h, 0]] += 1
    half[HOLE_CARDS[h, 1]] += 1
    return 1


@njit(cache=True)
def _add_river(cards, sums):
    """Add the sums (1326, 4) of a river board, cards (5,)."""
    order, start = np.empty(N_RIVER_HOLES, dtype=np.int16), np.empty(MOST_STARTS, dtype=np.int32)
    half = np.zeros(_WIDE, dtype=np.int32)
    throw = np.zeros((52, _WIDE), dtype=np.int32)
    rank = np.full((52, _WIDE), -1, dtype=np.int32)
    n_classes = river_order(cards, order, start)
    whole, none, one = 0, np.int32(0), np.int32(1)
    for c in range(n_classes):
        for h in order[start[c] : start[c + 1]]:
            whole += _count(h, half)
        for h in order[start[c] : start[c + 1]]:
            a, b = HOLE_CARDS[h, 0], HOLE_CARDS[h, 1]
            rank[a, b], rank[b, a] = c, c
            beaten = np.int32(whole - half[a] - half[b] + 1)
            sums[h, KEEP] += beaten
            first, second = throw[a], throw[b]
            for d in range(half.shape[0]):
                first[d] += beaten - half[d]
                second[d] += beaten - half[d]
            # of the other holes with a: 2 for a stronger one, 1 for an equal
            first[b] += 2 * _HOLES_WITH_CARD + 1 - half[a] - (beaten - half[b])
            second[a] += 2 * _HOLES_WITH_CARD + 1 - half[b] - (beaten - half[a])
        for h in order[start[c] : start[c + 1]]:
            whole += _count(h, half)
    for h in order:
        k, d = HOLE_CARDS[h, 0], HOLE_CARDS[h, 1]
        sums[h, COUNT] += (whole - half[k] - half[d]) // 2 + 1
        low, high = np.int32(0), np.int32(0)
        own, other = rank[k], rank[d]
        # a hole with k and d themselves, or with a card of the board, has no rank: -1
        for n in range(own.shape[0]):
            ranked = one if own[n] >= 0 and other[n] >= 0 else none
            low += ranked * (
                (one if own[n] > other[n] else none) + (one if own[n] >= other[n] else none)
            )
            high += ranked * (
                (one if other[n] > own[n] else none) + (one if other[n] >= own[n] else none)
            )
        sums[h, THROW_HIGH] += throw[d, k] + high
        sums[h, THROW_LOW] += throw[k, d] + low


@njit(cache=True, nogil=True)
def _sum_rivers(thread, turns, step, sums):
    """Sums (n, 1326, 4) of turn boards (n, 4) over every step-th river card."""
    for b in range(thread[0], turns.shape[0], thread[1]):
        for river in np.flatnonzero(free_cards(turns[b]))[::step]:
            _add_river(np.append(turns[b], river), sums[b])


def swap_sums(turns: np.ndarray, step: int = 1) -> np.ndarray:
    """2 * wins + ties with every hole, summed over the river cards of turn boards (n, 4).

    Returns (n, 1326, 4) int32: the three choices and COUNT; blocked holes have 0. step: only every
    step-th river card is counted.
    """
    sums = np.zeros((len(turns), N_HOLES, 4), dtype=np.int32)
    on_threads(_sum_rivers, turns.astype(np.int64), step, sums)
    return sums


@njit(cache=True, nogil=True)
def _sum_turns(thread, flops, keys, turn, columns, out):
    """Add the sums of its 49 turn boards to each flop, out (n, 1326, w).

    flops (n, 3); keys (16432,); turn (16432, 1326, w); columns (2, w): of `turn`, for holes whose
    high card stays the high one when the suits are permuted, and for those where it does not.
    """
    for f in range(thread[0], flops.shape[0], thread[1]):
        board = np.append(flops[f], 0)
        for card in np.flatnonzero(free_cards(flops[f])):
            board[3] = card
            key, p = canonical_key(board, board.shape[0])
            k = np.searchsorted(keys, key)
            for h in range(N_HOLES):
                source, high, low = PERMUTED_HOLES[p, h], HOLE_CARDS[h, 0], HOLE_CARDS[h, 1]
                turned = (
                    high >> 2 == low >> 2
                    and SUIT_PERMUTATIONS[p, high & 3] < SUIT_PERMUTATIONS[p, low & 3]
                )
                where = columns[1 if turned else 0]
                for i in range(where.shape[0]):
                    out[f, h, i] += turn[k, source, where[i]]


def sum_turns(turn: np.ndarray, columns: list[list[int]], dtype: type) -> np.ndarray:
    """Sums (1755, 1326, w) over the turn boards of all flops of numbers (16432, 1326, w).

    columns (2, w): as `_sum_turns` takes them.
    """
    flops = canonical_boards(3).cards.astype(np.int64)
    out = np.zeros((len(flops), *turn.shape[1:]), dtype=dtype)
    on_threads(_sum_turns, flops, canonical_boards(4).keys, turn, np.array(columns), out)
    return out


def flop_sums(turn: np.ndarray) -> np.ndarray:
    """Sums on all 1,755 flops, as those of `swap_sums` on all 16,432 turn boards; each pair of turn
    and river cards counts twice.
    """
    kept, turned = [KEEP, THROW_HIGH, THROW_LOW, COUNT], [KEEP, THROW_LOW, THROW_HIGH, COUNT]
    return sum_turns(turn, [kept, turned], np.int64)
