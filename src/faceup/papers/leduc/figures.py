"""Figures of Leduc, in big blinds a game: names at the ends of lines, levels to compare with, trees
and sheets.
"""

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes

from faceup.lab.pictures import BLUE, GREEN, GREY, PURPLE, RED


def end_labels(axes: Axes, x: float, ends: Sequence[tuple[float, str, str]]) -> None:
    """Names beside the ends of lines, (y, name, colour) each, moved apart to 12 points. Call it
    when the axes are set.
    """
    pixels_a_point, last = axes.figure.dpi / 72, -np.inf
    for y, name, color in sorted(ends):
        height = axes.transData.transform((x, y))[1] / pixels_a_point
        place = max(height, last + 12)
        axes.annotate(
            name, (x, y), (12, place - height), textcoords="offset points", va="center", color=color
        )
        last = place


def level(axes: Axes, y: float, text: str, color: str = GREY, left: bool = False) -> None:
    """A dashed line across with its name on it, at the right or the left."""
    axes.axhline(y, color=color, lw=1.2, ls="--")
    place = {
        "xytext": (2 if left else -2, 4),
        "textcoords": "offset points",
        "xycoords": axes.get_yaxis_transform(),
    }
    box = {"facecolor": "white", "edgecolor": "none", "pad": 0.5}
    at, side = (0, "left") if left else (1, "right")
    axes.annotate(
        f"{text} {y:.3f}",
        (at, y),
        ha=side,
        va="bottom",
        size=8.5,
        color=color,
        bbox=box,
        zorder=5,
        **place,
    )


def readable_panel(
    axes: Axes, trees: dict[str, tuple[Sequence[int], Sequence[float]]], xlabel: str
) -> None:
    """Sizes of trees against exploitabilities (logarithmic): a line for each kind, both numbers by
    label.
    """
    for (label, (x, y)), color in zip(trees.items(), (BLUE, PURPLE, RED, GREEN), strict=False):
        axes.plot(x, y, "o-", color=color, ms=5, lw=1.5, label=label)
    axes.set(yscale="log", xlabel=xlabel)
    axes.grid(axis="y")
