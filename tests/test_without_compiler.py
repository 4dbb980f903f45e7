"""Kernels are right without the compiler, too: plain Python computes what compiled code does.

The cases run here, and in a process of their own with NUMBA_DISABLE_JIT=1.
"""

import os
import subprocess
import sys
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from games import BOARD, FEW_BUCKETS, PUSH, RandomPolicy, equity_levels, random_models, random_table
from plain_lookup import ROWS, fake_lookup
from random_trees import random_tree

from faceup.cards import equity, matchups
from faceup.cards.cards import parse_cards
from faceup.cards.strength import strength
from faceup.games import cfr, sequence_form
from faceup.games.extensive_game import uniform
from faceup.holdem import cfr_br, match_tree
from faceup.holdem.best_response_river import RiverResponder, Rivers
from faceup.holdem.cfr import Discount, SelfPlay
from faceup.holdem.local_best_response import Showdowns
from faceup.holdem.match import Match
from faceup.holdem.policy import ModelPolicy
from faceup.holdem.rules import menu_from
from faceup.holdem.samples import action_costs
from faceup.holdem.showdown import free_holes
from faceup.papers.discard import buckets, deals, matches, outs, selfplay, swaps
from faceup.papers.discard.tree import build_swap_tree
from faceup.papers.leduc import training
from faceup.papers.leduc.game import KUHN, RLCARD, build
from faceup.papers.onecard import rule_lists, solutions
from faceup.papers.onecard.game import random_games
from faceup.trees import oct, prune
from faceup.util.rng import rng

STREAM = partial(rng, 1, "test")
ROYAL, MIXED = (np.array(parse_cards(text)) for text in ("TsJsQsKs2d", "2c7d8hKsAc"))
EVEN = np.zeros((169, 169))


def cards():
    levels = [np.zeros(1326, dtype=np.uint16) for _ in range(2)]
    for board, found in zip((ROYAL, MIXED), levels, strict=True):
        equity.fill_river_equity(board, found)
    wins = matchups.class_wins(np.array([ROYAL, MIXED]), np.array([4, 24]))
    return levels, wins, strength(parse_cards("TsJsQsKsAs2d3d"))


def trees():
    tree, X = random_tree(5, 6), np.random.default_rng(1).normal(size=(40, 4)).astype(np.float32)
    ordered = prune.isotonic(tree, X, column=1, most=np.full(40, 9.0), label=2, other=0)
    P = np.random.default_rng(3).dirichlet(np.ones(3), 40)
    settings = {"max_depth": 4, "min_rows": 3, "regrowths": 3, "stream": STREAM}
    return tree.predict(X), ordered.value, tuple(oct.fit_oct(X, P, np.ones(40), **settings))


def small_games():
    kuhn = build(KUHN)
    found = cfr.solve(kuhn.form, 5), sequence_form.best_response(kuhn.form, uniform(kuhn.game), 0)
    played, setting = build(RLCARD), training.LearningSetting(0.1, 0.9, 0.3)
    even = uniform(played.game)
    learner = training.QLearner(played, even, setting, rng(1, "test"))
    run = training.SampledCfr(played, training.rlcard_keys(played), 1.0, rng(2, "test"))
    learner.advance(50)
    run.advance(5)
    won = training.play_games(played, run.strategy(), even, 20, STREAM())
    return found, learner.strategy(), run.strategy(), won


def one_card():
    own, other = random_games(2, np.random.default_rng(1))
    solved = solutions.solve_games(own, other)
    kinds = (rule_lists.STRONG, 0.9), (rule_lists.BALANCE, 0.6)
    lines = [rule_lists.RuleLine(*kind, 20) for kind in kinds]
    return list(solved), rule_lists.list_strategies(lines, own, other)


def discard():
    turn = MIXED[None, :4]
    sums, centers = buckets.range_sums(turn, 24), np.random.default_rng(1).random((3, 8))
    nearest = buckets.nearest_buckets(buckets.StreetSums(turn, sums, 44 * 2 / 48), centers)
    swapped = swaps.swap_sums(turn, step=24)
    return sums, nearest, swapped, outs.rule_choices(turn, swaps.equities(swapped))


def discard_play():
    tree, lookup = build_swap_tree(([[1.0]], [], [], [[0.66]])), fake_lookup()
    layout = selfplay.strategy_layout(tree, ROWS, 0)
    even = selfplay.Strategy(layout, np.zeros(int(layout.base[-1])), deals.RULE)
    learn = partial(selfplay.self_play, tree, lookup, ROWS, deals.RULE, STREAM, [selfplay.EPOCH])
    (learned,) = learn(opponent=even)
    return learned.chances, matches.deal_values(tree, lookup, learned, even, 2, STREAM)


def learning():
    run = SelfPlay(PUSH, FEW_BUCKETS, Discount(1.5, 0, 2, 2), STREAM)
    run.advance(2)
    street, boards = cfr_br.CfrBr(equity_levels(7), EVEN), np.array([ROYAL, MIXED])
    state = street.train(street.start(), boards[:1], cfr_br.OpponentMixture(0, None))
    state = street.train(state, boards[1:], cfr_br.OpponentMixture(1, None))
    return run.regrets, run.strategy_sums, state[:2]


def responses():
    policy, free = RandomPolicy(PUSH, 5, n_rows=3), free_holes(BOARD)
    shape = (2, int(PUSH.street_start[3]), len(free))
    reach = np.random.default_rng(1).random(shape, dtype=np.float32) * free
    value = np.zeros((1, *shape), dtype=np.float32)
    rivers = Rivers(np.array([BOARD]), np.array([[0, 3, -1, -1]]), policy.rows[3:])
    responder = RiverResponder(PUSH, np.ones((1, len(PUSH.kind)), dtype=bool))
    responder.add(rivers, policy.tables[3], reach, value)
    return value


def play():
    policies = [RandomPolicy(PUSH, seed, n_rows=3) for seed in (5, 6)]
    menu, other = (menu_from([[size], []], [[]], [[]], [[]]) for size in (1, 2))
    own, few = match_tree.build_tree(menu), np.arange(1326) % 40 == 0
    both = match_tree.build_tree(menu, big_blind_menu=other)
    placed = match_tree.TranslatedPolicy(both, own, RandomPolicy(own, 1, n_rows=3), 0)
    costs = action_costs(PUSH, random_table(PUSH, 4), [BOARD])
    rows = ModelPolicy(PUSH, random_models(PUSH.labels, 3), ()).street_rows(3, BOARD)[0]
    showdowns = Showdowns(BOARD, EVEN, np.flatnonzero(few))
    won = showdowns.net_wins(2, np.random.default_rng(0).random((1, 1326)))
    return (
        Match(PUSH, policies).play(BOARD),
        costs,
        placed.street_rows(1, BOARD[:3], few)[0],
        rows,
        won,
    )


CASES = (cards, trees, small_games, one_card, discard, discard_play, learning, responses, play)


def flat(found) -> list[np.ndarray]:
    """All arrays in tuples and lists of them."""
    if isinstance(found, tuple | list):
        return [array for part in found for array in flat(part)]
    return [np.asarray(found)]


@pytest.fixture(scope="module")
def plain(tmp_path_factory):
    """Arrays of all cases without the compiler."""
    path, here = tmp_path_factory.mktemp("plain") / "found.npz", Path(__file__)
    around = {
        "NUMBA_DISABLE_JIT": "1",
        "PYTHONPATH": os.pathsep.join([str(here.parent), *sys.path]),
    }
    subprocess.run([sys.executable, str(here), str(path)], env=os.environ | around, check=True)
    return np.load(path)


@pytest.mark.parametrize("case", CASES)
def test_plain_python_computes_what_compiled_code_does(plain, case):
    for k, expected in enumerate(flat(case())):
        largest = np.abs(expected).max(initial=0) if expected.dtype.kind == "f" else 0
        found = plain[f"{case.__name__} {k}"]
        np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5 * largest)


if __name__ == "__main__":
    results = {f"{f.__name__} {k}": array for f in CASES for k, array in enumerate(flat(f()))}
    np.savez(sys.argv[1], **results)
