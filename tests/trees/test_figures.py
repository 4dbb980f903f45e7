"""Trees as outlines: every node once, nothing on top of anything else, mixtures to scale."""

import matplotlib
import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.patches import Rectangle
from random_trees import random_tree

from faceup.lab.pictures import PALETTE
from faceup.trees.decision_tree import DecisionTree, below, leaves_below, top_levels
from faceup.trees.figures import BAR, BAR_HEIGHT, Part, Words, draw_bar, outline, percent, tree_figure

matplotlib.use("Agg")
NAMES = ("length", "width of the whole", "colour", "age in years")


def condition(name: str, threshold: float, above: bool) -> str:
    return f"{name} {'above' if above else 'at most'} {threshold:.4g}"


WORDS = Words([f"answer {k}" for k in range(5)], PALETTE[:5], condition)


def grown(seed: int, n_splits: int) -> DecisionTree:
    return random_tree(seed, n_splits, len(NAMES), 5)


@pytest.mark.parametrize(("n_splits", "levels", "branch"), [(0, 3, 0), (1, 1, 0), (40, 3, 0), (40, 100, 0), (30, 100, 1)])
def test_an_outline_holds_every_drawn_node_once_and_counts_the_rest(n_splits, levels, branch):
    """Of a whole tree, or of its right branch alone."""
    tree = grown(n_splits, n_splits)
    root = int(tree.right[0]) if branch else 0
    rows = outline(Part("t", tree, NAMES, top_levels(tree, levels, root), root=root, said="here"), WORDS)
    assert rows[0][:3] == (root, 0, "here")
    assert len({row.node for row in rows}) == len(rows) and below(tree, root)[[row.node for row in rows]].all()
    assert sum(row.hidden or (tree.feature[row.node] < 0) for row in rows) == leaves_below(tree)[root]
    assert max(row.level for row in rows) <= levels
    for row in rows:
        children = [r for r in rows if r.node in (tree.left[row.node], tree.right[row.node])]
        name, threshold = NAMES[tree.feature[row.node]], float(tree.threshold[row.node])
        said = [condition(name, threshold, above) for above in (False, True)]
        assert [child.text for child in children] == (said if children else [])


def test_texts_as_drawn_keep_clear_of_each_other_and_of_the_edge():
    """What the layout computes is what is drawn: measured by the renderer, legend, headings and stubs included."""
    parts = [
        Part("first", grown(1, 20), NAMES, top_levels(grown(1, 20), 3)),
        Part("second", grown(2, 9), NAMES, np.ones(19, bool), marked=3),
    ]
    figure, axes = tree_figure(parts, WORDS)
    texts = [t.get_text() for t in axes.texts if t.get_text()]
    boxes = np.array([t.get_window_extent().extents for t in axes.texts if t.get_text()])
    assert len(boxes) > 50
    left, low, right, high = boxes.T
    apart = (right[:, None] <= left + 1e-9) | (high[:, None] <= low + 1e-9)
    assert (apart | apart.T | np.eye(len(boxes), dtype=bool)).all()
    assert boxes.min() >= 0 and right.max() <= figure.bbox.width and high.max() <= figure.bbox.height
    said = {row.text for part in parts for row in outline(part, WORDS)}
    bars = np.array([p.get_window_extent().extents for p in axes.patches if p.get_height() == BAR_HEIGHT])
    assert right[[text in said for text in texts]].max() <= bars[:, 0].min()
    assert left[[text.endswith("%") for text in texts]].min() >= bars[:, 2].max()
    plt.close(figure)


def test_bars_are_to_scale():
    figure, axes = plt.subplots()
    draw_bar(axes, np.array([0.25, 0.5, 0, 0.05, 0.2]), WORDS.colours, 1.0, 0.0)
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
