"""DCFR on games of known value; best responses by linear program and open_spiel; checkpoints."""

import numpy as np
import pytest
import sequence_form

from faceup.games.cfr import Cfr, solve
from faceup.games.checkpoint import load_checkpoint, save_checkpoint
from faceup.games.extensive_game import GameBuilder, action_infoset, against, uniform
from faceup.games.sequence_form import best_response, exploitability, make_form, value
from faceup.papers.leduc.game import KUHN, LITERATURE, RLCARD, build

GAMES = {"Kuhn": build(KUHN), "literature": build(LITERATURE), "RLCard": build(RLCARD)}
FORM = GAMES["literature"].form
# exploitability on the literature's Leduc after 100, 1,000 and 10,000 iterations, computed
# elsewhere to two digits
KNOWN = (7.8e-3, 1.5e-4, 2.1e-6)


def random_strategy(game, seed):
    """Random probabilities, some of them nearly 0."""
    rng, n = np.random.default_rng(seed), len(game.labels)
    weights = rng.random(n) * (rng.random(n) < 0.8) + 1e-9
    return weights / np.bincount(action_infoset(game), weights)[action_infoset(game)]


def walked_value(game, strategy):
    """What player 0 wins, node by node."""
    worth = game.value.copy()
    for node in range(len(worth) - 1, 0, -1):
        chance = strategy[game.action[node]] if game.action[node] >= 0 else game.chance[node]
        worth[game.parent[node]] += chance * worth[node]
    return worth[0]


def test_literature_leduc():
    """Later rounding errors decide: runs with other last bits in the payoffs show how far."""
    noises = [
        np.random.default_rng(seed).uniform(-4e-16, 4e-16, FORM.payoff.shape) for seed in range(5)
    ]
    payoffs = FORM.payoff, *(FORM.payoff * (1 + noise) for noise in noises)
    runs, found = [Cfr(FORM._replace(payoff=payoff)) for payoff in payoffs], []
    for iterations in (100, 900, 9000):
        for run in runs:
            run.advance(iterations)
        found.append([exploitability(FORM, run.average()) for run in runs])
    assert f"{found[0][0]:.1e}" == f"{KNOWN[0]:.1e}"
    assert min(found[1]) / 1.1 < KNOWN[1] < max(found[1]) * 1.1
    assert min(found[2]) / 2 < KNOWN[2] < max(found[2]) * 1.25
    assert value(FORM, runs[0].average()) == pytest.approx(-0.085606424078, abs=2 * KNOWN[2])


def test_plain_cfr_on_the_literature_s_leduc():
    run = Cfr(FORM, discounted=False)
    for iterations, known in ((100, 9.6e-2), (900, 1.2e-2), (9000, 2.0e-3)):
        run.advance(iterations)
        assert exploitability(FORM, run.average()) == pytest.approx(known, rel=0.05)


@pytest.mark.parametrize(
    ("name", "infosets", "sequences", "known"),
    [
        ("Kuhn", 6, 13, -1 / 18),
        ("literature", 144, 337, -0.085606424078),
        ("RLCard", 144, 385, 0.0119127),
    ],
)
def test_counts_values_and_best_responses_by_linear_program_and_node_by_node(
    name, infosets, sequences, known
):
    game, form = GAMES[name].game, GAMES[name].form
    assert np.bincount(game.owner).tolist() == [infosets, infosets]
    assert np.bincount(game.owner[action_infoset(game)]).tolist() == [sequences - 1, sequences - 1]
    won, solved = sequence_form.solve(game)
    assert won == pytest.approx(known, abs=1e-7)
    assert exploitability(form, solved) == pytest.approx(0, abs=1e-7)
    for strategy in (solved, *(random_strategy(game, seed) for seed in range(3))):
        assert value(form, strategy) == pytest.approx(walked_value(game, strategy), abs=1e-12)
        for player in range(2):
            won, response = best_response(form, strategy, player)
            assert won == pytest.approx(sequence_form.best_value(game, strategy, player), abs=1e-8)
            mine = (response, strategy) if player == 0 else (strategy, response)
            assert (1 - 2 * player) * walked_value(game, against(game, *mine)) == pytest.approx(
                won, abs=1e-12
            )
            kept = game.owner[action_infoset(game)] == 1 - player
            assert (response[kept] == strategy[kept]).all()


def test_open_spiel_agrees():
    """Ten iterations of its DCFR have the same exploitability by its own best responses."""
    pyspiel = pytest.importorskip("pyspiel")
    discounted = pytest.importorskip("open_spiel.python.algorithms.discounted_cfr")
    from open_spiel.python.algorithms import exploitability as theirs

    game = pyspiel.load_game("leduc_poker")
    solver = discounted.DCFRSolver(game)
    for _ in range(10):
        solver.evaluate_and_update_policy()
    ours = exploitability(FORM, solve(FORM, 10))
    assert ours == pytest.approx(theirs.exploitability(game, solver.average_policy()), rel=1e-6)


def test_a_published_strategy_loses_what_its_file_says():
    """poker-agent-kit's kuhn.limit.2p-equilibrium.strategy: P(raise), P(call) by turn."""
    table = {
        "J": (0.220014, 0.331753, 0, 0),
        "Q": (0, 0, 0.555251, 0.335852),
        "K": (0.663026, 1, 1, 1),
    }
    game, form = GAMES["Kuhn"].game, GAMES["Kuhn"].form
    bold = [table[name[0]][("", "k", "kr", "r").index(name[2:])] for name in game.names]
    # to raise or call comes before to check or fold
    strategy = np.stack([bold, np.subtract(1, bold)], axis=1).ravel()
    won = [best_response(form, strategy, player)[0] for player in (1, 0)]
    assert won == pytest.approx([0.05587276328, -0.05460895826], abs=2e-6)


def test_chance_may_move_later():
    """A coin after a call: player 0 wins 3 or loses 1 if called, and wins 1 if not."""
    builder = GameBuilder()
    root = builder.decision(-1, 1.0, 0, "open", ("bet", "check"))
    answer = builder.decision(root, "bet", 1, "answer", ("call", "fold"))
    coin = builder.chance(answer, "call")
    builder.end(coin, 0.25, 3.0)
    builder.end(coin, 0.75, -1.0)
    builder.end(answer, "fold", 1.0)
    builder.end(root, "check", -0.5)
    game = builder.build()
    form = make_form(game)
    assert value(form, uniform(game)) == pytest.approx(0.5 * (0.5 * 0 + 0.5 * 1) - 0.25)
    assert value(form, solve(form, 1000)) == pytest.approx(0, abs=1e-3)


def test_a_run_reads_its_own_checkpoint(tmp_path, monkeypatch):
    """But not where all is to be computed anew."""
    path = tmp_path / "checkpoint.npz"
    assert load_checkpoint(path, "me", 4) is None
    save_checkpoint(path, "me", 4, table=np.arange(500.0))
    found = load_checkpoint(path, "me", 4)
    assert found["table"].tolist() == list(range(500))
    assert found["iteration"] == 4
    assert len(found) == 2
    assert load_checkpoint(path, "me", 3) is None and load_checkpoint(path, "you", 4) is None
    monkeypatch.setenv("FACEUP_REUSE", "0")
    assert load_checkpoint(path, "me", 4) is None
