"""Hand strength against the known counts of all hands and against an independent evaluator."""

import random
from itertools import pairwise

import numpy as np
import pytest
from numba import njit, prange
from phevaluator import evaluate_cards

from faceup.cards.cards import HOLE_CARDS, parse_cards
from faceup.cards.strength import _strength, category, strength

# phevaluator's rank of the worst hand of each category; 1 is the best hand of all
WORST = {
    "straight flush": 10,
    "quads": 166,
    "full house": 322,
    "flush": 1599,
    "straight": 1609,
    "trips": 2467,
    "two pair": 3325,
    "pair": 6185,
    "high card": 7462,
}
# hands that are rarely drawn: a royal and a low straight flush, quads by kicker, three pairs, two triples, five-high straight
RARE = (
    "AhKhQhJhTh2c2d 5d4d3d2dAdKcKs 9c9d9h9sKcKdKh 9c9d9h9sAcKdKh TcTdThTs2c3d4h "
    "AcKd8c8dQhQs2c AcJd8h8sQcQd3c 8c8dKhKs2c2dJh 9c9d9hKsKcKd2h Ac2d3h4s5c9dKh"
)


@njit(parallel=True)
def _count_hands(n_cards, holes, counts, seen):
    """Categories of all hands: row h of counts gets the hands whose two highest cards are hole h."""
    for h in prange(len(holes)):
        n = n_cards - 2
        cards = np.empty(n_cards, dtype=np.int64)
        cards[n], cards[n + 1] = holes[h, 1], holes[h, 0]
        for i in range(n):
            cards[i] = i
        more = n <= cards[n]
        while more:
            value = _strength(cards, n_cards)
            counts[h, value >> 20] += 1
            seen[value] = 1
            i = 0  # next combination in the order of its highest card
            while i < n and cards[i] + 1 == cards[i + 1]:
                cards[i] = i
                i += 1
            more = i < n
            if more:
                cards[i] += 1


@pytest.mark.parametrize(
    ("n_cards", "n_strengths", "by_category"),
    [
        (5, 7462, [1302540, 1098240, 123552, 54912, 10200, 5108, 3744, 624, 40]),
        pytest.param(
            7, 4824, [23294460, 58627800, 31433400, 6461620, 6180020, 4047644, 3473184, 224848, 41584], marks=pytest.mark.slow
        ),
    ],
)
def test_all_hands(n_cards, n_strengths, by_category):
    counts = np.zeros((1326, 9), dtype=np.int64)
    seen = np.zeros(9 << 20, dtype=np.uint8)
    _count_hands(n_cards, HOLE_CARDS.astype(np.int64), counts, seen)
    assert counts.sum(axis=0).tolist() == by_category
    assert seen.sum() == n_strengths


@pytest.mark.parametrize("n_cards", [5, 6, 7])
def test_order_and_categories_are_phevaluators(n_cards):
    draw = random.Random(n_cards)
    hands = [draw.sample(range(52), n_cards) for _ in range(20_000)]
    hands += [parse_cards(text) for text in RARE.split() if n_cards == 7]
    found = sorted({(-evaluate_cards(*hand), strength(hand)) for hand in hands})
    assert all(a[0] < b[0] and a[1] < b[1] for a, b in pairwise(found))
    assert all(category(ours) == next(name for name, worst in WORST.items() if -theirs <= worst) for theirs, ours in found)


@pytest.mark.parametrize("cards", [[1, 2, 3, 4], list(range(8)), [1, 1, 2, 3, 4], [1, 2, 3, 4, 52], [-1, 2, 3, 4, 5]])
def test_bad_cards(cards):
    with pytest.raises(ValueError, match="expected"):
        strength(cards)
