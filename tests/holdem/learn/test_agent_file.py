"""Agents' files: they come back the same or are refused."""

import json

import numpy as np
import pytest
from random_trees import random_tree

from faceup.holdem.betting.betting_tree import STREETS
from faceup.holdem.learn.agent_file import load_agent_file, save_agent
from faceup.notebook.parameters import load_parameters
from faceup.trees.decision_tree import DecisionTree, check_tree, leaf_of, predict, truncate
from faceup.trees.packed import pack, unpack

LABELS = ("fold", "call", "all_in")
NAMES = ("a", "b", "c", "d")


def paths(tree: DecisionTree, X: np.ndarray) -> np.ndarray:
    """Rows numbered by leaf in the order in which leaves are met: equal for trees that cut X alike."""
    _, first, inverse = np.unique(leaf_of(tree, X), return_index=True, return_inverse=True)
    return first[inverse]


def test_a_saved_agent_decides_the_same_and_is_saved_again_to_the_same_bytes(tmp_path):
    trees, path = [random_tree(i, 40 * i) for i in range(4)], tmp_path / "agent.json"
    save_agent(path, trees, [NAMES] * 4, LABELS, {"fit": "random", "rows": 4})
    found, saved_bytes = load_agent_file(path), path.read_bytes()
    assert found.labels == LABELS and found.feature_names == (NAMES,) * 4
    assert found.provenance == {"fit": "random", "rows": 4}
    X = np.random.default_rng(1).normal(size=(2000, 4))
    for saved, loaded in zip(trees, found.trees, strict=True):
        check_tree(loaded, 4, 3)
        assert [a.dtype for a in loaded] == [a.dtype for a in saved]
        assert np.array_equal(paths(saved, X), paths(loaded, X))
        for level in (0, 2, 100):
            cut, cut_saved = truncate(loaded, level), truncate(saved, level)
            assert np.allclose(predict(cut, X), predict(cut_saved, X), atol=1e-3)
            assert np.allclose(cut.weight[leaf_of(cut, X)], cut_saved.weight[leaf_of(cut_saved, X)], rtol=1e-3)
        assert np.allclose(predict(loaded, X), predict(saved, X), atol=1.6e-4)
    save_agent(path, *found)
    assert path.read_bytes() == saved_bytes


def test_every_float32_threshold_survives():
    """Bits drawn at random: all magnitudes, and not only numbers with a short text."""
    numbers = np.random.default_rng(1).integers(0, 2**32, 6000, dtype=np.uint32).view(np.float32)
    numbers = numbers[np.isfinite(numbers)][:5000]
    tree = random_tree(3, len(numbers))
    tree.threshold[tree.feature >= 0] = numbers
    loaded, _ = unpack(json.loads(json.dumps({"feature_names": NAMES, **pack(tree)})), len(LABELS), "tree")
    assert np.array_equal(np.sort(loaded.threshold[loaded.feature >= 0]), np.sort(numbers))


GOOD_ROUND = {"feature_names": ["a", "b"], "feature": [1, -1, -1], "threshold": [0.5],
              "value": [[10_000, 0], [2500, 7500]], "weight": [1, 3.5]}  # fmt: skip


def write(path, key="labels", value=("fold", "call")):
    """Write an agent by hand, with another entry, of the turn where it is one of a round; None leaves it out."""
    content = {"format": "faceup-trees-1", "provenance": {}, "labels": ["fold", "call"]}
    content |= {street: dict(GOOD_ROUND) for street in STREETS}
    (content["turn"] if key in GOOD_ROUND else content)[key] = value
    path.write_text(json.dumps({name: entry for name, entry in content.items() if entry is not None}))


def test_a_file_written_by_hand_is_read(tmp_path):
    write(tmp_path / "agent.json")
    tree = load_agent_file(tmp_path / "agent.json").trees[1]
    assert tree.left.tolist() == [1, -1, -1] and tree.right.tolist() == [2, -1, -1]
    assert tree.weight.tolist() == [4.5, 1, 3.5]
    assert tree.value[0] == pytest.approx([(1 + 3.5 * 0.25) / 4.5, 3.5 * 0.75 / 4.5])


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("format", "faceup-trees-2", "expected an agent with format 'faceup-trees-1'"),
        ("river", None, "keys are"),
        ("river", [], "river: expected a dict"),
        ("labels", ["fold", 1], "labels is .*expected a list of names"),
        ("labels", ["fold"], "preflop: value is int64 of shape"),
        ("provenance", "me", "provenance is 'me'"),
        ("turn", GOOD_ROUND | {"more": 1}, "turn: expected a dict of feature_names"),
        ("feature", [2, -1, -1], "turn: feature is 2 at .*expected -1 to 1"),
        ("feature", [1, -2, -1], "turn: feature is -2"),
        ("feature", [2**32, -1, -1], "turn: feature is 4294967296"),
        ("feature", [1.0, -1, -1], "turn: feature is float64 .*expected whole numbers"),
        ("feature", [True, -1, "x"], "turn: feature is <U"),
        ("feature", [], "turn: feature"),
        ("feature", [1, -1], "turn: feature ends before node 0"),
        ("feature", [1, -1, -1, -1], "turn: feature holds 2 trees"),
        ("feature", [-1, 1, -1], "turn: feature ends before node 1"),
        ("feature", 3, "turn: feature is int64 of shape"),
        ("threshold", [], "turn: threshold is .*expected numbers of shape"),
        ("threshold", [float("nan")], "turn: threshold is nan"),
        ("threshold", ["0.5"], "turn: threshold is <U"),
        ("value", [[10_000, 0]], "turn: value is int64 of shape"),
        ("value", [[10_000, 0], [1]], "turn: value"),
        ("value", [[9_000, 0], [2500, 7500]], "turn: sum of value is 0.9 at .*expected 1"),
        ("value", [[11_000, -1000], [2500, 7500]], "turn: value is 1.1"),
        ("weight", [1, 0], "turn: weight is 0.0"),
        ("weight", [1, float("inf")], "turn: weight is inf"),
        ("weight", [1], "turn: weight is int64 of shape"),
        ("feature_names", ["a", "a"], "different names"),
        ("feature_names", "ab", "expected a list of names"),
    ],
)
def test_a_broken_file_is_named(tmp_path, key, value, message):
    write(tmp_path / "agent.json", key, value)
    with pytest.raises(ValueError, match=message):
        load_agent_file(tmp_path / "agent.json")


def test_four_trees_as_large_as_those_of_the_default_profile_take_5_mb_at_most(tmp_path):
    """Leaves as many as rows allow, five labels all of which are played, thresholds and weights of all digits."""
    settings = load_parameters()["distill"]
    leaves = max(settings[f"{street}_rows"] for street in STREETS[1:]) // settings["tree_min_rows"]
    grown = random_tree(1, leaves - 1)
    grown = grown._replace(value=np.random.default_rng(2).dirichlet(np.ones(5), len(grown.feature)).astype(np.float32))
    names, labels = [f"name_{k}" for k in range(4)], [f"action_{k}" for k in range(5)]
    save_agent(tmp_path / "agent.json", [grown] * 4, [names] * 4, labels, {})
    assert (tmp_path / "agent.json").stat().st_size <= 5e6


def test_a_file_that_is_no_agent_is_named(tmp_path):
    path = tmp_path / "agent.json"
    for text in ("{", "[1]", "\xff"):
        path.write_bytes(text.encode("latin-1"))
        with pytest.raises(ValueError, match="agent.json: expected"):
            load_agent_file(path)


def test_what_is_wrong_is_not_saved(tmp_path):
    good = random_tree(1, 3)
    broken = good._replace(weight=np.where(np.arange(7) == 3, np.nan, good.weight))
    with pytest.raises(ValueError, match="river: weight is nan"):
        save_agent(tmp_path / "agent.json", [good] * 3 + [broken], [NAMES] * 4, LABELS, {})
    with pytest.raises(ValueError, match="shorter"):
        save_agent(tmp_path / "agent.json", [good] * 3, [NAMES] * 4, LABELS, {})
    assert not list(tmp_path.iterdir())
