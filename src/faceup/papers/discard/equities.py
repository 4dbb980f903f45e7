"""Equity of the 169 starting hands against a random hand: without swaps, by the paper's rule, and
when both players swap best.

A board and SIDES hands with the cards that they may draw are dealt. Each hand plays every other
one, by all three policies. Without swaps the answer is known exactly; the sampling error there
corrects the other two (a control variate).
"""

import numpy as np
from numba import njit

from faceup.cards.cards import CLASS_OF_HOLE, N_CLASSES, canonical_boards
from faceup.papers.discard.deals import BEST, NEVER, RULE, HandLookup, deal_sides, empty_view
from faceup.papers.discard.matches import SIDES
from faceup.papers.discard.swaps import COUNT, KEEP, equities
from faceup.util.parallel import on_threads
from faceup.util.rng import Stream

POLICIES = (NEVER, RULE, BEST)
_CHUNKS = 200  # of boards, whose differences make the intervals


def holdem_equities(flop: np.ndarray) -> np.ndarray:
    """The exact equity of each starting hand without swaps, (169,).

    flop (1755, 1326, 4): of `swaps.flop_sums`.
    """
    weight = canonical_boards(3).multiplicity
    keep = equities(flop)[..., KEEP].astype(np.float64)
    dealt = weight @ (flop[..., COUNT] > 0)  # flops that leave a hole
    sums = np.bincount(CLASS_OF_HOLE, (keep * weight[:, None]).sum(axis=0))
    return sums / np.bincount(CLASS_OF_HOLE, dealt)


@njit(cache=True, nogil=True)
def _simulate(thread, lookup, boards, start, sums, weights):
    """Sums (chunks, 169, 3) of scores under POLICIES, and numbers of showdowns (chunks, 169).

    boards: in each chunk; start: of the generator, drawn from a stream.
    """
    n, policies = len(POLICIES), np.repeat(np.array(POLICIES), SIDES)
    view, state = empty_view(n * SIDES), np.zeros(1, dtype=np.uint64)
    strengths = np.empty(n * SIDES, dtype=np.int64)
    for chunk in range(thread[0], sums.shape[0], thread[1]):
        for board in range(chunk * boards, (chunk + 1) * boards):
            deal_sides(start, board, SIDES, policies, lookup, view, state)
            for side in range(n * SIDES):
                hand = 2 * view.swaps[side, 1, 0]  # after the flop's swap, then the turn's
                strengths[side] = view.strengths[side, hand + view.swaps[side, 2, hand]]
            for i in range(n * SIDES):
                cls, k = view.rows[i, 0, 0], i // SIDES
                weights[chunk, cls] += (SIDES - 1) * (k == 0)
                for other in strengths[k * SIDES : (k + 1) * SIDES]:
                    sums[chunk, cls, k] += (strengths[i] > other) + 0.5 * (strengths[i] == other)
                sums[chunk, cls, k] -= 0.5  # against itself


def class_equities(
    lookup: HandLookup, holdem: np.ndarray, boards: int, stream: Stream
) -> tuple[np.ndarray, np.ndarray]:
    """Equities of the starting hands under each of POLICIES, (169, 3), and the deviations of the
    parts of the boards from them, (200, 169, 3).

    The parts give intervals, also of differences between hands. holdem (169,): exact equities
    without swaps.
    """
    chunks = min(_CHUNKS, boards)
    sums, weights = np.zeros((chunks, N_CLASSES, len(POLICIES))), np.zeros((chunks, N_CLASSES, 1))
    on_threads(
        _simulate,
        lookup,
        -(-boards // chunks),
        int(stream().integers(1 << 62)),
        sums,
        weights[..., 0],
    )
    mean = sums.sum(axis=0) / weights.sum(axis=0)
    off = (sums - weights * mean) / weights.mean(axis=0)
    control = off[..., :1]  # without swaps
    slope = (off * control).sum(axis=0) / (control**2).sum(axis=0)
    slope[:, 0] = 0  # the sampled equities without swaps stay uncorrected, for a check
    return mean - slope * (mean[:, :1] - holdem[:, None]), off - slope * control
