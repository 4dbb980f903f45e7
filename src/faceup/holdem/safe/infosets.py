"""What a player tells apart on a street: rows of hands it plays alike, at situations of the betting it plays alike.

A row is a group of hands, such as a level of equity. Decisions may share a situation, as they share a leaf of a decision tree.
Regrets and summed strategies of a street are arrays (infosets, labels), as decisions that share a situation have the same labels.
Both are weights: a strategy plays in proportion to the positive ones.
"""

from typing import NamedTuple

import numpy as np
from numba import njit

from faceup.cards.equity import UNITS
from faceup.holdem.betting.betting_tree import DECISION, BettingTree, children, columns, decisions
from faceup.holdem.solve.regret_matching import matched

N_EQUITIES = UNITS[3] + 1  # on the river: 2 * wins + ties


class Infosets(NamedTuple):
    """Infosets of a street."""

    row: np.ndarray  # int32 row of each hole (1326,) before the river, of each equity (1981,) on it
    of: np.ndarray  # (rows, situations) int32 infoset of a row at a situation
    situation: np.ndarray  # (n_nodes,) int32 of each decision of the street; -1 elsewhere
    n: int


class Street(NamedTuple):
    """A street's n decisions as flat arrays, parents first."""

    node: np.ndarray  # (n,) int32
    actor: np.ndarray  # (n,) int8
    first_edge: np.ndarray  # (n,) int32 edge e leads to node start + e
    end_edge: np.ndarray  # (n,) int32
    label: np.ndarray  # (edges,) int8 what the action is called
    start: int


def make_street(tree: BettingTree, street: int) -> Street:
    """Decisions of a street of a betting tree."""
    start, end = tree.street_start[street : street + 2].tolist()
    node = decisions(tree, street)
    first = (tree.first_child[node] - start).astype(np.int32)
    return Street(node, tree.actor[node], first, first + tree.n_children[node], tree.label[start:end], start)


def make_infosets(tree: BettingTree, street: int, row: np.ndarray, n_rows: int) -> Infosets:
    """Infosets of n_rows rows, each at each decision of a street by itself."""
    inside = (tree.kind == DECISION) & (tree.street == street)
    situation = np.where(inside, np.cumsum(inside) - 1, -1).astype(np.int32)
    n = int(inside.sum())
    return Infosets(row.astype(np.int32), np.arange(n_rows * n, dtype=np.int32).reshape(n_rows, n), situation, n_rows * n)


def equity_levels(tree: BettingTree, n_levels: int) -> Infosets:
    """River infosets of a player who sees in which of n_levels (1 to 1,981) equal levels its equity lies."""
    return make_infosets(tree, 3, np.arange(N_EQUITIES) * n_levels // N_EQUITIES, n_levels)


@njit(cache=True)
def _match(decisions, infosets, other, rows, weights, chance):
    """Each row's strategy, chance (edges, rows), by regret matching at each decision; 1 where player `other` (-1: none) acts."""
    for d in range(decisions.actor.shape[0]):
        first, end = decisions.first_edge[d], decisions.end_edge[d]
        if decisions.actor[d] == other:
            chance[first:end] = 1
            continue
        situation = infosets.situation[decisions.node[d]]
        for k in range(rows.shape[0]):
            weight, total = weights[infosets.of[rows[k], situation]], np.float32(0)
            for e in range(first, end):
                total += max(weight[decisions.label[e]], np.float32(0))
            for e in range(first, end):
                chance[e, k] = matched(weight[decisions.label[e]], total, end - first)


def strategy_rows(tree: BettingTree, street: int, infosets: Infosets, weights: np.ndarray) -> np.ndarray:
    """The strategy of weights on a street, (rows, width) float32, a column for each node of the street.

    Where no weight of an infoset is positive it is uniform.
    """
    nodes, rows = make_street(tree, street), np.arange(len(infosets.of), dtype=np.int32)
    table = np.zeros((len(rows), len(nodes.label)), dtype=np.float32)
    _match(nodes, infosets, -1, rows, weights, table.T)
    return table


def weights_of(tree: BettingTree, street: int, infosets: Infosets, table: np.ndarray) -> np.ndarray:
    """Weights that play as a table of a street does, (rows, width), of infosets by `make_infosets`."""
    weights = np.zeros((infosets.n, len(tree.labels)), dtype=np.float32)
    for node in decisions(tree, street):
        own = infosets.of[:, infosets.situation[node], None]
        weights[own, tree.label[children(tree, node)]] = table[:, columns(tree, node)]
    return weights
