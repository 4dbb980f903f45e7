"""Checkpoints of long runs: an interrupted run continues from its arrays to the same numbers.

A checkpoint names its owner, a digest of the code and of all arguments; other runs ignore it.
"""

from pathlib import Path

import numpy as np

from faceup.util.files import save_npz
from faceup.util.memo import reusable


def save_checkpoint(path: Path, owner: str, iteration: int, **arrays: np.ndarray) -> None:
    """Write a checkpoint atomically; the zip has checksums."""
    save_npz(path, owner=np.array(owner), iteration=np.array(iteration), **arrays)


def load_checkpoint(path: Path, owner: str, most: int) -> dict[str, np.ndarray] | None:
    """The owner's checkpoint of an iteration up to `most`: arrays and `iteration`; None if there is
    no such one.
    """
    if not reusable(path):
        return None
    arrays = dict(np.load(path))
    mine = str(arrays.pop("owner")) == owner and arrays["iteration"] <= most
    return arrays if mine else None
