"""One look for all notebooks: style, colors, saving a figure; and plots of results.

`save` writes PNG without dates and versions; a palette of 256 colors makes it a third as large.
Intervals are half-widths.
"""

from collections.abc import Sequence

import matplotlib.pyplot as plt
import numpy as np
from IPython.display import Image
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from PIL import Image as Picture

from faceup.lab.tables import plus_minus
from faceup.util import paths

# Okabe and Ito's eight colors: distinguishable for people with any of the common color
# deficiencies.
BLUE, ORANGE, GREEN, RED = "#0072B2", "#E69F00", "#009E73", "#D55E00"
PURPLE, SKY, YELLOW, BLACK, GRAY = "#CC79A7", "#56B4E9", "#F0E442", "#000000", "#7F7F7F"
PALETTE = (BLUE, ORANGE, GREEN, RED, PURPLE, SKY, BLACK, YELLOW)
AGENT_COLORS = {  # by an agent's key in the metrics, argmax as sampled: the same in every figure
    "blueprint": GREEN,
    "cart": BLUE,
    "oct": PURPLE,
    "oct_x": SKY,
    "xgboost": ORANGE,
    "xgboost_x": "#999933",
    "mlp": BLACK,
    "retrained_oct": "#332288",
    "retrained_oct_x": RED,
    "slumbot_substitute": GRAY,
    "bot_75": "#882255",
    "bot_33": "#44AA99",
    "slumbot2019": "#AA4499",
}

# of every figure of a process that imports this module, whatever a user's matplotlibrc says
plt.style.use(
    [
        "default",
        {
            "figure.figsize": (9.0, 4.5),
            "figure.dpi": 100,
            "figure.constrained_layout.use": True,
            "savefig.dpi": 150,
            # comes with matplotlib, so that text is as wide on every machine
            "font.family": "DejaVu Sans",
            "font.size": 10,
            "axes.titlesize": 11,
            "axes.titleweight": "bold",
            "axes.titlelocation": "left",
            "axes.axisbelow": True,
            "axes.prop_cycle": plt.cycler(color=PALETTE),
            "axes.spines.top": False,
            "axes.spines.right": False,
            "grid.color": "#DDDDDD",
            "grid.linewidth": 0.8,
            "legend.frameon": False,
        },
    ]
)


def save(figure: Figure, name: str) -> Image:
    """Write reports/figures/<name>.png, close the figure, and return the picture to show; name:
    "stage/what".
    """
    path = paths.OUT / "reports" / "figures" / f"{name}.png"
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path)
    plt.close(figure)  # else the notebook would show it a second time
    few = Picture.open(path).convert("RGB").quantize(256, dither=Picture.Dither.NONE)
    few.save(path, optimize=True)
    return Image(filename=path)


def curve(
    axes: Axes,
    x: Sequence[float],
    y: Sequence[float],
    intervals: Sequence[float],
    label: str,
    color: str = BLUE,
) -> None:
    """Dots with their intervals, joined by a line."""
    axes.errorbar(
        x, y, yerr=intervals, color=color, label=label, marker="o", ms=5, lw=1.5, capsize=3
    )


def reference(axes: Axes, y: float, interval: float, label: str, color: str = GRAY) -> None:
    """A level line with its interval as a band."""
    axes.axhspan(y - interval, y + interval, color=color, alpha=0.15, lw=0)
    axes.axhline(y, color=color, lw=1.5, ls="--", label=label)


def dots(
    axes: Axes,
    names: Sequence[str],
    values: Sequence,
    intervals: Sequence,
    colors: Sequence[str] | None = None,
) -> None:
    """One row a name, the first on top: the value as a dot with its interval, and both as text
    above it.
    """
    for row, (value, interval) in enumerate(zip(values, intervals, strict=True)):
        color = colors[row] if colors else BLUE
        axes.errorbar(value, row, xerr=interval, fmt="o", color=color, ms=6, capsize=4)
        axes.annotate(
            plus_minus(value, interval),
            (value, row),
            (0, 8),
            textcoords="offset points",
            ha="center",
            color=color,
            size=9,
            bbox={"facecolor": "white", "edgecolor": "none", "pad": 1},  # hides the line at 0
        )
    axes.set_yticks(range(len(names)), names)
    axes.set_ylim(len(names) - 0.5, -0.6)
    axes.tick_params(axis="y", length=0)
    axes.axvline(0, color=GRAY, lw=1)


def log_axis(axes: Axes, which: str) -> None:
    """Make the "x" or "y" axis logarithmic, with plain numbers at 1, 2 and 5 times the powers of
    ten.
    """
    axes.set(**{f"{which}scale": "log"})
    axis = {"x": axes.xaxis, "y": axes.yaxis}[which]
    low, high = axis.get_view_interval()
    ticks = [s * 10.0**k for k in range(-3, 10) for s in (1, 2, 5) if low <= s * 10.0**k <= high]
    axis.set_ticks(ticks if len(ticks) <= 8 else [t for t in ticks if np.log10(t) % 1 == 0])
    axis.set_major_formatter("{x:,.12g}")
    axis.set_minor_formatter("")
