"""Curves of the ten representations of the one-card game."""

from collections.abc import Sequence

import numpy as np
from matplotlib import colormaps
from matplotlib.axes import Axes


def named_curves(axes: Axes, x: Sequence[Sequence[float]], y: Sequence[Sequence[float]], names: Sequence[str]) -> None:
    """A line a representation, dashed where one size is learned, named in the order of their right ends."""
    for i in np.argsort([-ys[-1] for ys in y], kind="stable"):
        look = {"color": colormaps["tab10"](int(i)), "ls": "-" if i < 6 else "--", "lw": 1.5, "marker": "o", "ms": 2.5}
        axes.plot(x[i], y[i], label=names[i], **look)
    axes.legend(loc="center left", bbox_to_anchor=(1, 0.5))
