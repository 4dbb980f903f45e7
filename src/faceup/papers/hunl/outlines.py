"""Decision trees as outlines: a row for each node, indented by its depth, with a bar of action
probabilities.

The text of a row is the condition of its branch, so that a path is read from top to bottom.
Branches that are not expanded show the number of their leaves on gray. The bars stand in one
column, so that trees of any depth stay legible. All lengths are inches.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.figure import Figure

from faceup.cards.picture import ink_on
from faceup.holdem.figures import action_colors
from faceup.holdem.wording import action_name, condition
from faceup.trees.text import Row, outline
from faceup.trees.tree import DecisionTree, below, node_depths, path_to

GRAY = "#7F7F7F"
ROW, INDENT, HEAD = 0.27, 0.22, 1.05  # height of a row, indent of a level, height of the head
BAR, BAR_HEIGHT = 2.6, 0.19
CHARACTER = 0.073  # mean width
TEXT_SIZE, SMALL_SIZE = 9.0, 7.5


def tree_figure(
    outlines: Mapping[str, Sequence[Sequence]],
    labels: Sequence[str],
    extra: float = 0.0,
    weights: str = "stake",
) -> Figure:
    """An outline under its title, of a tree whose leaves hold probabilities of these labels.

    outlines: by its title the `Row`s, or lists of their fields. extra: free inches at the bottom;
    weights: what rows are shares of. Axes in inches, (0, 0) is the top left corner of the rows.
    """
    ((title, fields),) = outlines.items()
    rows = [Row(*row) for row in fields]
    start = max(INDENT * row.level + CHARACTER * len(row.text) for row in rows) + 0.1  # of the bars
    shares, leaves = start + BAR + 0.75, start + BAR + 1.0  # columns behind them
    width, height = leaves + 1.1, HEAD + ROW * len(rows)
    figure = plt.figure(figsize=(width, height + extra), layout="none")
    axes = figure.add_axes((0, extra / (height + extra), 1, height / (height + extra)))
    axes.set(xlim=(-0.12, width - 0.12), ylim=(HEAD - height, HEAD))
    axes.axis("off")
    axes.text(0, 0.15, title, size=TEXT_SIZE + 1, weight="bold")
    axes.text(start, 0.4, "actions (%)", size=SMALL_SIZE, color=GRAY)
    axes.text(shares, 0.4, f"share of\n{weights}", size=SMALL_SIZE, color=GRAY, ha="right")
    middles = -ROW * (np.arange(len(rows)) + 0.5)
    last: dict[int, float] = {}  # middle of the row above, by level
    for row, y in zip(rows, middles, strict=True):
        x = INDENT * row.level
        last[row.level] = y
        if row.level:
            above = last[row.level - 1] - ROW * 0.35
            axes.plot([x - 0.16, x - 0.16, x - 0.04], [above, y, y], color=GRAY, lw=0.7)
        if row.marked:
            axes.barh(y, start + BAR - x + 0.1, ROW, left=x - 0.05, color="#FFF3C4")
        axes.text(x, y, row.text, va="center", size=TEXT_SIZE)
        axes.text(shares, y, f"{100 * row.share:.1f} %", va="center", ha="right", size=SMALL_SIZE)
        if row.hidden:
            axes.text(
                leaves,
                y,
                f"+ {row.hidden:,} leaves",
                va="center",
                size=SMALL_SIZE,
                color="#444444",
                bbox={"boxstyle": "round,pad=0.25", "facecolor": "#DDDDDD", "edgecolor": "none"},
            )
    mixtures = np.array([row.mixture for row in rows])
    before = mixtures.cumsum(axis=1) - mixtures
    for k, color in enumerate(action_colors(labels)):
        mixture = mixtures[:, k]
        # only actions that occur
        name = action_name(labels[k]) if mixture.max() >= 0.005 else None
        left = start + BAR * before[:, k]
        bars = axes.barh(middles, BAR * mixture, BAR_HEIGHT, left=left, color=color, label=name)
        texts = [f"{100 * share:.0f}" if share >= 0.06 else "" for share in mixture]
        axes.bar_label(bars, texts, label_type="center", size=SMALL_SIZE, color=ink_on(color))
    axes.legend(
        loc="upper left",
        ncols=len(labels),
        fontsize=TEXT_SIZE,
        frameon=False,
        handlelength=1,
        handleheight=1,
    )
    return figure


def outline_to(tree: DecisionTree, names: Sequence[str], node: int, levels: int) -> list[Row]:
    """The outline of a tree down to a node, which is marked, and some levels below it."""
    depths = node_depths(tree)
    unfolded = below(tree, node) & (depths < depths[node] + levels)
    unfolded[[split for split, _ in path_to(tree, node)]] = True
    return outline(tree, names, condition, unfolded, marked=node)


def branch_figure(drawn: Any, reference: str, color: str, dots: Callable) -> Figure:
    """A branch in its tree, its hands, and the gains of actions over a reference.

    drawn: outlines and labels as of `tree_figure`, by share of decisions; strength: two histograms
    of equity in percent, gray and in `color`, or none; gains: mean and half-width of each action,
    in dollars. dots: draws them, `lab.pictures.dots`.
    """
    figure = tree_figure(drawn.outlines, drawn.labels, extra=2.9, weights="decisions")
    width, height = figure.get_size_inches()
    low, high = 0.55 / height, 1.85 / height
    at, wide = 0.2, 0.5
    if drawn.strength:
        at, wide = 0.66, 0.31
        hands = figure.add_axes((0.75 / width, low, 0.36, high))
        for (name, share), ink in zip(drawn.strength.items(), ("#BBBBBB", color), strict=True):
            n = len(share)
            middle = (np.arange(n) + 0.5) / n * 100
            hands.bar(middle, share, width=92 / n, color=ink, alpha=0.75, label=name)
        hands.set(xlim=(0, 100), xlabel="equity of the hand (%)", ylabel="share of each group (%)")
        hands.set_ylim(top=1.35 * hands.get_ylim()[1])
        hands.legend(fontsize=8, loc="upper center", ncols=2)
        hands.set_title("The hands that come there", size=10)
        hands.tick_params(labelsize=8)
    gains = figure.add_axes((at, low, wide, high))
    dots(gains, list(drawn.gains), *np.reshape([*drawn.gains.values()], (-1, 2)).T)
    gains.margins(x=0.25)
    gains.locator_params(axis="x", nbins=5)  # else the numbers overlap
    gains.set_xlabel(f"dollars a decision over {reference}", size=8.5)
    gains.spines["left"].set_visible(False)
    gains.set_title("Gains of actions with them", size=10)
    gains.tick_params(labelsize=8)
    return figure
