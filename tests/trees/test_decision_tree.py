"""Trees: ways through them against a plain walk, and cutting."""

import numpy as np
import pytest
from random_trees import SMALL, check_tree, random_tree, rows_for

from faceup.trees.tree import (
    DecisionTree,
    below,
    cut,
    depth,
    feature_use,
    leaf_of,
    leaves_below,
    n_leaves,
    node_depths,
    path_to,
    top_levels,
    truncate,
)


def walk(tree: DecisionTree, row: np.ndarray) -> list[int]:
    """Nodes that a row comes to."""
    nodes = [0]
    while tree.feature[node := nodes[-1]] >= 0:
        goes_left = row[tree.feature[node]] <= tree.threshold[node]
        nodes.append(int((tree.left if goes_left else tree.right)[node]))
    return nodes


@pytest.mark.parametrize("n_splits", [0, 1, 7, 300])
def test_leaves_are_those_of_a_plain_walk(n_splits):
    tree = random_tree(n_splits, n_splits)
    check_tree(tree, 4, 3)
    X = rows_for(tree, np.random.default_rng(2000).normal(size=(2000, 4)).astype(np.float32))
    assert leaf_of(tree, X).tolist() == [walk(tree, row)[-1] for row in X]
    assert n_leaves(tree) == n_splits + 1
    for same in (np.asfortranarray(X), X.astype(np.float64) * (1 + 1e-9)):  # numbers are rounded to float32
        assert np.array_equal(leaf_of(tree, same), leaf_of(tree, X))
    assert leaf_of(tree, X[:0]).shape == (0,) and tree.predict(X).dtype == np.float32


def test_cut_trees_stop_a_walk_early():
    """Cuts within cuts are one; truncating is to cut at a depth."""
    tree = random_tree(5, 200)
    X, depths = rows_for(tree, np.random.default_rng(0).normal(size=(2000, 4)).astype(np.float32)), node_depths(tree)
    walks, ends = [walk(tree, row) for row in X], np.random.default_rng(0).random(401) < 0.15
    ends[0] = False
    pairs = [(truncate(tree, most), depths >= most) for most in range(depth(tree) + 2)]
    for small, stop in [*pairs, (cut(tree, ends), ends)]:
        check_tree(small, 4, 3)
        stops = [next((node for node in nodes if stop[node]), nodes[-1]) for nodes in walks]
        assert np.array_equal(small.predict(X), tree.value[stops])
        assert np.array_equal(small.weight[leaf_of(small, X)], tree.weight[stops])
    assert [depth(top) for top, _ in pairs] == [*range(depth(tree) + 1), depth(tree)]
    assert n_leaves(cut(tree, np.ones(401, dtype=bool))) == 1


def test_paths_lead_to_their_nodes_and_tell_what_is_below_which():
    tree = random_tree(4, 50)
    n, depths, leaves, inner = len(tree.feature), node_depths(tree), leaves_below(tree), tree.feature >= 0
    way = np.eye(n, dtype=bool)  # whether the way to a node (row) passes another, or ends there
    for node in range(n):
        path, at = path_to(tree, node), 0
        assert len(path) == depths[node]
        for split, above in path:
            assert split == at
            way[node, split] = True
            at = int((tree.right if above else tree.left)[split])
        assert at == node
    for node in range(n):
        inside = way[:, node]
        assert np.array_equal(below(tree, node), inside) and leaves[node] == (inside & ~inner).sum()
        for levels in (0, 2, 100):
            near = way.sum(axis=1) < way[node].sum() + levels
            assert np.array_equal(top_levels(tree, levels, node), inside & inner & near)


def test_use_is_the_weight_that_is_asked():
    assert feature_use(SMALL, 3).tolist() == [[0, 1, 0], [0.4, 0, 0]]
    tree = random_tree(9, 80)
    asked = [tree.weight[(tree.feature >= 0) & (node_depths(tree) == level)].sum() for level in range(depth(tree))]
    assert feature_use(tree, 4).sum(axis=1) == pytest.approx(np.array(asked) / tree.weight[0])
