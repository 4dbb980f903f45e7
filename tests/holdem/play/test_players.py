"""An agent at a table: dollars read as they are, and a hand against itself, every action legal and one that it takes."""

from functools import partial

import numpy as np
import pytest
from games import SMALL
from random_trees import random_tree

from faceup.cards.cards import CLASS_OF_HOLE, hole_index, parse_hand
from faceup.cards.features import feature_names
from faceup.holdem.betting.betting_tree import build_tree, menu_from
from faceup.holdem.betting.notation import read_line, state_after, token
from faceup.holdem.betting.translation import legal_action
from faceup.holdem.learn.agent_file import save_agent
from faceup.holdem.play.agents import ModelAgent, TreeAgent, load_agent
from faceup.holdem.play.players import walk

MENU = menu_from([[1, 2], []], [[1], []], [[]], [[]])
TREE = build_tree(MENU)
HOLES, BOARD = ("Ac3h", "KdQs"), "Kh3sJc9d2c"


def wavering(n_labels: int, x: np.ndarray) -> np.ndarray:
    """A model whose answer hangs on every feature."""
    p = np.abs(np.sin(np.arange(1, n_labels + 1) * (1 + x @ np.arange(1, x.shape[1] + 1))[:, None])).astype(np.float32)
    return p / p.sum(axis=1, keepdims=True)


def test_dollars_are_read_as_they_are(monkeypatch):
    """Real sizes between those of the menu reach the model; its legal answers are renormalised."""
    monkeypatch.setattr("faceup.holdem.play.agents.hole_features", lambda holes, *_: np.float32(CLASS_OF_HOLE[holes, None]))
    agent = ModelAgent(MENU, [partial(wavering, len(TREE.labels))] * 4)
    hole = hole_index(*parse_hand("Ac3h", "")[0])
    x = np.array([[CLASS_OF_HOLE[hole], 437, 0, 0, 0]], dtype=np.float32)
    p = wavering(len(TREE.labels), x)[0]
    legal = [0, 1, TREE.labels.index("all_in")]
    assert agent.legal("b437") == {"fold": 100, "call": 437, "all_in": 20_000}
    answers = agent.probabilities(np.arange(1326), [], "b437")
    np.testing.assert_allclose(answers[hole], p[legal] / p[legal].sum(), rtol=1e-5)


@pytest.fixture(scope="module")
def trees(tables, tmp_path_factory) -> TreeAgent:
    """Random trees as an agent, its hands from the tables."""
    names = [feature_names(street) for street in range(4)]
    path = tmp_path_factory.mktemp("walk") / "agent.json"
    menu = menu_from([[1], []], [[1], []], [[]], [[1], []])
    grown = [random_tree(s, 20, len(names[s]), len(SMALL.labels)) for s in range(4)]
    save_agent(path, grown, names, SMALL.labels, {"menu": menu})
    return load_agent(path, tables)


def test_a_walk_is_a_hand_of_the_rules(trees):
    betting, made = walk(trees, HOLES, BOARD, seed=1)
    assert read_line(betting).state is None and (betting, made) == walk(trees, HOLES, BOARD, seed=1)
    assert {len(d.board) for d in made if d.player == 0} == {0, 6, 8, 10}
    for d, after in zip(made, [*(d.betting for d in made[1:]), betting], strict=True):
        state = state_after(d.betting)
        assert (d.player, d.hole) == (state.actor, HOLES[state.actor]) and BOARD.startswith(d.board)
        assert after.rstrip("/") == d.betting + token(state, *legal_action(d.action, state))
        assert trees.action_probabilities(d.hole, d.board, d.betting)[d.action] > 0


def test_a_decision_in_words(trees):
    for d in walk(trees, HOLES, BOARD, seed=1)[1]:
        said = trees.explain(d.hole, d.board, d.betting)
        assert said.count("because") == 1 and said.count("so: ") == 1
        assert ("check" in said) == ("nothing to call" in said)


def test_bad_cards_and_hands_that_end_early_are_refused(trees, monkeypatch):
    with pytest.raises(ValueError, match="appears twice"):
        walk(trees, ("Ac3h", "KdAc"), BOARD, 1)
    with pytest.raises(ValueError, match="expected nine different cards"):
        walk(trees, HOLES, BOARD[:8], 1)
    monkeypatch.setattr(trees, "probabilities", lambda *asked: np.eye(1, len(trees.legal(asked[2]))))
    with pytest.raises(ValueError, match="no hand of 1000 comes"):
        walk(trees, HOLES, BOARD, 1)
