"""What each swap is worth, exactly: the best swap on every flop and turn, against a random hand.

On the turn: the expected showdown against an opponent who holds two random cards, over its cards,
the card that I draw and the river. On the flop likewise over turn and river, and nobody swaps again
on the turn. The opponent keeps its cards. It never holds what I throw.

Whole boards are counted at once, a river board at a time. Holes are taken from weak to strong, and
`half` counts the holes met so far, 2 for a weaker and 1 for an equal one, in all and by card. A
hole (k, n) that was drawn by throwing d meets all but those with k, n, d:

    half - half[k] - half[n] - half[d] + those counted off twice, of which (d, k) is a sum over n that the place of (k, d)
    among the holes of k tells, and (d, n) is a comparison of the rows k and d of a table of strengths.
"""

from collections.abc import Callable

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

KEEP, THROW_HIGH, THROW_LOW = 0, 1, 2  # a choice; the high card is the one of the larger number
MET = 3  # column of sums, behind those of the choices: opponents' holes, over the river boards
DRAWS = 43  # a swap's sums count this many times as many showdowns as those of keeping both
_WIDE = 64  # cards in whole vectors
_CHUNK = 1024  # boards between two reports of progress


def equities(sums: np.ndarray) -> np.ndarray:
    """Equity of each choice with each hole, (n_boards, 1326, 3) float32; 0 for blocked holes. sums:
    of `swap_sums`.
    """
    showdowns = np.maximum(sums[..., MET:], 1) * np.array(
        [2.0, 2.0 * DRAWS, 2.0 * DRAWS], dtype=np.float32
    )
    return (sums[..., :MET] / showdowns).astype(np.float32)


@njit(cache=True)
def _add_river(cards, sums):
    """Add a river board's sums (1326, 4)."""
    order, start = np.empty(N_RIVER_HOLES, dtype=np.int16), np.empty(161, dtype=np.int32)
    half, squares = np.zeros(_WIDE, dtype=np.int32), np.zeros((2, 52, _WIDE), dtype=np.int32)
    throw, rank = squares[0], squares[1]
    n_classes = river_order(cards, order, start)
    rank[:] = -1
    whole, none, one = 0, np.int32(0), np.int32(1)
    for c in range(n_classes):
        for h in order[start[c] : start[c + 1]]:
            whole += _count(h, half)
        for h in order[start[c] : start[c + 1]]:
            a, b = HOLE_CARDS[h, 0], HOLE_CARDS[h, 1]
            rank[a, b], rank[b, a] = c, c
            beaten = np.int32(whole - half[a] - half[b] + 1)
            sums[h, 0] += beaten
            first, second = throw[a], throw[b]
            for d in range(half.shape[0]):
                first[d] += beaten - half[d]
                second[d] += beaten - half[d]
            # of the 45 other holes with a: 2 for a stronger one, 1 for an equal
            first[b] += 91 - half[a] - (beaten - half[b])
            second[a] += 91 - half[b] - (beaten - half[a])
        for h in order[start[c] : start[c + 1]]:
            whole += _count(h, half)
    for h in order:
        k, d = HOLE_CARDS[h, 0], HOLE_CARDS[h, 1]
        sums[h, MET] += (whole - half[k] - half[d]) // 2 + 1
        low, high = np.int32(0), np.int32(0)
        mine, theirs = rank[k], rank[d]
        # a hole with k and d themselves, or with a card of the board, has no rank: -1
        for n in range(mine.shape[0]):
            met = one if mine[n] >= 0 and theirs[n] >= 0 else none
            low += met * (
                (one if mine[n] > theirs[n] else none) + (one if mine[n] >= theirs[n] else none)
            )
            high += met * (
                (one if theirs[n] > mine[n] else none) + (one if theirs[n] >= mine[n] else none)
            )
        sums[h, 1] += throw[d, k] + high
        sums[h, 2] += throw[k, d] + low


@njit(cache=True)
def _count(h, half):
    """Count a hole by its cards; returns 1."""
    half[HOLE_CARDS[h, 0]] += 1
    half[HOLE_CARDS[h, 1]] += 1
    return 1


@njit(cache=True, nogil=True)
def _sum_boards(thread, boards, step, sums):
    """Sums of boards of three or four cards (n, k) over every step-th pair of cards to come."""
    for b in range(thread[0], boards.shape[0], thread[1]):
        board, left, count = np.zeros(5, dtype=np.int64), np.flatnonzero(free_cards(boards[b])), 0
        board[: boards.shape[1]] = boards[b]
        for i in range(left.shape[0]):
            for turn in left[:i] if boards.shape[1] == 3 else board[3:4]:
                if count % step == 0:
                    board[3], board[4] = turn, left[i]
                    _add_river(board, sums[b])
                count += 1


def swap_sums(boards: np.ndarray, step: int = 1) -> np.ndarray:
    """Sums over river boards of 2 * wins + ties with every hole on boards (n, 3) or (n, 4), (n,
    1326, 4) int64.

    Columns are the three choices and MET; blocked holes have 0. step: every so many of the lists of
    cards to come count.
    """
    boards = np.ascontiguousarray(boards, dtype=np.int64)
    sums = np.zeros((len(boards), N_HOLES, 4), dtype=np.int64)
    on_threads(_sum_boards, boards, step, sums)
    return sums


def turn_sums(step: int = 1, progress: Callable[[int], None] = lambda done: None) -> np.ndarray:
    """`swap_sums` on all 16,432 turn boards against a random hand that is kept, int32; step: 1 for
    all rivers.
    """
    boards = canonical_boards(4).cards
    sums = np.empty((len(boards), N_HOLES, 4), dtype=np.int32)
    for first in range(0, len(boards), _CHUNK):
        sums[first : first + _CHUNK] = swap_sums(boards[first : first + _CHUNK], step=step)
        progress(min(first + _CHUNK, len(boards)))
    return sums


@njit(cache=True, nogil=True)
def _sum_turns(thread, flops, keys, turn, columns, out):
    """Add to each flop (n, 1326, w) what its 49 turn boards have; columns (2, w): where, and where
    for turned pairs.
    """
    for f in range(thread[0], flops.shape[0], thread[1]):
        board = np.append(flops[f], 0)
        for card in np.flatnonzero(free_cards(flops[f])):
            board[3] = card
            key, p = canonical_key(board, board.shape[0])
            k = np.searchsorted(keys, key)
            for h in range(N_HOLES):
                there, high, low = PERMUTED_HOLES[p, h], HOLE_CARDS[h, 0], HOLE_CARDS[h, 1]
                turned = (
                    high >> 2 == low >> 2
                    and SUIT_PERMUTATIONS[p, high & 3] < SUIT_PERMUTATIONS[p, low & 3]
                )
                where = columns[1 if turned else 0]
                for i in range(where.shape[0]):
                    out[f, h, i] += turn[k, there, where[i]]


def sum_turns(turn: np.ndarray, columns: list[list[int]], dtype: type) -> np.ndarray:
    """Sums (1755, 1326, w) over the turn boards of all flops of numbers (16432, 1326, w); columns:
    as `_sum_turns` takes them.
    """
    flops = canonical_boards(3).cards.astype(np.int64)
    out = np.zeros((len(flops), *turn.shape[1:]), dtype=dtype)
    on_threads(_sum_turns, flops, canonical_boards(4).keys, turn, np.array(columns), out)
    return out


def flop_sums(turn: np.ndarray) -> np.ndarray:
    """`swap_sums` on all 1,755 flops from those on the turn: each pair of turn and river is met
    twice.
    """
    return sum_turns(
        turn, [[KEEP, THROW_HIGH, THROW_LOW, MET], [KEEP, THROW_LOW, THROW_HIGH, MET]], np.int64
    )
