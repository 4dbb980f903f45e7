"""What may be done to a fitted tree: splits that earn little pruned, and answers put in order.

Cost-complexity pruning (Breiman et al. 1984, Chapter 3) keeps the splits that earn more than cp
each. A leaf earns as by the Brier score of `faceup.trees.oct_splits`.

A tree that copies another player's answers copies its noise: told of a larger bet, it may call more
often. *Isotonic classification trees* (van de Kamp, Feelders & Barile 2009) keep the questions and
give the leaves the answers nearest to their own, by weighted squares, that are in order.
"""

from itertools import accumulate

import numpy as np
from numba import njit

from faceup.trees.metrics import fit_metrics
from faceup.trees.tree import DecisionTree, cut, leaf_of

# prices of a split that `prune_by` tries; at the last one the root alone is left
CPS = np.geomspace(1e-8, 1, 200)
_SWEEPS = 1000  # over all pairs of leaves; what they leave undone is put in order at the end


def prune(tree: DecisionTree, cp: float) -> DecisionTree:
    """The tree without the branches that earn less than cp a split, as a whole and from the bottom
    up.

    A leaf earns |p|^2 of its answer p times its share of all weight.
    """
    alone = (tree.value.astype(np.float64) ** 2).sum(axis=1) * tree.weight / tree.weight[0]
    best, kept = alone.tolist(), np.zeros(len(alone), dtype=bool)
    for node in np.flatnonzero(tree.feature >= 0)[::-1]:
        branch = best[tree.left[node]] + best[tree.right[node]] - cp
        kept[node] = branch > best[node]
        best[node] = max(branch, best[node])
    return cut(tree, ~kept)


def prune_by(
    tree: DecisionTree, X: np.ndarray, P: np.ndarray, w: np.ndarray, tolerance: float = 0.0
) -> DecisionTree:
    """The smallest pruned tree whose Brier score on rows X (n, f), P (n, n_labels), w (n,) is near
    the least of all.

    Of those that CPS leave; near: at most a share `tolerance` above it. (Breiman et al. allow one
    standard error.)
    """
    # pruning a tree that has been pruned at a lower price gives the same
    trees = [*accumulate(CPS, prune, initial=tree)][1:]
    losses = np.array([fit_metrics(P, pruned.predict(X), w)["brier"] for pruned in trees])
    return trees[np.flatnonzero(losses <= (1 + tolerance) * losses.min())[-1]]


def isotonic(
    tree: DecisionTree, X: np.ndarray, *, column: int, most: np.ndarray, label: int, other: int
) -> DecisionTree:
    """The tree with leaves whose chance of `label` does not fall where a feature rises and all
    others of a row stay.

    X (n, f): rows for which that is to hold; column: the feature; most (n,): its largest value in
    each row. The other labels share what is left as before, or `other` gets it where they had
    nothing.
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


def _pairs(
    tree: DecisionTree, X: np.ndarray, column: int, most: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Leaves (n_pairs,) that a row passes one after the other where the feature rises, those of low
    values first.
    """
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
    """Move p (n,) to the nearest point with p[low] <= p[high] for every pair (Hildreth 1957), in
    place.
    """
    pull = np.zeros(len(low))
    for _ in range(_SWEEPS):
        for i in range(len(low)):
            a, b = low[i], high[i]
            more = max(-pull[i], (p[a] - p[b]) / (1 / weight[a] + 1 / weight[b]))
            pull[i] += more
            p[a] -= more / weight[a]
            p[b] += more / weight[b]
