"""Files: written whole or not at all, the same bytes for the same numbers, and nothing executed on
reading.

Writers make missing folders, write under a temporary name and rename, so that DVC's hard link to an
old file is not touched.
"""

import json
import math
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

from faceup.util import paths

# of every number in JSON and CSV, so that the last bits of a sum do not change a committed file
DIGITS = 6


@contextmanager
def replacing(path: str | os.PathLike) -> Iterator[Path]:
    """Yields a temporary path (same folder and ending) to write; it becomes `path` if the block
    ends well.
    """
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".writing-{os.getpid()}-{path.name}")
    try:
        yield temporary
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)


def write_text(path: str | os.PathLike, text: str) -> None:
    """Write `text` as UTF-8 with the line ends it has."""
    with replacing(path) as temporary:
        temporary.write_bytes(text.encode())


def rounded(value: Any, where: str, nan: bool = False) -> Any:
    """Plain Python with floats to DIGITS digits; NaN, if allowed, as None. ValueError names what no
    JSON can hold.
    """
    if isinstance(value, dict):
        return {str(key): rounded(item, f"{where}.{key}", nan) for key, item in value.items()}
    if isinstance(value, np.ndarray | np.generic):
        value = value.tolist()
    if isinstance(value, list | tuple):
        return [rounded(item, f"{where}[{i}]", nan) for i, item in enumerate(value)]
    if isinstance(value, float) and math.isfinite(value):
        return round(value, DIGITS) + 0.0  # + 0.0 turns -0.0 into 0.0
    if value is None or isinstance(value, bool | int | str):
        return value
    if nan and isinstance(value, float) and math.isnan(value):
        return None
    raise ValueError(f"{where} is {value!r}, expected finite numbers, text, None, lists or dicts")


def write_json(path: str | os.PathLike, content: Any) -> None:
    """Write dicts, lists, numbers (numpy's too) and text, `rounded`; keys keep their order."""
    write_text(
        path, json.dumps(rounded(content, Path(path).name), indent=2, ensure_ascii=False) + "\n"
    )


def numbers(name: str, **values: Any) -> None:
    """Write what a figure draws, `rounded`, to reports/numbers/NAME.json; name: "stage/what", as of
    the figure; NaN is None.
    """
    lines = [
        f"{json.dumps(key)}: {json.dumps(rounded(value, key, nan=True))}"
        for key, value in values.items()
    ]
    write_text(
        paths.OUT / "reports" / "numbers" / f"{name}.json", "{\n" + ",\n".join(lines) + "\n}\n"
    )


def load_numbers(name: str) -> SimpleNamespace:
    """What `numbers` wrote in this run, else in the last finished one, each value an attribute;
    lists stand for arrays.
    """
    own, finished = (
        place / "reports" / "numbers" / f"{name}.json" for place in (paths.OUT, paths.ROOT)
    )
    return SimpleNamespace(**load_json(own if own.is_file() else finished))


def load_json(path: str | os.PathLike) -> Any:
    """Read a JSON file. Raises ValueError naming it where it is damaged."""
    try:
        return json.loads(Path(path).read_text(encoding="utf-8"))
    except ValueError as error:
        raise ValueError(f"{path}: expected JSON ({error})") from error


def save_npy(path: str | os.PathLike, array: np.ndarray) -> None:
    """Write one array; raises ValueError for an array of objects."""
    with replacing(path) as temporary, open(temporary, "wb") as file:
        np.save(file, array, allow_pickle=False)


def save_npz(path: str | os.PathLike, **arrays: np.ndarray) -> None:
    """Write named arrays, uncompressed; raises ValueError for an array of objects."""
    with replacing(path) as temporary, open(temporary, "wb") as file:
        np.savez(file, allow_pickle=False, **arrays)


def load_npy(path: str | os.PathLike, mmap: bool = False) -> np.ndarray:
    """Read one array; with `mmap`, read-only from disk as it is used."""
    return np.load(path, mmap_mode="r" if mmap else None, allow_pickle=False)


def load_npz(path: str | os.PathLike) -> dict[str, np.ndarray]:
    """Read the named arrays of a file written by `save_npz`."""
    with np.load(path, allow_pickle=False) as file:
        return dict(file)
