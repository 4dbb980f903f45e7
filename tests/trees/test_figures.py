"""Outlines drawn: mixtures to scale."""

import json

import matplotlib
import matplotlib.pyplot as plt
import pytest
from random_trees import random_tree

from faceup.lab.pictures import PALETTE
from faceup.trees.figures import BAR, BAR_HEIGHT, outline_figure, percent
from faceup.trees.text import outline
from faceup.trees.tree import top_levels

matplotlib.use("Agg")


def test_bars_are_to_scale():
    """Of rows that come from a file of numbers."""
    tree = random_tree(1, 20, 4, 5)
    rows = outline(tree, "abcd", "{} {} {}".format, top_levels(tree, 3))
    figure = outline_figure(json.loads(json.dumps({"tree": rows})), [f"answer {k}" for k in range(5)], PALETTE[:5])
    bars = [bar for bar in figure.axes[0].patches if bar.get_height() == BAR_HEIGHT]
    assert [bar.get_width() / BAR for bar in bars] == pytest.approx([share for row in rows for share in row.mixture])
    assert [bars[k + 1].get_x() for k in range(4)] == pytest.approx([bars[k].get_x() + bars[k].get_width() for k in range(4)])
    plt.close(figure)
    shares = (1, 0.123, 0.0996, 0.0994, 0.0001, 0)
    assert [percent(share) for share in shares] == ["100 %", "12 %", "10 %", "9.9 %", "< 0.05 %", "0.0 %"]
