"""Hands grouped as in the paper: equity against eight ranges, and k-means (Section 2.1).

A hand on a board is eight equities, one against each range of starting hands (OCHS, opponent
cluster hand strength; Johanson et al. 2013), over all cards to come, plainly: nobody swaps any
more. On each street k-means makes 100 groups of them. A player remembers the group of the present
street alone (imperfect recall). Before the flop it tells all starting hands apart.

Where a strategy decides about a swap itself, it needs to know other things: what keeping is worth,
and what the better swap adds. Such hands are grouped by ten levels of the one and ten of the other,
equally frequent.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numba import njit

from faceup.cards.cards import (
    CLASS_NAMES,
    CLASS_OF_HOLE,
    HOLE_CARDS,
    N_CARDS,
    N_HOLES,
    canonical_boards,
    free_cards,
)
from faceup.cards.clusters import fit_centres, nearest_centres
from faceup.cards.strength import N_RIVER_HOLES, river_order
from faceup.papers.discard.swaps import sum_turns
from faceup.util.parallel import on_threads
from faceup.util.rng import Stream

RANGES = (  # the author's, weakest first
    "23s 24s 25s 26s 27s 34s 35s 36s 37s 45s 46s 32o 43o 42o 54o 53o 52o 65o 64o 63o 62o 74o 73o 72o 83o 82o",
    "28s 29s 2Ts 38s 39s 47s 48s 49s 75o 85o 84o 95o 94o 93o 92o T5o T4o T3o T2o J3o J2o",
    "3Ts 4Ts 56s 57s 58s 59s 5Ts 67s 68s 69s 6Ts 78s 79s 89s 67o 68o 69o 6To 78o 79o 7To 89o 8To",
    "22 J2s J3s J4s J5s J6s Q2s Q3s Q4s Q5s K2s J4o J5o J6o J7o Q2o Q3o Q4o Q5o Q6o Q7o K2o K3o K4o",
    "6Qs 7Ts 7Js 7Qs 8Ts 8Js 8Qs 9Ts 9Js 9Qs TJs T9o J8o J9o JTo Q8o Q9o QTo QJo",
    "33 44 55 K3s K4s K5s K6s K7s K8s A2s A3s A4s A5s A6s K5o K6o K7o K8o K9o A2o A3o A4o A5o A6o A7o A8o",
    "66 77 QTs QJs K9s KTs KJs KQs A7s A8s A9s ATs AJs AQs AKs KTo KJo KQo A9o ATo AJo AQo AKo",
    "88 99 TT JJ QQ KK AA",
)
N_RANGES = len(RANGES)
LEVELS = 10  # of either number that a swap is decided by
_WORDS = [set(hands.split()) for hands in RANGES]  # in which a hand's name begins with either rank
_RANGE_OF_CLASS = [
    [k in words or k[1::-1] + k[2:] in words for words in _WORDS].index(True) for k in CLASS_NAMES
]
RANGE_OF_HOLE = np.array(_RANGE_OF_CLASS)[CLASS_OF_HOLE]  # (1326,)


@njit(cache=True)
def _count(h, whole, by_card):
    """Count a hole by its range, in all and by card."""
    g = RANGE_OF_HOLE[h]
    whole[g] += 1
    by_card[HOLE_CARDS[h, 0], g] += 1
    by_card[HOLE_CARDS[h, 1], g] += 1


@njit(cache=True)
def _add_river(cards, out):
    """Add 2 * wins + ties of each hole against each range on a river board, out (1326, 8)."""
    order, start = np.empty(N_RIVER_HOLES, dtype=np.int16), np.empty(161, dtype=np.int32)
    whole, by_card = (
        np.zeros(N_RANGES, dtype=np.int32),
        np.zeros((N_CARDS, N_RANGES), dtype=np.int32),
    )
    n_classes = river_order(cards, order, start)
    for c in range(n_classes):
        for again in range(2):  # what a hole has met counts 2 for weaker holes and 1 for equal ones
            for h in order[start[c] : start[c + 1]]:
                _count(h, whole, by_card)
            for h in order[start[c] : start[c + 1] if again == 0 else start[c]]:
                first, second = by_card[HOLE_CARDS[h, 0]], by_card[HOLE_CARDS[h, 1]]
                for g in range(whole.shape[0]):
                    out[h, g] += whole[g] - first[g] - second[g]
                out[h, RANGE_OF_HOLE[h]] += 1


@njit(cache=True, nogil=True)
def _sum_boards(thread, boards, step, out):
    for b in range(thread[0], boards.shape[0], thread[1]):
        total, board = np.zeros((N_HOLES, N_RANGES), dtype=np.int32), np.zeros(5, dtype=np.int64)
        board[: boards.shape[1]] = boards[b]
        for river in (
            np.flatnonzero(free_cards(boards[b]))[::step] if boards.shape[1] == 4 else board[4:]
        ):
            board[4] = river
            _add_river(board, total)
        out[b] = total


def range_sums(boards: np.ndarray, step: int = 1) -> np.ndarray:
    """2 * wins + ties of each hole against each range, (n, 1326, 8) uint16; of boards (n, 4) over
    every step-th of 48 rivers.
    """
    out = np.empty((len(boards), N_HOLES, N_RANGES), dtype=np.uint16)
    on_threads(_sum_boards, boards, step, out)
    return out


@njit(cache=True, nogil=True)
def _points(thread, boards, sums, runouts, points):
    """Equities (n, 1326, 8) of boards (n, k) from their sums; blocked holes get 0."""
    for b in range(thread[0], boards.shape[0], thread[1]):
        whole, by_card = (
            np.zeros(N_RANGES, dtype=np.int32),
            np.zeros((N_CARDS, N_RANGES), dtype=np.int32),
        )
        is_free, points[b] = free_cards(boards[b]), 0
        holes = np.flatnonzero(is_free[HOLE_CARDS[:, 0]] & is_free[HOLE_CARDS[:, 1]])
        for h in holes:
            _count(h, whole, by_card)
        for h in holes:
            first, second = by_card[HOLE_CARDS[h, 0]], by_card[HOLE_CARDS[h, 1]]
            for g in range(N_RANGES):
                met = whole[g] - first[g] - second[g] + (RANGE_OF_HOLE[h] == g)
                points[b, h, g] = min(
                    np.float32(sums[b, h, g]) / np.float32(2 * met * runouts), np.float32(1)
                )


class OchsGroups(NamedTuple):
    """Groups of all hands on flop, turn and river, of a canonical board and a hole; blocked holes
    mean nothing.
    """

    flop: np.ndarray  # (1755, 1326) uint8
    turn: np.ndarray  # (16432, 1326) uint8
    river: np.ndarray  # (134459, 1326) uint8
    # (3, n_groups, 8) float32: equities against the ranges, groups by their mean
    centres: np.ndarray


class StreetSums(NamedTuple):
    """What a street's equities come from."""

    boards: np.ndarray  # (n, k) int64: all up to suits
    # (n, 1326, 8) of `range_sums`; None: made anew when asked for, since all rivers' are too large
    sums: np.ndarray | None
    # cards to come that two known hands leave, in order of dealing, as far as they are counted
    runouts: float


def range_equities(street: StreetSums, picked: np.ndarray | slice) -> np.ndarray:
    """Equity of every hole against the eight ranges on some of a street's boards, (n, 1326, 8)
    float32; blocked holes get 0.
    """
    boards = street.boards[picked]
    sums = range_sums(boards) if street.sums is None else street.sums[picked]
    points = np.empty((len(boards), N_HOLES, N_RANGES), dtype=np.float32)
    on_threads(_points, boards, sums, street.runouts, points)
    return points


def nearest_groups(street: StreetSums, centres: np.ndarray) -> np.ndarray:
    """The nearest of centres (n_groups, 8) to each hand of a street, (n_boards, 1326) uint8."""
    groups = np.empty((len(street.boards), N_HOLES), dtype=np.uint8)
    # boards at once, for the memory that their equities take
    for first in range(0, len(groups), 1024):
        part = slice(first, first + 1024)
        groups[part] = nearest_centres(range_equities(street, part).reshape(-1, N_RANGES), centres)[
            0
        ].reshape(-1, N_HOLES)
    return groups


def sampled_hands(
    n_cards: int, n_boards: int, holes: int, generator: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Boards as often as they are dealt, and holes on each: numbers (n_boards,) and (n_boards,
    holes).
    """
    boards = canonical_boards(n_cards)
    picked = generator.choice(
        len(boards.keys), n_boards, p=boards.multiplicity / boards.multiplicity.sum()
    )
    blocked = (HOLE_CARDS[None, :, :, None] == boards.cards[picked][:, None, None, :]).any(
        axis=(2, 3)
    )
    return picked, np.array(
        [generator.choice(np.flatnonzero(~row), holes, replace=False) for row in blocked]
    )


def make_ochs_groups(
    n_groups: int,
    n_boards: int,
    stream: Stream,
    step: int = 1,
    progress: Callable[[int], None] = lambda done: None,
) -> OchsGroups:
    """k-means groups of flop, turn and river, fitted to 50 hands on each of n_boards sampled
    boards; progress: 4 steps.

    n_groups: at most 256; step: every step-th river of a turn board is counted, 1 for all.
    """
    flop, turn, river = (canonical_boards(n).cards.astype(np.int64) for n in (3, 4, 5))
    of_turn = range_sums(turn, step)
    of_flop = sum_turns(of_turn, [list(range(N_RANGES))] * 2, np.int32)
    progress(1)
    generator, rivers, tables, centres = stream(), 44 * len(range(0, 48, step)) / 48, [], []
    streets = (
        StreetSums(flop, of_flop, 45 * rivers),
        StreetSums(turn, of_turn, rivers),
        StreetSums(river, None, 1.0),
    )
    for i, street in enumerate(streets):
        picked, holes = sampled_hands(street.boards.shape[1], n_boards, 50, generator)
        points = np.take_along_axis(
            range_equities(street, picked), holes[:, :, None], axis=1
        ).reshape(-1, N_RANGES)
        means = fit_centres(points, n_groups, 100, generator)
        centres.append(means[np.argsort(means.mean(axis=1), kind="stable")])
        tables.append(nearest_groups(street, centres[-1]))
        progress(2 + i)
    return OchsGroups(tables[0], tables[1], tables[2], np.array(centres))


def swap_levels(equity: np.ndarray, n_cards: int, generator: np.random.Generator) -> np.ndarray:
    """Groups of hands before a swap by `swaps.equities`, (n_boards, 1326) uint8: level of keeping *
    LEVELS + level of gain.
    """
    picked, holes = sampled_hands(n_cards, min(len(equity), 500), 100, generator)
    keep, gain = equity[..., 0], equity[..., 1:].max(axis=-1) - equity[..., 0]
    level = np.zeros(keep.shape, dtype=np.uint8)
    for values, times in ((keep, LEVELS), (gain, 1)):
        edges = np.quantile(
            np.take_along_axis(values[picked], holes, axis=1), np.arange(1, LEVELS) / LEVELS
        ).astype(np.float32)
        level += np.uint8(times) * np.searchsorted(edges, values).astype(np.uint8)
    return level
