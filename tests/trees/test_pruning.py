"""Pruning against scikit-learn's path, and losses on other rows against predictions of the pruned trees."""

import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.tree import DecisionTreeRegressor

from faceup.trees.cart import fit_cart
from faceup.trees.decision_tree import check_tree, n_leaves, predict
from faceup.trees.metrics import fit_metrics
from faceup.trees.pruning import best_cp, earned, prune, pruning_path

LOSS = {"agreement": lambda m: 1 - m["agreement"], "brier": lambda m: m["brier"], "log": lambda m: m["log_loss"]}


def split_rows(seed: int = 0):
    X, y = make_classification(1200, 8, n_informative=6, n_classes=3, flip_y=0.2, random_state=seed)
    P, w = np.eye(3)[y] * 0.7 + 0.1, np.random.default_rng(seed).exponential(size=len(y))
    return (X[:800], P[:800], w[:800]), (X[800:], P[800:], w[800:])


def test_brier_path_is_that_of_scikit_learn():
    """Their impurity is the mean squared error over three targets: a third of ours."""
    train, _ = split_rows()
    tree = fit_cart(*train, max_depth=6, min_rows=10, seed=0)
    X, P, w = train
    theirs = DecisionTreeRegressor(max_depth=6, min_samples_leaf=10, random_state=0)
    alphas = 3 * theirs.cost_complexity_pruning_path(X.astype(np.float32), P, sample_weight=w / w.mean()).ccp_alphas
    path = pruning_path(tree, "brier", *train)
    assert path.cp == pytest.approx(alphas, abs=1e-7)
    assert path.leaves[0] == n_leaves(tree) and path.leaves[-1] == 1


@pytest.mark.parametrize("criterion", ["agreement", "brier", "log"])
def test_losses_on_the_path_are_those_of_the_pruned_trees(criterion):
    train, valid = split_rows(1)
    tree = fit_cart(*train, max_depth=6, min_rows=5, seed=0)
    path = pruning_path(tree, criterion, *valid)
    assert (np.diff(path.cp) >= 0).all() and (np.diff(path.leaves) < 0).all()
    checked = 0
    for k in range(1, len(path.cp) - 1):
        if path.cp[k + 1] - path.cp[k] < 1e-9:
            continue
        pruned = prune(tree, (path.cp[k] + path.cp[k + 1]) / 2, criterion)
        check_tree(pruned, 8, 3)
        assert n_leaves(pruned) == path.leaves[k]
        assert LOSS[criterion](fit_metrics(valid[1], predict(pruned, valid[0]), valid[2])) == pytest.approx(path.loss[k])
        checked += 1
    assert checked > 5


def test_best_cp_gives_the_tree_of_least_loss():
    train, valid = split_rows(2)
    tree = fit_cart(*train, max_depth=8, min_rows=2, seed=0)
    path = pruning_path(tree, "brier", *valid)
    pruned = prune(tree, best_cp(path), "brier")
    assert 1 < n_leaves(pruned) == path.leaves[path.loss.argmin()] < n_leaves(tree)
    losses = [fit_metrics(valid[1], predict(t, valid[0]), valid[2])["brier"] for t in (pruned, tree)]
    assert losses[0] == pytest.approx(path.loss.min()) and losses[0] < losses[1]


def test_best_cp_gives_the_smallest_tree_that_loses_little_more():
    train, valid = split_rows(2)
    tree = fit_cart(*train, max_depth=8, min_rows=2, seed=0)
    path = pruning_path(tree, "brier", *valid)
    leaves = [n_leaves(prune(tree, best_cp(path, tolerance), "brier")) for tolerance in (0, 0.03, 10)]
    for found, tolerance in zip(leaves, (0, 0.03, 10), strict=True):
        assert found == path.leaves[path.loss <= (1 + tolerance) * path.loss.min()].min()
    assert leaves[0] > leaves[1] > leaves[2] == 1


@pytest.mark.parametrize("criterion", ["agreement", "brier", "log"])
def test_best_cp_finds_every_tree_of_a_path(criterion):
    """On labels that mean nothing the root is often best, and many branches go at one price."""
    roots = 0
    for seed in range(60):
        rng = np.random.default_rng(seed)
        X, y = rng.random((120, 3)).round(1), rng.integers(2, size=120)
        train, valid = ((X[s], np.eye(2)[y[s]], np.ones(60)) for s in (slice(0, 60), slice(60, None)))
        tree = fit_cart(*train, max_depth=4, min_rows=3, seed=0)
        path = pruning_path(tree, criterion, *valid)
        pruned = prune(tree, best_cp(path), criterion)
        assert n_leaves(pruned) == path.leaves[path.loss.argmin()]
        assert LOSS[criterion](fit_metrics(valid[1], predict(pruned, valid[0]), valid[2])) == pytest.approx(path.loss.min())
        roots += n_leaves(pruned) == 1
    assert 0 < roots < 60


def test_an_unknown_criterion_is_named():
    train, _ = split_rows()
    with pytest.raises(ValueError, match="criterion is 'gini': expected one of agreement, brier, log"):
        earned(fit_cart(*train, max_depth=2, min_rows=5, seed=0), "gini")


def test_a_price_of_nothing_keeps_what_earns_and_a_high_one_the_root():
    train, _ = split_rows()
    tree = fit_cart(*train, max_depth=5, min_rows=5, seed=0)
    assert n_leaves(prune(tree, 0, "brier")) == n_leaves(tree)
    root = prune(tree, 1, "brier")
    assert n_leaves(root) == 1 and np.array_equal(root.value[0], tree.value[0])
    assert earned(root, "agreement")[0] == pytest.approx(tree.value[0].max())
