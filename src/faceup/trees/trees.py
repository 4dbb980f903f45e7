"""A decision tree as parallel arrays in scikit-learn's layout: predict, cut, print, write to file, read back.

Features and thresholds are float32, and a row goes left where its feature <= threshold as float32: the same
row takes the same path on every machine and after every round trip through a file.

An agent's file is JSON of four trees, one a round. Nodes stand in preorder, a node before its left branch and
that before the right one, so that `feature` (-1 at a leaf) tells the shape by itself; `threshold` has one
number a split, `value` (probabilities in 1/10,000) and `weight` (four digits) one entry a leaf. Inner nodes
get the weighted mean of their leaves on reading.
"""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numba import njit

from faceup.notebook.storage import load_json, write_text

FORMAT = "faceup-trees-1"
ROUNDS = ("preflop", "flop", "turn", "river")
_SCALE = 10_000  # of probabilities in a file
_TOLERANCE = 1e-3  # how far a sum of probabilities may be from 1


class DecisionTree(NamedTuple):
    """A binary tree of n nodes, parents before children, the root first."""

    feature: np.ndarray  # (n,) int32: column that a split looks at, -1 at a leaf
    threshold: np.ndarray  # (n,) float32: go left where x <= threshold; 0 at a leaf
    left: np.ndarray  # (n,) int32, -1 at a leaf
    right: np.ndarray  # (n,) int32, -1 at a leaf
    value: np.ndarray  # (n, n_labels) float32: answers, at inner nodes too; means of the rows here unless costs count
    weight: np.ndarray  # (n,) float64: weight of the rows that come here


class AgentFile(NamedTuple):
    """What an agent's file holds."""

    trees: tuple[DecisionTree, ...]  # one a round
    feature_names: tuple[tuple[str, ...], ...]  # of each round
    labels: tuple[str, ...]
    provenance: dict


def leaf_of(tree: DecisionTree, X: np.ndarray) -> np.ndarray:
    """The leaf (n,) int32 that each row of X (n, f) ends in; X is compared as float32."""
    X = np.ascontiguousarray(X, dtype=np.float32)
    least = tree.feature.max() + 1
    if X.ndim != 2 or X.shape[1] < least:
        raise ValueError(f"X has shape {X.shape}: expected (rows, features) with {least} features at least")
    leaves = np.empty(len(X), dtype=np.int32)
    _leaves(tree.feature, tree.threshold, tree.left, tree.right, X, leaves)
    return leaves


def predict(tree: DecisionTree, X: np.ndarray) -> np.ndarray:
    """Probabilities (n, n_labels) float32 of rows X (n, f)."""
    return tree.value[leaf_of(tree, X)]


@njit(cache=True, nogil=True)
def _leaves(feature, threshold, left, right, X, leaves):
    for i in range(X.shape[0]):
        node = 0
        while feature[node] >= 0:
            node = left[node] if X[i, feature[node]] <= threshold[node] else right[node]
        leaves[i] = node


def depth(tree: DecisionTree) -> int:
    """Splits on the longest way from the root to a leaf."""
    return int(node_depths(tree).max())


def n_leaves(tree: DecisionTree) -> int:
    """Leaves of the tree."""
    return int((tree.feature < 0).sum())


def truncate(tree: DecisionTree, depth: int) -> DecisionTree:
    """The top of the tree: nodes at `depth` become leaves with their value, deeper ones are dropped."""
    if depth < 0:
        raise ValueError(f"depth is {depth}: expected 0 or more")
    depths = node_depths(tree)
    kept = depths <= depth
    leaf = ((tree.feature < 0) | (depths == depth))[kept]
    number = np.cumsum(kept) - 1  # new number of each kept node
    return DecisionTree(
        feature=np.where(leaf, -1, tree.feature[kept]).astype(np.int32),
        threshold=np.where(leaf, 0, tree.threshold[kept]).astype(np.float32),
        left=np.where(leaf, -1, number[tree.left[kept]]).astype(np.int32),
        right=np.where(leaf, -1, number[tree.right[kept]]).astype(np.int32),
        value=tree.value[kept],
        weight=tree.weight[kept],
    )


def node_depths(tree: DecisionTree) -> np.ndarray:
    """Splits on the way from the root to each node, (n,) int32."""
    depths = np.zeros(len(tree.feature), dtype=np.int32)
    level = np.zeros(1, dtype=np.int64)
    while len(level):
        split = level[tree.feature[level] >= 0]
        children = np.concatenate([tree.left[split], tree.right[split]])
        depths[children] = np.tile(depths[split] + 1, 2)
        level = children
    return depths


def check_tree(tree: DecisionTree, n_features: int, n_labels: int, name: str = "tree") -> None:
    """Raises ValueError naming what is wrong unless the arrays are one tree with probabilities for values."""
    n = len(tree.feature)
    for field, array in zip(DecisionTree._fields, tree, strict=True):
        expected = (n, n_labels) if field == "value" else (n,)
        if n == 0 or array.shape != expected:
            raise ValueError(f"{name}: {field} has shape {array.shape}, expected {expected}, 1 node at least")
    known, split = (tree.feature >= -1) & (tree.feature < n_features), tree.feature >= 0
    _require(tree.feature, known, f"{name}: feature", f"-1 to {n_features - 1}")
    _require(tree.threshold, np.isfinite(tree.threshold), f"{name}: threshold", "a finite number")
    for field, child in (("left", tree.left), ("right", tree.right)):
        right_place = np.where(split, (child > np.arange(n)) & (child < n), child == -1)
        _require(child, right_place, f"{name}: {field}", "a later node, or -1 at a leaf")
    parents = np.bincount(np.concatenate([tree.left[split], tree.right[split]]), minlength=n)
    _require(parents, parents == (np.arange(n) > 0), f"{name}: number of parents", "1, and 0 for the root")
    _require(tree.value, (tree.value >= 0) & (tree.value <= 1), f"{name}: value", "a probability from 0 to 1")
    sums = tree.value.sum(axis=1)
    _require(sums, np.abs(sums - 1) <= _TOLERANCE, f"{name}: sum of value", "1")
    _require(tree.weight, (tree.weight > 0) & (tree.weight < np.inf), f"{name}: weight", "a positive number")


def _require(values: np.ndarray, right: np.ndarray, name: str, expected: str) -> None:
    if not right.all():
        where = tuple(int(i) for i in np.argwhere(~right)[0])
        raise ValueError(f"{name} is {values[where]} at {where}, expected {expected}")


def as_text(tree: DecisionTree, feature_names: Sequence[str], labels: Sequence[str], *, max_depth: int | None = None) -> str:
    """The tree as indented lines; a leaf tells its probabilities from 1 % up and its share of the weight.

    Below max_depth a branch is summed up in one such line that ends in "...".
    """
    check_tree(tree, len(feature_names), len(labels))

    def lines(node: int, level: int) -> Iterator[str]:
        """The branch at a node of a level."""
        indent = "|   " * level
        if tree.feature[node] < 0 or level == max_depth:
            share = tree.weight[node] / tree.weight[0]
            more = " ..." if tree.feature[node] >= 0 else ""
            yield f"{indent}{_mix(tree.value[node], labels)}  ({share:.1%} of weight){more}"
            return
        name, threshold = feature_names[tree.feature[node]], _short(tree.threshold[node])
        yield f"{indent}{name} <= {threshold}"
        yield from lines(tree.left[node], level + 1)
        yield f"{indent}{name} > {threshold}"
        yield from lines(tree.right[node], level + 1)

    return "\n".join(lines(0, 0)) + "\n"


def as_python(
    tree: DecisionTree,
    feature_names: Sequence[str],
    labels: Sequence[str],
    *,
    name: str = "decide",
    max_depth: int | None = None,
) -> str:
    """The tree as source of a Python function from a dict, feature name to number, to one of probabilities.

    Its thresholds are exact for numbers given as numpy.float32.
    """
    if not name.isidentifier():
        raise ValueError(f"name is {name!r}: expected a Python identifier")
    check_tree(tree, len(feature_names), len(labels))

    def lines(node: int, level: int) -> Iterator[str]:
        """The statements of the branch at a node of a level."""
        indent = "    " * (level + 1)
        if tree.feature[node] < 0 or level == max_depth:
            shares = zip(labels, tree.value[node].tolist(), strict=True)
            yield f"{indent}return {json.dumps({label: round(p, 4) for label, p in shares if p >= 5e-5})}"
            return
        column = json.dumps(feature_names[tree.feature[node]])
        yield f"{indent}if x[{column}] <= {_exact(tree.threshold[node])!r}:"
        yield from lines(tree.left[node], level + 1)
        yield f"{indent}else:"
        yield from lines(tree.right[node], level + 1)

    return "\n".join([f"def {name}(x):", *lines(0, 0)]) + "\n"


def _mix(probabilities: np.ndarray, labels: Sequence[str]) -> str:
    """Such as "call 93 %, fold 7 %": the likeliest first, less than 1 % left out."""
    order = np.argsort(-probabilities, kind="stable")
    return ", ".join(f"{labels[k]} {100 * probabilities[k]:.0f} %" for k in order if probabilities[k] >= 0.01)


def _short(threshold: np.float32) -> str:
    return f"{threshold:,.0f}" if abs(threshold) >= 100 else f"{threshold:.4g}"


def _exact(threshold: np.float32) -> float:
    """A number of few digits that is this float32 when rounded to float32."""
    short = float(str(threshold))
    return short if np.float32(short) == threshold else float(threshold)


def save_agent(
    path: Path,
    trees: Sequence[DecisionTree],
    feature_names: Sequence[Sequence[str]],
    labels: Sequence[str],
    provenance: dict,
) -> None:
    """Write four trees, one a round, the names of their features and labels, and where they come from."""
    content: dict[str, Any] = {"format": FORMAT, "provenance": provenance, "labels": list(labels)}
    _check_names("labels", labels)
    for round_, tree, names in zip(ROUNDS, trees, feature_names, strict=True):
        _check_names(f"{round_}: feature_names", names)
        check_tree(tree, len(names), len(labels), round_)
        content[round_] = {"feature_names": list(names), **_packed(tree)}
    lines = [
        f"{json.dumps(key)}: {json.dumps(part, separators=(',', ':'), ensure_ascii=False, allow_nan=False)}"
        for key, part in content.items()
    ]
    write_text(path, "{\n" + ",\n".join(lines) + "\n}\n")


def load_agent_file(path: Path) -> AgentFile:
    """Read what `save_agent` wrote; raises ValueError naming what is wrong with the file."""
    try:
        content = load_json(path)
    except ValueError as error:
        raise ValueError(f"{path}: expected JSON ({error})") from error
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise ValueError(f"{path}: expected an agent with format {FORMAT!r}")
    if set(content) != {"format", "provenance", "labels", *ROUNDS}:
        raise ValueError(f"{path}: keys are {sorted(content)}, expected provenance, labels and the rounds")
    if not isinstance(content["provenance"], dict):
        raise ValueError(f"{path}: provenance is {content['provenance']!r}, expected a dict")
    labels = _check_names(f"{path}: labels", content["labels"])
    rounds = [_unpacked(content[round_], len(labels), f"{path}: {round_}") for round_ in ROUNDS]
    trees, names = zip(*rounds, strict=True)
    return AgentFile(trees, names, labels, content["provenance"])


def _packed(tree: DecisionTree) -> dict[str, list]:
    order, stack = [], [0]
    while stack:
        node = stack.pop()
        order.append(node)
        if tree.feature[node] >= 0:
            stack += [tree.right[node], tree.left[node]]
    feature = tree.feature[order]
    leaves = np.array(order)[feature < 0]
    return {
        "feature": feature.tolist(),
        "threshold": [_exact(t) for t in tree.threshold[order][feature >= 0]],
        "value": _in_parts(tree.value[leaves]).tolist(),
        "weight": [float(f"{weight:.4g}") for weight in tree.weight[leaves]],
    }


def _in_parts(value: np.ndarray) -> np.ndarray:
    """Probabilities as whole numbers that sum to _SCALE; the likeliest takes what rounding leaves."""
    parts = np.rint(value.astype(np.float64) * _SCALE).astype(np.int64)
    parts[np.arange(len(parts)), parts.argmax(axis=1)] += _SCALE - parts.sum(axis=1)
    return parts


def _unpacked(packed: object, n_labels: int, name: str) -> tuple[DecisionTree, tuple[str, ...]]:
    keys = ["feature_names", "feature", "threshold", "value", "weight"]
    if not isinstance(packed, dict) or set(packed) != set(keys):
        raise ValueError(f"{name}: expected a dict of {', '.join(keys)}")
    names = _check_names(f"{name}: feature_names", packed["feature_names"])
    feature = _numbers(packed["feature"], "i", f"{name}: feature", (-1,))
    leaf = feature < 0
    n_splits, n_leaves = int((~leaf).sum()), int(leaf.sum())
    left, right = _children(leaf, name)
    threshold = np.zeros(len(feature), dtype=np.float32)
    threshold[~leaf] = _numbers(packed["threshold"], "if", f"{name}: threshold", (n_splits,))
    value, weight = np.eye(1, n_labels).repeat(len(feature), axis=0), np.ones(len(feature))
    value[leaf] = _numbers(packed["value"], "i", f"{name}: value", (n_leaves, n_labels)) / _SCALE
    weight[leaf] = _numbers(packed["weight"], "if", f"{name}: weight", (n_leaves,))
    tree = DecisionTree(feature, threshold, left, right, value, weight)
    check_tree(tree, len(names), n_labels, name)
    value /= value.sum(axis=1, keepdims=True)
    _fill_inner_nodes(tree)
    return tree._replace(feature=feature.astype(np.int32), value=value.astype(np.float32)), names


def _children(leaf: np.ndarray, name: str) -> tuple[np.ndarray, np.ndarray]:
    """Left and right of nodes in preorder, read from the back: branches wait until their parent takes two."""
    left, right = np.full((2, len(leaf)), -1, dtype=np.int32)
    waiting: list[int] = []
    for node in range(len(leaf) - 1, -1, -1):
        if not leaf[node]:
            if len(waiting) < 2:
                raise ValueError(f"{name}: feature ends before node {node} has its two branches")
            left[node], right[node] = waiting.pop(), waiting.pop()
        waiting.append(node)
    if len(waiting) != 1:
        raise ValueError(f"{name}: feature holds {len(waiting)} trees one after the other, expected 1")
    return left, right


def _fill_inner_nodes(tree: DecisionTree) -> None:
    """Weight and value of inner nodes from their children's, in place, from the deepest level up."""
    depths = node_depths(tree)
    for level in range(depths.max() - 1, -1, -1):
        nodes = np.flatnonzero((depths == level) & (tree.feature >= 0))
        children = np.stack([tree.left[nodes], tree.right[nodes]])  # (2, nodes)
        weight = tree.weight[children]
        tree.weight[nodes] = weight.sum(axis=0)
        share = weight / tree.weight[nodes]
        tree.value[nodes] = (tree.value[children] * share[:, :, None]).sum(axis=0)


def _numbers(values: object, kinds: str, name: str, shape: tuple[int, ...]) -> np.ndarray:
    """A list from a file as an array of this shape (-1 for any length), or ValueError."""
    try:
        array = np.array(values)
    except ValueError:
        array = np.array(None)
    if array.size == 0 and array.shape == shape:
        return array
    fits = array.shape == shape or (shape == (-1,) and array.ndim == 1)
    if not fits or array.dtype.kind not in kinds:
        whole = "whole numbers" if kinds == "i" else "numbers"
        size = f"shape {shape}" if shape != (-1,) else "any length"
        raise ValueError(f"{name} is {array.dtype} of shape {array.shape}, expected {whole} of {size}")
    return array


def _check_names(name: str, values: object) -> tuple[str, ...]:
    """Names from a file or a caller as a tuple, or ValueError: different strings, none empty."""
    if not isinstance(values, list | tuple) or not all(isinstance(v, str) and v for v in values):
        raise ValueError(f"{name} is {values!r}, expected a list of names")
    if len(set(values)) < len(values):
        raise ValueError(f"{name} is {values!r}, expected different names")
    return tuple(values)
