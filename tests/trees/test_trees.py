"""Trees: paths against a plain walk, cutting, printing, and files that come back the same or are refused."""

import json

import numpy as np
import pytest
from random_trees import random_tree

from faceup.notebook.parameters import load_parameters
from faceup.trees.trees import (
    ROUNDS,
    DecisionTree,
    as_python,
    as_text,
    check_tree,
    depth,
    leaf_of,
    load_agent_file,
    n_leaves,
    predict,
    save_agent,
    truncate,
)

LABELS = ("fold", "call", "all_in")
NAMES = ("equity", "bet")

SMALL = DecisionTree(  # bet <= 12,700 ? call : equity <= 0.1 ? fold : all in; numbered level by level
    feature=np.array([1, -1, 0, -1, -1], dtype=np.int32),
    threshold=np.array([12_700, 0, 0.1, 0, 0], dtype=np.float32),
    left=np.array([1, -1, 3, -1, -1], dtype=np.int32),
    right=np.array([2, -1, 4, -1, -1], dtype=np.int32),
    value=np.array([[0.3, 0.6, 0.1], [0, 1, 0], [0.75, 0, 0.25], [1, 0, 0], [0, 0.004, 0.996]], dtype=np.float32),
    weight=np.array([5.0, 3, 2, 1.5, 0.5]),
)


def rows_for(tree: DecisionTree, n: int = 2000) -> np.ndarray:
    """Random rows, half of whose numbers are thresholds of the tree or their float32 neighbours."""
    rng = np.random.default_rng(n)
    X = rng.normal(size=(n, 4)).astype(np.float32)
    edges = np.concatenate([tree.threshold, *(np.nextafter(tree.threshold, np.float32(s)) for s in (-9, 9))])
    return np.where(rng.random(X.shape) < 0.5, X, rng.choice(edges, X.shape))


def walk(tree: DecisionTree, row: np.ndarray, most: int = 10**6) -> tuple[int, int]:
    """Node reached by a row after at most so many splits, and how many it passed."""
    node = steps = 0
    while tree.feature[node] >= 0 and steps < most:
        goes_left = row[tree.feature[node]] <= tree.threshold[node]
        node, steps = int((tree.left if goes_left else tree.right)[node]), steps + 1
    return node, steps


def test_small_tree_decides_as_it_reads():
    X = np.array([[0.9, 12_700], [0.9, 12_701], [0.1, 20_000], [0.0999, 20_000], [0.2, 0]])
    assert leaf_of(SMALL, X).tolist() == [1, 4, 3, 3, 1]  # 0.1 as float32 is on the threshold: left
    assert predict(SMALL, X)[:2].tolist() == SMALL.value[[1, 4]].tolist()
    assert predict(SMALL, X).dtype == np.float32
    assert depth(SMALL) == 2 and n_leaves(SMALL) == 3


@pytest.mark.parametrize("n_splits", [0, 1, 7, 300])
def test_leaves_are_those_of_a_plain_walk(n_splits):
    tree = random_tree(n_splits, n_splits)
    check_tree(tree, 4, 3)
    X = rows_for(tree)
    walks = [walk(tree, row) for row in X]
    assert leaf_of(tree, X).tolist() == [node for node, _ in walks]
    assert n_leaves(tree) == n_splits + 1
    assert leaf_of(tree, np.asfortranarray(X)).tolist() == leaf_of(tree, X).tolist()
    assert leaf_of(tree, X[:0]).shape == (0,)


def test_truncated_trees_stop_a_walk_early():
    tree = random_tree(5, 200)
    X = rows_for(tree)
    for most in range(depth(tree) + 2):
        top = truncate(tree, most)
        check_tree(top, 4, 3)
        assert depth(top) == min(most, depth(tree))
        stops = [walk(tree, row, most)[0] for row in X]
        assert np.array_equal(predict(top, X), tree.value[stops])
        assert np.array_equal(top.weight[leaf_of(top, X)], tree.weight[stops])
    assert all(np.array_equal(a, b) for a, b in zip(truncate(tree, depth(tree)), tree, strict=True))


def test_text_reads_like_the_tree():
    assert as_text(SMALL, NAMES, LABELS) == (
        "bet <= 12,700\n"
        "|   call 100 %  (60.0% of weight)\n"
        "bet > 12,700\n"
        "|   equity <= 0.1\n"
        "|   |   fold 100 %  (30.0% of weight)\n"
        "|   equity > 0.1\n"
        "|   |   all_in 100 %  (10.0% of weight)\n"
    )
    assert as_text(SMALL, NAMES, LABELS, max_depth=1) == (
        "bet <= 12,700\n|   call 100 %  (60.0% of weight)\nbet > 12,700\n|   fold 75 %, all_in 25 %  (40.0% of weight) ...\n"
    )


def test_python_source_decides_like_the_tree():
    tree, names = random_tree(8, 60), ("a", 'b\'s "bet"', "c\n", "d")
    made: dict = {}
    exec(as_python(tree, names, LABELS, name="preflop"), made)
    X = rows_for(tree, 500)
    for row, expected in zip(X, predict(tree, X), strict=True):
        found = made["preflop"](dict(zip(names, row, strict=True)))
        assert [found.get(label, 0) for label in LABELS] == pytest.approx(expected.tolist(), abs=5e-5)
    top = as_python(tree, names, LABELS, max_depth=0)
    assert top.count("return") == 1 and "if" not in top
    with pytest.raises(ValueError, match="name is '1x'"):
        as_python(tree, names, LABELS, name="1x")


def agent(tmp_path, trees=None, names=("a", "b", "c", "d")):
    trees = trees or [random_tree(i, 40 * i) for i in range(4)]
    path = tmp_path / "agent.json"
    save_agent(path, trees, [names] * 4, LABELS, {"fit": "random", "rows": 4})
    return path, trees


def test_a_saved_agent_decides_the_same(tmp_path):
    path, trees = agent(tmp_path)
    found = load_agent_file(path)
    assert found.labels == LABELS and found.feature_names == (("a", "b", "c", "d"),) * 4
    assert found.provenance == {"fit": "random", "rows": 4}
    for saved, loaded in zip(trees, found.trees, strict=True):
        check_tree(loaded, 4, 3)
        assert [a.dtype for a in loaded] == [a.dtype for a in saved]
        assert sorted(loaded.threshold.tolist()) == sorted(saved.threshold.tolist())  # to the last bit
        X = rows_for(saved)
        assert np.array_equal(paths(saved, X), paths(loaded, X))
        for level in (0, 2, 100):
            cut, cut_saved = truncate(loaded, level), truncate(saved, level)
            assert np.allclose(predict(cut, X), predict(cut_saved, X), atol=1e-3)
            assert np.allclose(cut.weight[leaf_of(cut, X)], cut_saved.weight[leaf_of(cut_saved, X)], rtol=1e-3)
        assert np.allclose(predict(loaded, X), predict(saved, X), atol=1.6e-4)


def paths(tree: DecisionTree, X: np.ndarray) -> np.ndarray:
    """Rows numbered by leaf in the order in which leaves are met: equal for trees that cut X alike."""
    _, first, inverse = np.unique(leaf_of(tree, X), return_index=True, return_inverse=True)
    return first[inverse]


def test_saving_again_gives_the_same_bytes(tmp_path):
    path, _ = agent(tmp_path)
    before = path.read_bytes()
    found = load_agent_file(path)
    save_agent(path, *found)
    assert path.read_bytes() == before


def test_every_float32_threshold_survives(tmp_path):
    """Bits drawn at random: all magnitudes, and not only numbers with a short text."""
    bits = np.random.default_rng(1).integers(0, 2**32, 30_000, dtype=np.uint64).astype(np.uint32)
    numbers = bits.view(np.float32)
    numbers = numbers[np.isfinite(numbers)][:20_000]
    tree = random_tree(3, len(numbers))
    tree.threshold[tree.feature >= 0] = numbers
    path, _ = agent(tmp_path, [tree] * 4)
    loaded = load_agent_file(path).trees[0]
    assert np.array_equal(np.sort(loaded.threshold[loaded.feature >= 0]), np.sort(numbers))
    assert path.stat().st_size < 5e6  # four trees of 20,001 leaves each


GOOD_ROUND = {"feature_names": ["a", "b"], "feature": [1, -1, -1], "threshold": [0.5],
              "value": [[10_000, 0], [2500, 7500]], "weight": [1, 3.5]}  # fmt: skip


def write(tmp_path, change):
    content = {"format": "faceup-trees-1", "provenance": {}, "labels": ["fold", "call"]}
    content |= {name: json.loads(json.dumps(GOOD_ROUND)) for name in ROUNDS}
    change(content)
    path = tmp_path / "agent.json"
    path.write_text(json.dumps(content))
    return path


def test_a_file_written_by_hand_is_read(tmp_path):
    tree = load_agent_file(write(tmp_path, lambda content: None)).trees[1]
    assert tree.left.tolist() == [1, -1, -1] and tree.right.tolist() == [2, -1, -1]
    assert tree.weight.tolist() == [4.5, 1, 3.5]
    assert tree.value[0] == pytest.approx([(1 + 3.5 * 0.25) / 4.5, 3.5 * 0.75 / 4.5])


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
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
        ("more", 1, "turn: expected a dict of feature_names"),
    ],
)
def test_a_broken_tree_in_a_file_is_named(tmp_path, key, value, message):
    with pytest.raises(ValueError, match=message):
        load_agent_file(write(tmp_path, lambda content: content["turn"].update({key: value})))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            lambda content: content.update(format="faceup-trees-2"),
            "expected an agent with format 'faceup-trees-1'",
        ),
        (lambda content: content.pop("river"), "keys are"),
        (lambda content: content.update(river=[]), "river: expected a dict"),
        (lambda content: content.update(labels=["fold", 1]), "labels is .*expected a list of names"),
        (lambda content: content.update(labels=["fold"]), "preflop: value is int64 of shape"),
        (lambda content: content.update(provenance="me"), "provenance is 'me'"),
    ],
)
def test_a_broken_agent_file_is_named(tmp_path, change, message):
    with pytest.raises(ValueError, match=message):
        load_agent_file(write(tmp_path, change))


def test_four_trees_as_large_as_those_of_the_default_profile_take_5_mb_at_most(tmp_path):
    """Leaves as many as rows allow, five labels all of which are played, thresholds and weights of all digits."""
    settings = load_parameters()["distill"]
    leaves = max(settings[f"{street}_rows"] for street in ROUNDS[1:]) // settings["tree_min_rows"]
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


@pytest.mark.parametrize(
    ("field", "index", "value", "message"),
    [
        ("left", 0, 0, "left is 0 at .*expected a later node"),
        ("right", 2, 5, "right is 5"),
        ("right", 2, 3, "number of parents is 2"),
        ("left", 1, 2, "left is 2"),
        ("feature", 0, 2, "feature is 2"),
        ("threshold", 0, np.inf, "threshold is inf"),
        ("weight", 3, np.nan, "weight is nan"),
    ],
)
def test_a_broken_tree_is_not_saved(tmp_path, field, index, value, message):
    array = getattr(SMALL, field).copy()
    array[index] = value
    broken = SMALL._replace(**{field: array})
    with pytest.raises(ValueError, match=f"river: {message}"):
        save_agent(tmp_path / "agent.json", [SMALL] * 3 + [broken], [NAMES] * 4, LABELS, {})
    assert not list(tmp_path.iterdir())


def test_bad_calls_are_named(tmp_path):
    with pytest.raises(ValueError, match=r"X has shape \(3, 1\): expected .* 2 features at least"):
        predict(SMALL, np.zeros((3, 1)))
    with pytest.raises(ValueError, match=r"X has shape \(2,\)"):
        leaf_of(SMALL, np.zeros(2))
    with pytest.raises(ValueError, match="depth is -1"):
        truncate(SMALL, -1)
    with pytest.raises(ValueError, match="value has shape"):
        as_text(SMALL, NAMES, LABELS[:2])
    with pytest.raises(ValueError, match="shorter"):
        save_agent(tmp_path / "agent.json", [SMALL] * 3, [NAMES] * 4, LABELS, {})
