"""Tables of hands of the right shape without meaning, and how a person looks a choice up."""

from functools import cache

import numpy as np

from faceup.cards.cards import (
    PERMUTED_HOLES,
    SUIT_PERMUTATIONS,
    canonical,
    canonical_boards,
    card_text,
    hole_index,
    parse_cards,
)
from faceup.papers.discard.deals import HandTables
from faceup.papers.discard.swaps import KEEP, THROW_HIGH
from faceup.papers.discard.tree import build_swap_tree

TREE = build_swap_tree(([[1.0], [1.0]], [[0.66], [1.0]], [[0.66]], [[0.66]]))
ROWS = (169, 100, 100, 100, 100, 100)


@cache
def fake_tables():
    """Random groups and choices: what is tested with them does not depend on what they say."""
    rng = np.random.default_rng(1)
    keys = tuple(canonical_boards(n).keys for n in (3, 4, 5))
    choices = np.stack(
        [rng.integers(0, n, 99_991, dtype=np.uint8) for n in (100, 2, 100, 3, 3)], axis=-1
    )
    choices[:, 1] += 1  # a card to throw
    flop, turn = (np.resize(choices, (len(k), 1326, 5)) for k in keys[:2])
    return HandTables(flop, turn, np.resize(choices[:, 0], (len(keys[2]), 1326)), keys)


def lookup(table, hole, board):
    """A choice in words from a table (n_boards, 1326) of choices on all flops or turn boards:
    "keep", or "throw 2c".
    """
    private, (number, permutation) = parse_cards(hole), canonical(parse_cards(board))
    moved = [4 * (c // 4) + int(SUIT_PERMUTATIONS[permutation, c % 4]) for c in private]
    choice = int(table[number, PERMUTED_HOLES[permutation, hole_index(*private)]])
    if choice == KEEP:
        return "keep"
    return f"throw {card_text(private[moved.index(max(moved) if choice == THROW_HIGH else min(moved))])}"
