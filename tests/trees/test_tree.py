"""Trees: ways through them, cutting; as text, Python and drawn outlines; agents' files come back
the same or are refused.
"""

import json

import numpy as np
import pytest
from random_trees import SMALL, check_tree, random_tree, rows_for

from faceup.cards.cards import STREETS
from faceup.trees import tree as module
from faceup.trees.agent_file import load_agent_file, save_agent
from faceup.trees.text import outline, tree_text
from faceup.trees.tree import DecisionTree, depth, leaf_of, n_leaves, node_depths, truncate


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
    # numbers are rounded to float32
    for same in (np.asfortranarray(X), X.astype(np.float64) * (1 + 1e-9)):
        assert np.array_equal(leaf_of(tree, same), leaf_of(tree, X))
    assert leaf_of(tree, X[:0]).shape == (0,) and tree.predict(X).dtype == np.float32


def test_cut_trees_stop_a_walk_early():
    """Cuts within cuts are one; truncating is to cut at a depth."""
    tree = random_tree(5, 200)
    X = rows_for(tree, np.random.default_rng(0).normal(size=(2000, 4)).astype(np.float32))
    depths = node_depths(tree)
    walks, ends = [walk(tree, row) for row in X], np.random.default_rng(0).random(401) < 0.15
    ends[0] = False
    pairs = [(truncate(tree, most), depths >= most) for most in range(depth(tree) + 2)]
    for small, stop in [*pairs, (module.cut(tree, ends), ends)]:
        check_tree(small, 4, 3)
        stops = [next((node for node in nodes if stop[node]), nodes[-1]) for nodes in walks]
        assert np.array_equal(small.predict(X), tree.value[stops])
        assert np.array_equal(small.weight[leaf_of(small, X)], tree.weight[stops])
    assert [depth(top) for top, _ in pairs] == [*range(depth(tree) + 1), depth(tree)]
    assert n_leaves(module.cut(tree, np.ones(401, dtype=bool))) == 1


def test_paths_lead_to_their_nodes_and_tell_what_is_below_which():
    tree = random_tree(4, 50)
    n, leaf = len(tree.feature), tree.feature < 0
    way = np.eye(n, dtype=bool)  # whether the way to a node (row) passes another, or ends there
    for node in range(n):
        at = 0
        for split, above in module.path_to(tree, node):
            assert split == at
            way[node, split] = True
            at = int((tree.right if above else tree.left)[split])
        assert at == node
    assert np.array_equal(node_depths(tree), way.sum(axis=1) - 1)
    assert np.array_equal(module.leaves_below(tree), way[leaf].sum(axis=0))
    for node in range(n):
        assert np.array_equal(module.below(tree, node), way[:, node])


# --- agents' files

LABELS = ("fold", "call", "all_in")
NAMES = ("a", "b", "c", "d")


def test_a_saved_agent_decides_the_same_and_is_saved_again_to_the_same_bytes(tmp_path):
    """Every float32 threshold survives: bits drawn at random, of all magnitudes."""
    trees = [random_tree(i, 40 * i) for i in range(4)]
    path = tmp_path / "agent.json"
    rng = np.random.default_rng(1)
    numbers = rng.integers(0, 2**32, 200, dtype=np.uint32).view(np.float32)
    trees[3].threshold[trees[3].feature >= 0] = numbers[np.isfinite(numbers)][:120]
    save_agent(path, trees, [NAMES] * 4, LABELS, {"fit": "random", "rows": 4})
    found, saved_bytes = load_agent_file(path), path.read_bytes()
    assert found[1:] == ((NAMES,) * 4, LABELS, {"fit": "random", "rows": 4})
    X = rng.normal(size=(2000, 4))
    for saved, loaded in zip(trees, found.trees, strict=True):
        check_tree(loaded, 4, 3)
        assert [a.dtype for a in loaded] == [a.dtype for a in saved]
        assert np.array_equal(
            *(np.sort(tree.threshold[tree.feature >= 0]) for tree in (saved, loaded))
        )
        for level in (0, 2, 100):
            one, other = truncate(loaded, level), truncate(saved, level)
            assert np.allclose(one.predict(X), other.predict(X), atol=1e-3)
            assert np.allclose(
                one.weight[leaf_of(one, X)], other.weight[leaf_of(other, X)], rtol=1e-3
            )
    save_agent(path, *found)
    assert path.read_bytes() == saved_bytes


GOOD_ROUND = {"feature_names": ["a", "b"], "feature": [1, -1, -1], "threshold": [0.5],
              "value": [[10_000, 0], [2500, 7500]], "weight": [1, 3.5]}  # fmt: skip


def written(key="labels", value=("fold", "call")) -> bytes:
    """An agent written by hand, with another entry, of the turn where it is one of a round; None
    leaves it out.
    """
    content = {"format": "faceup-trees-1", "provenance": {}, "labels": ["fold", "call"]}
    content |= {street: dict(GOOD_ROUND) for street in STREETS}
    (content["turn"] if key in GOOD_ROUND else content)[key] = value
    return json.dumps(
        {name: entry for name, entry in content.items() if entry is not None}
    ).encode()


BROKEN = {  # message: contents of files
    "format: faceup-trees-2, expected faceup-trees-1": [written("format", "faceup-trees-2")],
    "file: .*, expected keys": [written("river", None), written("\x1b[2J", 1), b"[1]"],
    "provenance: .* expected keys and values": [written("provenance", x) for x in ([], "menu")],
    "labels: .* expected a list of texts": [written("labels", [1]), written("labels", "fold")],
    "turn: .* expected keys": [written("turn", GOOD_ROUND | {"more": 1}), written("turn", 1)],
    "turn.feature: 2 roots, expected one tree": [written("feature", [1, -1, -1, -1])],
    "turn.feature: node 0, expected two branches": [written("feature", [1, -1])],
    r"turn.feature: \[.*\], expected .3,. numbers .int. from -1 to 1": [
        written("feature", [x, -1, -1]) for x in (2, -2, 0.5, "0", None, True)
    ],
    "turn.threshold: .*, expected .1,. numbers": [
        written("threshold", x)
        for x in ([True], ["x" * 10_000], [float("nan")], [None], [[1]], [], [1, 2], 1)
    ],
    "preflop.value: .*, expected .2, 1. numbers": [written("labels", ["fold"])],
    "turn.value: .*, expected .2, 2. numbers": [
        written("value", [x, [2500, 7500]]) for x in ([9_000], [-1, 10_001], [0.5, 1], 1)
    ],
    "turn.value: .*, expected rows with sum 10000": [written("value", [[1, 0], [2500, 7500]])],
    r"turn.weight: \[0\], expected .2,. numbers .float. from": [written("weight", [1, 0])],
    "Expecting": [b"{"],
    "decode": [b"\xff"],
    "recursion": [b"[" * 500_000],
}


@pytest.mark.parametrize("message", BROKEN)
def test_broken_files_are_named(tmp_path, message):
    for content in BROKEN[message]:
        (tmp_path / "agent.json").write_bytes(content)
        with pytest.raises(ValueError, match=f"agent.json: .*{message}") as error:
            load_agent_file(tmp_path / "agent.json")
        assert len(str(error.value)) < 300 + len(str(tmp_path)) and str(error.value).isprintable()


# --- as text, as Python, as outlines

FOUR = ("length", "width of the whole", "color", "age in years")


def test_text_reads_like_the_tree():
    assert tree_text(SMALL, ("equity", "bet"), LABELS) == (
        "all decisions: fold 30 %, call 60 %, all_in 10 %  (100.0% of weight)\n"
        "|   bet <= 12,700: call 100 %  (60.0% of weight)\n"
        "|   bet > 12,700: fold 75 %, all_in 25 %  (40.0% of weight)\n"
        "|   |   equity <= 0.1: fold 100 %  (30.0% of weight)\n"
        "|   |   equity > 0.1: all_in 100 %  (10.0% of weight)\n"
    )


def followed(text: str, row: dict[str, np.float32]) -> str:
    """The leaf to which a reader of a tree's lines comes with a row."""
    reached, *lines = text.splitlines()
    level = 1
    for line in lines:
        if line.count("|   ") == level:
            said = line.replace("|   ", "").rsplit(": ", 1)[0]
            name, sign, threshold = said.rsplit(" ", 2)
            if (row[name] <= np.float32(threshold.replace(",", ""))) == (sign == "<="):
                reached, level = line, level + 1
        elif line.count("|   ") < level:
            break  # of another branch
    return reached


@pytest.mark.parametrize("scale", [1e-6, 1, 20_000])
def test_whoever_follows_the_lines_comes_to_the_leaf_that_is_played(scale):
    """Rounded thresholds led elsewhere; half of these rows lie on a threshold or next to it."""
    tree, names, leaves = random_tree(8, 60), ("equity", "bet faced", "a <= b", "d"), {}
    tree = tree._replace(threshold=(tree.threshold * scale).astype(np.float32))
    X = rows_for(tree, np.random.default_rng(1).normal(0, scale, (500, 4)).astype(np.float32))
    text = tree_text(tree, names, LABELS)
    for row, leaf in zip(X, leaf_of(tree, X), strict=True):
        said = followed(text, dict(zip(names, row, strict=True)))
        assert leaves.setdefault(int(leaf), said) == said
    assert len(leaves) == len(set(leaves.values())) == 20


def condition(name: str, threshold: float, above: bool) -> str:
    return f"{name} {'above' if above else 'at most'} {threshold:.4g}"


@pytest.mark.parametrize(("n_splits", "levels"), [(0, 3), (1, 1), (40, 3), (40, 100)])
def test_an_outline_holds_every_drawn_node_once_and_counts_the_rest(n_splits, levels):
    tree = random_tree(n_splits, n_splits, len(FOUR), 5)
    rows = outline(tree, FOUR, condition, node_depths(tree) < levels, marked=0)
    assert rows[0][:2] == (0, "all decisions")
    assert [row.marked for row in rows] == [True] + [False] * (len(rows) - 1)
    assert max(row.level for row in rows) <= levels
    ends = [
        row
        for row, after in zip(rows, [*rows[1:], rows[0]], strict=True)
        if after.level <= row.level
    ]
    assert sum(max(row.hidden, 1) for row in ends) == n_leaves(tree)
    assert sum(row.share for row in ends) == pytest.approx(1)


def test_an_outline_may_draw_two_leaves_alike_as_one():
    """By whole percents; what they differ in below that is not drawn, what differs more is."""
    feature, left = (np.array([*of_splits, -1, -1, -1, -1]) for of_splits in ([0, 1, 2], [1, 3, 5]))
    chances = np.array([0.5, 0.301, 0.8, 0.302, 0.3, 0.8, 0.79])
    value = np.column_stack([chances, 1 - chances])
    tree = DecisionTree(
        feature, np.zeros(7), left, np.where(left > 0, left + 1, -1), value, np.ones(7)
    )
    drawn = [
        [row.level for row in outline(tree, FOUR, condition, np.ones(7, bool), merge=merge)]
        for merge in (False, True)
    ]
    assert drawn == [[0, 1, 2, 2, 1, 2, 2], [0, 1, 1, 2, 2]]
