"""Which betting lines a strategy takes, and with which hands: what a reader looks for first in a table of probabilities."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from faceup.cards.cards import HOLE_CARDS
from faceup.cards.equity import StreetTable
from faceup.cards.features import board_features
from faceup.holdem.betting.betting_tree import DECISION, BettingTree
from faceup.holdem.solve.policy import Policy, free_holes, opponents, street_reach

_SHOWN = (0, 3, 4, 5)  # cards on the board of each street


class Habits(NamedTuple):
    """How often play comes to each node of a tree, the strategy in both seats, by the strength of the hand that acts there."""

    reach: np.ndarray  # (n_nodes, n_bins) float64 chance that a game comes to a decision with a hand of a bin, the weakest first
    taken: np.ndarray  # (n_nodes, n_bins) float64 that it comes there by the action leading to a node, by the hand that took it


def habits(
    tree: BettingTree, policy: Policy, tables: tuple[StreetTable, ...], boards: Sequence[Sequence[int]], n_bins: int = 5
) -> Habits:
    """Over boards (n, 5) as dealt, all pairs of hands and all lines at once.

    A hand's bin is its place among all hands that the board leaves, by equity on the street it acts on.
    Raises ValueError without boards or on fewer than two bins.
    """
    if len(boards) == 0 or n_bins < 2:
        raise ValueError(f"{len(boards)} boards and {n_bins} bins: expected a board and two bins at least")
    nodes = np.flatnonzero(tree.kind == DECISION)
    above = tree.parent[1:]
    found = Habits(np.zeros((len(tree.kind), n_bins)), np.zeros((len(tree.kind), n_bins)))
    reach = np.zeros((2, len(tree.kind), len(HOLE_CARDS)), dtype=np.float32)
    others = np.zeros((len(tree.kind), len(HOLE_CARDS)))
    for board in boards:
        free = free_holes(list(board))
        reach[:, 0] = free
        bins = []
        for street in range(4):
            shown = [int(c) for c in board[: _SHOWN[street]]]
            street_reach(tree, street, policy.street(street, shown), reach)
            bins.append(_bins(board_features(street, tables[street], shown)[:, 0], free, n_bins))
        others[nodes] = opponents(reach[1 - tree.actor[nodes], nodes])
        of_node = np.stack(bins)[tree.street]  # (n_nodes, 1326)
        here = reach[tree.actor[nodes], nodes] * others[nodes]
        _add(found.reach, nodes, of_node[nodes], here)
        _add(
            found.taken,
            1 + np.arange(len(above)),
            of_node[above],
            reach[tree.actor[above], 1 + np.arange(len(above))] * others[above],
        )
    total = found.reach[0].sum()
    return Habits(found.reach / total, found.taken / total)


def _bins(equity: np.ndarray, free: np.ndarray, n_bins: int) -> np.ndarray:
    """Bin of each hole, (1326,): equal shares of the free ones by equity; ties by number."""
    out = np.zeros(len(equity), dtype=np.int64)
    order = np.flatnonzero(free)[np.argsort(equity[free], kind="stable")]
    out[order] = np.arange(len(order)) * n_bins // len(order)
    return out


def _add(sums: np.ndarray, nodes: np.ndarray, bins: np.ndarray, weights: np.ndarray) -> None:
    """Add each node's weights of holes (n, 1326) to its bins."""
    for node, own, weight in zip(nodes, bins, weights, strict=True):
        sums[node] += np.bincount(own, weights=weight, minlength=sums.shape[1])
