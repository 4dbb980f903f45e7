"""Types of players at all limits against each other.

A type is the amateur with shifted limits (paper 003, Section 4.4). It plays by its odds in FINE
bins on four rounds, and the betting of a round is a table over both current strategies, so a game
is four look-ups.
"""

import numpy as np
from numba import njit

from faceup.holdem.rules import MBB_PER_DOLLAR
from faceup.papers.bayes.model import make_round
from faceup.papers.bayes.strategies import Moves, strategy_of_bin
from faceup.util.parallel import on_threads
from faceup.util.stats import student_95

_CHUNKS = 16  # parts of the deals, played in parallel


@njit(cache=True, nogil=True)
def _play(thread, odds, winner, picks, ends, sums, squares):
    """Add the winnings of i from j as dealer less those of j from i, on the same deals, in dollars:
    sums, squares (n_chunks, n, n) int64.

    odds (n_deals, 2, 4), winner (n_deals,): as `play_shifts` takes them; picks (n, FINE):
    strategies by bin; ends (4, 8, 8, 3): dollars that dealer and big blind put in by the strategies
    of both, and who folds: 1 the dealer, 2 the big blind.
    """
    n = picks.shape[0]
    strategy, won = np.empty((2, 4, n), dtype=np.int64), np.empty((n, n), dtype=np.int64)
    for chunk in range(thread[0], sums.shape[0], thread[1]):
        for deal in range(chunk, odds.shape[0], sums.shape[0]):
            for player in range(2):
                for street in range(4):
                    for i in range(n):
                        strategy[player, street, i] = picks[i, odds[deal, player, street]]
            for i in range(n):
                for j in range(n):
                    dealer, other, folder, street = 0, 0, 0, 0
                    while street < 4 and folder == 0:
                        a, b = strategy[0, street, i], strategy[1, street, j]
                        dealer += ends[street, a, b, 0]
                        other += ends[street, a, b, 1]
                        folder = ends[street, a, b, 2]
                        street += 1
                    shown = winner[deal] * dealer
                    won[i, j] = -dealer if folder == 1 else other if folder == 2 else shown
            gained = won - won.T
            sums[chunk] += gained
            squares[chunk] += gained**2


def play_shifts(
    moves: Moves, odds: np.ndarray, winner: np.ndarray, shifts: np.ndarray
) -> np.ndarray:
    """Winnings of each shift's type from each other's in mbb/g, and half of the 95 % interval, (n,
    n, 2).

    Each deal is played twice with the seats exchanged. odds (n_deals, 2, 4) uint8: FINE bins of
    small and big blind by round; winner (n_deals,) int8: 1 the small blind, -1 the big blind, 0 a
    tie; shifts (n,): multiples of 1/FINE.
    """
    n, played = len(shifts), len(winner)
    picks = np.array([strategy_of_bin(shift) for shift in shifts])
    rounds = [make_round(moves, street, 0, 0) for street in range(4)]
    places = [r.ends[(r.own[:, None, r.ends] * r.other[:, r.ends]).argmax(axis=2)] for r in rounds]
    ends = np.array(
        [np.dstack([r.put[at], r.folder[at]]) for r, at in zip(rounds, places, strict=True)]
    )
    sums, squares = np.zeros((2, _CHUNKS, n, n), dtype=np.int64)
    on_threads(_play, odds, winner, picks, ends, sums, squares)
    mean = sums.sum(axis=0) / played
    error = student_95(played) * np.sqrt((squares.sum(axis=0) / played - mean**2) / (played - 1))
    return np.stack([mean, error], axis=2) * MBB_PER_DOLLAR / 2
