"""The usual chart of the 169 starting hands, and the symbols of the suits."""

from collections.abc import Callable, Sequence

import numpy as np
from matplotlib.axes import Axes

from faceup.cards.cards import CLASS_NAMES
from faceup.lab.pictures import ink_on

SYMBOLS = {"c": "♣", "d": "♦", "h": "♥", "s": "♠"}


def chart13(
    axes: Axes,
    values: Sequence[float] | np.ndarray,
    label: str,
    *,
    show: Callable[[float], str] = "{:.2f}".format,
    cmap: str | None = None,
    limits: tuple[float, float] | None = None,
) -> None:
    """The usual 13 x 13 chart: aces first, suited hands above the diagonal, a name and a number in
    each cell.

    values: one a starting hand, (169,), in the order of CLASS_NAMES. label: what the colour says,
    with its unit. limits: the values at the ends of the colour bar; default the least and the
    largest.
    """
    grid = np.asarray(values, dtype=float).reshape(13, 13)
    low, high = limits or (grid.min(), grid.max())
    image = axes.imshow(grid, cmap=cmap, vmin=low, vmax=high)
    for cell, name in enumerate(CLASS_NAMES):
        row, column = divmod(cell, 13)
        ink = ink_on(image.cmap(image.norm(grid[row, column])))
        axes.text(
            column, row - 0.16, name, ha="center", va="center", size=8, weight="bold", color=ink
        )
        axes.text(
            column,
            row + 0.2,
            show(grid[row, column]),
            ha="center",
            va="center",
            size=7.5,
            color=ink,
        )
    axes.set_xticks(np.arange(14) - 0.5, [""] * 14)
    axes.set_yticks(np.arange(14) - 0.5, [""] * 14)
    axes.grid(color="white", linewidth=1)
    axes.set_axisbelow(False)
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)
    axes.figure.colorbar(image, ax=axes, shrink=0.8, pad=0.02, label=label).outline.set_visible(
        False
    )
