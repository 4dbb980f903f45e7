"""Strategies with random probabilities everywhere, for tests of matches."""

import numpy as np

from faceup.holdem.betting.betting_tree import DECISION, BettingTree, menu_from
from faceup.holdem.solve.groups import Groups
from faceup.holdem.solve.policy import TablePolicy

MINE = menu_from([[1], []], [[1], []], [[1], []], [[1], []])
THEIRS = menu_from([[0.75], [1.5], []], [[0.5, 2], []], [[0.5], []], [[0.5, 1.5], []])


def random_table(tree: BettingTree, groups: Groups, seed: int) -> TablePolicy:
    """A random strategy for each group at each decision of a tree."""
    rng = np.random.default_rng(seed)
    out = []
    for street in range(4):
        start, end = tree.street_start[street : street + 2]
        table = rng.exponential(size=(groups.n_groups[street], end - start)).astype(np.float32)
        for node in np.flatnonzero((tree.kind == DECISION) & (tree.street == street)):
            below = slice(tree.first_child[node] - start, tree.first_child[node] - start + tree.n_children[node])
            table[:, below] /= table[:, below].sum(axis=1, keepdims=True)
        out.append(table)
    return TablePolicy(tuple(out), groups)
