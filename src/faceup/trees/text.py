"""A decision tree as text: indented lines, a Python function, and the rows of its picture."""

import json
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from faceup.trees.decision_tree import DecisionTree, leaves_below

Condition = Callable[[str, float, bool], str]  # feature, threshold, whether above it -> an answer of a question


class Row(NamedTuple):
    """One line of an outline, plain enough for a file of numbers."""

    level: int
    text: str
    mixture: Sequence[float]  # shares of the actions
    share: float  # of all weight
    hidden: int = 0  # leaves of a branch that is not drawn further, 0 for others
    marked: bool = False  # to be pointed out


def exact(threshold: np.float32) -> float:
    """A number of few digits that is this float32 when rounded to float32."""
    short = float(str(threshold))
    return short if np.float32(short) == threshold else float(threshold)


def as_text(tree: DecisionTree, feature_names: Sequence[str], labels: Sequence[str]) -> str:
    """The tree as indented lines; a leaf tells its probabilities from 1 % up and its share of the weight."""

    def lines(node: int, indent: str) -> Iterator[str]:
        """Those of a node and of all below it."""
        if tree.feature[node] < 0:
            yield f"{indent}{_mix(tree.value[node], labels)}  ({tree.weight[node] / tree.weight[0]:.1%} of weight)"
            return
        name, threshold = feature_names[tree.feature[node]], tree.threshold[node]
        said = f"{threshold:,.0f}" if abs(threshold) >= 100 else f"{threshold:.4g}"
        for sign, child in (("<=", tree.left[node]), (">", tree.right[node])):
            yield f"{indent}{name} {sign} {said}"
            yield from lines(child, indent + "|   ")

    return "\n".join(lines(0, "")) + "\n"


def as_python(tree: DecisionTree, feature_names: Sequence[str], labels: Sequence[str], name: str = "decide") -> str:
    """The tree as source of a Python function from a dict, feature name to number, to one of probabilities.

    Its thresholds are exact for numbers given as numpy.float32.
    """

    def lines(node: int, indent: str) -> Iterator[str]:
        """Those of a node and of all below it."""
        if tree.feature[node] < 0:
            shares = zip(labels, tree.value[node].tolist(), strict=True)
            yield f"{indent}return {json.dumps({label: round(p, 4) for label, p in shares if p >= 5e-5})}"
            return
        column = json.dumps(feature_names[tree.feature[node]])
        asked = f"if x[{column}] <= {exact(tree.threshold[node])!r}:"
        for line, child in ((asked, tree.left[node]), ("else:", tree.right[node])):
            yield indent + line
            yield from lines(child, indent + "    ")

    return "\n".join([f"def {name}(x):", *lines(0, "    ")]) + "\n"


def _mix(probabilities: np.ndarray, labels: Sequence[str]) -> str:
    """Such as "call 93 %, fold 7 %": the likeliest first, less than 1 % left out."""
    order = np.argsort(-probabilities, kind="stable")
    return ", ".join(f"{labels[k]} {100 * probabilities[k]:.0f} %" for k in order if probabilities[k] >= 0.01)


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
