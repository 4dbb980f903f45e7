"""Leaves pulled towards the nodes above them (Agarwal, Tan, Ronen, Singh & Yu 2022, Hierarchical Shrinkage, ICML).

A small leaf's mean is a guess from few rows. Each step of a way from the root to a leaf changes the prediction by the
difference of the two nodes' means; shrinkage takes a step the less seriously the fewer rows the node above it holds. The
tree's questions stay what they are.
"""

import numpy as np

from faceup.learn.metrics import check_range
from faceup.learn.trees import Tree


def shrink(tree: Tree, strength: float) -> Tree:
    """The tree with every step below a node of weight W divided by 1 + strength / W (Agarwal et al. 2022, equation 2).

    strength: 0 or more, in the unit of `tree.weight`: rows, where weights have a mean of 1. Inner nodes are shrunk too, so
    that `truncate` gives what shrinking the truncated tree would. Raises ValueError on a strength below 0.
    """
    check_range("strength", strength, 0)
    mean, value = tree.value.astype(np.float64), tree.value.astype(np.float64)
    for node in np.flatnonzero(tree.feature >= 0):  # parents first
        children = [tree.left[node], tree.right[node]]
        value[children] = value[node] + (mean[children] - mean[node]) / (1 + strength / tree.weight[node])
    return tree._replace(value=value.astype(np.float32))
