"""Tables: shown in a notebook as Markdown, and written to reports/tables as CSV."""

from collections.abc import Sequence
from numbers import Integral, Real
from typing import Any

from IPython.display import Markdown

from faceup.notebook.paths import TABLES
from faceup.notebook.storage import write_csv


def _cell(value: Any, digits: int) -> str:
    if isinstance(value, str) or value is None:
        return "" if value is None else value.replace("|", "\\|").replace("$", "\\$")  # two $ would be a formula
    if isinstance(value, Integral):
        return f"{int(value):,}"
    return f"{float(value):,.{digits}f}"


def show_table(header: Sequence[str], rows: Sequence[Sequence], digits: int = 4) -> Markdown:
    """A table for a notebook to show; floats with so many digits, numbers to the right.

    Raises ValueError for a row of another length than the header.
    """
    for i, row in enumerate(rows):
        if len(row) != len(header):
            raise ValueError(f"row {i} has {len(row)} cells, expected {len(header)}")
    columns = list(zip(*rows, strict=True))
    numeric = [all(isinstance(v, Real) or v is None for v in column) for column in columns] or [False] * len(header)
    lines = [list(header), ["---:" if right else ":---" for right in numeric]]
    lines += [[_cell(value, digits) for value in row] for row in rows]
    return Markdown("\n".join(f"| {' | '.join(line)} |" for line in lines))


def save_table(name: str, header: Sequence[str], rows: Sequence[Sequence]) -> None:
    """Write reports/tables/<name>.csv, floats to six digits."""
    write_csv(TABLES / f"{name}.csv", header, rows)
