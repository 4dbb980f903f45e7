"""Files: written whole or not at all, the same bytes for the same numbers, and nothing executed on reading.

Writers make missing folders, write under a temporary name in the same folder and rename, so that a file that
can be seen is complete, and no other name of the old file (a hard link in DVC's cache) is ever written into.
"""

import csv
import json
import math
import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

import numpy as np

DIGITS = 6  # of every number in JSON and CSV, so that the last bits of a sum do not change a committed file


@contextmanager
def replacing(path: str | os.PathLike) -> Iterator[Path]:
    """Yields a temporary path (same folder and ending) to write; it becomes `path` if the block ends well.

    Raises OSError naming `path` where it cannot be written.
    """
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".writing-{os.getpid()}-{path.name}")
    try:
        yield temporary
        os.replace(temporary, path)
    except OSError as error:
        if str(error.filename) == str(temporary):
            raise OSError(error.errno, error.strerror, str(path)) from error
        raise
    finally:
        with suppress(OSError):
            temporary.unlink()


def write_text(path: str | os.PathLike, text: str) -> None:
    """Write `text` as UTF-8 with the line ends it has."""
    with replacing(path) as temporary:
        temporary.write_bytes(text.encode())


def _rounded(value: object, where: str) -> object:
    """`value` as plain Python, floats to DIGITS digits; raises ValueError for what a reader could not use."""
    if isinstance(value, dict):
        return {str(key): _rounded(item, f"{where}.{key}") for key, item in value.items()}
    if isinstance(value, np.ndarray | np.generic):
        value = value.tolist()
    if isinstance(value, list | tuple):
        return [_rounded(item, f"{where}[{i}]") for i, item in enumerate(value)]
    if isinstance(value, float):
        if not math.isfinite(value):
            raise ValueError(f"{where} is {value}, expected a finite number")
        return round(value, DIGITS) + 0.0  # + 0.0 turns -0.0 into 0.0
    if value is None or isinstance(value, bool | int | str):
        return value
    raise ValueError(f"{where} is a {type(value).__name__}, expected a number, text, None, list or dict")


def write_json(path: str | os.PathLike, content: object) -> None:
    """Write dicts, lists, numbers (numpy's too) and text; keys keep their order, floats get DIGITS digits.

    Raises ValueError for NaN, infinities and any other type, naming the place.
    """
    rounded = _rounded(content, Path(path).name)
    write_text(path, json.dumps(rounded, indent=2, ensure_ascii=False, allow_nan=False) + "\n")


def write_csv(path: str | os.PathLike, header: Sequence[str], rows: Iterable[Sequence]) -> None:
    """Write a header and rows of numbers and text, floats rounded to DIGITS digits, None as an empty cell.

    Raises ValueError for a row of another length than the header, NaN, infinities and any other type.
    """
    name = Path(path).name
    with replacing(path) as temporary, open(temporary, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(header)
        for i, row in enumerate(rows):
            if len(row) != len(header):
                raise ValueError(f"{name}: row {i} has {len(row)} cells, expected {len(header)}")
            cells = zip(header, row, strict=True)
            writer.writerow([_rounded(cell, f"{name}: row {i}, {column}") for column, cell in cells])


def save_npy(path: str | os.PathLike, array: np.ndarray) -> None:
    """Write one array; raises ValueError for an array of objects."""
    with replacing(path) as temporary, open(temporary, "wb") as file:
        np.save(file, array, allow_pickle=False)


def save_npz(path: str | os.PathLike, **arrays: np.ndarray) -> None:
    """Write named arrays, uncompressed; raises ValueError for an array of objects."""
    with replacing(path) as temporary, open(temporary, "wb") as file:
        np.savez(file, allow_pickle=False, **arrays)


def load_json(path: str | os.PathLike) -> object:
    """Read a JSON file. Raises ValueError naming it where it is damaged."""
    try:
        return json.loads(Path(path).read_text(encoding="utf-8"))
    except ValueError as error:
        raise ValueError(f"{path}: expected JSON ({error})") from error


def load_npy(path: str | os.PathLike, mmap: bool = False) -> np.ndarray:
    """Read one array; with `mmap`, read-only from disk as it is used."""
    return np.load(path, mmap_mode="r" if mmap else None, allow_pickle=False)


def load_npz(path: str | os.PathLike) -> dict[str, np.ndarray]:
    """Read the named arrays of a file written by `save_npz`."""
    with np.load(path, allow_pickle=False) as file:
        return {name: file[name] for name in file.files}
