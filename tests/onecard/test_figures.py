"""Figures of rules: names that keep clear of each other, every node of a tree drawn."""

import matplotlib.pyplot as plt
import numpy as np

from faceup.onecard.figures import _spread, draw_tree, named_curves, ranked
from faceup.trees.trees import DecisionTree


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
    tree = DecisionTree(
        feature=np.array([0, -1, 1, -1, -1], dtype=np.int32),
        threshold=np.array([0.5, 0, 0.25, 0, 0], dtype=np.float32),
        left=np.array([1, -1, 3, -1, -1], dtype=np.int32),
        right=np.array([2, -1, 4, -1, -1], dtype=np.int32),
        value=np.array([[1], [0.5], [2], [1], [3]], dtype=np.float32),
        weight=np.array([10.0, 6, 4, 3, 1]),
    )
    figure, axes = plt.subplots()
    draw_tree(axes, tree, ["a", "b"])
    said = {text.get_text() for text in axes.texts}
    assert said == {"a\n≤ 0.50 ?", "b\n≤ 0.25 ?", "bet 0.50\n60.0%", "bet 1.00\n30.0%", "bet 3.00\n10.0%"}
    plt.close(figure)


def test_a_ranking_tells_every_value():
    figure, axes = plt.subplots()
    ranked(axes, ["x", "y"], [0.01, 0.5], [0.001, 0.1], ["red", "blue"])
    assert [text.get_text() for text in axes.texts] == ["0.0100 ± 0.0010", "0.5000 ± 0.1000"]
    assert [label.get_text() for label in axes.get_yticklabels()] == ["x", "y"]
    plt.close(figure)
