"""A decision tree as text: indented lines, a Python function, and the rows of its picture."""

import json
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from faceup.trees.tree import DecisionTree, exact, leaves_below

Condition = Callable[[str, float, bool], str]  # feature, threshold, whether above it -> an answer of a question


class Row(NamedTuple):
    """One line of an outline, plain enough for a file of numbers."""

    level: int
    text: str
    mixture: Sequence[float]  # shares of the actions
    share: float  # of all weight
    hidden: int = 0  # leaves of a branch that is not drawn further, 0 for others
    marked: bool = False  # to be pointed out


def tree_text(tree: DecisionTree, feature_names: Sequence[str], labels: Sequence[str]) -> str:
    """The tree as indented lines; a leaf tells its probabilities from 1 % up and its share of the weight."""

    def split(name: str, threshold: np.float32) -> tuple[str, str]:
        said = f"{threshold:,.0f}" if abs(threshold) >= 100 else f"{threshold:.4g}"
        return f"{name} <= {said}", f"{name} > {said}"

    def leaf(p: np.ndarray, share: float) -> str:
        mixture = (f"{labels[k]} {100 * p[k]:.0f} %" for k in np.argsort(-p, kind="stable") if p[k] >= 0.01)
        return f"{', '.join(mixture)}  ({share:.1%} of weight)"

    return "\n".join(_lines(tree, feature_names, split, leaf, "|   ")) + "\n"


def tree_source(tree: DecisionTree, feature_names: Sequence[str], labels: Sequence[str], name: str = "decide") -> str:
    """The tree as source of a Python function from a dict, feature name to number, to one of probabilities.

    Its thresholds are exact for numbers given as numpy.float32.
    """

    def split(name: str, threshold: np.float32) -> tuple[str, str]:
        return f"if x[{json.dumps(name)}] <= {exact(threshold)!r}:", "else:"

    def leaf(p: np.ndarray, share: float) -> str:
        return f"return {json.dumps({label: round(q, 4) for label, q in zip(labels, p.tolist(), strict=True) if q >= 5e-5})}"

    return "\n".join([f"def {name}(x):", *("    " + line for line in _lines(tree, feature_names, split, leaf, "    "))]) + "\n"


def _lines(
    tree: DecisionTree, names: Sequence[str], split: Callable, leaf: Callable, step: str, node: int = 0, indent: str = ""
) -> Iterator[str]:
    """Those of a node and of all below it: what `split` says of either branch, each above its lines, and `leaf` of a leaf."""
    if tree.feature[node] < 0:
        yield indent + leaf(tree.value[node], tree.weight[node] / tree.weight[0])
        return
    sides = split(names[tree.feature[node]], tree.threshold[node])
    for line, child in zip(sides, (tree.left[node], tree.right[node]), strict=True):
        yield indent + line
        yield from _lines(tree, names, split, leaf, step, child, indent + step)


def outline(
    tree: DecisionTree, names: Sequence[str], condition: Condition, expanded: np.ndarray, marked: int | None = None
) -> list[Row]:
    """The rows of a tree, each branch's at-most side first.

    names: of the features; expanded: splits whose branches are drawn, (n,) bool; marked: a node to point out.
    """
    leaves, rows = leaves_below(tree), []
    waiting = [(0, 0, "all decisions")]
    while waiting:
        node, level, text = waiting.pop()
        split = tree.feature[node] >= 0
        drawn = bool(split and expanded[node])
        hidden = int(leaves[node]) if split and not drawn else 0
        share = float(tree.weight[node] / tree.weight[0])
        rows.append(Row(level, text, tree.value[node].tolist(), share, hidden, node == marked))
        if drawn:
            name, threshold = names[tree.feature[node]], float(tree.threshold[node])
            waiting.append((int(tree.right[node]), level + 1, condition(name, threshold, True)))
            waiting.append((int(tree.left[node]), level + 1, condition(name, threshold, False)))
    return rows
