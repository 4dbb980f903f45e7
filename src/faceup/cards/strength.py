"""Hand strength: the best five of five to seven cards as one integer, larger is stronger.

A strength is `category << 20` plus up to five ranks of four bits each, most important first, so that two hands compare as
their integers do and equal hands are equal. Categories 0..8: high card, pair, two pair, trips, straight, flush, full
house, quads, straight flush.
"""

import numpy as np
from numba import njit

CATEGORIES = ("high card", "pair", "two pair", "trips", "straight", "flush", "full house", "quads", "straight flush")
_N_MASKS = 1 << 13


def _top_ranks() -> np.ndarray:
    """The five highest ranks of each 13-bit rank mask as four-bit digits, (8192,) int32."""
    top = np.zeros(_N_MASKS, dtype=np.int32)
    for mask in range(_N_MASKS):
        ranks = [r for r in range(12, -1, -1) if mask >> r & 1][:5]
        top[mask] = sum(rank << (16 - 4 * i) for i, rank in enumerate(ranks))
    return top


def _straights() -> np.ndarray:
    """One more than the highest rank of the best straight in each mask, 0 where there is none, (8192,) int32."""
    best = np.zeros(_N_MASKS, dtype=np.int32)
    for mask in range(_N_MASKS):
        wheel = mask << 1 | mask >> 12  # bit 0 is the ace below the two
        for high in range(3, 13):
            if wheel >> (high - 3) & 0x1F == 0x1F:
                best[mask] = high + 1
    return best


TOP_RANKS, STRAIGHT = _top_ranks(), _straights()


@njit(cache=True)
def _flush_strength(mask):
    """Strength of five or more ranks of one suit."""
    if STRAIGHT[mask]:
        return (8 << 20) | ((STRAIGHT[mask] - 1) << 16)
    return (5 << 20) | TOP_RANKS[mask]


@njit(cache=True)
def _rank_strength(ones, twos, threes, fours):
    """Strength regardless of suits, from masks of the ranks held at least once, twice, three and four times."""
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
def _strength(cards, n_cards):
    """Strength of n_cards distinct cards, five to seven."""
    ones = twos = threes = fours = np.int64(0)  # not a literal: what it is given to would be compiled for that, too
    suit_masks = np.zeros(4, dtype=np.int64)
    for i in range(n_cards):
        bit = 1 << (cards[i] >> 2)
        fours |= threes & bit
        threes |= twos & bit
        twos |= ones & bit
        ones |= bit
        suit_masks[cards[i] & 3] |= bit
    best = _rank_strength(ones, twos, threes, fours)
    for s in range(4):
        if TOP_RANKS[suit_masks[s]] and _popcount(suit_masks[s]) >= 5:
            best = max(best, _flush_strength(suit_masks[s]))
    return best


@njit(cache=True)
def _popcount(mask):
    count = 0
    while mask:
        mask &= mask - 1
        count += 1
    return count


def strength(cards: list[int]) -> int:
    """Strength of five to seven distinct cards. Raises ValueError on another number, a repeat or a card out of 0..51."""
    if not 5 <= len(cards) <= 7 or len(set(cards)) != len(cards):
        raise ValueError(f"cards {cards}: expected 5 to 7 distinct cards")
    if min(cards) < 0 or max(cards) > 51:
        raise ValueError(f"cards {cards}: expected numbers from 0 to 51")
    return int(_strength(np.asarray(cards, dtype=np.int64), len(cards)))


def category(value: int) -> str:
    """Name of a strength's category."""
    return CATEGORIES[value >> 20]


N_RIVER_HOLES = 1081  # holes that a board of five cards leaves
_MAX_VALUES = 160  # 91 rank pairs and at most 45 + 9 + 1 flushes: distinct strengths before ties are merged


@njit(cache=True)
def _rank_pair_values(cards, values, pair_id):
    """Strengths regardless of suits for the 91 pairs of private ranks; pair_id[a, b] is the pair's number."""
    counts = np.zeros(13, dtype=np.int64)
    for i in range(5):
        counts[cards[i] >> 2] += 1
    n = 0
    for a in range(13):
        for b in range(a + 1):
            counts[a] += 1
            counts[b] += 1
            ones = twos = threes = fours = np.int64(0)  # not a literal: what it is given to would be compiled for that, too
            for r in range(13):
                ones |= (counts[r] > 0) << r
                twos |= (counts[r] > 1) << r
                threes |= (counts[r] > 2) << r
                fours |= (counts[r] > 3) << r
            counts[a] -= 1
            counts[b] -= 1
            values[n] = _rank_strength(ones, twos, threes, fours)
            pair_id[a, b] = n
            pair_id[b, a] = n
            n += 1
    return n


@njit(cache=True)
def _flush_suit(cards):
    """The suit that can make a flush (three or more of the five board cards), its count and its ranks; -1 if none."""
    for s in range(4):
        mask = count = 0
        for i in range(5):
            if cards[i] & 3 == s:
                mask |= 1 << (cards[i] >> 2)
                count += 1
        if count >= 3:
            return s, count, mask
    return -1, 0, 0


@njit(cache=True)
def _hole_values(cards, values, hole_value):
    """Number in `values` of each hole's strength (-1: blocked by the board). Returns how many values there are."""
    pair_id = np.empty((13, 13), dtype=np.int64)
    n = _rank_pair_values(cards, values, pair_id)
    suit, count, mask = _flush_suit(cards)
    used = np.int64(0)
    for i in range(5):
        used |= np.int64(1) << cards[i]
    one_suited = np.full(13, -1, dtype=np.int64)
    both_suited = np.full((13, 13), -1, dtype=np.int64)
    if suit >= 0:
        n = _flush_values(count, mask, values, n, one_suited, both_suited)
    h = -1
    for hi in range(52):
        for lo in range(hi):
            h += 1
            if (used >> hi | used >> lo) & 1:
                hole_value[h] = -1
                continue
            value = pair_id[hi >> 2, lo >> 2]
            flush = -1
            if hi & 3 == suit and lo & 3 == suit:
                flush = both_suited[hi >> 2, lo >> 2]
            elif hi & 3 == suit:
                flush = one_suited[hi >> 2]
            elif lo & 3 == suit:
                flush = one_suited[lo >> 2]
            elif count == 5:
                flush = n - 1  # the board's own flush, listed last
            if flush >= 0 and values[flush] > values[value]:
                value = flush
            hole_value[h] = value
    return n


@njit(cache=True)
def _flush_values(count, mask, values, n, one_suited, both_suited):
    """Append the strengths of flushes with two, one or (a board of one suit) no private cards of the suit."""
    for a in range(13):
        if mask >> a & 1:
            continue
        for b in range(a):
            if not mask >> b & 1:
                values[n] = _flush_strength(mask | 1 << a | 1 << b)
                both_suited[a, b] = n
                both_suited[b, a] = n
                n += 1
        if count >= 4:
            values[n] = _flush_strength(mask | 1 << a)
            one_suited[a] = n
            n += 1
    if count == 5:
        values[n] = _flush_strength(mask)
        n += 1
    return n


@njit(cache=True)
def _river_order(cards, order, class_start):
    """Sort the 1,081 holes of a river board by strength.

    order (1081,) int16 gets the holes, weakest first, equal ones by index; class_start (161,) int32 gets the first place of
    each class of equal holes and the end of the last. Returns the number of classes.
    """
    values = np.empty(_MAX_VALUES, dtype=np.int64)
    hole_value = np.empty(1326, dtype=np.int16)
    n = _hole_values(cards, values, hole_value)
    packed = np.empty(n, dtype=np.int64)
    for i in range(n):
        packed[i] = values[i] << 8 | i
    packed.sort()
    rank = np.empty(n, dtype=np.int64)  # class of a value before classes without holes are dropped
    n_ranks = 0
    for i in range(n):
        if i > 0 and packed[i] >> 8 != packed[i - 1] >> 8:
            n_ranks += 1
        rank[packed[i] & 0xFF] = n_ranks
    n_ranks += 1
    place = np.zeros(n_ranks + 1, dtype=np.int64)
    for h in range(1326):
        if hole_value[h] >= 0:
            place[rank[hole_value[h]] + 1] += 1
    n_classes = 0
    class_start[0] = 0
    for r in range(n_ranks):
        place[r + 1] += place[r]
        if place[r + 1] > place[r]:
            n_classes += 1
            class_start[n_classes] = place[r + 1]
    for h in range(1326):
        if hole_value[h] >= 0:
            r = rank[hole_value[h]]
            order[place[r]] = h
            place[r] += 1
    return n_classes
