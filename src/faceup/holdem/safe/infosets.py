"""What a learner tells apart on a street: rows, such as levels of equity, at situations.

Decisions may share a situation, as they share a tree's leaf. Regrets are kept by label, which all of them have alike.
"""

from typing import NamedTuple

import numpy as np

from faceup.cards.equity import UNITS
from faceup.holdem.betting.betting_tree import DECISION, BettingTree, children
from faceup.holdem.solve.selfplay import average_strategy

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


def make_infosets(tree: BettingTree, street: int, n_rows: int, by: str = "decision") -> Infosets:
    """Infosets of rows at each decision of a street by itself, or by = "situation".

    A situation is the seat, the bet that is faced (nothing, or its label) and the legal actions: pots and earlier betting do not
    count. Raises ValueError on another word.
    """
    if by not in ("decision", "situation"):
        raise ValueError(f"by is {by!r}, expected 'decision' or 'situation'")
    nodes = np.flatnonzero((tree.kind == DECISION) & (tree.street == street))
    numbers: dict[tuple, int] = {}
    situation = np.full(len(tree.kind), -1, dtype=np.int32)
    for node in nodes.tolist():
        key = (node,) if by == "decision" else _situation(tree, node)
        situation[node] = numbers.setdefault(key, len(numbers))
    of = np.arange(n_rows * len(numbers), dtype=np.int32).reshape(n_rows, len(numbers))
    return Infosets(of, situation, of.size)


def _situation(tree: BettingTree, node: int) -> tuple:
    above = tree.parent[node]
    faced = int(tree.label[node]) if above >= 0 and tree.street[above] == tree.street[node] else 0
    return int(tree.actor[node]), max(faced, 1), tuple(tree.label[children(tree, node)].tolist())


def strategy_rows(tree: BettingTree, street: int, infosets: Infosets, rows: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """The strategy in proportion to positive weights (infosets, labels), a column for each node of the street: (n, width).

    rows (n,): which row each of the table's is, such as the level of each river equity.
    """
    start, end = tree.street_start[street : street + 2]
    tables = [np.zeros((1, int(width)), dtype=np.float32) for width in np.diff(tree.street_start)]
    tables[street] = table = np.zeros((len(rows), int(end - start)), dtype=np.float32)
    for node in np.flatnonzero(infosets.situation >= 0):
        below = np.array(children(tree, node))
        own = infosets.of[rows, infosets.situation[node]][:, None]
        table[:, below - start] = np.maximum(weights[own, tree.label[below]], 0)
    return average_strategy(tree, tuple(tables))[street]
