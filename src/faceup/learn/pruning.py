"""Cost-complexity pruning (Breiman et al. 1984, Chapter 3): which splits of a fitted tree earn more than cp each.

What a leaf earns is `faceup.learn.oct_moves._crit`, here from a fitted tree's values and weights, as a share of all
weight. The weakest branch is the one that earns least for each of its splits; cutting off the weakest again and
again gives the pruning path, and one pass of other rows down the tree tells the loss of every tree on it.
"""

import numpy as np

from faceup.learn.trees import Tree

CRITERIA = ("agreement", "brier", "log")  # in the order of oct_moves.AGREEMENT, BRIER, LOG


def earned(tree: Tree, criterion: str) -> np.ndarray:
    """What each node (n,) earns as a leaf, as a share of all weight."""
    p = tree.value.astype(np.float64)
    if criterion == "agreement":
        each = p.max(axis=1)
    elif criterion == "brier":
        each = (p**2).sum(axis=1)
    else:
        each = (p * np.log(np.maximum(p, 1e-300))).sum(axis=1)
    return each * tree.weight / tree.weight[0]


def prune(tree: Tree, cp: float, criterion: str) -> Tree:
    """The tree without the branches that earn less than cp a split, as a whole and from the bottom up."""
    alone = earned(tree, criterion)
    best, kept = alone.copy(), np.zeros(len(alone), dtype=bool)
    for node in np.flatnonzero(tree.feature >= 0)[::-1]:
        branch = best[tree.left[node]] + best[tree.right[node]] - cp
        kept[node] = branch > alone[node]
        best[node] = max(branch, alone[node])
    return without(tree, ~kept)


def without(tree: Tree, cut: np.ndarray) -> Tree:
    """The tree with the nodes marked in cut (n,) made leaves, and what is below them left out."""
    leaf, below = cut | (tree.feature < 0), np.zeros(len(cut), dtype=bool)
    for node in np.flatnonzero(tree.feature >= 0):  # parents first
        if leaf[node] or below[node]:
            below[tree.left[node]] = below[tree.right[node]] = True
    kept = ~below
    number = np.cumsum(kept) - 1
    end = leaf[kept]
    return Tree(
        feature=np.where(end, -1, tree.feature[kept]).astype(np.int32),
        threshold=np.where(end, 0, tree.threshold[kept]).astype(np.float32),
        left=np.where(end, -1, number[tree.left[kept]]).astype(np.int32),
        right=np.where(end, -1, number[tree.right[kept]]).astype(np.int32),
        value=tree.value[kept],
        weight=tree.weight[kept],
    )
