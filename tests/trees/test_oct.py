"""Optimal trees against every tree there is, against CART, and the promises of the interface."""

from functools import cache
from itertools import combinations

import numpy as np
import pytest
from scipy.special import xlogy
from sklearn.datasets import make_classification

from faceup.trees.cart import answer_by_costs, fit_cart
from faceup.trees.decision_tree import DecisionTree, check_tree, depth, leaf_of, n_leaves, predict
from faceup.trees.metrics import fit_metrics
from faceup.trees.oct import bin_features, fit_oct

NO_WORK = {"sweeps": 0, "regrowths": 0}


def soft_rows(n: int = 400, f: int = 4, n_labels: int = 3, seed: int = 0):
    """Rows whose labels depend on pairs of features, which greedy splits see badly."""
    rng = np.random.default_rng(seed)
    X = np.round(rng.random((n, f)), 1).astype(np.float32)
    logits = 8 * ((X[:, :1] - 0.5) * (X[:, 1:2] - 0.5) * 4 + (X[:, 2:3] > X[:, 3:4])) @ rng.normal(size=(1, n_labels))
    P = np.exp(logits + rng.normal(size=(n, n_labels)) / 2)
    return X, P / P.sum(axis=1, keepdims=True), rng.exponential(size=n)


def best_answer(A: np.ndarray, W: float) -> float:
    """The most of 2 A.p - W |p|^2 over mixtures p, by trying every set of labels that may be played."""
    found = []
    for n in range(1, len(A) + 1):
        for played in map(list, combinations(range(len(A)), n)):
            p = np.zeros(len(A))
            p[played] = A[played] / W - (A[played].sum() / W - 1) / n  # where the gradient is the same for all of them
            if p.min() >= 0:
                found.append(2 * A @ p - W * p @ p)
    return max(found)


def leaf_worth(S: np.ndarray, criterion: str) -> float:
    """What a leaf with sums S (n_labels,), or of labels with values and of weight last, earns, from its definition."""
    if criterion == "brier+cost":
        return best_answer(S[:-1], S[-1])
    W = S.sum()
    return {"agreement": S.max(), "brier": S @ S / W, "log": xlogy(S, S / W).sum()}[criterion]


def best_by_enumeration(X, R, levels: int, min_rows: int, criterion: str, cp: float) -> float:
    """The most that a tree of so many levels earns on rows X, R = w * P, by trying all of them. Sets of rows are bits of ints."""
    answers = np.concatenate([column <= np.unique(column)[:-1, None] for column in X.T])
    cuts = [int("".join(map(str, answer)), 2) for answer in answers.astype(int)]

    @cache
    def best(rows: int, levels: int) -> float:
        worth = leaf_worth(R[[bit == "1" for bit in f"{rows:0{len(X)}b}"]].sum(axis=0), criterion)
        for low in {rows & cut for cut in cuts} if levels else ():
            high = rows & ~low
            if min(low.bit_count(), high.bit_count()) >= min_rows:
                worth = max(worth, best(low, levels - 1) + best(high, levels - 1) - cp)
        return worth

    return best(2 ** len(X) - 1, levels)


def worth(tree, X, R, criterion: str, cp: float) -> float:
    leaves = leaf_of(tree, X)
    return sum(leaf_worth(R[leaves == leaf].sum(axis=0), criterion) for leaf in np.unique(leaves)) - cp * (n_leaves(tree) - 1)


@pytest.mark.parametrize("criterion", ["agreement", "brier", "log"])
@pytest.mark.parametrize(("levels", "seed", "cp", "min_rows"), [(2, 0, 0, 1), (2, 3, 0.05, 1), (2, 2, 0, 25), (3, 5, 0.001, 1)])
def test_shallow_trees_are_the_best_of_all_trees(criterion, levels, seed, cp, min_rows):
    """With weights, soft labels, prices of splits, least sizes of leaves. Two levels are solved at once, three by search."""
    X, P, w = soft_rows(n=120 if levels == 2 else 80, seed=seed)
    X, R = X if levels == 2 else np.round(5 * X), (w / w.sum())[:, None] * P
    fit = {"max_depth": levels, "min_rows": min_rows, "seed": 0, "criterion": criterion, "cp": cp}
    lazy, tree = (worth(fit_oct(X, P, w, **fit, **work), X, R, criterion, cp) for work in (NO_WORK, {"regrowths": 100}))
    optimum = best_by_enumeration(X, R, levels, min_rows, criterion, cp)
    assert tree == pytest.approx(optimum, abs=1e-7)
    assert levels == 2 or lazy < optimum - 1e-4


def test_costs_are_the_least_of_all_trees():
    X, P, w = soft_rows(n=120, seed=3)
    costs = np.random.default_rng(0).normal(size=P.shape) * 100 + 50 * X[:, :1]
    tree = fit_oct(X, P, w, max_depth=2, min_rows=1, seed=0, criterion="cost", costs=costs, regrowths=200)
    assert set(np.unique(tree.value)) == {0, 1}
    gain = costs.max(axis=1, keepdims=True) - costs
    least = (w * costs.max(axis=1)).sum() - best_by_enumeration(X, w[:, None] * gain, 2, 1, "agreement", 0)
    assert (w * (predict(tree, X) * costs).sum(axis=1)).sum() == pytest.approx(least)


@pytest.mark.parametrize("cost_weight", [0, 0.5, 1000])
def test_squared_error_and_cost_together_are_the_least_of_all_trees(cost_weight):
    """Leaves answer with the mixture that errs and costs least; with much weight on costs that is one action."""
    X, P, w = soft_rows(n=120, seed=3)
    costs = np.random.default_rng(0).normal(size=P.shape) + 2 * X[:, :1]
    fit, both = {"max_depth": 2, "min_rows": 5, "seed": 0, "regrowths": 200}, {"costs": costs, "cost_weight": cost_weight}
    tree = fit_oct(X, P, w, criterion="brier+cost", **both, **fit)
    answers = predict(tree, X)
    found = w @ (((P - answers) ** 2).sum(axis=1) + cost_weight * (answers * costs).sum(axis=1))
    dearest = costs.max(axis=1, keepdims=True)
    R = w[:, None] * np.column_stack([P + cost_weight / 2 * (dearest - costs), np.ones(len(w))])
    all_lost = w @ ((P**2).sum(axis=1) + cost_weight * dearest[:, 0])
    assert found == pytest.approx(all_lost - best_by_enumeration(X, R, 2, 5, "brier+cost", 0), rel=1e-6)
    pure = (answers.max(axis=1) > 0.999).mean()
    assert pure == 1 if cost_weight == 1000 else pure < 0.5
    assert predict(answer_by_costs(tree, X, P, w, **both), X) == pytest.approx(answers, abs=1e-6)


@pytest.mark.parametrize("criterion", ["brier", "log"])
def test_deep_trees_fit_better_than_cart(criterion):
    X, y = make_classification(2000, 12, n_informative=8, n_classes=4, random_state=0)
    P, w = np.eye(4)[y] * 0.8 + 0.05, np.random.default_rng(0).exponential(size=len(y))
    for levels in (4, 8):
        cart = fit_cart(X, P, w, max_depth=levels, min_rows=5, seed=0)
        tree = fit_oct(X, P, w, max_depth=levels, min_rows=5, seed=0, criterion=criterion, bins=4096, regrowths=2)
        ours, theirs = (fit_metrics(P, predict(t, X), w) for t in (tree, cart))
        name = {"brier": "brier", "log": "log_loss"}[criterion]
        assert ours[name] < 0.97 * theirs[name]


@pytest.mark.parametrize(("max_depth", "min_rows"), [(4, 5), (100, 60)])
def test_more_work_earns_more(max_depth, min_rows):
    """At first the better greedy tree, with the last two levels as good as may be; also to a depth that no tree reaches."""
    X, P, w = soft_rows(n=1000)
    fit, R = {"max_depth": max_depth, "min_rows": min_rows, "seed": 0}, (w / w.sum())[:, None] * P
    works = NO_WORK, {"regrowths": 0}, {}, {"warm_start": True}
    trees = [fit_cart(X, P, w, **fit), *(fit_oct(X, P, w, **fit, **work) for work in works)]
    cart, lazy, swept, regrown, warm = (worth(t, X, R, "brier", 0) for t in trees)
    assert cart - 1e-9 <= lazy <= swept < regrown - 1e-4 and cart < warm
    assert max(map(depth, trees)) < 20


def squares_earned(tree, X, P, min_rows: int) -> float:
    """What leaves earn by their squares, rows of weight 1; nothing where one that rows come to has fewer than min_rows."""
    sums = np.zeros(tree.value.shape)
    np.add.at(sums, leaf_of(tree, X), P)
    sums = sums[sums.any(axis=1)]
    rows = sums.sum(axis=1)
    return ((sums**2).sum(axis=1) / rows).sum() if rows.min() > min_rows - 0.5 else -np.inf


def test_no_other_split_of_a_node_earns_more_after_sweeps():
    """With the rest of the tree kept, every feature and threshold is tried at every node, and either branch in its place."""
    rng = np.random.default_rng(0)
    X = rng.random((300, 3)).astype(np.float32)  # so many thresholds that no two levels are solved at once
    logits = 6 * np.column_stack([(X[:, 0] - 0.5) * (X[:, 1] - 0.5) * 4, X[:, 2] - 0.5, X[:, 1] * X[:, 2]])
    P = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    fit = {"max_depth": 4, "min_rows": 8, "seed": 0, "regrowths": 0}
    lazy, tree = (fit_oct(X, P, np.ones(300), sweeps=sweeps, **fit) for sweeps in (0, 50))
    now = squares_earned(tree, X, P, 8)
    assert now > squares_earned(lazy, X, P, 8) + 0.3
    for node in np.flatnonzero(tree.feature >= 0):
        other = DecisionTree(*(array.copy() for array in tree))
        for feature, row in np.ndindex(3, 300):
            other.feature[node], other.threshold[node] = feature, X[row, feature]
            assert squares_earned(other, X, P, 8) <= now + 1e-6
        for child in (tree.left[node], tree.right[node]):
            other.left[node] = other.right[node] = child
            assert squares_earned(other, X, P, 8) <= now + 1e-6


def test_tree_keeps_its_promises():
    X, P, w = soft_rows(n=2000)
    tree, again, another = (fit_oct(X, P, w, max_depth=6, min_rows=20, seed=seed, regrowths=5) for seed in (0, 0, 1))
    assert all(a.tobytes() == b.tobytes() for a, b in zip(tree, again, strict=True))
    assert not all(np.array_equal(a, b) for a, b in zip(tree, another, strict=True))
    check_tree(tree, 4, 3)
    assert depth(tree) <= 6 and n_leaves(tree) > 16
    leaves = leaf_of(tree, X)
    for leaf in np.unique(leaves):
        here = leaves == leaf
        assert here.sum() >= 20
        assert tree.weight[leaf] == pytest.approx(w[here].sum())
        assert tree.value[leaf] == pytest.approx(np.average(P[here], axis=0, weights=w[here]), abs=1e-6)
    assert tree.weight[0] == pytest.approx(w.sum()) and tree.value[0] == pytest.approx(w @ P / w.sum(), abs=1e-6)
    assert all(tree.left[node] == node + 1 for node in np.flatnonzero(tree.feature >= 0)), "expected nodes in preorder"


def test_costs_have_no_unit():
    X, P, w = soft_rows(n=300, seed=3)
    costs = np.random.default_rng(0).normal(size=P.shape) + 2 * X[:, :1]
    fit = {"max_depth": 3, "min_rows": 5, "seed": 0, "criterion": "cost", "regrowths": 3}
    tree, small = (fit_oct(X, P, w, costs=costs * unit, **fit) for unit in (1, 2.0**-40))
    assert n_leaves(tree) > 2 and all(np.array_equal(a, b) for a, b in zip(tree, small, strict=True))


def test_bins_keep_every_threshold_between_few_values():
    X = np.array([[1, 0.5], [2, 0.5], [2, 0.25], [4, 0.75]], dtype=np.float32)
    edges, codes = bin_features(X, 4)
    assert [edge.tolist() for edge in edges] == [[1.5, 3.0], [0.375, 0.625]]
    assert codes.tolist() == [[0, 1, 1, 2], [1, 1, 0, 2]]
    near = np.array([[1], [np.nextafter(np.float32(1), np.float32(2))]], dtype=np.float32)
    edges, codes = bin_features(near, 4)
    assert codes.tolist() == [[0, 1]] and near[0, 0] <= edges[0][0] < near[1, 0]
    many = np.random.default_rng(0).random((10_000, 1)).astype(np.float32)
    edges, codes = bin_features(many, 8)
    assert len(edges[0]) == 7 and np.bincount(codes[0]).min() >= 1249
    alike = np.concatenate([np.arange(50), np.full(950, 60)]).astype(np.float32)[:, None]
    assert bin_features(alike, 16)[0][0].tolist() == [54.5]


def test_features_that_say_nothing_give_one_leaf():
    _, P, w = soft_rows(n=50)
    assert n_leaves(fit_oct(np.ones((50, 3)), P, w, max_depth=4, min_rows=1, seed=0)) == 1
    one_label = np.eye(3)[np.zeros(50, dtype=int)]
    assert n_leaves(fit_oct(soft_rows(n=50)[0], one_label, w, max_depth=4, min_rows=1, seed=0)) == 1


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"max_depth": 0}, "max_depth is 0: expected at least 1"),
        ({"min_rows": 0}, "min_rows is 0: expected at least 1"),
        ({"cp": -1}, "cp is -1: expected at least 0"),
        ({"bins": 1}, "bins is 1: expected 2 to 65536"),
        ({"criterion": "gini"}, "criterion is 'gini': expected one of agreement, brier, log, cost, brier\\+cost"),
        ({"criterion": "brier+cost"}, "criterion is 'brier\\+cost' and costs are not given"),
        ({"criterion": "cost"}, "criterion is 'cost' and costs are not given"),
        ({"costs": np.zeros((50, 3))}, "criterion is 'brier' and costs are given"),
        ({"cost_weight": np.inf}, "cost_weight is inf: expected at least 0"),
        ({"max_depth": 3.0}, "max_depth is 3.0: expected a whole number"),
        ({"sweeps": np.inf}, "sweeps is inf: expected at least 0"),
    ],
)
def test_bad_input_is_named(change, message):
    _, P, w = soft_rows(n=50)
    given = {"X": np.ones((50, 3)), "P": P, "w": w, "max_depth": 3, "min_rows": 1, "seed": 0} | change
    with pytest.raises(ValueError, match=message):
        fit_oct(**given)
