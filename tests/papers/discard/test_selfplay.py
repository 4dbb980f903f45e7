"""Self-play on a toy against exact best responses; threads and a pause leave the same bits.

The toy is on the kernels' own tree, small enough for exact best responses: six cards, one private
card each, one swap. From the turn on, with 20 chips of each in the pot: both may swap their card,
there is a bet of the pot or all-in, nobody bets on the river. The strategy's rows tell a player all
that he has seen of his own cards.
"""

from collections import Counter
from functools import partial
from itertools import permutations

import numpy as np
import pytest
from games import threads
from numba import njit
from plain_tables import ROWS, TREE, fake_tables

from faceup.games.extensive_game import GameBuilder, against, normalised
from faceup.games.sequence_form import best_response, exploitability, make_form, value
from faceup.holdem.rules import SHOWDOWN
from faceup.papers.discard import selfplay
from faceup.papers.discard.deals import BEST, NEVER, OWN, DealView, _make_seen
from faceup.papers.discard.matches import deal_values, random_player
from faceup.papers.discard.selfplay import BOTH, EPOCH, _make_scratch, _walk, both, strategy_layout
from faceup.papers.discard.tree import HAND_START, build_swap_tree
from faceup.util.rng import rng

STREAM = partial(rng, 4, "test")
N_ROWS = (1, 1, 12, 12, 1, 3)
TOY = build_swap_tree(
    ([], [], [[1.0]], []), HAND_START._replace(street=2, actor=1, bets=((20, 0, 0, 0),) * 2)
)
# ranks held, then those to draw: ways
DEALS = Counter(tuple(card // 2 for card in cards) for cards in permutations(range(6), 4))


def seen_of(ranks):
    """A deal as the kernels take it."""
    rows, strengths = np.zeros((2, 6, 4), dtype=np.int64), np.zeros((2, 4), dtype=np.int64)
    for p in range(2):
        own, drawn = ranks[p], ranks[2 + p]
        rows[p, 5, 0] = own
        rows[p, 2:4, :2] = own, 3 + 3 * own + drawn
        strengths[p, :2] = own, drawn
    return DealView(rows, strengths, np.full((2, 2, 4), -1, dtype=np.int64))


def game_of(layout):
    """The toy as an extensive game; an infoset is called by where its numbers are in a strategy."""
    builder = GameBuilder()
    root = builder.chance()

    def add(parent, by, node, seen):
        if TOY.n_actions[node] == 0:
            first, second = (seen.strengths[p, TOY.hands[node, p]] for p in range(2))
            sign = np.sign(first - second) if TOY.kind[node] == SHOWDOWN else 1
            builder.end(parent, by, float(sign * TOY.stake[node]))
            return
        p, table = int(TOY.player[node]), TOY.table[node]
        row = seen.rows[p, table, TOY.hands[node, p]]
        name = str(layout.base[table] + row * layout.width[table] + layout.slot[node])
        labels = [str(a) for a in range(TOY.n_actions[node])]
        number, child = builder.decision(parent, by, p, f"{p}:{name}", labels), node + 1
        for label in labels:
            add(number, label, child, seen)
            child = TOY.end[child]

    for ranks, ways in DEALS.items():
        add(root, ways / DEALS.total(), 0, seen_of(ranks))
    return builder.build()


def strategy_of(game, averages):
    """A strategy of the game from the kernels' numbers."""
    first = np.array([int(name.split(":")[1]) for name in game.names])
    chances = np.concatenate(
        [averages[f : f + n] for f, n in zip(first, np.diff(game.first_action), strict=True)]
    )
    return normalised(game.first_action, chances)


@njit(cache=True)
def _learn(tree, layout, regrets, averages, rows, strengths, picked, learner, gamma):
    seen, scratch = _make_seen(2), _make_scratch(tree.kind.shape[0])
    seen.forced[:] = -1
    for t in range(picked.shape[0]):
        seen.rows[:], seen.strengths[:] = rows[picked[t]], strengths[picked[t]]
        _walk(tree, layout, regrets, averages, seen, learner, float(t + 1) ** gamma, scratch)


def averages_of(layouts, regrets, learner, gamma):
    """What learners have on average played in 100,000 random deals."""
    picked = np.random.default_rng(3).choice(
        len(DEALS), 100_000, p=np.array(list(DEALS.values())) / DEALS.total()
    )
    rows, strengths, _ = map(np.array, zip(*map(seen_of, DEALS), strict=True))
    averages = np.zeros(int(layouts.base[0, -1]))
    _learn(TOY, layouts, regrets, averages, rows, strengths, picked, learner, gamma)
    return averages


@pytest.mark.parametrize("reads", [False, True])
@pytest.mark.parametrize("gamma", [0.0, 1.0])
def test_the_toy_is_solved(reads, gamma):
    layout = strategy_layout(TOY, N_ROWS, reads)
    game, even = game_of(layout), np.zeros(int(layout.base[-1]))
    averages = averages_of(both(layout, layout, 0), even.copy(), BOTH, gamma)
    lost = [
        exploitability(make_form(game), strategy_of(game, numbers)) for numbers in (averages, even)
    ]
    assert lost[0] < 1.0 < 5.0 < lost[1]  # 1 % of 200 chips are 2


def test_a_response_wins_as_much_as_the_best_one():
    layout = strategy_layout(TOY, N_ROWS, True)
    game, even = game_of(layout), np.zeros(int(layout.base[-1]))
    form, strategy = make_form(game), strategy_of(game, even)
    averages = averages_of(both(layout, layout, len(even)), np.append(even, even), 0, 1.0)
    best, won = (
        best_response(form, strategy, 0)[0],
        value(form, against(game, strategy_of(game, averages), strategy)),
    )
    assert best - won < 1.0 < 5.0 < best - value(form, strategy)


def test_threads_and_stops_change_nothing():
    run = partial(
        selfplay.self_play, TREE, fake_tables(), ROWS, selfplay.Setting(OWN, True, 1.0), STREAM
    )
    first, last = (strategy.chances for strategy in run([EPOCH, 2 * EPOCH]))
    with threads(1):
        assert np.array_equal(run([2 * EPOCH])[0].chances, last)
    assert np.array_equal(run([EPOCH])[0].chances, first) and last.sum() > first.sum() > 0


def test_who_never_swaps_has_no_tell():
    """A responder that sees swaps learns and plays as one that does not: there is nothing to see."""
    tables, bot = fake_tables(), random_player(TREE, ROWS)._replace(policy=NEVER)
    settings = [selfplay.Setting(BEST, reads, 2.0) for reads in (False, True)]
    runs = [
        selfplay.self_play(TREE, tables, ROWS, setting, STREAM, [EPOCH], opponent=bot)[0]
        for setting in settings
    ]
    blind, sees = (
        deal_values(TREE, tables, run, bot, 200, partial(rng, 5, "test")) for run in runs
    )
    assert np.array_equal(blind, sees) and blind.mean() > 0
    assert len(runs[1].chances) > len(runs[0].chances)
