"""Pruning against scikit-learn's path, and losses on other rows against predictions of the pruned trees."""

from functools import partial

import numpy as np
import pytest
from random_trees import check_tree
from sklearn.datasets import make_classification
from sklearn.tree import DecisionTreeRegressor

from faceup.lab.rng import rng
from faceup.trees.cart import fit_cart
from faceup.trees.metrics import fit_metrics
from faceup.trees.prune import best_cp, earned, prune, pruning_path
from faceup.trees.tree import n_leaves

STREAM = partial(rng, 0, "test")


def loss(tree, X, P, w) -> float:
    return fit_metrics(P, tree.predict(X), w)["brier"]


def split_rows(seed: int = 0):
    X, y = make_classification(1200, 8, n_informative=6, n_classes=3, flip_y=0.2, random_state=seed)
    P, w = np.eye(3)[y] * 0.7 + 0.1, np.random.default_rng(seed).exponential(size=len(y))
    return (X[:800], P[:800], w[:800]), (X[800:], P[800:], w[800:])


def test_brier_path_is_that_of_scikit_learn():
    """Their impurity is the mean squared error over three targets: a third of ours."""
    X, P, w = train = split_rows()[0]
    tree = fit_cart(*train, max_depth=6, min_rows=10, stream=STREAM)
    theirs = DecisionTreeRegressor(max_depth=6, min_samples_leaf=10, random_state=0)
    alphas = 3 * theirs.cost_complexity_pruning_path(X.astype(np.float32), P, sample_weight=w / w.mean()).ccp_alphas
    path = pruning_path(tree, *train)
    assert path.cp == pytest.approx(alphas, abs=1e-7)
    assert path.leaves[0] == n_leaves(prune(tree, 0)) == n_leaves(tree) and path.leaves[-1] == 1


def test_losses_on_the_path_are_those_of_the_pruned_trees():
    """On other rows; and on its own rows a tree loses what its leaves do not earn."""
    train, valid = split_rows(1)
    most = np.average((train[1] ** 2).sum(axis=1), weights=train[2])
    tree = fit_cart(*train, max_depth=6, min_rows=5, stream=STREAM)
    path = pruning_path(tree, *valid)
    assert (np.diff(path.cp) >= 0).all() and (np.diff(path.leaves) < 0).all()
    checked = 0
    for k in range(1, len(path.cp) - 1):
        if path.cp[k + 1] - path.cp[k] < 1e-9:
            continue
        pruned = prune(tree, (path.cp[k] + path.cp[k + 1]) / 2)
        check_tree(pruned, 8, 3)
        assert n_leaves(pruned) == path.leaves[k]
        assert loss(pruned, *valid) == pytest.approx(path.loss[k])
        assert loss(pruned, *train) == pytest.approx(most - earned(pruned)[pruned.feature < 0].sum())
        checked += 1
    assert checked > 5


def test_best_cp_gives_the_smallest_tree_that_loses_little_more():
    """On labels that mean nothing the root is often best, and many branches go at one price."""
    roots = 0
    for seed in range(60):
        rng = np.random.default_rng(seed)
        X, y = rng.random((120, 3)).round(1), rng.integers(2, size=120)
        train, valid = ((X[s], np.eye(2)[y[s]], np.ones(60)) for s in (slice(0, 60), slice(60, None)))
        tree = fit_cart(*train, max_depth=4, min_rows=3, stream=STREAM)
        path = pruning_path(tree, *valid)
        pruned = [prune(tree, best_cp(path, tolerance)) for tolerance in (0, 0.03, 10)]
        wanted = [path.leaves[path.loss <= (1 + tolerance) * path.loss.min()].min() for tolerance in (0, 0.03, 10)]
        assert list(map(n_leaves, pruned)) == wanted and loss(pruned[0], *valid) == pytest.approx(path.loss.min())
        roots += wanted[0] == 1
    assert 0 < roots < 60
