"""Where a strategy loses most to a best response: betting lines in words, and the starting hands behind them."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from matplotlib.axes import Axes

from faceup.cards.cards import CLASS_NAMES
from faceup.holdem.betting.betting_tree import CALL, FOLD, STREETS, BettingTree
from faceup.notebook.figures import BLUE, GREEN, ORANGE, RED
from faceup.notebook.tables import plain

_STREET_COLORS = (GREEN, BLUE, ORANGE, RED)
_SEATS = ("small blind", "big blind")


class Leak(NamedTuple):
    """A decision at which a best responder does better than the strategy itself would in its place."""

    node: int
    street: int
    line: str  # the betting before it
    seat: str  # of the responder
    mbb: float  # a game, mean of both seats
    hands: tuple[str, ...]  # with which it wins most, the most first


def line_words(tree: BettingTree, node: int) -> str:
    """The betting line to a node in dollars: "call, check / bet 200" and so on, a stroke for each new street."""
    words: list[str] = []
    while node > 0:
        above = int(tree.parent[node])
        words.append(_move(tree, above, node) + (" /" if tree.street[node] != tree.street[above] else ","))
        node = above
    return " ".join(reversed(words)).rstrip(",/ ") or "first to act"


def _move(tree: BettingTree, above: int, node: int) -> str:
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


def worst_leaks(tree: BettingTree, leaks: np.ndarray, n: int, hands: int = 3) -> list[Leak]:
    """The n decisions with the largest leaks (n_nodes, 169), the largest first; `hands` named for each."""
    total = leaks.sum(axis=1)
    found = []
    for node in np.argsort(-total, kind="stable")[:n].tolist():
        most = np.argsort(-leaks[node], kind="stable")[:hands]
        seat = _SEATS[int(tree.actor[node])]
        names = tuple(CLASS_NAMES[k] for k in most)
        found.append(Leak(node, int(tree.street[node]), line_words(tree, node), seat, float(total[node]), names))
    return found


def leak_words(name: str, leak: Leak, whole: float) -> str:
    """The leak in a sentence; whole: all leaks, mbb/g."""
    share = 100 * leak.mbb / whole
    where = f"on the {STREETS[leak.street]}" if leak.street else "before the flop"
    return (
        f"**{name}** leaks most {where} after “{leak.line}”, to a {leak.seat}: {plain(leak.mbb)} mbb/g, "
        f"{share:.0f} % of all leaks; most of it with {', '.join(leak.hands)}."
    )


def leak_bars(axes: Axes, leaks: Sequence[Leak], most: float) -> None:
    """One bar a line, the largest on top, coloured by street, the line written above it; most: where the axis ends."""
    for row, leak in enumerate(leaks):
        axes.barh(row, leak.mbb, color=_STREET_COLORS[leak.street], height=0.34, align="edge")
        text = f"{leak.line}  \u00b7  {leak.seat}, {STREETS[leak.street]}"
        axes.text(0, row - 0.08, text, va="bottom", ha="left", size=8.5).set_in_layout(False)
    axes.set_xlim(0, most)
    axes.set_ylim(len(leaks) - 0.5, -0.6)
    axes.set_yticks([])
    axes.spines["left"].set_visible(False)


def hand_map(axes: Axes, values: np.ndarray, label: str) -> None:
    """The 169 starting hands as a square, aces first, suited hands above the diagonal: a colour each, ranks on the edges."""
    ranks = [name[0] for name in CLASS_NAMES[::14]]
    image = axes.imshow(values.reshape(13, 13), cmap="OrRd", vmin=0)
    axes.set_xticks(range(13), ranks)
    axes.set_yticks(range(13), ranks)
    axes.tick_params(length=0, labeltop=True, labelbottom=False)
    axes.spines[:].set_visible(False)
    axes.figure.colorbar(image, ax=axes, shrink=0.8, pad=0.02, label=label).outline.set_visible(False)
