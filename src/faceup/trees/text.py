"""A decision tree as indented text, and as rows for a figure."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from faceup.trees.tree import DecisionTree, leaves_below, shortest_decimal

# (feature, threshold, above) -> the condition of a branch
Condition = Callable[[str, float, bool], str]


class Row(NamedTuple):
    """A node of an outline, in types that JSON holds."""

    level: int
    text: str
    mixture: Sequence[float]  # probabilities of the labels
    share: float  # of all weight
    hidden: int = 0  # leaves of a branch that is not expanded, otherwise 0
    marked: bool = False


def outline(
    tree: DecisionTree,
    names: Sequence[str],
    condition: Condition,
    expanded: np.ndarray,
    marked: int | None = None,
    merge: bool = False,
) -> list[Row]:
    """The rows of a tree in preorder.

    names: of the features; expanded: nodes whose branches are shown, (n,) bool; marked: a node to
    highlight; merge: show two leaves with the same whole percents as one.
    """
    leaves, rows = leaves_below(tree), []
    percents = np.round(100 * tree.value)
    same = (percents[tree.left] == percents[tree.right]).all(axis=1) & (leaves == 2)
    waiting = [(0, 0, "all decisions")]
    while waiting:
        node, level, text = waiting.pop()
        split = tree.feature[node] >= 0 and not (merge and same[node])
        drawn = bool(split and expanded[node])
        hidden = int(leaves[node]) if split and not drawn else 0
        share = float(tree.weight[node] / tree.weight[0])
        rows.append(Row(level, text, tree.value[node].tolist(), share, hidden, node == marked))
        if drawn:
            name, threshold = names[tree.feature[node]], float(tree.threshold[node])
            waiting.append((int(tree.right[node]), level + 1, condition(name, threshold, True)))
            waiting.append((int(tree.left[node]), level + 1, condition(name, threshold, False)))
    return rows


def tree_text(tree: DecisionTree, feature_names: Sequence[str], labels: Sequence[str]) -> str:
    """The tree as indented lines, each with its probabilities of at least 1 % and its share of the
    weight.

    Thresholds are exact for numpy.float32: following the lines leads to the tree's own leaf.
    """

    def condition(name: str, threshold: float, above: bool) -> str:
        number = f"{shortest_decimal(np.float32(threshold)):,}".removesuffix(".0")
        return f"{name} {'>' if above else '<='} {number}"

    lines = []
    for row in outline(tree, feature_names, condition, tree.feature >= 0):
        listed = zip(labels, row.mixture, strict=True)
        shares = ", ".join(f"{label} {100 * p:.0f} %" for label, p in listed if p >= 0.01)
        lines.append(f"{'|   ' * row.level}{row.text}: {shares}  ({row.share:.1%} of weight)\n")
    return "".join(lines)
