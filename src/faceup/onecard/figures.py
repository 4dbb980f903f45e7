"""Curves with their names at the right end."""

from collections.abc import Sequence

import numpy as np
from matplotlib import colormaps
from matplotlib.axes import Axes

# The ten representations: a colour each; dashed where one size is learned.
REPRESENTATION_STYLE = tuple((color, "-" if i < 6 else "--") for i, color in enumerate(colormaps["tab10"].colors))


def named_curves(axes: Axes, x: Sequence[Sequence[float]], y: Sequence[Sequence[float]], names: Sequence[str]) -> None:
    """A line each in the representations' colours, named at its right end; names keep clear of each other.

    To be called when the axes' scale and the limits of y are set. Room for the names is left to the figure's layout.
    """
    for i, (xs, ys) in enumerate(zip(x, y, strict=True)):
        color, dashes = REPRESENTATION_STYLE[i % len(REPRESENTATION_STYLE)]
        axes.plot(xs, ys, color=color, ls=dashes, lw=1.5, marker="o", ms=2.5)
    last = np.array([(xs[-1], ys[-1]) for xs, ys in zip(x, y, strict=True)])
    ends = axes.transAxes.inverted().transform(axes.transData.transform(last))[:, 1]
    for i, height in zip(np.argsort(ends), _spread(np.sort(ends), 0.052), strict=True):
        color = REPRESENTATION_STYLE[i % len(REPRESENTATION_STYLE)][0]
        place = {"xycoords": "axes fraction", "textcoords": "axes fraction", "va": "center", "size": 8.5, "color": color}
        line = {"arrowstyle": "-", "color": color, "lw": 0.6, "alpha": 0.6, "relpos": (0, 0.5), "shrinkB": 0}
        axes.annotate(names[i], (1.0, ends[i]), (1.05, height), arrowprops=line, annotation_clip=False, **place)


def _spread(heights: np.ndarray, gap: float) -> np.ndarray:
    """Ascending heights moved as little as need be to stand `gap` apart."""
    spread = heights.copy()
    for _ in range(200):
        for i in range(1, len(spread)):
            missing = max(gap - (spread[i] - spread[i - 1]), 0)
            spread[i] += missing / 2
            spread[i - 1] -= missing / 2
    return spread
