"""Paths, branches and what is asked where, against plain walks."""

import numpy as np
import pytest
from random_trees import random_tree

from faceup.trees.tree_paths import below, feature_use, leaves_below, path_to, top_levels
from faceup.trees.trees import DecisionTree, depth, leaf_of, n_leaves, node_depths

THREE = DecisionTree(  # three leaves: feature 1, and on its right side feature 0
    feature=np.array([1, -1, 0, -1, -1], dtype=np.int32),
    threshold=np.zeros(5, dtype=np.float32),
    left=np.array([1, -1, 3, -1, -1], dtype=np.int32),
    right=np.array([2, -1, 4, -1, -1], dtype=np.int32),
    value=np.full((5, 2), 0.5, dtype=np.float32),
    weight=np.array([5.0, 3, 2, 1.5, 0.5]),
)


def test_paths_lead_to_their_nodes():
    tree = random_tree(4, 50)
    depths = node_depths(tree)
    for node in range(len(tree.feature)):
        path, at = path_to(tree, node), 0
        assert len(path) == depths[node]
        for split, above in path:
            assert split == at
            at = int((tree.right if above else tree.left)[split])
        assert at == node
    with pytest.raises(ValueError, match="node is 101, expected from 0 to 100"):
        path_to(tree, 101)


def test_rows_of_a_branch_end_in_its_leaves():
    tree = random_tree(6, 40)
    leaves = leaf_of(tree, np.random.default_rng(1).normal(size=(500, 4)))
    for node in range(len(tree.feature)):
        inside = below(tree, node)
        assert inside[node] and (tree.feature[inside] < 0).sum() == leaves_below(tree)[node]
        through = [node == leaf or node in [split for split, _ in path_to(tree, leaf)] for leaf in leaves]
        assert inside[leaves].tolist() == through


def test_top_levels():
    tree = random_tree(2, 60)
    assert not top_levels(tree, 0).any()
    assert np.array_equal(top_levels(tree, depth(tree)), tree.feature >= 0)
    root = int(tree.left[0])
    two = top_levels(tree, 2, root)
    assert set(np.flatnonzero(two)) == {n for n in (root, tree.left[root], tree.right[root]) if tree.feature[n] >= 0}


def test_use_is_the_weight_that_is_asked():
    assert feature_use(THREE, 3).tolist() == [[0, 1, 0], [0.4, 0, 0]]
    tree = random_tree(9, 80)
    use = feature_use(tree, 4)
    assert use.shape == (depth(tree), 4) and n_leaves(tree) == 81
    for level, row in enumerate(use):
        asked = (tree.feature >= 0) & (node_depths(tree) == level)
        assert row.sum() == pytest.approx(tree.weight[asked].sum() / tree.weight[0])
    assert use[0].sum() == pytest.approx(1)
