"""Exact swap equities against an enumerator that looks at every showdown, by phevaluator."""

from itertools import combinations

import numpy as np
import pytest
from numba import njit, prange
from phevaluator import evaluate_cards
from plain_lookup import sums_on

from faceup.cards.cards import HOLE_CARDS, parse_cards
from faceup.papers.discard.swaps import equities


def ranks_on(board):
    """phevaluator's strength (n, 52, 52) of holes on each river board of a board; -1 if blocked."""
    rest = [c for c in range(52) if c not in board]
    rivers = [[*board, *coming] for coming in combinations(rest, 5 - len(board))]
    ranks = np.full((len(rivers), 52, 52), -1, dtype=np.int64)
    for table, river in zip(ranks, rivers, strict=True):
        for a, b in combinations([c for c in rest if c not in river], 2):
            table[a, b] = table[b, a] = 10_000 - evaluate_cards(*river, a, b)
    return ranks


@njit(cache=True)
def showdowns(rank, mine, other, dead):
    """2 * wins + ties of a hole, and twice the number of opposing holes, on a river board."""
    score, met = 0, 0
    for a in range(52):
        for b in range(a):
            if rank[a, b] < 0 or a in (mine, other, dead) or b in (mine, other, dead):
                continue
            score += (rank[mine, other] > rank[a, b]) + (rank[mine, other] >= rank[a, b])
            met += 2
    return score, met


@njit(parallel=True, cache=True)
def slow_equities(ranks, holes, out):
    """Keep, throw the high, throw the low card: every river board, drawn card and opponent."""
    for k in prange(len(holes)):
        high, low = holes[k]
        for choice in range(3):
            score, met = 0, 0
            kept, thrown = (high, low) if choice == 2 else (low, high)
            for rank in ranks:
                for drawn in range(52):
                    drawable = (
                        drawn == high if choice == 0 else drawn != thrown and rank[kept, drawn] >= 0
                    )
                    if rank[high, low] >= 0 and drawable:
                        found = showdowns(rank, kept, drawn, -1 if choice == 0 else thrown)
                        score, met = score + found[0], met + found[1]
            out[k, choice] = score / met


def check(board, n, seed):
    """Compare n hands on a board."""
    free = [h for h in range(1326) if not set(HOLE_CARDS[h].tolist()) & set(board)]
    holes, expected = np.random.default_rng(seed).choice(free, n, replace=False), np.empty((n, 3))
    slow_equities(ranks_on(board), HOLE_CARDS[holes].astype(np.int64), expected)
    np.testing.assert_allclose(equities(sums_on(board))[0][holes], expected, atol=2e-7)


@pytest.mark.parametrize("text", ["7c8d9hTc", "2c2d7hKs", "AcKcQc2c", "4d4h4s9c", "3c8cJdQd"])
def test_turn_hands_equal_every_showdown(text):
    check(parse_cards(text), 4, 1)


@pytest.mark.slow
@pytest.mark.parametrize(("n_cards", "boards", "holes"), [(4, 40, 50), (3, 20, 100)])
def test_two_thousand_hands_equal_every_showdown(n_cards, boards, holes):
    for k in range(boards):
        check(np.random.default_rng([k, n_cards]).permutation(52)[:n_cards].tolist(), holes, k)
