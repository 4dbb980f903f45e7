"""Self-play on a toy against exact best responses; threads and stops leave the same bits.

The toy is on the kernels' own tree, small enough for exact best responses: six cards of three
ranks, one private card each, one swap. From the turn on, with 20 chips of each in the pot: the
lowest rank is swapped, or players learn what to swap, there is a bet of the pot or all-in, nobody
bets on the river. A strategy has a row for all that a player knows of its own cards.
"""

from collections import Counter
from functools import partial
from itertools import permutations

import numpy as np
import pytest
from games import threads
from numba import njit
from plain_lookup import ROWS, TREE, fake_lookup

from faceup.games.extensive_game import GameBuilder, against, normalized
from faceup.games.sequence_form import best_response, exploitability, make_form, value
from faceup.holdem.rules import SHOWDOWN
from faceup.papers.discard.deals import BEST, LEARNED, NEVER, RULE, DealView, empty_view
from faceup.papers.discard.matches import deal_values
from faceup.papers.discard.selfplay import (
    BOTH,
    EPOCH,
    Strategy,
    _empty_walk,
    _walk,
    self_play,
    stack_layouts,
    strategy_layout,
)
from faceup.papers.discard.tree import (
    ALL_SWAPS,
    HAND_START,
    NO_SWAPS,
    SWAP,
    THEIR_SWAPS,
    build_swap_tree,
)
from faceup.util.rng import rng

STREAM = partial(rng, 4, "test")
N_ROWS = (1, 1, 12, 12)
TOY = build_swap_tree(
    ([], [], [[1.0]], []), HAND_START._replace(street=2, actor=1, bets=((20, 0, 0, 0),) * 2)
)
# ranks held, then those to draw: ways
DEALS = Counter(tuple(card // 2 for card in cards) for cards in permutations(range(6), 4))


def view_of(ranks):
    """A deal as the kernels take it."""
    rows, swaps = np.zeros((2, 2, 4, 4), dtype=np.int64)
    strengths = np.zeros((2, 4), dtype=np.int64)
    for p in range(2):
        own, drawn = ranks[p], ranks[2 + p]
        rows[p, 2:4, :2] = own, 3 + 3 * own + drawn
        strengths[p, :2] = own, drawn
        swaps[p, 2, 0] = own == 0
    return DealView(rows, strengths, swaps)


def game_of(layout, policy=RULE):
    """The toy as an extensive game; an infoset is named by the place of its numbers."""
    builder = GameBuilder()
    root = builder.chance()

    def add(parent, by, node, view):
        if TOY.n_actions[node] == 0:
            first, second = (view.strengths[p, TOY.hands[node, p]] for p in range(2))
            sign = np.sign(first - second) if TOY.kind[node] == SHOWDOWN else 1
            builder.end(parent, by, float(sign * TOY.stake[node]))
            return
        p, street = int(TOY.player[node]), TOY.street[node]
        row, place = view.rows[p, street, TOY.hands[node, p]], layout.slot[node]
        if TOY.kind[node] == SWAP:
            swapped = view.swaps[p, street, TOY.hands[node, p]]
            place += 2 * swapped
            if policy == RULE:
                add(parent, by, TOY.end[node + 1] if swapped else node + 1, view)
                return
        name = str(layout.base[street] + row * layout.width[street] + place)
        labels = [str(a) for a in range(TOY.n_actions[node])]
        number, child = builder.decision(parent, by, p, f"{p}:{name}", labels), node + 1
        for label in labels:
            add(number, label, child, view)
            child = TOY.end[child]

    for ranks, ways in DEALS.items():
        add(root, ways / DEALS.total(), 0, view_of(ranks))
    return builder.build()


def strategy_of(game, averages):
    """A strategy of the game from the kernels' numbers."""
    first = np.array([int(name.split(":")[1]) for name in game.names])
    chances = np.concatenate(
        [averages[f : f + n] for f, n in zip(first, np.diff(game.first_action), strict=True)]
    )
    return normalized(game.first_action, chances)


@njit(cache=True)
def _learn(tree, layout, regrets, averages, deals, policies, learner, gamma):
    walk = _empty_walk(tree.kind.shape[0])
    view, (rows, strengths, swaps, picked) = empty_view(2), deals
    for t in range(picked.shape[0]):
        view.rows[:], view.strengths[:] = rows[picked[t]], strengths[picked[t]]
        view.swaps[:] = swaps[picked[t]]
        who = (t % 2, 1 - t % 2) if policies[0] == LEARNED else (learner, learner)
        weight = float(t + 1) ** gamma
        _walk(tree, layout, regrets, averages, view, policies, who, weight, walk)


def averages_of(layouts, regrets, learner, gamma, policy=RULE):
    """The average strategies of learners over 100,000 random deals."""
    chances = np.array(list(DEALS.values())) / DEALS.total()
    picked = np.random.default_rng(3).choice(len(DEALS), 100_000, p=chances)
    views = map(np.array, zip(*map(view_of, DEALS), strict=True))
    averages = np.zeros(int(layouts.base[0, -1]))
    policies = policy, policy
    _learn(TOY, layouts, regrets, averages, (*views, picked), policies, learner, gamma)
    return averages


CASES = [(NO_SWAPS, RULE, 0.0), (THEIR_SWAPS, RULE, 1.0), (ALL_SWAPS, RULE, 1.0)]
LEARNED_CASES = [(NO_SWAPS, LEARNED, 1.0), (ALL_SWAPS, LEARNED, 1.0)]


@pytest.mark.parametrize(("sees", "policy", "gamma"), CASES + LEARNED_CASES)
def test_the_toy_is_solved(sees, policy, gamma):
    layout = strategy_layout(TOY, N_ROWS, sees)
    game, even = game_of(layout, policy), np.zeros(int(layout.base[-1]))
    averages = averages_of(stack_layouts(layout, layout, 0), even.copy(), BOTH, gamma, policy)
    form = make_form(game)
    lost = [exploitability(form, strategy_of(game, numbers)) for numbers in (averages, even)]
    assert lost[0] < 1.0 < 5.0 < lost[1]  # 1 % of 200 chips are 2


def test_a_response_wins_as_much_as_the_best_one():
    layout = strategy_layout(TOY, N_ROWS, THEIR_SWAPS)
    game, even = game_of(layout), np.zeros(int(layout.base[-1]))
    form, strategy = make_form(game), strategy_of(game, even)
    layouts = stack_layouts(layout, layout, len(even))
    averages = averages_of(layouts, np.append(even, even), 0, 1.0)
    best = best_response(form, strategy, 0)[0]
    won = value(form, against(game, strategy_of(game, averages), strategy))
    assert best - won < 1.0 < 5.0 < best - value(form, strategy)


def test_threads_and_stops_change_nothing():
    arguments = TREE, fake_lookup(), ROWS, LEARNED, STREAM
    run = partial(self_play, *arguments, sees=ALL_SWAPS, gamma=1.0)
    first, last = (strategy.chances for strategy in run([EPOCH, 2 * EPOCH]))
    with threads(1):
        assert np.array_equal(run([2 * EPOCH])[0].chances, last)
    assert np.array_equal(run([EPOCH])[0].chances, first) and last.sum() > first.sum() > 0


def test_a_bot_that_never_swaps_has_no_tell():
    """A responder that sees swaps learns and plays like one that does not."""
    lookup, layout = fake_lookup(), strategy_layout(TREE, ROWS, NO_SWAPS)
    bot = Strategy(layout, np.zeros(int(layout.base[-1])), NEVER)
    respond = partial(self_play, TREE, lookup, ROWS, BEST, STREAM, [EPOCH], opponent=bot, gamma=2.0)
    runs = [respond(sees=sees)[0] for sees in (NO_SWAPS, THEIR_SWAPS)]
    blind, sees = (deal_values(TREE, lookup, run, bot, 200, STREAM) for run in runs)
    assert np.array_equal(blind, sees) and blind.mean() > 0
    assert len(runs[1].chances) > len(runs[0].chances)
