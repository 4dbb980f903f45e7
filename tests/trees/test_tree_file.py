"""Agents' files: they come back the same or are refused, with the file's name, in few words and fast."""

import json

import numpy as np
import pytest
from random_trees import check_tree, random_tree

from faceup.cards.cards import STREETS
from faceup.trees.tree import DecisionTree, leaf_of, load_agent_file, save_agent, truncate

LABELS = ("fold", "call", "all_in")
NAMES = ("a", "b", "c", "d")


def paths(tree: DecisionTree, X: np.ndarray) -> np.ndarray:
    """Rows numbered by leaf in the order in which leaves are met: equal for trees that cut X alike."""
    _, first, inverse = np.unique(leaf_of(tree, X), return_index=True, return_inverse=True)
    return first[inverse]


def test_a_saved_agent_decides_the_same_and_is_saved_again_to_the_same_bytes(tmp_path):
    """Every float32 threshold survives: bits drawn at random, of all magnitudes."""
    trees, path, rng = [random_tree(i, 40 * i) for i in range(4)], tmp_path / "agent.json", np.random.default_rng(1)
    numbers = rng.integers(0, 2**32, 200, dtype=np.uint32).view(np.float32)
    trees[3].threshold[trees[3].feature >= 0] = numbers[np.isfinite(numbers)][:120]
    save_agent(path, trees, [NAMES] * 4, LABELS, {"fit": "random", "rows": 4})
    found, saved_bytes = load_agent_file(path), path.read_bytes()
    assert found.labels == LABELS and found.feature_names == (NAMES,) * 4
    assert found.provenance == {"fit": "random", "rows": 4}
    assert np.array_equal(*(np.sort(tree.threshold[tree.feature >= 0]) for tree in (trees[3], found.trees[3])))
    X = rng.normal(size=(2000, 4))
    for saved, loaded in zip(trees, found.trees, strict=True):
        check_tree(loaded, 4, 3)
        assert [a.dtype for a in loaded] == [a.dtype for a in saved]
        assert np.array_equal(paths(saved, X), paths(loaded, X))
        for level in (0, 2, 100):
            cut, cut_saved = truncate(loaded, level), truncate(saved, level)
            assert np.allclose(cut.predict(X), cut_saved.predict(X), atol=1e-3)
            assert np.allclose(cut.weight[leaf_of(cut, X)], cut_saved.weight[leaf_of(cut_saved, X)], rtol=1e-3)
        assert np.allclose(loaded.predict(X), saved.predict(X), atol=1.6e-4)
    save_agent(path, *found)
    assert path.read_bytes() == saved_bytes


GOOD_ROUND = {"feature_names": ["a", "b"], "feature": [1, -1, -1], "threshold": [0.5],
              "value": [[10_000, 0], [2500, 7500]], "weight": [1, 3.5]}  # fmt: skip


def written(key="labels", value=("fold", "call")):
    """An agent written by hand, with another entry, of the turn where it is one of a round; None leaves it out."""
    content = {"format": "faceup-trees-1", "provenance": {}, "labels": ["fold", "call"]}
    content |= {street: dict(GOOD_ROUND) for street in STREETS}
    (content["turn"] if key in GOOD_ROUND else content)[key] = value
    return json.dumps({name: entry for name, entry in content.items() if entry is not None})


def test_a_file_written_by_hand_is_read(tmp_path):
    (tmp_path / "agent.json").write_text(written())
    tree = load_agent_file(tmp_path / "agent.json").trees[1]
    assert tree.left.tolist() == [1, -1, -1] and tree.right.tolist() == [2, -1, -1]
    assert tree.weight.tolist() == [4.5, 1, 3.5]
    assert tree.value[0] == pytest.approx([(1 + 3.5 * 0.25) / 4.5, 3.5 * 0.75 / 4.5])


N_DEEP = 200_000
DEEP = {"feature_names": ["a"], "feature": [0] * N_DEEP + [-1] * (N_DEEP + 1), "threshold": [0] * N_DEEP,
        "value": [[10_000, 0]] * (N_DEEP + 1), "weight": [1] * (N_DEEP + 1)}  # fmt: skip


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("format", "faceup-trees-2", "format: Input should be 'faceup-trees-1'"),
        ("river", None, "river: Field required"),
        ("labels", ["fold", 1], "labels.1: Input should be a valid string"),
        ("labels", ["fold"], "preflop.value: expected 2 rows of 1 numbers whose sum is 10000"),
        ("turn", GOOD_ROUND | {"more": 1}, "turn.more: Extra inputs"),
        ("turn", DEEP, "turn.feature: expected one tree of at most 500 splits"),
        ("feature", [2, -1, -1], "turn.feature: expected numbers of 2 names"),
        ("feature", [1, -2, -1], "turn.feature.1: Input should be greater than or equal to -1"),
        ("feature", [2**64, -1, -1], "turn.feature.0: "),
        ("feature", [1, -1], "turn.feature: node 0 lacks a branch"),
        ("feature", [1, -1, -1, -1], "turn.feature: expected one tree"),
        ("threshold", [], "turn: expected 1 of threshold and 2 of weight"),
        ("threshold", [float("nan")], "turn.threshold.0: "),
        ("threshold", [True], "turn.threshold.0: Input should be a valid number"),
        ("threshold", ["x" * 10_000], "turn.threshold.0: Input should be a valid number"),
        ("value", [[9_000, 0], [2500, 7500]], "turn.value: expected 2 rows of 2 numbers whose sum is 10000"),
        ("value", [[11_000, -1000], [2500, 7500]], "turn.value.0.0: "),
        ("weight", [1, 0], "turn.weight.1: "),
        ("feature_names", ["a", "a"], "turn.feature_names: .*different names"),
    ],
)
def test_a_broken_file_is_named(tmp_path, key, value, message):
    refused(tmp_path, written(key, value).encode(), message)


def test_a_file_that_is_no_agent_is_named(tmp_path):
    refused(tmp_path, b"{", "Expecting")
    refused(tmp_path, b"[1]", "valid dict")
    refused(tmp_path, b"\xff", "decode")
    refused(tmp_path, b"[" * 500_000, "recursion")
    refused(tmp_path, written().replace('"a"', '"b"', 1).replace("{", '{"labels": [], ', 1).encode(), "a key stands twice")


def refused(folder, content: bytes, message: str) -> None:
    (folder / "agent.json").write_bytes(content)
    with pytest.raises(ValueError, match=f"agent.json: .*{message}") as error:
        load_agent_file(folder / "agent.json")
    assert len(str(error.value)) < 300 + len(str(folder))
