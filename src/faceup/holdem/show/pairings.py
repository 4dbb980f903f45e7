"""Pairings of agents: who wins how much in a match, as a heat map and in words. Results in mbb/g."""

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import SymLogNorm
from matplotlib.patches import Rectangle
from matplotlib.ticker import FuncFormatter, NullLocator

from faceup.lab.pictures import ink_on
from faceup.lab.tables import plain, plus_minus, signed

_LINEAR = 10.0  # mbb/g: colours are linear up to here and logarithmic above


def told_apart(mbb: float, interval: float) -> bool:
    """Whether a result's interval is clear of 0, and the result more than rounding in single precision."""
    return abs(mbb) > max(interval, 0.01)


def verdict(first: str, second: str, mbb: float, interval: float) -> str:
    """A pairing in words: who wins how much, or that the two cannot be told apart (the interval holds 0)."""
    if not told_apart(mbb, interval):
        return f"{first} and {second} cannot be told apart ({plus_minus(mbb, interval)} mbb/g to {first})"
    winner, loser = (first, second) if mbb > 0 else (second, first)
    return f"{winner} beats {loser} by {plus_minus(abs(mbb), interval, sign=False)} mbb/g"


def heat_map(axes: Axes, names: Sequence[str], values: np.ndarray, intervals: np.ndarray, label: str, cmap: str = "RdBu") -> None:
    """Pairings: the row's agent against the column's, value and interval in each cell.

    values, intervals: (n, n), NaN where there is no number. Colours are symmetric about 0 and logarithmic: a
    player that always calls loses a thousand times what two good ones win from each other.
    """
    n = len(names)
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
