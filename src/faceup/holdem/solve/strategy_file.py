"""The average strategy as a file: what self-play leaves and every later stage reads.

An .npz of plain arrays: `preflop`, `flop`, `turn`, `river` (n_groups, width) float32 probabilities,
`groups_flop` and `groups_turn` int32 (see solve/groups.py) and `n_groups` (4,). The betting tree is not
stored: it follows from params.yaml, and a file that does not fit the tree is refused.
"""

import os
from pathlib import Path

import numpy as np

from faceup.holdem.betting.betting_tree import STREETS, BettingTree
from faceup.holdem.solve.groups import Groups
from faceup.holdem.solve.policy import TablePolicy
from faceup.lab.files import load_npz, save_npz


def save_strategy(path: str | os.PathLike, policy: TablePolicy) -> None:
    """Write a table policy, whole or not at all."""
    groups = policy.groups
    tables = dict(zip(STREETS, policy.tables, strict=True))
    numbers = np.array(groups.n_groups, dtype=np.int64)
    save_npz(path, **tables, groups_flop=groups.flop, groups_turn=groups.turn, n_groups=numbers)


def load_strategy(path: str | os.PathLike, tree: BettingTree) -> TablePolicy:
    """Read a strategy for a tree; raises ValueError naming the file where it is of another tree."""
    arrays = load_npz(path)
    groups = Groups(arrays["groups_flop"], arrays["groups_turn"], tuple(arrays["n_groups"].tolist()))
    tables = tuple(np.ascontiguousarray(arrays[street]) for street in STREETS)
    for street, table, n, width in zip(STREETS, tables, groups.n_groups, np.diff(tree.street_start).tolist(), strict=True):
        if table.shape != (n, width):
            raise ValueError(
                f"{Path(path).name}: {street} has shape {table.shape}, expected {(n, width)}: of other betting parameters?"
            )
    return TablePolicy(tables, groups)
