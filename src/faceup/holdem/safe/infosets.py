"""What a learner tells apart on a street: rows, such as levels of equity, at situations.

Decisions may share a situation, as they share a tree's leaf. Regrets are kept by label, which all of them have alike.
"""

from typing import NamedTuple

import numpy as np
from numba import njit

from faceup.cards.equity import UNITS
from faceup.holdem.betting.betting_tree import DECISION, BettingTree, children, columns, decisions

N_LEVELS = UNITS[3] + 1  # equities on the river: 2 * wins + ties


class Infosets(NamedTuple):
    """Infosets of a street, those of a situation one after the other."""

    of: np.ndarray  # (rows, situations) int32 infoset of a row at a situation
    situation: np.ndarray  # (n_nodes,) int32 of each decision of the street; -1 elsewhere
    n: int


def equity_levels(n_levels: int) -> np.ndarray:
    """Of so many equal levels that of each river equity, (1981,) int32. Raises ValueError unless 1 to 1,981."""
    if not 1 <= n_levels <= N_LEVELS:
        raise ValueError(f"n_levels is {n_levels}, expected from 1 to {N_LEVELS}")
    return (np.arange(N_LEVELS) * n_levels // N_LEVELS).astype(np.int32)


def make_infosets(tree: BettingTree, street: int, n_rows: int) -> Infosets:
    """Infosets of rows at each decision of a street by itself."""
    inside = (tree.kind == DECISION) & (tree.street == street)
    situation = np.where(inside, np.cumsum(inside) - 1, -1).astype(np.int32)
    n = int(inside.sum())
    return Infosets(np.arange(n_rows * n, dtype=np.int32).reshape(n_rows, n), situation, n_rows * n)


class Seen(NamedTuple):
    """A street as a learner sees it."""

    row: np.ndarray  # int32 row of each hole (1326,) before the river, of each equity (1981,) on it
    infosets: Infosets


@njit(cache=True, error_model="numpy")  # where no weight is positive the quotient is not used
def _strategy(nodes, first_child, n_children, label, start, of, situation, rows, weights, out):
    for node in nodes:
        first, end = first_child[node], first_child[node] + n_children[node]
        even = np.float32(1) / np.float32(end - first)
        for k in range(rows.shape[0]):
            weight, total = weights[of[rows[k], situation[node]]], np.float32(0)
            for c in range(first, end):
                total += max(weight[label[c]], np.float32(0))
            for c in range(first, end):
                out[k, c - start] = max(weight[label[c]], np.float32(0)) / total if total > 0 else even


def strategy_rows(tree: BettingTree, street: int, seen: Seen, weights: np.ndarray) -> np.ndarray:
    """The strategy in proportion to positive weights (infosets, labels), a column for each node of the street: (n, width).

    A row of the table for each of seen.row (n,); uniform where no weight is positive.
    """
    start, end = tree.street_start[street : street + 2]
    table, shape = np.zeros((len(seen.row), int(end - start)), dtype=np.float32), (tree.first_child, tree.n_children, tree.label)
    _strategy(decisions(tree, street), *shape, start, seen.infosets.of, seen.infosets.situation, seen.row, weights, table)
    return table


def weights_of(tree: BettingTree, street: int, infosets: Infosets, table: np.ndarray) -> np.ndarray:
    """Weights (infosets, labels) that play as a table of a street does, (rows, width), of infosets by `make_infosets`."""
    weights = np.zeros((infosets.n, len(tree.labels)), dtype=np.float32)
    for node in decisions(tree, street):
        own = infosets.of[:, infosets.situation[node], None]
        weights[own, tree.label[children(tree, node)]] = table[:, columns(tree, node)]
    return weights
