"""Cards, boards up to suits, and how many there are of what."""

from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from faceup.cards.cards import (
    CLASS_NAMES,
    CLASS_OF_HOLE,
    HOLE_CARDS,
    PERMUTED_HOLES,
    SUIT_PERMUTATIONS,
    canonical,
    canonical_boards,
    card_text,
    hole_index,
    parse_cards,
    parse_hand,
)

MOVED = 4 * (np.arange(52) // 4) + SUIT_PERMUTATIONS[:, np.arange(52) % 4]  # (24, 52): c becomes MOVED[p, c]


def test_numbering():
    assert parse_cards("2c2d2h2s3cAs") == [0, 1, 2, 3, 4, 51]
    assert "".join(map(card_text, range(52))) == "".join(r + s for r in "23456789TJQKA" for s in "cdhs")
    assert parse_cards("kh 3S jC") == parse_cards("Kh3sJc")
    assert [hole_index(*hole) for hole in HOLE_CARDS.tolist()] == list(range(1326))
    assert hole_index(51, 50) == hole_index(50, 51) == 1325


@pytest.mark.parametrize(
    ("hole", "board", "message"),
    [
        ("AcAc", "", "'AcAc': 'Ac' appears twice"),
        ("Ac3h", "Kh3sAc", "'Ac3hKh3sAc': 'Ac' appears twice"),
        ("Ac3h", "Kh3s", "has 2 cards, expected 0, 3, 4 or 5"),
        ("Ac3h", "Kh3sJc2c2d2h", "has 6 cards, expected 0, 3, 4 or 5"),
        ("Ac3h", "KhKhJc", "'Kh' appears twice"),
        ("Xc3h", "", "expected a rank of 23456789TJQKA and a suit of cdhs"),
        ("Ax3h", "", "card 'Ax' in 'Ax3h': expected a rank"),
        ("Ac3", "", "expected two characters a card"),
        ("Ac3hKd", "", "has 3 cards, expected 2"),
        ("", "", "has 0 cards, expected 2"),
    ],
)
def test_bad_text_names_the_card(hole, board, message):
    with pytest.raises(ValueError) as error:
        parse_hand(hole, board)
    assert message in str(error.value)


@pytest.mark.parametrize(("n_cards", "n_boards"), [(0, 1), (3, 1755), (4, 16432), (5, 134459)])
def test_boards_up_to_suits(n_cards, n_boards):
    boards = canonical_boards(n_cards)
    assert len(boards.keys) == len(boards.cards) == n_boards
    assert boards.multiplicity.sum() == comb(52, n_cards)
    assert (np.diff(boards.keys) > 0).all()


@pytest.mark.parametrize(("n_cards", "n_hands"), [(0, 169), (3, 1_286_792), (4, 13_960_050), (5, 123_156_254)])
def test_hands_up_to_suits(n_cards, n_hands):
    """By Burnside's lemma on each board: the mean over its symmetries of how many holes each leaves as they are."""
    cards = canonical_boards(n_cards).cards.astype(np.int64)
    free = np.ones((len(cards), 52), dtype=np.int64)
    np.put_along_axis(free, cards, 0, axis=1)
    fixed, size = np.zeros((2, len(cards)), dtype=np.int64)
    for moved in MOVED:
        keeps = (np.sort(moved[cards], axis=1) == cards).all(axis=1)
        swapped = [c for c in range(52) if moved[c] > c and moved[moved[c]] == c]
        still = free[:, moved == np.arange(52)].sum(axis=1)
        fixed += keeps * (still * (still - 1) // 2 + (free[:, swapped] * free[:, moved[swapped]]).sum(axis=1))
        size += keeps
    assert (fixed // size).sum() == n_hands and not (fixed % size).any()


def test_starting_hands():
    assert sorted(np.bincount(CLASS_OF_HOLE).tolist()) == [4] * 78 + [6] * 13 + [12] * 78
    assert CLASS_NAMES[:3] == ("AA", "AKs", "AQs") and CLASS_NAMES[13:15] == ("AKo", "KK")
    for text, name in [("AcAd", "AA"), ("KhAh", "AKs"), ("2d7s", "72o"), ("7c2c", "72s"), ("Td3h", "T3o")]:
        assert CLASS_NAMES[CLASS_OF_HOLE[hole_index(*parse_cards(text))]] == name


def test_permuted_holes():
    for moved, permuted in zip(MOVED, PERMUTED_HOLES, strict=True):
        assert permuted.tolist() == [hole_index(moved[hi], moved[lo]) for hi, lo in HOLE_CARDS.tolist()]
        assert (CLASS_OF_HOLE[permuted] == CLASS_OF_HOLE).all()


boards = st.lists(st.integers(0, 51), min_size=3, max_size=5, unique=True)


@given(boards, st.integers(0, 23))
def test_canonical_leads_to_the_canonical_cards_whatever_the_suits_are_called(board, p):
    board_id, permutation = canonical(board)
    assert sorted(MOVED[permutation, board]) == canonical_boards(len(board)).cards[board_id].tolist()
    assert canonical(MOVED[p, board])[0] == board_id
