"""What the dealer of limit hold'em wins, measured with less luck, and what single habits of his cost.

The game is solved (Bowling et al., Science 2015), so that our self-play can be held to known numbers. Most of the luck of a board
is whose hands it fits. What the dealer would win on it if both only checked after the preflop betting is therefore a control
variate: its exact mean over all boards is known.
"""

import numpy as np

from faceup.cards.matchups import RUNOUTS_PREFLOP, class_wins, edges
from faceup.holdem.board import N_PAIRS
from faceup.holdem.policy import Policy, TablePolicy, class_reach
from faceup.holdem.rules import DECISION
from faceup.holdem.tree import BettingTree

_ALL_PAIRS = 1326 * 1225  # ordered pairs of holes before the flop


def board_luck(tree: BettingTree, dealer: Policy, other: Policy, preflop_wins: np.ndarray, boards: np.ndarray) -> np.ndarray:
    """Dollars a game that the dealer would win on each board by checking, less the exact mean over all boards, (n,) float64.

    Hands count that see a flop by the policies' own betting; preflop_wins (169, 169): of cards/matchups; boards (n, 5).
    """
    to_flop = np.flatnonzero((tree.kind == DECISION) & (tree.street == 1) & (tree.street[tree.parent] == 0))
    stake = tree.bets[to_flop, 0].sum(axis=1)
    mine, theirs = class_reach(tree, dealer)[0, to_flop], class_reach(tree, other)[1, to_flop]
    weights = np.einsum("n,nc,nd->cd", stake, mine, theirs)
    exact = (weights * edges(preflop_wins, RUNOUTS_PREFLOP)).sum() / _ALL_PAIRS
    return np.array([(weights * edges(class_wins(board[None], np.ones(1)), 1)).sum() / N_PAIRS - exact for board in boards])


def less_luck(values: np.ndarray, luck: np.ndarray) -> np.ndarray:
    """Values of boards (n,) less what their luck (n,) explains by linear regression."""
    spread = luck - luck.mean()
    slope = (spread @ values) / max(spread @ spread, 1e-300)
    return values - slope * luck


def with_action_replaced(policy: TablePolicy, tree: BettingTree, node: int, target: int, hand: int | None = None) -> TablePolicy:
    """The policy that goes to one preflop node wherever it would go to another; hand: of the 169, None for all."""
    table, start = policy.tables[0].copy(), int(tree.street_start[0])
    rows = slice(None) if hand is None else hand
    table[rows, target - start] += table[rows, node - start]
    table[rows, node - start] = 0
    return policy._replace(tables=(table, *policy.tables[1:]))
