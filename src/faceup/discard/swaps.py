"""What each swap is worth, exactly: the best swap on every flop and turn, against a random hand.

On the turn: the expected showdown against an opponent who holds two random cards, over his cards, the card that I draw and
the river. On the flop likewise over turn and river, and nobody swaps again on the turn. The opponent keeps his cards; or he
comes with a range of hands (`weights`), which is how he plays the discard rule by `rule_range`. What I throw is dead: he does
not hold it.

Whole boards are counted at once, a river board at a time. Holes are taken from weak to strong, and `half` counts the holes
met so far, 2 for a weaker and 1 for an equal one, in all and by card. A hole (k, n) that was drawn by throwing d meets all
but those with k, n, d:

    half - half[k] - half[n] - half[d] + those counted off twice, of which (d, k) is a sum over n that the place of (k, d)
    among the holes of k tells, and (d, n) is a comparison of the rows k and d of a table of strengths.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numba import njit, prange

from faceup.cards.cards import HOLE_CARDS, N_CARDS, N_HOLES, PERMUTED_HOLES, SUIT_PERMUTATIONS, _canonical, canonical_boards
from faceup.cards.strength import N_RIVER_HOLES, _river_order

KEEP, THROW_HIGH, THROW_LOW = 0, 1, 2  # a choice; the high card is the one of the larger number
DRAWS = 43  # a swap's sums count this many times as many showdowns as those of keeping both
_WIDE = 64  # cards in whole vectors
_CHUNK = 1024  # boards between two reports of progress


class SwapSums(NamedTuple):
    """Sums over river boards of 2 * wins + ties; blocked holes have 0."""

    sums: np.ndarray  # (n_boards, 1326, 3) of keeping, throwing the high card, throwing the low card
    met: np.ndarray  # (n_boards, 1326): opponents' holes by weight, over the river boards


def equities(found: SwapSums) -> np.ndarray:
    """Equity of each choice with each hole, (n_boards, 1326, 3) float32; 0 for blocked holes."""
    showdowns = np.maximum(found.met, 1)[..., None] * np.array([2.0, 2.0 * DRAWS, 2.0 * DRAWS], dtype=np.float32)
    return (found.sums / showdowns).astype(np.float32)


@njit(cache=True)
def _add_river(cards, weights, sums, met, scratch):
    """Add a river board's sums (1326, 3) and met (1326,); weights (1326,) int64: how often the opponent holds each hole."""
    order, start, counts, squares = scratch
    half, plain, throw, rank, weight = counts[0], counts[1], squares[0], squares[1], squares[2]
    n_classes = _river_order(cards, order, start)
    half[:], plain[:], throw[:], rank[:], weight[:] = 0, 0, 0, -1, 0
    whole, none = 0, np.int32(0)
    for c in range(n_classes):
        for i in range(start[c], start[c + 1]):
            whole += _count(order[i], weights, half, plain)
        for i in range(start[c], start[c + 1]):
            h = order[i]
            a, b, w = HOLE_CARDS[h, 0], HOLE_CARDS[h, 1], np.int32(weights[h])
            rank[a, b], rank[b, a], weight[a, b], weight[b, a] = c, c, w, w
            beaten = np.int32(whole - half[a] - half[b] + w)
            sums[h, 0] += beaten
            first, second = throw[a], throw[b]
            for d in range(half.shape[0]):
                first[d] += beaten - half[d]
                second[d] += beaten - half[d]
            # of the 45 other holes with a: 2 for a stronger one, 1 for an equal
            first[b] += w * (91 - plain[a]) - (beaten - half[b])
            second[a] += w * (91 - plain[b]) - (beaten - half[a])
        for i in range(start[c], start[c + 1]):
            whole += _count(order[i], weights, half, plain)
    for i in range(order.shape[0]):
        h = order[i]
        k, d = HOLE_CARDS[h, 0], HOLE_CARDS[h, 1]
        met[h] += (whole - half[k] - half[d]) // 2 + weight[k, d]
        low, high = np.int32(0), np.int32(0)
        mine, theirs, own, other = rank[k], rank[d], weight[k], weight[d]
        for n in range(mine.shape[0]):
            low += (other[n] if mine[n] > theirs[n] else none) + (other[n] if mine[n] >= theirs[n] else none)
            high += (own[n] if theirs[n] > mine[n] else none) + (own[n] if theirs[n] >= mine[n] else none)
        sums[h, 1] += throw[d, k] + high
        sums[h, 2] += throw[k, d] + low


@njit(cache=True)
def _count(h, weights, half, plain):
    """Count a hole by its cards; returns its weight."""
    a, b, w = HOLE_CARDS[h, 0], HOLE_CARDS[h, 1], weights[h]
    half[a] += w
    half[b] += w
    plain[a] += 1
    plain[b] += 1
    return w


@njit(cache=True, parallel=True)
def _sum_boards(boards, weights, step, sums, met):
    """Sums of boards of three or four cards (n, k) over every step-th pair of cards to come; weights (n, 1326) or (1, 1326)."""
    n_cards = boards.shape[1]
    for b in prange(boards.shape[0]):
        scratch = (
            np.empty(N_RIVER_HOLES, dtype=np.int16), np.empty(161, dtype=np.int32), np.empty((2, _WIDE), dtype=np.int32),
            np.empty((3, N_CARDS, _WIDE), dtype=np.int32),
        )  # fmt: skip
        board, used, count = np.zeros(5, dtype=np.int64), np.int64(0), 0
        for i in range(n_cards):
            board[i] = boards[b, i]
            used |= np.int64(1) << board[i]
        for river in range(52):
            for turn in range(river if n_cards == 3 else 1):
                if used >> river & 1 or (n_cards == 3 and used >> turn & 1):
                    continue
                board[4] = river
                if n_cards == 3:
                    board[3] = turn
                if count % step == 0:
                    _add_river(board, weights[b % weights.shape[0]], sums[b], met[b], scratch)
                count += 1


def swap_sums(boards: np.ndarray, weights: np.ndarray | None = None, step: int = 1) -> SwapSums:
    """Sums of all three choices with every hole on boards (n, 3) or (n, 4).

    weights (n, 1326): how often the opponent holds each hole before cards are removed, whole numbers; None: all alike.
    step: 1 for all cards to come, else every step-th of the lists of them.
    """
    boards = np.ascontiguousarray(boards, dtype=np.int64)
    weights = np.ones((1, N_HOLES)) if weights is None else weights
    sums, met = np.zeros((len(boards), N_HOLES, 3), dtype=np.int64), np.zeros((len(boards), N_HOLES), dtype=np.int64)
    _sum_boards(boards, np.ascontiguousarray(weights, dtype=np.int64), step, sums, met)
    return SwapSums(sums, met)


def turn_sums(step: int = 1, progress: Callable[[int], None] = lambda done: None) -> SwapSums:
    """Sums on all 16,432 turn boards against a random hand who keeps his cards, int32; step: 1 for all rivers."""
    boards = canonical_boards(4).cards
    sums = np.empty((len(boards), N_HOLES, 3), dtype=np.int32)
    met = np.empty(sums.shape[:2], dtype=np.int32)
    for first in range(0, len(boards), _CHUNK):
        chunk = slice(first, first + _CHUNK)
        sums[chunk], met[chunk] = swap_sums(boards[chunk], step=step)
        progress(min(first + _CHUNK, len(boards)))
    return SwapSums(sums, met)


@njit(cache=True, parallel=True)
def _sum_turns(flops, keys, turn, columns, out):
    """Add to each flop (n, 1326, w) what its 49 turn boards have; columns (2, w): where, and where for turned pairs."""
    for f in prange(flops.shape[0]):
        board = np.empty(4, dtype=np.int64)
        board[:3] = flops[f]
        for card in range(52):
            if card == board[0] or card == board[1] or card == board[2]:
                continue
            board[3] = card
            key, p = _canonical(board, board.shape[0])
            k = np.searchsorted(keys, key)
            for h in range(N_HOLES):
                there, high, low = PERMUTED_HOLES[p, h], HOLE_CARDS[h, 0], HOLE_CARDS[h, 1]
                turned = high >> 2 == low >> 2 and SUIT_PERMUTATIONS[p, high & 3] < SUIT_PERMUTATIONS[p, low & 3]
                where = columns[1 if turned else 0]
                for i in range(where.shape[0]):
                    out[f, h, i] += turn[k, there, where[i]]


def sum_turns(turn: np.ndarray, columns: list[list[int]], dtype: type) -> np.ndarray:
    """Sums (1755, 1326, w) over the turn boards of all flops of numbers (16432, 1326, w); columns: as `_sum_turns` takes them."""
    flops = canonical_boards(3).cards.astype(np.int64)
    out = np.zeros((len(flops), *turn.shape[1:]), dtype=dtype)
    _sum_turns(flops, canonical_boards(4).keys, turn, np.array(columns), out)
    return out


def flop_sums(turn: SwapSums) -> SwapSums:
    """Sums on all 1,755 flops from those on the turn: each pair of turn and river is met twice."""
    sums = sum_turns(turn.sums, [[0, 1, 2], [0, 2, 1]], np.int64)
    return SwapSums(sums, sum_turns(turn.met[..., None], [[0], [0]], np.int64)[..., 0])
