"""Leduc's agents against exact values known beforehand, by hand, and at RLCard's table."""

import numpy as np
import pytest

from faceup.games.cfr import solve
from faceup.games.extensive_game import uniform
from faceup.games.sequence_form import best_response, make_form
from faceup.leduc import agents
from faceup.leduc.game import KUHN, RLCARD, act, build, name_of, situation, start
from faceup.leduc.sampled_cfr import SampledCfr
from faceup.leduc.training import LearningSetting, QLearner, exact_winnings, play_games, q_grid, standings, training_curve

LEDUC = build(RLCARD)
GAME = LEDUC.game
OPPONENTS = {
    "random": agents.random_agent(LEDUC),
    "aggressive": agents.aggressive_agent(LEDUC),
    "cautious": agents.cautious_agent(LEDUC),
    "shipped": agents.shipped_cautious_agent(LEDUC),
}
ROW = {(int(owner), name): i for i, (owner, name) in enumerate(zip(GAME.owner, GAME.names, strict=True))}


def action_of(strategy, player, name):
    """What a pure strategy does at an infoset."""
    first, end = GAME.first_action[ROW[player, name] :][:2]
    return GAME.labels[first:end][int(np.argmax(strategy[first:end]))]


@pytest.mark.parametrize(
    ("name", "best"),
    [
        ("random", (1.5809, 1.3623)),
        ("aggressive", (1.1333, 1.1333)),
        ("cautious", (1.2667, 0.9333)),
        ("shipped", (1.0, 0.5)),
    ],
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


def test_cautious_plays_its_best_cards():
    cautious = OPPONENTS["cautious"]
    assert [action_of(cautious, 0, f"{card}:") for card in "JQK"] == ["fold", "fold", "raise"]
    assert [action_of(cautious, 1, f"{card}:c") for card in "JQK"] == ["fold", "check", "raise"]
    assert action_of(cautious, 0, "K:rr") == "call"
    assert action_of(cautious, 0, "KJ:rc/") == "fold"
    assert action_of(cautious, 0, "KK:rc/") == "raise"
    shipped = OPPONENTS["shipped"]
    assert {action_of(shipped, 1, f"{card}:c") for card in "JQK"} == {"fold"}


# --- expectiminimax -----------------------------------------------------------------------------------------


def test_showdown_chance_by_hand():
    """A king on a jack: of the four unseen cards one is a king (tie), one the other jack (loses), two are queens."""
    assert agents.showdown_chance(RLCARD, 2, 0) == pytest.approx((2 - 1) / 4)
    assert agents.showdown_chance(RLCARD, 0, 0) == 1
    assert agents.showdown_chance(RLCARD, 0, 2) == pytest.approx(-3 / 4)


def test_depth_0_by_hand():
    """The small blind's jack: to fold costs 0.5 bb, to call 1 bb times its chance to lose less that to win."""
    cards = agents._unseen(RLCARD, 0)
    ratio = sum(p * agents.showdown_chance(RLCARD, 0, card) for card, p in cards)
    called = act(RLCARD, start(RLCARD), "call")
    assert agents.heuristic(RLCARD, called, 0, -1) == pytest.approx(ratio * 2 / 2)
    pure = agents.expectiminimax_agent(LEDUC, 0)
    assert action_of(pure, 0, "J:") == ("call" if ratio > -0.5 else "fold")


def test_deep_search_equals_full_search_by_brute_force():
    """No betting line is longer than 8 actions, so that depth 8 looks to the end: its first choice against plain recursion."""

    def value(state, own, public, me):
        if state.folded >= 0:
            put = sum(state.chips[state.folded]) / 2
            return -put if state.folded == me else put
        if len(state.line) > 1 and public is None:
            cards = [card for card in (0, 0, 1, 1, 2, 2)]
            cards.remove(own)
            return np.mean([value(state, own, card, me) for card in cards])
        if state.over:
            cards = [card for card in (0, 0, 1, 1, 2, 2)]
            cards.remove(own)
            cards.remove(public)
            won = [1 if own == public else -1 if card == public else np.sign(own - card) for card in cards]
            return np.mean(won) * sum(state.chips[me]) / 2
        below = [value(act(RLCARD, state, a), own, public, me) for a in agents.legal(RLCARD, state)]
        return max(below) if state.player == me else min(below)

    deep = agents.expectiminimax_agent(LEDUC, 8)
    for own, card in enumerate("JQK"):
        options = agents.legal(RLCARD, start(RLCARD))
        values = np.round([value(act(RLCARD, start(RLCARD), a), own, None, 0) for a in options], 9)
        assert action_of(deep, 0, f"{card}:") == options[int(np.argmax(values))]


# --- games --------------------------------------------------------------------------------------------------


def test_sampled_means_lie_in_their_intervals_at_the_stated_rate():
    """Of 300 matches of 2,000 games 95 % hold the exact value: 273 to 295 in all but one of a thousand tries."""
    strategy, form, held = solve(GAME, 200), make_form(GAME), 0
    for k in range(100):
        for name in ("random", "aggressive", "cautious"):
            exact = exact_winnings(LEDUC, strategy, OPPONENTS[name], form)
            found = play_games(LEDUC, strategy, OPPONENTS[name], 2000, [7, k])
            held += abs(found.mean - exact) <= found.ci95
    assert 273 <= held <= 295


def test_games_are_repeatable():
    again = [play_games(LEDUC, uniform(GAME), OPPONENTS["cautious"], 500, [1, 2]) for _ in range(2)]
    assert again[0] == again[1]


# --- Q-learning ---------------------------------------------------------------------------------------------


def test_q_learning_without_discount_goes_to_the_best_response():
    learner = QLearner(LEDUC, OPPONENTS["cautious"], LearningSetting(0.01, 1.0, 0.9), [1])
    learner.advance(200_000)
    assert exact_winnings(LEDUC, learner.strategy(), OPPONENTS["cautious"]) == pytest.approx(1.1, abs=1e-9)


def test_one_q_update_by_hand():
    """Kuhn: after one game each action taken has moved by alpha towards what came of it, the game's reward or gamma * 0."""
    kuhn = build(KUHN)
    learner = QLearner(kuhn, uniform(kuhn.game), LearningSetting(0.5, 0.5, 1.0), [3])
    learner.advance(1)
    moved = learner.q[learner.q != 0]
    assert len(moved) == 1  # of two actions the first is worth gamma * 0 so far
    assert abs(moved[0]) in (0.5, 1.0)


def test_untaught_q_learner_plays_everything():
    learner = QLearner(LEDUC, OPPONENTS["random"], LearningSetting(0.1, 0.5, 0.5), [1])
    np.testing.assert_allclose(learner.strategy(), uniform(GAME))


def test_grid_and_curve():
    opponent = OPPONENTS["aggressive"]
    grid = q_grid(LEDUC, opponent, [0.01, 0.1], [0.5], [0.9], 2000, [[1], [2]])
    learner = QLearner(LEDUC, opponent, LearningSetting(0.1, 0.5, 0.9), [2])
    learner.advance(2000)
    assert grid[LearningSetting(0.1, 0.5, 0.9)][1] == exact_winnings(LEDUC, learner.strategy(), opponent)
    keys = np.arange(len(GAME.owner), dtype=np.int32)
    curve = training_curve(LEDUC, lambda s: SampledCfr(LEDUC, keys, 0, s), [opponent], 400, 4, 50, [[1], [2]])
    assert (curve.at == [100, 200, 300, 400]).all()
    assert curve.exact.shape == curve.sampled.shape == (2, 4, 1)
    assert curve.exact[1, -1, 0] == exact_winnings(LEDUC, curve.final[1], opponent)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: agents.expectiminimax_agent(LEDUC, -1), "depth is -1"),
        (lambda: agents.pure_agent(LEDUC, lambda seen: "bet"), "'bet'"),
        (lambda: QLearner(LEDUC, uniform(GAME), LearningSetting(0, 0.5, 0.5), [1]), "alpha"),
        (lambda: QLearner(LEDUC, np.ones(3), LearningSetting(0.1, 0.5, 0.5), [1]), "shape"),
        (lambda: play_games(LEDUC, uniform(GAME), uniform(GAME), 1, 0), "2 games"),
        (lambda: training_curve(LEDUC, lambda s: None, [], 10, 3, 10, []), "multiple of 3"),
    ],
)
def test_bad_input_is_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()


# --- RLCard's table -----------------------------------------------------------------------------------------


def rank(card: str) -> int:
    """Rank of a card in RLCard's writing, such as "SJ"."""
    return "JQK".index(card[1])


@pytest.mark.parametrize("name", ["random", "cautious", "shipped"])
def test_our_agents_play_at_rlcards_table(name):
    """The equilibrium meets an opponent through rlcard's environment; the mean lies near the exact value."""
    rlcard = pytest.importorskip("rlcard")
    env, rng = rlcard.make("leduc-holdem", config={"seed": 5}), np.random.default_rng(5)
    players = (solve(GAME, 500), OPPONENTS[name])
    won = []
    for _ in range(1500):
        seen, player = env.reset()
        small_blind, state = player, start(RLCARD)
        while not env.is_over():
            deal = [0, 0, 0]
            deal[state.player] = rank(seen["raw_obs"]["hand"])
            deal[2] = rank(seen["raw_obs"]["public_card"]) if seen["raw_obs"]["public_card"] else 0
            row = ROW[state.player, name_of(RLCARD, situation(state, tuple(deal)))]
            first, end = GAME.first_action[row : row + 2]
            action = GAME.labels[rng.choice(np.arange(first, end), p=players[player][first:end])]
            state = act(RLCARD, state, action)
            seen, player = env.step(action, raw_action=True)
        won.append(env.get_payoffs()[0])
        assert small_blind in (0, 1)
    exact = exact_winnings(LEDUC, *players)
    assert abs(np.mean(won) - exact) < 4 * np.std(won) / np.sqrt(len(won))


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
