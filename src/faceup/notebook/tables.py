"""Tables, shown in a notebook as Markdown and written to reports/tables as CSV, and numbers as a reader wants them."""

from collections.abc import Sequence
from numbers import Integral, Real
from typing import Any

from IPython.display import Markdown

from faceup.notebook import lab
from faceup.notebook.paths import TABLES
from faceup.notebook.storage import write_csv

lab.watch()  # every notebook imports this module


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


def plain(value: float) -> str:
    """A number with as many digits as a reader can use: 1,234 or 56 or 7.8 or 0.12."""
    size = abs(value)
    if size < 0.005:
        return "0"
    return f"{value:,.0f}" if size >= 20 else f"{value:.1f}" if size >= 1 else f"{value:.2f}"


def signed(value: float) -> str:
    """The same with its sign, a true minus where it is below zero."""
    text = plain(abs(value))
    return text if text == "0" else f"+{text}" if value > 0 else f"\u2212{text}"


def plus_minus(value: float, interval: float, sign: bool = True) -> str:
    """A value, with its sign or without, and its interval: "+12.3 ± 4.5"."""
    return f"{signed(value) if sign else plain(value)} ± {plain(interval)}"


def told_apart(mbb: float, interval: float) -> bool:
    """Whether a result's interval is clear of 0, and the result more than rounding in single precision."""
    return abs(mbb) > max(interval, 0.01)


def verdict(first: str, second: str, mbb: float, interval: float) -> str:
    """A pairing in words: who wins how much, or that the two cannot be told apart (the interval holds 0)."""
    if not told_apart(mbb, interval):
        return f"{first} and {second} cannot be told apart ({plus_minus(mbb, interval)} mbb/g to {first})"
    winner, loser = (first, second) if mbb > 0 else (second, first)
    return f"{winner} beats {loser} by {plus_minus(abs(mbb), interval, sign=False)} mbb/g"
