"""Figures of the Discard notebook. A function draws into the axes that it is given."""

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes

from faceup.notebook.figures import BLUE, GREY, ORANGE, PALETTE


def changes(axes: Axes, names: Sequence[str], before: np.ndarray, after: np.ndarray) -> None:
    """Equities before and after as two dots a hand, joined; percent."""
    for row, (low, high) in enumerate(zip(before, after, strict=True)):
        axes.plot([low, high], [row, row], color=GREY, lw=1.5, zorder=1)
        axes.annotate(f"{high - low:+.1f}", (max(low, high), row), (8, 0), textcoords="offset points", va="center", size=8.5)
    axes.scatter(before, range(len(names)), color=BLUE, zorder=2, label="hold'em, nobody swaps")
    axes.scatter(after, range(len(names)), color=ORANGE, zorder=2, label="both swap best")
    axes.set_yticks(range(len(names)), names)
    axes.set_ylim(len(names) - 0.5, -0.5)
    axes.tick_params(axis="y", length=0)
    axes.grid(axis="x")


def group_map(axes: Axes, centres: np.ndarray, title: str) -> None:
    """Groups as columns, weakest first; rows are the eight ranges, the colour is the equity against them."""
    axes.imshow(centres.T, aspect="auto", vmin=0, vmax=1, cmap="viridis", origin="lower")
    axes.set_yticks(range(centres.shape[1]), [f"range {k + 1}" for k in range(centres.shape[1])], size=8)
    axes.set(xlabel="groups, by mean equity", title=title)
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)


def depth_curve(axes: Axes, depths: Sequence[int], curves: dict[str, Sequence[float]], level: float, said: str) -> None:
    """Equity lost at each depth of a tree, a line for each kind, and a level to beat; points of equity."""
    for (name, values), color in zip(curves.items(), PALETTE, strict=False):
        axes.plot(depths, values, "o-", color=color, label=name)
    axes.axhline(level, color=GREY, ls="--", lw=1.5, label=said)
    axes.set_xticks(list(depths))
    axes.set(xlabel="depth of the tree", ylabel="equity lost, points", ylim=(0, None))
    axes.legend()
    axes.grid(axis="y")
