"""Trees as outlines: every node once, nothing on top of anything else, mixtures to scale."""

import json

import matplotlib
import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.patches import Rectangle
from random_trees import random_tree

from faceup.lab.pictures import PALETTE
from faceup.trees.decision_tree import DecisionTree, leaf_of, n_leaves, top_levels
from faceup.trees.figures import BAR, BAR_HEIGHT, draw_bar, percent, tree_figure
from faceup.trees.text import outline

matplotlib.use("Agg")
NAMES = ("length", "width of the whole", "colour", "age in years")


def condition(name: str, threshold: float, above: bool) -> str:
    return f"{name} {'above' if above else 'at most'} {threshold:.4g}"


ACTIONS, COLOURS = [f"answer {k}" for k in range(5)], PALETTE[:5]


def grown(seed: int, n_splits: int) -> DecisionTree:
    return random_tree(seed, n_splits, len(NAMES), 5)


@pytest.mark.parametrize(("n_splits", "levels"), [(0, 3), (1, 1), (40, 3), (40, 100)])
def test_an_outline_holds_every_drawn_node_once_and_counts_the_rest(n_splits, levels):
    tree = grown(n_splits, n_splits)
    rows = outline(tree, NAMES, condition, top_levels(tree, levels), marked=0)
    assert rows[0][:2] == (0, "all decisions") and [row.marked for row in rows] == [True] + [False] * (len(rows) - 1)
    assert max(row.level for row in rows) <= levels
    below = [rows[i + 1 : i + 2] and rows[i + 1].level > row.level for i, row in enumerate(rows)]
    assert sum(max(row.hidden, 1) for row, split in zip(rows, below, strict=True) if not split) == n_leaves(tree)
    assert sum(row.share for row, split in zip(rows, below, strict=True) if not split) == pytest.approx(1)


def test_an_outline_says_the_way_to_each_leaf():
    """Down the rows whose answers are true, each in the branch of the one before, to what the tree answers."""
    tree = grown(3, 20)
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


def test_texts_as_drawn_keep_clear_of_each_other_and_of_the_edge():
    """What the layout computes is what is drawn: measured by the renderer, legend, headings and stubs included."""
    parts = {
        "first": outline(grown(1, 20), NAMES, condition, top_levels(grown(1, 20), 3)),
        "second": outline(grown(2, 9), NAMES, condition, np.ones(19, bool), marked=3),
    }
    figure = tree_figure(json.loads(json.dumps(parts)), ACTIONS, COLOURS)
    (axes,) = figure.axes
    texts = [t.get_text() for t in axes.texts if t.get_text()]
    boxes = np.array([t.get_window_extent().extents for t in axes.texts if t.get_text()])
    assert len(boxes) > 50
    left, low, right, high = boxes.T
    apart = (right[:, None] <= left + 1e-9) | (high[:, None] <= low + 1e-9)
    assert (apart | apart.T | np.eye(len(boxes), dtype=bool)).all()
    assert boxes.min() >= 0 and right.max() <= figure.bbox.width and high.max() <= figure.bbox.height
    said = {row.text for rows in parts.values() for row in rows}
    bars = np.array([p.get_window_extent().extents for p in axes.patches if p.get_height() == BAR_HEIGHT])
    assert right[[text in said for text in texts]].max() <= bars[:, 0].min()
    assert left[[text.endswith("%") for text in texts]].min() >= bars[:, 2].max()
    plt.close(figure)


def test_bars_are_to_scale():
    figure, axes = plt.subplots()
    draw_bar(axes, [0.25, 0.5, 0, 0.05, 0.2], COLOURS, 1.0, 0.0)
    widths = [p.get_width() / BAR for p in axes.patches if isinstance(p, Rectangle)]
    assert widths == pytest.approx([0.25, 0.5, 0, 0.05, 0.2])
    assert [p.get_x() for p in axes.patches][-1] + 0.2 * BAR == pytest.approx(1 + BAR)
    assert [t.get_text() for t in axes.texts] == ["25", "50", "20"]
    plt.close(figure)


@pytest.mark.parametrize(
    ("share", "text"), [(1, "100 %"), (0.123, "12 %"), (0.0996, "10 %"), (0.0994, "9.9 %"), (0.0001, "< 0.05 %"), (0, "0.0 %")]
)
def test_percent(share, text):
    assert percent(share) == text
