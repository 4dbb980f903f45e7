"""Curves of the ten representations of the one-card game, each with its name at its right end."""

from collections.abc import Sequence

import numpy as np
from matplotlib import colormaps
from matplotlib.axes import Axes

STYLES = [(color, "-" if i < 6 else "--") for i, color in enumerate(colormaps["tab10"].colors)]  # dashed: one size is learned


def named_curves(axes: Axes, x: Sequence[Sequence[float]], y: Sequence[Sequence[float]], names: Sequence[str]) -> None:
    """A line a representation, named at its right end; names keep clear of each other. Call it when the axes are set."""
    for (color, dashes), xs, ys in zip(STYLES, x, y, strict=True):
        axes.plot(xs, ys, color=color, ls=dashes, lw=1.5, marker="o", ms=2.5)
    last = np.array([(xs[-1], ys[-1]) for xs, ys in zip(x, y, strict=True)])
    ends = axes.transAxes.inverted().transform(axes.transData.transform(last))[:, 1]
    for i, height in zip(np.argsort(ends), _spaced(np.sort(ends), 0.052), strict=True):
        color = STYLES[i][0]
        place = {"xycoords": "axes fraction", "textcoords": "axes fraction", "va": "center", "size": 8.5, "color": color}
        line = {"arrowstyle": "-", "color": color, "lw": 0.6, "alpha": 0.6, "relpos": (0, 0.5), "shrinkB": 0}
        axes.annotate(names[i], (1.0, ends[i]), (1.05, height), arrowprops=line, annotation_clip=False, **place)


def _spaced(heights: np.ndarray, gap: float) -> np.ndarray:
    """Ascending heights moved as little as need be to stand `gap` apart."""
    for _ in range(200):
        for i in range(1, len(heights)):
            missing = max(gap - (heights[i] - heights[i - 1]), 0)
            heights[i] += missing / 2
            heights[i - 1] -= missing / 2
    return heights
