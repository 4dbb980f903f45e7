"""Where a strategy loses most to a best response: betting lines in words, and the starting hands behind them."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from matplotlib.axes import Axes

from faceup.game.betting import CALL, FOLD, STREETS, Tree
from faceup.game.cards import CLASS_NAMES
from faceup.show.figures import BLUE, GREEN, ORANGE, RED
from faceup.show.result_figures import plain

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


def line_words(tree: Tree, node: int) -> str:
    """The betting line to a node in dollars: "call, check / bet 200" and so on, a stroke for each new street."""
    words: list[str] = []
    while node > 0:
        above = int(tree.parent[node])
        words.append(_move(tree, above, node) + (" /" if tree.street[node] != tree.street[above] else ","))
        node = above
    return " ".join(reversed(words)).rstrip(",/ ") or "first to act"


def _move(tree: Tree, above: int, node: int) -> str:
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


def worst_leaks(tree: Tree, leaks: np.ndarray, n: int, hands: int = 3) -> list[Leak]:
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
    return (
        f"**{name}** leaks most on the {STREETS[leak.street]} after “{leak.line}”, to a {leak.seat}: {plain(leak.mbb)} mbb/g, "
        f"{share:.0f} % of all leaks; most of it with {', '.join(leak.hands)}."
    )


def leak_bars(axes: Axes, leaks: Sequence[Leak]) -> None:
    """One bar a line, the largest on top, coloured by street, the line written on it."""
    for row, leak in enumerate(leaks):
        axes.barh(row, leak.mbb, color=_STREET_COLORS[leak.street], height=0.42, align="edge")
        text = f"{leak.line}  ·  {leak.seat}, {STREETS[leak.street]}"
        axes.text(0, row - 0.06, text, va="bottom", ha="left", size=8)
    axes.set_ylim(len(leaks) - 0.4, -0.5)
    axes.set_yticks([])
    axes.set_xlabel("what a best response gains there (mbb/g)")
    axes.spines["left"].set_visible(False)
