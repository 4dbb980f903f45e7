"""Figures and words of hold'em: trees, opening charts, pairings of agents (mbb/g)."""

from collections.abc import Mapping, Sequence

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap, SymLogNorm, to_hex
from matplotlib.figure import Figure
from matplotlib.patheffects import withStroke
from matplotlib.ticker import FuncFormatter, NullLocator

from faceup.cards.cards import CLASS_NAMES
from faceup.holdem.wording import action_name
from faceup.lab.pictures import BLUE, RED, SKY, dots, ink_on
from faceup.lab.tables import plain, plus_minus, signed
from faceup.trees.figures import outline_figure

# Actions have colours that no agent has.
LIME, SALMON, WINE = "#A6D854", "#F4A582", "#7B1E3A"
OPENING = {"fold": SKY, "call": LIME, "raise": SALMON, "all-in": WINE}
SEATS = ("small blind", "big blind")


def action_colours(labels: Sequence[str]) -> list[str]:
    """A colour for each label: cool for fold and call, from salmon to red for bets by size, dark
    for all-in.
    """
    raises = [label for label in labels if label.startswith("raise_")]
    ramp = LinearSegmentedColormap.from_list("raises", [SALMON, RED])
    warm = {label: to_hex(ramp(i / max(len(raises) - 1, 1))) for i, label in enumerate(raises)}
    return [
        warm.get(label) or {"fold": SKY, "call": LIME, "all_in": WINE}[label] for label in labels
    ]


def tree_figure(
    outlines: Mapping[str, Sequence[Sequence]], labels: Sequence[str], extra: float = 0.0
) -> Figure:
    """`outline_figure` of trees that answer with these labels."""
    return outline_figure(
        outlines, [action_name(label) for label in labels], action_colours(labels), extra
    )


def branch_figure(
    rows: Mapping[str, Sequence[Sequence]],
    labels: Sequence[str],
    strength: Mapping[str, Sequence[float]],
    gains: Mapping[str, tuple[float, float]],
    against: str,
) -> Figure:
    """A branch in its tree, below it the hands that decide there, and what actions would earn with
    them.

    rows: the tree's outline by its title; strength: percent of hands in equal bins of equity, by
    what is counted; gains: dollars a decision and their intervals by action; against: what they are
    measured by.
    """
    figure = tree_figure(rows, labels, extra=2.9)
    width, height = figure.get_size_inches()
    low, high = 0.55 / height, 1.85 / height
    left, right = (
        figure.add_axes((0.75 / width, low, 0.36, high)),
        figure.add_axes((0.66, low, 0.31, high)),
    )
    for (name, share), colour in zip(strength.items(), ("#BBBBBB", BLUE), strict=True):
        n = len(share)
        left.bar(
            (np.arange(n) + 0.5) / n * 100,
            share,
            width=100 / n * 0.92,
            color=colour,
            alpha=0.75,
            label=name,
        )
    left.set(xlim=(0, 100), xlabel="equity of the hand (%)", ylabel="share of hands (%)")
    left.set_ylim(top=1.35 * left.get_ylim()[1])
    left.legend(fontsize=8, loc="upper center", ncols=2)
    dots(
        right,
        list(gains),
        [mean for mean, _ in gains.values()],
        [ci95 for _, ci95 in gains.values()],
    )
    right.margins(x=0.25)
    right.set_xlabel(f"dollars a decision over {against}", size=8.5)
    right.spines["left"].set_visible(False)
    for axes, title in (
        (left, "The hands that come there"),
        (right, "What actions earn with them"),
    ):
        axes.set_title(title, size=10)
        axes.tick_params(labelsize=8)
    return figure


def opening_shares(percent: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Shares in percent by label (169,), raises of all sizes added up: fold, call, raise, all-in."""
    raises = [share for label, share in percent.items() if label.startswith("raise_")]
    none = np.zeros(len(CLASS_NAMES))
    return {
        "fold": percent["fold"],
        "call": percent.get("call", none),
        "raise": sum(raises, none),
        "all-in": percent.get("all_in", none),
    }


def shares13(axes: Axes, shares: Mapping[str, Sequence[float] | np.ndarray]) -> None:
    """The 13 x 13 chart of starting hands, each cell filled from the left with the shares of the
    actions.

    shares: percent of each hand by action, (169,) each in the order of CLASS_NAMES, 100 in all.
    """
    row, column = np.divmod(np.arange(len(CLASS_NAMES)), 13)
    start = column - 0.5
    for action, share in shares.items():
        wide = np.asarray(share) / 100
        axes.barh(row, wide, left=start, height=1, color=OPENING[action], linewidth=0)
        start = start + wide
    for y, x, name in zip(row, column, CLASS_NAMES, strict=True):
        axes.text(
            x,
            y,
            name,
            ha="center",
            va="center",
            size=7,
            path_effects=[withStroke(linewidth=1.5, foreground="white")],
        )
    axes.set(xlim=(-0.5, 12.5), ylim=(12.5, -0.5), aspect="equal", xticks=[], yticks=[])
    for k in range(14):
        axes.axhline(k - 0.5, color="white", linewidth=1)
        axes.axvline(k - 0.5, color="white", linewidth=1)
    axes.spines[:].set_visible(False)


def opening_figure(
    charts: Mapping[str, Mapping[str, Sequence[float]]], titles: Mapping[str, str]
) -> Figure:
    """One chart an agent, two beside each other, with one key for all."""
    rows = -(-len(charts) // 2)
    figure, places = plt.subplots(rows, 2, figsize=(9.5, 4.75 * rows + 0.4), squeeze=False)
    for place, (name, shares) in zip(places.flat, charts.items(), strict=False):
        shares13(place, shares)
        place.set_title(titles[name], size=10)
    for place in places.flat[len(charts) :]:
        place.axis("off")
    # percent: what fills a visible part
    seen = [a for a in OPENING if any(np.max(shares[a]) >= 1 for shares in charts.values())]
    handles = [plt.Rectangle((0, 0), 1, 1, color=OPENING[action]) for action in seen]
    figure.legend(handles, seen, loc="outside upper center", ncols=len(seen))
    return figure


_LINEAR = 10.0  # mbb/g: colours are linear up to here and logarithmic above


def significant(mbb: float, interval: float) -> bool:
    """Whether a result's interval is clear of 0, and the result more than rounding in single
    precision.
    """
    return abs(mbb) > max(interval, 0.01)


def verdict(first: str, second: str, mbb: float, interval: float) -> str:
    """A pairing in words: who wins how much, or that the two cannot be told apart (the interval
    holds 0).
    """
    if not significant(mbb, interval):
        return f"{first} and {second} cannot be told apart ({plus_minus(mbb, interval)} mbb/g to {first})"
    winner, loser = (first, second) if mbb > 0 else (second, first)
    return f"{winner} beats {loser} by {plus_minus(abs(mbb), interval, sign=False)} mbb/g"


def heat_map(
    axes: Axes, names: Sequence[str], values: np.ndarray, intervals: np.ndarray, label: str
) -> None:
    """Pairings: the row's agent against the column's, value and interval in each cell.

    values, intervals: (n, n), NaN where there is no number. Colours are symmetric about 0 and
    logarithmic: a player that always calls loses a thousand times what two good ones win from each
    other. Without colour: not told apart from 0.
    """
    n = len(names)
    most = max(float(np.nanmax(np.abs(values))), 10 * _LINEAR)
    norm = SymLogNorm(_LINEAR, vmin=-most, vmax=most)
    shown = np.where(np.abs(values) <= intervals, 0, values)
    image = axes.imshow(np.ma.masked_invalid(shown), cmap="RdBu", norm=norm)
    for i, j in np.argwhere(np.isfinite(values)):
        ink = ink_on(image.cmap(norm(shown[i, j])))
        axes.text(
            j, i - 0.1, signed(values[i, j]), ha="center", va="center", weight="bold", color=ink
        )
        axes.text(
            j,
            i + 0.22,
            f"± {plain(intervals[i, j])}",
            ha="center",
            va="center",
            size=8.5,
            color=ink,
        )
    axes.set_xticks(range(n), names)
    axes.set_yticks(range(n), names)
    axes.tick_params(length=0, labeltop=True, labelbottom=False)
    axes.spines[:].set_visible(False)
    bar = axes.figure.colorbar(image, ax=axes, shrink=0.8, pad=0.02, label=label)
    bar.outline.set_visible(False)
    powers = [10.0**k for k in range(1, int(np.log10(most)) + 1)]
    bar.set_ticks([-p for p in reversed(powers)] + [0.0] + powers)
    bar.ax.yaxis.set_major_formatter(
        FuncFormatter(lambda x, _: f"{x:+,.0f}".replace("-", "\u2212") if x else "0")
    )
    bar.ax.yaxis.set_minor_locator(NullLocator())
