"""Card abstraction of the paper: equity against eight ranges, and k-means (Section 2.1).

A hand on a board is eight equities, one against each range of starting hands (OCHS, opponent
cluster hand strength; Johanson et al. 2013), over all cards to come, without further swaps. On each
street k-means makes 100 buckets of them. A player remembers the bucket of the present street alone
(imperfect recall). Before the flop all starting hands are distinguished.
"""

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
from faceup.cards.clusters import fit_centers, nearest_centers
from faceup.cards.strength import N_RIVER_HOLES, river_order
from faceup.papers.discard.swaps import MOST_STARTS, sum_turns
from faceup.util.parallel import on_threads
from faceup.util.rng import Stream

RANGES = (  # the author's, weakest first
    "23s 24s 25s 26s 27s 34s 35s 36s 37s 45s 46s 32o 43o 42o 54o 53o 52o 65o 64o 63o 62o 74o "
    "73o 72o 83o 82o",
    "28s 29s 2Ts 38s 39s 47s 48s 49s 75o 85o 84o 95o 94o 93o 92o T5o T4o T3o T2o J3o J2o",
    "3Ts 4Ts 56s 57s 58s 59s 5Ts 67s 68s 69s 6Ts 78s 79s 89s 67o 68o 69o 6To 78o 79o 7To 89o 8To",
    "22 J2s J3s J4s J5s J6s Q2s Q3s Q4s Q5s K2s J4o J5o J6o J7o Q2o Q3o Q4o Q5o Q6o Q7o K2o "
    "K3o K4o",
    "6Qs 7Ts 7Js 7Qs 8Ts 8Js 8Qs 9Ts 9Js 9Qs TJs T9o J8o J9o JTo Q8o Q9o QTo QJo",
    "33 44 55 K3s K4s K5s K6s K7s K8s A2s A3s A4s A5s A6s K5o K6o K7o K8o K9o A2o A3o A4o A5o "
    "A6o A7o A8o",
    "66 77 QTs QJs K9s KTs KJs KQs A7s A8s A9s ATs AJs AQs AKs KTo KJo KQo A9o ATo AJo AQo AKo",
    "88 99 TT JJ QQ KK AA",
)
N_RANGES = len(RANGES)
HANDS_PER_BOARD = 50  # of each sampled board, to which k-means is fitted
ROUNDS = 100  # of k-means
RIVER_CARDS = 48  # that a turn board leaves
# cards that two known hands leave: for the turn, for the river
TURN_CARDS_LEFT, RIVER_CARDS_LEFT = 45, 44
_BLOCK = 1024  # boards whose equities are in memory together
_NAMES = [set(hands.split()) for hands in RANGES]  # a name may begin with either rank
_RANGE_OF_CLASS = [
    [k in names or k[1::-1] + k[2:] in names for names in _NAMES].index(True) for k in CLASS_NAMES
]
RANGE_OF_HOLE = np.array(_RANGE_OF_CLASS)[CLASS_OF_HOLE]  # (1326,)


@njit(cache=True)
def _count(h, whole, by_card):
    """Count a hole by its range, in all, whole (8,), and by card, by_card (52, 8)."""
    g = RANGE_OF_HOLE[h]
    whole[g] += 1
    by_card[HOLE_CARDS[h, 0], g] += 1
    by_card[HOLE_CARDS[h, 1], g] += 1


@njit(cache=True)
def _add_river(cards, out):
    """Add 2 * wins + ties of each hole against each range, out (1326, 8), on a river board, cards
    (5,).
    """
    order, start = np.empty(N_RIVER_HOLES, dtype=np.int16), np.empty(MOST_STARTS, dtype=np.int32)
    whole, by_card = np.zeros(N_RANGES, np.int32), np.zeros((N_CARDS, N_RANGES), np.int32)
    n_classes = river_order(cards, order, start)
    for c in range(n_classes):
        for again in range(2):  # weaker holes count 2, equal ones 1
            for h in order[start[c] : start[c + 1]]:
                _count(h, whole, by_card)
            for h in order[start[c] : start[c + 1] if again == 0 else start[c]]:
                first, second = by_card[HOLE_CARDS[h, 0]], by_card[HOLE_CARDS[h, 1]]
                for g in range(whole.shape[0]):
                    out[h, g] += whole[g] - first[g] - second[g]
                out[h, RANGE_OF_HOLE[h]] += 1


@njit(cache=True, nogil=True)
def _sum_boards(thread, boards, step, out):
    """Sums (n, 1326, 8) of boards (n, 4 or 5) over every step-th river card."""
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
    """2 * wins + ties of each hole against each range, (n, 1326, 8) uint16, on boards (n, 4) or (n,
    5); of turn boards over every step-th of 48 rivers.
    """
    out = np.empty((len(boards), N_HOLES, N_RANGES), dtype=np.uint16)
    on_threads(_sum_boards, boards, step, out)
    return out


@njit(cache=True, nogil=True)
def _points(thread, boards, sums, runouts, points):
    """Equities, points (n, 1326, 8), of boards (n, k) from their sums (n, 1326, 8); blocked holes
    get 0.
    """
    for b in range(thread[0], boards.shape[0], thread[1]):
        whole, by_card = np.zeros(N_RANGES, np.int32), np.zeros((N_CARDS, N_RANGES), np.int32)
        is_free, points[b] = free_cards(boards[b]), 0
        holes = np.flatnonzero(is_free[HOLE_CARDS[:, 0]] & is_free[HOLE_CARDS[:, 1]])
        for h in holes:
            _count(h, whole, by_card)
        for h in holes:
            first, second = by_card[HOLE_CARDS[h, 0]], by_card[HOLE_CARDS[h, 1]]
            for g in range(N_RANGES):
                n = whole[g] - first[g] - second[g] + (RANGE_OF_HOLE[h] == g)
                points[b, h, g] = min(
                    np.float32(sums[b, h, g]) / np.float32(2 * n * runouts), np.float32(1)
                )


class OchsBuckets(NamedTuple):
    """Buckets of all hands on flop, turn and river, by canonical board and hole; those of blocked
    holes have no meaning.
    """

    flop: np.ndarray  # (1755, 1326) uint8
    turn: np.ndarray  # (16432, 1326) uint8
    river: np.ndarray  # (134459, 1326) uint8
    # (3, n_buckets, 8) float32: equities against the ranges, buckets by their mean
    centers: np.ndarray


class StreetSums(NamedTuple):
    """The sums that a street's equities are made of."""

    boards: np.ndarray  # (n, k) int64: all up to suits
    # (n, 1326, 8) of `range_sums`; None: computed on demand, where they are too large
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


def nearest_buckets(street: StreetSums, centers: np.ndarray) -> np.ndarray:
    """The nearest of centers (n_buckets, 8) to each hand of a street, (n_boards, 1326) uint8."""
    buckets = np.empty((len(street.boards), N_HOLES), dtype=np.uint8)
    for first in range(0, len(buckets), _BLOCK):
        part = slice(first, first + _BLOCK)
        points = range_equities(street, part).reshape(-1, N_RANGES)
        buckets[part] = nearest_centers(points, centers)[0].reshape(-1, N_HOLES)
    return buckets


def sampled_hands(
    n_cards: int, n_boards: int, holes: int, generator: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Boards with the frequencies of the deal, and holes on each: indices (n_boards,) and
    (n_boards, holes).
    """
    boards = canonical_boards(n_cards)
    chances = boards.multiplicity / boards.multiplicity.sum()
    picked = generator.choice(len(boards.keys), n_boards, p=chances)
    cards = boards.cards[picked]
    blocked = (HOLE_CARDS[None, :, :, None] == cards[:, None, None, :]).any(axis=(2, 3))
    return picked, np.array(
        [generator.choice(np.flatnonzero(~row), holes, replace=False) for row in blocked]
    )


def make_ochs_buckets(n_buckets: int, n_boards: int, stream: Stream, step: int = 1) -> OchsBuckets:
    """k-means buckets of flop, turn and river, fitted to HANDS_PER_BOARD hands on each of n_boards
    sampled boards.

    n_buckets: at most 256; step: every step-th river of a turn board is counted, 1 for all.
    """
    flop, turn, river = (canonical_boards(n).cards.astype(np.int64) for n in (3, 4, 5))
    of_turn = range_sums(turn, step)
    of_flop = sum_turns(of_turn, [list(range(N_RANGES))] * 2, np.int32)
    rivers = RIVER_CARDS_LEFT * len(range(0, RIVER_CARDS, step)) / RIVER_CARDS
    streets = (
        StreetSums(flop, of_flop, TURN_CARDS_LEFT * rivers),
        StreetSums(turn, of_turn, rivers),
        StreetSums(river, None, 1.0),
    )
    generator, buckets, centers = stream(), [], []
    for street in streets:
        n_cards = street.boards.shape[1]
        picked, holes = sampled_hands(n_cards, n_boards, HANDS_PER_BOARD, generator)
        points = np.take_along_axis(range_equities(street, picked), holes[:, :, None], axis=1)
        means = fit_centers(points.reshape(-1, N_RANGES), n_buckets, ROUNDS, generator)
        centers.append(means[np.argsort(means.mean(axis=1), kind="stable")])
        buckets.append(nearest_buckets(street, centers[-1]))
    return OchsBuckets(*[*buckets, np.array(centers)])
