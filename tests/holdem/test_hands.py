"""Lines that a safer strategy closes, and hands told action by action: gains against brute force, words against the agents."""

import re

import numpy as np
import pytest
from games import BOARD, SMALL, RandomPolicy, node_values
from random_tables import save_random_agent

from faceup.holdem.action_values import action_values
from faceup.holdem.agents import load_agent, load_policy
from faceup.holdem.board import N_PAIRS
from faceup.holdem.exploiter import answer_river, closed_lines, find_spot, river_gains
from faceup.holdem.figures import hand_story
from faceup.holdem.lines import line_to
from faceup.holdem.rules import menu_from
from faceup.holdem.tree import children, decisions

MENU = menu_from([[1], []], [[1], []], [[]], [[1], []])  # the tree SMALL
RIVER = decisions(SMALL, 3)
STARTS = [int(node) for node in RIVER if SMALL.street[SMALL.parent[node]] < 3]


def test_values_and_gains_are_those_of_a_best_response_on_the_river():
    """Values by brute force; gains add up to what it wins more than the strategy itself."""
    policy = RandomPolicy(SMALL, 3)
    (found, gain), alike = answer_river(SMALL, policy, BOARD), action_values(SMALL, policy, policy, BOARD)
    for player in range(2):
        holes, value = node_values(SMALL, (policy, policy), BOARD, best=player)
        np.testing.assert_allclose(found.value[player][np.ix_(RIVER, holes)], value[player, RIVER], rtol=1e-3, atol=1)
    more = sum((found.own[p, STARTS] * (found.value[p, STARTS] - alike.value[p, STARTS])).sum() for p in range(2))
    assert (gain >= -1e-6).all() and not gain[: RIVER[0]].any()
    assert gain.sum() == pytest.approx(5 * more / N_PAIRS, rel=1e-3)  # $1 is 10 mbb; mean of two seats


def test_lines_are_those_whose_gain_falls_most_one_for_each_betting_before_the_river():
    old, new = np.zeros((2, 2, len(SMALL.kind)))
    first, second = STARTS[:2]
    after = next(c for c in children(SMALL, first) if c in RIVER)  # on the river behind the first
    old[:, first], old[:, after], old[:, second] = 3, 5, 4
    new[:, after] = 1.5
    assert closed_lines(SMALL, old, new, 2) == [second, after]
    new[:, second] = 4
    assert closed_lines(SMALL, old, new, 1) == [after]


def test_a_hand_is_told_as_the_agents_play_it(tables, tmp_path):
    """Of two random agents: the dollars and shares of the story are theirs, and what it names is dealt once."""
    paths = {name: save_random_agent(tmp_path / name, MENU, 30, seed) for name, seed in (("old", 0), ("new", 9))}
    agents = {name: load_agent(path, tables) for name, path in paths.items()}
    policies = tuple(load_policy(path, SMALL, tables) for path in paths.values())
    gains = river_gains(SMALL, policies, [BOARD])
    node = closed_lines(SMALL, *gains, 1)[0]
    each, below = river_gains(SMALL, policies, [BOARD], [node]), children(SMALL, node)
    np.testing.assert_allclose(each.sum(axis=-1)[..., 0], gains[..., node], rtol=1e-5)
    spot = find_spot(SMALL, policies, tuple(agents.values()), node, BOARD, int((each[0] - each[1]).argmax()))
    assert spot.best == below[spot.dollars[0].argmax()]
    story, actions = hand_story(SMALL, spot, agents), re.findall("[kcf]|b[0-9]+", line_to(SMALL, spot.best))
    assert story.count("**old**") == story.count("**new**") == 1 and "Because: " in story
    assert len(re.findall("^[|] ", story, flags=re.MULTILINE)) == 2 + len(actions) + 2 + len(below)  # two tables with heads
