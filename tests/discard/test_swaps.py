"""Exact swap equities against phevaluator, and against an enumerator that looks at every showdown."""

from itertools import combinations

import numpy as np
import pytest
from numba import njit, prange
from phevaluator import evaluate_cards

from faceup.cards.cards import HOLE_CARDS, card_text, hole_index, parse_cards
from faceup.cards.strength import strength
from faceup.discard.swaps import equities, swap_sums

TURNS = ("7c8d9hTc", "2c2d7hKs", "AcKcQc2c", "4d4h4s9c", "3c8cJdQd")


def ranks_by(board, evaluate):
    """Rank of each hole on each river board of a board, larger is stronger, (n, 52, 52); -1 for blocked holes."""
    rest = [c for c in range(52) if c not in board]
    rivers = [[*board, *coming] for coming in combinations(rest, 5 - len(board))]
    ranks = np.full((len(rivers), 52, 52), -1, dtype=np.int64)
    for table, river in zip(ranks, rivers, strict=True):
        for a, b in combinations([c for c in rest if c not in river], 2):
            table[a, b] = table[b, a] = evaluate([*river, a, b])
    return ranks


def by_phevaluator(cards):
    return 10_000 - evaluate_cards(*map(card_text, cards))


@njit
def showdowns(rank, weights, mine, other, dead):
    """2 * wins + ties of two cards, and twice the weight of the opponent's hands, on one river board."""
    score, met = 0, 0
    for a in range(52):
        for b in range(a):
            if rank[a, b] < 0 or a == mine or b == mine or a == other or b == other or a == dead or b == dead:
                continue
            score += weights[a, b] * ((rank[mine, other] > rank[a, b]) + (rank[mine, other] >= rank[a, b]))
            met += 2 * weights[a, b]
    return score, met


@njit(parallel=True)
def slow_equities(ranks, weights, holes, out):
    """Keep, throw the high card, throw the low card, of each hole: every river board, card drawn and opponent in turn."""
    for k in prange(len(holes)):
        high, low = holes[k]
        for choice in range(3):
            score, met = 0, 0
            kept, thrown = (high, low) if choice == 2 else (low, high)
            for rank in ranks:
                for drawn in range(52):
                    drawable = drawn == high if choice == 0 else drawn != thrown and rank[kept, drawn] >= 0
                    if rank[high, low] >= 0 and drawable:
                        found = showdowns(rank, weights, kept, drawn, -1 if choice == 0 else thrown)
                        score, met = score + found[0], met + found[1]
            out[k, choice] = score / met


def check(board, ranks, holes, weights=None):
    full = np.ones(1326, dtype=np.int64) if weights is None else weights
    square = np.zeros((52, 52), dtype=np.int64)
    square[HOLE_CARDS[:, 0], HOLE_CARDS[:, 1]] = square[HOLE_CARDS[:, 1], HOLE_CARDS[:, 0]] = full
    ours, expected = equities(swap_sums(np.array([board]), None if weights is None else full[None]))[0], np.empty((len(holes), 3))
    slow_equities(ranks, square, HOLE_CARDS[holes].astype(np.int64), expected)
    np.testing.assert_allclose(ours[holes], expected, atol=2e-7)


def free_holes(board, n, seed):
    free = [h for h in range(1326) if not set(map(int, HOLE_CARDS[h])) & set(board)]
    return np.random.default_rng(seed).choice(free, n, replace=False)


@pytest.mark.parametrize("text", TURNS[:3])
def test_turn_hands_equal_every_showdown(text):
    board = parse_cards(text)
    check(board, ranks_by(board, strength), free_holes(board, 8, 1))


def test_a_weighted_opponent_equals_every_showdown():
    board = parse_cards(TURNS[0])
    weights = np.random.default_rng(5).integers(0, 60, 1326)
    check(board, ranks_by(board, strength), free_holes(board, 8, 2), weights)


@pytest.mark.slow
def test_twenty_turn_hands_by_phevaluator():
    for k, text in enumerate(TURNS):
        board = parse_cards(text)
        check(board, ranks_by(board, by_phevaluator), free_holes(board, 4, k))


@pytest.mark.slow
def test_a_flop_by_phevaluator():
    board = parse_cards("2c7dKh")
    check(board, ranks_by(board, by_phevaluator), [hole_index(*parse_cards("2h2s")), hole_index(*parse_cards("AcQd"))])


@pytest.mark.slow
@pytest.mark.parametrize(("n_cards", "boards", "holes"), [(4, 40, 50), (3, 20, 100)])
def test_two_thousand_hands_equal_every_showdown(n_cards, boards, holes):
    for k in range(boards):
        board = np.random.default_rng([k, n_cards]).permutation(52)[:n_cards].tolist()
        check(board, ranks_by(board, strength), free_holes(board, holes, k))
