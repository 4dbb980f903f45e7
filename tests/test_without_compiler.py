"""Kernels are right without the compiler, too: plain Python computes on small cases what compiled code does.

The cases run in a process of their own with NUMBA_DISABLE_JIT=1. Compiled code leaves the same bytes on any number of threads.
"""

import os
import subprocess
import sys
from functools import cache, partial
from pathlib import Path

import numpy as np
import pytest
from games import BOARD, PUSH, RandomPolicy, threads
from random_trees import random_tree

from faceup.cards import equity, matchups
from faceup.cards.cards import canonical_boards, hole_index, parse_cards
from faceup.cards.strength import strength
from faceup.discard import outs, swaps
from faceup.games import cfr, sequence_form
from faceup.games.extensive_game import uniform
from faceup.holdem import best_response, groups, infosets, match, match_tree, safe
from faceup.holdem.policy import TablePolicy
from faceup.holdem.rows import action_costs
from faceup.holdem.rules import menu_from
from faceup.holdem.selfplay import Discount, SelfPlay
from faceup.lab.parallel import on_threads
from faceup.lab.rng import rng
from faceup.leduc import training
from faceup.leduc.game import KUHN, RLCARD, build
from faceup.onecard import rule_lists, solutions
from faceup.onecard.game import random_games
from faceup.trees import oct, prune

STREAM = partial(rng, 1, "test")
ROYAL, MIXED = (np.array(parse_cards(text)) for text in ("TsJsQsKs2d", "2c7d8hKsAc"))
PLAIN = """
import sys, numpy as np
from test_without_compiler import CASES, flat
np.savez(sys.argv[1], **{f"{name} {k}": array for name, case in CASES.items() for k, array in enumerate(flat(case()))})
"""
CASES = {}  # name: a function that returns arrays and numbers which kernels compute


def case(function):
    CASES[function.__name__] = function
    return function


def flat(found) -> list[np.ndarray]:
    """All arrays in tuples and lists of them."""
    return [a for part in found for a in flat(part)] if isinstance(found, tuple | list) else [np.asarray(found)]


@case
def cards():
    boards, found = np.array([ROYAL, MIXED]), np.zeros((2, 1326), dtype=np.uint16)
    on_threads(equity._river_table, boards, found)
    return found, strength(parse_cards("TsJsQsKsAs2d3d")), matchups.class_wins(boards, np.array([4, 24]))


@case
def trees():
    tree, X = random_tree(5, 6), np.random.default_rng(1).normal(size=(40, 4)).astype(np.float32)
    ordered = prune.isotonic(tree, X, column=1, most=np.full(40, 9.0), label=2, other=0)
    P, costs = np.random.default_rng(3).dirichlet(np.ones(3), 40), np.random.default_rng(4).random((40, 3))
    settings = {"max_depth": 4, "min_rows": 3, "regrowths": 3, "stream": STREAM}
    optimal = [tuple(oct.fit_oct(X, P, np.ones(40), costs=of_labels, **settings)) for of_labels in (None, costs)]
    return tree.predict(X), ordered.value, optimal


@case
def small_games():
    kuhn, found = build(KUHN), []
    for variant in cfr.VARIANTS.values():
        run = cfr.Cfr(kuhn.form, variant)
        run.advance(5)
        found += [run.average(), run.tables.regrets]
    found += [sequence_form.best_response(kuhn.form, uniform(kuhn.game), 0)]
    game = (played := build(RLCARD)).game
    even = uniform(game)
    learner = training.QLearner(played, even, training.LearningSetting(0.1, 0.9, 0.3), rng(1, "test"))
    run = training.SampledCfr(played, training.rlcard_keys(played), 1.0, rng(2, "test"))
    learner.advance(50)
    run.advance(5)
    found += [learner.q, run.strategy(), training.play_games(played, run.strategy(), even, 20, STREAM())]
    own, other = random_games(2, np.random.default_rng(1))
    kinds = (rule_lists.STRONG, 0.9), (rule_lists.WEAK, 0.05), (rule_lists.BALANCE, 0.6)
    lines = [rule_lists.RuleLine(*kind, 20) for kind in kinds]
    return found, list(solutions.solve_games(own, other)), rule_lists.play(lines, own, other)


@case
def discard():
    turn_board, flop = MIXED[None, :4], swaps.swap_sums(MIXED[None, :3], step=600)
    turn = swaps.swap_sums(turn_board, np.random.default_rng(1).integers(0, 40, (1, 1326)), step=24)
    return turn, flop, outs.rule_choices(turn_board, swaps.equities(turn))


@cache
def grouped() -> TablePolicy:
    """A random table of few groups."""
    rng = np.random.default_rng(4)
    ids = [rng.integers(0, 12, (len(canonical_boards(n).keys), 1326)).astype(np.int32) for n in (3, 4)]
    found = groups.Groups(*ids, (169, 12, 12, groups.N_RIVER_GROUPS))
    tables = RandomPolicy(PUSH, 3).tables
    return TablePolicy(tuple(np.resize(t, (n, t.shape[1])) for n, t in zip(found.n_groups, tables, strict=True)), found)


@case
def learning():
    run = SelfPlay(PUSH, grouped().groups, Discount(1.5, 0, 2, 2), STREAM)
    run.advance(2)
    levels = infosets.HandGroups(PUSH, grouped(), grouped().groups.turn, 9)
    safer = safe.SafeGame(levels, np.zeros((169, 169)), 0, levels)
    state = safer.train(safer.start(1), MIXED[None], safe.Mixed(0.5, grouped()))
    street, boards = safe.SafeGame(safe.equity_levels(7), np.zeros((169, 169)), 3), np.array([ROYAL, MIXED])
    other = street.train(street.train(street.start(), boards[:1], "self"), boards[1:], "best")
    return run.regrets, run.averages, *state[:3], *other[:2], street.exploitability(other, boards)


@case
def responses():
    policy, board = RandomPolicy(PUSH, 5, n_rows=3), BOARD[:4]
    responder = best_response.Responder(PUSH, policy, np.zeros((169, 169)))
    reach = responder._start(board[:3])
    value, leaks = np.zeros((1, *reach.shape), np.float32), np.zeros((1, len(PUSH.kind), 169))
    rivers = np.array([BOARD]), np.array([[0, 3, -1, -1]]), policy.rows[3:]
    responder._rivers.add(rivers, policy.tables[3], reach, value, leaks)
    responder._ascend(2, board, reach, value, leaks)
    return value, leaks


@case
def play():
    policies = [RandomPolicy(PUSH, seed, n_rows=3) for seed in (5, 6)]
    menu, other = (menu_from([[size], []], [[]], [[]], [[]]) for size in (1, 2))
    own, few = match_tree.build_tree(menu), np.arange(1326) % 40 == 0
    placed = match_tree.TranslatedPolicy(
        match_tree.build_tree(menu, big_blind_menu=other), own, RandomPolicy(own, 1, n_rows=3), 0
    )
    won = match.Table(PUSH, policies).play(BOARD), action_costs(PUSH, grouped(), [BOARD])
    return won, placed.street(1, BOARD[:3], few)[0]


@pytest.fixture(scope="module")
def plain(tmp_path_factory):
    """What all cases compute without the compiler."""
    path, here = tmp_path_factory.mktemp("plain") / "found.npz", os.pathsep.join(sys.path)
    environment = os.environ | {"NUMBA_DISABLE_JIT": "1", "PYTHONPATH": f"{Path(__file__).parent}{os.pathsep}{here}"}
    subprocess.run([sys.executable, "-c", PLAIN, str(path)], env=environment, check=True)
    return np.load(path)


@pytest.mark.parametrize("name", CASES)
def test_plain_python_and_any_number_of_threads_compute_what_compiled_code_does(plain, name):
    compiled = flat(CASES[name]())
    with threads(1):
        assert [a.tobytes() for a in flat(CASES[name]())] == [a.tobytes() for a in compiled]
    for k, expected in enumerate(compiled):
        largest = np.abs(expected).max(initial=0) if expected.dtype.kind == "f" else 0
        np.testing.assert_allclose(plain[f"{name} {k}"], expected, rtol=1e-4, atol=1e-5 * largest)


def test_a_royal_flush_always_wins(plain):
    """Its strength once ran over its number's 32 bits."""
    assert plain["cards 0"][0, hole_index(*parse_cards("As3d"))] == 1980
