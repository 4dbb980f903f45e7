"""Where numba keeps compiled kernels: one folder a module, named by the digest of the module and of all that it imports.

Numba by itself looks only at a kernel's own file to tell whether its compiled code is stale, not at kernels and constants that it
takes from others. Here an edit anywhere below a kernel compiles it anew, and an edit elsewhere compiles nothing.
"""

import fcntl
import os
import shutil
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from numba.core import caching
from numba.misc.appdirs import AppDirs

from faceup.notebook.source_code import SOURCES, code_digest, module_name

FOLDER = SOURCES.parent / "build" / "numba"
KEPT = 4  # folders a module: those of branches that take turns


class _LockedIndex(caching.IndexDataCacheFile):
    """Two processes that save two signatures of a kernel at once would give one the code of the other."""

    def save(self, key, data) -> None:
        """As numba's, one process at a time."""
        with open(f"{self._index_path}.lock", "w") as lock:
            with suppress(OSError):  # a disk that knows no locks
                fcntl.flock(lock, fcntl.LOCK_EX)
            super().save(key, data)


caching.IndexDataCacheFile = _LockedIndex


def _remove_old(base: Path, module: str) -> None:
    """Keep a module's latest folders only."""
    folders = sorted(base.glob(f"{module}-*"), key=lambda folder: folder.stat().st_mtime)
    for old in folders[:-KEPT]:
        shutil.rmtree(old, ignore_errors=True)


class KernelCacheLocator(caching.UserProvidedCacheLocator):
    """Named in NUMBA_CACHE_LOCATOR_CLASSES by the package; passes over functions that are not this package's."""

    def __init__(self, folder: Path, digest: str, py_file: str):
        self._cache_path, self._digest, self._py_file = str(folder), digest, py_file

    @classmethod
    def from_function(cls, py_func: Callable, py_file: str) -> "KernelCacheLocator | None":
        """A locator for a function of this package, None for others. Raises OSError where no folder can be written."""
        path = Path(py_file).resolve()
        if not path.is_relative_to(SOURCES / "faceup"):
            return None
        name = module_name(path)
        digest = code_digest(name)
        bases = os.environ.get("NUMBA_CACHE_DIR") or str(FOLDER), AppDirs("faceup", False).user_cache_dir
        for folder in (Path(base) / f"{name}-{digest[:16]}" for base in bases):
            locator, is_new = cls(folder, digest, py_file), not folder.is_dir()
            try:
                locator.ensure_cache_path()
            except OSError:
                continue
            with suppress(OSError):
                os.utime(folder)
                if is_new:
                    _remove_old(folder.parent, name)
            return locator
        raise OSError(f"{' and '.join(bases)} cannot be written, expected NUMBA_CACHE_DIR to name a folder for compiled kernels")

    def get_source_stamp(self) -> str:
        """What decides whether compiled code is stale."""
        return self._digest

    def get_disambiguator(self) -> str:
        """Nothing: two kernels of a module differ in name."""
        return ""
