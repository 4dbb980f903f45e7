"""A decision tree as parallel arrays in scikit-learn's layout: predict, cut, follow paths.

Features and thresholds are float32, and a row goes left where its feature <= threshold as float32:
the same row takes the same path on every machine and after every round trip through a file.
"""

from typing import NamedTuple

import numpy as np
from numba import njit


class DecisionTree(NamedTuple):
    """A binary tree of n nodes, parents before children, the root first."""

    feature: np.ndarray  # (n,) int32: column that a split looks at, -1 at a leaf
    threshold: np.ndarray  # (n,) float32: go left where x <= threshold; 0 at a leaf
    left: np.ndarray  # (n,) int32, -1 at a leaf
    right: np.ndarray  # (n,) int32, -1 at a leaf
    # (n, n_labels) float32: answers, at inner nodes too; means of the rows here unless costs count
    value: np.ndarray
    weight: np.ndarray  # (n,) float64: weight of the rows that come here

    def predict(self, X: np.ndarray) -> np.ndarray:
        """Probabilities (n, n_labels) float32 of rows X (n, f)."""
        return self.value[leaf_of(self, X)]


def leaf_of(tree: DecisionTree, X: np.ndarray) -> np.ndarray:
    """The leaf (n,) int32 that each row of X (n, f) ends in; X is compared as float32.

    Raises ValueError if X has no column for a feature of the tree.
    """
    if np.ndim(X) != 2 or np.shape(X)[1] <= tree.feature.max():
        raise ValueError(f"X is {np.shape(X)}, expected (n, f) with f > {tree.feature.max()}")
    leaves = np.empty(len(X), dtype=np.int32)
    _leaves(
        tree.feature,
        tree.threshold,
        tree.left,
        tree.right,
        np.ascontiguousarray(X, dtype=np.float32),
        leaves,
    )
    return leaves


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


def node_depths(tree: DecisionTree) -> np.ndarray:
    """Splits on the way from the root to each node, (n,) int32."""
    depths = np.zeros(len(tree.feature), dtype=np.int32)
    for node in np.flatnonzero(tree.feature >= 0):
        depths[[tree.left[node], tree.right[node]]] = depths[node] + 1
    return depths


def parents(tree: DecisionTree) -> np.ndarray:
    """The node above each node, (n,) int64, -1 for the root."""
    above, splits = np.full(len(tree.feature), -1), np.flatnonzero(tree.feature >= 0)
    above[tree.left[splits]] = above[tree.right[splits]] = splits
    return above


def below(tree: DecisionTree, branch: int | np.ndarray) -> np.ndarray:
    """Which nodes belong to a branch, its own root included, (n,) bool; or to any of those marked
    in a mask (n,) bool.
    """
    inside = np.zeros(len(tree.feature), dtype=bool)
    inside[branch] = True
    for node in np.flatnonzero(tree.feature >= 0):  # parents come before children
        inside[[tree.left[node], tree.right[node]]] |= inside[node]
    return inside


def cut(tree: DecisionTree, ends: np.ndarray) -> DecisionTree:
    """The tree with the nodes marked in ends (n,) bool made leaves with their value, and what is
    below them dropped.
    """
    kept = ~np.append(below(tree, ends), False)[parents(tree)]  # nothing is above the root
    leaf = (ends | (tree.feature < 0))[kept]
    number = np.cumsum(kept) - 1  # new number of each kept node
    return DecisionTree(
        feature=np.where(leaf, -1, tree.feature[kept]).astype(np.int32),
        threshold=np.where(leaf, 0, tree.threshold[kept]).astype(np.float32),
        left=np.where(leaf, -1, number[tree.left[kept]]).astype(np.int32),
        right=np.where(leaf, -1, number[tree.right[kept]]).astype(np.int32),
        value=tree.value[kept],
        weight=tree.weight[kept],
    )


def truncate(tree: DecisionTree, depth: int) -> DecisionTree:
    """The top of the tree: nodes at `depth` become leaves."""
    return cut(tree, node_depths(tree) >= depth)


def add_up(left: np.ndarray, right: np.ndarray, sums: np.ndarray) -> np.ndarray:
    """Fill in the rows of sums (n, ..) that belong to splits, in place: the sum of both children's.
    left, right: of a tree.
    """
    for node in np.flatnonzero(left >= 0)[::-1]:  # children come after parents
        sums[node] = sums[left[node]] + sums[right[node]]
    return sums


def leaves_below(tree: DecisionTree) -> np.ndarray:
    """How many leaves each branch has, (n,) int64; 1 at a leaf."""
    return add_up(tree.left, tree.right, (tree.feature < 0).astype(np.int64))


def path_to(tree: DecisionTree, node: int) -> list[tuple[int, bool]]:
    """The splits on the way from the root to a node, each with whether the way goes on to the right
    (above the threshold).
    """
    parent, path = parents(tree), []
    while (above := int(parent[node])) >= 0:
        path.append((above, bool(tree.right[above] == node)))
        node = above
    return path[::-1]


def shortest_decimal(threshold: np.float32) -> float:
    """A number of few digits that is this float32 when rounded to float32."""
    short = float(str(threshold))
    return short if np.float32(short) == threshold else float(threshold)
