"""Shrinkage by its definition along one way, at its two ends, and on rows it has not seen."""

import numpy as np
import pytest

from faceup.learn.cart import fit_cart
from faceup.learn.metrics import fit_metrics
from faceup.learn.shrinkage import shrink
from faceup.learn.tree_paths import path_to
from faceup.learn.trees import check_tree, predict, truncate


def noisy_rows(seed: int, n: int = 400):
    """Rows whose labels are drawn: a deep tree learns the draws by heart."""
    rng = np.random.default_rng(seed)
    X = rng.random((n, 4)).astype(np.float32)
    chance = np.stack([X[:, 0], (1 - X[:, 0]) * X[:, 1], (1 - X[:, 0]) * (1 - X[:, 1])], axis=1)
    return X, np.array([rng.multinomial(1, p) for p in chance], dtype=np.float64), rng.exponential(size=n)


@pytest.fixture
def tree():
    return fit_cart(*noisy_rows(0), max_depth=10, min_rows=2, seed=0)


def test_a_leaf_is_the_root_and_all_shortened_steps(tree):
    shrunk, leaf = shrink(tree, 7.5), int(np.flatnonzero(tree.feature < 0)[11])
    way = [node for node, _ in path_to(tree, leaf)] + [leaf]
    expected = tree.value[0].astype(np.float64)
    for above, node in zip(way, way[1:], strict=False):
        expected = expected + (tree.value[node] - tree.value[above]) / (1 + 7.5 / tree.weight[above])
    assert len(way) > 4 and shrunk.value[leaf] == pytest.approx(expected, abs=1e-6)
    check_tree(shrunk, 4, 3)


def test_nothing_and_everything(tree):
    assert np.array_equal(shrink(tree, 0).value, tree.value)
    assert np.abs(shrink(tree, 1e12).value - tree.value[0]).max() < 1e-6
    with pytest.raises(ValueError, match="strength is -1: expected at least 0"):
        shrink(tree, -1)


def test_the_top_of_a_shrunk_tree_is_the_shrunk_top(tree):
    top, other = truncate(shrink(tree, 20), 4), shrink(truncate(tree, 4), 20)
    assert all(np.array_equal(a, b) for a, b in zip(top, other, strict=True))


def test_it_helps_where_leaves_are_small_and_costs_on_the_rows_trained_on(tree):
    loss = {}
    for name, seed in (("trained", 0), ("other", 1)):
        X, P, w = noisy_rows(seed)
        loss[name] = [fit_metrics(P, predict(t, X), w)["brier"] for t in (tree, shrink(tree, 20))]
    assert loss["trained"][0] < loss["trained"][1] and loss["other"][1] < 0.9 * loss["other"][0]
