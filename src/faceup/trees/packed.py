"""A decision tree as lists for a JSON file, and back.

Nodes stand in preorder, a node before its left branch and that before the right one, so that `feature` (-1 at a leaf) tells
the shape by itself; `threshold` has one number a split, `value` (probabilities in 1/10,000) and `weight` (four digits) one
entry a leaf. Inner nodes get the weighted mean of their leaves on reading.
"""

import numpy as np

from faceup.trees.decision_tree import DecisionTree, check_tree, node_depths, preorder

_SCALE = 10_000  # of probabilities in a file


def exact(threshold: np.float32) -> float:
    """A number of few digits that is this float32 when rounded to float32."""
    short = float(str(threshold))
    return short if np.float32(short) == threshold else float(threshold)


def pack(tree: DecisionTree) -> dict[str, list]:
    """A tree that `check_tree` accepts as lists by name."""
    order = preorder(tree.feature, tree.left, tree.right)
    feature = tree.feature[order]
    leaves = order[feature < 0]
    parts = np.rint(tree.value[leaves].astype(np.float64) * _SCALE).astype(np.int64)
    parts[np.arange(len(parts)), parts.argmax(axis=1)] += _SCALE - parts.sum(axis=1)  # the likeliest takes what rounding leaves
    return {
        "feature": feature.tolist(),
        "threshold": [exact(t) for t in tree.threshold[order][feature >= 0]],
        "value": parts.tolist(),
        "weight": [float(f"{weight:.4g}") for weight in tree.weight[leaves]],
    }


def unpack(packed: object, n_labels: int, name: str) -> tuple[DecisionTree, tuple[str, ...]]:
    """(the tree, the names of its features) of what `pack` gave with "feature_names" beside it.

    Raises ValueError naming what is wrong, after `name`.
    """
    keys = ["feature_names", "feature", "threshold", "value", "weight"]
    if not isinstance(packed, dict) or set(packed) != set(keys):
        raise ValueError(f"{name}: expected a dict of {', '.join(keys)}")
    names = checked_names(f"{name}: feature_names", packed["feature_names"])
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


def checked_names(name: str, values: object) -> tuple[str, ...]:
    """Names from a file or a caller as a tuple, or ValueError: different strings, none empty."""
    if not isinstance(values, list | tuple) or not all(isinstance(v, str) and v for v in values):
        raise ValueError(f"{name} is {values!r}, expected a list of names")
    if len(set(values)) < len(values):
        raise ValueError(f"{name} is {values!r}, expected different names")
    return tuple(values)
