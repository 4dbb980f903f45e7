"""Results of heavy steps, stored under the digest of all that they depend on, so that a changed figure costs no hour.

    >>> values = stored(play_boards, seats, boards, progress=Progress("boards", len(boards)))    # doctest: +SKIP

runs `play_boards(seats, boards, progress=..)` once. The same call returns what was stored, until something changes that the
result depends on: the code of the function and of all that it imports, the code and contents of its arguments, or the version
of a library. `progress` is no such thing, nor is an argument that `apart_from` names. Prose, figures and tables are not either.

Results lie in build/stored, least lately used ones are removed beyond LIMIT bytes, and deleting the folder is always safe. With
FACEUP_REUSE=0 in the environment everything is computed anew. Nothing is executed on reading: a result is JSON and plain arrays.
"""

import functools
import hashlib
import importlib
import inspect
import json
import os
import tempfile
import time
import types
from collections.abc import Callable, Collection
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from llvmlite import binding

from faceup.notebook.paths import ROOT
from faceup.notebook.progress import Part, Progress, note
from faceup.notebook.source_code import code_digest
from faceup.notebook.storage import load_npz, save_npz

FORMAT = 2  # of the files; another number makes all of them stale
LIMIT = 6_000_000_000  # bytes of all results together
FOLDER = ROOT / "build" / "stored"
T = TypeVar("T")


def reusing() -> bool:
    """Whether results and checkpoints of earlier runs may be used."""
    return os.environ.get("FACEUP_REUSE") != "0"


# --- what a call depends on ---------------------------------------------------------------------------------


_FILES: dict[int, tuple[np.ndarray, str]] = {}  # arrays mapped from files, which cannot change, are read once a process


class _Description:
    """See `described`."""

    def __init__(self) -> None:
        self._arrays: dict[int, tuple[np.ndarray, str]] = {}  # the same array is read once a call

    def of(self, value: Any) -> str:
        """The words for one value: its type and all that it holds. Raises TypeError on a type that it does not know."""
        match value:
            case None | bool() | int() | float() | str():
                return f"{type(value).__name__} {value!r};"
            case bytes():
                return f"bytes {hashlib.sha256(value).hexdigest()};"
            case np.ndarray() if value.dtype != object:
                return f"array {value.dtype.str} {value.shape} {value.strides} {self._of_array(value)};"
            case np.generic():
                return f"{value.dtype.str} {value!r};"
            case tuple() | list():
                return f"{self._kind(type(value))}(" + "".join(map(self.of, value)) + ");"
            case set() | frozenset():
                return "set(" + "".join(sorted(map(self.of, value))) + ");"
            case dict():
                return "dict(" + "".join(self.of(key) + self.of(item) for key, item in value.items()) + ");"
            case Path():
                return f"file {hashlib.sha256(value.read_bytes()).hexdigest()};"
            case functools.partial():
                return "partial" + self.of((value.func, value.args, value.keywords))
            case types.MethodType():
                return f"method {value.__name__}" + self.of(value.__self__)
            case type():
                return self._kind(value)
            case types.FunctionType() if value.__module__.startswith("faceup.") and "<" not in value.__qualname__:
                return self._kind(value)
            case _ if type(value).__module__.startswith("faceup."):
                told = getattr(value, "made_from", None)
                if told is None:
                    scratch = getattr(type(value), "SCRATCH", ())
                    told = {name: item for name, item in sorted(vars(value).items()) if name not in scratch}
                return self._kind(type(value)) + self.of(told)
            case _:
                said = "expected numbers, text, arrays, containers, files, or functions and objects of this package"
                raise TypeError(f"{type(value).__module__}.{type(value).__qualname__} cannot be told apart by contents, {said}")

    def _kind(self, named: Any) -> str:
        code = code_digest(named.__module__) if named.__module__.startswith("faceup.") else ""
        return f"{named.__module__}.{named.__qualname__} {code};"

    def _of_array(self, array: np.ndarray) -> str:
        known = _FILES if isinstance(array, np.memmap) and not array.flags.writeable else self._arrays
        if id(array) not in known:
            known[id(array)] = array, hashlib.sha256(np.ascontiguousarray(array).data).hexdigest()
        return known[id(array)][1]


def described(value: Any) -> str:
    """A text that differs for different values: contents of arrays and objects, code of functions and classes.

    An object of this package is told by its attribute `made_from`, if it has one, else by all of its attributes but those that
    its class names in SCRATCH. Raises TypeError for what cannot be told.
    """
    return _Description().of(value)


def call_digest(function: Callable, arguments: dict[str, Any]) -> str:
    """A digest of a call: its code, contents of the arguments by name, the processor. Raises TypeError as `described`."""
    processor = binding.get_host_cpu_name(), binding.get_host_cpu_features().flatten()
    return hashlib.sha256(described((FORMAT, processor, function, arguments)).encode()).hexdigest()


# --- results as files ---------------------------------------------------------------------------------------


def _packed(result: Any) -> dict[str, np.ndarray]:
    """A result as named arrays; one, `result`, is JSON that names the others. Raises TypeError for what has no such form."""
    arrays: dict[str, np.ndarray] = {}

    def added(array: np.ndarray) -> str:
        arrays[name := f"a{len(arrays)}"] = array
        return name

    def pack(value: Any) -> Any:
        """A value as JSON; arrays in it are added to `arrays` and named."""
        kind = f"{type(value).__module__}:{type(value).__qualname__}"
        if isinstance(value, np.ndarray):
            return {"array": added(value)}
        if isinstance(value, np.generic):  # before plain numbers: np.float64 is a float, too
            return {"scalar": value.item(), "dtype": value.dtype.str}
        if value is None or type(value) in (bool, int, float, str):
            return value
        if isinstance(value, tuple) and hasattr(value, "_fields"):
            return {"named": kind, "items": list(map(pack, value))}
        if type(value) in (tuple, list):
            return {type(value).__name__: list(map(pack, value))}
        if type(value) is dict:
            return {"dict": [[pack(key), pack(item)] for key, item in value.items()]}
        if hasattr(value, "save") and hasattr(type(value), "load"):
            with tempfile.TemporaryDirectory() as place:
                value.save(file := Path(place) / f"object{value.ENDING}")
                return {"object": kind, "file": added(np.fromfile(file, dtype=np.uint8))}
        raise TypeError(f"a result holds a {kind}, expected numbers, text, arrays, containers, or objects that save themselves")

    return {"result": np.frombuffer(json.dumps(pack(result)).encode(), dtype=np.uint8)} | arrays


def _class(kind: str) -> Any:
    module, _, name = kind.partition(":")
    found = getattr(importlib.import_module(module), name, None) if module.startswith("faceup.") else None
    if not isinstance(found, type):
        raise ValueError(f"{kind} is no class of this package")
    return found


def _unpacked(text: bytes, arrays: dict[str, np.ndarray]) -> Any:
    def unpack(held: dict[str, Any]) -> Any:
        """What a JSON object stands for; what is in it comes first."""
        match held:
            case {"array": name}:
                return arrays[name]
            case {"scalar": value, "dtype": dtype}:
                return np.dtype(dtype).type(value)
            case {"named": kind, "items": items}:
                return _class(kind)(*items)
            case {"tuple": items}:
                return tuple(items)
            case {"list": items}:
                return items
            case {"dict": items}:
                return dict(items)
            case {"object": kind, "file": name}:
                with tempfile.TemporaryDirectory() as place:
                    arrays[name].tofile(file := Path(place) / f"object{_class(kind).ENDING}")
                    return _class(kind).load(file)
        raise ValueError(f"a result holds {sorted(held)}")

    return json.loads(text, object_hook=unpack)


def _read(path: Path) -> list[Any]:
    """What is stored in a file, a list of one; empty where there is nothing sound."""
    try:
        arrays = load_npz(path)
        result = _unpacked(arrays["result"].tobytes(), arrays)
    except Exception:  # zipfile, numpy and json raise a dozen kinds for damaged bytes
        return []
    with suppress(OSError):
        os.utime(path)
    return [result]


def _make_room(keep: Path) -> None:
    """Remove least lately used results until all together have at most LIMIT bytes; `keep` stays."""
    files = {path: path.stat() for path in keep.parent.iterdir() if path.is_file()}
    total, yesterday = 0, time.time() - 86_400
    for path in sorted(files, key=lambda path: (path == keep, files[path].st_mtime), reverse=True):
        total += files[path].st_size
        being_written = path.name.startswith(".") and files[path].st_mtime > yesterday  # older ones are of a killed process
        if path != keep and not being_written and (path.name.startswith(".") or total > LIMIT):
            path.unlink(missing_ok=True)


def _kept(path: Path, result: T) -> T:
    """A result, stored, as all later runs will read it; as it is, and a line says why, where it cannot be stored."""
    arrays = _packed(result)
    try:
        save_npz(path, **arrays)
    except OSError as error:
        note(f"{path.name} is not stored: {error.strerror or error}")
        return result
    with suppress(OSError):
        _make_room(path)
    return (_read(path) or [result])[0]


def stored(function: Callable[..., T], *arguments: Any, apart_from: Collection[str] = (), **named: Any) -> T:
    """What function(*arguments, **named) returns, computed or as it was stored.

    apart_from: names of the function's parameters that do not decide its result, such as a folder for checkpoints. Raises
    TypeError for an argument whose contents cannot be told, or a result that cannot be stored, and what the function raises.
    """
    bound = inspect.signature(function).bind(*arguments, **named)
    bound.apply_defaults()
    decisive = {name: value for name, value in bound.arguments.items() if name not in {"progress", *apart_from}}
    path = FOLDER / f"{function.__name__}-{call_digest(function, decisive)[:32]}.npz"
    found = _read(path) if reusing() else []
    result = found[0] if found else _kept(path, function(*arguments, **named))
    if isinstance(progress := bound.arguments.get("progress"), Progress | Part):
        progress(progress.total)  # the lines that a report keeps, the same for a result that was read
    return result
