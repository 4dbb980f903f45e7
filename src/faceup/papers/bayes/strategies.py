"""Current strategies: plans for a round of fixed-limit hold'em (paper 003, Section 4.2, Table 2;
Section 4.4).

A current strategy "r/c" means: raise until there are r bets in the round, call up to c bets,
fold to more; check where nothing is to call and no bet is wanted. Before the flop the big blind is
the first bet, so that the dealer's "0/0" folds and the "0/1" and "1/1" call half a bet.

The amateur picks one of five each round by the odds; types shift its limits "up, down, and
significantly down", without numbers.
"""

from typing import NamedTuple

import numpy as np

from faceup.holdem.betting_tree import BettingTree, children
from faceup.holdem.rules import CALL, DECISION, FOLD
from faceup.papers.bayes.limit import BETS, RAISE

# Table 2: raise up to, call up to
CURRENT = ((0, 0), (0, 1), (1, 1), (1, 2), (2, 2), (2, 3), (3, 3), (3, 4))
NAMES = tuple(f"{r}/{c}" for r, c in CURRENT)
AMATEUR = (0, 1, 3, 5, 7)  # of CURRENT, from the weakest odds to the strongest
LIMITS = (0.2, 0.4, 0.6, 0.8)
TYPES = ("reserved", "active", "bluff")
FINE = 20  # bins of players' odds: their limits are multiples of 1/20


def strategy_of_bin(shift: float) -> np.ndarray:
    """The amateur's choice in each of FINE bins of odds, (FINE,) indices of CURRENT.

    shift: of its limits; ValueError unless a multiple of 1/FINE.
    """
    edges = np.array([FINE * (limit + shift) for limit in LIMITS])
    if not np.allclose(edges, edges.round(), atol=1e-9):
        raise ValueError(f"shift is {shift}, expected a multiple of {1 / FINE}")
    return np.array(AMATEUR)[np.searchsorted(edges.round(), np.arange(FINE), side="right")]


class Moves(NamedTuple):
    """The moves of current strategies on a betting tree."""

    tree: BettingTree
    after: np.ndarray  # (8, n_nodes) int32: the node to which each strategy goes from each decision
    # (n_nodes,) int32: of a decision, the one at which its round began; of an end 0
    root: np.ndarray
    # (n_nodes,) int32: index among the nodes of its round, the same for all rounds of a street
    place: np.ndarray


def make_moves(tree: BettingTree) -> Moves:
    """The moves of the eight current strategies on the limit tree."""
    n = len(tree.kind)
    after, (root, place) = np.zeros((len(CURRENT), n), np.int32), np.zeros((2, n), np.int32)
    for node in range(n):
        above = tree.parent[node]
        if above >= 0:
            place[node] = node - tree.first_child[root[above]]
        if tree.kind[node] == DECISION:
            same_round = above >= 0 and tree.street[above] == tree.street[node]
            root[node] = root[above] if same_round else node
            child_of = {int(tree.label[c]): c for c in children(tree, node)}
            bets = tree.bets[node, :, tree.street[node]].max() // BETS[tree.street[node]]
            for k, (raise_to, call_to) in enumerate(CURRENT):
                label = RAISE if bets < raise_to else CALL if bets <= call_to else FOLD
                after[k, node] = child_of.get(label, child_of[CALL])
    return Moves(tree, after, root, place)
