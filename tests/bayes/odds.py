"""Odds of a hand taken from the equity tables hole by hole, not deal by deal, and showdowns of every two holes."""

import numpy as np
from games import pair_outcomes

from faceup.cards.cards import BOARD_CARDS, CLASS_OF_HOLE, PERMUTED_HOLES, canonical


def hole_equities(tables, street, board):
    """Equities of the 1,326 holes on a board as integers out of `UNITS[street]`; 0 where the board blocks the hole."""
    if street == 0:
        return tables[0].equity[0, CLASS_OF_HOLE]
    row, permutation = canonical(list(board[: BOARD_CARDS[street]]))
    return tables[street].equity[row][PERMUTED_HOLES[permutation]]


def showdowns(board):
    """Holes that a river board leaves (n,); whether each loses, ties or wins against each without a card of its own (3, n, n)."""
    holes, outcome = pair_outcomes(board)
    return holes, np.array([outcome == won for won in (-1, 0, 1)])
