"""Trees: ways through them against a plain walk, and cutting; agents' files come back the same or are refused with their name."""

import json

import numpy as np
import pytest
from random_trees import check_tree, random_tree, rows_for

from faceup.cards.cards import STREETS
from faceup.trees.tree import (
    DecisionTree,
    below,
    cut,
    depth,
    leaf_of,
    leaves_below,
    load_agent_file,
    n_leaves,
    node_depths,
    path_to,
    save_agent,
    top_levels,
    truncate,
)


def walk(tree: DecisionTree, row: np.ndarray) -> list[int]:
    """Nodes that a row comes to."""
    nodes = [0]
    while tree.feature[node := nodes[-1]] >= 0:
        goes_left = row[tree.feature[node]] <= tree.threshold[node]
        nodes.append(int((tree.left if goes_left else tree.right)[node]))
    return nodes


@pytest.mark.parametrize("n_splits", [0, 1, 7, 300])
def test_leaves_are_those_of_a_plain_walk(n_splits):
    tree = random_tree(n_splits, n_splits)
    check_tree(tree, 4, 3)
    X = rows_for(tree, np.random.default_rng(2000).normal(size=(2000, 4)).astype(np.float32))
    assert leaf_of(tree, X).tolist() == [walk(tree, row)[-1] for row in X]
    assert n_leaves(tree) == n_splits + 1
    for same in (np.asfortranarray(X), X.astype(np.float64) * (1 + 1e-9)):  # numbers are rounded to float32
        assert np.array_equal(leaf_of(tree, same), leaf_of(tree, X))
    assert leaf_of(tree, X[:0]).shape == (0,) and tree.predict(X).dtype == np.float32


def test_cut_trees_stop_a_walk_early():
    """Cuts within cuts are one; truncating is to cut at a depth."""
    tree = random_tree(5, 200)
    X, depths = rows_for(tree, np.random.default_rng(0).normal(size=(2000, 4)).astype(np.float32)), node_depths(tree)
    walks, ends = [walk(tree, row) for row in X], np.random.default_rng(0).random(401) < 0.15
    ends[0] = False
    pairs = [(truncate(tree, most), depths >= most) for most in range(depth(tree) + 2)]
    for small, stop in [*pairs, (cut(tree, ends), ends)]:
        check_tree(small, 4, 3)
        stops = [next((node for node in nodes if stop[node]), nodes[-1]) for nodes in walks]
        assert np.array_equal(small.predict(X), tree.value[stops])
        assert np.array_equal(small.weight[leaf_of(small, X)], tree.weight[stops])
    assert [depth(top) for top, _ in pairs] == [*range(depth(tree) + 1), depth(tree)]
    assert n_leaves(cut(tree, np.ones(401, dtype=bool))) == 1


def test_paths_lead_to_their_nodes_and_tell_what_is_below_which():
    tree = random_tree(4, 50)
    n, depths, leaves, inner = len(tree.feature), node_depths(tree), leaves_below(tree), tree.feature >= 0
    way = np.eye(n, dtype=bool)  # whether the way to a node (row) passes another, or ends there
    for node in range(n):
        path, at = path_to(tree, node), 0
        assert len(path) == depths[node]
        for split, above in path:
            assert split == at
            way[node, split] = True
            at = int((tree.right if above else tree.left)[split])
        assert at == node
    for node in range(n):
        inside = way[:, node]
        assert np.array_equal(below(tree, node), inside) and leaves[node] == (inside & ~inner).sum()
        for levels in (0, 2, 100):
            near = way.sum(axis=1) < way[node].sum() + levels
            assert np.array_equal(top_levels(tree, levels, node), inside & inner & near)


# --- agents' files -------------------------------------------------------------------------------------------

LABELS = ("fold", "call", "all_in")
NAMES = ("a", "b", "c", "d")


def test_a_saved_agent_decides_the_same_and_is_saved_again_to_the_same_bytes(tmp_path):
    """Every float32 threshold survives: bits drawn at random, of all magnitudes."""
    trees, path, rng = [random_tree(i, 40 * i) for i in range(4)], tmp_path / "agent.json", np.random.default_rng(1)
    numbers = rng.integers(0, 2**32, 200, dtype=np.uint32).view(np.float32)
    trees[3].threshold[trees[3].feature >= 0] = numbers[np.isfinite(numbers)][:120]
    save_agent(path, trees, [NAMES] * 4, LABELS, {"fit": "random", "rows": 4})
    found, saved_bytes = load_agent_file(path), path.read_bytes()
    assert found[1:] == ((NAMES,) * 4, LABELS, {"fit": "random", "rows": 4})
    X = rng.normal(size=(2000, 4))
    for saved, loaded in zip(trees, found.trees, strict=True):
        check_tree(loaded, 4, 3)
        assert [a.dtype for a in loaded] == [a.dtype for a in saved]
        assert np.array_equal(*(np.sort(tree.threshold[tree.feature >= 0]) for tree in (saved, loaded)))
        for level in (0, 2, 100):
            one, other = truncate(loaded, level), truncate(saved, level)
            assert np.allclose(one.predict(X), other.predict(X), atol=1e-3)
            assert np.allclose(one.weight[leaf_of(one, X)], other.weight[leaf_of(other, X)], rtol=1e-3)
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
        ("feature", [1, -1], "turn.feature: node 0 lacks a branch"),
        ("feature", [1, -1, -1, -1], "turn.feature: expected one tree"),
        ("threshold", [], "turn: expected 1 of threshold and 2 of weight"),
        ("threshold", [float("nan")], "turn.threshold.0: "),
        ("threshold", [True], "turn.threshold.0: Input should be a valid number"),
        ("threshold", ["x" * 10_000], "turn.threshold.0: Input should be a valid number"),
        ("value", [[9_000, 0], [2500, 7500]], "turn.value: expected 2 rows of 2 numbers whose sum is 10000"),
        ("weight", [1, 0], "turn.weight.1: "),
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
