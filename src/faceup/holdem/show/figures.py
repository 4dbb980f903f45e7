"""Figures of hold'em: trees in a card player's words, the chart of an opening strategy, lines of betting in dollars."""

from collections.abc import Mapping, Sequence

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap, to_hex
from matplotlib.figure import Figure

from faceup.cards.cards import CLASS_NAMES
from faceup.holdem.betting.betting_tree import CALL, FOLD, BettingTree
from faceup.holdem.play.words import action_name
from faceup.lab.pictures import BLUE, RED, SKY, dots
from faceup.trees.figures import outline_figure

# Actions have colours that no agent has.
LIME, SALMON, WINE = "#A6D854", "#F4A582", "#7B1E3A"
OPENING = {"fold": SKY, "call": LIME, "raise": SALMON, "all-in": WINE}
SEATS = ("small blind", "big blind")


def action_colours(labels: Sequence[str]) -> list[str]:
    """A colour for each label: cool for fold and call, from salmon to red for bets by size, dark for all-in."""
    raises = [label for label in labels if label.startswith("raise_")]
    ramp = LinearSegmentedColormap.from_list("raises", [SALMON, RED])
    warm = {label: to_hex(ramp(i / max(len(raises) - 1, 1))) for i, label in enumerate(raises)}
    return [warm.get(label) or {"fold": SKY, "call": LIME, "all_in": WINE}[label] for label in labels]


def tree_figure(outlines: Mapping[str, Sequence[Sequence]], labels: Sequence[str], extra: float = 0.0) -> Figure:
    """`outline_figure` of trees that answer with these labels."""
    return outline_figure(outlines, [action_name(label) for label in labels], action_colours(labels), "share of\nstake", extra)


def branch_figure(
    rows: Mapping[str, Sequence[Sequence]],
    labels: Sequence[str],
    strength: Mapping[str, Sequence[float]],
    gains: Mapping[str, tuple[float, float]],
    against: str,
) -> Figure:
    """A branch in its tree, below it the hands that decide there, and what actions would earn with them.

    rows: the tree's outline by its title; strength: percent of hands in equal bins of equity, by what is counted; gains:
    dollars a decision and their intervals by action; against: what they are measured by.
    """
    figure = tree_figure(rows, labels, extra=2.9)
    width, height = figure.get_size_inches()
    low, high = 0.55 / height, 1.85 / height
    left, right = figure.add_axes((0.75 / width, low, 0.36, high)), figure.add_axes((0.66, low, 0.31, high))
    for (name, share), colour in zip(strength.items(), ("#BBBBBB", BLUE), strict=True):
        n = len(share)
        left.bar((np.arange(n) + 0.5) / n * 100, share, width=100 / n * 0.92, color=colour, alpha=0.75, label=name)
    left.set(xlim=(0, 100), xlabel="equity of the hand (%)", ylabel="share of hands (%)")
    left.set_ylim(top=1.35 * left.get_ylim()[1])
    left.set_title("The hands that come there", size=10)
    left.legend(fontsize=8, loc="upper center", ncols=2)
    left.tick_params(labelsize=8)
    dots(right, list(gains), [mean for mean, _ in gains.values()], [ci95 for _, ci95 in gains.values()])
    right.margins(x=0.25)
    right.set_xlabel(f"dollars a decision over {against}", size=8.5)
    right.set_title("What actions earn with them", size=10)
    right.tick_params(labelsize=8)
    right.spines["left"].set_visible(False)
    return figure


# --- strategies ------------------------------------------------------------------------------------------------


def opening_shares(percent: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Shares in percent by label (169,), raises of all sizes added up: fold, call, raise, all-in."""
    raises = [share for label, share in percent.items() if label.startswith("raise_")]
    none = np.zeros(len(CLASS_NAMES))
    return {"fold": percent["fold"], "call": percent["call"], "raise": sum(raises, none), "all-in": percent["all_in"]}


def shares13(axes: Axes, shares: Mapping[str, Sequence[float] | np.ndarray]) -> None:
    """The 13 x 13 chart of starting hands, each cell filled from the left with the shares of the actions.

    shares: percent of each hand by action, (169,) each in the order of CLASS_NAMES, 100 in all.
    """
    row, column = np.divmod(np.arange(len(CLASS_NAMES)), 13)
    start = column - 0.5
    for action, share in shares.items():
        wide = np.asarray(share) / 100
        axes.barh(row, wide, left=start, height=1, color=OPENING[action], linewidth=0)
        start = start + wide
    for y, x, name in zip(row, column, CLASS_NAMES, strict=True):
        axes.text(x, y, name, ha="center", va="center", size=7)
    axes.set(xlim=(-0.5, 12.5), ylim=(12.5, -0.5), aspect="equal", xticks=[], yticks=[])
    for k in range(14):
        axes.axhline(k - 0.5, color="white", linewidth=1)
        axes.axvline(k - 0.5, color="white", linewidth=1)
    axes.spines[:].set_visible(False)


def opening_figure(charts: Mapping[str, Mapping[str, Sequence[float]]], titles: Mapping[str, str]) -> Figure:
    """One chart an agent, two beside each other, with one key for all."""
    rows = -(-len(charts) // 2)
    figure, places = plt.subplots(rows, 2, figsize=(9.5, 4.75 * rows + 0.4), squeeze=False)
    for place, (name, shares) in zip(places.flat, charts.items(), strict=False):
        shares13(place, shares)
        place.set_title(titles[name], size=10)
    for place in places.flat[len(charts) :]:
        place.axis("off")
    seen = [a for a in OPENING if any(np.max(shares[a]) >= 1 for shares in charts.values())]  # percent: what fills a visible part
    handles = [plt.Rectangle((0, 0), 1, 1, color=OPENING[action]) for action in seen]
    figure.legend(handles, seen, loc="outside upper center", ncols=len(seen))
    return figure


# --- lines of betting -----------------------------------------------------------------------------------------


def line_words(tree: BettingTree, node: int) -> str:
    """The betting line to a node in dollars: "call, check / bet 200" and so on, a stroke for each new street."""
    words: list[str] = []
    while node > 0:
        above = int(tree.parent[node])
        words.append(move_words(tree, above, node) + (" /" if tree.street[node] != tree.street[above] else ","))
        node = above
    return " ".join(reversed(words)).rstrip(",/ ") or "first to act"


def move_words(tree: BettingTree, above: int, node: int) -> str:
    """Such as "fold", "check", "call", "bet 200", "raise to 600", "all-in"."""
    actor, street, label = int(tree.actor[above]), int(tree.street[above]), int(tree.label[node])
    own, other = tree.bets[above].sum(axis=1)[[actor, 1 - actor]]
    if label == FOLD:
        return "fold"
    if label == CALL:
        return "call" if other > own else "check"
    if label == len(tree.labels) - 1:
        return "all-in"
    amount = int(tree.bets[node, actor, street])
    return f"raise to {amount:,}" if tree.bets[above, 1 - actor, street] else f"bet {amount:,}"
