"""Leduc's agents that need no training against exact values known beforehand, by hand, and RLCard's own."""

import numpy as np
import pytest

from faceup.games.cfr import solve
from faceup.games.extensive_game import uniform
from faceup.games.sequence_form import best_response
from faceup.leduc import agents
from faceup.leduc.agents import exact_winnings, standings
from faceup.leduc.game import RLCARD, build, legal, next_state, start

LEDUC = build(RLCARD)
GAME = LEDUC.game
OPPONENTS = {
    "random": uniform(GAME),
    "aggressive": agents.aggressive_agent(LEDUC),
    "cautious": agents.cautious_agent(LEDUC),
    "shipped": agents.cautious_agent(LEDUC, shipped=True),
}
ROW = {(int(owner), name): i for i, (owner, name) in enumerate(zip(GAME.owner, GAME.names, strict=True))}


def action_of(strategy, player, name):
    """What a pure strategy does at an infoset."""
    first, end = GAME.first_action[ROW[player, name] :][:2]
    return GAME.labels[first:end][int(np.argmax(strategy[first:end]))]


@pytest.mark.parametrize(
    ("name", "best"),
    [("random", (1.5809, 1.3623)), ("aggressive", (1.1333, 1.1333)), ("cautious", (1.2667, 0.9333)), ("shipped", (1.0, 0.5))],
)
def test_best_responses_to_the_opponents(name, best):
    won = [best_response(GAME, OPPONENTS[name], seat)[0] for seat in range(2)]
    assert won == pytest.approx(best, abs=5e-5)


def test_rule_agents_against_each_other_and_the_equilibrium():
    aggressive, random, cautious = (OPPONENTS[name] for name in ("aggressive", "random", "cautious"))
    assert exact_winnings(LEDUC, aggressive, random) == pytest.approx(1.1852, abs=5e-5)
    assert exact_winnings(LEDUC, aggressive, cautious) == pytest.approx(0.8333, abs=5e-5)
    assert exact_winnings(LEDUC, cautious, random) == pytest.approx(-0.1938, abs=5e-5)
    table = standings(LEDUC, {"equilibrium": solve(GAME, 5000)}, OPPONENTS)["equilibrium"]
    assert table["cautious"] == pytest.approx(0.7196, abs=2e-4)  # other equilibria may win other amounts
    assert table["exploitability"] < 1e-5
    assert all(won > -1e-5 for won in table.values())


def test_showdown_chance_by_hand():
    """A king on a jack: of the four unseen cards one is a king (tie), one the other jack (loses), two are queens."""
    assert agents.showdown_chance(RLCARD, 2, 0) == pytest.approx((2 - 1) / 4)
    assert agents.showdown_chance(RLCARD, 0, 0) == 1
    assert agents.showdown_chance(RLCARD, 0, 2) == pytest.approx(-3 / 4)


def test_depth_0_by_hand():
    """The small blind's jack: to fold costs 0.5 bb, to call 1 bb times its chance to lose less that to win."""
    ratio = 1 / 5 * 1 + 4 / 5 * -3 / 4  # a jack to come, or any other card
    called = next_state(RLCARD, start(RLCARD), "call")
    assert agents.heuristic(RLCARD, called, 0, -1) == pytest.approx(ratio * 2 / 2)
    assert action_of(agents.expectiminimax_agent(LEDUC, 0), 0, "J:") == "call"


def small_blinds_worth(state, own, unseen, public=None):
    """What a state is worth to the small blind, by ranks, if the opponent does what is worst for him."""
    if state.folded >= 0:
        return sum(state.chips[state.folded]) / 2 * (1 if state.folded else -1)
    if len(state.line) > 1 and public is None:
        rest = [(card, unseen[:i] + unseen[i + 1 :]) for i, card in enumerate(unseen)]
        return np.mean([small_blinds_worth(state, own, left, card) for card, left in rest])
    if state.over:
        won = [1 if own == public else -1 if card == public else np.sign(own - card) for card in unseen]
        return np.mean(won) * sum(state.chips[0]) / 2
    below = [small_blinds_worth(next_state(RLCARD, state, a), own, unseen, public) for a in legal(RLCARD, state)]
    return min(below) if state.player else max(below)


def test_deep_search_equals_full_search_by_brute_force():
    """No betting line is longer than 8 actions, so that depth 8 looks to the end: its first choice against plain recursion."""
    deep, options = agents.expectiminimax_agent(LEDUC, 8), legal(RLCARD, start(RLCARD))
    for own, unseen in enumerate(([0, 1, 1, 2, 2], [0, 0, 1, 2, 2], [0, 0, 1, 1, 2])):
        values = np.round([small_blinds_worth(next_state(RLCARD, start(RLCARD), a), own, unseen) for a in options], 9)
        assert action_of(deep, 0, f"{'JQK'[own]}:") == options[int(np.argmax(values))]


@pytest.mark.slow  # rlcard's models import torch
def test_rlcards_rule_agents_are_ours():
    """At every infoset: the aggressive one, and the cautious one as shipped."""
    models = pytest.importorskip("rlcard.models.leducholdem_rule_models")
    rules = {"aggressive": models.LeducHoldemRuleAgentV1, "shipped": models.LeducHoldemRuleAgentV2}
    for name, agent in rules.items():
        for i, seen in enumerate(LEDUC.situations):
            first, end = GAME.first_action[i : i + 2]
            public = f"H{'JQK'[seen.public]}" if seen.public >= 0 else None
            observed = {"hand": f"S{'JQK'[seen.own]}", "public_card": public}
            theirs = agent().step({"raw_legal_actions": list(GAME.labels[first:end]), "raw_obs": observed})
            assert theirs == action_of(OPPONENTS[name], seen.player, GAME.names[i])
