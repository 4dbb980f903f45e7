"""CFR's variants on games whose values are known; best responses against a linear program and open_spiel."""

import numpy as np
import pytest
import sequence_form

from faceup.games.cfr import VARIANTS, Cfr, solve
from faceup.games.extensive_game import GameBuilder, against, uniform
from faceup.games.sequence_form import best_response, exploitability, make_form, value
from faceup.leduc.game import KUHN, LITERATURE, RLCARD, build

KUHN_GAME, LITERATURE_GAME, RLCARD_GAME = (build(rules).game for rules in (KUHN, LITERATURE, RLCARD))
# exploitability on the literature's Leduc after 100, 1,000 and 10,000 iterations, computed elsewhere to two digits
KNOWN = {
    "CFR": (9.6e-2, 1.2e-2, 2.0e-3),
    "CFR+": (1.3e-2, 2.5e-4, 8.0e-6),
    "LCFR": (3.4e-2, 6.2e-3, 1.2e-3),
    "DCFR": (7.8e-3, 1.5e-4, 2.1e-6),
    "PCFR+": (2.0e-2, 7.1e-4, 1.3e-5),
}


def random_strategy(game, seed):
    """Random probabilities, some of them 0."""
    rng = np.random.default_rng(seed)
    weights = rng.random(len(game.labels)) * (rng.random(len(game.labels)) < 0.8) + 1e-9
    first = game.first_action[:-1]
    return weights / np.repeat(np.add.reduceat(weights, first), np.diff(game.first_action))


def nudged(form, seed):
    """The same payoffs but for their last bits."""
    noise = np.random.default_rng(seed).uniform(-4e-16, 4e-16, form.payoff.shape)
    return form._replace(payoff=form.payoff * (1 + noise))


def walked_value(game, strategy):
    """What player 0 wins, node by node."""
    worth = game.value.copy()
    for node in range(len(worth) - 1, 0, -1):
        chance = strategy[game.action[node]] if game.action[node] >= 0 else game.chance[node]
        worth[game.parent[node]] += chance * worth[node]
    return worth[0]


@pytest.mark.parametrize("name", VARIANTS)
def test_literature_leduc(name):
    """Two digits at 100 iterations. Later rounding errors decide: runs with other last bits in the payoffs tell how far."""
    form = make_form(LITERATURE_GAME)
    runs = [Cfr(LITERATURE_GAME, VARIANTS[name], form)]
    runs += [Cfr(LITERATURE_GAME, VARIANTS[name], nudged(form, seed)) for seed in range(5)]
    found = []
    for iterations in (100, 900, 9000):
        for run in runs:
            run.advance(iterations)
        found.append([exploitability(LITERATURE_GAME, run.average(), form) for run in runs])
    assert f"{found[0][0]:.1e}" == f"{KNOWN[name][0]:.1e}"
    assert min(found[1]) / 1.1 < KNOWN[name][1] < max(found[1]) * 1.1
    assert min(found[2]) / 2 < KNOWN[name][2] < max(found[2]) * 1.25
    assert value(LITERATURE_GAME, runs[0].average(), form) == pytest.approx(-0.085606424078, abs=2 * KNOWN[name][2])


@pytest.mark.parametrize(("game", "known"), [(KUHN_GAME, -1 / 18), (LITERATURE_GAME, -0.085606424078), (RLCARD_GAME, 0.0119127)])
def test_linear_program(game, known):
    won, strategy = sequence_form.solve(game)
    assert won == pytest.approx(known, abs=1e-7)
    assert exploitability(game, strategy) == pytest.approx(0, abs=1e-7)
    assert value(game, strategy) == pytest.approx(won, abs=1e-7)


@pytest.mark.parametrize("game", [KUHN_GAME, LITERATURE_GAME, RLCARD_GAME], ids=["Kuhn", "literature", "RLCard"])
def test_values_node_by_node_and_best_responses_by_linear_program(game):
    for seed in range(3):
        strategy = random_strategy(game, seed)
        assert value(game, strategy) == pytest.approx(walked_value(game, strategy), abs=1e-12)
        for player in range(2):
            won, response = best_response(game, strategy, player)
            assert won == pytest.approx(sequence_form.best_value(game, strategy, player), abs=1e-8)
            other = 1 - player
            mine = (response, strategy) if player == 0 else (strategy, response)
            assert (1 - 2 * player) * walked_value(game, against(game, *mine)) == pytest.approx(won, abs=1e-12)
            kept = game.owner[np.repeat(np.arange(len(game.owner)), np.diff(game.first_action))] == other
            assert (response[kept] == strategy[kept]).all()


def test_open_spiel_agrees():
    """open_spiel's DCFR, 10 iterations: by its own best responses the same exploitability."""
    pyspiel = pytest.importorskip("pyspiel")
    discounted = pytest.importorskip("open_spiel.python.algorithms.discounted_cfr")
    from open_spiel.python.algorithms import exploitability as theirs

    game = pyspiel.load_game("leduc_poker")
    run, solver = Cfr(LITERATURE_GAME, VARIANTS["DCFR"]), discounted.DCFRSolver(game)
    run.advance(10)
    for _ in range(10):
        solver.evaluate_and_update_policy()
    assert run.exploitability() == pytest.approx(theirs.exploitability(game, solver.average_policy()), rel=1e-6)


def test_chance_may_move_later():
    """A coin after a call: player 0 wins 3 or loses 1 if called, wins 1 if not; both orders of a mixed game are right."""
    builder = GameBuilder()
    root = builder.decision(-1, 1.0, 0, "open", ("bet", "check"))
    answer = builder.decision(root, "bet", 1, "answer", ("call", "fold"))
    coin = builder.chance(answer, "call")
    builder.end(coin, 0.25, 3.0)
    builder.end(coin, 0.75, -1.0)
    builder.end(answer, "fold", 1.0)
    builder.end(root, "check", -0.5)
    game = builder.build()
    assert value(game, uniform(game)) == pytest.approx(0.5 * (0.5 * 0 + 0.5 * 1) - 0.25)
    assert value(game, solve(game, 1000)) == pytest.approx(0, abs=1e-3)
