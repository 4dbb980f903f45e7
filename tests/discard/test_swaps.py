"""Exact swap equities against phevaluator, and against an enumerator that looks at every showdown."""

from itertools import combinations

import numpy as np
import pytest
from numba import njit
from phevaluator import evaluate_cards

from faceup.cards.cards import HOLE_CARDS, card_text, hole_index, parse_cards
from faceup.cards.strength import strength
from faceup.discard.swaps import equities, swap_sums

TURNS = ("7c8d9hTc", "2c2d7hKs", "AcKcQc2c", "4d4h4s9c", "3c8cJdQd")


def ranks_by(board, evaluate):
    """Rank of each hole on each river board of a board, larger is stronger: {river cards: (52, 52)}."""
    tables = {}
    rest = [c for c in range(52) if c not in board]
    for coming in combinations(rest, 5 - len(board)):
        table = np.full((52, 52), -1, dtype=np.int64)
        for a, b in combinations([c for c in rest if c not in coming], 2):
            table[a, b] = table[b, a] = evaluate([*board, *coming, a, b])
        tables[coming] = table
    return tables


def by_phevaluator(cards):
    return 10_000 - evaluate_cards(*map(card_text, cards))


@njit
def showdowns(rank, weights, mine, other, dead, coming):
    """2 * wins + ties of two cards, and twice the weight of the opponent's hands, on one river board."""
    score, met = 0, 0
    for a in range(52):
        for b in range(a):
            if rank[a, b] < 0 or a == mine or b == mine or a == other or b == other or a == dead or b == dead:
                continue
            score += weights[a, b] * ((rank[mine, other] > rank[a, b]) + (rank[mine, other] >= rank[a, b]))
            met += 2 * weights[a, b]
    return score, met


def slow_equities(tables, weights, high, low):
    """Keep, throw the high card, throw the low card."""
    out = []
    for kept, thrown in ((low, -1), (low, high), (high, low)):
        score = met = 0
        for coming, rank in tables.items():
            if high in coming or low in coming:
                continue
            draws = [high] if thrown < 0 else [c for c in range(52) if rank[c].max() >= 0 and c not in (high, low)]
            for drawn in draws:
                found = showdowns(rank, weights, kept, drawn, thrown, 0)
                score, met = score + found[0], met + found[1]
        out.append(score / met)
    return out


def check(board, tables, holes, weights=None):
    full = np.ones(1326, dtype=np.int64) if weights is None else weights
    square = np.zeros((52, 52), dtype=np.int64)
    square[HOLE_CARDS[:, 0], HOLE_CARDS[:, 1]] = square[HOLE_CARDS[:, 1], HOLE_CARDS[:, 0]] = full
    ours = equities(swap_sums(np.array([board]), None if weights is None else full[None]))[0]
    for h in holes:
        high, low = map(int, HOLE_CARDS[h])
        np.testing.assert_allclose(ours[h], slow_equities(tables, square, high, low), atol=2e-7)


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
