"""CFR-BR on Leduc: what a player who cannot tell two ranks apart must lose, against linear programs; and open_spiel's CFR-BR."""

import numpy as np
import pytest
import sequence_form

from faceup.games.cfr import VARIANTS
from faceup.games.cfr_br import CfrBr, grouped, least_exploitable
from faceup.games.extensive_game import uniform
from faceup.games.sequence_form import best_response, exploitability, make_form, value
from faceup.leduc.game import KUHN, RLCARD, build

LEDUC = build(RLCARD)


def blurred(player, ranks):
    """Leduc for a player who cannot tell some ranks of his own card apart; he never forgets, so that linear programs know all."""
    numbers = {}
    for seen in LEDUC.situations:
        own = min(ranks) if seen.player == player and seen.own in ranks else seen.own
        numbers.setdefault((seen.player, own, seen.public, seen.state), []).append(seen)
    of_situation = {id(seen): k for k, alike in enumerate(numbers.values()) for seen in alike}
    return grouped(LEDUC.game, np.array([of_situation[id(seen)] for seen in LEDUC.situations]))


KUHN_GAME, RLCARD_GAME = build(KUHN).game, LEDUC.game


@pytest.mark.parametrize(
    ("game", "player"),
    [(blurred(0, (1, 2)), 0), (blurred(1, (0, 1)), 1), (KUHN_GAME, 0), (KUHN_GAME, 1), (RLCARD_GAME, 0)],
    ids=["blurred 0", "blurred 1", "Kuhn 0", "Kuhn 1", "RLCard"],
)
def test_the_least_that_a_player_must_lose_by_linear_program(game, player):
    """To 1e-4 big blinds; in the true game the strategy of a blurred player loses as much."""
    least = -sequence_form.solve(game).value * (1 - 2 * player)
    lost, _ = best_response(game, least_exploitable(game, player), 1 - player)
    assert least - 1e-9 < lost < least + 1e-4


def test_open_spiels_cfr_br():
    """On Kuhn poker open_spiel's CFR-BR is as far from equilibrium as ours; its best responses break ties in another order."""
    pyspiel = pytest.importorskip("pyspiel")
    from open_spiel.python.algorithms import cfr_br
    from open_spiel.python.algorithms import exploitability as theirs

    spiel, runs = pyspiel.load_game("kuhn_poker"), [CfrBr(KUHN_GAME, player) for player in range(2)]
    solver = cfr_br.CFRBRSolver(spiel)
    for _ in range(500):
        solver.evaluate_and_update_policy()
    for run in runs:
        run.advance(500)
    ours = np.mean([best_response(KUHN_GAME, run.average(), 1 - run.learner)[0] for run in runs])
    assert ours == pytest.approx(theirs.exploitability(spiel, solver.average_policy()), abs=4e-3)
    assert ours < 0.02


def test_restarts_pay():
    """Eight stages of 1,000 iterations lose less than a tenth of what 8,000 iterations on end leave."""
    game = blurred(0, (1, 2))
    least = -sequence_form.solve(game).value
    run = CfrBr(game, 0, VARIANTS["DCFR"])
    run.advance(8000)
    left = [best_response(game, strategy, 1)[0] - least for strategy in (run.average(), least_exploitable(game, 0, 8, 1000))]
    assert left[1] < left[0] / 10


def test_grouping_keeps_the_game():
    """Chances, payoffs and the other player stay; a strategy that treats the group alike is worth the same in both games."""
    game, same = blurred(1, (0, 2)), grouped(LEDUC.game, np.arange(len(LEDUC.game.owner)))
    assert all(np.array_equal(a, b) for a, b in zip(same, LEDUC.game, strict=True))
    assert (np.bincount(game.owner) == [144, 96]).all()
    assert value(game, uniform(game)) == pytest.approx(value(RLCARD_GAME, uniform(RLCARD_GAME)), abs=1e-12)
    assert exploitability(game, uniform(game)) < exploitability(RLCARD_GAME, uniform(RLCARD_GAME))


def test_a_pause_changes_nothing():
    straight, paused = (CfrBr(KUHN_GAME, 0, form=make_form(KUHN_GAME)) for _ in range(2))
    straight.advance(60)
    paused.advance(10)
    paused.advance(50)
    np.testing.assert_allclose(straight.average(), paused.average(), rtol=0, atol=1e-12)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: CfrBr(KUHN_GAME, 2), "learner is 2"),
        (lambda: least_exploitable(KUHN_GAME, 0, stages=0), "stages is 0"),
        (lambda: grouped(KUHN_GAME, np.zeros(3)), "a number an infoset"),
        (lambda: grouped(KUHN_GAME, np.zeros(len(KUHN_GAME.owner))), "one player and the same actions"),
    ],
)
def test_bad_input_is_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()
