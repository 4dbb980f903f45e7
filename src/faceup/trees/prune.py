"""Pruning of fitted trees, and isotonic leaf probabilities.

Cost-complexity pruning (Breiman et al. 1984, Chapter 3) keeps the splits that gain more than cp
each; the value of a leaf is the Brier criterion of `faceup.trees.oct_splits`.

A student copies the noise of its teacher: it may call a larger bet more often. *Isotonic
classification trees* (van de Kamp, Feelders & Barile 2009) keep the splits and replace the leaf
probabilities by the nearest ones, by weighted squares, that are monotone.
"""

from itertools import accumulate

import numpy as np
from numba import njit

from faceup.trees.tree import DecisionTree, cut, leaf_of

# prices of a split that `prune_by` tries; at the last one only the root is left
CPS = np.geomspace(1e-8, 1, 200)
_SWEEPS = 1000  # over all pairs of leaves; remaining violations are removed at the end


def prune(tree: DecisionTree, cp: float) -> DecisionTree:
    """The tree without branches that gain less than cp a split, as a whole, from the bottom up.

    The value of a leaf is |p|^2 of its probabilities p times its share of all weight.
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
    """The smallest tree pruned at one of CPS with a Brier score near the lowest one on samples
    X (n, f), P (n, n_labels), w (n,): at most a share `tolerance` above it.

    (Breiman et al. allow one standard error.)
    """
    P = np.asarray(P, dtype=np.float64)
    # pruning a tree already pruned at a lower price gives the same tree
    trees = [*accumulate(CPS, prune, initial=tree)][1:]
    distances = (((P - pruned.predict(X)) ** 2).sum(axis=1) for pruned in trees)
    losses = np.array([np.average(distance, weights=w) for distance in distances])
    return trees[np.flatnonzero(losses <= (1 + tolerance) * losses.min())[-1]]


def isotonic(
    tree: DecisionTree, X: np.ndarray, *, column: int, most: np.ndarray, label: int, other: int
) -> DecisionTree:
    """The tree with leaf probabilities of `label` that do not fall as a feature rises and the other
    features of a sample stay.

    X (n, f): samples for which this holds; column: the feature; most (n,): its largest value in
    each sample. The other labels divide the rest in their former proportions; `other` gets it if
    they had probability 0.
    """
    low, high = _pairs(tree, X, column, most)
    value = tree.value.astype(np.float64)
    before, after = value[:, label].copy(), value[:, label].copy()
    _project(low, high, tree.weight, after)
    for a, b in zip(low.tolist(), high.tolist(), strict=True):  # in ascending order
        after[b] = max(after[a], after[b])
    sure = before >= 1
    value *= ((1 - after) / np.where(sure, 1, 1 - before))[:, None]
    value[sure] = 0
    value[sure, other] = 1 - after[sure]
    value[:, label] = after
    return tree._replace(value=value.astype(np.float32))


def _pairs(
    tree: DecisionTree, X: np.ndarray, column: int, most: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Consecutive leaves (low, high) of samples as the feature rises, (n_pairs,) each, low values
    first.
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
    least = np.full(len(tree.feature), -np.inf)  # lower bound of the feature in each node
    for node in np.flatnonzero(tree.feature >= 0):
        least[[tree.left[node], tree.right[node]]] = least[node]
        if tree.feature[node] == column:
            least[tree.right[node]] = tree.threshold[node]
    pairs = pairs[np.argsort(least[pairs[:, 1]], kind="stable")]
    return pairs[:, 0].copy(), pairs[:, 1].copy()


@njit(cache=True)
def _project(low, high, weight, p):
    """Move p (n,) in place to the nearest point with p[low] <= p[high] for every pair; low, high
    (n_pairs,); distances are weighted by weight (n,) (Hildreth 1957).
    """
    pull = np.zeros(len(low))
    for _ in range(_SWEEPS):
        for i in range(len(low)):
            a, b = low[i], high[i]
            more = max(-pull[i], (p[a] - p[b]) / (1 / weight[a] + 1 / weight[b]))
            pull[i] += more
            p[a] -= more / weight[a]
            p[b] += more / weight[b]
