"""Exact values of all actions with every hand, where each player follows a policy.

On a board of five cards a forward pass over the betting tree gives reach and a backward pass
values, for all hands of both players at once. The value of an action is that of taking it and of
following one's own policy afterwards.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from faceup.cards.cards import BOARD_CARDS, N_HOLES
from faceup.holdem.betting_tree import BettingTree, children, decision_nodes
from faceup.holdem.board import BoardOrder, board_order
from faceup.holdem.policy import Policy
from faceup.holdem.reach import fill_street_reach
from faceup.holdem.showdown import compatible_weight, end_values, ends_of, free_holes


class ActionValues(NamedTuple):
    """A board's play. The first axis is the seat p of the player who follows `mine`; the other
    player, the opponent, follows `theirs`.
    """

    # (2, n_nodes, 1326) float32 player p's reach of a node with a hole
    own_reach: np.ndarray
    # (2, n_nodes, 1326) float64 the opponent's reach, summed over holes that share no card with one
    opposing_reach: np.ndarray
    # (2, n_nodes, 1326) float32 dollars that p wins from there, summed over those holes
    value: np.ndarray
    # (n_nodes, 1326) float32 probability, by `mine`, of the action leading to a node
    probability: np.ndarray


def action_values(
    tree: BettingTree, mine: Policy, theirs: Policy, board: Sequence[int]
) -> ActionValues:
    """Values to a player who follows `mine` in either seat against `theirs`.

    board: five cards as dealt. Divide `value` by `opposing_reach` for dollars a game that reaches
    the node.
    """
    board = [int(c) for c in board]
    order = board_order(np.array(board))
    own_reach, their_reach = np.zeros((2, 2, len(tree.kind), N_HOLES), dtype=np.float32)
    own_reach[:, 0] = their_reach[:, 0] = free_holes(board)
    probability = np.ones(own_reach.shape[1:], dtype=np.float32)
    for street, n_cards in enumerate(BOARD_CARDS):
        rows = mine.street_rows(street, board[:n_cards])
        fill_street_reach(tree, street, rows, own_reach)
        fill_street_reach(tree, street, theirs.street_rows(street, board[:n_cards]), their_reach)
        probability[tree.street_start[street] : tree.street_start[street + 1]] = rows[0].T[
            :, rows[1]
        ]
    value = np.stack(
        [_values(tree, player, their_reach, probability, order) for player in range(2)]
    )
    return ActionValues(
        own_reach,
        np.stack([compatible_weight(their_reach[1]), compatible_weight(their_reach[0])]),
        value,
        probability,
    )


def _values(
    tree: BettingTree,
    player: int,
    their_reach: np.ndarray,
    probability: np.ndarray,
    order: BoardOrder,
) -> np.ndarray:
    """Dollars times the opponent's holes at every node, (n_nodes, 1326) float32."""
    value, ends = np.zeros(probability.shape, dtype=np.float32), ends_of(tree)
    reach = their_reach[1 - player, ends.node[:, None], order.holes]
    value[ends.node[:, None], order.holes] = end_values(ends, order, player, reach)
    for node in decision_nodes(tree)[::-1]:
        below = children(tree, node)
        mixed = value[below] * probability[below] if tree.actor[node] == player else value[below]
        value[node] = mixed.sum(axis=0)
    return value
