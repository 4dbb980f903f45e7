"""Tables, shown in a notebook as Markdown and written as CSV; numbers in words; numbers that the
papers print.
"""

import csv
import math
from collections.abc import Sequence
from numbers import Integral, Real
from types import SimpleNamespace
from typing import Any

from IPython.display import Markdown

from faceup.lab.parameters import read_yaml
from faceup.util import paths
from faceup.util.files import replacing, rounded


def _cell(value: Any, digits: int) -> str:
    if isinstance(value, str) or value is None:
        # JupyterLab takes text between two $ (or \$) for a formula: first in the Markdown, where
        # $ must not stand, then in each text of the page, where it may stand alone
        return (value or "").replace("|", "\\|").replace("$", "<span>&#36;</span>")
    return f"{int(value):,}" if isinstance(value, Integral) else f"{float(value):,.{digits}f}"


def show_table(header: Sequence[str], rows: Sequence[Sequence], digits: int = 4) -> Markdown:
    """A table for a notebook to show; floats with so many digits, numbers to the right. ValueError
    for rows of other lengths.
    """
    columns = list(zip(header, *rows, strict=True))
    numeric = [
        bool(rows) and all(isinstance(v, Real | None) for v in column[1:]) for column in columns
    ]
    lines = [
        [_cell(name, digits) for name in header],
        ["---:" if right else ":---" for right in numeric],
    ]
    lines += [[_cell(value, digits) for value in row] for row in rows]
    return Markdown("\n".join(f"| {' | '.join(line)} |" for line in lines))


def save_table(name: str, header: Sequence[str], rows: Sequence[Sequence]) -> None:
    """Write reports/tables/<name>.csv, floats to six digits; columns like lost_mbb, half of its 95
    % interval lost_mbb_ci95.
    """
    with (
        replacing(paths.OUT / f"reports/tables/{name}.csv") as path,
        open(path, "w", newline="", encoding="utf-8") as file,
    ):
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(header)
        writer.writerows([rounded(cell) for cell in row] for row in rows)


def plain(value: float, sign: str = "") -> str:
    """A number with as many digits as a reader can use: 1,234 or 56 or 7.8 or 0.12; a true minus
    where it is below zero, `sign` where it is above.
    """
    size = abs(value)
    if size < 0.005:
        return "0"
    text = f"{size:,.0f}" if size >= 20 else f"{size:.1f}" if size >= 1 else f"{size:.2f}"
    return f"\u2212{text}" if value < 0 else f"{sign}{text}"


def plus_minus(value: float, interval: float, sign: bool = True) -> str:
    """A value, with a plus or without, and its interval, both to the same decimal: "+12.3 ± 4.5",
    "+121 ± 6", "3,239 ± 606".

    An interval has no decimals from 10 on and one below, but for small numbers: two digits where
    both are below 1.
    """
    if not 0 < interval < math.inf:
        return f"{plain(value, '+' * sign)} ± {plain(interval)}"
    first = -math.floor(math.log10(interval))  # the decimal of its first digit
    places = (
        0 if interval >= 9.95 else first + 1 if max(abs(value), interval) < 1 else max(first, 1)
    )
    half = f"{interval:,.{places}f}"
    half = half.rstrip("0").rstrip(".") if places else half
    text = f"{abs(value):,.{len(half.partition('.')[2])}f}"
    before = "" if not text.strip("0.") else "\u2212" if value < 0 else "+" * sign
    return f"{before}{text} ± {half}"


def significant(value: float, interval: float) -> bool:
    """Whether an interval excludes 0, and the value is more than rounding in single precision."""
    return abs(value) > max(interval, 0.01)


def published(paper: str) -> dict[str, SimpleNamespace]:
    """All numbers that data/published.yaml quotes from a paper: value (None: words alone), unit,
    printed, where, spread (+/-).
    """
    found = read_yaml(paths.DATA / "published.yaml")[paper]
    return {name: SimpleNamespace(**{"spread": None} | entry) for name, entry in found.items()}
