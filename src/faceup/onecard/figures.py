"""How rules are shown: curves with their names at the right end, a small tree drawn with its conditions, its paths as sentences.

Each way from the root of a tree to a leaf is a rule, "if ... and ..., then ...". Conditions on the same feature on one path are
one condition with a lower and an upper end. Features are named by phrases such as "the opponent's chance of your card or
lower", and a condition reads "0.2 < phrase <= 0.8".
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from matplotlib import colormaps
from matplotlib.axes import Axes

from faceup.notebook.figures import GREY, PALETTE
from faceup.trees.decision_tree import DecisionTree, depth

# The ten representations: a colour each; dashed where one size is learned.
REPRESENTATION_STYLE = tuple((color, "-" if i < 6 else "--") for i, color in enumerate(colormaps["tab10"].colors))


def named_curves(axes: Axes, x: Sequence[Sequence[float]], y: Sequence[Sequence[float]], names: Sequence[str]) -> None:
    """A line each in the representations' colours, named at its right end; names keep clear of each other.

    To be called when the axes' scale and the limits of y are set. Room for the names is left to the figure's layout.
    """
    for i, (xs, ys) in enumerate(zip(x, y, strict=True)):
        color, dashes = REPRESENTATION_STYLE[i % len(REPRESENTATION_STYLE)]
        axes.plot(xs, ys, color=color, ls=dashes, lw=1.5, marker="o", ms=2.5)
    last = np.array([(xs[-1], ys[-1]) for xs, ys in zip(x, y, strict=True)])
    ends = axes.transAxes.inverted().transform(axes.transData.transform(last))[:, 1]
    for i, height in zip(np.argsort(ends), _spread(np.sort(ends), 0.052), strict=True):
        color = REPRESENTATION_STYLE[i % len(REPRESENTATION_STYLE)][0]
        place = {"xycoords": "axes fraction", "textcoords": "axes fraction", "va": "center", "size": 8.5, "color": color}
        line = {"arrowstyle": "-", "color": color, "lw": 0.6, "alpha": 0.6, "relpos": (0, 0.5), "shrinkB": 0}
        axes.annotate(names[i], (1.0, ends[i]), (1.05, height), arrowprops=line, annotation_clip=False, **place)


def _spread(heights: np.ndarray, gap: float) -> np.ndarray:
    """Ascending heights moved as little as need be to stand `gap` apart."""
    spread = heights.copy()
    for _ in range(200):
        for i in range(1, len(spread)):
            missing = max(gap - (spread[i] - spread[i - 1]), 0)
            spread[i] += missing / 2
            spread[i - 1] -= missing / 2
    return spread


def paired(
    axes: Axes, groups: Mapping[str, Sequence[tuple[tuple[float, float], tuple[float, float]]]], names: Sequence[str]
) -> None:
    """Two values beside each name for each group, in the group's colour: hollow and filled, joined, with their intervals.

    groups: for each, a pair of (value, half-width of its interval or 0) for each name.
    """
    for k, ((label, pairs), color) in enumerate(zip(groups.items(), PALETTE, strict=False)):
        x = np.arange(len(names)) + 0.24 * (k - (len(groups) - 1) / 2)
        values = np.array(pairs)  # (names, 2, value and half-width)
        axes.vlines(x, values[:, 0, 0], values[:, 1, 0], color=color, lw=2.5, alpha=0.35)
        for j, face in enumerate(("white", color)):
            axes.errorbar(x, *values[:, j].T, fmt="none", color=color, lw=0.8)
            axes.plot(x, values[:, j, 0], "o", color=color, mfc=face, ms=5, label=label if j else None)
    axes.set_xticks(range(len(names)), names)
    axes.tick_params(axis="x", length=0)
    axes.set_ylim(bottom=0)
    axes.grid(axis="y")


def ranked(axes: Axes, names: Sequence[str], values: Sequence[float], intervals: Sequence[float], colors: Sequence[str]) -> None:
    """One row a name, the first on top, on a logarithmic scale: value and interval as a dot, and as text on the right."""
    for row, (value, interval, color) in enumerate(zip(values, intervals, colors, strict=True)):
        axes.errorbar(value, row, xerr=interval, fmt="o", color=color, ms=5, capsize=3)
        place = {"xycoords": ("axes fraction", "data"), "va": "center", "size": 8.5, "color": color}
        axes.annotate(f"{value:.4f} \u00b1 {interval:.4f}", (1.01, row), **place)
    axes.set_xscale("log")
    axes.set_yticks(range(len(names)), names)
    axes.set_ylim(len(names) - 0.4, -0.6)
    axes.tick_params(axis="y", length=0)
    axes.xaxis.set_major_formatter("{x:g}")
    axes.grid(axis="x")


def draw_tree(axes: Axes, tree: DecisionTree, names: Sequence[str]) -> None:
    """A tree of few levels, conditions in its nodes (left branch: true), value and share of rows in its leaves.

    names: of the features, short. A leaf's value, its only one, is a bet.
    """
    levels = depth(tree)
    axes.set_xlim(0, 2**levels)
    axes.set_ylim(-levels - 0.5, 0.5)
    axes.axis("off")
    most = max(float(tree.value.max()), 1e-9)
    waiting = [(0, 0, 0.0, float(2**levels))]  # node, level, left and right end of its room
    while waiting:
        node, level, low, high = waiting.pop()
        middle, feature = (low + high) / 2, int(tree.feature[node])
        share = f"{tree.weight[node] / tree.weight[0]:.1%}"
        if feature < 0:
            strong = float(tree.value[node, 0]) / most  # white at 0 to a light orange at 1
            words, face = f"bet {tree.value[node, 0]:.2f}\n{share}", (1.0, 1.0 - 0.35 * strong, 1.0 - 0.75 * strong)
        else:
            words, face = f"{names[feature]}\n\u2264 {short(float(tree.threshold[node]))} ?", (1.0, 1.0, 1.0)
            for child, ends, said in ((tree.left[node], (low, middle), "yes"), (tree.right[node], (middle, high), "no")):
                axes.plot([middle, sum(ends) / 2], [-level, -level - 1], color=GREY, lw=0.8, zorder=0)
                if level == 0:
                    axes.text((middle + sum(ends) / 2) / 2, -0.4, said, ha="center", size=9, color=GREY)
                waiting.append((int(child), level + 1, *ends))
        box = {"boxstyle": "round,pad=0.25", "facecolor": face, "edgecolor": GREY, "lw": 0.6}
        axes.text(middle, -level, words, ha="center", va="center", size=8, bbox=box)


# --- sentences ----------------------------------------------------------------------------------------------


class Path(NamedTuple):
    """A leaf and how rows come there."""

    bounds: dict[int, tuple[float, float]]  # feature -> (lower, upper): lower < x <= upper, either may be infinite
    value: np.ndarray  # (n_labels,) of the leaf
    share: float  # of the weight of all rows


def paths(tree: DecisionTree) -> Iterator[Path]:
    """All leaves of a tree from left to right."""
    waiting: list[tuple[int, dict[int, tuple[float, float]]]] = [(0, {})]
    while waiting:
        node, bounds = waiting.pop()
        feature = int(tree.feature[node])
        if feature < 0:
            yield Path(bounds, tree.value[node], float(tree.weight[node] / tree.weight[0]))
            continue
        low, high = bounds.get(feature, (-np.inf, np.inf))
        threshold = float(tree.threshold[node])
        waiting.append((int(tree.right[node]), bounds | {feature: (max(low, threshold), high)}))
        waiting.append((int(tree.left[node]), bounds | {feature: (low, min(high, threshold))}))


def short(x: float, digits: int = 2) -> str:
    """A number with so many digits, or with more where these would make a whole number of it: 0.9999 is not 1.00."""
    text = f"{x:.{digits}f}"
    whole = float(text).is_integer() and not float(x).is_integer()
    return short(x, digits + 1) if whole and digits < 9 else text


def sentence(path: Path, feature_names: Sequence[str], action: str) -> str:
    """A path in words. Raises ValueError for a feature without a name."""
    unknown = [feature for feature in path.bounds if feature >= len(feature_names)]
    if unknown:
        raise ValueError(f"feature {unknown[0]} has no name: expected {len(feature_names)} features")
    conditions = []
    for feature, (low, high) in path.bounds.items():
        left = f"{short(low)} < " if np.isfinite(low) and np.isfinite(high) else ""
        right = f" <= {short(high)}" if np.isfinite(high) else f" > {short(low)}"
        conditions.append(f"{left}{feature_names[feature]}{right}")
    return f"If {' and '.join(conditions)}, then {action}." if conditions else f"Always {action}."
