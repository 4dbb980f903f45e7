"""Deals from the view of a strategy: the bucket of each hand that swaps may lead to on each street,
and its final strength.

All cards are dealt at once, so that a deal is the same whatever the players do: the board, and of
each hand two cards and those that it may draw on flop and turn. A swap policy says whether a player
swaps and which card it throws.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numba import njit

from faceup.cards.cards import (
    CLASS_OF_HOLE,
    N_CLASSES,
    PERMUTED_HOLES,
    SUIT_PERMUTATIONS,
    canonical_boards,
    canonical_key,
)
from faceup.cards.strength import hand_strength
from faceup.papers.discard.buckets import OchsBuckets
from faceup.papers.discard.outs import better_throws
from faceup.papers.discard.swaps import KEEP, THROW_LOW

# columns of `HandLookup`; RULE and BEST are swap policies, too
BUCKET, BETTER_THROW, RULE, BEST = range(4)
# other swap policies; LEARNED: the strategy decides, with the choice of BEST as advice
NEVER, ALWAYS, LEARNED = range(4, 7)
BOARD, OWN_CARDS = 5, 4  # cards of the board, on top of the deck, and of each hand behind it
_GOLDEN, _MIX = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xBF58476D1CE4E5B9)


class HandLookup(NamedTuple):
    """Buckets and swaps of hands, by canonical board and hole."""

    flop: np.ndarray  # (1755, 1326, 4) uint8: BUCKET, BETTER_THROW, choices of RULE and BEST
    turn: np.ndarray  # (16432, 1326, 4) uint8
    river: np.ndarray  # (134459, 1326) uint8: bucket
    keys: tuple[np.ndarray, ...]  # (1755,), (16432,) and (134459,) int64 of these boards


class DealView(NamedTuple):
    """A deal from the view of n sides; the last index says which hand a side holds: 2 * swapped on
    the flop + swapped on the turn.
    """

    rows: np.ndarray  # (n, 4, 4) int64 rows of a strategy, by street
    strengths: np.ndarray  # (n, 4) int64
    swaps: np.ndarray  # (n, 4, 4) int64 whether the side swaps, or is advised to, by street


def make_lookup(
    buckets: OchsBuckets, equity: Sequence[np.ndarray], choices: Sequence[Sequence[np.ndarray]]
) -> HandLookup:
    """The lookup of flop and turn: equity of `swaps.equities`, choices of RULE and BEST."""
    flop, turn = (
        np.stack((bucket, better_throws(values), *chosen), axis=-1)
        for bucket, values, *chosen in zip(
            (buckets.flop, buckets.turn), equity, *choices, strict=True
        )
    )
    return HandLookup(flop, turn, buckets.river, tuple(canonical_boards(n).keys for n in (3, 4, 5)))


def strategy_rows(buckets: OchsBuckets) -> tuple[int, ...]:
    """Rows of a strategy on each street."""
    return (N_CLASSES, *(len(buckets.centers[0]),) * 3)


@njit(cache=True)
def random_state(start, number):
    """The state (1,) uint64 of a random generator, at the start of a sequence of its own for each
    number; start: drawn from a stream.
    """
    mixed = np.uint64(start) + _GOLDEN ^ np.uint64(number) * _MIX
    return np.full(1, mixed + _GOLDEN)


@njit(cache=True)
def uniform(state):
    """SplitMix64 (Steele, Lea & Flood 2014): uniform in [0, 1); state (1,) uint64."""
    state[0] += _GOLDEN
    z = state[0]
    z = (z ^ (z >> np.uint64(30))) * _MIX
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.float64((z ^ (z >> np.uint64(31))) >> np.uint64(11)) * 2.0**-53


@njit(cache=True)
def shuffle(deck, n, state):
    """Bring n random cards of a deck (52,), in any order, to its front."""
    for i in range(n):
        j = i + int(uniform(state) * (deck.shape[0] - i))
        deck[i], deck[j] = deck[j], deck[i]


@njit(cache=True)
def empty_view(n):
    """A `DealView` of n sides."""
    rows, swaps = np.zeros((2, n, 4, 4), dtype=np.int64)
    return DealView(rows, np.zeros((n, 4), dtype=np.int64), swaps)


@njit(cache=True)
def _hole(permutation, first, second):
    """The hole of two cards after a permutation of the suits; 0 is the identity."""
    high, low = max(first, second), min(first, second)
    return np.int64(PERMUTED_HOLES[permutation, high * (high - 1) // 2 + low])


@njit(cache=True)
def find_boards(board, lookup):
    """Index and suit permutation of flop, turn and river of a board (5,), as (3, 2), and seven
    cards (7,) that begin with the board.
    """
    where, seven = np.empty((3, 2), dtype=np.int64), np.empty(7, dtype=np.int64)
    for i, keys in enumerate(lookup.keys):
        key, where[i, 1] = canonical_key(board, 3 + i)
        where[i, 0] = np.searchsorted(keys, key)
    seven[:5] = board
    return where, seven


@njit(cache=True)
def _swap(lookup, street, where, first, second, policy):
    """Whether a policy swaps one of two cards on a street, 1 the flop, 2 the turn, and the card
    that stays in a swap.

    where (3, 2): of `find_boards`.
    """
    number, permutation = where[street - 1, 0], where[street - 1, 1]
    hole = _hole(permutation, first, second)
    row = lookup.flop[number, hole] if street == 1 else lookup.turn[number, hole]
    column = BEST if policy == LEARNED else policy
    choice = row[column] if column == RULE or column == BEST else KEEP
    thrown = choice if choice != KEEP else row[BETTER_THROW]
    # high and low are those of the canonical cards
    a = 4 * (first >> 2) + np.int64(SUIT_PERMUTATIONS[permutation, first & 3])
    b = 4 * (second >> 2) + np.int64(SUIT_PERMUTATIONS[permutation, second & 3])
    kept = first if (a > b) == (thrown == THROW_LOW) else second
    return choice != KEEP or policy == ALWAYS, kept


@njit(cache=True)
def fill_view(own, policy, lookup, found, view, i):
    """Fill in side i of the view of a deal.

    own (4,): the player's two cards, and those that it may draw; found: of `find_boards`.
    """
    (where, seven), rows, strengths, swaps = found, view.rows[i], view.strengths[i], view.swaps[i]
    a, b, flop, turn, river = own[0], own[1], where[0], where[1], where[2]
    rows[0, 0] = CLASS_OF_HOLE[_hole(0, a, b)]
    swaps[1, 0], kept = _swap(lookup, 1, where, a, b, policy)
    for f in range(2):
        c, d = (a, b) if f == 0 else (kept, own[2])
        rows[1, 2 * f] = lookup.flop[flop[0], _hole(flop[1], c, d), BUCKET]
        swaps[2, 2 * f], left = _swap(lookup, 2, where, c, d, policy)
        for t in range(2):
            x, y = (c, d) if t == 0 else (left, own[3])
            rows[2, 2 * f + t] = lookup.turn[turn[0], _hole(turn[1], x, y), BUCKET]
            rows[3, 2 * f + t] = lookup.river[river[0], _hole(river[1], x, y)]
            seven[5], seven[6] = x, y
            strengths[2 * f + t] = hand_strength(seven, seven.shape[0])


@njit(cache=True)
def deal_sides(start, number, hands, policies, lookup, view, state):
    """Deal a board and hands into a view: side i has hand i modulo `hands`, and policy i of swaps.

    policies (n,): of the view's sides; start, number: of `random_state`; state (1,): of the
    generator, which goes on from there.
    """
    deck, state[:] = np.arange(52), random_state(start, number)
    shuffle(deck, BOARD + OWN_CARDS * hands, state)
    found = find_boards(deck[:BOARD], lookup)
    for side in range(view.rows.shape[0]):
        first = BOARD + OWN_CARDS * (side % hands)
        fill_view(deck[first : first + OWN_CARDS], policies[side], lookup, found, view, side)
