"""Cost-complexity pruning (Breiman et al. 1984, Chapter 3): which splits of a fitted tree earn more than cp each.

A leaf earns as by the Brier score of `faceup.trees.oct_sweeps`. The weakest branch is the one that earns least for each of its
splits; cutting off the weakest again and again gives the pruning path.
"""

import heapq
from typing import NamedTuple

import numpy as np

from faceup.trees.decision_tree import DecisionTree, add_up, cut, leaf_of, leaves_below, parents
from faceup.trees.metrics import checked_rows

_ROUNDING = 1e-12  # of all weight: prices that differ by less are one


class Path(NamedTuple):
    """The trees that ever larger cp leave of one tree, the largest first, the root alone last.

    The largest is the whole tree, but for splits that earn nothing.
    """

    cp: np.ndarray  # (k,) float64, rising: the least cp that gives the tree
    leaves: np.ndarray  # (k,) int64
    loss: np.ndarray  # (k,) float64: on the rows given


def earned(tree: DecisionTree) -> np.ndarray:
    """What each node (n,) earns as a leaf, |p|^2 of its answer p times its share of all weight."""
    return (tree.value.astype(np.float64) ** 2).sum(axis=1) * tree.weight / tree.weight[0]


def prune(tree: DecisionTree, cp: float) -> DecisionTree:
    """The tree without the branches that earn less than cp a split, as a whole and from the bottom up."""
    alone = earned(tree)
    best, kept = alone.copy(), np.zeros(len(alone), dtype=bool)
    for node in np.flatnonzero(tree.feature >= 0)[::-1]:
        branch = best[tree.left[node]] + best[tree.right[node]] - cp
        kept[node] = branch > alone[node]
        best[node] = max(branch, alone[node])
    return cut(tree, ~kept)


def pruning_path(tree: DecisionTree, X: np.ndarray, P: np.ndarray, w: np.ndarray) -> Path:
    """The pruning path of a tree, and the Brier score of each tree on it on rows X (n, f), P (n, n_labels), w (n,)."""
    alone, lost = earned(tree), _losses(tree, *checked_rows(X, P, w))
    parent, splits = parents(tree), leaves_below(tree) - 1
    branch, loss = (add_up(tree.left, tree.right, each.copy()) for each in (alone, lost))
    heap = [((branch[t] - alone[t]) / splits[t], int(t)) for t in np.flatnonzero(splits)]
    heapq.heapify(heap)
    path, cp = [(0.0, splits[0] + 1, loss[0])], 0.0
    while heap:
        gain, node = heapq.heappop(heap)
        if splits[node] == 0 or gain != (branch[node] - alone[node]) / splits[node] or _is_cut(splits, parent, node):
            continue
        change = alone[node] - branch[node], lost[node] - loss[node], -splits[node]
        above = node
        while above >= 0:
            branch[above] += change[0]
            loss[above] += change[1]
            splits[above] += change[2]
            if above != node:
                heapq.heappush(heap, ((branch[above] - alone[above]) / splits[above], int(above)))
            above = parent[above]
        if gain > cp + _ROUNDING:
            cp = gain
        else:  # at this price more than one branch goes
            path.pop()
        path.append((cp, splits[0] + 1, loss[0]))
    cps, leaves, losses = (np.array(column) for column in zip(*path, strict=True))
    return Path(cps, leaves, losses)


def best_cp(path: Path, tolerance: float = 0.0) -> float:
    """The cp of the smallest tree on a path whose loss is at most a share `tolerance` above the least.

    In the middle, on a log scale, of the range that gives that tree. (Breiman et al. allow one standard error.)
    """
    best = int(np.flatnonzero(path.loss <= (1 + tolerance) * path.loss.min())[-1] if tolerance else path.loss.argmin())
    low = max(path.cp[best], _ROUNDING)
    high = path.cp[best + 1] if best + 1 < len(path.cp) else 4 * low  # any larger one leaves the root
    return float(np.sqrt(low * high))


def _is_cut(splits: np.ndarray, parent: np.ndarray, node: int) -> bool:
    """Whether a node above has become a leaf."""
    while (node := parent[node]) >= 0:
        if splits[node] == 0:
            return True
    return False


def _losses(tree: DecisionTree, X: np.ndarray, P: np.ndarray, w: np.ndarray) -> np.ndarray:
    """What each node (n,) would lose as a leaf on the rows that come there, as a share of all rows' weight."""
    leaves, w = leaf_of(tree, X), w / w.sum()
    columns = np.concatenate([w[:, None] * P, (w * (P**2).sum(axis=1))[:, None], w[:, None]], axis=1)
    sums = np.stack([np.bincount(leaves, weights=c, minlength=len(tree.feature)) for c in columns.T], axis=1)
    add_up(tree.left, tree.right, sums)
    mass, squares, weight, p = sums[:, :-2], sums[:, -2], sums[:, -1], tree.value.astype(np.float64)
    return squares - 2 * (mass * p).sum(axis=1) + weight * (p**2).sum(axis=1)
