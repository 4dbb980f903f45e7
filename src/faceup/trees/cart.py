"""CART: a tree grown greedily from the root (Breiman et al. 1984; paper 000, Section 2.4.1, depth
15).

Labels are soft, so the tree is a regression of all columns of P by squared error, which is the Gini
index up to a constant (Hastie, Tibshirani & Friedman, The Elements of Statistical Learning, Section
9.2.3).
"""

import numpy as np
from sklearn.tree import DecisionTreeRegressor

from faceup.trees.metrics import used_samples
from faceup.trees.tree import DecisionTree, leaf_of
from faceup.util.rng import Stream


def fit_cart(
    X: np.ndarray, P: np.ndarray, w: np.ndarray, *, max_depth: int, min_rows: int, stream: Stream
) -> DecisionTree:
    """The greedy tree for samples X (n, f), targets P (n, n_labels), weights w (n,), with at least
    min_rows samples a leaf.

    `truncate(tree, d)` is the tree of a fit of depth d (up to the last bits of its values), unless
    two splits are equally good: the stream draws among those, and a deeper fit draws more often.
    Node weights are sums of w. Samples of weight 0 are ignored. Raises ValueError as
    `faceup.trees.metrics.used_samples`, as do all learners.
    """
    X, P, w = used_samples(X=X, P=P, w=w)
    start = int(stream().integers(1 << 31))
    learner = DecisionTreeRegressor(
        max_depth=max_depth, min_samples_leaf=min_rows, random_state=start
    )
    learner.fit(X, P, sample_weight=w / w.mean())
    value = np.clip(learner.tree_.value[:, :, 0], 0, None)
    return tree_of(learner, value / value.sum(axis=1, keepdims=True), w.mean())


def tree_of(learner: DecisionTreeRegressor, value: np.ndarray, scale: float = 1.0) -> DecisionTree:
    """A fitted scikit-learn tree with values (n_nodes, n_labels), its node weights multiplied by
    `scale`.
    """
    grown = learner.tree_
    leaf = grown.children_left < 0
    # rounded down: a float32 is at most the threshold before and after, or neither
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


def refit_leaves(
    tree: DecisionTree,
    X: np.ndarray,
    P: np.ndarray,
    w: np.ndarray,
    *,
    costs: np.ndarray,
    cost_weight: float,
) -> DecisionTree:
    """The tree with the same splits whose leaf probabilities minimize squared error plus cost.

    The mean of the targets P_i in a leaf may play an action that is right in some of its situations
    and expensive in the others. A leaf's probabilities p minimize sum_i w_i (|p - P_i|^2 + c C_i.p)
    with c the cost_weight, which is W |p - (mean of P - c/2 mean of C)|^2 up to a constant: p is
    the probability vector nearest to that point.

    X (n, f), P (n, n_labels), w (n,): samples as for `fit_oct`; costs C (n, n_labels) of each
    label. Leaves without samples keep their values, as do inner nodes: truncate first.
    """
    X, P, w, costs = used_samples(X=X, P=P, w=w, costs=costs)
    leaf, value = leaf_of(tree, X), tree.value.copy()
    weight = np.bincount(leaf, w, len(value))
    targets = P - cost_weight / 2 * costs
    sums = np.stack([np.bincount(leaf, w * column, len(value)) for column in targets.T], axis=1)
    reached = weight > 0
    value[reached] = project_to_simplex(sums[reached] / weight[reached, None])
    return tree._replace(value=value)


def project_to_simplex(points: np.ndarray) -> np.ndarray:
    """The probabilities (n, n_labels) nearest to each point (n, n_labels) (Held, Wolfe & Crowder
    1974).
    """
    # invariant to a common shift, which keeps 1 from vanishing beside large numbers
    points = points - points.max(axis=1, keepdims=True)
    falling = -np.sort(-points, axis=1)
    level = (falling.cumsum(axis=1) - 1) / np.arange(1, points.shape[1] + 1)
    n = (falling > level).sum(axis=1, keepdims=True)  # labels of positive probability
    return np.maximum(points - np.take_along_axis(level, n - 1, axis=1), 0)
