"""An agent's file: four decision trees, one a street, with their features, labels and provenance.

The file is JSON. Nodes stand in preorder, a node before its left branch and that before its right
one, so that `feature` (-1 at a leaf) tells the shape by itself; `threshold` has one number a split,
`value` (probabilities in 1/10,000) and `weight` (four digits) one entry a leaf. Inner nodes get the
weighted mean of their leaves on reading.
"""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple

import numpy as np
from pydantic import BaseModel, Field, ValidationError

from faceup.trees.tree import DecisionTree, add_up
from faceup.util.files import write_text

_SCALE = 10_000  # of probabilities in a file
_DEEPEST = 500  # splits on a path in a file
_LARGEST = float(np.finfo(np.float32).max)


class AgentFile(NamedTuple):
    """What an agent's file holds."""

    trees: tuple[DecisionTree, ...]  # one a round
    feature_names: tuple[tuple[str, ...], ...]  # of each round
    labels: tuple[str, ...]
    provenance: dict


class _Round(BaseModel, strict=True, extra="forbid"):
    feature_names: list[str]
    feature: list[Annotated[int, Field(ge=-1, le=1000)]]
    threshold: list[Annotated[float, Field(ge=-_LARGEST, le=_LARGEST)]]
    value: list[list[Annotated[int, Field(ge=0, le=_SCALE)]]]
    weight: list[Annotated[float, Field(gt=0, le=_LARGEST)]]


class _File(BaseModel, strict=True, extra="forbid"):
    format: Literal["faceup-trees-1"]
    provenance: dict[str, Any]
    labels: list[str]
    preflop: _Round
    flop: _Round
    turn: _Round
    river: _Round


_ROUNDS = tuple(_File.model_fields)[-4:]


def exact(threshold: np.float32) -> float:
    """A number of few digits that is this float32 when rounded to float32."""
    short = float(str(threshold))
    return short if np.float32(short) == threshold else float(threshold)


def pack(tree: DecisionTree) -> dict[str, list]:
    """A tree as lists by name."""
    order, waiting = [], [0]  # in preorder
    while waiting:
        order.append(node := waiting.pop())
        if tree.feature[node] >= 0:
            waiting += [tree.right[node], tree.left[node]]
    feature = tree.feature[order]
    leaves = np.array(order)[feature < 0]
    parts = np.rint(tree.value[leaves].astype(np.float64) * _SCALE).astype(np.int64)
    # the likeliest takes what rounding leaves
    parts[np.arange(len(parts)), parts.argmax(axis=1)] += _SCALE - parts.sum(axis=1)
    return {
        "feature": feature.tolist(),
        "threshold": [exact(t) for t in tree.threshold[order][feature >= 0]],
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
    """Write four trees, one a round, the names of their features and labels, and where they come
    from.
    """
    content: dict[str, Any] = {
        "format": "faceup-trees-1",
        "provenance": provenance,
        "labels": list(labels),
    }
    for street, tree, names in zip(_ROUNDS, trees, feature_names, strict=True):
        content[street] = {"feature_names": list(names), **pack(tree)}
    lines = [
        f"{json.dumps(key)}: {json.dumps(part, separators=(',', ':'), ensure_ascii=False, allow_nan=False)}"
        for key, part in content.items()
    ]
    write_text(path, "{\n" + ",\n".join(lines) + "\n}\n")


def load_agent_file(path: Path) -> AgentFile:
    """Read what `save_agent` wrote; raises ValueError naming the file and what is wrong with it."""
    try:
        file = _File.model_validate(
            json.loads(Path(path).read_text(encoding="utf-8"), object_pairs_hook=_once)
        )
        rounds = {street: getattr(file, street) for street in _ROUNDS}
        trees = tuple(_unpacked(street, part, len(file.labels)) for street, part in rounds.items())
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        raise ValueError(
            f"{path}: {_clean('.'.join(map(str, first['loc'])) + ': ' + first['msg'])}"
        ) from None
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{path}: {_clean(str(error))}") from None
    return AgentFile(
        trees,
        tuple(tuple(part.feature_names) for part in rounds.values()),
        tuple(file.labels),
        file.provenance,
    )


def _clean(text: str) -> str:
    """At most 200 characters of a file's words, none that controls a terminal."""
    return "".join(c if c.isprintable() else "?" for c in text[:200])


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """The dict of a JSON object, in which no key may stand twice."""
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError(f"a key stands twice among {', '.join(key for key, _ in pairs)}")
    return found


def _unpacked(street: str, part: _Round, n_labels: int) -> DecisionTree:
    """A round's tree."""
    feature = np.array(part.feature, dtype=np.int32)
    leaf = feature < 0
    left, right = _children(street, leaf)
    n_splits, n_leaves = int((~leaf).sum()), int(leaf.sum())
    if feature.max() >= len(part.feature_names):
        raise ValueError(f"{street}.feature: expected numbers of {len(part.feature_names)} names")
    if len(part.threshold) != n_splits or len(part.weight) != n_leaves:
        raise ValueError(f"{street}: expected {n_splits} of threshold and {n_leaves} of weight")
    if [(len(row), sum(row)) for row in part.value] != [(n_labels, _SCALE)] * n_leaves:
        raise ValueError(
            f"{street}.value: expected {n_leaves} rows of {n_labels} numbers whose sum is {_SCALE}"
        )
    threshold, sums = np.zeros(len(leaf), dtype=np.float32), np.zeros((len(leaf), n_labels + 1))
    threshold[~leaf], weight = part.threshold, np.array(part.weight)[:, None]
    sums[leaf] = np.concatenate([np.array(part.value) / _SCALE * weight, weight], axis=1)
    add_up(left, right, sums)
    value = (sums[:, :-1] / sums[:, -1:]).astype(np.float32)
    return DecisionTree(feature, threshold, left, right, value, sums[:, -1].copy())


def _children(street: str, leaf: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Left and right of nodes in preorder, read from the back: branches wait until their parent
    takes two.
    """
    left, right = np.full((2, len(leaf)), -1, dtype=np.int32)
    waiting: list[tuple[int, int]] = []  # nodes, and the splits on the longest way down from each
    for node in range(len(leaf) - 1, -1, -1):
        depth = 0
        if not leaf[node]:
            if len(waiting) < 2:
                raise ValueError(f"{street}.feature: node {node} lacks a branch")
            (left[node], low), (right[node], high) = waiting.pop(), waiting.pop()
            depth = 1 + max(low, high)
        waiting.append((node, depth))
    if len(waiting) != 1 or waiting[0][1] > _DEEPEST:
        raise ValueError(
            f"{street}.feature: expected one tree of at most {_DEEPEST} splits on a path"
        )
    return left, right
