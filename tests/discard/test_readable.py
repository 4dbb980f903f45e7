"""What a person sees of a hand, rows for the trees, and an opponent's range after his swaps."""

from functools import partial

import numpy as np

from faceup.cards.cards import canonical_boards, hole_index, parse_cards
from faceup.discard import readable
from faceup.discard.outs import against_rule, best_choices, ranges_after
from faceup.discard.readable import SWAP_FEATURES, features_of, three_lines
from faceup.discard.swaps import KEEP, THROW_HIGH, THROW_LOW, equities, swap_sums
from faceup.trees.tree import DecisionTree


def row_of(hole, board):
    return features_of(np.array([parse_cards(board)]), np.array([hole_index(*parse_cards(hole))]))


def test_features_by_hand():
    flop, turn, flush = (row_of(*hand)[0].tolist() for hand in (("JhTh", "Tc9h8h"), ("2c2d", "3c4d5hKs"), ("AcKc", "2c3c4c")))
    assert flop == [0, 0, 0, 1, 0, 4, 4, 2, 2, 0, 1, 11, 10]  # a queen or a seven with the jack, none without it
    assert turn == [1, 1, 0, 0, 0, 2, 2, 2, 2, 2, 0, 2, 2]
    assert dict(zip(SWAP_FEATURES, flush, strict=True))["straight or flush is made"] == 1


LINES = [  # hole, board, what the three lines say
    ("2c2d", "AsKhQd", KEEP), ("KcQd", "KhQs2d", KEEP), ("JhTh", "9c8h7d", KEEP), ("9h2h", "AhKh5h", KEEP),
    ("KcQd", "KhJs2d", THROW_LOW), ("KcQd", "QhJs2d", THROW_HIGH), ("Kc4d", "QhJs2d3c", THROW_LOW),
]  # fmt: skip


def test_three_lines_by_hand():
    for hole, board, said in LINES:
        assert three_lines(row_of(hole, board)).tolist() == [said], (hole, board)


def test_rules_are_asked_on_all_flops():
    feature, ends, thirds = [SWAP_FEATURES.index("pocket pair"), -1, -1], [-1] * 2, np.eye(3)
    tree = DecisionTree(*map(np.array, (feature, [0.5, 0, 0], [1, *ends], [2, *ends], thirds[[0, THROW_LOW, KEEP]], [1, 1, 1])))
    found, flops = readable.on_all_boards(3, [three_lines, partial(readable.by_tree, tree)]), canonical_boards(3).cards
    board, hole = np.random.default_rng(4).integers(0, (1755, 1326), (500, 2)).T
    rows = features_of(flops[board], hole)
    np.testing.assert_array_equal(found[0, board, hole], three_lines(rows))
    np.testing.assert_array_equal(found[1, board, hole], np.where(rows[:, 1] > 0, KEEP, THROW_LOW))


def test_rows_cost_what_the_equities_say():
    rng = np.random.default_rng(1)
    equity = rng.random((1755, 1326, 3)).astype(np.float32), rng.random((16432, 1326, 3)).astype(np.float32)
    rows = readable.sample_rows(equity, 5, np.random.default_rng(3))
    assert rows.features.shape == (200, len(SWAP_FEATURES)) and (np.bincount(rows.street) == [0, 100, 100]).all()
    k = 120
    np.testing.assert_array_equal(rows.equity[k], equity[1][rows.board[k], rows.hole[k]])
    cost = readable.costs(rows.equity)
    P, w = readable.best_swaps(cost)
    assert ((P * cost).sum(axis=1) == 0).all() and (w > 0).all() and (cost.min(axis=1) == 0).all() and cost[:, 2].mean() > 0.1


def test_a_range_after_swaps_counts_what_may_be_drawn():
    board = np.array([parse_cards("2c7dKh")])
    kept, high, low = (hole_index(*parse_cards(text)) for text in ("AsAd", "QsJs", "9s8s"))
    choices = np.full((1, 1326), KEEP, dtype=np.uint8)
    choices[0, high], choices[0, low] = THROW_HIGH, THROW_LOW
    weights = ranges_after(board, choices)[0]
    assert weights.sum() == 47 * 1176  # every hand of 49 cards, as often as there are cards to draw
    assert weights[kept] == 47 and weights[high] == 0 and weights[low] == 0
    assert weights[hole_index(*parse_cards("JsTc"))] == 48 and weights[hole_index(*parse_cards("9sQs"))] == 48
    assert weights[hole_index(*parse_cards("2c3d"))] == 0


def test_against_an_opponent_who_keeps_nothing_changes():
    boards = np.array([parse_cards("Ac7d7h2s"), parse_cards("Kh9h8c3d")])
    best = best_choices(equities(swap_sums(boards)))
    keeps = np.full(best.shape, KEEP)
    same, gain, lost = against_rule(boards, keeps, best)
    assert (same, gain) == (1, 0) and lost > 0
