"""Trees as outlines: every node once, the way to each leaf; and drawn, mixtures to scale."""

import json

import matplotlib
import matplotlib.pyplot as plt
import numpy as np
import pytest
from random_trees import random_tree

from faceup.lab.pictures import PALETTE
from faceup.trees.figures import BAR, BAR_HEIGHT, outline_figure, percent
from faceup.trees.text import outline
from faceup.trees.tree import leaf_of, n_leaves, top_levels

matplotlib.use("Agg")
NAMES = ("length", "width of the whole", "colour", "age in years")


def condition(name: str, threshold: float, above: bool) -> str:
    return f"{name} {'above' if above else 'at most'} {threshold:.4g}"


@pytest.mark.parametrize(("n_splits", "levels"), [(0, 3), (1, 1), (40, 3), (40, 100)])
def test_an_outline_holds_every_drawn_node_once_and_counts_the_rest(n_splits, levels):
    tree = random_tree(n_splits, n_splits, len(NAMES), 5)
    rows = outline(tree, NAMES, condition, top_levels(tree, levels), marked=0)
    assert rows[0][:2] == (0, "all decisions") and [row.marked for row in rows] == [True] + [False] * (len(rows) - 1)
    assert max(row.level for row in rows) <= levels
    ends = [row for row, after in zip(rows, [*rows[1:], rows[0]], strict=True) if after.level <= row.level]
    assert sum(max(row.hidden, 1) for row in ends) == n_leaves(tree) and sum(row.share for row in ends) == pytest.approx(1)


def test_an_outline_says_the_way_to_each_leaf():
    """Down the rows whose answers are true, each in the branch of the one before, to what the tree answers."""
    tree = random_tree(3, 20, len(NAMES), 5)
    rows = outline(tree, NAMES, condition, np.ones(41, bool))
    X = np.random.default_rng(0).normal(size=(200, len(NAMES)))
    for x, leaf in zip(X, leaf_of(tree, X), strict=True):
        answers = {condition(name, t, v > t) for name, v in zip(NAMES, x, strict=True) for t in tree.threshold.tolist()}
        at, *below = rows
        for row in below:
            if row.level <= at.level:
                break
            at = row if row.level == at.level + 1 and row.text in answers else at
        assert at.mixture == tree.value[leaf].tolist() and at.share == tree.weight[leaf] / tree.weight[0]


def test_bars_are_to_scale():
    """Of rows that come from a file of numbers."""
    tree = random_tree(1, 20, len(NAMES), 5)
    rows = outline(tree, NAMES, condition, top_levels(tree, 3))
    figure = outline_figure(json.loads(json.dumps({"tree": rows})), [f"answer {k}" for k in range(5)], PALETTE[:5])
    bars = [bar for bar in figure.axes[0].patches if bar.get_height() == BAR_HEIGHT]
    assert [bar.get_width() / BAR for bar in bars] == pytest.approx([share for row in rows for share in row.mixture])
    assert [bars[k + 1].get_x() for k in range(4)] == pytest.approx([bars[k].get_x() + bars[k].get_width() for k in range(4)])
    plt.close(figure)
    shares = (1, 0.123, 0.0996, 0.0994, 0.0001, 0)
    assert [percent(share) for share in shares] == ["100 %", "12 %", "10 %", "9.9 %", "< 0.05 %", "0.0 %"]
