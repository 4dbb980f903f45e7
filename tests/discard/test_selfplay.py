"""Self-play on a toy against exact best responses; threads and a pause leave the same bits."""

from functools import partial

import numpy as np
import pytest
import toy
from games import threads
from plain_tables import ROWS, TREE, fake_tables

from faceup.discard.deals import BEST, NEVER, OWN
from faceup.discard.matches import deal_values, random_player
from faceup.discard.selfplay import EPOCH, Setting, self_play, strategy_layout
from faceup.games.extensive_game import against
from faceup.games.sequence_form import best_response, exploitability, make_form, value
from faceup.lab.rng import rng

STREAM = partial(rng, 4, "test")


@pytest.mark.parametrize("reads", [False, True])
@pytest.mark.parametrize(("sampler", "gamma"), [("chance", 0.0), ("external", 1.0)])
def test_the_toy_is_solved(reads, sampler, gamma):
    layout, averages = toy.learn(reads, sampler, 100_000, gamma)
    game = toy.game_of(layout)
    lost = [exploitability(make_form(game), toy.strategy_of(game, numbers)) for numbers in (averages, np.zeros_like(averages))]
    assert lost[0] < 1.0 < 5.0 < lost[1]  # 1 % of 200 chips are 2


def test_a_response_wins_as_much_as_the_best_one():
    layout = strategy_layout(toy.TREE, toy.N_ROWS, True)
    fixed = np.zeros(int(layout.base[-1]))  # takes all actions equally often
    game = toy.game_of(layout)
    form, strategy = make_form(game), toy.strategy_of(game, fixed)
    response = toy.strategy_of(game, toy.respond(layout, fixed, 100_000))
    best, won = best_response(form, strategy, 0)[0], value(form, against(game, response, strategy))
    assert best - won < 1.0 < 5.0 < best - value(form, strategy)


def test_threads_and_stops_change_nothing():
    run = partial(self_play, TREE, fake_tables(), ROWS, Setting("external", OWN, True, 1.0), STREAM)
    first, last = (strategy.chances for strategy in run([EPOCH, 2 * EPOCH]))
    with threads(1):
        assert np.array_equal(run([2 * EPOCH])[0].chances, last)
    assert np.array_equal(run([EPOCH])[0].chances, first) and last.sum() > first.sum() > 0


def test_who_never_swaps_has_no_tell():
    """A responder that sees swaps learns and plays as one that does not: there is nothing to see."""
    tables, bot = fake_tables(), random_player(TREE, ROWS)._replace(policy=NEVER)
    runs = [
        self_play(TREE, tables, ROWS, Setting("chance", BEST, seen, 2.0), STREAM, [EPOCH], opponent=bot)[0]
        for seen in (False, True)
    ]
    blind, sees = (deal_values(TREE, tables, run, bot, 200, partial(rng, 5, "test")) for run in runs)
    assert np.array_equal(blind, sees) and blind.mean() > 0
    assert len(runs[1].chances) > len(runs[0].chances)
