"""The limit tree's moves, counts of deals on some boards, equities hole by hole."""

import numpy as np
import pytest

from faceup.cards.cards import BOARD_CARDS, CLASS_OF_HOLE, PERMUTED_HOLES, canonical
from faceup.papers.bayes.enumeration import joint_odds
from faceup.papers.bayes.limit import limit_tree
from faceup.papers.bayes.strategies import FINE, make_moves


@pytest.fixture(scope="session")
def moves():
    """What the eight current strategies do on the limit tree."""
    return make_moves(limit_tree())


@pytest.fixture(scope="session")
def counts(equities):
    """Deals on 200 random boards in FINE bins: enough to fill nearly all of them."""
    boards = np.array([np.random.default_rng([1, k]).permutation(52)[:5] for k in range(200)])
    return joint_odds(equities, FINE, boards)


@pytest.fixture(scope="session")
def hole_equities(equities):
    """found(street, board): equities (1326,) in 1 / `UNITS[street]`; 0 for blocked holes."""

    def found(street, board):
        row, permutation = canonical(list(board[: BOARD_CARDS[street]])) if street else (0, 0)
        return equities[street].equity[row][
            PERMUTED_HOLES[permutation] if street else CLASS_OF_HOLE
        ]

    return found
