"""Figures of rules: names that keep clear of each other, every node of a tree drawn; its paths say the same as the tree."""

import matplotlib.pyplot as plt
import numpy as np
import pytest
from random_trees import SMALL
from sklearn.tree import DecisionTreeRegressor

from faceup.onecard.figures import Path, _spread, draw_tree, named_curves, paths, ranked, sentence
from faceup.trees.cart import tree_of
from faceup.trees.decision_tree import leaf_of, n_leaves


def test_names_are_spread_in_order_and_stay_where_there_is_room():
    spread = _spread(np.array([0.1, 0.5, 0.5, 0.51, 0.9]), 0.05)
    assert (np.diff(spread) >= 0.05 - 1e-6).all()
    assert spread[0] == 0.1 and spread[-1] == 0.9


def test_each_curve_is_drawn_and_named():
    figure, axes = plt.subplots()
    named_curves(axes, [[1, 2]] * 10, [[i, i + 1] for i in range(10)], [f"curve {i}" for i in range(10)])
    assert len(axes.lines) == 10 and [t.get_text() for t in axes.texts] == [f"curve {i}" for i in range(10)]
    plt.close(figure)


def test_a_tree_is_drawn_whole():
    figure, axes = plt.subplots()
    draw_tree(axes, SMALL._replace(value=np.array([[1], [0.5], [2], [1], [3]], dtype=np.float32)), ["a", "b"])
    said = {text.get_text() for text in axes.texts}
    assert said == {"b\n≤ 12700.00 ?", "a\n≤ 0.10 ?", "bet 0.50\n60.0%", "bet 1.00\n30.0%", "bet 3.00\n10.0%", "yes", "no"}
    plt.close(figure)


def test_a_ranking_tells_every_value():
    figure, axes = plt.subplots()
    ranked(axes, ["x", "y"], [0.01, 0.5], [0.001, 0.1], ["red", "blue"])
    assert [text.get_text() for text in axes.texts] == ["0.0100 ± 0.0010", "0.5000 ± 0.1000"]
    assert [label.get_text() for label in axes.get_yticklabels()] == ["x", "y"]
    plt.close(figure)


def test_every_row_meets_the_conditions_of_its_leaf_and_of_no_other():
    X = np.random.default_rng(1).random((500, 3)).astype(np.float32)
    learner = DecisionTreeRegressor(max_depth=4, random_state=1).fit(X, np.sin(6 * X[:, :1]) + X[:, 1:2])
    tree = tree_of(learner, learner.tree_.value[:, :, 0])
    found = list(paths(tree))
    assert len(found) == n_leaves(tree) and sum(path.share for path in found) == pytest.approx(1)
    inside = np.array([[all(low < x[f] <= high for f, (low, high) in p.bounds.items()) for p in found] for x in X])
    assert (inside.sum(axis=1) == 1).all()
    values = np.array([path.value[0] for path in found])[inside.argmax(axis=1)]
    assert (values == tree.value[leaf_of(tree, X), 0]).all()


def test_conditions_on_one_feature_are_one():
    path = Path({1: (0.2, 0.8), 0: (-np.inf, 3.0), 2: (0.5, np.inf)}, np.array([1.0]), 0.1)
    said = sentence(path, ["a", "your card", "c"], "check")
    assert said == "If 0.20 < your card <= 0.80 and a <= 3.00 and c > 0.50, then check."
    path = path._replace(bounds={0: (0.123, np.inf), 1: (0.99997, np.inf), 2: (-np.inf, 1.0)})
    assert sentence(path, ["x", "y", "z"], "bet") == "If x > 0.12 and y > 0.99997 and z <= 1.00, then bet."
    assert sentence(Path({}, np.array([1.0]), 1.0), [], "check") == "Always check."
    with pytest.raises(ValueError, match="feature 2 has no name: expected 2 features"):
        sentence(path, ["a", "b"], "check")
