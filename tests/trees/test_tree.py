"""Trees: ways through them, cutting; as text, Python and drawn outlines; agents' files come back the same or are refused."""

import json

import matplotlib
import matplotlib.pyplot as plt
import numpy as np
import pytest
from random_trees import SMALL, check_tree, random_tree, rows_for

from faceup.cards.cards import STREETS
from faceup.lab.pictures import PALETTE
from faceup.trees import tree as module
from faceup.trees.figures import BAR, BAR_HEIGHT, outline_figure, percent
from faceup.trees.text import outline, tree_text
from faceup.trees.tree import DecisionTree, depth, leaf_of, load_agent_file, n_leaves, node_depths, save_agent, truncate

matplotlib.use("Agg")


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
    for small, stop in [*pairs, (module.cut(tree, ends), ends)]:
        check_tree(small, 4, 3)
        stops = [next((node for node in nodes if stop[node]), nodes[-1]) for nodes in walks]
        assert np.array_equal(small.predict(X), tree.value[stops])
        assert np.array_equal(small.weight[leaf_of(small, X)], tree.weight[stops])
    assert [depth(top) for top, _ in pairs] == [*range(depth(tree) + 1), depth(tree)]
    assert n_leaves(module.cut(tree, np.ones(401, dtype=bool))) == 1


def test_paths_lead_to_their_nodes_and_tell_what_is_below_which():
    tree = random_tree(4, 50)
    n, depths, leaves, inner = len(tree.feature), node_depths(tree), module.leaves_below(tree), tree.feature >= 0
    way = np.eye(n, dtype=bool)  # whether the way to a node (row) passes another, or ends there
    for node in range(n):
        path, at = module.path_to(tree, node), 0
        assert len(path) == depths[node]
        for split, above in path:
            assert split == at
            way[node, split] = True
            at = int((tree.right if above else tree.left)[split])
        assert at == node
    for node in range(n):
        inside = way[:, node]
        assert np.array_equal(module.below(tree, node), inside) and leaves[node] == (inside & ~inner).sum()
        for levels in (0, 2, 100):
            near = way.sum(axis=1) < way[node].sum() + levels
            assert np.array_equal(module.top_levels(tree, levels, node), inside & inner & near)


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


def written(key="labels", value=("fold", "call")) -> bytes:
    """An agent written by hand, with another entry, of the turn where it is one of a round; None leaves it out."""
    content = {"format": "faceup-trees-1", "provenance": {}, "labels": ["fold", "call"]}
    content |= {street: dict(GOOD_ROUND) for street in STREETS}
    (content["turn"] if key in GOOD_ROUND else content)[key] = value
    return json.dumps({name: entry for name, entry in content.items() if entry is not None}).encode()


def test_a_file_written_by_hand_is_read(tmp_path):
    (tmp_path / "agent.json").write_bytes(written())
    tree = load_agent_file(tmp_path / "agent.json").trees[1]
    assert tree.left.tolist() == [1, -1, -1] and tree.right.tolist() == [2, -1, -1]
    assert tree.weight.tolist() == [4.5, 1, 3.5]
    assert tree.value[0] == pytest.approx([(1 + 3.5 * 0.25) / 4.5, 3.5 * 0.75 / 4.5])


N_DEEP = 200_000
DEEP = {"feature_names": ["a"], "feature": [0] * N_DEEP + [-1] * (N_DEEP + 1), "threshold": [0] * N_DEEP,
        "value": [[10_000, 0]] * (N_DEEP + 1), "weight": [1] * (N_DEEP + 1)}  # fmt: skip


BROKEN = {  # message: contents of files
    "format: Input should be 'faceup-trees-1'": [written("format", "faceup-trees-2")],
    "river: Field required": [written("river", None)],
    "labels.1: Input should be a valid string": [written("labels", ["fold", 1])],
    "preflop.value: expected 2 rows of 1 numbers whose sum is 10000": [written("labels", ["fold"])],
    "turn.more: Extra inputs": [written("turn", GOOD_ROUND | {"more": 1})],
    "turn.feature: expected one tree of at most 500 splits": [written("turn", DEEP), written("feature", [1, -1, -1, -1])],
    "turn.feature: expected numbers of 2 names": [written("feature", [2, -1, -1])],
    "turn.feature.1: Input should be greater than or equal to -1": [written("feature", [1, -2, -1])],
    "turn.feature: node 0 lacks a branch": [written("feature", [1, -1])],
    "turn: expected 1 of threshold and 2 of weight": [written("threshold", [])],
    "turn.threshold.0: ": [written("threshold", [float("nan")])],
    "turn.threshold.0: Input should be a valid number": [written("threshold", [x]) for x in (True, "x" * 10_000)],
    "turn.value: expected 2 rows of 2 numbers whose sum is 10000": [written("value", [[9_000, 0], [2500, 7500]])],
    "turn.weight.1: ": [written("weight", [1, 0])],
    "Extra inputs": [written("\x1b[2J", 1)],
    "a key stands twice": [written().replace(b'"a"', b'"b"', 1).replace(b"{", b'{"labels": [], ', 1)],
    **{"Expecting": [b"{"], "valid dict": [b"[1]"], "decode": [b"\xff"], "recursion": [b"[" * 500_000]},
}


@pytest.mark.parametrize("message", BROKEN)
def test_broken_files_are_named(tmp_path, message):
    for content in BROKEN[message]:
        (tmp_path / "agent.json").write_bytes(content)
        with pytest.raises(ValueError, match=f"agent.json: .*{message}") as error:
            load_agent_file(tmp_path / "agent.json")
        assert len(str(error.value)) < 300 + len(str(tmp_path)) and str(error.value).isprintable()


# --- as text, as Python, as outlines -------------------------------------------------------------------------

FOUR = ("length", "width of the whole", "colour", "age in years")


def test_text_reads_like_the_tree():
    assert tree_text(SMALL, ("equity", "bet"), LABELS) == (
        "bet <= 12,700\n"
        "|   call 100 %  (60.0% of weight)\n"
        "bet > 12,700\n"
        "|   equity <= 0.1\n"
        "|   |   fold 100 %  (30.0% of weight)\n"
        "|   equity > 0.1\n"
        "|   |   all_in 100 %  (10.0% of weight)\n"
    )
    assert tree_text(truncate(SMALL, 1), ("equity", "bet"), LABELS) == (
        "bet <= 12,700\n|   call 100 %  (60.0% of weight)\nbet > 12,700\n|   fold 75 %, all_in 25 %  (40.0% of weight)\n"
    )


def followed(text: str, row: dict[str, np.float32]) -> str:
    """The leaf to which a reader of a tree's lines comes with a row."""
    level = 0
    for line in text.splitlines():
        if line.count("|   ") == level:
            said = line.replace("|   ", "")
            if said.endswith("of weight)"):
                return said
            name, sign, threshold = said.rsplit(" ", 2)
            level += (row[name] <= np.float32(threshold.replace(",", ""))) == (sign == "<=")
    raise AssertionError(text)


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
    rows = outline(tree, FOUR, condition, module.top_levels(tree, levels), marked=0)
    assert rows[0][:2] == (0, "all decisions") and [row.marked for row in rows] == [True] + [False] * (len(rows) - 1)
    assert max(row.level for row in rows) <= levels
    ends = [row for row, after in zip(rows, [*rows[1:], rows[0]], strict=True) if after.level <= row.level]
    assert sum(max(row.hidden, 1) for row in ends) == n_leaves(tree) and sum(row.share for row in ends) == pytest.approx(1)


def test_an_outline_may_draw_two_leaves_alike_as_one():
    """By whole percents; what they differ in below that is not drawn, what differs more is."""
    value = np.array(
        [[0.5, 0.5], [0.301, 0.699], [0.8, 0.2], [0.302, 0.698], [0.3, 0.7], [0.8, 0.2], [0.79, 0.21]], dtype=np.float32
    )
    feature, left, right = [0, 1, 2, -1, -1, -1, -1], [1, 3, 5, -1, -1, -1, -1], [2, 4, 6, -1, -1, -1, -1]
    feature, left, right = (np.array(x, dtype=np.int32) for x in (feature, left, right))
    tree = module.DecisionTree(feature, np.zeros(7, np.float32), left, right, value, np.ones(7, np.float32))
    drawn = [[row.level for row in outline(tree, FOUR, condition, np.ones(7, bool), merge=merge)] for merge in (False, True)]
    assert drawn == [[0, 1, 2, 2, 1, 2, 2], [0, 1, 1, 2, 2]]


def test_an_outline_says_the_way_to_each_leaf():
    """Down the rows whose answers are true, each in the branch of the one before, to what the tree answers."""
    tree = random_tree(3, 20, len(FOUR), 5)
    rows = outline(tree, FOUR, condition, np.ones(41, bool))
    X = np.random.default_rng(0).normal(size=(200, len(FOUR)))
    for x, leaf in zip(X, leaf_of(tree, X), strict=True):
        answers = {condition(name, t, v > t) for name, v in zip(FOUR, x, strict=True) for t in tree.threshold.tolist()}
        at, *below = rows
        for row in below:
            if row.level <= at.level:
                break
            at = row if row.level == at.level + 1 and row.text in answers else at
        assert at.mixture == tree.value[leaf].tolist() and at.share == tree.weight[leaf] / tree.weight[0]


def test_bars_are_to_scale():
    """Of rows that come from a file of numbers."""
    rows = outline(tree := random_tree(1, 20, 4, 5), FOUR, condition, module.top_levels(tree, 3))
    figure = outline_figure(json.loads(json.dumps({"tree": rows})), [f"answer {k}" for k in range(5)], PALETTE[:5])
    bars = [bar for bar in figure.axes[0].patches if bar.get_height() == BAR_HEIGHT]
    assert [bar.get_width() / BAR for bar in bars] == pytest.approx([share for row in rows for share in row.mixture])
    assert [bars[k + 1].get_x() for k in range(4)] == pytest.approx([bars[k].get_x() + bars[k].get_width() for k in range(4)])
    plt.close(figure)
    shares = (1, 0.123, 0.0996, 0.0994, 0.0001, 0)
    assert [percent(share) for share in shares] == ["100 %", "12 %", "10 %", "9.9 %", "< 0.05 %", "0.0 %"]
