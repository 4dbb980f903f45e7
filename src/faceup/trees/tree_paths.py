"""Ways through a tree: the path to a node, the branch below it, and what is asked at each depth."""

import numpy as np

from faceup.trees.trees import DecisionTree, node_depths


def path_to(tree: DecisionTree, node: int) -> list[tuple[int, bool]]:
    """The splits on the way from the root to a node, each with whether the way goes on to the right (above the threshold).

    Raises ValueError where the tree has no such node.
    """
    if not 0 <= node < len(tree.feature):
        raise ValueError(f"node is {node}, expected from 0 to {len(tree.feature) - 1}")
    splits = np.flatnonzero(tree.feature >= 0)
    parent = np.full(len(tree.feature), -1)
    parent[tree.left[splits]] = parent[tree.right[splits]] = splits
    path: list[tuple[int, bool]] = []
    while parent[node] >= 0:
        above = int(parent[node])
        path.append((above, bool(tree.right[above] == node)))
        node = above
    return path[::-1]


def below(tree: DecisionTree, branch: int) -> np.ndarray:
    """Which nodes belong to a branch, its own root included, (n,) bool."""
    inside = np.zeros(len(tree.feature), dtype=bool)
    inside[branch] = True
    for node in np.flatnonzero(tree.feature >= 0):  # parents come before children
        inside[[tree.left[node], tree.right[node]]] |= inside[node]
    return inside


def leaves_below(tree: DecisionTree) -> np.ndarray:
    """How many leaves each branch has, (n,) int64; 1 at a leaf."""
    count = (tree.feature < 0).astype(np.int64)
    for node in np.flatnonzero(tree.feature >= 0)[::-1]:
        count[node] = count[tree.left[node]] + count[tree.right[node]]
    return count


def top_levels(tree: DecisionTree, levels: int, root: int = 0) -> np.ndarray:
    """Which splits lie less than `levels` below a root, (n,) bool."""
    depths = node_depths(tree)
    return below(tree, root) & (tree.feature >= 0) & (depths < depths[root] + levels)


def feature_use(tree: DecisionTree, n_features: int) -> np.ndarray:
    """Share of the tree's weight that is asked about each feature at each depth, (depth, n_features) float64.

    A row sums to what has not reached a leaf yet: the first to 1, unless the tree is a single leaf and there are no rows.
    """
    depths, splits = node_depths(tree), np.flatnonzero(tree.feature >= 0)
    use = np.zeros((int(depths.max()), n_features))
    np.add.at(use, (depths[splits], tree.feature[splits]), tree.weight[splits] / tree.weight[0])
    return use
