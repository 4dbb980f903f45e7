"""One look for all notebooks: the style, the colours, saving a figure, and the chart of the 169 starting
hands.

`save` writes a figure twice, as PNG and as SVG, without dates, versions or random ids, so that the same
numbers give the same bytes, and returns the picture for the notebook to show.
"""

from collections.abc import Callable, Sequence

import matplotlib.pyplot as plt
import numpy as np
from IPython.display import Image
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from faceup.game.cards import CLASS_NAMES
from faceup.paths import FIGURES
from faceup.storage import replacing

# Okabe and Ito's eight colours: told apart by people with any of the common colour deficiencies.
BLUE, ORANGE, GREEN, RED = "#0072B2", "#E69F00", "#009E73", "#D55E00"
PURPLE, SKY, YELLOW, BLACK = "#CC79A7", "#56B4E9", "#F0E442", "#000000"
GREY = "#7F7F7F"
PALETTE = (BLUE, ORANGE, GREEN, RED, PURPLE, SKY, BLACK, YELLOW)

STYLE = {
    "figure.figsize": (9.0, 4.5),
    "figure.dpi": 100,
    "savefig.dpi": 150,
    "figure.constrained_layout.use": True,
    "font.family": "DejaVu Sans",  # comes with matplotlib, so that text is as wide on every machine
    "font.size": 10,
    "axes.titlesize": 11,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "axes.prop_cycle": plt.cycler(color=PALETTE),
    "grid.color": "#DDDDDD",
    "grid.linewidth": 0.8,
    "legend.frameon": False,
    "image.cmap": "viridis",
    "svg.hashsalt": "faceup",  # fixed ids instead of random ones
    "svg.fonttype": "path",
}


def use_style() -> None:
    """Give every figure of this process the house's look."""
    plt.rcParams.update(STYLE)


def save(figure: Figure, name: str) -> Image:
    """Write reports/figures/<name>.png and .svg, close the figure, and return the picture to show."""
    for ending, metadata in (("svg", {"Date": None, "Creator": None}), ("png", {"Software": None})):
        with replacing(FIGURES / f"{name}.{ending}") as temporary:
            figure.savefig(temporary, format=ending, metadata=metadata)
    plt.close(figure)  # else the notebook would show it a second time
    return Image(data=(FIGURES / f"{name}.png").read_bytes(), format="png")


def chart13(
    axes: Axes,
    values: Sequence[float] | np.ndarray,
    label: str,
    *,
    show: Callable[[float], str] = "{:.2f}".format,
    cmap: str | None = None,
    limits: tuple[float, float] | None = None,
) -> None:
    """The usual 13 x 13 chart: aces first, suited hands above the diagonal, a name and a number in each cell.

    values: one a starting hand, (169,), in the order of CLASS_NAMES. label: what the colour says, with its
    unit. limits: the values at the ends of the colour bar; default the least and the largest.
    """
    grid = np.asarray(values, dtype=float).reshape(13, 13)
    low, high = limits or (grid.min(), grid.max())
    image = axes.imshow(grid, cmap=cmap, vmin=low, vmax=high)
    for cell, name in enumerate(CLASS_NAMES):
        row, column = divmod(cell, 13)
        light = np.power(image.cmap(image.norm(grid[row, column]))[:3], 2.2) @ (0.2126, 0.7152, 0.0722)
        ink = "black" if light > 0.18 else "white"  # whichever has the stronger contrast to the cell
        axes.text(column, row - 0.16, name, ha="center", va="center", size=8, weight="bold", color=ink)
        axes.text(column, row + 0.2, show(grid[row, column]), ha="center", va="center", size=7.5, color=ink)
    axes.set_xticks(np.arange(14) - 0.5, [""] * 14)
    axes.set_yticks(np.arange(14) - 0.5, [""] * 14)
    axes.grid(color="white", linewidth=1)
    axes.set_axisbelow(False)
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)
    axes.figure.colorbar(image, ax=axes, shrink=0.8, pad=0.02, label=label).outline.set_visible(False)
