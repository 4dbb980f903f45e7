"""Decision trees for tests: a small one, and random ones."""

import numpy as np

from faceup.trees.tree import DecisionTree

# bet <= 12,700 ? call : equity <= 0.1 ? fold : all in; numbered level by level
SMALL = DecisionTree(
    feature=np.array([1, -1, 0, -1, -1], dtype=np.int32),
    threshold=np.array([12_700, 0, 0.1, 0, 0], dtype=np.float32),
    left=np.array([1, -1, 3, -1, -1], dtype=np.int32),
    right=np.array([2, -1, 4, -1, -1], dtype=np.int32),
    value=np.array(
        [[0.3, 0.6, 0.1], [0, 1, 0], [0.75, 0, 0.25], [1, 0, 0], [0, 0.004, 0.996]],
        dtype=np.float32,
    ),
    weight=np.array([5.0, 3, 2, 1.5, 0.5]),
)


def rows_for(tree: DecisionTree, X: np.ndarray) -> np.ndarray:
    """Rows X, half of their values on a threshold of the tree or one float32 to either side."""
    rng, X = np.random.default_rng(len(X)), X.copy()
    for f, column in enumerate(X.T):
        edges = tree.threshold[tree.feature == f]
        if len(edges):
            edges = np.concatenate(
                [edges, *(np.nextafter(edges, np.float32(s)) for s in (-1e9, 1e9))]
            )
            X[:, f] = np.where(rng.random(len(X)) < 0.5, column, rng.choice(edges, len(X)))
    return X


def random_tree(seed: int, n_splits: int, n_features: int = 4, n_labels: int = 3) -> DecisionTree:
    """Grown by splitting random leaves; an inner node's value is the mean of its leaves."""
    rng = np.random.default_rng(seed)
    n = 2 * n_splits + 1
    feature, left, right = np.full((3, n), -1, dtype=np.int32)
    leaves = [0]
    for i in range(n_splits):
        node = leaves.pop(rng.integers(len(leaves)))
        feature[node], left[node], right[node] = rng.integers(n_features), 2 * i + 1, 2 * i + 2
        leaves += [2 * i + 1, 2 * i + 2]
    threshold = np.where(feature < 0, 0, rng.normal(size=n)).astype(np.float32)
    value, weight = rng.dirichlet(np.full(n_labels, 0.5), n), rng.uniform(0.1, 10, n)
    for node in range(n - 1, -1, -1):
        if feature[node] >= 0:
            children = [left[node], right[node]]
            weight[node] = weight[children].sum()
            value[node] = np.average(value[children], axis=0, weights=weight[children])
    return DecisionTree(feature, threshold, left, right, value.astype(np.float32), weight)


def check_tree(tree: DecisionTree, n_features: int, n_labels: int) -> None:
    """One tree, parents before children, whose values are probabilities."""
    n, split = len(tree.feature), tree.feature >= 0
    assert [array.shape for array in tree] == [(n,)] * 4 + [
        (n, n_labels),
        (n,),
    ] and tree.feature.max(initial=-1) < n_features
    children = np.concatenate([tree.left[split], tree.right[split]])
    assert (children > np.tile(np.flatnonzero(split), 2)).all()
    assert sorted(children) == list(range(1, n))
    assert (tree.left[~split] == -1).all()
    assert (tree.right[~split] == -1).all()
    assert np.isfinite(tree.threshold).all()
    assert tree.value.min() >= 0
    assert np.abs(tree.value.sum(axis=1) - 1).max() < 1e-3
    assert tree.weight.min() > 0
