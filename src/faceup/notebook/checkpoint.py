"""Arrays of a long run, saved on the way: a run that was killed goes on from them to the same numbers.

A checkpoint names its owner: `stored.call_digest` of the code that runs and of all that it is given. What was damaged, or belongs
to another run, is refused. With FACEUP_REUSE=0 in the environment all are.
"""

from pathlib import Path

import numpy as np

from faceup.notebook.progress import note
from faceup.notebook.storage import load_npz, save_npz
from faceup.notebook.stored import reusing


def save(path: Path, owner: str, iteration: int, **arrays: np.ndarray) -> None:
    """Write a checkpoint, whole or not at all; the zip has checksums."""
    save_npz(path, owner=np.array(owner), iteration=np.array(iteration), **arrays)


def load(path: Path, owner: str, most: int) -> dict[str, np.ndarray] | None:
    """A run's checkpoint of an iteration up to `most`: its arrays and `iteration`. None if it has no such; stderr says why."""
    if not path.is_file() or not reusing():
        return None
    try:
        arrays = load_npz(path)
        its_owner, iteration = str(arrays.pop("owner")), int(arrays["iteration"])
    except Exception as error:  # zipfile and numpy raise a dozen kinds for damaged bytes
        why = f"it cannot be read ({type(error).__name__})"
    else:
        if its_owner == owner and iteration <= most:
            return arrays
        why = f"it is past iteration {most:,}" if its_owner == owner else "it is of other code, data or parameters"
    note(f"{path.name} is refused: {why}")
    return None
