"""Leaves in order: by hand, against a quadratic program, and on rows that no leaf was fitted to."""

import numpy as np
import pytest
from random_trees import random_tree
from scipy.optimize import minimize

from faceup.trees.prune import _pairs, isotonic
from faceup.trees.tree import DecisionTree


def chain(shares, weight):
    """Four leaves by one feature, cut at 1, 2 and 3, with chances of label 0; label 1 gets the rest."""
    leaves, feature, left = [1, 3, 5, 6], np.array([0, -1, 0, -1, 0, -1, -1]), np.array([1, -1, 3, -1, 5, -1, -1])
    value, sums = np.zeros((7, 3), dtype=np.float32), np.ones(7)
    value[leaves, 0], value[leaves, 1], sums[leaves] = shares, 1 - np.array(shares), weight
    threshold = np.array([1, 0, 2, 0, 3, 0, 0], dtype=np.float32)
    return DecisionTree(feature, threshold, left, np.where(left > 0, left + 1, -1), value, sums)


@pytest.mark.parametrize(
    ("shares", "weight", "most", "isotonic_label", "second_label"),
    [
        pytest.param([0.6, 0.2, 0.5, 1], [1, 3, 1, 1], 9, [0.3, 0.3, 0.5, 1], [0.7, 0.7, 0.5, 0], id="weighted mean"),
        pytest.param([1, 0, 1, 1], [1, 1, 1, 1], 9, [0.5, 0.5, 1, 1], [0, 0.5, 0, 0], id="a sure leaf gives to the third label"),
        pytest.param([0.6, 0.2, 0.5, 0.1], [1, 3, 1, 1], 2, [0.3, 0.3, 0.5, 0.1], [0.7, 0.7, 0.5, 0.9], id="no order beyond 2"),
    ],
)
def test_leaves_out_of_order_by_hand(shares, weight, most, isotonic_label, second_label):
    tree = isotonic(chain(shares, weight), np.zeros((1, 1)), column=0, most=np.array([most]), label=0, other=2)
    found = tree.predict(np.array([[1], [2], [3], [4]]))
    np.testing.assert_allclose(found[:, :2].T, [isotonic_label, second_label], atol=1e-6)
    np.testing.assert_allclose(found.sum(axis=1), 1, atol=1e-6)


def test_the_answers_are_the_nearest_in_order():
    """Random trees on three features: no answer in order is nearer, by a solver that knows nothing of pairs' order."""
    tree = random_tree(5, 30, 3)
    X, most = np.random.default_rng(5).normal(size=(400, 3)).astype(np.float32), np.full(400, 9.0)
    found = isotonic(tree, X, column=1, most=most, label=2, other=0)
    low, high = _pairs(tree, X, 1, most)
    assert len(low) > 3
    before, after = (t.value[:, 2].astype(np.float64) for t in (tree, found))
    assert (after[low] <= after[high] + 1e-6).all() and (before[low] > before[high] + 0.05).any()
    order = [{"type": "ineq", "fun": lambda p, a=a, b=b: p[b] - p[a]} for a, b in zip(low, high, strict=True)]
    best = minimize(lambda p: tree.weight @ (p - before) ** 2, after, constraints=order, options={"maxiter": 500, "ftol": 1e-12})
    assert tree.weight @ (after - before) ** 2 <= best.fun * 1.001 + 1e-6
    for size in (-1, 0, 1):
        moved = [np.where(np.arange(3) == 1, X * 0 + s, X).astype(np.float32) for s in (size, size + 0.5)]
        assert (found.predict(moved[1])[:, 2] >= found.predict(moved[0])[:, 2] - 1e-5).all()
