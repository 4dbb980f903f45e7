"""All-in before the flop: what starting hands win against each other with swaps, and who goes all-in with a short stack.

Nobody bets after the flop; both players swap. Boards are dealt with several hands and the cards that each may draw, and every
hand meets every other one on its board.
"""

from itertools import product

import numpy as np
from numba import njit
from scipy.optimize import linprog

from faceup.cards.cards import CLASS_OF_HOLE, HOLE_CARDS, N_CARDS, N_CLASSES
from faceup.discard.deals import HandTables, _final, _find_boards, _generator, _hole, _shuffle, _uniform
from faceup.lab.parallel import on_threads
from faceup.lab.rng import Stream

HANDS, PARTS = 11, 40  # hands to a board, which with two cards each to draw take 44; parts of the boards, for intervals
_BLINDS = 0.5, 1.0


@njit(cache=True, nogil=True)
def _meet_all(share, tables, policy, boards, start, fixed, scores, met):
    """Add 2 * wins + ties and twice the meetings of each class with each, (parts, 169, 169); fixed: as `meetings` takes it."""
    hands = 2 if fixed.shape[0] > 0 else HANDS
    strengths, classes = np.empty(hands, dtype=np.int64), np.empty(hands, dtype=np.int64)
    for part in range(share[0], scores.shape[0], share[1]):
        state, deck = _generator(start, part), np.arange(52)
        for _ in range(boards):
            _shuffle(deck, 5 + 4 * hands, state)
            if fixed.shape[0] > 0:
                dealt = fixed[int(_uniform(state) * fixed.shape[0])]
                for k, place in enumerate((5, 6, 9, 10)):
                    was = np.flatnonzero(deck == dealt[k])[0]
                    deck[place], deck[was] = deck[was], deck[place]
            found = _find_boards(deck[:5], tables)
            for j in range(hands):
                own = deck[5 + 4 * j : 9 + 4 * j]
                classes[j], strengths[j] = CLASS_OF_HOLE[_hole(0, own[0], own[1])], _final(own, policy, tables, found)
            for i in range(hands):
                for j in range(hands):
                    if i != j:
                        won = np.int64(strengths[i] > strengths[j]) + np.int64(strengths[i] >= strengths[j])
                        scores[part, classes[i], classes[j]] += won
                        met[part, classes[i], classes[j]] += 2


def meetings(
    tables: HandTables, policy: int, boards: int, stream: Stream, fixed: np.ndarray | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """2 * wins + ties of each starting hand against each, and twice the meetings, (PARTS, 169, 169) int64.

    policy: how both swap. fixed (n, 4): cards of two hands; each board then meets one of these pairs alone.
    """
    scores, met = np.zeros((2, PARTS, N_CLASSES, N_CLASSES), dtype=np.int64)
    pairs = np.zeros((0, 4), dtype=np.int64) if fixed is None else fixed.astype(np.int64)
    on_threads(_meet_all, tables, policy, -(-boards // PARTS), int(stream().integers(1 << 62)), pairs, scores, met)
    return scores, met


def pairs_of(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """The cards of all pairs of holes that share none, (n, 4), of some starting hands and others, told by their numbers."""
    sides = [HOLE_CARDS[np.isin(CLASS_OF_HOLE, classes)].tolist() for classes in (first, second)]
    return np.array([[*one, *other] for one, other in product(*sides) if not {*one} & {*other}])


def pair_shares() -> np.ndarray:
    """How often two players are dealt each pair of starting hands, (169, 169)."""
    of_class = np.zeros((N_CLASSES, len(HOLE_CARDS)))
    of_class[CLASS_OF_HOLE, np.arange(len(HOLE_CARDS))] = 1
    has = (HOLE_CARDS[:, :, None] == np.arange(N_CARDS)).any(axis=1).astype(np.float64)
    pairs = of_class @ (has @ has.T == 0) @ of_class.T
    return pairs / pairs.sum()


def _gains(equity: np.ndarray, stack: float) -> tuple[np.ndarray, np.ndarray]:
    """What the small blind wins more by going all-in than by folding, by both hands: where the other folds, and calls."""
    shares = pair_shares()
    return shares * sum(_BLINDS), shares * (stack * (2 * equity - 1) + _BLINDS[0])


def push_or_fold(equity: np.ndarray, stack: float) -> tuple[np.ndarray, np.ndarray]:
    """How often each hand goes all-in as small blind, else folds, and calls as big blind, (169,) each, in an equilibrium.

    equity: what each hand wins against each, (169, 169); stack: in big blinds. The linear program of a zero-sum game: how often
    to push, and for each hand of the big blind v, the lesser of what its fold and its call leave; the sum of v is maximised.
    The duals are how often it calls.
    """
    n, rows = N_CLASSES, np.concatenate([gain.T for gain in _gains(equity, stack)])
    sides, cost = np.concatenate([-rows, np.tile(np.eye(n), (2, 1))], axis=1), np.repeat([0, -1], n)
    found = linprog(cost, A_ub=sides, b_ub=np.zeros(2 * n), bounds=[(0, 1)] * n + [(None, None)] * n, method="highs")
    return found.x[:n], -found.ineqlin.marginals[n:]


def value_bounds(equity: np.ndarray, stack: float, push: np.ndarray, call: np.ndarray) -> tuple[float, float]:
    """What the small blind wins against a best response, and what a best response wins from the big blind, in big blinds."""
    folded, called = _gains(equity, stack)
    least, most = np.minimum(push @ folded, push @ called).sum(), np.maximum(folded @ (1 - call) + called @ call, 0).sum()
    return float(least - _BLINDS[0]), float(most - _BLINDS[0])
