"""Cards, holes and boards as small integers.

A card is `4 * rank + suit`: rank 0..12 for 2..A, suit 0..3 for clubs, diamonds, hearts, spades. A
hole (two private cards) is `hi * (hi - 1) / 2 + lo`, 0..1325. Boards are kept up to a renaming of
the suits: a board's canonical form sorts its four suits by the ranks they hold, and a real board is
the canonical one plus a permutation of the suits.
"""

from collections.abc import Sequence
from functools import cache
from itertools import permutations
from reprlib import Repr
from typing import NamedTuple

import numpy as np
from numba import njit

RANKS = "23456789TJQKA"
SUITS = "cdhs"
N_CARDS, N_HOLES, N_CLASSES = 52, 1326, 169
STREETS = ("preflop", "flop", "turn", "river")
BOARD_CARDS = (0, 3, 4, 5)  # cards on the board of each street

# (1326, 2), hi > lo
HOLE_CARDS = np.array([(hi, lo) for hi in range(N_CARDS) for lo in range(hi)], dtype=np.uint8)
# (24, 4): suit s becomes p[s]
SUIT_PERMUTATIONS = np.array(list(permutations(range(4))), dtype=np.uint8)


_RANK, _SUIT = HOLE_CARDS.astype(np.int64) // 4, HOLE_CARDS % 4
_lo, _hi = np.sort(4 * _RANK + SUIT_PERMUTATIONS[:, _SUIT]).T  # (1326, 24) each
# (24, 1326): each hole under each permutation
PERMUTED_HOLES = (_hi * (_hi - 1) // 2 + _lo).T.astype(np.int16)
_row, _column = 12 - np.where(_SUIT[:, 0] == _SUIT[:, 1], _RANK.T, _RANK.T[::-1])
# (1326,) cell of the usual chart: aces first, suited above the diagonal
CLASS_OF_HOLE = (13 * _row + _column).astype(np.int16)
# (169,) the first hole of each chart cell; and how many holes it has: 4, 6 or 12
HOLE_OF_CLASS, COMBOS = np.unique(CLASS_OF_HOLE, return_index=True, return_counts=True)[1:]

_SHORT = Repr()
_SHORT.maxstring = 80  # characters of a text, in errors
short_repr = _SHORT.repr


def class_name(k: int) -> str:
    """Name of chart cell k, 0..168: "AA", "AKs" (above the diagonal) or "AKo" (below it)."""
    row, column = divmod(k, 13)
    high, low = RANKS[12 - min(row, column)], RANKS[12 - max(row, column)]
    return high + low + ("" if row == column else "s" if row < column else "o")


CLASS_NAMES = tuple(class_name(k) for k in range(N_CLASSES))


def parse_cards(text: str) -> list[int]:
    """Cards from text such as "Kh3sJc" or "Kh 3s Jc", in the order given.

    Raises ValueError for other types, unknown ranks or suits, odd lengths and repeated cards.
    """
    if not isinstance(text, str):
        raise ValueError(f"cards {short_repr(text)}: expected text such as 'Ac3h'")
    packed = "".join(text.split())
    if len(packed) % 2:
        raise ValueError(
            f"cards {short_repr(text)}: expected two characters a card, such as 'Ac3h'"
        )
    cards: list[int] = []
    for pair in (packed[i : i + 2] for i in range(0, len(packed), 2)):
        rank, suit = RANKS.find(pair[0].upper()), SUITS.find(pair[1].lower())
        if rank < 0 or suit < 0:
            raise ValueError(
                f"card {pair!r} in {short_repr(text)}: expected a rank of {RANKS} "
                f"and a suit of {SUITS}"
            )
        if 4 * rank + suit in cards:
            raise ValueError(
                f"cards {short_repr(text)}: {pair!r} appears twice, expected distinct cards"
            )
        cards.append(4 * rank + suit)
    return cards


def parse_hand(hole: str, board: str = "") -> tuple[list[int], list[int]]:
    """Two private cards and a board of 0, 3, 4 or 5 cards from text. Raises ValueError for other
    numbers of cards and for repeated cards.
    """
    private, public = parse_cards(hole), parse_cards(board)
    if len(private) != 2:
        raise ValueError(f"hole {short_repr(hole)}: has {len(private)} cards, expected 2")
    if len(public) not in BOARD_CARDS:
        raise ValueError(
            f"board {short_repr(board)}: has {len(public)} cards, expected 0, 3, 4 or 5"
        )
    parse_cards(hole + board)
    return private, public


def card_text(card: int) -> str:
    """A card's two characters, as in "Ac"."""
    return RANKS[card // 4] + SUITS[card % 4]


def hole_index(first: int, second: int) -> int:
    """Index 0..1325 of a hole from its two cards, in any order."""
    hi, lo = max(first, second), min(first, second)
    return hi * (hi - 1) // 2 + lo


class Boards(NamedTuple):
    """All boards of one size up to suits, in order of their keys."""

    keys: np.ndarray  # (n,) int64: the four suits' 13-bit rank masks, largest first
    cards: np.ndarray  # (n, k) uint8, ascending; clubs hold the largest mask
    multiplicity: np.ndarray  # (n,) int64: number of real boards that each represents


@cache
def canonical_boards(n_cards: int) -> Boards:
    """The 1, 1,755, 16,432 or 134,459 boards of 0, 3, 4 or 5 cards up to suits; cached, a second
    for the first call.
    """
    # bit positions of the suits' masks in a key
    keys, places = np.zeros(1, dtype=np.int64), np.array([39, 26, 13, 0])
    ranks, suits = np.divmod(np.arange(N_CARDS), 4)
    bits = np.int64(1) << places[suits] + ranks
    # boards of k + 1 cards are canonical boards of k cards plus one
    for _ in range(n_cards):
        grown = (keys[:, None] | bits)[(keys[:, None] & bits) == 0]
        masks = np.sort(grown[:, None] >> places & 0x1FFF, axis=1)[:, ::-1]
        keys = np.unique((masks << places).sum(axis=1))
    masks = keys[:, None] >> places & 0x1FFF
    cards = np.nonzero(masks[:, suits] >> ranks & 1)[1].reshape(len(keys), n_cards).astype(np.uint8)
    # (n, 24): the permutation fixes the board
    same = (masks[:, SUIT_PERMUTATIONS.astype(np.int64)] == masks[:, None]).all(axis=2)
    return Boards(keys, cards, 24 // same.sum(axis=1))


@njit(cache=True)
def canonical_key(cards, n_cards):
    """(key of a board, index into SUIT_PERMUTATIONS that maps it to its canonical form); cards
    (n_cards,) int64.
    """
    masks = np.zeros(4, dtype=np.int64)
    for i in range(n_cards):
        masks[cards[i] & 3] |= np.int64(1) << (cards[i] >> 2)
    place = np.zeros(4, dtype=np.int64)
    key = 0
    for s in range(4):
        for t in range(4):
            if masks[t] > masks[s] or (masks[t] == masks[s] and t < s):
                place[s] += 1
        key |= masks[s] << (13 * (3 - place[s]))
    # rank of the permutation (place[0], .., place[3]) in lexicographic order
    index = place[0] * 6
    index += (place[1] - (place[1] > place[0])) * 2
    index += place[2] - (place[2] > place[0]) - (place[2] > place[1])
    return key, index


@njit(cache=True)
def free_cards(board):
    """Whether each card is not on a board (n,), (52,) bool."""
    is_free = np.ones(N_CARDS, dtype=np.bool_)
    is_free[board] = False
    return is_free


def free_holes_of(boards: np.ndarray) -> np.ndarray:
    """Which holes share no card with each board (n, k), (n, 1326) bool."""
    held = (boards[:, :, None] == np.arange(N_CARDS)).any(axis=1)  # (n, 52)
    return ~held[:, HOLE_CARDS].any(axis=2)


def canonical(board: Sequence[int] | np.ndarray) -> tuple[int, int]:
    """(id among `canonical_boards`, index of the suit permutation that maps the board to it)."""
    cards = np.asarray(board, dtype=np.int64)
    key, permutation = canonical_key(cards, len(cards))
    return int(np.searchsorted(canonical_boards(len(cards)).keys, key)), int(permutation)


def fixing_permutations(cards: Sequence[int], among: np.ndarray) -> np.ndarray:
    """The suit permutations of `among` (indices) that map a set of cards to itself."""
    held = np.asarray(cards)
    moved = 4 * (held // 4) + SUIT_PERMUTATIONS[among][:, held % 4]
    return among[(np.sort(moved, axis=1) == np.sort(held)).all(axis=1)]


def cards_up_to_suits(board: Sequence[int], fixed: np.ndarray) -> list[tuple[int, list[int]]]:
    """Next cards up to the suit permutations `fixed` (indices), which map the board to itself.

    Returns (card, permutations), one permutation for each card that it represents.
    """
    cards = np.arange(N_CARDS)
    images = 4 * (cards // 4) + SUIT_PERMUTATIONS[fixed][:, cards % 4]  # (n, 52)
    first = [np.sort(np.unique(column, return_index=True)[1]) for column in images.T]
    return [
        (card, fixed[first[card]].tolist())
        for card in range(52)
        if card not in board and card == images[:, card].min()
    ]
