"""Files: written atomically, the same bytes for the same numbers, nothing executed on reading.

Writers make missing folders, write under a temporary name and rename, so that DVC's hard link to an
old file is not touched.
"""

import json
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
    """Yield a temporary path (same folder and ending) to write; it becomes `path` if the block ends
    without an error.
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


def rounded(value: Any, nan: bool = False) -> Any:
    """Plain Python of dicts, lists, text and numbers (numpy's too), floats to DIGITS digits.

    NaN, if allowed, becomes None. Raises ValueError for other numbers that JSON cannot hold.
    """
    text = json.dumps(value, default=lambda array: array.tolist(), allow_nan=nan)
    # + 0.0 turns -0.0 into 0.0
    return json.loads(
        text, parse_float=lambda x: round(float(x), DIGITS) + 0.0, parse_constant=lambda _: None
    )


def write_json(path: str | os.PathLike, content: Any) -> None:
    """Write `content`, `rounded`; keys keep their order."""
    write_text(path, json.dumps(rounded(content), indent=2, ensure_ascii=False) + "\n")


def numbers(name: str, **values: Any) -> None:
    """Write the data of a figure, `rounded`, to reports/numbers/NAME.json; name: "stage/figure"."""
    lines = [f"{json.dumps(key)}: {json.dumps(rounded(v, nan=True))}" for key, v in values.items()]
    path = paths.OUT / "reports" / "numbers" / f"{name}.json"
    write_text(path, "{\n" + ",\n".join(lines) + "\n}\n")


def load_numbers(name: str) -> SimpleNamespace:
    """The data of a figure, of this run or of the last finished one; lists stand for arrays."""
    own, finished = (root / "reports/numbers" / f"{name}.json" for root in (paths.OUT, paths.ROOT))
    return SimpleNamespace(**load_json(own if own.is_file() else finished))


def load_json(path: str | os.PathLike) -> Any:
    """Read a JSON file."""
    return json.loads(Path(path).read_text(encoding="utf-8"))


def save_npy(path: str | os.PathLike, array: np.ndarray) -> None:
    """Write one array; raises ValueError for an array of objects."""
    with replacing(path) as temporary:
        np.save(temporary, array, allow_pickle=False)


def save_npz(path: str | os.PathLike, **arrays: np.ndarray) -> None:
    """Write named arrays, uncompressed; raises ValueError for an array of objects."""
    with replacing(path) as temporary:
        np.savez(temporary, allow_pickle=False, **arrays)
