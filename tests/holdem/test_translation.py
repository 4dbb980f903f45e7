"""Off-tree sizes: the mapping's known properties, and legal dollars in every state of random hands."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from faceup.cards.cards import parse_cards
from faceup.holdem.agents import PolicyAgent
from faceup.holdem.lines import legal_action, line_to, lower_probability, node_after, read_line, size_chances
from faceup.holdem.policy import FixedPolicy
from faceup.holdem.rules import DECISION, START, act, legal_raises, menu_from
from faceup.holdem.tree import build_tree

TREE = build_tree(menu_from([[1, 2], [1], []], [[0.5, 1], []], [[1], []], [[1], []]))
LABELS = ("fold", "call", "raise_0.1", "raise_0.5", "raise_1", "raise_3", "raise_200", "all_in")


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


def test_the_papers_middle_is_read_as_either_size_equally_often():
    a, b = 0.25, 4.0
    assert lower_probability((a + b + 2 * a * b) / (a + b + 2), a, b) == pytest.approx(0.5)
    assert lower_probability(1 / 3, 0, 1) == pytest.approx(0.5)  # between a check and a pot


def test_sizes_between_two_are_read_as_either():
    assert size_chances(1.5, [0.5, 1, 3]) == [(1, p := lower_probability(1.5, 1, 3)), (2, 1 - p)]
    assert [size_chances(x, [0.5, 1, 3]) for x in (0.1, 0.5, 1, 3, 90)] == [[(k, 1)] for k in (0, 0, 1, 2, 2)]


@pytest.mark.parametrize("label", LABELS)
@pytest.mark.parametrize("seed", range(12))
def test_every_label_is_legal_in_every_state(label, seed):
    rng, state = np.random.default_rng(seed), START
    while state is not None:
        act(state, *legal_action(label, state))  # raises ValueError if it is not legal
        least, most = legal_raises(state)
        random_action = ("raise", int(rng.integers(least, min(most, 2 * least) + 1))) if least else ("call", 0)
        state, _ = act(state, *(random_action if rng.random() < 0.3 else ("call", 0)))


def test_known_increments():
    after = {line: read_line(line).state for line in ("", "b300", "c", "b300c/", "b300c/b200", "b19950")}
    assert legal_action("raise_1", after[""]) == ("raise", 300)
    assert legal_action("raise_0.1", after["b300"]) == ("raise", 500)  # the minimum: 300 and the 200 it was raised by
    assert legal_action("fold", after["c"]) == ("call", 0)  # a check: nobody asks for a fold
    assert legal_action("raise_0.5", after["b300c/"]) == ("raise", 300)
    assert legal_action("raise_1", after["b300c/b200"]) == ("raise", 1200)  # 200, and the pot of 800 with the 200 to call
    for label in ("raise_200", "all_in"):
        assert legal_action(label, after["b300c/"]) == ("raise", 19_700)  # all that is left
    assert legal_action("raise_1", after["b19950"]) == ("raise", 20_000)


@pytest.mark.parametrize("player", [0, 1])
def test_lines_on_the_tree_are_read_as_they_are(player):
    rng = np.random.default_rng(player)
    for node in rng.choice(np.flatnonzero(TREE.kind == DECISION), 50):
        assert node_after(TREE, line_to(TREE, int(node)), player, lambda i: rng.random()) == node


@pytest.mark.parametrize(("betting", "reader"), [("b400", 1), ("cb400", 0)])
def test_a_raise_to_400_is_read_as_a_pot_or_two(betting, reader):
    """A pot is 200: to 300 is one pot, to 500 two, to 400 one and a half."""
    p = lower_probability(1.5, 1, 2)
    for draw, label in ((p - 1e-9, "raise_1"), (p + 1e-9, "raise_2")):
        assert TREE.labels[TREE.label[node_after(TREE, betting, reader, lambda i, draw=draw: draw)]] == label


def test_all_in_is_read_as_all_in_and_less_than_the_smallest_size_as_that():
    assert TREE.labels[TREE.label[node_after(TREE, "b20000", 1, lambda i: 0.0)]] == "all_in"
    assert TREE.labels[TREE.label[node_after(TREE, "b200", 1, lambda i: 0.99)]] == "raise_1"


def test_dollars_left_behind_an_all_in_of_the_tree_are_checked():
    """2,000 into 200 may be read as all-in; the tree's hand then ends with the call, the real one goes on."""
    node = node_after(TREE, "b3000c/", 1, lambda i: 0.999)
    assert TREE.kind[node] != DECISION
    agent = PolicyAgent(TREE, FixedPolicy(TREE, None))
    assert agent.views(node, START, ("raise", 300)) == [(node, 1.0)]
    assert agent.legal(node) == {"call": 0} and agent.probabilities(np.array([5]), parse_cards("2h3h4s"), node).tolist() == [[1]]
