"""Hand strength: the best five of five to seven cards as one integer, larger is stronger.

A strength is `category << 20` plus up to five ranks of four bits each, most important first, so
that two hands compare as their integers do and equal hands are equal. Categories 0..8: high card,
pair, two pair, trips, straight, flush, full house, quads, straight flush.
"""

import numpy as np
from numba import njit

from faceup.cards.cards import HOLE_CARDS, free_cards

CATEGORIES = (
    "high card",
    "pair",
    "two pair",
    "trips",
    "straight",
    "flush",
    "full house",
    "quads",
    "straight flush",
)
_N_MASKS = 1 << 13


def _top_ranks() -> np.ndarray:
    """The five highest ranks of each 13-bit rank mask as four-bit digits, (8192,) int32."""
    top = np.zeros(_N_MASKS, dtype=np.int32)
    for mask in range(_N_MASKS):
        ranks = [r for r in range(12, -1, -1) if mask >> r & 1][:5]
        top[mask] = sum(rank << (16 - 4 * i) for i, rank in enumerate(ranks))
    return top


def _straights() -> np.ndarray:
    """One more than the highest rank of the best straight in each mask, 0 without one, (8192,)
    int32.
    """
    masks, best = np.arange(_N_MASKS), np.zeros(_N_MASKS, dtype=np.int32)
    wheel = masks << 1 | masks >> 12  # bit 0 is the ace below the two
    for high in range(3, 13):
        best[wheel >> (high - 3) & 0x1F == 0x1F] = high + 1
    return best


TOP_RANKS, STRAIGHT = _top_ranks(), _straights()
_OF_SUIT = np.where(STRAIGHT > 0, (8 << 20) | (STRAIGHT - 1) << 16, (5 << 20) | TOP_RANKS)
# strength of ranks of one suit; 0: no flush
FLUSH = np.where(np.bitwise_count(np.arange(_N_MASKS)) >= 5, _OF_SUIT, 0)


@njit(cache=True)
def _masks(cards):
    """Rank masks of cards (n,): of ranks held at least once, twice, three and four times; and of
    each suit (4,).
    """
    # int64, since callees would be compiled for literals, too
    ones = twos = threes = fours = np.int64(0)
    suits = np.zeros(4, dtype=np.int64)
    for card in cards:
        bit = np.int64(1) << (card >> 2)
        fours |= threes & bit
        threes |= twos & bit
        twos |= ones & bit
        ones |= bit
        suits[card & 3] |= bit
    return (ones, twos, threes, fours), suits


@njit(cache=True)
def _rank_strength(ones, twos, threes, fours):
    """Strength regardless of suits, from the masks of `_masks`."""
    if fours:
        high = TOP_RANKS[fours] & 0xF0000
        return (7 << 20) | high | ((TOP_RANKS[ones & ~(1 << (high >> 16))] >> 16) << 12)
    if threes:
        high = TOP_RANKS[threes] & 0xF0000
        below = twos & ~(1 << (high >> 16))
        if below:
            return (6 << 20) | high | ((TOP_RANKS[below] >> 16) << 12)
    if STRAIGHT[ones]:
        return (4 << 20) | ((STRAIGHT[ones] - 1) << 16)
    if threes:
        return (3 << 20) | high | ((TOP_RANKS[ones & ~(1 << (high >> 16))] >> 12) << 8)
    if twos:
        first = TOP_RANKS[twos] >> 16
        rest = twos & ~(1 << first)
        if rest:
            second = TOP_RANKS[rest] >> 16
            kicker = TOP_RANKS[ones & ~(1 << first) & ~(1 << second)] >> 16
            return (2 << 20) | (first << 16) | (second << 12) | (kicker << 8)
        return (1 << 20) | (first << 16) | ((TOP_RANKS[ones & ~(1 << first)] >> 8) << 4)
    return TOP_RANKS[ones]


@njit(cache=True)
def hand_strength(cards, n_cards):
    """Strength of the first n_cards, five to seven, of distinct cards (n,) int64."""
    ranks, suits = _masks(cards[:n_cards])
    best = _rank_strength(*ranks)
    for mask in suits:
        best = max(best, FLUSH[mask])
    return best


def strength(cards: list[int]) -> int:
    """Strength of five to seven distinct cards."""
    return int(hand_strength(np.asarray(cards, dtype=np.int64), len(cards)))


def category(value: int) -> str:
    """Name of a strength's category."""
    return CATEGORIES[value >> 20]


N_RIVER_HOLES = 1081  # holes that share no card with a board of five


@njit(cache=True)
def river_order(cards, order, strength_start):
    """Sort the 1,081 holes of a river board by strength.

    order (1081,) int16 gets the holes, weakest first, equal ones by index; strength_start (161,)
    int32 gets the first place of each class of equal holes and the end of the last. Returns the
    number of classes: at most 91 pairs of ranks and 55 flushes.
    """
    # strength regardless of suits
    seven, of_ranks = np.append(cards, cards[:2]), np.empty((13, 13), dtype=np.int64)
    for a in range(13):
        for b in range(a + 1):
            seven[5], seven[6] = 4 * a, 4 * b
            of_ranks[a, b] = _rank_strength(*_masks(seven)[0])
    suit, is_free = (
        np.bincount(cards & 3).argmax(),
        free_cards(cards),
    )  # no other suit can make a flush
    suited, packed, n = _masks(cards)[1][suit], np.empty(N_RIVER_HOLES, dtype=np.int64), 0
    for h in range(HOLE_CARDS.shape[0]):
        high, low, flush = np.int64(HOLE_CARDS[h, 0]), np.int64(HOLE_CARDS[h, 1]), suited
        if is_free[high] and is_free[low]:
            flush |= 1 << (high >> 2) if high & 3 == suit else 0
            flush |= 1 << (low >> 2) if low & 3 == suit else 0
            packed[n] = np.int64(max(of_ranks[high >> 2, low >> 2], FLUSH[flush])) << 11 | h
            n += 1
    packed.sort()
    n_classes = 0
    for i in range(N_RIVER_HOLES):
        order[i] = packed[i] & 0x7FF
        if i == 0 or packed[i] >> 11 != packed[i - 1] >> 11:
            strength_start[n_classes] = i
            n_classes += 1
    strength_start[n_classes] = N_RIVER_HOLES
    return n_classes
