"""How many hands the paper's features distinguish (paper 000, Section 2.2.1).

The features reduce the game where hands share their equity and all deciles.
"""

from itertools import permutations

import numpy as np
from numba import njit

from faceup.cards.cards import N_HOLES, free_holes_of
from faceup.cards.equity import N_DECILES, StreetEquities

_CHUNK = 1024  # boards hashed at once: 11 MB


def distinct_vectors(
    table: StreetEquities, boards: np.ndarray, generator: np.random.Generator
) -> int:
    """The number of different vectors (equity, deciles of each later street) among all hands on
    boards (n_boards, 3 | 4 | 5), the rows of `table`.

    A vector x of whole numbers is hashed to sum_j a_j x_j mod 2^64 with random a_j. Two vectors
    collide with probability 2^(v - 64), where 2^v is the largest power of 2 that divides all their
    differences; with n = 2 million vectors, n^2 / 2 pairs, the count is too low with a probability
    of about one in a million.
    """
    factors = generator.integers(2**64, size=1 + N_DECILES * len(table.deciles), dtype=np.uint64)
    found = []
    for start in range(0, len(boards), _CHUNK):
        part = slice(start, start + _CHUNK)
        cards = boards[part].astype(np.int64)
        if not table.deciles:
            found.append(np.flatnonzero(np.bincount(table.equity[part][free_holes_of(cards)])))
            continue
        hashed = np.zeros((len(cards), N_HOLES), dtype=np.uint64)
        columns = [table.equity[part, :, None], *(deciles[part] for deciles in table.deciles)]
        for k, column in enumerate(columns):
            _add_products(column, factors[max(0, N_DECILES * (k - 1) + 1) :], hashed)
        found.append(np.unique(hashed[free_holes_of(cards)]))
    return len(np.unique(np.concatenate(found)))


@njit(cache=True)
def _add_products(columns, factors, hashed):
    """Add columns (n, 1326, m) times factors (m,) to hashed (n, 1326), modulo 2^64."""
    for b in range(columns.shape[0]):
        for h in range(columns.shape[1]):
            for k in range(columns.shape[2]):
                hashed[b, h] += np.uint64(columns[b, h, k]) * factors[k]


def hands_up_to_suits(n_cards: int) -> int:
    """The number of hands (two private cards, a board of n_cards) of which no renaming of suits
    maps one to another.

    Burnside's lemma: the mean, over the 24 renamings, of the hands that a renaming leaves as they
    are. Such a hand takes whole cycles of cards of one rank for the hole, and others for the board.
    """
    total = 0
    for renaming in permutations(range(4)):
        unchanged = np.zeros((3, n_cards + 1), dtype=np.int64)  # by cards in the hole, on the board
        unchanged[0, 0] = 1
        for length in 13 * _cycle_lengths(renaming):
            before = unchanged.copy()
            unchanged[length:] += before[:-length]
            unchanged[:, length:] += before[:, :-length]
        total += int(unchanged[2, n_cards])
    return total // 24


def _cycle_lengths(renaming: tuple[int, ...]) -> list[int]:
    """The lengths of a permutation's cycles."""
    lengths, seen = [], set[int]()
    for suit in range(len(renaming)):
        length = 0
        while suit not in seen:
            seen.add(suit)
            suit, length = renaming[suit], length + 1
        lengths += [length] if length else []
    return lengths
