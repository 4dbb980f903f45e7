"""Figures of hold'em strategies: colors of actions, charts of the first action."""

from collections.abc import Mapping, Sequence

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap, to_hex
from matplotlib.figure import Figure
from matplotlib.patheffects import withStroke

from faceup.cards.cards import CLASS_NAMES

SKY, LIME, SALMON, RED, WINE = "#56B4E9", "#A6D854", "#F4A582", "#D55E00", "#7B1E3A"
OPENING = {"fold": SKY, "call": LIME, "raise": SALMON, "all-in": WINE}


def action_colors(labels: Sequence[str]) -> list[str]:
    """A color for each label: cool for fold and call, from salmon to red for bets by size, dark
    for all-in.
    """
    raises = [label for label in labels if label.startswith("raise_")]
    ramp = LinearSegmentedColormap.from_list("raises", [SALMON, RED])
    colors = {label: to_hex(ramp(i / max(len(raises) - 1, 1))) for i, label in enumerate(raises)}
    colors |= {"fold": SKY, "call": LIME, "all_in": WINE}
    return [colors[label] for label in labels]


def opening_shares(percent: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Percent of each starting hand by action, (169,) each: fold, call, raise (all sizes), all-in.

    percent: the same by label.
    """
    none = np.zeros(len(CLASS_NAMES))
    raises = [share for label, share in percent.items() if label.startswith("raise_")]
    return {
        "fold": percent["fold"],
        "call": percent.get("call", none),
        "raise": sum(raises, none),
        "all-in": percent.get("all_in", none),
    }


def opening_chart(axes: Axes, shares: Mapping[str, Sequence[float] | np.ndarray]) -> None:
    """The 13 x 13 chart of starting hands, each cell filled from the left with the shares of the
    actions.

    shares: as `opening_shares`, 100 in all for each hand.
    """
    row, column = np.divmod(np.arange(len(CLASS_NAMES)), 13)
    start = column - 0.5
    for action, share in shares.items():
        width = np.asarray(share) / 100
        axes.barh(row, width, left=start, height=1, color=OPENING[action], linewidth=0)
        start = start + width
    halo = [withStroke(linewidth=1.5, foreground="white")]
    for y, x, name in zip(row, column, CLASS_NAMES, strict=True):
        axes.text(x, y, name, ha="center", va="center", size=7, path_effects=halo)
    axes.set(xlim=(-0.5, 12.5), ylim=(12.5, -0.5), aspect="equal")
    edges = np.arange(14) - 0.5
    axes.hlines(edges, -0.5, 12.5, color="white", linewidth=1)
    axes.vlines(edges, -0.5, 12.5, color="white", linewidth=1)


def opening_figure(
    charts: Mapping[str, Mapping[str, Sequence[float]]], titles: Mapping[str, str]
) -> Figure:
    """`opening_chart` of each agent, two in a row, with one legend."""
    n_rows = -(-len(charts) // 2)
    blank = {"frame_on": False, "xticks": [], "yticks": []}
    size = 9.5, 4.75 * n_rows + 0.4
    figure, grid = plt.subplots(n_rows, 2, figsize=size, squeeze=False, subplot_kw=blank)
    for axes, (name, shares) in zip(grid.flat, charts.items(), strict=False):
        opening_chart(axes, shares)
        axes.set_title(titles[name], size=10)
    # percent: visible in a cell
    visible = [a for a in OPENING if any(np.max(shares[a]) >= 1 for shares in charts.values())]
    handles = [plt.Rectangle((0, 0), 1, 1, color=OPENING[action]) for action in visible]
    figure.legend(handles, visible, loc="outside upper center", ncols=len(visible))
    return figure
