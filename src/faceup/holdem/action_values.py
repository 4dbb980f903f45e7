"""What every action earns, hand by hand: one player follows a policy, the other another, and
nothing is left to luck.

On a board of five cards the whole betting tree is gone down (who may hold what) and up again (what
it is worth), with all hands of both players at once. The value of an action is that of taking it
and of playing on by one's own policy.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from faceup.cards.cards import BOARD_CARDS, HOLE_CARDS
from faceup.holdem.board import (
    BoardOrder,
    board_order,
    compatible_weight,
    end_values,
    ends_of,
    free_holes,
    street_reach,
)
from faceup.holdem.policy import Policy
from faceup.holdem.rules import DECISION
from faceup.holdem.tree import BettingTree, children


class ActionValues(NamedTuple):
    """A board's play in both seats; player p at decisions of player p."""

    # (2, n_nodes, 1326) float32 chance that player p's policy plays towards a node with a hole
    own: np.ndarray
    # (2, n_nodes, 1326) float64 weight of the opponent's holes that come there and share no card
    # with it
    others: np.ndarray
    # (2, n_nodes, 1326) float32 dollars that p wins from there, summed over those holes
    value: np.ndarray
    # (n_nodes, 1326) float32 chance that p's policy takes the action leading to a node
    share: np.ndarray


def action_values(
    tree: BettingTree, mine: Policy, theirs: Policy, board: Sequence[int]
) -> ActionValues:
    """Values to a player who follows `mine` in either seat against `theirs`.

    board: five cards as dealt, else ValueError. Divide `value` by `others` for dollars a game that
    has come there.
    """
    board = [int(c) for c in board]
    order = board_order(np.array(board))
    own, other = (
        np.zeros((2, len(tree.kind), len(HOLE_CARDS)), dtype=np.float32) for _ in range(2)
    )
    own[:, 0] = other[:, 0] = free_holes(board)
    share = np.ones(own.shape[1:], dtype=np.float32)
    for street, n_cards in enumerate(BOARD_CARDS):
        rows = mine.street(street, board[:n_cards])
        street_reach(tree, street, rows, own)
        street_reach(tree, street, theirs.street(street, board[:n_cards]), other)
        share[tree.street_start[street] : tree.street_start[street + 1]] = rows[0].T[:, rows[1]]
    value = np.stack([_values(tree, player, other, share, order) for player in range(2)])
    return ActionValues(
        own, np.stack([compatible_weight(other[1]), compatible_weight(other[0])]), value, share
    )


def _values(
    tree: BettingTree, player: int, other: np.ndarray, share: np.ndarray, order: BoardOrder
) -> np.ndarray:
    """Dollars times the opponent's holes at every node, (n_nodes, 1326) float32."""
    value, ends = np.zeros(share.shape, dtype=np.float32), ends_of(tree)
    reach = other[1 - player, ends.node[:, None], order.holes]
    value[ends.node[:, None], order.holes] = end_values(ends, order, player, reach)
    for node in np.flatnonzero(tree.kind == DECISION)[::-1]:
        below = children(tree, node)
        mixed = value[below] * share[below] if tree.actor[node] == player else value[below]
        value[node] = mixed.sum(axis=0)
    return value
