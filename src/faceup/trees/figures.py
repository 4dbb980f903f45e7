"""Decision trees as outlines: a row for each node, indented by its depth, with a bar of action
probabilities.

The text of a row is the condition of its branch, so that a path is read from top to bottom.
Branches that are not expanded show the number of their leaves on grey. The bars stand in one
column, so that trees of any depth stay legible. All lengths are inches.
"""

from collections.abc import Mapping, Sequence
from functools import cache

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.layout_engine import PlaceHolderLayoutEngine
from matplotlib.patches import Rectangle
from matplotlib.textpath import TextPath

from faceup.cards.picture import ink_on
from faceup.trees.text import Row

GREY = "#7F7F7F"
ROW, INDENT, MARGIN = 0.27, 0.22, 0.12  # height of a row, indent of a level, margin of the figure
BAR, BAR_HEIGHT = 2.6, 0.19
SHARE, STUB = 0.95, 0.95  # widths of the columns behind the bar
TEXT_SIZE, SMALL_SIZE = 9.0, 7.5
_INCH = 72  # points


@cache
def text_width(text: str, size: float = TEXT_SIZE) -> float:
    """Width of a line of text in inches, slightly overestimated."""
    if not text:
        return 0.0
    return TextPath((0, 0), text, size=size).get_extents().width / _INCH * 1.06 + 0.04


def draw_outline(
    axes: Axes, rows: Sequence[Row], colours: Sequence[str], top: float, start: float
) -> None:
    """Draw an outline from y = top downwards, its bars from x = start; axes in inches."""
    last_of: dict[int, float] = {}  # middle of the row above, by level
    for i, row in enumerate(rows):
        left, y = MARGIN + INDENT * row.level, top - ROW * (i + 1) + ROW / 2
        if row.level:
            x = left - INDENT * 0.75
            above = last_of[row.level - 1] - ROW * 0.35
            axes.plot([x, x, left - 0.04], [above, y, y], color=GREY, lw=0.7)
        last_of[row.level] = y
        if row.marked:
            corner, width = (left - 0.05, y - ROW / 2), start + BAR - left + 0.1
            axes.add_patch(Rectangle(corner, width, ROW, color="#FFF3C4", lw=0, zorder=0))
        axes.text(left, y, row.text, va="center", size=TEXT_SIZE)
        draw_bar(axes, row.mixture, colours, start, y)
        right = {"x": start + BAR + SHARE - 0.2, "ha": "right"}
        axes.text(y=y, s=percent(row.share), va="center", size=SMALL_SIZE, **right)
        if row.hidden:
            axes.text(
                start + BAR + SHARE + 0.06,
                y,
                f"+ {row.hidden:,} leaves",
                va="center",
                size=SMALL_SIZE,
                color="#444444",
                bbox={"boxstyle": "round,pad=0.25", "facecolor": "#DDDDDD", "edgecolor": "none"},
            )


def percent(share: float) -> str:
    """A share as "12 %", "0.3 %" or "< 0.1 %"."""
    if 0 < share < 0.0005:
        return "< 0.05 %"
    return f"{100 * share:.0f} %" if share >= 0.0995 else f"{100 * share:.1f} %"


def draw_bar(
    axes: Axes, mixture: Sequence[float], colours: Sequence[str], x: float, y: float
) -> None:
    """Stacked probabilities of actions from x on, centred on y, with the percentages that fit."""
    for share, colour in zip(mixture, colours, strict=True):
        width = share * BAR
        axes.add_patch(Rectangle((x, y - BAR_HEIGHT / 2), width, BAR_HEIGHT, color=colour, lw=0))
        text = f"{100 * share:.0f}"
        if width > text_width(text, SMALL_SIZE) + 0.05:
            style = {"ha": "center", "va": "center", "size": SMALL_SIZE, "color": ink_on(colour)}
            axes.text(x + width / 2, y, text, **style)
        x += width


def outline_figure(
    outlines: Mapping[str, Sequence[Sequence]],
    actions: Sequence[str],
    colours: Sequence[str],
    extra: float = 0.0,
) -> Figure:
    """Outlines below each other, each under its title.

    outlines: `Row`s, or lists of their fields. actions, colours: of each label. extra: free inches
    at the bottom. Axes in inches, the top left corner is (0, 0).
    """
    parts = {title: [Row(*row) for row in rows] for title, rows in outlines.items()}
    shown = [row for rows in parts.values() for row in rows]
    # of the bars
    start = max(MARGIN + INDENT * row.level + text_width(row.text) for row in shown) + 0.15
    width = start + BAR + SHARE + (STUB if any(row.hidden for row in shown) else 0) + MARGIN
    height = sum(ROW * (len(rows) + 1.6) for rows in parts.values()) + 0.75
    figure = plt.figure(figsize=(width, height + extra))
    # axes stay where they are
    figure.set_layout_engine(
        PlaceHolderLayoutEngine(adjust_compatible=True, colorbar_gridspec=True)
    )
    axes = figure.add_axes((0, extra / (height + extra), 1, height / (height + extra)))
    axes.set(xlim=(0, width), ylim=(-height, 0))
    axes.axis("off")
    x, y = MARGIN, -0.18
    for name, colour, most in zip(
        actions, colours, np.max([row.mixture for row in shown], axis=0), strict=True
    ):
        if most >= 0.005:  # only actions that occur
            axes.add_patch(Rectangle((x, y - 0.07), 0.14, 0.14, color=colour, lw=0))
            axes.text(x + 0.2, y, name, va="center", size=TEXT_SIZE)
            x += 0.4 + text_width(name)
    for x, text, side in (
        (start, "actions (%)", "left"),
        (start + BAR + SHARE - 0.2, "share of\nstake", "right"),
    ):
        axes.text(x, -0.5, text, size=SMALL_SIZE, color=GREY, va="center", ha=side)
    top = -0.65
    for title, rows in parts.items():
        axes.text(MARGIN, top - ROW * 0.5, title, size=TEXT_SIZE + 1, weight="bold", va="center")
        draw_outline(axes, rows, colours, top - ROW * 1.1, start)
        top -= ROW * (len(rows) + 1.6)
    return figure
