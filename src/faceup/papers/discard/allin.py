"""All-in before the flop: what two starting hands win against each other with swaps.

Nobody bets after the flop; both players swap. A board is dealt with two hands and the cards that
each may draw.
"""

from itertools import product

import numpy as np
from numba import njit

from faceup.cards.cards import CLASS_OF_HOLE, HOLE_CARDS, N_CLASSES
from faceup.papers.discard.deals import (
    HandTables,
    _final,
    _find_boards,
    _generator,
    _hole,
    _shuffle,
    _uniform,
)
from faceup.util.parallel import on_threads
from faceup.util.rng import Stream

PARTS = 40  # of the boards, for intervals


@njit(cache=True, nogil=True)
def _meet_all(thread, tables, policy, boards, start, fixed, scores, met):
    """Add 2 * wins + ties and twice the meetings of each class with each, (parts, 169, 169); fixed:
    as `meetings` takes it.
    """
    strengths, classes = np.empty(2, dtype=np.int64), np.empty(2, dtype=np.int64)
    for part in range(thread[0], scores.shape[0], thread[1]):
        state, deck = _generator(start, part), np.arange(52)
        for _ in range(boards):
            _shuffle(deck, 13, state)
            dealt = fixed[int(_uniform(state) * fixed.shape[0])]
            for k, place in enumerate((5, 6, 9, 10)):
                was = np.flatnonzero(deck == dealt[k])[0]
                deck[place], deck[was] = deck[was], deck[place]
            found = _find_boards(deck[:5], tables)
            for j in range(2):
                own = deck[5 + 4 * j : 9 + 4 * j]
                classes[j], strengths[j] = (
                    CLASS_OF_HOLE[_hole(0, own[0], own[1])],
                    _final(own, policy, tables, found),
                )
            for i in range(2):
                won = np.int64(strengths[i] > strengths[1 - i]) + np.int64(
                    strengths[i] >= strengths[1 - i]
                )
                scores[part, classes[i], classes[1 - i]] += won
                met[part, classes[i], classes[1 - i]] += 2


def meetings(
    tables: HandTables, policy: int, boards: int, stream: Stream, fixed: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """2 * wins + ties of each starting hand against each, and twice the meetings, (PARTS, 169, 169)
    int64.

    policy: how both swap. fixed (n, 4): cards of two hands, of which each board meets a random row.
    """
    scores, met = np.zeros((2, PARTS, N_CLASSES, N_CLASSES), dtype=np.int64)
    start = int(stream().integers(1 << 62))
    on_threads(
        _meet_all, tables, policy, -(-boards // PARTS), start, fixed.astype(np.int64), scores, met
    )
    return scores, met


def pairs_of(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """The cards of all pairs of holes that share none, (n, 4), of some starting hands and others,
    told by their numbers.
    """
    sides = [HOLE_CARDS[np.isin(CLASS_OF_HOLE, classes)].tolist() for classes in (first, second)]
    return np.array([[*one, *other] for one, other in product(*sides) if not {*one} & {*other}])
