"""Hand strength against the known counts of all hands and against an independent evaluator."""

import random
from itertools import pairwise

import numpy as np
import pytest
from numba import njit, prange
from phevaluator import evaluate_cards

from faceup.cards.cards import HOLE_CARDS, parse_cards
from faceup.cards.strength import CATEGORIES, N_RIVER_HOLES, _river_order, _strength, category, strength


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
def test_order_is_phevaluators(n_cards):
    draw = random.Random(n_cards)
    hands = [draw.sample(range(52), n_cards) for _ in range(20_000)]
    pairs = sorted({(strength(hand), -evaluate_cards(*hand)) for hand in hands})
    assert all(a[0] < b[0] and a[1] < b[1] for a, b in pairwise(pairs))


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("AhKhQhJhTh2c2d", "straight flush"),
        ("5d4d3d2dAdKcKs", "straight flush"),
        ("9c9d9h9sKcKdKh", "quads"),
        ("9c9d9hKsKcKd2h", "full house"),
        ("2h4h6h8hThAcAd", "flush"),
        ("Ac2d3h4s5c9dKh", "straight"),
        ("QcKdAh2s3c7d9h", "high card"),
        ("8c8d8hKs2c5dJh", "trips"),
        ("8c8dKhKs2c2dJh", "two pair"),
        ("8c8dKhQs2c5dJh", "pair"),
    ],
)
def test_categories(text, name):
    assert category(strength(parse_cards(text))) == name
    assert name in CATEGORIES


def test_kickers():
    best = [strength(parse_cards(text)) for text in ("9c9d9h9sKcKdKh", "9c9d9h9sAcKdKh", "TcTdThTs2c3d4h")]
    assert best[0] < best[1] < best[2]
    assert strength(parse_cards("AcKd8c8dQhQs2c")) == strength(parse_cards("AcJd8h8sQcQd3c"))


def test_river_order_sorts_by_strength():
    draw = random.Random(7)
    order, class_start = np.empty(N_RIVER_HOLES, dtype=np.int16), np.empty(161, dtype=np.int32)
    boards = [draw.sample(range(52), 5) for _ in range(40)]
    special = "2h5h9hJhKh AhKhQhJhTh 7c7d7h7sAc 2c3c4c5c7d KcKdKhQsQc 2c3d4h5s6c"
    boards += [parse_cards(text) for text in special.split()]
    for board in boards:
        n = _river_order(np.array(board, dtype=np.int64), order, class_start)
        assert class_start[0] == 0 and class_start[n] == N_RIVER_HOLES
        values = np.array([strength([*HOLE_CARDS[h].tolist(), *board]) for h in order])
        classes = [values[class_start[k] : class_start[k + 1]] for k in range(n)]
        assert all((c == c[0]).all() for c in classes)
        assert all(a[0] < b[0] for a, b in pairwise(classes))
        assert len(set(order.tolist())) == N_RIVER_HOLES


@pytest.mark.parametrize("cards", [[1, 2, 3, 4], list(range(8)), [1, 1, 2, 3, 4], [1, 2, 3, 4, 52], [-1, 2, 3, 4, 5]])
def test_bad_cards(cards):
    with pytest.raises(ValueError, match="expected"):
        strength(cards)
