"""How learners are tuned on generated sets: against scikit-learn's own pruning, and that test rows choose nothing."""

import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier

from faceup.holdem.studies.trials import Trial, cart_learner, gain, generated_sets, search_learner, try_learner
from faceup.notebook.intervals import student_95
from faceup.trees.trees import n_leaves

X, Y = generated_sets(1200, 0)["Gaussian shells, 8 features"]
FIRST, LAST = slice(600, 900), slice(900, 1200)  # validation rows, test rows


@pytest.mark.parametrize(("criterion", "impurity"), [("brier", "gini"), ("log", "entropy")])
def test_cart_is_scikit_learns_pruned_at_its_best(criterion, impurity):
    found = try_learner(cart_learner(5, 1), X, Y, criteria=[criterion], min_rows=[10])
    settings = {"criterion": impurity, "max_depth": 5, "min_samples_leaf": 10, "random_state": 1}
    whole = DecisionTreeClassifier(**settings).fit(X[:600], Y[:600])
    assert found.train == whole.score(X[:600], Y[:600])
    path = whole.cost_complexity_pruning_path(X[:600], Y[:600]).ccp_alphas
    trees = [DecisionTreeClassifier(**settings, ccp_alpha=max(cp, 0)).fit(X[:600], Y[:600]) for cp in path]
    best = max(tree.score(X[FIRST], Y[FIRST]) for tree in trees)
    alike = {(tree.score(X[LAST], Y[LAST]), tree.get_n_leaves()) for tree in trees if tree.score(X[FIRST], Y[FIRST]) == best}
    assert (found.test, found.leaves) in alike


def test_test_rows_choose_nothing():
    other = Y.copy()
    other[LAST] = 3 - other[LAST]
    learner, settings = search_learner(3, 1, 0), {"criteria": ["agreement", "brier"], "min_rows": [5, 40]}
    first, second = (try_learner(learner, X, y, **settings) for y in (Y, other))
    assert (first.train, *first[2:]) == (second.train, *second[2:])
    assert first.leaves <= 8
    assert first.test > 0.25 > second.test  # four classes, as many rows of each


def test_each_fit_is_reported_once():
    told = []
    settings = {"criteria": ["brier", "log"], "min_rows": [5, 20, 80]}
    found = try_learner(cart_learner(4, 0), X, Y, **settings, done=told.append)
    assert told == [1, 2, 3, 4, 5, 6]
    assert found.min_rows in (5, 20, 80) and found.criterion in ("brier", "log")


def test_gain_and_its_margin():
    ours = Trial(1, np.array([True, True, True, False]), "brier", 1, 2)
    theirs = Trial(1, np.array([True, False, True, False]), "brier", 1, 2)
    mean, margin = gain(ours, theirs)
    assert mean == 0.25
    assert margin == pytest.approx(student_95(4) * 0.5 / 2)
    assert gain(ours, ours) == (0, 0)


def test_sets_differ_with_the_seed_and_have_all_classes():
    for (name, (x, y)), (x2, _) in zip(generated_sets(300, 0).items(), generated_sets(300, 9).values(), strict=True):
        assert x.shape == x2.shape and x.shape[0] == len(y) == 300
        assert not np.array_equal(x, x2)
        assert sorted(np.unique(y)) == list(range(y.max() + 1)), name
        learner = cart_learner(1, 0)
        assert n_leaves(learner(x, y, "brier", 1)) == 2
