"""Figures of the Bayesian player: the network, what one player's odds tell of the other's, how fast a type is known.

A function draws into the axes it is given.
"""

from collections.abc import Mapping, Sequence

import numpy as np
import pyagrum as gum
from matplotlib.axes import Axes

from faceup.notebook.figures import BLUE, GREEN, GREY, ORANGE
from faceup.notebook.intervals import mean_ci95

_PLACES = {  # of a round's nodes, in columns and rows
    "OST": (1.1, 5.0), "PO": (-1.1, 4.0), "Win": (-0.3, 3.1), "OO": (0.5, 4.0), "OS": (1.1, 3.0),
    "Heard": (0.3, 2.4), "CP": (-1.1, 1.9), "PS": (-1.1, 3.0), "OA": (1.1, 0.9), "FP": (0.3, 0.6), "Outcome": (-0.8, 0.2),
}  # fmt: skip
_WIDTH = 3.4  # columns between rounds


def draw_network(axes: Axes, net: gum.InfluenceDiagram) -> None:
    """A diagram of `network.hand_network`: chance nodes round, decisions square, utilities as double arrows; a block a round."""
    rounds = list(dict.fromkeys(name.split()[1] for name in sorted(net.names(), key=net.idFromName)))
    kinds = ((net.isDecisionNode, "square", ORANGE), (net.isUtilityNode, "darrow", GREEN), (net.isChanceNode, "round", BLUE))
    place = {}
    for name in net.names():
        node, street = name.split()
        x, y = _PLACES[node]
        place[name] = (x + _WIDTH * rounds.index(street), y)
    boxes = {}
    for name, (x, y) in place.items():
        shape, color = next((shape, color) for test, shape, color in kinds if test(name))
        box = {"boxstyle": f"{shape},pad=0.35", "facecolor": "white", "edgecolor": color, "lw": 1.5}
        boxes[name] = axes.text(x, y, name.split()[0], ha="center", va="center", size=8, bbox=box).get_bbox_patch()
    for a, b in sorted(net.arcs()):
        start, end = net.variable(a).name(), net.variable(b).name()
        arrow = {"arrowstyle": "-|>", "color": GREY, "lw": 1, "shrinkA": 2, "shrinkB": 2}
        arrow |= {"patchA": boxes[start], "patchB": boxes[end]}  # from edge to edge
        axes.annotate("", place[end], place[start], arrowprops=arrow)
    for k, street in enumerate(rounds):
        axes.text(_WIDTH * k, 5.7, street, ha="center", weight="bold")
    axes.set(xlim=(-2, _WIDTH * len(rounds) - 1.4), ylim=(-0.3, 6))
    axes.axis("off")


def odds_map(axes: Axes, counts: np.ndarray, most: float = 2.0) -> None:
    """How much likelier the opponent's odds are, given one's own, than for a random hand; counts (bins, bins, 3)."""
    pairs = counts.sum(axis=2).astype(float)
    expected = pairs.sum(axis=1)[:, None] * pairs.sum(axis=0) / pairs.sum()
    ratio = np.full(pairs.shape, np.nan)
    np.divide(pairs, expected, out=ratio, where=expected > 0)
    image = axes.imshow(
        np.log2(np.maximum(ratio, 2**-most)).T, cmap="RdBu", vmin=-most, vmax=most, origin="lower", extent=(0, 1, 0, 1)
    )
    axes.set(xlabel="my odds", ylabel="opponent's odds")
    bar = axes.figure.colorbar(image, ax=axes, shrink=0.8, label="times as likely")
    ticks = np.arange(-most, most + 1)
    bar.set_ticks(ticks, labels=[f"{2**t:g}" for t in ticks])
    bar.outline.set_visible(False)


def hands_until(belief: np.ndarray, least: float = 0.8) -> int | None:
    """Hands after which the mean belief in the true type (n_hands, n_matches) is above `least`; None where it never is."""
    above = belief.mean(axis=1) > least
    return int(above.argmax()) if above.any() else None


def belief_curves(axes: Axes, beliefs: Mapping[str, np.ndarray], colors: Sequence[str], style: str = "-") -> None:
    """Mean belief in the true type before each hand; beliefs: (n_hands, n_matches) by name."""
    for (name, belief), color in zip(beliefs.items(), colors, strict=True):
        mean, half = mean_ci95(belief.T)
        x = np.arange(1, len(mean) + 1)
        axes.plot(x, mean, style, color=color, label=name)
        axes.fill_between(x, mean - half, np.minimum(mean + half, 1), color=color, alpha=0.2, lw=0)
    axes.set(xlabel="hand of the match", ylabel="mean belief in the true type", ylim=(0, 1.02))
    axes.legend()
    axes.grid(axis="y")


def calibration(axes: Axes, beliefs: np.ndarray, true: np.ndarray, parts: int = 10) -> np.ndarray:
    """Of the times that a type is given a chance, how often it is so; beliefs (n,), true (n,) bool.

    Returns (parts, 3): mean belief, share true, how many; NaN where there is none.
    """
    part = np.minimum((beliefs * parts).astype(int), parts - 1)
    n = np.bincount(part, minlength=parts)
    with np.errstate(invalid="ignore"):
        rows = np.column_stack([np.bincount(part, w, parts) / n for w in (beliefs, true.astype(float))] + [n])
    axes.plot([0, 1], [0, 1], color=GREY, lw=1)
    axes.plot(rows[:, 0], rows[:, 1], "o-", color=BLUE, clip_on=False)
    axes.set(xlabel="belief in a type", ylabel="share of cases in which it is the type", xlim=(0, 1), ylim=(0, 1))
    return rows
