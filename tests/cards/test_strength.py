"""Hand strength against the known counts of all hands and against an independent evaluator."""

import random
from itertools import combinations, pairwise
from math import comb

import numpy as np
import pytest
from numba import njit
from phevaluator import evaluate_cards

from faceup.cards.cards import HOLE_CARDS, parse_cards
from faceup.cards.strength import category, hand_strength, strength

# phevaluator's rank of the worst hand of each category; 1 is the best hand of all
NAMES = "straight flush,quads,full house,flush,straight,trips,two pair,pair,high card".split(",")
WORST = dict(zip(NAMES, (10, 166, 322, 1599, 1609, 2467, 3325, 6185, 7462), strict=True))
# hands that are rarely drawn: a royal and a low straight flush, quads by kicker, three pairs, two
# triples, five-high straight
RARE = (
    "AhKhQhJhTh2c2d 5d4d3d2dAdKcKs 9c9d9h9sKcKdKh 9c9d9h9sAcKdKh TcTdThTs2c3d4h "
    "AcKd8c8dQhQs2c AcJd8h8sQcQd3c 8c8dKhKs2c2dJh 9c9d9hKsKcKd2h Ac2d3h4s5c9dKh"
)


@njit(cache=True)
def _count_hands(below, hand, counts, seen):
    """Count categories and strengths of hands: rows of below, then hand's last two, the highest."""
    for cards in below:
        hand[:-2] = cards
        value = hand_strength(hand, len(hand))
        counts[value >> 20] += 1
        seen[value] = 1


BY_CATEGORY = {  # cards of a hand: how many hands of each category, and how many strengths
    5: ([1302540, 1098240, 123552, 54912, 10200, 5108, 3744, 624, 40], 7462),
    7: ([23294460, 58627800, 31433400, 6461620, 6180020, 4047644, 3473184, 224848, 41584], 4824),
}


@pytest.mark.parametrize("n_cards", [5, pytest.param(7, marks=pytest.mark.slow)])
def test_all_hands(n_cards):
    counts, seen = np.zeros(9, dtype=np.int64), np.zeros(9 << 20, dtype=np.uint8)
    # by the highest card
    below = np.fromiter(combinations(range(49, -1, -1), n_cards - 2), (np.int64, n_cards - 2))[::-1]
    for high, low in HOLE_CARDS.tolist():
        hand = np.array([0] * (n_cards - 2) + [low, high])
        _count_hands(below[: comb(low, n_cards - 2)], hand, counts, seen)
    assert (counts.tolist(), seen.sum()) == BY_CATEGORY[n_cards]


@pytest.mark.parametrize("n_cards", [5, 6, 7])
def test_order_and_categories_are_phevaluators(n_cards):
    draw = random.Random(n_cards)
    hands = [draw.sample(range(52), n_cards) for _ in range(20_000)]
    hands += [parse_cards(text) for text in RARE.split() if n_cards == 7]
    found = sorted({(-evaluate_cards(*hand), strength(hand)) for hand in hands})
    assert all(a[0] < b[0] and a[1] < b[1] for a, b in pairwise(found))
    assert all(
        category(ours) == next(name for name, worst in WORST.items() if -theirs <= worst)
        for theirs, ours in found
    )
