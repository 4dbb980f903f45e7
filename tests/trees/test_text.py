"""Trees as text, as Python and as outlines that say the same as the tree."""

import numpy as np
import pytest
from random_trees import SMALL, random_tree

from faceup.trees.text import outline, tree_source, tree_text
from faceup.trees.tree import leaf_of, n_leaves, top_levels, truncate

LABELS = ("fold", "call", "all_in")
NAMES = ("equity", "bet")
FOUR = ("length", "width of the whole", "colour", "age in years")


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


def condition(name: str, threshold: float, above: bool) -> str:
    return f"{name} {'above' if above else 'at most'} {threshold:.4g}"


@pytest.mark.parametrize(("n_splits", "levels"), [(0, 3), (1, 1), (40, 3), (40, 100)])
def test_an_outline_holds_every_drawn_node_once_and_counts_the_rest(n_splits, levels):
    tree = random_tree(n_splits, n_splits, len(FOUR), 5)
    rows = outline(tree, FOUR, condition, top_levels(tree, levels), marked=0)
    assert rows[0][:2] == (0, "all decisions") and [row.marked for row in rows] == [True] + [False] * (len(rows) - 1)
    assert max(row.level for row in rows) <= levels
    ends = [row for row, after in zip(rows, [*rows[1:], rows[0]], strict=True) if after.level <= row.level]
    assert sum(max(row.hidden, 1) for row in ends) == n_leaves(tree) and sum(row.share for row in ends) == pytest.approx(1)


def test_an_outline_says_the_way_to_each_leaf():
    """Down the rows whose answers are true, each in the branch of the one before, to what the tree answers."""
    tree = random_tree(3, 20, len(FOUR), 5)
    rows = outline(tree, FOUR, condition, np.ones(41, bool))
    X = np.random.default_rng(0).normal(size=(200, len(FOUR)))
    for x, leaf in zip(X, leaf_of(tree, X), strict=True):
        answers = {condition(name, t, v > t) for name, v in zip(FOUR, x, strict=True) for t in tree.threshold.tolist()}
        at, *below = rows
        for row in below:
            if row.level <= at.level:
                break
            at = row if row.level == at.level + 1 and row.text in answers else at
        assert at.mixture == tree.value[leaf].tolist() and at.share == tree.weight[leaf] / tree.weight[0]
