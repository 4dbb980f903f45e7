"""Self-play on a toy against exact best responses; threads and a pause leave the same bits."""

from functools import partial

import numpy as np
import pytest
import toy
from games import threads
from plain_tables import ROWS, TREE, fake_tables

from faceup.discard.deals import OWN, RULE, _make_seen
from faceup.discard.selfplay import CHANCE_ONLY, EPOCH, Setting, _deal, _make_scratch, _walk, both, self_play, strategy_layout
from faceup.games.extensive_game import against
from faceup.games.sequence_form import best_response, exploitability, value
from faceup.lab.rng import rng

STREAM = partial(rng, 4, "test")


@pytest.mark.parametrize("reads", [False, True])
@pytest.mark.parametrize(("sampler", "gamma"), [("chance", 0.0), ("external", 1.0)])
def test_the_toy_is_solved(reads, sampler, gamma):
    layout, averages = toy.learn(reads, sampler, 100_000, gamma)
    game = toy.game_of(layout)
    strategy = toy.strategy_of(game, averages)
    untrained = exploitability(game, toy.strategy_of(game, np.zeros_like(averages)))
    assert exploitability(game, strategy) < 1.0 < 5.0 < untrained  # 1 % of 200 chips are 2


def test_a_walk_of_all_deals_is_the_value_of_the_game():
    layout, averages = toy.learn(True, "external", 300, 1.0)
    game = toy.game_of(layout)
    for forced in range(2):
        fixed = averages.copy()
        start, end = layout.base[5], layout.base[6]
        fixed[start:end] = np.tile(np.eye(2)[forced], (end - start) // 2)
        numbers, pair = (fixed, fixed.copy()), both(layout, layout, 0)
        scratch = _make_scratch(len(toy.TREE.kind))
        won = sum(
            c * _walk(toy.TREE, pair, *numbers, toy.seen_of(r, forced), CHANCE_ONLY, -1, 0.0, scratch) for r, c in toy.deals()
        )
        assert won == pytest.approx(value(game, toy.strategy_of(game, fixed)), abs=1e-9)


def test_a_response_wins_as_much_as_the_best_one():
    layout = strategy_layout(toy.TREE, toy.N_ROWS, True)
    fixed = np.zeros(int(layout.base[-1]))  # takes all actions equally often
    game = toy.game_of(layout)
    strategy, response = toy.strategy_of(game, fixed), toy.strategy_of(game, toy.respond(layout, fixed, 100_000))
    best, won = best_response(game, strategy, 0)[0], value(game, against(game, response, strategy))
    assert best - won < 1.0 < 5.0 < best - value(game, strategy)


def test_threads_and_interruptions_change_nothing(tmp_path):
    run, resumed = partial(self_play, TREE, fake_tables(), ROWS, Setting("external", OWN, True, 1.0), STREAM), []
    straight = run(2 * EPOCH).chances
    with threads(1):
        run(EPOCH, checkpoint=tmp_path / "run.npz")
    again = run(2 * EPOCH, checkpoint=tmp_path / "run.npz", progress=resumed.append).chances
    assert resumed == [2 * EPOCH] and straight.sum() > 0 and np.array_equal(straight, again)


def test_a_deal_is_thirteen_cards_of_its_own():
    seen, state, dealt = _make_seen(2), np.zeros(1, dtype=np.uint64), set()
    for number in range(200):
        deck = _deal(7, number, RULE, RULE, fake_tables(), seen, state)
        dealt.add(tuple(deck[:13]))
        assert sorted(deck) == list(range(52))
    assert len(dealt) == 200
