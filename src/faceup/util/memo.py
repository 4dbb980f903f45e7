"""Results of heavy steps, stored under the name of all that decides them, so that a changed figure
costs no hour.

A result is named by the function, the contents of its arguments, the code of their modules and of
all that these import, versions of libraries, the processor, and what chooses a path through
libraries. It may be computed once too often, but no state is left out:

- an object of this package is told by all its attributes, which are plain: numbers, text, arrays,
  containers, such objects;
- what it keeps for speed alone, such as another library's model, is in a `Cache`, which is emptied
  before the call;
- a call that changes its arguments is refused, since a stored result would leave them as they were.

Results are JSON and arrays in build/memo: nothing is executed on reading, and deleting the folder
is safe. FACEUP_REUSE=0 computes everything anew, FACEUP_REUSE=1790000000 all that was stored before
this second, so that a forced run shares its own results; without the compiler (NUMBA_DISABLE_JIT=1)
nothing is stored or read.
"""

import functools
import hashlib
import importlib
import inspect
import json
import os
import platform
import types
from collections.abc import Callable, Collection
from functools import partial
from importlib.metadata import distributions
from pathlib import Path
from typing import Any

import numba
import numpy as np
from llvmlite import binding

from faceup.lab.environment import LIBRARIES, code_digest, module_file
from faceup.util.files import load_npz, save_npz
from faceup.util.paths import ROOT

FOLDER = ROOT / "build" / "memo"
_VERSIONED = ("numpy", "numba", "scipy", "scikit-learn", "xgboost-cpu", "xgboost", "torch")
# arrays mapped from files, which do not change, are read once a process
_MAPPED: dict[int, tuple[np.ndarray, str]] = {}


class UsersOwn(TypeError):
    """Something of a user's own session, such as an agent written in a notebook: its code cannot be
    told.
    """


class Cache(dict):
    """What an object keeps for speed alone: no part of a name, emptied by `memo` before a call,
    never stored and never sent.
    """

    def __reduce__(self) -> tuple:
        return Cache, ()


def reusable(path: Path) -> bool:
    """Whether a stored result or checkpoint may be used. ValueError where FACEUP_REUSE is no whole
    number.
    """
    if not (since := os.environ.get("FACEUP_REUSE", "1")).isdecimal():
        raise ValueError(
            f"FACEUP_REUSE is {since!r}, expected 1, or 0 to compute all anew, or a time in seconds since 1970"
        )
    return since != "0" and path.is_file() and path.stat().st_mtime >= int(since)


@functools.cache
def code_of(module: str) -> str:
    """A text for what decides a module's results: its code, that of all that it imports from this
    package, versions.
    """
    file, found = (
        module_file(module),
        {name: [one.version for one in distributions(name=name)] for name in _VERSIONED},
    )
    return f"{code_digest([file] if file else [])} {platform.python_version()} {found}"


def _ours(named: Any) -> bool:
    return named.__module__.startswith("faceup.") and "<" not in named.__qualname__


class _Plain:
    """Values as JSON: to be stored, with their arrays apart; or as a name, with digests of arrays
    and the modules they are of.
    """

    def __init__(self, stored: bool, caches: list[Cache] | None = None):
        self.stored, self.arrays, self.modules = stored, dict[Any, Any](), set[str]()
        self.caches = [] if caches is None else caches

    def of(self, value: Any) -> Any:
        """A value as JSON. TypeError for one whose contents cannot be told."""
        match value:
            case np.ndarray() if value.dtype != object:
                return {"array": self._array(value)}
            case np.generic():  # before plain numbers: np.float64 is a float, too
                return {"scalar": [value.dtype.str, value.item()]}
            case None | bool() | int() | float() | str():
                return value
            case Cache():
                self.caches.append(value)
                return {"cache": []}
            case dict():
                return {"dict": [[self.of(key), self.of(item)] for key, item in value.items()]}
            case list():
                return list(map(self.of, value))
            case tuple() if type(value) is tuple or _ours(type(value)):
                return {self._named(type(value)): list(map(self.of, value))}
            case partial() if not self.stored:
                return {"partial": self.of([value.func, value.args, value.keywords])}
            case types.MethodType() if not self.stored:
                return {"method": [value.__name__, self.of(value.__self__)]}
            case type() | types.FunctionType() if not self.stored and _ours(value):
                return {"code": self._named(value)}
            case _ if _ours(type(value)) and hasattr(value, "__dict__"):
                return {self._named(type(value)): self.of(vars(value))}
        if "__main__" in (type(value).__module__, getattr(value, "__module__", "")):
            raise UsersOwn(f"{type(value).__qualname__} is defined in a notebook or script")
        said = "expected numbers, text, arrays, containers, or functions and plain objects of this package (see lab.memo)"
        raise TypeError(
            f"{type(value).__module__}.{type(value).__qualname__} cannot be told by its contents, {said}"
        )

    def _named(self, named: Any) -> str:
        self.modules |= {named.__module__} if _ours(named) else set()
        return f"{named.__module__}:{named.__qualname__}"

    def _array(self, array: np.ndarray) -> Any:
        if self.stored:
            self.arrays[name := f"a{len(self.arrays)}"] = array
            return name
        known = (
            _MAPPED if isinstance(array, np.memmap) and not array.flags.writeable else self.arrays
        )
        if id(array) not in known:
            known[id(array)] = array, hashlib.sha256(np.ascontiguousarray(array).data).hexdigest()
        return [array.dtype.str, array.shape, array.strides, known[id(array)][1]]


def described(value: Any, caches: list[Cache] | None = None) -> str:
    """A text for the contents of arrays and objects and the code of functions. TypeError for what
    it cannot tell.
    """
    plain = _Plain(stored=False, caches=caches)
    return json.dumps(
        [plain.of(value), {module: code_of(module) for module in sorted(plain.modules)}]
    )


def digest(*values: Any) -> str:
    """A name for the contents of arrays and objects and the code of functions and classes."""
    return hashlib.sha256(described(values).encode()).hexdigest()


def _unpacked(held: dict[str, Any], arrays: dict[str, np.ndarray]) -> Any:
    """What a JSON object stands for; what is in it has been unpacked."""
    ((kind, inner),) = held.items()
    if not kind.startswith("faceup."):
        plain = {
            "array": arrays.__getitem__,
            "scalar": lambda two: np.dtype(two[0]).type(two[1]),
            "cache": Cache,
            "dict": dict,
        }
        return tuple(inner) if kind == "builtins:tuple" else plain[kind](inner)
    module, _, name = kind.partition(":")
    if issubclass(found := getattr(importlib.import_module(module), name), tuple):
        return found(*inner)
    vars(made := object.__new__(found)).update(inner)
    return made


def _read(path: Path) -> list[Any]:
    """What is stored in a file, a list of one; empty where there is nothing sound."""
    try:
        arrays = load_npz(path)
        result = json.loads(
            arrays["result"].tobytes(), object_hook=partial(_unpacked, arrays=arrays)
        )
    except Exception:  # zipfile, numpy and json raise a dozen kinds for damaged bytes
        return []
    return [result]


def _stored(path: Path, result: Any) -> Any:
    """A result as later runs will read it, once it is written."""
    text = json.dumps((plain := _Plain(stored=True)).of(result)).encode()
    save_npz(path, result=np.frombuffer(text, dtype=np.uint8), **plain.arrays)
    return _read(path)[0]


def memo(
    function: Callable, *arguments: Any, apart_from: Collection[str] = (), **named: Any
) -> Any:
    """What function(*arguments, **named) returns, computed or as it was stored; computed where an
    argument is a user's own.

    apart_from: names of parameters that do not decide the result, such as a folder for checkpoints;
    `progress` never does. Raises TypeError for an argument or a result whose contents cannot be
    told, and for a call that changes an argument.
    """
    bound, caches = inspect.signature(function).bind(*arguments, **named), list[Cache]()
    bound.apply_defaults()
    decisive = {
        name: value
        for name, value in bound.arguments.items()
        if name not in {"progress", *apart_from}
    }
    processor = [binding.get_host_cpu_name(), binding.get_host_cpu_features().flatten()]
    call = [processor, {name: os.environ.get(name) for name in LIBRARIES}, function, decisive]
    try:
        name = described(call, caches)
    except UsersOwn:
        return function(*arguments, **named)
    path = FOLDER / f"{function.__name__}-{hashlib.sha256(name.encode()).hexdigest()[:32]}.npz"
    if found := _read(path) if reusable(path) and not numba.config.DISABLE_JIT else []:
        return found[0]
    for cache in caches:
        cache.clear()
    result = function(*arguments, **named)
    if described(call) != name:
        raise TypeError(
            f"{function.__name__} changes its arguments, which a stored result would not do (see lab.memo)"
        )
    return result if numba.config.DISABLE_JIT else _stored(path, result)
