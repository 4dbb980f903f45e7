"""Figures of the Leduc notebook: winnings along training, depth and size against exploitability, the cheat sheet.

A function draws into the axes it is given.
"""

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Rectangle

from faceup.games.sequence_form import make_form, plans
from faceup.leduc.game import Leduc
from faceup.leduc.readable import Card, answers, card_strategy
from faceup.leduc.training import Curve
from faceup.notebook.figures import BLACK, GREEN, GREY
from faceup.notebook.intervals import mean_ci95

_ANSWER_COLORS = ("#BBBBBB", "#9ED8C6", "#F2B49B")  # fold, check or call, raise; light, for black letters
_LETTERS = ("F", "C", "R")
_FRACTIONS = {0.25: "\u00bc", 0.5: "\u00bd", 0.75: "\u00be", 1 / 3: "\u2153", 2 / 3: "\u2154"}
_ROUND_ONE = (
    ("", "small blind, first to act"),
    ("cr", "small blind: I called, they raised"),
    ("rr", "small blind: I raised, they raised"),
    ("c", "big blind: they called"),
    ("r", "big blind: they raised"),
    ("crr", "big blind: I raised, they raised"),
)
_ROUND_TWO = (
    ("", "first to act"),
    ("kr", "I checked, they raised"),
    ("rr", "I raised, they raised"),
    ("k", "they checked"),
    ("r", "they raised"),
    ("krr", "they checked, I raised, they raised"),
)


def level(axes: Axes, y: float, text: str, color: str = GREY, above: bool = True) -> None:
    """A dashed line across with its name on it at the right."""
    axes.axhline(y, color=color, lw=1.2, ls="--")
    place = {"xytext": (-2, 4 if above else -4), "textcoords": "offset points", "xycoords": axes.get_yaxis_transform()}
    box = {"facecolor": "white", "edgecolor": "none", "pad": 0.5}
    side = "bottom" if above else "top"
    axes.annotate(f"{text} {y:.3f}", (1, y), ha="right", va=side, size=8.5, color=color, bbox=box, zorder=5, **place)


def end_labels(axes: Axes, x: float, ends: Sequence[tuple[float, str, str]]) -> None:
    """Names beside the ends of lines, (y, name, colour) each, moved apart to 12 points. Call it when the axes are set."""
    pixels_a_point = axes.figure.dpi / 72
    last = -np.inf
    for y, name, color in sorted(ends):
        height = axes.transData.transform((x, y))[1] / pixels_a_point
        place = max(height, last + 12)
        axes.annotate(name, (x, y), (12, place - height), textcoords="offset points", va="center", color=color)
        last = place


def opponent_panels(
    all_axes: Sequence[Axes],
    curves: Sequence[tuple[str, str, Sequence[Curve]]],
    opponents: Sequence[str],
    equilibrium: dict[str, float],
    best: dict[str, float],
    unit: str,
) -> None:
    """A panel for each opponent: the first seed's games as the paper would plot them, the exact mean over seeds, its interval.

    curves: label, colour, and a curve for each opponent (its j-th opponent is taken).
    """
    for j, (axes, name) in enumerate(zip(all_axes, opponents, strict=True)):
        for label, color, of_opponent in curves:
            curve = of_opponent[j]
            mean, ci95 = mean_ci95(curve.exact[:, :, j])
            x = curve.at / 1000
            axes.errorbar(x, curve.sampled[0, :, j], curve.ci95[0, :, j], fmt=".", color=color, ms=4, lw=0.7, alpha=0.6)
            axes.plot(x, mean, color=color, lw=2, label=label)
            axes.fill_between(x, mean - ci95, mean + ci95, color=color, alpha=0.2, lw=0)
        level(axes, best[name], "best response")
        level(axes, equilibrium[name], "equilibrium", GREEN, above=False)
        axes.set(title=f"against {name}", xlabel=f"thousand {unit}")
        axes.set_ylabel("winnings (bb a game)")
        axes.set_xlim(right=1.4 * x[-1])  # room for the names of the levels
        axes.set_xticks(np.linspace(0, x[-1], 5))
        axes.margins(y=0.05)
        axes.grid(axis="y")
    low, high = zip(*(axes.get_ylim() for axes in all_axes), strict=True)
    for axes in all_axes:  # one scale, to compare the opponents
        axes.set_ylim(min(low), max(high))


def depth_line(
    axes: Axes, depths: Sequence[int], exact: Sequence[float], sampled: Sequence[tuple[float, float]], color: str
) -> None:
    """Expectiminimax against one opponent: exact values joined by a line, sampled means with intervals beside them."""
    axes.plot(depths, exact, "o-", color=color, ms=5, lw=1.5)
    means, ci95 = zip(*sampled, strict=True)
    axes.errorbar(np.array(depths) + 0.12, means, ci95, fmt="x", color=color, ms=4, lw=0.8, alpha=0.7)


def sheet_marks(axes: Axes, sheets: Mapping[tuple[str, int], Card]) -> None:
    """A mark for each cheat sheet, by its cells and exploitability; keys: name and parts of a chance, with a shape for each."""
    for parts, shape in zip(sorted({parts for _, parts in sheets}), "^D*", strict=False):
        same = [sheet for (_, other), sheet in sheets.items() if other == parts]
        label = "sheets: pure actions" if parts == 1 else f"sheets: chances in multiples of 1/{parts}"
        at = [len(sheet.table) for sheet in same], [sheet.exploitability for sheet in same]
        axes.plot(*at, shape, color=BLACK, ms=6, label=label, zorder=4)
    sizes = sorted({len(sheet.table) for sheet in sheets.values()})
    lowest = {cells: min(s.exploitability for s in sheets.values() if len(s.table) == cells) for cells in sizes}
    for k, (cells, lost) in enumerate(lowest.items()):
        line = {"arrowstyle": "-", "color": GREY, "lw": 0.6}
        place = {"textcoords": "offset points", "ha": "right", "size": 8.5, "arrowprops": line}
        axes.annotate(f"{cells} cells", (cells, lost), (-8, -35 - 5 * k), **place)


def needed_cells(leduc: Leduc, card: Card) -> np.ndarray:
    """Whether who plays by the sheet can ever come to a cell, (n_cells,) bool."""
    form, strategy = make_form(leduc.game), card_strategy(leduc, card)
    reached = plans(form, strategy)[form.above] > 0
    return np.bincount(card.cells, weights=reached, minlength=len(card.table)) > 0


def strategy_card(all_axes: Sequence[Axes], leduc: Leduc, card: Card) -> None:
    """A sheet of `by_hand_and_line`: round one in the first axes, round two in the second, without rows that need no cell."""
    first = np.unique(card.cells, return_index=True)[1]
    shown = answers(leduc, card_strategy(leduc, card))[first]  # legal answers only
    cell = {name: k for k, name in enumerate(card.names)}
    needed, ranks = needed_cells(leduc, card), range(len(leduc.rules.ranks))
    columns = [[(0, own, -1) for own in ranks], [(1, own, public) for own in ranks for public in ranks]]
    for axes, hands, all_lines in zip(all_axes, columns, (_ROUND_ONE, _ROUND_TWO), strict=True):
        lines = [(line, text) for line, text in all_lines if any(needed[cell[(*hand, line)]] for hand in hands)]
        for x, hand in enumerate(hands):
            for y, (line, _) in enumerate(lines):
                k = cell[(*hand, line)]
                _mix(axes, x, y, shown[k] if needed[k] else None)
        names = [leduc.rules.ranks[own] + (f" on {leduc.rules.ranks[public]}" if public >= 0 else "") for _, own, public in hands]
        axes.set_xticks(np.arange(len(hands)) + 0.5, names)
        axes.set_yticks(np.arange(len(lines)) + 0.5, [text for _, text in lines])
        axes.set(xlim=(0, len(hands)), ylim=(len(lines), 0))
        axes.tick_params(length=0, labeltop=True, labelbottom=False)
        axes.spines[:].set_visible(False)
    words = [f"{letter}: {word}" for letter, word in zip(_LETTERS, ("fold", "check or call", "raise"), strict=True)]
    handles = [Rectangle((0, 0), 1, 1, facecolor=color) for color in _ANSWER_COLORS]
    all_axes[0].figure.legend(handles, words, loc="outside lower center", ncols=len(words))


def _mix(axes: Axes, x: int, y: int, chances: np.ndarray | None) -> None:
    """A cell as a bar whose parts are as wide as their answers are likely."""
    left = x + 0.04
    if chances is None:
        axes.text(x + 0.5, y + 0.5, "\u2013", ha="center", va="center", color=GREY)
        return
    for k in np.flatnonzero(chances >= 1e-6):
        chance = chances[k]
        width = 0.92 * chance
        axes.add_patch(Rectangle((left, y + 0.08), width, 0.84, facecolor=_ANSWER_COLORS[k], edgecolor="white", lw=0.8))
        fraction = next((text for value, text in _FRACTIONS.items() if abs(chance - value) < 1e-6), f"{chance:.2g}")
        text = _LETTERS[k] if chance > 0.999 else f"{_LETTERS[k]}\n{fraction}"
        axes.text(left + width / 2, y + 0.5, text, ha="center", va="center", size=8, color=BLACK, linespacing=0.95)
        left += width
