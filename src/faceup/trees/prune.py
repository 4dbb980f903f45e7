"""What may be done to a fitted tree: splits that earn little pruned, and answers put in order.

Cost-complexity pruning (Breiman et al. 1984, Chapter 3) keeps the splits that earn more than cp each. A leaf earns as by the
Brier score of `faceup.trees.oct_splits`. The weakest branch is the one that earns least for each of its splits; cutting off the
weakest again and again gives the pruning path.

A tree that copies another player's answers copies his noise: told of a larger bet, it may call more often. *Isotonic
classification trees* (van de Kamp, Feelders & Barile 2009) keep the questions and give the leaves the answers nearest to their
own, by weighted squares, that are in order.
"""

from typing import NamedTuple

import numpy as np
from numba import njit

from faceup.trees.metrics import used_rows
from faceup.trees.tree import DecisionTree, add_up, cut, leaf_of, leaves_below, parents

_ROUNDING = 1e-12  # of all weight: prices that differ by less are one
_SWEEPS = 1000  # over all pairs of leaves; what they leave undone is put in order at the end


class PruningPath(NamedTuple):
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


def pruning_path(tree: DecisionTree, X: np.ndarray, P: np.ndarray, w: np.ndarray) -> PruningPath:
    """The pruning path of a tree, and the Brier score of each tree on it on rows X (n, f), P (n, n_labels), w (n,)."""
    alone, lost = earned(tree), _losses(tree, *used_rows(X, P, w))
    parent, splits = parents(tree), leaves_below(tree) - 1
    branch, loss = (add_up(tree.left, tree.right, each.copy()) for each in (alone, lost))
    gain = np.where(splits > 0, branch - alone, np.inf) / np.maximum(splits, 1)  # a split; infinite where nothing is left to cut
    path, cp = [(0.0, splits[0] + 1, loss[0])], 0.0
    while splits[0]:
        node = int(gain.argmin())
        price, waiting = gain[node], [node]
        while waiting:
            inside = waiting.pop()
            gain[inside] = np.inf
            waiting += [tree.left[inside], tree.right[inside]] if tree.feature[inside] >= 0 else []
        change = alone[node] - branch[node], lost[node] - loss[node], -splits[node]
        above = node
        while above >= 0:
            branch[above] += change[0]
            loss[above] += change[1]
            splits[above] += change[2]
            if above != node:
                gain[above] = (branch[above] - alone[above]) / splits[above]
            above = parent[above]
        if price > cp + _ROUNDING:
            cp = price
        else:  # at this price more than one branch goes
            path.pop()
        path.append((cp, splits[0] + 1, loss[0]))
    cps, leaves, losses = (np.array(column) for column in zip(*path, strict=True))
    return PruningPath(cps, leaves, losses)


def best_cp(path: PruningPath, tolerance: float = 0.0) -> float:
    """The cp of the smallest tree on a path whose loss is at most a share `tolerance` above the least.

    In the middle, on a log scale, of the range that gives that tree. (Breiman et al. allow one standard error.)
    """
    best = int(np.flatnonzero(path.loss <= (1 + tolerance) * path.loss.min())[-1] if tolerance else path.loss.argmin())
    low = max(path.cp[best], _ROUNDING)
    high = path.cp[best + 1] if best + 1 < len(path.cp) else 4 * low  # any larger one leaves the root
    return float(np.sqrt(low * high))


def _losses(tree: DecisionTree, X: np.ndarray, P: np.ndarray, w: np.ndarray) -> np.ndarray:
    """What each node (n,) would lose as a leaf on the rows that come there, as a share of all rows' weight."""
    leaves, w = leaf_of(tree, X), w / w.sum()
    columns = np.concatenate([w[:, None] * P, (w * (P**2).sum(axis=1))[:, None], w[:, None]], axis=1)
    sums = np.stack([np.bincount(leaves, weights=c, minlength=len(tree.feature)) for c in columns.T], axis=1)
    add_up(tree.left, tree.right, sums)
    mass, squares, weight, p = sums[:, :-2], sums[:, -2], sums[:, -1], tree.value.astype(np.float64)
    return squares - 2 * (mass * p).sum(axis=1) + weight * (p**2).sum(axis=1)


def isotonic(tree: DecisionTree, X: np.ndarray, *, column: int, most: np.ndarray, label: int, other: int) -> DecisionTree:
    """The tree with leaves whose chance of `label` does not fall where a feature rises and all others of a row stay.

    X (n, f): rows for which that is to hold; column: the feature; most (n,): its largest value in each row. The other labels
    share what is left as before, or `other` gets it where they had nothing.
    """
    low, high = _pairs(tree, X, column, most)
    value = tree.value.astype(np.float64)
    before, after = value[:, label].copy(), value[:, label].copy()
    _project(low, high, tree.weight, after)
    for a, b in zip(low.tolist(), high.tolist(), strict=True):  # in the order of the feature
        after[b] = max(after[a], after[b])
    sure = before >= 1 - 1e-9
    value *= ((1 - after) / np.where(sure, 1, 1 - before))[:, None]
    value[sure] = 0
    value[sure, other] = 1 - after[sure]
    value[:, label] = after
    return tree._replace(value=value.astype(np.float32))


def _pairs(tree: DecisionTree, X: np.ndarray, column: int, most: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Leaves (n_pairs,) that a row passes one after the other where the feature rises, those of low values first."""
    moved, found = X.copy(), []
    moved[:, column] = -np.inf
    here = leaf_of(tree, moved)
    for level in (*np.unique(tree.threshold[tree.feature == column])[1:], np.inf):
        moved[:, column] = np.minimum(level, most)
        after = leaf_of(tree, moved)
        found.append(np.stack([here, after], axis=1)[here != after])
        here = after
    pairs = np.unique(np.concatenate(found), axis=0)
    least = np.full(len(tree.feature), -np.inf)  # what the feature is above in each node
    for node in np.flatnonzero(tree.feature >= 0):
        least[[tree.left[node], tree.right[node]]] = least[node]
        if tree.feature[node] == column:
            least[tree.right[node]] = tree.threshold[node]
    pairs = pairs[np.argsort(least[pairs[:, 1]], kind="stable")]
    return pairs[:, 0].copy(), pairs[:, 1].copy()


@njit(cache=True)
def _project(low, high, weight, p):
    """Move p (n,) to the nearest point with p[low] <= p[high] for every pair (Hildreth 1957), in place."""
    pull = np.zeros(len(low))
    for _ in range(_SWEEPS):
        for i in range(len(low)):
            a, b = low[i], high[i]
            more = max(-pull[i], (p[a] - p[b]) / (1 / weight[a] + 1 / weight[b]))
            pull[i] += more
            p[a] -= more / weight[a]
            p[b] += more / weight[b]
