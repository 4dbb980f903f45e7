"""Players' reach of the nodes of a street: products of their own action probabilities."""

import numpy as np
from numba import njit

from faceup.cards.cards import HOLE_CARDS, HOLE_OF_CLASS
from faceup.holdem.betting_tree import BettingTree


@njit(cache=True)
def _fill_street_reach(start, end, parent, actor, table, row_of_hole, reach):
    for node in range(start, end):
        above = parent[node]
        player = actor[above]
        for h in range(reach.shape[2]):
            reach[player, node, h] = reach[player, above, h] * table[row_of_hole[h], node - start]
            reach[1 - player, node, h] = reach[1 - player, above, h]


def fill_street_reach(
    tree: BettingTree, street: int, rows: tuple[np.ndarray, np.ndarray], reach: np.ndarray
) -> None:
    """Fill each player's reach of the nodes that a street's actions lead to, reach (2, n_nodes,
    1326) float32, in place.
    """
    start, end = tree.street_start[street : street + 2]
    _fill_street_reach(start, end, tree.parent, tree.actor, *rows, reach)


def preflop_reach(tree: BettingTree, rows: tuple[np.ndarray, np.ndarray]) -> np.ndarray:
    """Each player's reach of the root and of nodes that preflop actions lead to, with each hole,
    (2, n_nodes, 1326) float32.
    """
    reach = np.ones((2, int(tree.street_start[1]), len(HOLE_CARDS)), dtype=np.float32)
    fill_street_reach(tree, 0, rows, reach)
    return reach


def class_reach(tree: BettingTree, rows: tuple[np.ndarray, np.ndarray]) -> np.ndarray:
    """`preflop_reach` with each starting hand, (2, n_nodes, 169) float64."""
    return preflop_reach(tree, rows)[:, :, HOLE_OF_CLASS].astype(np.float64)
