"""CART: a tree grown greedily from the top (Breiman et al. 1984; paper 000, Section 2.4.1, depth
15).

Labels are soft, so the tree is a regression of all of P at once, by squared error. That is the Gini
index up to a number that no split can change (Hastie, Tibshirani & Friedman, The Elements of
Statistical Learning, Section 9.2.3).
"""

import numpy as np
from sklearn.tree import DecisionTreeRegressor

from faceup.trees.metrics import used_rows
from faceup.trees.tree import DecisionTree, leaf_of
from faceup.util.rng import Stream


def fit_cart(
    X: np.ndarray, P: np.ndarray, w: np.ndarray, *, max_depth: int, min_rows: int, stream: Stream
) -> DecisionTree:
    """The greedy tree for rows X (n, f), targets P (n, n_labels), weights w (n,); min_rows a leaf
    at least.

    Growth is greedy, so `truncate(tree, d)` is the tree of a fit of depth d (values but for their
    last bits), except where two splits are just as good: the stream draws among those, and a deeper
    fit draws more often. Node weights are sums of w. Rows of weight 0 are left out, of min_rows
    too.
    """
    X, P, w = used_rows(X, P, w)
    start = int(stream().integers(1 << 31))
    learner = DecisionTreeRegressor(
        max_depth=max_depth, min_samples_leaf=min_rows, random_state=start
    )
    learner.fit(X, P, sample_weight=w / w.mean())
    value = np.clip(learner.tree_.value[:, :, 0], 0, None)
    return tree_of(learner, value / value.sum(axis=1, keepdims=True), w.mean())


def tree_of(learner: DecisionTreeRegressor, value: np.ndarray, scale: float = 1.0) -> DecisionTree:
    """A fitted scikit-learn tree with these values (nodes, n_labels); node weights are multiplied
    by `scale`.
    """
    grown = learner.tree_
    leaf = grown.children_left < 0
    # rounded down, so that a float32 is <= both or neither
    nearest = grown.threshold.astype(np.float32)
    threshold = np.where(
        nearest > grown.threshold, np.nextafter(nearest, np.float32(-np.inf)), nearest
    )
    return DecisionTree(
        feature=np.where(leaf, -1, grown.feature).astype(np.int32),
        threshold=np.where(leaf, 0, threshold).astype(np.float32),
        left=grown.children_left.astype(np.int32),
        right=grown.children_right.astype(np.int32),
        value=value.astype(np.float32),
        weight=grown.weighted_n_node_samples * scale,
    )


def answer_by_costs(
    tree: DecisionTree,
    X: np.ndarray,
    P: np.ndarray,
    w: np.ndarray,
    *,
    costs: np.ndarray,
    cost_weight: float,
) -> DecisionTree:
    """The tree with the same questions, whose leaves answer with the mixture that errs and costs
    least.

    The mean of what is played in a leaf's situations takes with some chance an action that is right
    in some of them and dear in the others. So beside the squared distance to the targets P_i,
    cost_weight c times what the answer p costs counts as well, sum_i w_i C_i.p. Up to a constant
    that is W |p - (mean of P - c/2 mean of C)|^2: the best answer is the mixture nearest to that
    point.

    X (n, f), P (n, n_labels), w (n,): rows as for `fit_oct`; costs (n, n_labels): what each label
    costs in a row. Leaves that no row reaches keep their values, and so do inner nodes: truncate
    first.
    """
    costs = costs[np.asarray(w) > 0]
    X, P, w = used_rows(X, P, w)
    leaf, value = leaf_of(tree, X), tree.value.copy()
    weight = np.bincount(leaf, w, len(value))
    sums = np.stack(
        [np.bincount(leaf, w * column, len(value)) for column in (P - cost_weight / 2 * costs).T],
        axis=1,
    )
    reached = weight > 0
    value[reached] = nearest_mixtures(sums[reached] / weight[reached, None])
    return tree._replace(value=value)


def nearest_mixtures(points: np.ndarray) -> np.ndarray:
    """The probabilities (n, n_labels) nearest to each point (n, n_labels) (Held, Wolfe & Crowder
    1974).
    """
    # a common shift changes nothing, and 1 must not drown
    points = points - points.max(axis=1, keepdims=True)
    falling = -np.sort(-points, axis=1)
    level = (falling.cumsum(axis=1) - 1) / np.arange(1, points.shape[1] + 1)
    n = (falling > level).sum(axis=1, keepdims=True)  # labels that are played
    return np.maximum(points - np.take_along_axis(level, n - 1, axis=1), 0)
