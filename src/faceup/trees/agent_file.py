"""An agent's file: four decision trees, one a street, with their features, labels and provenance.

The file is JSON. Nodes stand in preorder, a node before its left branch and that before its right
one, so that `feature` (-1 at a leaf) alone determines the shape; `threshold` has one number a
split, `value` (probabilities in 1/10,000) and `weight` (four digits) one entry a leaf. On reading,
inner nodes get the weighted mean of their leaves.
"""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from faceup.cards.cards import STREETS
from faceup.trees.tree import DecisionTree, add_up, shortest_decimal
from faceup.util.files import write_text

_FORMAT = "faceup-trees-1"
_SCALE = 10_000  # of probabilities in a file
_LARGEST = float(np.finfo(np.float32).max)
_SMALLEST = float(np.finfo(np.float64).tiny)  # weights are above 0


class AgentFile(NamedTuple):
    """The content of an agent's file."""

    trees: tuple[DecisionTree, ...]  # one a street
    feature_names: tuple[tuple[str, ...], ...]  # of each street
    labels: tuple[str, ...]
    provenance: dict


def pack(tree: DecisionTree) -> dict[str, list]:
    """A tree as lists by name."""
    order, waiting = [], [0]  # in preorder
    while waiting:
        node = waiting.pop()
        order.append(node)
        if tree.feature[node] >= 0:
            waiting += [tree.right[node], tree.left[node]]
    feature = tree.feature[order]
    leaves = np.array(order)[feature < 0]
    parts = np.rint(tree.value[leaves].astype(np.float64) * _SCALE).astype(np.int64)
    # the likeliest label takes what rounding leaves
    parts[np.arange(len(parts)), parts.argmax(axis=1)] += _SCALE - parts.sum(axis=1)
    return {
        "feature": feature.tolist(),
        "threshold": [shortest_decimal(t) for t in tree.threshold[order][feature >= 0]],
        "value": parts.tolist(),
        "weight": [float(f"{weight:.4g}") for weight in tree.weight[leaves]],
    }


def save_agent(
    path: Path,
    trees: Sequence[DecisionTree],
    feature_names: Sequence[Sequence[str]],
    labels: Sequence[str],
    provenance: dict,
) -> None:
    """Write four trees, one a street, the names of their features and labels, and their origin."""
    content: dict[str, Any] = {"format": _FORMAT, "provenance": provenance, "labels": list(labels)}
    for street, tree, names in zip(STREETS, trees, feature_names, strict=True):
        content[street] = {"feature_names": list(names), **pack(tree)}
    encoder = json.JSONEncoder(separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    lines = [f"{json.dumps(key)}: {encoder.encode(part)}" for key, part in content.items()]
    write_text(path, "{\n" + ",\n".join(lines) + "\n}\n")


def load_agent_file(path: Path) -> AgentFile:
    """Read what `save_agent` wrote.

    Raises ValueError naming the file, the key, its value and what was expected.
    """
    try:
        content = json.loads(Path(path).read_text(encoding="utf-8"))
        _check_keys("file", content, ("format", "provenance", "labels", *STREETS))
        _check("format", content["format"], content["format"] == _FORMAT, _FORMAT)
        provenance = content["provenance"]
        _check("provenance", provenance, isinstance(provenance, dict), "keys and values")
        labels = _texts("labels", content)
        rounds = [_unpacked(street, content[street], len(labels)) for street in STREETS]
    except (ValueError, RecursionError) as error:
        printable = "".join(c if c.isprintable() else "?" for c in str(error)[:200])
        raise ValueError(f"{path}: {printable}") from None
    trees, names = zip(*rounds, strict=True)
    return AgentFile(trees, names, labels, provenance)


def _check(key: str, value: object, good: bool, expected: str) -> None:
    """Raises ValueError on a value that is not good."""
    if not good:
        raise ValueError(f"{key}: {str(value)[:50]}, expected {expected}")


def _check_keys(key: str, value: Any, keys: tuple[str, ...]) -> None:
    _check(key, value, isinstance(value, dict) and set(value) == set(keys), f"keys {list(keys)}")


def _texts(key: str, content: dict) -> tuple[str, ...]:
    """A list of content as a tuple; raises ValueError on all but texts."""
    value = content[key]
    good = isinstance(value, list) and all(isinstance(x, str) for x in value)
    _check(key, value, good, "a list of texts")
    return tuple(value)


def _numbers(
    key: str, content: dict, shape: tuple[int, ...], of: type, low: float, high: float
) -> np.ndarray:
    """A list of content as an array; raises ValueError on all but numbers from low to high in a
    shape.
    """
    value = content[key]
    array = np.array(value, dtype=object)
    bad = [x for x in array.flat if type(x) not in (int, of) or not low <= x <= high]
    good = isinstance(value, list) and array.shape == shape and not bad
    _check(key, bad or value, good, f"{shape} numbers ({of.__name__}) from {low} to {high}")
    return array.astype(of)


def _unpacked(street: str, part: Any, n_labels: int) -> tuple[DecisionTree, tuple[str, ...]]:
    """A street's tree and the names of its features; raises ValueError where there is none."""
    _check_keys(street, part, ("feature_names", "feature", "threshold", "value", "weight"))
    part = {f"{street}.{key}": value for key, value in part.items()}
    names = _texts(f"{street}.feature_names", part)
    size = np.size(part[f"{street}.feature"])
    feature = _numbers(f"{street}.feature", part, (size,), int, -1, len(names) - 1)
    leaf = feature < 0
    n_leaves = int(leaf.sum())
    left, right = _children(f"{street}.feature", leaf)
    threshold = np.zeros(size, dtype=np.float32)
    threshold[~leaf] = _numbers(
        f"{street}.threshold", part, (size - n_leaves,), float, -_LARGEST, _LARGEST
    )
    weight = _numbers(f"{street}.weight", part, (n_leaves,), float, _SMALLEST, _LARGEST)[:, None]
    parts = _numbers(f"{street}.value", part, (n_leaves, n_labels), int, 0, _SCALE)
    _check(f"{street}.value", parts, (parts.sum(axis=1) == _SCALE).all(), f"rows with sum {_SCALE}")
    sums = np.zeros((size, n_labels + 1))
    sums[leaf] = np.concatenate([parts / _SCALE * weight, weight], axis=1)
    add_up(left, right, sums)
    value = (sums[:, :-1] / sums[:, -1:]).astype(np.float32)
    weights = sums[:, -1].copy()
    return DecisionTree(feature.astype(np.int32), threshold, left, right, value, weights), names


def _children(key: str, leaf: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Left and right of nodes in preorder.

    Read from the back: branches wait until their parent takes two.
    """
    left, right = np.full((2, len(leaf)), -1, dtype=np.int32)
    waiting: list[int] = []
    for node in range(len(leaf) - 1, -1, -1):
        if not leaf[node]:
            _check(key, f"node {node}", len(waiting) >= 2, "two branches")
            left[node], right[node] = waiting.pop(), waiting.pop()
        waiting.append(node)
    _check(key, f"{len(waiting)} roots", len(waiting) == 1, "one tree")
    return left, right
