"""What a leaf should answer if costs count: not the mean of its rows, but the mixture that errs least and loses least in sum.

A leaf holds situations that a tree cannot tell apart. The mean of what the strategy plays in them is nearest to it in squared
distance, and plays with some chance an action that is right in some of them and dear in the others. Beside the squared distance
to the rows' targets P_i (n_labels,), let c times what its answer p costs, sum_i w_i C_i.p with costs C_i, count as well. Up to a
constant that is W |p - (mean of P - c/2 mean of C)|^2: the best answer is the mixture nearest to that point. Actions that
cost much in the mean of the leaf go, and what is played at no loss keeps its mixture but for a common shift.
"""

import numpy as np

from faceup.trees.metrics import check_range, checked_costs, checked_rows
from faceup.trees.trees import DecisionTree, leaf_of


def nearest_mixtures(points: np.ndarray) -> np.ndarray:
    """The probabilities (n, n_labels) nearest to each point (n, n_labels) (Held, Wolfe & Crowder 1974)."""
    points = np.asarray(points, dtype=np.float64)
    points = points - points.max(axis=1, keepdims=True)  # a common shift changes nothing, and 1 must not drown
    falling = -np.sort(-points, axis=1)
    level = (falling.cumsum(axis=1) - 1) / np.arange(1, points.shape[1] + 1)
    n = (falling > level).sum(axis=1, keepdims=True)  # labels that are played
    return np.maximum(points - np.take_along_axis(level, n - 1, axis=1), 0)


def answer_by_costs(
    tree: DecisionTree, X: np.ndarray, P: np.ndarray, w: np.ndarray, *, costs: np.ndarray, cost_weight: float
) -> DecisionTree:
    """The tree with the same questions, whose leaves answer rows X (n, f) as `fit_oct` does by its criterion "brier+cost".

    P (n, n_labels) and weights w (n,) as there, costs (n, n_labels) what each label costs in a row. Leaves that no row reaches
    keep their values, and so do inner nodes: truncate first. Raises ValueError on bad rows, costs or cost_weight.
    """
    check_range("cost_weight", cost_weight, 0)
    costs = checked_costs(costs, P, w)
    X, P, w = checked_rows(X, P, w)
    leaf, value = leaf_of(tree, X), tree.value.copy()
    weight = np.bincount(leaf, w, len(value))
    sums = np.stack([np.bincount(leaf, w * column, len(value)) for column in (P - cost_weight / 2 * costs).T], axis=1)
    reached = weight > 0
    value[reached] = nearest_mixtures(sums[reached] / weight[reached, None])
    return tree._replace(value=value)
