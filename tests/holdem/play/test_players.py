"""An agent at a table: a hand against itself, every action legal and one that it takes, and the same when asked again."""

import numpy as np
import pytest
from random_tables import save_random_agent

from faceup.holdem.betting.betting_tree import menu_from
from faceup.holdem.betting.notation import read_line, state_after, token
from faceup.holdem.betting.translation import legal_action
from faceup.holdem.play.agents import TreeAgent, load_agent
from faceup.holdem.play.players import DollarPlayer, walk

HOLES, BOARD = ("Ac3h", "KdQs"), "Kh3sJc9d2c"


@pytest.fixture(scope="module")
def trees(tables, tmp_path_factory) -> TreeAgent:
    menu = menu_from([[1], []], [[1], []], [[]], [[1], []])
    return load_agent(save_random_agent(tmp_path_factory.mktemp("walk") / "agent.json", menu, 20), tables)


def test_a_walk_is_a_hand_of_the_rules(trees):
    betting, made = walk(trees, HOLES, BOARD, seed=1)
    assert read_line(betting).state is None and (betting, made) == walk(trees, HOLES, BOARD, seed=1)
    assert {len(d.board) for d in made if d.player == 0} == {0, 6, 8, 10}
    for d, after in zip(made, [*(d.betting for d in made[1:]), betting], strict=True):
        state = state_after(d.betting)
        assert (d.player, d.hole) == (state.actor, HOLES[state.actor]) and BOARD.startswith(d.board)
        assert after.rstrip("/") == d.betting + token(state, *legal_action(d.action, state))
        assert trees.action_probabilities(d.hole, d.board, d.betting)[d.action] > 0


def test_a_hand_taken_up_again_goes_on_as_it_would_have(trees):
    asked = [(1, d.hole, d.board, d.betting) for d in walk(trees, HOLES, BOARD, seed=1)[1]]
    player, again = DollarPlayer(trees, seed=3), DollarPlayer(trees, seed=3)
    assert [player.decide(*one) for one in asked] == [again.decide(*one) for one in asked[::-1]][::-1]


def test_bad_cards_and_hands_that_end_early_are_refused(trees, monkeypatch):
    for holes, board, said in ((("Ac3h", "KdAc"), BOARD, "appears twice"), (HOLES, BOARD[:8], "expected nine different cards")):
        with pytest.raises(ValueError, match=said):
            walk(trees, holes, board, 1)
    monkeypatch.setattr(trees, "probabilities", lambda *asked: np.eye(1, len(trees.legal(asked[2]))))
    with pytest.raises(ValueError, match="no hand of 1000 comes"):
        walk(trees, HOLES, BOARD, 1)
