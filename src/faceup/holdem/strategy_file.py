"""A blueprint's file: a table policy as arrays, in NumPy's .npz."""

import os
from pathlib import Path

import numpy as np

from faceup.cards.cards import STREETS
from faceup.holdem.betting_tree import BettingTree
from faceup.holdem.buckets import Buckets
from faceup.holdem.policy import TablePolicy
from faceup.util.files import save_npz


def save_strategy(path: str | os.PathLike, policy: TablePolicy) -> None:
    """Write a table policy, atomically."""
    tables, buckets = dict(zip(STREETS, policy.tables, strict=True)), policy.buckets
    save_npz(
        path,
        **tables,
        buckets_flop=buckets.flop,
        buckets_turn=buckets.turn,
        n_buckets=np.array(buckets.n_buckets),
    )


def load_strategy(path: str | os.PathLike, tree: BettingTree) -> TablePolicy:
    """Read a strategy for a tree; raises ValueError naming a file of anything else."""
    arrays, names = dict(np.load(path)), {*STREETS, "buckets_flop", "buckets_turn", "n_buckets"}
    if arrays.keys() != names:
        raise ValueError(f"{Path(path).name}: arrays {sorted(arrays)}, expected {sorted(names)}")
    buckets = Buckets(
        arrays["buckets_flop"], arrays["buckets_turn"], tuple(arrays["n_buckets"].tolist())
    )
    tables = tuple(np.ascontiguousarray(arrays[street]) for street in STREETS)
    widths = np.diff(tree.street_start).tolist()
    found = [table.shape for table in tables]
    expected = list(zip(buckets.n_buckets, widths, strict=True))
    if found != expected:
        raise ValueError(
            f"{Path(path).name}: tables have shapes {found}, expected {expected}: of other betting "
            "parameters?"
        )
    return TablePolicy(tables, buckets)
