"""Strategies that a local best response asks: the same answers as at a table of single hands."""

from functools import partial

import numpy as np
import pytest

from faceup.cards.cards import CLASS_OF_HOLE, hole_index, parse_hand
from faceup.holdem.betting.betting_tree import START, act, build_tree, menu_from
from faceup.holdem.betting.notation import read_line
from faceup.holdem.play.agents import ModelAgent
from faceup.holdem.play.players import DollarReader, TableReader
from faceup.holdem.solve.policy import FixedPolicy

MENU = menu_from([[1, 2], []], [[1], []], [[]], [[]])
TREE = build_tree(MENU)


def wavering(n_labels: int, x: np.ndarray) -> np.ndarray:
    """A model whose answer hangs on every feature."""
    p = np.abs(np.sin(np.arange(1, n_labels + 1) * (1 + x @ np.arange(1, x.shape[1] + 1))[:, None])).astype(np.float32)
    return p / p.sum(axis=1, keepdims=True)


@pytest.fixture
def reader(monkeypatch) -> DollarReader:
    """A reader whose hands are told by their starting hand alone, without equity tables."""
    monkeypatch.setattr("faceup.holdem.play.agents.hole_features", lambda holes, *_: np.float32(CLASS_OF_HOLE[holes, None]))
    return DollarReader(ModelAgent(MENU, [partial(wavering, len(TREE.labels))] * 4))


def test_dollars_are_read_as_they_are(reader):
    """Real sizes between those of the menu reach the model; its legal answers are renormalised."""
    ((view, _),) = reader.hear(0, START, ("raise", 437))
    answers = reader.act(view, read_line("b437").state, [])
    hole = hole_index(*parse_hand("Ac3h", "")[0])
    x = np.array([[CLASS_OF_HOLE[hole], 437, 0, 0, 0]], dtype=np.float32)
    p = wavering(len(TREE.labels), x)[0]
    legal = [0, 1, TREE.labels.index("all_in")]
    expected = p[legal] / p[legal].sum()
    assert [move for move, _, _ in answers] == [("fold", 0), ("call", 0), ("raise", 20_000)]
    np.testing.assert_allclose([chance[hole] for _, _, chance in answers], expected, rtol=1e-5)
    np.testing.assert_allclose(sum(chance for _, _, chance in answers), 1, rtol=1e-6)


def test_a_table_answers_for_the_node_it_believes_to_be_at():
    reader = TableReader(TREE, FixedPolicy(TREE, None))
    (view, chance), *others = reader.hear(0, START, ("raise", 300))
    assert chance == 1 and not others  # a size of the tree: the pot of 200 after calling, on top of 100
    answers = reader.act(view, act(START, "raise", 300)[0], [])
    assert [move for move, _, _ in answers] == [("fold", 0), ("call", 0), ("raise", 20_000)]
    np.testing.assert_allclose([p[5] for _, _, p in answers], 1 / 3)


def test_where_the_tree_is_all_in_the_table_checks_and_calls():
    reader = TableReader(TREE, FixedPolicy(TREE, None))
    end = next(n for n in range(len(TREE.kind)) if TREE.kind[n] == 2)
    ((move, view, p),) = reader.act(end, START, [])
    assert move == ("call", 0) and view == end and (p == 1).all()
    assert reader.hear(end, START, ("raise", 300)) == [(end, 1.0)]
