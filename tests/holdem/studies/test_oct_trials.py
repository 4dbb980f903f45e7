"""The proven optimum of small trees against all trees there are and against ConTree; the search against the optimum; tuning."""

import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier

from faceup.holdem.studies.oct_trials import (
    Trial,
    agreement,
    best_agreement,
    bundled_sets,
    cart_learner,
    certificate,
    gain,
    generated_sets,
    questions,
    search_learner,
    try_learner,
)
from faceup.notebook.intervals import student_95
from faceup.trees.decision_tree import leaf_of, n_leaves
from faceup.trees.oct import fit_oct

SETS = bundled_sets()
THRESHOLDS = {"iris": 20, "wine": 10, "breast cancer": 4, "digits": 2}  # of a set; others 5


def best_by_enumeration(answers: np.ndarray, R: np.ndarray, levels: int) -> float:
    """The most weight that a tree of so many levels gets right, by trying all of them."""
    best = R.sum(axis=0).max()
    if levels:
        sides = ((asked, ~asked) for asked in answers.T)
        best = max(best, *(sum(best_by_enumeration(answers[s], R[s], levels - 1) for s in both) for both in sides))
    return best


@pytest.mark.parametrize(("levels", "n_questions"), [(2, 12), (3, 8)])
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_optimum_is_that_of_all_trees(levels, n_questions, seed):
    rng = np.random.default_rng(seed)
    answers = rng.random((40, n_questions)) < rng.random(n_questions)
    R = rng.exponential(size=(40, 1)) * rng.dirichlet(np.ones(3) / 3, size=40)
    expected = best_by_enumeration(answers, R, levels)
    assert best_agreement(answers, R, levels) == pytest.approx(expected, abs=1e-12)
    assert expected > best_by_enumeration(answers, R, levels - 1)


def test_depth_beyond_the_proof_is_refused():
    with pytest.raises(ValueError, match="depth is 4: expected 2 to 3"):
        best_agreement(np.ones((3, 2), dtype=bool), np.ones((3, 2)), 4)


def contrees_optimum(X: np.ndarray, y: np.ndarray, levels: int) -> float:
    """Share of rows X (n, f) that ConTree's best tree gets right (Brita et al. 2025); it tries every threshold."""
    ConTree = pytest.importorskip("pycontree", reason="there is no wheel for this Python").ConTree
    solver = ConTree(max_depth=levels, time_limit=60).fit(X, y)
    assert solver._config.is_within_time_limit()
    return (solver.predict(X) == y).mean()


@pytest.mark.parametrize(("name", "levels"), [*((name, 2) for name in SETS), ("iris", 3), ("wine", 3)])
def test_optimum_is_contrees(name, levels):
    """ConTree knows no weights: a row of weight 3 is given to it three times."""
    X, P, _ = SETS[name]
    y, w = P.argmax(axis=1), np.random.default_rng(0).integers(1, 4, len(X))
    _, answers = questions(X, THRESHOLDS.get(name, 5) // (levels - 1))  # a third level squares the work
    expected = contrees_optimum(np.repeat(answers, w, axis=0), np.repeat(y, w), levels)
    assert best_agreement(answers, (w / w.sum())[:, None] * P, levels) == pytest.approx(expected, abs=1e-12)


# three levels against all trees there are: test_oct.test_shallow_trees_are_the_best_of_all_trees
@pytest.mark.parametrize(("levels", "missed"), [(2, 1e-9), pytest.param(3, 0.002, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", ["wine", "breast cancer"])
def test_search_finds_the_optimum(name, levels, missed):
    X, P, _ = SETS[name]
    w = np.random.default_rng(0).exponential(size=len(X))
    found = certificate(X, P, w, depth=levels, thresholds=THRESHOLDS.get(name, 5), regrowths=100, restarts=2, seed=0)
    assert found.gap <= missed and found.found > P.mean(axis=0).max(), "better than no tree"


def test_search_finds_the_optimum_of_all_thresholds():
    X, P, w = SETS["wine"]
    _, answers = questions(X, 1000)
    tree = fit_oct(X, P, w, max_depth=2, min_rows=1, seed=0, criterion="agreement", regrowths=500)
    best = best_agreement(answers, P / len(P), 2)
    assert agreement(leaf_of(tree, X), P, w / w.sum()) == pytest.approx(best, abs=1e-12)
    assert best == pytest.approx(contrees_optimum(X, P.argmax(axis=1), 2), abs=1e-12)


ROWS, LABELS = generated_sets(1200, 0)["Gaussian shells, 8 features"]
FIRST, LAST = slice(600, 900), slice(900, 1200)  # validation rows, test rows


@pytest.mark.parametrize(("criterion", "impurity"), [("brier", "gini"), ("log", "entropy")])
def test_cart_is_scikit_learns_pruned_at_its_best(criterion, impurity):
    found = try_learner(cart_learner(5, 1), ROWS, LABELS, criteria=[criterion], min_rows=[10])
    settings = {"criterion": impurity, "max_depth": 5, "min_samples_leaf": 10, "random_state": 1}
    whole = DecisionTreeClassifier(**settings).fit(ROWS[:600], LABELS[:600])
    assert found.train == whole.score(ROWS[:600], LABELS[:600])
    path = whole.cost_complexity_pruning_path(ROWS[:600], LABELS[:600]).ccp_alphas
    trees = [DecisionTreeClassifier(**settings, ccp_alpha=max(cp, 0)).fit(ROWS[:600], LABELS[:600]) for cp in path]
    valid, test = ([tree.score(ROWS[part], LABELS[part]) for tree in trees] for part in (FIRST, LAST))
    best = [k for k, score in enumerate(valid) if score == max(valid)]
    assert (found.test, found.leaves) in [(test[k], trees[k].get_n_leaves()) for k in best]


def test_test_rows_choose_nothing():
    other = LABELS.copy()
    other[LAST] = 3 - other[LAST]
    learner, settings = search_learner(3, 1, 0), {"criteria": ["agreement", "brier"], "min_rows": [5, 40]}
    first, second = (try_learner(learner, ROWS, y, **settings) for y in (LABELS, other))
    assert (first.train, *first[2:]) == (second.train, *second[2:])
    assert first.leaves <= 8
    assert first.test > 0.25 > second.test  # four classes, as many rows of each


def test_gain_and_its_margin():
    ours, theirs = (Trial(1, np.array(right), "brier", 1, 2) for right in ([True, True, True, False], [True, False, True, False]))
    assert gain(ours, theirs) == (0.25, pytest.approx(student_95(4) * 0.5 / 2))
    assert gain(ours, ours) == (0, 0)


def test_sets_differ_with_the_seed_and_have_all_classes():
    for (name, (x, y)), (x2, _) in zip(generated_sets(300, 0).items(), generated_sets(300, 9).values(), strict=True):
        assert x.shape == x2.shape and x.shape[0] == len(y) == 300
        assert not np.array_equal(x, x2)
        assert sorted(np.unique(y)) == list(range(y.max() + 1)), name
        assert n_leaves(cart_learner(1, 0)(x, y, "brier", 1)) == 2
