"""The 13 x 13 chart of the 169 starting hands."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb

from faceup.cards.cards import CLASS_NAMES


def ink_on(color: Any) -> str:
    """Black or white, whichever has more contrast with a color: they are even at a relative
    luminance of 0.18 (WCAG 2).
    """
    return "black" if np.power(to_rgb(color), 2.2) @ (0.2126, 0.7152, 0.0722) > 0.18 else "white"


def chart13(
    axes: Axes,
    values: Sequence[float] | np.ndarray,
    label: str,
    *,
    show: Callable[[float], str] = "{:.2f}".format,
    limits: tuple[float, float] | None = None,
) -> None:
    """The 13 x 13 chart: aces first, suited hands above the diagonal, a name and a number in each
    cell.

    values: of the starting hands in the order of CLASS_NAMES, (169,). label: of the color bar,
    with its unit. limits: of the color bar, by default the smallest and the largest value.
    """
    grid = np.asarray(values, dtype=float).reshape(13, 13)
    low, high = limits or (grid.min(), grid.max())
    image = axes.imshow(grid, vmin=low, vmax=high)
    for cell, name in enumerate(CLASS_NAMES):
        row, column = divmod(cell, 13)
        ink = ink_on(image.cmap(image.norm(grid[row, column])))
        style = {"ha": "center", "va": "center", "color": ink}
        axes.text(column, row - 0.16, name, size=8, weight="bold", **style)
        axes.text(column, row + 0.2, show(grid[row, column]), size=7.5, **style)
    axes.set_xticks(np.arange(14) - 0.5, [""] * 14)
    axes.set_yticks(np.arange(14) - 0.5, [""] * 14)
    axes.grid(color="white", linewidth=1)
    axes.set_axisbelow(False)
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)
    bar = axes.figure.colorbar(image, ax=axes, shrink=0.8, pad=0.02, label=label)
    bar.outline.set_visible(False)
