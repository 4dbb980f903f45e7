"""Figures of hold'em: an agent's trees in a card player's words, its strategy (paper 000, Section 5), and where it leaks."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap, to_hex
from matplotlib.figure import Figure

from faceup.cards.cards import CLASS_NAMES
from faceup.holdem.betting.betting_tree import CALL, FOLD, STREETS, BettingTree
from faceup.holdem.play.branches import N_BINS, Mean
from faceup.holdem.play.words import action_name, condition
from faceup.notebook.figures import BLUE, RED, SKY
from faceup.notebook.plots import dots
from faceup.notebook.tables import plain
from faceup.trees import figures
from faceup.trees.figures import Part

# Actions have colours that no agent has.
LIME, SALMON, WINE = "#A6D854", "#F4A582", "#7B1E3A"
OPENING = {"fold": SKY, "call": LIME, "raise": SALMON, "all-in": WINE}
_PANELS = 2.9  # inches below a branch
SEATS = ("small blind", "big blind")


def action_colours(labels: Sequence[str]) -> list[str]:
    """A colour for each label: cool for fold and call, from salmon to red for bets by size, dark for all-in."""
    raises = [label for label in labels if label.startswith("raise_")]
    ramp = LinearSegmentedColormap.from_list("raises", [SALMON, RED])
    warm = {label: to_hex(ramp(i / max(len(raises) - 1, 1))) for i, label in enumerate(raises)}
    return [warm.get(label) or {"fold": SKY, "call": LIME, "all_in": WINE}[label] for label in labels]


def tree_figure(parts: Sequence[Part], labels: Sequence[str], extra: float = 0.0) -> tuple[Figure, Axes]:
    """`faceup.trees.figures.tree_figure` of trees that answer with these labels."""
    words = figures.Words([action_name(label) for label in labels], action_colours(labels), condition, "share of\nstake")
    return figures.tree_figure(parts, words, extra)


# --- strategies ------------------------------------------------------------------------------------------------


def opening_shares(percent: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Shares in percent by label (169,), raises of all sizes added up: fold, call, raise, all-in."""
    raises = [share for label, share in percent.items() if label.startswith("raise_")]
    none = np.zeros(len(CLASS_NAMES))
    return {"fold": percent["fold"], "call": percent["call"], "raise": sum(raises, none), "all-in": percent["all_in"]}


def shares13(axes: Axes, shares: Mapping[str, np.ndarray]) -> None:
    """The 13 x 13 chart of starting hands, each cell filled from the left with the shares of the actions.

    shares: percent of each hand by action, (169,) each in the order of CLASS_NAMES; raises ValueError unless they add up to 100.
    """
    total = sum(shares.values())
    if np.shape(total) != (len(CLASS_NAMES),) or np.abs(total - 100).max() > 0.1:
        raise ValueError(f"shares add up to {total}, expected 100 for each of the {len(CLASS_NAMES)} hands")
    row, column = np.divmod(np.arange(len(CLASS_NAMES)), 13)
    start = column - 0.5
    for action, share in shares.items():
        axes.barh(row, share / 100, left=start, height=1, color=OPENING[action], linewidth=0)
        start = start + share / 100
    for y, x, name in zip(row, column, CLASS_NAMES, strict=True):
        axes.text(x, y, name, ha="center", va="center", size=7)
    axes.set(xlim=(-0.5, 12.5), ylim=(12.5, -0.5), aspect="equal", xticks=[], yticks=[])
    for k in range(14):
        axes.axhline(k - 0.5, color="white", linewidth=1)
        axes.axvline(k - 0.5, color="white", linewidth=1)
    axes.spines[:].set_visible(False)


def opening_figure(charts: Mapping[str, Mapping[str, np.ndarray]], titles: Mapping[str, str]) -> Figure:
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


def short_name(feature: str) -> str:
    """A feature's name for an axis: "river equity, 90 %", "opponent's flop bet"."""
    later, _, decile = feature.partition("_equity_p")
    if decile.isdigit():
        return f"{later} equity, {decile} %"
    who, bet, street = feature.partition("_bet_")
    whose = {"own": "own", "opponent": "opponent's"}
    return f"{whose[who]} {street} bet" if bet else feature


def use_figure(uses: Mapping[str, np.ndarray], names: Mapping[str, Sequence[str]]) -> Figure:
    """What is asked at each depth, a panel a round, two beside each other; a row a feature, darker where asked more.

    uses: shares of the stake (depth, n_features); features that no depth asks about in 5 % are left out.
    """
    asked = {name: np.flatnonzero(use.max(axis=0) >= 0.05) for name, use in uses.items()}
    n_asked = [len(features) for features in asked.values()]
    most = [max(n_asked[i : i + 2]) for i in range(0, len(n_asked), 2)]
    heights = [0.14 * n + 0.5 for n in most]
    figure, places = plt.subplots(len(most), 2, figsize=(10, sum(heights) + 1), height_ratios=heights, squeeze=False)
    for place, (name, features), rows in zip(places.flat, asked.items(), np.repeat(most, 2), strict=False):
        percent = 100 * uses[name][:, features]
        image = place.imshow(percent.T, cmap="Blues", vmin=0, vmax=100, aspect="auto")
        for depth, row in np.argwhere(uses[name][:, features] >= 0.05):
            colour = "white" if percent[depth, row] > 55 else "black"
            place.text(depth, row, f"{percent[depth, row]:.0f}", ha="center", va="center", size=6, color=colour)
        place.set_yticks(range(len(features)), [short_name(names[name][k]) for k in features.tolist()], size=6.5)
        place.set_xticks(range(len(percent)), range(1, len(percent) + 1), size=7)
        place.set_ylim(rows - 0.5, -0.5)
        place.tick_params(length=0)
        place.spines[:].set_visible(False)
        place.set_title(f"{name}: what each question is about", size=10)
        place.set_xlabel("question number on the way down", size=8)
    figure.colorbar(image, ax=places, shrink=0.4, pad=0.01, label="% of all decisions, weighted by stake")
    return figure


def branch_figure(
    part: Part, labels: Sequence[str], strength: Mapping[str, np.ndarray], gains: Mapping[str, tuple[float, float]], against: str
) -> Figure:
    """A branch in its tree, below it the hands that decide there, and what actions would earn with them.

    strength: chance by equity (N_BINS,) of two sets of hands, by name; gains: dollars and their interval by name; against: what
    the gains are over. The names stand in the figure.
    """
    figure, _ = tree_figure([part], labels, extra=_PANELS)
    width, height = figure.get_size_inches()
    low, high = 0.55 / height, (_PANELS - 1.05) / height
    left, right = figure.add_axes((0.75 / width, low, 0.36, high)), figure.add_axes((0.66, low, 0.31, high))
    middle = (np.arange(N_BINS) + 0.5) / N_BINS * 100
    for (name, share), colour in zip(strength.items(), ("#BBBBBB", BLUE), strict=True):
        percent = 100 * share / max(share.sum(), 1e-12)
        left.bar(middle, percent, width=100 / N_BINS * 0.92, color=colour, alpha=0.75, label=name)
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


def gain_rows(labels: Sequence[str], gain: Mean) -> dict[str, tuple[float, float]]:
    """Gains (K,) by the actions' names, those left out that are never legal or that the others are measured by."""
    shown = [k for k in range(len(labels)) if np.isfinite(gain.ci95[k]) and gain.ci95[k] > 0]
    return {action_name(labels[k]): (float(gain.mean[k]), float(gain.ci95[k])) for k in shown}


# --- leaks -----------------------------------------------------------------------------------------------------


class Leak(NamedTuple):
    """A decision at which a best responder does better than the strategy itself would in its place."""

    node: int
    street: int
    line: str  # the betting before it
    seat: str  # of the responder
    mbb: float  # a game, mean of both seats
    hands: tuple[str, ...]  # the three with which it wins most, the most first
    share: float  # of the leak, with these three


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


def worst_leaks(tree: BettingTree, leaks: np.ndarray, n: int) -> list[Leak]:
    """The n decisions with the largest leaks (n_nodes, 169), the largest first; three hands named for each."""
    total = leaks.sum(axis=1)
    found = []
    for node in np.argsort(-total, kind="stable")[:n].tolist():
        most = np.argsort(-leaks[node], kind="stable")[:3]
        seat = SEATS[int(tree.actor[node])]
        names = tuple(CLASS_NAMES[k] for k in most)
        share = float(leaks[node, most].sum() / total[node])
        found.append(Leak(node, int(tree.street[node]), line_words(tree, node), seat, float(total[node]), names, share))
    return found


def leak_words(name: str, leak: Leak, whole: float) -> str:
    """The leak in two sentences; whole: all leaks, mbb/g."""
    where = f"on the {STREETS[leak.street]}" if leak.street else "before the flop"
    return (
        f"**{name}** leaks most {where} after “{leak.line}”, to the {leak.seat}: {plain(leak.mbb)} mbb/g, "
        f"{100 * leak.mbb / whole:.0f} % of all leaks. The three worst hands, {', '.join(leak.hands)}, hold "
        f"{100 * leak.share:.0f} % of it."
    )


def leak_bars(
    axes: Axes, tree: BettingTree, leaks: Mapping[str, np.ndarray], nodes: Sequence[int], colours: Sequence[str]
) -> None:
    """A row for each decision, its line above it, and in it a bar for each agent; leaks: mbb/g (n_nodes, 169) by agent."""
    height = 0.62 / len(leaks)
    for k, ((name, found), colour) in enumerate(zip(leaks.items(), colours, strict=True)):
        rows, most = np.arange(len(nodes)) + k * height, found[list(nodes)].sum(axis=1)
        axes.barh(rows, most, color=colour, height=0.9 * height, align="edge", label=name)
    for row, node in enumerate(nodes):
        text = f"{line_words(tree, node)}  \u00b7  {SEATS[int(tree.actor[node])]}, {STREETS[int(tree.street[node])]}"
        axes.text(0, row - 0.06, text, va="bottom", ha="left", size=8.5).set_in_layout(False)
    axes.set_ylim(len(nodes) - 0.3, -0.5)
    axes.set_yticks([])
    axes.spines["left"].set_visible(False)
    axes.legend(loc="lower right")
