"""Figures of results: pairings as a heat map, curves and dots with their intervals, reference lines.

Our intervals are half-widths at 95 %, the papers' what they printed. A function draws into the axes it is given.
"""

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import SymLogNorm
from matplotlib.patches import Rectangle
from matplotlib.ticker import FuncFormatter, NullFormatter, NullLocator

from faceup.notebook.figures import BLACK, BLUE, GREEN, GREY, PURPLE, RED, ink_on
from faceup.notebook.tables import plain, plus_minus, signed

_LINEAR = 10.0  # mbb/g: colours are linear up to here and logarithmic above
_STEPS = (1, 2, 5)  # of axes with logarithmic scales


def heat_map(axes: Axes, names: Sequence[str], values: np.ndarray, intervals: np.ndarray, label: str, cmap: str = "RdBu") -> None:
    """Pairings: the row's agent against the column's, value and interval in each cell.

    values, intervals: (n, n), NaN where there is no number. Colours are symmetric about 0 and logarithmic: a
    player that always calls loses a thousand times what two good ones win from each other.
    """
    n = len(names)
    if values.shape != (n, n) or intervals.shape != (n, n):
        raise ValueError(f"values {values.shape}, intervals {intervals.shape}: expected {(n, n)} twice")
    most = max(float(np.nanmax(np.abs(values))), 10 * _LINEAR)
    norm = SymLogNorm(_LINEAR, vmin=-most, vmax=most)
    image = axes.imshow(np.ma.masked_invalid(values), cmap=cmap, norm=norm)
    for i, j in np.argwhere(np.isfinite(values)):
        ink = ink_on(image.cmap(norm(values[i, j])))
        axes.text(j, i - 0.1, signed(values[i, j]), ha="center", va="center", weight="bold", color=ink)
        axes.text(j, i + 0.22, f"± {plain(intervals[i, j])}", ha="center", va="center", size=8.5, color=ink)
    axes.set_xticks(range(n), names)
    axes.set_yticks(range(n), names)
    axes.tick_params(length=0, labeltop=True, labelbottom=False)
    axes.spines[:].set_visible(False)
    bar = axes.figure.colorbar(image, ax=axes, shrink=0.8, pad=0.02, label=label)
    bar.outline.set_visible(False)
    powers = [10.0**k for k in range(1, int(np.log10(most)) + 1)]
    bar.set_ticks([-p for p in reversed(powers)] + [0.0] + powers)
    bar.ax.yaxis.set_major_formatter(FuncFormatter(lambda x, _: f"{x:+,.0f}".replace("-", "\u2212") if x else "0"))
    bar.ax.yaxis.set_minor_locator(NullLocator())


def whiten(axes: Axes, values: np.ndarray, intervals: np.ndarray) -> None:
    """Take the colour from those cells of a `heat_map` whose value is not told apart from 0."""
    close = np.abs(values) <= intervals
    for i, j in np.argwhere(close):
        axes.add_patch(Rectangle((j - 0.5, i - 0.5), 1, 1, color="white", zorder=1))
    for text in axes.texts:
        j, i = np.round(text.get_position()).astype(int)
        if close[i, j]:
            text.set_color("black")


def curve(axes: Axes, x: Sequence[float], y: Sequence[float], intervals: Sequence[float], label: str, color: str = BLUE) -> None:
    """Dots with their intervals, joined by a line."""
    axes.errorbar(x, y, yerr=intervals, color=color, label=label, marker="o", ms=5, lw=1.5, capsize=3)


def reference(axes: Axes, y: float, interval: float, label: str, color: str = GREY) -> None:
    """A level line with its interval as a band."""
    axes.axhspan(y - interval, y + interval, color=color, alpha=0.15, lw=0)
    axes.axhline(y, color=color, lw=1.5, ls="--", label=label)


def dots(
    axes: Axes, names: Sequence[str], values: Sequence[float], intervals: Sequence[float], colors: Sequence[str] | None = None
) -> None:
    """One row a name, the first on top: the value as a dot with its interval, and both as text above it."""
    for row, (value, interval) in enumerate(zip(values, intervals, strict=True)):
        color = colors[row] if colors else BLUE
        axes.errorbar(value, row, xerr=interval, fmt="o", color=color, ms=6, capsize=4)
        place = {"textcoords": "offset points", "ha": "center", "color": color, "size": 9}
        place["bbox"] = {"facecolor": "white", "edgecolor": "none", "pad": 1}  # above the line at 0
        axes.annotate(plus_minus(value, interval), (value, row), (0, 8), **place)
    axes.set_yticks(range(len(names)), names)
    axes.set_ylim(len(names) - 0.5, -0.6)
    axes.tick_params(axis="y", length=0)
    axes.axvline(0, color=GREY, lw=1)


def readable_panel(
    axes: Axes, trees: dict[str, tuple[Sequence[int], Sequence[float]]], sheets: dict[int, Sequence[float]], xlabel: str
) -> None:
    """Sizes against exploitability (logarithmic): a line for each kind of tree, a column of stars for each size of cheat sheet.

    trees: sizes and exploitabilities by label; sheets: exploitabilities by number of cells.
    """
    for (label, (x, y)), color in zip(trees.items(), (BLUE, PURPLE, RED, GREEN), strict=False):
        axes.plot(x, y, "o-", color=color, ms=5, lw=1.5, label=label)
    for size, column in sheets.items():
        axes.plot([size] * len(column), column, "*-", color=BLACK, ms=9, lw=0.8)
        place = {"textcoords": "offset points", "ha": "left", "va": "center", "size": 8.5}
        axes.annotate(f"sheet of {size} cells", (size, max(column)), (8, 4), **place)
    axes.set(yscale="log", xlabel=xlabel)
    axes.grid(axis="y")


def log_axis(axes: Axes, which: str) -> None:
    """Make the "x" or "y" axis logarithmic, with plain numbers at 1, 2 and 5 times the powers of ten."""
    if which not in ("x", "y"):
        raise ValueError(f"which is {which!r}, expected x or y")
    axes.set(**{f"{which}scale": "log"})
    axis = axes.xaxis if which == "x" else axes.yaxis
    low, high = axes.get_xlim() if which == "x" else axes.get_ylim()
    ticks = [s * 10.0**k for k in range(-3, 10) for s in _STEPS if low <= s * 10.0**k <= high]
    steps = ticks if len(ticks) <= 8 else [t for t in ticks if np.log10(t) == round(np.log10(t))]
    axis.set_ticks(steps)
    axis.set_major_formatter(FuncFormatter(lambda v, _: f"{v:,.0f}" if v >= 1 else f"{v:g}"))
    axis.set_minor_formatter(NullFormatter())
