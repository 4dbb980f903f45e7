"""Lines as text and in words; off-tree sizes: known properties of their mapping; legal dollars in every state of random hands."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from faceup.holdem.lines import legal_action, line_to, line_words, lower_probability, read_action, size_chances, state_after
from faceup.holdem.rules import DECISION, START, act, legal_raises, menu_from
from faceup.holdem.tree import action_to, build_tree

TREE = build_tree(menu_from([[1, 2], [1], []], [[0.5, 1], []], [[1], []], [[1], []]))
LABELS = ("fold", "call", "raise_0.1", "raise_0.5", "raise_1", "raise_3", "raise_200", "all_in")
BAD_LINES = {
    "expected k, c, f and bN": ["x", "b300c/b", "b٣٠٠", "b0300", "ck kk"],
    "'/' behind a street; it reads": ["b300c/kb400/", "b300c//", "/", "b300c/kk//", "b300ck"],
    "it reads 'c'": ["k"],  # $50 are to be called
    "it reads 'b300c/": ["b300k", "b300c/c"],
    "fold: nothing to call": ["b300c/f"],
    "expected from 200 to (19700|20000)": ["b150", "b20001", *(f"b300c/b100b{n}" for n in (150, 20000, 9999999, "9" * 30))],
    "not legal here": ["b20000b20000"],
    "hand is over": ["f", "ff", "b20000c", "b20000ck", "b20000c///", "ck/kk/kk/kk", "ck/kk/kk/kk/k"],
}


@pytest.mark.parametrize(("said", "betting"), [(said, line) for said, lines in BAD_LINES.items() for line in lines])
def test_lines_against_the_rules_are_named(said, betting):
    with pytest.raises(ValueError, match=said) as error:
        state_after(betting)
    assert repr(betting) in str(error.value)


def test_lines_are_told_in_dollars():
    said = {line_to(TREE, n): line_words(TREE, n) for n in range(len(TREE.kind))}
    assert said[""] == "first to act" and said["b300c/"] == "raise to 300, call" and said["f"] == "fold"
    assert said["ck/kb200"] == "call, check / check, bet 200"
    assert said["b300c/b600b19700"] == "raise to 300, call / bet 600, all-in"


@st.composite
def three_sizes(draw):
    a = draw(st.floats(0, 50))
    b = a + draw(st.floats(0.01, 100))
    return a, a + draw(st.floats(0, 1)) * (b - a), b


@given(three_sizes())
def test_the_mixture_calls_as_often_as_makes_a_bluff_indifferent(sizes):
    """What the mapping is derived from: a bluff of x is indifferent if called 1 / (1 + x) of the time."""
    a, x, b = sizes
    x = min(x, b)
    p = lower_probability(x, a, b)
    assert 0 <= p <= 1 + 1e-12
    assert p / (1 + a) + (1 - p) / (1 + b) == pytest.approx(1 / (1 + x), rel=1e-9)


def test_sizes_between_two_are_read_as_either_and_the_papers_middle_equally_often():
    a, b = 0.25, 4.0
    assert lower_probability((a + b + 2 * a * b) / (a + b + 2), a, b) == pytest.approx(0.5)
    assert lower_probability(1 / 3, 0, 1) == pytest.approx(0.5)  # between a check and a pot
    assert size_chances(1.5, [0.5, 1, 3]) == [(1, p := lower_probability(1.5, 1, 3)), (2, 1 - p)]
    assert [size_chances(x, [0.5, 1, 3]) for x in (0.1, 0.5, 1, 3, 90)] == [[(k, 1)] for k in (0, 0, 1, 2, 2)]


@pytest.mark.parametrize("seed", range(12))
def test_every_label_is_legal_in_every_state(seed):
    rng, state = np.random.default_rng(seed), START
    while state is not None:
        for label in LABELS:
            act(state, *legal_action(label, state))  # raises ValueError if it is not legal
        least, most = legal_raises(state)
        random_action = ("raise", int(rng.integers(least, min(most, 2 * least) + 1))) if least else ("call", 0)
        state, _ = act(state, *(random_action if rng.random() < 0.3 else ("call", 0)))


def test_known_increments():
    for line, label, action in (
        ("", "raise_1", ("raise", 300)),
        ("b300", "raise_0.1", ("raise", 500)),  # the minimum: 300 and the 200 it was raised by
        ("c", "fold", ("call", 0)),  # a check: nobody asks for a fold
        ("b300c/", "raise_0.5", ("raise", 300)),
        ("b300c/b200", "raise_1", ("raise", 1200)),  # 200, and the pot of 800 with the 200 to call
        ("b300c/", "raise_200", ("raise", 19_700)),  # all that is left
        ("b300c/", "all_in", ("raise", 19_700)),
        ("b19950", "raise_1", ("raise", 20_000)),
    ):
        assert legal_action(label, state_after(line)) == action, line


def test_sizes_of_the_tree_are_read_as_they_are():
    for node in range(1, len(TREE.kind)):
        above = int(TREE.parent[node])
        assert read_action(TREE, above, state_after(line_to(TREE, above)), *action_to(TREE, node)) == [(node, 1.0)]


@pytest.mark.parametrize("betting", ["", "c"])
def test_other_sizes_are_read_as_those_beside_them(betting):
    """A pot is 200: to 300 is one pot, to 500 two, to 400 one and a half."""
    node = next(n for n in np.flatnonzero(TREE.kind == DECISION) if line_to(TREE, n) == betting)

    def read(amount):
        found = read_action(TREE, node, state_after(betting), "raise", amount)
        return [(TREE.labels[TREE.label[child]], chance) for child, chance in found]

    assert read(400) == [("raise_1", p := lower_probability(1.5, 1, 2)), ("raise_2", 1 - p)]
    assert read(200) == [("raise_1", 1)] and read(20_000) == [("all_in", 1)]
