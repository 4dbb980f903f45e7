"""Cards, boards up to suits, and how many there are of what."""

from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from faceup.cards import cards
from faceup.cards.cards import HOLE_CARDS, canonical_boards, hole_index, parse_cards

# (24, 52): c becomes MOVED[p, c]
MOVED = 4 * (np.arange(52) // 4) + cards.SUIT_PERMUTATIONS[:, np.arange(52) % 4]


def test_numbers_of_cards_holes_and_starting_hands():
    assert parse_cards("2c2d2h2s3cAs") == [0, 1, 2, 3, 4, 51]
    assert "".join(map(cards.card_text, range(52))) == "".join(
        r + s for r in "23456789TJQKA" for s in "cdhs"
    )
    assert parse_cards("kh 3S jC") == parse_cards("Kh3sJc")
    assert [hole_index(*hole) for hole in HOLE_CARDS.tolist()] == list(range(1326))
    assert hole_index(51, 50) == hole_index(50, 51) == 1325
    for moved, permuted in zip(MOVED, cards.PERMUTED_HOLES, strict=True):
        assert permuted.tolist() == [
            hole_index(moved[hi], moved[lo]) for hi, lo in HOLE_CARDS.tolist()
        ]
        assert (cards.CLASS_OF_HOLE[permuted] == cards.CLASS_OF_HOLE).all()
    assert sorted(np.bincount(cards.CLASS_OF_HOLE).tolist()) == [4] * 78 + [6] * 13 + [12] * 78
    assert cards.CLASS_NAMES[:3] == ("AA", "AKs", "AQs")
    assert cards.CLASS_NAMES[13:15] == ("AKo", "KK")
    for text, name in [
        ("AcAd", "AA"),
        ("KhAh", "AKs"),
        ("2d7s", "72o"),
        ("7c2c", "72s"),
        ("Td3h", "T3o"),
    ]:
        assert cards.CLASS_NAMES[cards.CLASS_OF_HOLE[hole_index(*parse_cards(text))]] == name


BAD = [
    ("Ac3h", "Kh3sAc", "'Ac3hKh3sAc': 'Ac' appears twice"),
    *(
        ("Ac3h", board, f"has {len(board) // 2} cards, expected 0, 3, 4 or 5")
        for board in ("Kh3s", "Kh3sJc2c2d2h")
    ),
    *((hole, "", f"card '{hole[:2]}' in '{hole}': expected a rank") for hole in ("Xc3h", "Ax3h")),
    ("Ac3", "", "expected two characters a card"),
    *((hole, "", f"has {len(hole) // 2} cards, expected 2") for hole in ("Ac3hKd", "")),
]


@pytest.mark.parametrize(("hole", "board", "message"), BAD)
def test_bad_text_names_the_card(hole, board, message):
    with pytest.raises(ValueError, match=message):
        cards.parse_hand(hole, board)


COUNTED = [(0, 1, 169), (3, 1755, 1_286_792), (4, 16432, 13_960_050), (5, 134459, 123_156_254)]


@pytest.mark.parametrize(("n_cards", "n_boards", "n_hands"), COUNTED)
def test_boards_and_hands_up_to_suits(n_cards, n_boards, n_hands):
    """By Burnside's lemma on each board: the mean number of holes that its symmetries fix."""
    boards = canonical_boards(n_cards)
    assert len(boards.keys) == len(boards.cards) == n_boards and (np.diff(boards.keys) > 0).all()
    assert boards.multiplicity.sum() == comb(52, n_cards)
    dealt, free = boards.cards.astype(np.int64), np.ones((n_boards, 52), dtype=np.int64)
    np.put_along_axis(free, dealt, 0, axis=1)
    fixed, size = np.zeros((2, n_boards), dtype=np.int64)
    for moved in MOVED:
        keeps = (np.sort(moved[dealt], axis=1) == dealt).all(axis=1)
        swapped = [c for c in range(52) if moved[c] > c and moved[moved[c]] == c]
        still = free[:, moved == np.arange(52)].sum(axis=1)
        fixed += keeps * (
            still * (still - 1) // 2 + (free[:, swapped] * free[:, moved[swapped]]).sum(axis=1)
        )
        size += keeps
    assert (fixed // size).sum() == n_hands and not (fixed % size).any()


@given(st.lists(st.integers(0, 51), min_size=3, max_size=5, unique=True), st.integers(0, 23))
def test_canonical_leads_to_the_canonical_cards_whatever_the_suits_are_called(board, p):
    board_id, permutation = cards.canonical(board)
    assert (
        sorted(MOVED[permutation, board]) == canonical_boards(len(board)).cards[board_id].tolist()
    )
    assert cards.canonical(MOVED[p, board])[0] == board_id
