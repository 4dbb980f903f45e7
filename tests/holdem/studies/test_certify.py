"""The proven optimum of small trees against all trees there are and against exact solvers; the search against the optimum."""

import numpy as np
import pytest

from faceup.holdem.studies.certify import agreement, best_agreement, bundled_sets, certificate, questions
from faceup.trees.oct import fit_oct
from faceup.trees.trees import leaf_of

SETS = bundled_sets()
THRESHOLDS = {"iris": 20, "wine": 10, "breast cancer": 4, "digits": 2}  # of a set; others 5


def weighted(name: str):
    """A set's rows and labels, with weights that differ from row to row."""
    X, P, _ = SETS[name]
    return X, P, np.random.default_rng(0).exponential(size=len(X))


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


@pytest.mark.parametrize("levels", [2, 3])
@pytest.mark.parametrize("name", SETS)
def test_optimum_is_streeds(name, levels):
    """STreeD (van der Linden et al. 2023), with what each label costs in each row."""
    streed = pytest.importorskip("pystreed", reason="pystreed is not installed; the optimum is compared with all trees above")
    X, P, w = weighted(name)
    _, answers = questions(X, THRESHOLDS.get(name, 5))
    R, answers = (w / w.sum())[:, None] * P, answers.astype(np.int32)
    solver = streed.STreeDInstanceCostSensitiveClassifier(max_depth=levels, time_limit=300)
    solver.fit(answers, len(R) * (R.sum(axis=1, keepdims=True) - R))
    assert solver.fit_result.is_optimal()
    chosen = np.asarray(solver.predict(answers), dtype=np.int64)
    assert best_agreement(answers == 1, R, levels) == pytest.approx(R[np.arange(len(R)), chosen].sum(), abs=1e-6)


@pytest.mark.parametrize("name", ["iris", "wine"])
def test_optimum_of_all_thresholds_is_contrees(name):
    """ConTree tries every threshold between two values; it knows no weights."""
    contree = pytest.importorskip("pycontree", reason="pycontree is not installed; the optimum is compared with all trees above")
    X, P, w = SETS[name]
    solver = contree.ConTree(max_depth=2, time_limit=60)
    solver.fit(X, P.argmax(axis=1))
    assert solver._config.is_within_time_limit()
    _, answers = questions(X, 1000)
    expected = (solver.predict(X) == P.argmax(axis=1)).mean()
    assert best_agreement(answers, P / len(P), 2) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(("levels", "missed"), [(2, 1e-9), (3, 0.002)])
@pytest.mark.parametrize("name", ["wine", "breast cancer"])
def test_search_finds_the_optimum(name, levels, missed):
    found = certificate(*weighted(name), depth=levels, thresholds=THRESHOLDS.get(name, 5), regrowths=100, restarts=2, seed=0)
    assert found.gap <= missed
    assert found.found > SETS[name][1].mean(axis=0).max()  # better than no tree


def test_search_finds_the_optimum_of_all_thresholds():
    X, P, w = SETS["wine"]
    _, answers = questions(X, 1000)
    tree = fit_oct(X, P, w, max_depth=2, min_rows=1, seed=0, criterion="agreement", regrowths=500)
    assert agreement(leaf_of(tree, X), P, w / w.sum()) == pytest.approx(best_agreement(answers, P / len(P), 2), abs=1e-12)
