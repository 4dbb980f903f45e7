"""Results of heavy steps, stored under a digest of all that decides them.

A result is named by the function, its arguments as they are passed (joblib's hash), the code of
their modules and of all that these import, and `platform_digest`. Results are joblib's pickles in
build/memo, a local cache: deleting the folder is safe. FACEUP_REUSE=0 computes everything anew,
FACEUP_REUSE=1790000000 all that was stored before this second, so that a forced run shares its own
results.
"""

import os
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from pickle import PicklingError
from typing import Any

import joblib
import numpy as np
from joblib.hashing import NumpyHasher

from faceup.util.files import replacing
from faceup.util.fingerprint import code_digest, module_file, platform_digest
from faceup.util.paths import ROOT

FOLDER = ROOT / "build" / "memo"
_MAPPED: dict[int, tuple[np.memmap, str]] = {}  # digests of read-only files, by `id`
_INSTALLED = {*sys.stdlib_module_names, "numpy", "joblib"}  # their versions are in the digest


class Cache(dict):
    """What an object keeps for speed alone: neither hashed, nor stored, nor sent to workers."""

    def __reduce__(self) -> tuple:
        return Cache, ()


def reusable(path: Path) -> bool:
    """Whether a stored result or checkpoint may be used, by FACEUP_REUSE."""
    if not (since := os.environ.get("FACEUP_REUSE", "1")).isdecimal():
        raise ValueError(f"FACEUP_REUSE is {since!r}, expected 0, 1 or seconds since 1970")
    return since != "0" and path.is_file() and path.stat().st_mtime >= int(since)


class _Hasher(NumpyHasher):
    """joblib's hash, with the code of functions and classes."""

    def save(self, obj: Any) -> None:
        """Hash an object: functions and classes by their code, read-only files once a process."""
        if hasattr(obj, "__qualname__") and not hasattr(obj, "__self__"):
            file = module_file(module := str(getattr(obj, "__module__", None)))
            if "<" in obj.__qualname__ or not (file or module.partition(".")[0] in _INSTALLED):
                raise PicklingError(f"the code of {module}.{obj.__qualname__} has no digest")
            obj = module, obj.__qualname__, file and code_digest(file)
        elif isinstance(obj, np.memmap) and not obj.flags.writeable:
            if id(obj) not in _MAPPED:
                _MAPPED[id(obj)] = obj, joblib.hash(obj)
            obj = _MAPPED[id(obj)][1]
        super().save(obj)


def digest(*values: Any) -> str:
    """A digest of arrays, objects, functions, their code, and the platform.

    Raises PicklingError where it would leave out code: of a notebook, of a user's own module, of
    lambdas.
    """
    hasher = _Hasher()
    hasher.fast = True  # by value: equal objects have equal hashes
    return hasher.hash([values, platform_digest()])


def memo(
    function: Callable, *arguments: Any, apart_from: Mapping[str, Any] = {}, **named: Any
) -> Any:
    """function(*arguments, **named, **apart_from), stored where all arguments have a digest. The
    function must not change its arguments.

    apart_from: arguments that do not decide the result, such as a folder for checkpoints; neither
    does a `Progress`.
    """
    try:
        name = digest(function, arguments, named)
    except PicklingError:
        return function(*arguments, **named, **apart_from)
    path = FOLDER / f"{function.__name__}-{name}.joblib"
    if not reusable(path):
        with replacing(path) as temporary:
            joblib.dump(function(*arguments, **named, **apart_from), temporary)
    return joblib.load(path)
