"""Interpretable game-playing agents that anyone can rerun, read and check."""

import hashlib
import os
from pathlib import Path

__version__ = "0.1.0"


def _compiled_code_folder() -> str:
    """A folder for compiled kernels that no other state of the source shares.

    Numba looks only at a kernel's own file to tell whether its compiled code is stale, not at the files of kernels that it calls:
    an edit below it, or a checkout, would silently run old code. So the folder's name hangs on all of the source.
    """
    source = Path(__file__).parent
    digest = hashlib.sha256()
    for path in sorted(source.rglob("*.py")):
        digest.update(path.read_bytes())
    return str(source.parents[1] / "build" / "numba" / digest.hexdigest()[:16])


os.environ.setdefault("NUMBA_CACHE_DIR", _compiled_code_folder())
