"""Optimal trees against every tree there is, against CART, and the promises of the interface."""

from functools import cache, partial

import numpy as np
import pytest
from random_trees import check_tree
from sklearn.tree import DecisionTreeClassifier

from faceup.trees.cart import fit_cart
from faceup.trees.oct import bin_features, fit_oct
from faceup.trees.tree import DecisionTree, depth, leaf_of, n_leaves
from faceup.util.rng import rng

STREAM = partial(rng, 0, "test")


def soft_rows(n: int, seed: int = 0):
    """Rows, of tenths, whose labels depend on pairs of features, which greedy splits see badly."""
    rng = np.random.default_rng(seed)
    X = np.round(rng.random((n, 4)), 1).astype(np.float32)
    logits = (
        8
        * ((X[:, :1] - 0.5) * (X[:, 1:2] - 0.5) * 4 + (X[:, 2:3] > X[:, 3:4]))
        @ rng.normal(size=(1, 3))
    )
    P = np.exp(logits + rng.normal(size=(n, 3)) / 2)
    return X, P / P.sum(axis=1, keepdims=True), rng.exponential(size=n)


def best_by_enumeration(X, R, levels: int, min_rows: int) -> float:
    """The most that a tree of so many levels earns on rows X, R = w * P, by trying all of them.
    Sets of rows are bits of ints.
    """
    answers = np.concatenate([column <= np.unique(column)[:-1, None] for column in X.T])
    cuts = [int("".join(map(str, answer)), 2) for answer in answers.astype(int)]

    @cache
    def best(rows: int, levels: int) -> float:
        sums = R[[bit == "1" for bit in f"{rows:0{len(X)}b}"]].sum(axis=0)
        worth = sums @ sums / sums.sum()  # the value of a leaf, from its definition
        for low in {rows & cut for cut in cuts} if levels else ():
            high = rows & ~low
            if min(low.bit_count(), high.bit_count()) >= min_rows:
                worth = max(worth, best(low, levels - 1) + best(high, levels - 1))
        return worth

    return best(2 ** len(X) - 1, levels)


def worth(tree, X, R, min_rows: int = 0) -> float:
    """What all leaves earn; nothing where one that rows come to has fewer than min_rows."""
    leaves, sums = leaf_of(tree, X), np.zeros(tree.value.shape)
    np.add.at(sums, leaves, R)
    sums, rows = sums[np.unique(leaves)], np.unique(leaves, return_counts=True)[1]
    return ((sums**2).sum(axis=1) / sums.sum(axis=1)).sum() if rows.min() >= min_rows else -np.inf


@pytest.mark.parametrize(("levels", "seed", "min_rows"), [(2, 3, 1), (2, 2, 25), (3, 3, 1)])
def test_shallow_trees_are_the_best_of_all_trees(levels, seed, min_rows):
    """With weights, soft labels, least sizes of leaves. At three levels the search does not find
    the best of other rows.
    """
    X, P, w = soft_rows(n=120 if levels == 2 else 80, seed=seed)
    X, R = X if levels == 2 else np.round(5 * X), (w / w.sum())[:, None] * P
    shape = {"max_depth": levels, "min_rows": min_rows, "stream": STREAM}
    greedy, tree = fit_cart(X, P, w, **shape), fit_oct(X, P, w, **shape, regrowths=100)
    optimum = best_by_enumeration(X, R, levels, min_rows)
    assert worth(tree, X, R) == pytest.approx(optimum, abs=1e-7)
    assert worth(greedy, X, R) < optimum - 1e-4


def test_without_work_the_search_returns_the_greedy_tree_of_a_criterion():
    """scikit-learn's of hard labels: a row of each label, with the share of the label as weight."""
    X, P, w = soft_rows(n=300)
    shape = {"max_depth": 4, "min_rows": 1, "stream": STREAM, "regrowths": 0, "sweeps": 0}
    hard = np.repeat(X, 3, axis=0), np.tile(range(3), len(X)), (w[:, None] * P).ravel()
    for criterion in ("entropy", "gini"):
        tree = fit_oct(X, P, w, **shape, starts=[criterion])
        theirs = DecisionTreeClassifier(criterion=criterion, max_depth=4, random_state=0).fit(*hard)
        leaves = theirs.apply(X)
        assert len(np.unique(leaves)) > 8
        assert len(set(zip(leaves, leaf_of(tree, X), strict=True))) == len(np.unique(leaves))


def test_no_other_split_of_a_node_earns_more_after_sweeps():
    """With the rest of the tree kept, every feature and threshold is tried at every node, and
    either branch in its place.
    """
    X, P, w = soft_rows(n=300)
    R, shape = w[:, None] * P, {"max_depth": 4, "min_rows": 8, "stream": STREAM}
    greedy, tree = fit_cart(X, P, w, **shape), fit_oct(X, P, w, **shape, regrowths=0)
    now = worth(tree, X, R, 8)
    assert now > worth(greedy, X, R, 8) + 0.3
    for node in np.flatnonzero(tree.feature >= 0):
        other = DecisionTree(*(array.copy() for array in tree))
        for feature, tenths in np.ndindex(4, 10):
            other.feature[node], other.threshold[node] = feature, (tenths + 0.5) / 10
            assert worth(other, X, R, 8) <= now + 1e-6
        for child in (tree.left[node], tree.right[node]):
            other.left[node] = other.right[node] = child
            assert worth(other, X, R, 8) <= now + 1e-6


def test_tree_keeps_its_promises():
    X, P, w = soft_rows(n=2000)
    streams = [partial(rng, seed, "test") for seed in (0, 0, 1)]
    tree, again, another = (
        fit_oct(X, P, w, max_depth=6, min_rows=20, stream=stream, regrowths=5) for stream in streams
    )
    assert all(a.tobytes() == b.tobytes() for a, b in zip(tree, again, strict=True))
    assert not all(np.array_equal(a, b) for a, b in zip(tree, another, strict=True))
    check_tree(tree, 4, 3)
    assert depth(tree) <= 6 and n_leaves(tree) > 16
    leaves = leaf_of(tree, X)
    for leaf in np.unique(leaves):
        here = leaves == leaf
        assert here.sum() >= 20
        assert tree.weight[leaf] == pytest.approx(w[here].sum())
        assert tree.value[leaf] == pytest.approx(
            np.average(P[here], axis=0, weights=w[here]), abs=1e-6
        )
    assert tree.weight[0] == pytest.approx(w.sum())
    assert tree.value[0] == pytest.approx(w @ P / w.sum(), abs=1e-6)
    assert all(tree.left[node] == node + 1 for node in np.flatnonzero(tree.feature >= 0)), (
        "expected nodes in preorder"
    )
    fit = partial(fit_oct, w=w, max_depth=4, min_rows=1, stream=STREAM)
    assert (
        n_leaves(fit(np.ones_like(X), P))
        == n_leaves(fit(X, np.eye(3)[np.zeros(2000, dtype=int)]))
        == 1
    ), "nothing to tell"
    assert 4 < depth(fit(X, P, max_depth=100, min_rows=60, regrowths=5)) < 20, (
        "no tree comes to that depth"
    )


def test_bins_keep_every_threshold_between_few_values():
    X = np.array([[1, 0.5], [2, 0.5], [2, 0.25], [4, 0.75]], dtype=np.float32)
    bin_edges, codes = bin_features(X, 4)
    assert [edge.tolist() for edge in bin_edges] == [[1.5, 3.0], [0.375, 0.625]]
    assert codes.tolist() == [[0, 1, 1, 2], [1, 1, 0, 2]]
    near = np.array([[1], [np.nextafter(np.float32(1), np.float32(2))]], dtype=np.float32)
    bin_edges, codes = bin_features(near, 4)
    assert codes.tolist() == [[0, 1]] and near[0, 0] <= bin_edges[0][0] < near[1, 0]
    many = np.random.default_rng(0).random((10_000, 1)).astype(np.float32)
    bin_edges, codes = bin_features(many, 8)
    assert len(bin_edges[0]) == 7 and np.bincount(codes[0]).min() >= 1249
