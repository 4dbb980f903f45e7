"""Figures of Leduc, in big blinds a game: names at the ends of lines, levels to compare with, learners against each opponent."""

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.axes import Axes

from faceup.lab.pictures import BLACK, BLUE, GREEN, GREY, PURPLE, RED


def end_labels(axes: Axes, x: float, ends: Sequence[tuple[float, str, str]]) -> None:
    """Names beside the ends of lines, (y, name, colour) each, moved apart to 12 points. Call it when the axes are set."""
    pixels_a_point, last = axes.figure.dpi / 72, -np.inf
    for y, name, color in sorted(ends):
        height = axes.transData.transform((x, y))[1] / pixels_a_point
        place = max(height, last + 12)
        axes.annotate(name, (x, y), (12, place - height), textcoords="offset points", va="center", color=color)
        last = place


def level(axes: Axes, y: float, text: str, color: str = GREY, above: bool = True) -> None:
    """A dashed line across with its name on it at the right."""
    axes.axhline(y, color=color, lw=1.2, ls="--")
    place = {"xytext": (-2, 4 if above else -4), "textcoords": "offset points", "xycoords": axes.get_yaxis_transform()}
    box = {"facecolor": "white", "edgecolor": "none", "pad": 0.5}
    side = "bottom" if above else "top"
    axes.annotate(f"{text} {y:.3f}", (1, y), ha="right", va=side, size=8.5, color=color, bbox=box, zorder=5, **place)


def opponent_panels(
    all_axes: Sequence[Axes],
    at: Sequence[float],
    learners: Mapping[str, Mapping[str, Sequence]],
    levels: Mapping[str, tuple[float, float]],
    colors: Sequence[str],
    unit: str,
) -> None:
    """A panel for each opponent: one run's games with intervals, as the paper would plot them, and the exact mean over runs.

    at: (n,) thousands of units of training; learners: exact mean, its interval, games, their intervals, (n,) each, by label and
    opponent; levels: what a best response and the equilibrium win, by opponent.
    """
    for axes, (opponent, (best, equilibrium)) in zip(all_axes, levels.items(), strict=True):
        for (label, curves), color in zip(learners.items(), colors, strict=True):
            mean, ci95, games, of_games = np.array(curves[opponent])
            axes.errorbar(at, games, of_games, fmt=".", color=color, ms=4, lw=0.7, alpha=0.6)
            axes.plot(at, mean, color=color, lw=2, label=label)
            axes.fill_between(at, mean - ci95, mean + ci95, color=color, alpha=0.2, lw=0)
        level(axes, best, "best response")
        level(axes, equilibrium, "equilibrium", GREEN, above=False)
        axes.set(title=f"against {opponent}", xlabel=f"thousand {unit}", ylabel="winnings (bb a game)")
        axes.set(xlim=(None, 1.4 * at[-1]), xticks=np.linspace(0, at[-1], 5))  # room for the names of the levels
        axes.margins(y=0.05)
        axes.grid(axis="y")
    low, high = zip(*(axes.get_ylim() for axes in all_axes), strict=True)
    for axes in all_axes:  # one scale, to compare the opponents
        axes.set_ylim(min(low), max(high))


def readable_panel(
    axes: Axes, trees: dict[str, tuple[Sequence[int], Sequence[float]]], sheets: dict[int, Sequence[float]], xlabel: str
) -> None:
    """Sizes against exploitability (logarithmic): a line for each kind of tree, a column of stars for each size of cheat sheet.

    trees: sizes and exploitabilities by label; sheets: exploitabilities by number of cells.
    """
    for (label, (x, y)), color in zip(trees.items(), (BLUE, PURPLE, RED, GREEN), strict=False):
        axes.plot(x, y, "o-", color=color, ms=5, lw=1.5, label=label)
    for size, column in sheets.items():
        axes.plot([size] * len(column), column, "*-", color=BLACK, ms=9, lw=0.8)
        place = {"textcoords": "offset points", "ha": "left", "va": "center", "size": 8.5}
        axes.annotate(f"sheet of {size} cells", (size, max(column)), (8, 4), **place)
    axes.set(yscale="log", xlabel=xlabel)
    axes.grid(axis="y")
