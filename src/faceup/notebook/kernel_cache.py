"""Where numba keeps compiled kernels: one folder a module, named by the digest of the module and of all that it imports.

Numba by itself looks only at a kernel's own file to tell whether its compiled code is stale, not at kernels and constants that it
takes from others. Here an edit anywhere below a kernel compiles it anew, and an edit elsewhere compiles nothing.
"""

import inspect
import os
from collections.abc import Callable
from pathlib import Path

from numba.core.caching import UserProvidedCacheLocator

from faceup.notebook.source_code import SOURCES, code_digest, module_name

FOLDER = SOURCES.parent / "build" / "numba"


class KernelCacheLocator(UserProvidedCacheLocator):
    """Named in NUMBA_CACHE_LOCATOR_CLASSES by the package; passes over functions that are not this package's."""

    def __init__(self, py_func: Callable, py_file: str):
        path = Path(py_file).resolve()
        self._digest = code_digest(module_name(path))
        base = Path(os.environ.get("NUMBA_CACHE_DIR") or FOLDER)
        self._cache_path = str(base / f"{path.stem}-{self._digest[:16]}")
        self._name = inspect.unwrap(py_func).__qualname__

    @classmethod
    def from_function(cls, py_func: Callable, py_file: str) -> "KernelCacheLocator | None":
        """A locator for a function of this package whose folder can be written, else None: numba then asks its own locators."""
        if not Path(py_file).resolve().is_relative_to(SOURCES / "faceup"):
            return None
        locator = cls(py_func, py_file)
        try:
            locator.ensure_cache_path()
        except OSError:
            return None
        return locator

    def get_source_stamp(self) -> str:
        """What decides whether compiled code is stale."""
        return self._digest

    def get_disambiguator(self) -> str:
        """Nothing: two kernels of a module differ in name."""
        return ""
