"""Trees as text and as Python that say the same as the tree."""

import numpy as np
import pytest
from random_trees import SMALL, random_tree

from faceup.trees.text import tree_source, tree_text
from faceup.trees.tree import truncate

LABELS = ("fold", "call", "all_in")
NAMES = ("equity", "bet")


def test_text_reads_like_the_tree():
    assert tree_text(SMALL, NAMES, LABELS) == (
        "bet <= 12,700\n"
        "|   call 100 %  (60.0% of weight)\n"
        "bet > 12,700\n"
        "|   equity <= 0.1\n"
        "|   |   fold 100 %  (30.0% of weight)\n"
        "|   equity > 0.1\n"
        "|   |   all_in 100 %  (10.0% of weight)\n"
    )
    assert tree_text(truncate(SMALL, 1), NAMES, LABELS) == (
        "bet <= 12,700\n|   call 100 %  (60.0% of weight)\nbet > 12,700\n|   fold 75 %, all_in 25 %  (40.0% of weight)\n"
    )


def test_python_source_decides_like_the_tree():
    tree, names = random_tree(8, 60), ("a", 'b\'s "bet"', "c\n", "d")
    made: dict = {}
    exec(tree_source(tree, names, LABELS, name="preflop"), made)
    X = np.random.default_rng(1).normal(size=(500, 4)).astype(np.float32)
    at = tree.feature >= 0
    X[np.arange(at.sum()), tree.feature[at]] = tree.threshold[at]  # on the threshold: left
    for row, expected in zip(X, tree.predict(X), strict=True):
        found = made["preflop"](dict(zip(names, row, strict=True)))
        assert [found.get(label, 0) for label in LABELS] == pytest.approx(expected.tolist(), abs=5e-5)
    top = tree_source(truncate(tree, 0), names, LABELS)
    assert top.count("return") == 1 and "if" not in top
