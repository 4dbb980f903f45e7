"""A lookup of hands of the right shape without meaning, and choices of it in words."""

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
from faceup.papers.discard.deals import HandLookup
from faceup.papers.discard.swaps import KEEP, THROW_HIGH, swap_sums
from faceup.papers.discard.tree import build_swap_tree

TREE = build_swap_tree(([[1.0], [1.0]], [[0.66], [1.0]], [[0.66]], [[0.66]]))
ROWS = (169, 100, 100, 100)


@cache
def fake_lookup():
    """Random buckets and choices: what is tested with them does not depend on their values."""
    rng = np.random.default_rng(1)
    keys = tuple(canonical_boards(n).keys for n in (3, 4, 5))
    choices = np.stack(
        [rng.integers(0, n, 99_991, dtype=np.uint8) for n in (100, 2, 3, 3)], axis=-1
    )
    choices[:, 1] += 1  # a card to throw
    flop, turn = (np.resize(choices, (len(k), 1326, 4)) for k in keys[:2])
    return HandLookup(flop, turn, np.resize(choices[:, 0], (len(keys[2]), 1326)), keys)


def choice_in_words(table, hole, board):
    """ "keep" or "throw 2c": a choice of a table (n_boards, 1326) on all flops or turn boards."""
    private, (number, permutation) = parse_cards(hole), canonical(parse_cards(board))
    moved = [4 * (c // 4) + int(SUIT_PERMUTATIONS[permutation, c % 4]) for c in private]
    choice = int(table[number, PERMUTED_HOLES[permutation, hole_index(*private)]])
    if choice == KEEP:
        return "keep"
    thrown = max(moved) if choice == THROW_HIGH else min(moved)
    return f"throw {card_text(private[moved.index(thrown)])}"


def sums_on(board):
    """Sums (1, 1326, 4) of one flop or turn board, for `swaps.equities`."""
    rest = [c for c in range(52) if c not in board]
    turns = [[*board, card] for card in rest] if len(board) == 3 else [board]
    return swap_sums(np.array(turns)).sum(axis=0, keepdims=True)
