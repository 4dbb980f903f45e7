"""Leduc at the table: sampled games, Q-learning and sampled CFR against exact values, by hand, and in RLCard's environment."""

from functools import partial

import numpy as np
import pytest

from faceup.games.cfr import solve
from faceup.games.extensive_game import uniform
from faceup.games.sequence_form import exploitability, make_form
from faceup.lab.rng import rng
from faceup.leduc.agents import aggressive_agent, cautious_agent, exact_winnings
from faceup.leduc.game import KUHN, RLCARD, build, legal, name_of, next_state, situation, start, winnings
from faceup.leduc.training import LearningSetting, QLearner, SampledCfr, play_games, q_grid, rlcard_keys, training_curve

LEDUC = build(RLCARD)
GAME = LEDUC.game
OPPONENTS = {
    "random": uniform(GAME),
    "aggressive": aggressive_agent(LEDUC),
    "cautious": cautious_agent(LEDUC),
    "shipped": cautious_agent(LEDUC, shipped=True),
}
ROW = {(int(owner), name): i for i, (owner, name) in enumerate(zip(GAME.owner, GAME.names, strict=True))}


def test_sampled_means_lie_in_their_intervals_at_the_stated_rate():
    """Of 300 matches of 2,000 games 95 % hold the exact value: 273 to 295 in all but one of a thousand tries."""
    strategy, form, held = solve(GAME, 200), make_form(GAME), 0
    for k in range(100):
        for name in ("random", "aggressive", "cautious"):
            exact = exact_winnings(LEDUC, strategy, OPPONENTS[name], form)
            mean, ci95 = play_games(LEDUC, strategy, OPPONENTS[name], 2000, rng(7, "test", k))
            held += abs(mean - exact) <= ci95
    assert 273 <= held <= 295
    assert (mean, ci95) == play_games(LEDUC, strategy, OPPONENTS[name], 2000, rng(7, "test", k))


def test_q_learning_without_discount_goes_to_the_best_response():
    learner = QLearner(LEDUC, OPPONENTS["cautious"], LearningSetting(0.01, 1.0, 0.9), rng(1, "test"))
    learner.advance(200_000)
    assert exact_winnings(LEDUC, learner.strategy(), OPPONENTS["cautious"]) == pytest.approx(1.1, abs=1e-9)


def test_one_q_update_by_hand():
    """Kuhn: after one game each action taken has moved by alpha towards what came of it, the game's reward or gamma * 0."""
    kuhn = build(KUHN)
    learner = QLearner(kuhn, uniform(kuhn.game), LearningSetting(0.5, 0.5, 1.0), rng(3, "test"))
    learner.advance(1)
    assert sorted(np.abs(learner.q))[-2:] in ([0, 0.5], [0, 1])  # of two actions the first is worth gamma * 0 so far


def test_grid_and_curve():
    opponent, setting = OPPONENTS["aggressive"], LearningSetting(0.1, 0.5, 0.9)
    grid = q_grid(LEDUC, opponent, [LearningSetting(0.01, 0.5, 0.9), setting], 2000, 2, partial(rng, 1, "test"))
    learner = QLearner(LEDUC, opponent, setting, rng(1, "test", 1))
    learner.advance(2000)
    assert grid[setting][1] == exact_winnings(LEDUC, learner.strategy(), opponent)
    keys = np.arange(len(GAME.owner), dtype=np.int32)
    learners = [SampledCfr(LEDUC, keys, 0, rng(1, "test", k)) for k in range(2)]
    curve = training_curve(LEDUC, learners, [opponent], 400, 4, 50, rng(2, "test"))
    assert (curve.at == [100, 200, 300, 400]).all()
    assert curve.exact.shape == curve.sampled.shape == (2, 4, 1)
    assert curve.exact[1, -1, 0] == exact_winnings(LEDUC, curve.final[1], opponent)


def test_sampled_cfr_goes_to_the_equilibrium_and_the_merged_table_does_not():
    """Only textbook averaging goes there: RLCard's, iteration t counting t times, stays further off even with all rows."""
    own, merged = np.arange(288, dtype=np.int32), rlcard_keys(LEDUC)
    assert merged.max() + 1 == 84
    found = {"own": [], "linear": [], "merged": []}
    for lost, keys, gamma in zip(found.values(), (own, own, merged), (0, 1, 1), strict=True):
        run = SampledCfr(LEDUC, keys, gamma, rng(1, "test"))
        for iterations in (1000, 9000, 90_000):
            run.advance(iterations)
            lost.append(exploitability(GAME, run.strategy()))
    assert found["own"][0] > 2 * found["own"][1] > 4 * found["own"][2]
    assert found["own"][2] < 0.015 < 2 * 0.015 < found["linear"][2] < found["merged"][2]
    assert min(found["merged"]) > 0.2


@pytest.mark.parametrize("mine", [uniform(GAME), solve(GAME, 500)], ids=["uniform", "equilibrium"])
@pytest.mark.parametrize("name", ["random", "cautious", "shipped"])
def test_rlcards_table_has_our_rules_and_our_winnings(mine, name):
    """Through rlcard's environment: turns, legal actions, chips and payoffs are ours, and the mean lies near the exact value."""
    rlcard = pytest.importorskip("rlcard")
    env, rng = rlcard.make("leduc-holdem", config={"seed": 5}), np.random.default_rng(5)
    players, won = (mine, OPPONENTS[name]), []
    for _ in range(1500):
        seen, player = env.reset()
        small_blind, state = player, start(RLCARD)
        while not state.over:
            assert player == (small_blind + state.player) % 2
            assert tuple(seen["raw_legal_actions"]) == legal(RLCARD, state)
            assert env.get_perfect_information()["chips"][player] == sum(state.chips[state.player])
            own, public = seen["raw_obs"]["hand"], seen["raw_obs"]["public_card"] or "SJ"  # a suit, then a rank
            deal = (*["JQK".index(own[1])] * 2, "JQK".index(public[1]))
            row = ROW[state.player, name_of(RLCARD, situation(state, deal))]
            first, end = GAME.first_action[row : row + 2]
            action = GAME.labels[rng.choice(np.arange(first, end), p=players[player][first:end])]
            state = next_state(RLCARD, state, action)
            seen, player = env.step(action, raw_action=True)
        assert env.is_over()
        cards, payoffs = env.get_perfect_information(), env.get_payoffs()
        hands = [cards["hand_cards"][p] for p in (small_blind, 1 - small_blind)]
        deal = tuple("JQK".index(card[1]) for card in [*hands, cards["public_card"] or "SJ"])
        assert payoffs[small_blind] == winnings(RLCARD, state, deal) == -payoffs[1 - small_blind]
        won.append(payoffs[0])
    assert abs(np.mean(won) - exact_winnings(LEDUC, *players)) < 4 * np.std(won) / np.sqrt(len(won))
