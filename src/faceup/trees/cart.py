"""CART: a tree grown greedily from the top (Breiman et al. 1984; paper 000, Section 2.4.1, depth 15).

Labels are soft: each row carries the probabilities P with which the average strategy acts. The tree is a
regression of all of P at once, by squared error. That is Gini impurity for soft labels: with a 0/1 response
for each label, the variance in a node is p(1 - p), and the sum over labels is the Gini index (Hastie,
Tibshirani & Friedman, The Elements of Statistical Learning, Section 9.2.3); softening the labels subtracts a
number that no split can change. It is also the Brier score of the fit.
"""

import numpy as np
from sklearn.tree import DecisionTreeRegressor

from faceup.trees.metrics import check_range, checked_rows
from faceup.trees.trees import DecisionTree


def fit_cart(X: np.ndarray, P: np.ndarray, w: np.ndarray, *, max_depth: int, min_rows: int, seed: int) -> DecisionTree:
    """The greedy tree for rows X (n, f), targets P (n, n_labels), weights w (n,); min_rows a leaf at least.

    Growth is greedy, so `truncate(tree, d)` is the tree of a fit of depth d (values but for their last bits),
    except where two splits are just as good: the seed draws among those, and a deeper fit draws more often.
    Node weights are sums of w. Rows of weight 0 are left out, of min_rows too. Raises ValueError on bad rows
    or settings.
    """
    check_range("max_depth", max_depth, 1)
    check_range("min_rows", min_rows, 1)
    X, P, w = checked_rows(X, P, w)
    learner = DecisionTreeRegressor(max_depth=max_depth, min_samples_leaf=min_rows, random_state=seed)
    learner.fit(X, P, sample_weight=w / w.mean())
    value = np.clip(learner.tree_.value[:, :, 0], 0, None)
    return tree_of(learner, value / value.sum(axis=1, keepdims=True), w.mean())


def tree_of(learner: DecisionTreeRegressor, value: np.ndarray, scale: float = 1.0) -> DecisionTree:
    """A fitted scikit-learn tree with these values (nodes, n_labels); node weights are multiplied by `scale`."""
    grown = learner.tree_
    leaf = grown.children_left < 0
    return DecisionTree(
        feature=np.where(leaf, -1, grown.feature).astype(np.int32),
        threshold=np.where(leaf, 0, _rounded_down(grown.threshold)).astype(np.float32),
        left=grown.children_left.astype(np.int32),
        right=grown.children_right.astype(np.int32),
        value=value.astype(np.float32),
        weight=grown.weighted_n_node_samples * scale,
    )


def _rounded_down(threshold: np.ndarray) -> np.ndarray:
    """The largest float32 at or below each float64: a float32 is <= both or neither."""
    nearest = threshold.astype(np.float32)
    return np.where(nearest > threshold, np.nextafter(nearest, np.float32(-np.inf)), nearest)
