"""Dealt hands as a strategy sees them: the group of each hand that swaps may lead to on each
street, and its final strength.

Thirteen cards are dealt at once, so that a deal is the same whatever the players do: the small
blind's two, the big blind's, the board, and what each may draw on flop and turn. Whether a player
swaps is asked of a strategy or fixed by a policy; which card is then thrown is fixed by it, too.
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
from faceup.papers.discard.groups import LEVELS, OchsGroups, swap_levels
from faceup.papers.discard.swaps import THROW_HIGH, THROW_LOW
from faceup.papers.discard.tree import N_TABLES

_Pair = Sequence[np.ndarray]
_GROUP, _THROW, _LEVEL = range(3)  # columns of flop and turn; behind them those of choices
# who decides about a swap; from RULE on the column of a choice
OWN, NEVER, ALWAYS, RULE, BEST = range(5)
_GOLDEN = np.uint64(0x9E3779B97F4A7C15)


class HandTables(NamedTuple):
    """What is looked up of a hand, by canonical board and hole."""

    # (1755, 1326, 5) uint8: group, the better card to throw, level; choices of the rule and the
    # best
    flop: np.ndarray
    turn: np.ndarray  # (16432, 1326, 5) uint8
    river: np.ndarray  # (134459, 1326) uint8: group
    keys: tuple[np.ndarray, ...]  # (1755,), (16432,) and (134459,) int64 of these boards


class DealView(NamedTuple):
    """A deal as n sides see it; the last index is what a side's hand is: 2 * swapped on the flop +
    swapped on the turn.
    """

    rows: np.ndarray  # (n, N_TABLES, 4) int64 of a strategy
    strengths: np.ndarray  # (n, 4) int64
    forced: np.ndarray  # (n, 2, 4) int64 swaps of flop and turn, 1, 0, or -1: the strategy decides


def make_tables(
    groups: OchsGroups, equity: _Pair, choices: Sequence[_Pair], generator: np.random.Generator
) -> HandTables:
    """All that deals look up, from `swaps.equities` and the choices of RULE and BEST, each of flop
    and turn.
    """
    tables = []
    for n_cards, values, group, *chosen in zip(
        (3, 4), equity, (groups.flop, groups.turn), *choices, strict=True
    ):
        better = np.where(values[..., 2] >= values[..., 1], THROW_LOW, THROW_HIGH).astype(np.uint8)
        tables.append(
            np.stack((group, better, swap_levels(values, n_cards, generator), *chosen), axis=-1)
        )
    return HandTables(
        tables[0], tables[1], groups.river, tuple(canonical_boards(n).keys for n in (3, 4, 5))
    )


def rows_of(groups: OchsGroups) -> tuple[int, ...]:
    """Rows of each table of a strategy."""
    return (N_CLASSES, *(len(groups.centres[0]),) * 3, LEVELS**2, LEVELS**2)


@njit(cache=True)
def _generator(start, number):
    """The state (1,) of a random generator at the start of a sequence of its own for each number;
    start: drawn from a stream.
    """
    return np.full(
        1,
        (np.uint64(start) + _GOLDEN ^ np.uint64(number) * np.uint64(0xBF58476D1CE4E5B9)) + _GOLDEN,
    )


@njit(cache=True)
def _make_seen(n):
    strengths, forced = np.zeros((n, 4), dtype=np.int64), np.zeros((n, 2, 4), dtype=np.int64)
    return DealView(np.zeros((n, N_TABLES, 4), dtype=np.int64), strengths, forced)


@njit(cache=True)
def _uniform(state):
    """SplitMix64 (Steele, Lea & Flood 2014)."""
    state[0] += _GOLDEN
    z = state[0]
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.float64((z ^ (z >> np.uint64(31))) >> np.uint64(11)) * (1.0 / 9007199254740992.0)


@njit(cache=True)
def _shuffle(deck, n, state):
    """Bring n random cards of a deck (52,) to its front; what order it had before does not matter
    to their chances.
    """
    for i in range(n):
        j = i + int(_uniform(state) * (deck.shape[0] - i))
        deck[i], deck[j] = deck[j], deck[i]


@njit(cache=True)
def _hole(permutation, first, second):
    """The hole that two cards are after a permutation of the suits; 0 leaves them as they are."""
    return np.int64(
        PERMUTED_HOLES[
            permutation, max(first, second) * (max(first, second) - 1) // 2 + min(first, second)
        ]
    )


@njit(cache=True)
def _find_boards(board, tables):
    """Number and suit permutation of flop, turn and river of a board, (3, 2), and seven cards (7,)
    that begin with the board.
    """
    where, seven = np.empty((3, 2), dtype=np.int64), np.empty(7, dtype=np.int64)
    for i, keys in enumerate(tables.keys):
        key, where[i, 1] = canonical_key(board, 3 + i)
        where[i, 0] = np.searchsorted(keys, key)
    seven[:5] = board
    return where, seven


@njit(cache=True)
def _asked(tables, street, where, first, second, policy):
    """On a street (0: flop, 1: turn): two cards' level; 1: swap, 0: keep, -1: the strategy decides;
    the card that would stay.
    """
    number, permutation = where[street, 0], where[street, 1]
    hole = _hole(permutation, first, second)
    row = tables.flop[number, hole] if street == 0 else tables.turn[number, hole]
    choice = row[policy] if policy >= RULE else 0
    said, thrown = 1 if choice > 0 or policy == ALWAYS else 0, choice if choice > 0 else row[_THROW]
    # high and low are told by canonical cards
    a = 4 * (first >> 2) + np.int64(SUIT_PERMUTATIONS[permutation, first & 3])
    b = 4 * (second >> 2) + np.int64(SUIT_PERMUTATIONS[permutation, second & 3])
    return (
        row[_LEVEL],
        -1 if policy == OWN else said,
        first if (a > b) == (thrown == THROW_LOW) else second,
    )


@njit(cache=True)
def _see(own, policy, tables, found, seen, i):
    """Side i of what is seen of a deal; own (4,): the player's cards, and those that he may draw;
    found: of `_find_boards`.
    """
    (where, seven), rows, strengths, forced = found, seen.rows[i], seen.strengths[i], seen.forced[i]
    a, b, flop, turn, river = own[0], own[1], where[0], where[1], where[2]
    rows[0, 0] = CLASS_OF_HOLE[_hole(0, a, b)]
    rows[4, 0], forced[0, 0], kept = _asked(tables, 0, where, a, b, policy)
    for f in range(2):
        c, d = (a, b) if f == 0 else (kept, own[2])
        rows[1, 2 * f] = tables.flop[flop[0], _hole(flop[1], c, d), _GROUP]
        rows[5, 2 * f], forced[1, 2 * f], left = _asked(tables, 1, where, c, d, policy)
        for t in range(2):
            x, y = (c, d) if t == 0 else (left, own[3])
            rows[2, 2 * f + t] = tables.turn[turn[0], _hole(turn[1], x, y), _GROUP]
            rows[3, 2 * f + t] = tables.river[river[0], _hole(river[1], x, y)]
            seven[5], seven[6] = x, y
            strengths[2 * f + t] = hand_strength(seven, seven.shape[0])


@njit(cache=True)
def _final(own, policy, tables, found):
    """Strength of a hand after the swaps of a policy that leaves nothing to a strategy; own, found:
    as `_see`.
    """
    (a, b), (where, seven) = (own[0], own[1]), found
    for street in range(2):
        _, swaps, kept = _asked(tables, street, where, a, b, policy)
        if swaps == 1:
            a, b = kept, own[2 + street]
    seven[5], seven[6] = a, b
    return hand_strength(seven, seven.shape[0])
