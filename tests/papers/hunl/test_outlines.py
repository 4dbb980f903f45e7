"""Trees drawn as outlines."""

import json

import matplotlib
import matplotlib.pyplot as plt
import numpy as np
import pytest
from random_trees import random_tree

from faceup.papers.hunl.outlines import BAR, BAR_HEIGHT, tree_figure
from faceup.trees.text import outline
from faceup.trees.tree import node_depths

matplotlib.use("Agg")


def test_bars_are_to_scale():
    """Of rows that come from a file of numbers."""
    tree = random_tree(1, 20, 4, 5)
    names = "length", "width of the whole", "color", "age in years"
    rows = outline(tree, names, "{} <= {} {}".format, node_depths(tree) < 3)
    labels = ["fold", "call", "raise_1", "raise_2", "all_in"]
    figure = tree_figure(json.loads(json.dumps({"tree": rows})), labels)
    bars = [bar for bar in figure.axes[0].patches if bar.get_height() == BAR_HEIGHT]
    widths = np.array([bar.get_width() for bar in bars]).reshape(5, len(rows))
    left = np.array([bar.get_x() for bar in bars]).reshape(5, len(rows))
    assert widths.T / BAR == pytest.approx(np.array([row.mixture for row in rows]))
    assert left[1:] == pytest.approx(left[:-1] + widths[:-1])
    plt.close(figure)
