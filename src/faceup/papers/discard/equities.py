"""Equity of the 169 starting hands against a random hand: without swaps, by the paper's rule, and
when both players swap best.

A board and several opponents with the cards that they may draw are dealt; each starting hand plays
against them by all three policies. Without swaps the answer is known exactly; the sampling error
there corrects the other two (a control variate).
"""

import numpy as np
from numba import njit

from faceup.cards.cards import CLASS_OF_HOLE, HOLE_CARDS, N_CLASSES, canonical_boards, free_cards
from faceup.papers.discard.deals import (
    BEHIND_BOARD,
    BEST,
    BOARD,
    NEVER,
    OWN_CARDS,
    RULE,
    HandLookup,
    final_strength,
    find_boards,
    random_state,
    shuffle,
    uniform,
)
from faceup.papers.discard.swaps import COUNT, KEEP, equities
from faceup.util.parallel import on_threads
from faceup.util.rng import Stream

OPPONENTS = 5  # a board
POLICIES = (NEVER, RULE, BEST)
_CHUNKS = 200  # of boards, whose differences make the intervals
_DEALT = BEHIND_BOARD + OWN_CARDS * OPPONENTS
_HOLES = np.argsort(CLASS_OF_HOLE, kind="stable")  # by starting hand
_FIRST = np.searchsorted(CLASS_OF_HOLE[_HOLES], np.arange(N_CLASSES + 1))


def holdem_equities(flop: np.ndarray) -> np.ndarray:
    """The exact equity of each starting hand without swaps, (169,).

    flop (1755, 1326, 4): of `swaps.flop_sums`.
    """
    weight = canonical_boards(3).multiplicity
    keep = equities(flop)[..., KEEP].astype(np.float64)
    dealt = weight @ (flop[..., COUNT] > 0)  # flops that leave a hole
    sums = np.bincount(CLASS_OF_HOLE, (keep * weight[:, None]).sum(axis=0))
    return sums / np.bincount(CLASS_OF_HOLE, dealt)


@njit(cache=True)
def _sample_hand(cls, rest, is_free, state, own):
    """Sample a hole of a starting hand from the cards left, and two cards to draw, into own (4,);
    returns from how many holes.

    rest (n,): the cards left; is_free (52,): whether each card is; state (1,): of the generator.
    """
    n = 0
    for i in range(_FIRST[cls], _FIRST[cls + 1]):
        a, b = HOLE_CARDS[_HOLES[i], 0], HOLE_CARDS[_HOLES[i], 1]
        if is_free[a] and is_free[b]:
            n += 1
            if uniform(state) * n < 1.0:
                own[0], own[1] = a, b
    for k in range(2, OWN_CARDS):
        own[k] = own[0]
        while own[k] == own[0] or own[k] == own[1] or (k == 3 and own[3] == own[2]):
            own[k] = rest[int(uniform(state) * rest.shape[0])]
    return n


@njit(cache=True, nogil=True)
def _simulate(thread, lookup, boards, start, sums, weights):
    """Sums (chunks, 169, 3) of scores under POLICIES by weight, and weights (chunks, 169).

    boards: in each chunk; start: of the generator, drawn from a stream.
    """
    for chunk in range(thread[0], sums.shape[0], thread[1]):
        state, deck = random_state(start, chunk), np.arange(52)
        own = np.zeros(OWN_CARDS, dtype=np.int64)
        opponents = np.empty((len(POLICIES), OPPONENTS), dtype=np.int64)
        for _ in range(boards):
            shuffle(deck, _DEALT, state)
            found = find_boards(deck[BOARD:BEHIND_BOARD], lookup)
            for k in range(len(POLICIES)):
                for j in range(OPPONENTS):
                    first = BEHIND_BOARD + OWN_CARDS * j
                    cards = deck[first : first + OWN_CARDS]
                    opponents[k, j] = final_strength(cards, POLICIES[k], lookup, found)
            rest, is_free = deck[_DEALT:], free_cards(deck[:_DEALT])
            for c in range(sums.shape[1]):
                n = _sample_hand(c, rest, is_free, state, own)
                weights[chunk, c] += n
                for k in range(len(POLICIES) if n else 0):
                    strength = final_strength(own, POLICIES[k], lookup, found)
                    for other in opponents[k]:
                        score = np.float64(strength > other) + 0.5 * np.float64(strength == other)
                        sums[chunk, c, k] += n * score / OPPONENTS


def class_equities(
    lookup: HandLookup, holdem: np.ndarray, boards: int, stream: Stream
) -> tuple[np.ndarray, np.ndarray]:
    """Equities of the starting hands under each of POLICIES, (169, 3), and the deviations of the
    parts of the boards from them, (200, 169, 3).

    The parts give intervals, also of differences between hands. On a board a starting hand has the
    weight of the holes that the cards left to it make. holdem (169,): exact equities without swaps.
    """
    chunks = min(_CHUNKS, boards)
    sums, weights = np.zeros((chunks, N_CLASSES, len(POLICIES))), np.zeros((chunks, N_CLASSES, 1))
    start = int(stream().integers(1 << 62))
    on_threads(_simulate, lookup, -(-boards // chunks), start, sums, weights[..., 0])
    mean = sums.sum(axis=0) / weights.sum(axis=0)
    off = (sums - weights * mean) / weights.mean(axis=0)
    control = off[..., :1]  # without swaps
    slope = (off * control).sum(axis=0) / (control**2).sum(axis=0)
    slope[:, 0] = 0  # the sampled equities without swaps stay uncorrected, for a check
    return mean - slope * (mean[:, :1] - holdem[:, None]), off - slope * control
