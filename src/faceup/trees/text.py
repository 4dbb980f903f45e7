"""A decision tree as text: indented lines, and the rows of its picture."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from faceup.trees.tree import DecisionTree, leaves_below, shortest_decimal

# feature, threshold, whether above it -> an answer of a question
Condition = Callable[[str, float, bool], str]


class Row(NamedTuple):
    """One line of an outline, plain enough for a file of numbers."""

    level: int
    text: str
    mixture: Sequence[float]  # shares of the actions
    share: float  # of all weight
    hidden: int = 0  # leaves of a branch that is not drawn further, 0 for others
    marked: bool = False  # to be pointed out


def outline(
    tree: DecisionTree,
    names: Sequence[str],
    condition: Condition,
    expanded: np.ndarray,
    marked: int | None = None,
    merge: bool = False,
) -> list[Row]:
    """The rows of a tree, each branch's at-most side first.

    names: of the features; expanded: splits whose branches are drawn, (n,) bool; marked: a node to
    point out; merge: draw a split between two leaves whose answers are the same in whole percents
    as one leaf.
    """
    leaves, rows = leaves_below(tree), []
    percents = np.round(100 * tree.value)
    waiting = [(0, 0, "all decisions")]
    while waiting:
        node, level, text = waiting.pop()
        split = tree.feature[node] >= 0
        if (
            merge
            and split
            and leaves[node] == 2
            and (percents[tree.left[node]] == percents[tree.right[node]]).all()
        ):
            split = False
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
    """The tree as indented lines; a leaf tells its probabilities from 1 % up and its share of the
    weight.

    Thresholds are exact for numbers given as numpy.float32: whoever follows the lines comes to the
    tree's own leaf.
    """

    def condition(name: str, threshold: float, above: bool) -> str:
        return f"{name} {'>' if above else '<='} {shortest_decimal(np.float32(threshold)):,}".removesuffix(
            ".0"
        )

    def leaf(row: Row) -> str:
        likeliest = sorted(
            zip(np.array(row.mixture, dtype=np.float32), labels, strict=True),
            key=lambda pair: -pair[0],
        )
        return (
            ", ".join(f"{label} {100 * p:.0f} %" for p, label in likeliest if p >= 0.01)
            + f"  ({row.share:.1%} of weight)"
        )

    rows, lines = (
        outline(tree, feature_names, condition, np.ones(len(tree.feature), dtype=bool)),
        [],
    )
    for row, after in zip(rows, [*rows[1:], rows[0]], strict=True):
        lines += ["|   " * (row.level - 1) + row.text] if row.level else []
        lines += ["|   " * row.level + leaf(row)] if after.level <= row.level else []
    return "\n".join(lines) + "\n"
