"""The rule by outs on hands counted by hand."""

import numpy as np
import pytest
from plain_lookup import choice_in_words, sums_on

from faceup.cards.cards import canonical, canonical_boards, parse_cards
from faceup.papers.discard.outs import _outs, _outs_of_both, best_choices, rule_choices
from faceup.papers.discard.swaps import equities


def board_of(text):
    """Ranks as a mask, and how many cards there are of each suit."""
    cards = parse_cards(text)
    return sum({1 << card // 4 for card in cards}), np.bincount(
        [card % 4 for card in cards], minlength=4
    )


THROWING = [  # board, card kept, card thrown, outs
    ("AcKdQh", "2c", "2d", 11),  # ranks A K Q 2: 16 cards, four seen, and the thrown two
    ("AcKdQh", "2c", "7d", 12),
    ("AcKdQh", "Jc", "2d", 12 + 4),  # tens complete the straight
    ("4c5d6h", "7c", "Kd", 12 + 8),  # threes and eights
    ("4c5d6h", "7c", "8d", 12 + 7),  # one of the eights is thrown
    ("2c7cJc", "Kc", "5d", 12 + 9),
    ("2c7cJc", "Kc", "5c", 12 + 8),
    ("2c2d7h", "Ks", "5d", 2 + 3 + 3),  # a paired board has two ranks
]
KEEPING = [  # board, both cards kept, outs
    ("2c7cJd", "KcQc", 9),
    ("2c7cJc5d", "KcQd", 0),  # one card of the suit: no draw that both cards make
    ("4c5dKh", "6c7d", 8),
    ("4c5dKh", "6c8d", 4),
    ("4c5cKh", "6c7c", 17),
    ("AcKdQh", "2c2d", 0),
    ("3c5d7hAs", "4c6d", 0),  # a straight is made
]
RULE = [  # board, hole, choice
    # no outs with both: ace and king have as many, the high card stays
    ("7c8d9hTc", "AcKd", "throw Kd"),
    ("AcKdQhJc", "2h2s", "throw 2"),  # either
    ("Kc7d2h", "KhQs", "throw Qs"),
    ("Ks7h2c", "KcQd", "throw Qd"),
    ("KcQd2h", "KhQs", "keep"),
    ("Kc7d2h", "AhAs", "keep"),
    ("7h6h2c3d", "9h8h", "keep"),
]


def test_outs_by_hand():
    for board, kept, thrown, expected in THROWING:
        found = _outs(*board_of(board), len(parse_cards(board)), *parse_cards(kept + thrown))
        assert found == expected, (board, kept, thrown)
    for board, hole, expected in KEEPING:
        assert _outs_of_both(*board_of(board), *parse_cards(hole)) == expected, (board, hole)


@pytest.mark.parametrize(("board", "hole", "expected"), RULE)
def test_the_rule_by_hand(board, hole, expected):
    number, _ = canonical(parse_cards(board))
    boards = canonical_boards(len(parse_cards(board)))
    cards, table = boards.cards[[number]], np.zeros((len(boards.keys), 1326), dtype=np.uint8)
    table[number] = rule_choices(cards, equities(sums_on(cards[0].tolist())))[0]
    assert choice_in_words(table, hole, board).startswith(expected)


def test_the_best_choice_keeps_in_ties():
    equity = np.array(
        [[[0.5, 0.5, 0.5], [0.4, 0.5, 0.5], [0.4, 0.6, 0.5], [0, 0, 0]]], dtype=np.float32
    )
    assert best_choices(equity).tolist() == [[0, 2, 1, 0]]
