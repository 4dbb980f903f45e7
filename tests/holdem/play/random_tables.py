"""Strategies with random probabilities everywhere, for tests of matches."""

import numpy as np

from faceup.holdem.betting.betting_tree import BettingTree, columns, decisions, menu_from
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
        for node in decisions(tree, street):
            table[:, columns(tree, node)] /= table[:, columns(tree, node)].sum(axis=1, keepdims=True)
        out.append(table)
    return TablePolicy(tuple(out), groups)
