"""What the 169 starting hands win against a random hand: when nobody swaps, by the paper's rule,
and when both swap best.

A board, several opponents and what they may draw are dealt, and each starting hand meets them, by
all three policies. Without swaps the answer is known exactly, and how far the sample is off there
corrects the other two (a control variate).
"""

import numpy as np
from numba import njit

from faceup.cards.cards import CLASS_OF_HOLE, HOLE_CARDS, N_CLASSES, canonical_boards, free_cards
from faceup.papers.discard.deals import (
    BEST,
    NEVER,
    RULE,
    HandTables,
    _final,
    _find_boards,
    _generator,
    _shuffle,
    _uniform,
)
from faceup.papers.discard.swaps import MET, equities
from faceup.util.parallel import on_threads
from faceup.util.rng import Stream

OPPONENTS = 5  # to a board
_CHUNKS = 200  # of boards, whose differences make the intervals
CHOICES = (NEVER, RULE, BEST)
_HOLES = np.argsort(CLASS_OF_HOLE, kind="stable")  # by starting hand
_FIRST = np.searchsorted(CLASS_OF_HOLE[_HOLES], np.arange(N_CLASSES + 1))


def holdem_equities(flop: np.ndarray) -> np.ndarray:
    """The exact equity of each starting hand when nobody swaps, (169,); flop: of `swaps.flop_sums`."""
    weight, keep = canonical_boards(3).multiplicity, equities(flop)[..., 0].astype(np.float64)
    dealt = weight @ (flop[..., MET] > 0)  # flops that leave a hole
    return np.bincount(CLASS_OF_HOLE, (keep * weight[:, None]).sum(axis=0)) / np.bincount(
        CLASS_OF_HOLE, dealt
    )


@njit(cache=True)
def _hero(cls, rest, is_free, state, chosen):
    """A hole of a starting hand whose cards are left, and two cards to draw, into chosen (4,);
    returns of how many it is one.
    """
    n = 0
    for i in range(_FIRST[cls], _FIRST[cls + 1]):
        a, b = HOLE_CARDS[_HOLES[i], 0], HOLE_CARDS[_HOLES[i], 1]
        if is_free[a] and is_free[b]:
            n += 1
            if _uniform(state) * n < 1.0:
                chosen[0], chosen[1] = a, b
    for k in range(2, 4):
        chosen[k] = chosen[0]
        while (
            chosen[k] == chosen[0] or chosen[k] == chosen[1] or (k == 3 and chosen[3] == chosen[2])
        ):
            chosen[k] = rest[int(_uniform(state) * rest.shape[0])]
    return n


@njit(cache=True, nogil=True)
def _simulate(thread, tables, boards, start, sums, weights):
    """sums (chunks, 169, 3) of scores under CHOICES by weight, weights (chunks, 169); boards: in
    each chunk.
    """
    for chunk in range(thread[0], sums.shape[0], thread[1]):
        state, deck, chosen = _generator(start, chunk), np.arange(52), np.zeros(4, dtype=np.int64)
        theirs = np.empty((len(CHOICES), OPPONENTS), dtype=np.int64)
        for _ in range(boards):
            _shuffle(deck, 9 + 4 * OPPONENTS, state)
            found = _find_boards(deck[4:9], tables)  # what follows are four cards of each opponent
            for k in range(len(CHOICES)):
                for j in range(OPPONENTS):
                    theirs[k, j] = _final(deck[9 + 4 * j : 13 + 4 * j], CHOICES[k], tables, found)
            rest, is_free = deck[9 + 4 * OPPONENTS :], free_cards(deck[: 9 + 4 * OPPONENTS])
            for c in range(sums.shape[1]):
                n = _hero(c, rest, is_free, state, chosen)
                weights[chunk, c] += n
                for k in range(len(CHOICES) if n else 0):
                    mine = _final(chosen, CHOICES[k], tables, found)
                    for other in theirs[k]:
                        sums[chunk, c, k] += (
                            n
                            * (np.float64(mine > other) + 0.5 * np.float64(mine == other))
                            / OPPONENTS
                        )


def class_equities(
    tables: HandTables, holdem: np.ndarray, boards: int, stream: Stream
) -> tuple[np.ndarray, np.ndarray]:
    """Equities of the starting hands under each of CHOICES, (169, 3), and how far each of 200 parts
    of the boards is off them.

    On so many boards; holdem (169,): exact equities without swaps. A starting hand stands for as
    many holes as the cards left to it allow: that is its weight on a board. The parts (200, 169, 3)
    give intervals, also of differences between hands.
    """
    chunks = min(_CHUNKS, boards)
    sums, weights = np.zeros((chunks, N_CLASSES, len(CHOICES))), np.zeros((chunks, N_CLASSES, 1))
    on_threads(
        _simulate,
        tables,
        -(-boards // chunks),
        int(stream().integers(1 << 62)),
        sums,
        weights[..., 0],
    )
    mean = sums.sum(axis=0) / weights.sum(axis=0)
    off = (sums - weights * mean) / weights.mean(axis=0)  # of each chunk
    slope = (off * off[..., :1]).sum(axis=0) / (off[..., :1] ** 2).sum(axis=0)
    slope[:, 0] = 0  # the sampled equities without swaps stay as they are, for a check
    return mean - slope * (mean[:, :1] - holdem[:, None]), off - slope * off[..., :1]
