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
import shutil
import types
from collections.abc import Callable, Collection, Iterator
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from faceup.notebook.paths import ROOT
from faceup.notebook.progress import Part, Progress
from faceup.notebook.source_code import code_digest
from faceup.notebook.storage import load_npz, save_npz, write_text

LIMIT = 6_000_000_000  # bytes of all results together
LIBRARIES = ("numpy", "numba", "scipy", "scikit-learn", "xgboost-cpu", "xgboost", "torch")
T = TypeVar("T")


def folder() -> Path:
    """Where results lie."""
    return ROOT / "build" / "stored"


# --- what a call depends on ---------------------------------------------------------------------------------


@functools.cache
def _versions() -> str:
    found = {}
    for name in LIBRARIES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = ""
    return repr(found)


_FILES: dict[int, tuple[np.ndarray, str]] = {}  # arrays mapped from files, which cannot change, are read once a process


class _Description:
    """Says what values are, as text: contents of arrays and objects, code of functions and classes."""

    def __init__(self) -> None:
        self._arrays: dict[int, tuple[np.ndarray, str]] = {}  # the same array is read once a call

    def of(self, value: Any) -> str:
        """A text that differs for different values. Raises TypeError for what cannot be told."""
        return "".join(self._parts(value))

    def _parts(self, value: Any) -> Iterator[str]:
        match value:
            case None | bool() | int() | float() | str():
                yield f"{type(value).__name__} {value!r};"
            case bytes():
                yield f"bytes {hashlib.sha256(value).hexdigest()};"
            case np.ndarray() if value.dtype != object:
                yield f"array {value.dtype.str} {value.shape} {self._of_array(value)};"
            case np.generic():
                yield f"{value.dtype.str} {value!r};"
            case tuple() | list():
                yield f"{self._kind(type(value))}(" + "".join(map(self.of, value)) + ");"
            case set() | frozenset():
                yield "set(" + "".join(sorted(map(self.of, value))) + ");"
            case dict():
                yield "dict(" + "".join(self.of(key) + self.of(item) for key, item in value.items()) + ");"
            case Path():
                yield f"file {hashlib.sha256(value.read_bytes()).hexdigest()};"
            case functools.partial():
                yield "partial" + self.of((value.func, value.args, value.keywords))
            case types.MethodType():
                yield f"method {value.__name__}" + self.of(value.__self__)
            case type():
                yield self._kind(value)
            case types.FunctionType() if value.__module__.startswith("faceup.") and "<" not in value.__qualname__:
                yield self._kind(value)
            case _ if type(value).__module__.startswith("faceup."):
                yield self._kind(type(value)) + self._of_object(value)
            case _:
                said = "expected numbers, text, arrays, containers, files, or functions and objects of this package"
                raise TypeError(f"{type(value).__module__}.{type(value).__qualname__} cannot be told apart by contents, {said}")

    def _kind(self, named: Any) -> str:
        code = code_digest(named.__module__) if named.__module__.startswith("faceup.") else ""
        return f"{named.__module__}.{named.__qualname__} {code};"

    def _of_object(self, value: Any) -> str:
        made_from = getattr(value, "made_from", None)
        if made_from is not None:
            return self.of(made_from)
        scratch = getattr(type(value), "SCRATCH", ())
        return self.of({name: item for name, item in sorted(vars(value).items()) if name not in scratch})

    def _of_array(self, array: np.ndarray) -> str:
        known = _FILES if isinstance(array, np.memmap) and not array.flags.writeable else self._arrays
        if id(array) not in known:
            known[id(array)] = array, hashlib.sha256(np.ascontiguousarray(array).data).hexdigest()
        return known[id(array)][1]


def call_digest(function: Callable, arguments: dict[str, Any]) -> str:
    """A digest of a call: code, contents of the arguments by name, versions of libraries.

    An object of this package is told by its attribute `made_from`, if it has one, else by all of its attributes but those that
    its class names in SCRATCH. Raises TypeError for an argument that cannot be told.
    """
    said = _versions() + _Description().of((function, arguments))
    return hashlib.sha256(said.encode()).hexdigest()


# --- results as files ---------------------------------------------------------------------------------------


def _packed(value: Any, arrays: dict[str, np.ndarray], place: Path) -> Any:
    """`value` as JSON; its arrays are added to `arrays`, objects that save themselves are saved beside `place`."""

    def inner(item: Any) -> Any:
        return _packed(item, arrays, place)

    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, np.ndarray | np.generic):
        name = f"a{len(arrays)}"
        arrays[name] = np.asarray(value)
        return {"array": name, "scalar": isinstance(value, np.generic)}
    kind = f"{type(value).__module__}:{type(value).__qualname__}"
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return {"named": kind, "items": [inner(item) for item in value]}
    if isinstance(value, tuple | list):
        return {type(value).__name__: [inner(item) for item in value]}
    if isinstance(value, dict):
        return {"dict": [[inner(key), inner(item)] for key, item in value.items()]}
    if hasattr(value, "save") and hasattr(type(value), "load"):
        file = place / f"o{len(list(place.iterdir()))}{type(value).ENDING}"
        value.save(file)
        return {"object": kind, "file": file.name}
    raise TypeError(f"a result holds a {kind}, expected numbers, text, arrays, containers, or objects that save themselves")


def _class(kind: str) -> type:
    module, _, name = kind.partition(":")
    found = getattr(importlib.import_module(module), name, None) if module.startswith("faceup.") else None
    if not isinstance(found, type):
        raise ValueError(f"{kind} is no class of this package")
    return found


def _unpacked(packed: Any, arrays: dict[str, np.ndarray], place: Path) -> Any:
    def inner(item: Any) -> Any:
        return _unpacked(item, arrays, place)

    match packed:
        case {"array": name, "scalar": scalar}:
            return arrays[name][()] if scalar else arrays[name]
        case {"named": kind, "items": items}:
            return _class(kind)(*map(inner, items))
        case {"tuple": items}:
            return tuple(map(inner, items))
        case {"list": items}:
            return list(map(inner, items))
        case {"dict": items}:
            return {inner(key): inner(item) for key, item in items}
        case {"object": kind, "file": file}:
            return _class(kind).load(place / file)  # type: ignore[attr-defined]
    return packed


def _seal(place: Path) -> str:
    """A digest of all files of a result but the one that holds it."""
    digest = hashlib.sha256()
    for path in sorted(place.iterdir()):
        if path.name != "seal":
            digest.update(path.name.encode() + path.read_bytes())
    return digest.hexdigest()


def _write(place: Path, result: Any) -> None:
    """Write a result whole or not at all."""
    temporary = place.with_name(f".writing-{os.getpid()}-{place.name}")
    shutil.rmtree(temporary, ignore_errors=True)
    temporary.mkdir(parents=True)
    arrays: dict[str, np.ndarray] = {}
    try:
        write_text(temporary / "result.json", json.dumps(_packed(result, arrays, temporary)))
        save_npz(temporary / "arrays.npz", **arrays)
        write_text(temporary / "seal", _seal(temporary))
        shutil.rmtree(place, ignore_errors=True)
        temporary.rename(place)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def _read(place: Path) -> Any:
    """What `_write` wrote. Raises ValueError where it is damaged."""
    try:
        if (place / "seal").read_text() != _seal(place):
            raise ValueError("its checksum is wrong")
        return _unpacked(json.loads((place / "result.json").read_text()), load_npz(place / "arrays.npz"), place)
    except OSError as error:
        raise ValueError(str(error)) from error


def _make_room(keep: Path) -> None:
    """Remove least lately used results until all together have at most LIMIT bytes; `keep` stays."""
    places = sorted((p for p in keep.parent.iterdir() if p.is_dir()), key=lambda p: p.stat().st_mtime, reverse=True)
    total = 0
    for place in places:
        total += sum(path.stat().st_size for path in place.iterdir())
        if total > LIMIT and place != keep:
            shutil.rmtree(place, ignore_errors=True)


def stored(function: Callable[..., T], *arguments: Any, apart_from: Collection[str] = (), **named: Any) -> T:
    """What function(*arguments, **named) returns, computed or as it was stored.

    apart_from: names of the function's parameters that do not decide its result, such as a folder for checkpoints. Raises
    TypeError for an argument whose contents cannot be told, or a result that cannot be stored, and what the function raises.
    """
    bound = inspect.signature(function).bind(*arguments, **named)
    bound.apply_defaults()
    decisive = {name: value for name, value in bound.arguments.items() if name not in {"progress", *apart_from}}
    place = folder() / f"{function.__name__}-{call_digest(function, decisive)[:32]}"
    if place.is_dir() and os.environ.get("FACEUP_REUSE") != "0":
        try:
            result = _read(place)
        except ValueError:
            pass  # damaged: computed anew
        else:
            os.utime(place)
            if isinstance(progress := bound.arguments.get("progress"), Progress | Part):
                progress(progress.total)  # the lines that a report keeps
            return result
    result = function(*arguments, **named)
    _write(place, result)
    _make_room(place)
    return result
