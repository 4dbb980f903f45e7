"""Paths of a tree as sentences that say the same as the tree, and the paper's two rules."""

import numpy as np
import pytest
from sklearn.tree import DecisionTreeRegressor

from faceup.trees.cart import tree_of
from faceup.trees.rules import Path, beaten, condition, paths, sentence, with_80_20_rule, with_all_in_rule
from faceup.trees.trees import leaf_of, n_leaves


@pytest.fixture(scope="module")
def tree():
    rng = np.random.default_rng(1)
    X = rng.random((500, 3)).astype(np.float32)
    learner = DecisionTreeRegressor(max_depth=4, random_state=1).fit(X, np.sin(6 * X[:, :1]) + X[:, 1:2])
    return tree_of(learner, learner.tree_.value[:, :, 0])


def test_every_row_meets_the_conditions_of_its_leaf_and_of_no_other(tree):
    X = np.random.default_rng(2).random((300, 3)).astype(np.float32)
    found = paths(tree)
    assert len(found) == n_leaves(tree) and sum(path.share for path in found) == pytest.approx(1)
    inside = np.array([[all(low < x[f] <= high for f, (low, high) in p.bounds.items()) for p in found] for x in X])
    assert (inside.sum(axis=1) == 1).all()
    values = np.array([path.value[0] for path in found])[inside.argmax(axis=1)]
    assert (values == tree.value[leaf_of(tree, X), 0]).all()


def test_conditions_on_one_feature_are_one():
    path = Path({1: (0.2, 0.8), 0: (-np.inf, 3.0), 2: (0.5, np.inf)}, np.array([1.0]), 0.1)
    said = sentence(path, ["a", "your card", "c"], "check")
    assert said == "If 0.20 < your card <= 0.80 and a <= 3.00 and c > 0.50, then check."
    assert condition((0.123, np.inf), "x", 1) == "x > 0.1"
    assert condition((0.99997, np.inf), "x") == "x > 0.99997" and condition((-np.inf, 1.0), "x") == "x <= 1.00"
    assert sentence(Path({}, np.array([1.0]), 1.0), [], "check") == "Always check."
    with pytest.raises(ValueError, match="feature 2 has no name: expected 2 features"):
        sentence(path, ["a", "b"], "check")


def test_beaten_leaves_the_card_itself_out():
    other = np.array([[0.0, 0.2, 0.3, 0.5] + [0.0] * 6])
    assert np.allclose(beaten(other)[0, :5], [0, 0, 0.2 / 0.7, 1, 1])


def test_the_papers_rules_change_only_what_they_speak_of():
    other = np.full((2, 10), 0.1)
    other[1] = np.eye(10)[3]  # never a strong card
    uniform = np.full((2, 10, 31), 1 / 31)
    ruled = with_80_20_rule(uniform, other)
    assert (ruled[0, 2:8, 0] == 1).all()  # cards 3 to 8 beat 2/9 to 7/9
    assert (ruled[0, [0, 1, 8, 9]] == uniform[0, 0]).all()
    ruled = with_all_in_rule(uniform, other)
    assert ruled[0, 9, 30] == 1 and (ruled[0, :9] == uniform[0, :9]).all()
    assert (ruled[1] == uniform[1]).all()
