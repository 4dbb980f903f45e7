"""Kernels are right without the compiler, too: plain Python computes on small cases what compiled code does.

The cases run in a process of their own with NUMBA_DISABLE_JIT=1. Compiled code leaves the same bytes on any number of threads.
"""

import os
import subprocess
import sys
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from games import BOARD, FEW_GROUPS, PUSH, RandomPolicy, equity_levels, random_models, random_table, threads
from plain_tables import ROWS, fake_tables
from random_trees import random_tree

from faceup.bayes import deals as hands
from faceup.bayes import enumeration, types
from faceup.cards import equity, matchups
from faceup.cards.cards import _canonical, canonical_boards, hole_index, parse_cards
from faceup.cards.strength import strength
from faceup.discard import allin, deals, equities, matches, outs, selfplay, swaps
from faceup.discard import groups as discard_groups
from faceup.discard.tree import build_swap_tree
from faceup.games import cfr, sequence_form
from faceup.games.extensive_game import uniform
from faceup.holdem import best_response, infosets, match, match_tree, safe
from faceup.holdem.local_response import Showdowns
from faceup.holdem.policy import ModelPolicy, likely_rows
from faceup.holdem.rows import action_costs
from faceup.holdem.rules import menu_from
from faceup.holdem.selfplay import Discount, SelfPlay
from faceup.lab.parallel import ALONE
from faceup.lab.rng import rng
from faceup.leduc import readable, training
from faceup.leduc.game import KUHN, RLCARD, build
from faceup.onecard import rule_lists, solutions
from faceup.onecard import trees as onecard_trees
from faceup.onecard.game import random_games
from faceup.trees import oct, prune

STREAM = partial(rng, 1, "test")
TABLE = random_table(PUSH, 4)
ROYAL, MIXED = (np.array(parse_cards(text)) for text in ("TsJsQsKs2d", "2c7d8hKsAc"))
PLAIN = """
import functools, importlib, pathlib, sys, numba
made, ran = set(), set()

def noting(*function, **_):
    def wrapped(f):
        name = f"{f.__module__}.{f.__name__}"
        made.add(name)
        return functools.wraps(f)(lambda *arguments: (ran.add(name), f(*arguments))[1])
    return wrapped(*function) if function else wrapped

numba.njit = noting
import faceup, numpy as np
sources = pathlib.Path(faceup.__file__).parent
for path in sources.rglob("*.py"):
    if "@njit" in path.read_text():
        importlib.import_module(".".join(path.with_suffix("").relative_to(sources.parent).parts))
from test_without_compiler import CASES, flat
found = {f"{name} {k}": array for name, case in CASES.items() for k, array in enumerate(flat(case()))}
np.savez(sys.argv[1], missed=sorted(made - ran), **found)
"""
MISSED = ["faceup.discard.selfplay._epoch"]  # 5,000 deals take plain Python too long; `_deal` and `_walk` do its work


def flat(found) -> list[np.ndarray]:
    """All arrays in tuples and lists of them."""
    return [a for part in found for a in flat(part)] if isinstance(found, tuple | list) else [np.asarray(found)]


def zeros(dtype, *shapes):
    return [np.zeros(shape, dtype=dtype) for shape in shapes]


def keys_of(boards) -> np.ndarray:
    return np.unique([_canonical(np.array(board), len(board))[0] for board in boards])


def later(cards: np.ndarray, n_more: int, dtype) -> tuple[np.ndarray, np.ndarray]:
    """Keys of all boards with so many more cards, and random rows that are no equities, one for each."""
    boards = [[*cards, a] if n_more == 1 else [*cards, a, b] for a in range(52) for b in range(a if n_more == 2 else 1)]
    keys = keys_of(board for board in boards if len({*board}) == len(board))
    return keys, np.random.default_rng(1).integers(0, 1981, (len(keys), 1326)).astype(dtype)


def cards():
    boards, weights = np.array([ROYAL, MIXED]), np.array([4, 24])
    (found,) = zeros(np.uint16, (2, 1326))
    equity._river_table(ALONE, boards, found)
    turn = MIXED[None, :4].astype(np.uint8)
    of_turn, of_flop, of_turns = zeros(np.uint32, (1, 1326), (1, 1326), (1, 1326, 10))
    deciles, of_rivers = zeros(np.uint16, (1, 1326, 10), (1, 1326, 10))
    equity._turn_table(ALONE, turn, *later(turn[0], 1, np.uint16), of_turn, deciles)
    known = *later(turn[0, :3], 1, np.uint32), *later(turn[0, :3], 2, np.uint16)
    equity._flop_table(ALONE, turn[:, :3], *known, of_flop, of_turns, of_rivers)
    made = strength(parse_cards("TsJsQsKsAs2d3d")), matchups.class_wins(boards, weights)
    return found, of_turn, deciles, of_flop, of_turns, of_rivers, made


def trees():
    tree, X = random_tree(5, 6), np.random.default_rng(1).normal(size=(40, 4)).astype(np.float32)
    ordered = prune.isotonic(tree, X, column=1, most=np.full(40, 9.0), label=2, other=0)
    P, costs = np.random.default_rng(3).dirichlet(np.ones(3), 40), np.random.default_rng(4).random((40, 3))
    settings = {"max_depth": 4, "min_rows": 3, "regrowths": 3, "stream": STREAM}
    optimal = [tuple(oct.fit_oct(X, P, np.ones(40), costs=of_labels, **settings)) for of_labels in (None, costs)]
    return tree.predict(X), ordered.value, optimal


def small_games():
    kuhn, found = build(KUHN), []
    for variant in cfr.VARIANTS.values():
        run = cfr.Cfr(kuhn.form, variant)
        run.advance(5)
        found += [run.average(), run.tables.regrets]
    found += [sequence_form.best_response(kuhn.form, uniform(kuhn.game), 0)]
    game = (played := build(RLCARD)).game
    even, n, n_infosets = uniform(game), len(game.labels), len(game.owner)
    learner = training.QLearner(played, even, training.LearningSetting(0.1, 0.9, 0.3), rng(1, "test"))
    run = training.SampledCfr(played, training.rlcard_keys(played), 1.0, rng(2, "test"))
    learner.advance(50)
    run.advance(5)
    table, strategy, cells = np.full((2, 3), 1 / 3), even.copy(), np.array([0, n_infosets // 2, n_infosets])
    asked, scratch = (cells, np.arange(n_infosets), readable.answer_of_action(game)), zeros(float, n + 2, n + 2, n)
    lost = readable._descend(played.form, *asked, readable.chance_grid(1), np.arange(2), table, 0.1, strategy, *scratch)
    found += [learner.q, run.strategy(), training.play_games(played, run.strategy(), even, 20, STREAM()), lost, table, strategy]
    own, other = random_games(2, np.random.default_rng(1))
    kinds = (rule_lists.STRONG, 0.9), (rule_lists.WEAK, 0.05), (rule_lists.BALANCE, 0.6)
    lines = [rule_lists.RuleLine(*kind, 20) for kind in kinds]
    solved, kind = solutions.solve_games(own, other), onecard_trees.REPRESENTATIONS[4]
    judged = onecard_trees.measure(kind, onecard_trees.grow([kind], solved, 2, STREAM)[0], solved, [1, 2])
    found += [judged, rule_lists.losses(lines, solved)]
    return found, list(solved), rule_lists.play(lines, own, other)


def discard():
    turn_board = MIXED[None, :4]
    turn, flop = swaps.swap_sums(turn_board, step=24), swaps.swap_sums(MIXED[None, :3], step=600)
    (keys, rows), (of_flop,) = later(MIXED[:3], 1, np.int32), zeros(np.int64, (1, 1326, 2))
    swaps._sum_turns(ALONE, MIXED[None, :3], keys, rows[:, :, None], np.array([[0, 0], [0, 0]]), of_flop)
    sums, centres = discard_groups.range_sums(turn_board, 24), np.random.default_rng(1).random((3, 8))
    nearest = discard_groups.nearest_groups(discard_groups.StreetSums(turn_board, sums, 44 * 2 / 48), centres)
    return turn, flop, outs.rule_choices(turn_board, swaps.equities(turn)), of_flop, sums, nearest


def discard_play():
    tree, tables, rng = build_swap_tree(([[1.0]], [], [], [[0.66]])), fake_tables(), np.random.default_rng(1)
    layout, seen = selfplay.strategy_layout(tree, ROWS, False), deals._make_seen(2)
    scratch = selfplay._make_scratch(len(tree.kind))
    size, pair = int(layout.base[-1]), selfplay.both(layout, layout, 0)
    learnt, won = (rng.normal(size=size), np.zeros(size)), []
    for number, learner in enumerate((selfplay.BOTH, 0, 1)):
        selfplay._deal(1, number, deals.OWN, deals.OWN if number else deals.RULE, tables, seen, scratch.state)
        won.append(selfplay._walk(tree, pair, *learnt, seen, learner, 2.0, scratch))
    players = selfplay.Strategy(layout, rng.random(size), deals.BEST), matches.random_player(tree, ROWS)
    sums, weights = zeros(float, (2, 169, 3), (2, 169))
    equities._simulate(ALONE, tables, 1, 3, sums, weights)
    scores, met = zeros(np.int64, (1, 169, 169), (1, 169, 169))
    allin._meet_all(ALONE, tables, deals.BEST, 1, 3, np.array([[1, 0, 50, 51]]), scores, met)
    return won, learnt, matches.deal_values(tree, tables, *players, 2, STREAM), sums, weights, scores, met


def bayes():
    bins, rng, turns = 4, np.random.default_rng(1), [np.delete(MIXED, x) for x in range(5)]
    dealt = rng.random((3, 52)).argsort(axis=1)[:, :9].copy()
    columns, (boards, strengths) = np.arange(24).reshape(4, 3, 2), zeros(np.int64, (4, 3), (3, 2))
    hands._look_up(ALONE, dealt, tuple(canonical_boards(n).keys for n in (3, 4, 5)), boards, columns, strengths)
    keys = keys_of(np.delete(turn, y) for turn in turns for y in range(4)), keys_of(turns)
    tables = [array for k in keys for array in (k, rng.integers(0, bins, (len(k), 1326)).astype(np.uint8))]
    wins, pairs = zeros(np.int64, (1, 4, bins, 8), (1, 4, bins, 8))
    preflop = rng.integers(0, bins, 1326).astype(np.uint8)
    enumeration._count(ALONE, MIXED[None], np.array([24]), preflop, *tables, bins, wins, pairs)
    picks, ends = rng.integers(0, 8, (3, 20)), rng.integers(0, 3, (4, 8, 8, 3))
    sums, squares = zeros(np.int64, (2, 3, 3), (2, 3, 3))
    types._play(ALONE, rng.integers(0, 20, (5, 2, 4)).astype(np.uint8), np.array([1, -1, 0, 1, 1]), picks, ends, sums, squares)
    return columns, boards, strengths, wins, pairs, sums, squares


def learning():
    run = SelfPlay(PUSH, FEW_GROUPS, Discount(1.5, 0, 2, 2), STREAM)
    run.advance(2)
    levels = infosets.HandGroups(PUSH, TABLE, FEW_GROUPS.turn, 9)
    safer = safe.SafeGame(levels, np.zeros((169, 169)), levels)
    state = safer.train(safer.start(1), MIXED[None], safe.Mixed(0.5, TABLE))
    street, boards = safe.SafeGame(equity_levels(7), np.zeros((169, 169))), np.array([ROYAL, MIXED])
    other = street.train(street.train(street.start(), boards[:1], "self"), boards[1:], "best")
    return run.regrets, run.averages, *state[:3], *other[:2]


def responses():
    policy, board = RandomPolicy(PUSH, 5, n_rows=3), BOARD[:4]
    responder = best_response.Responder(PUSH, policy, np.zeros((169, 169)))
    reach = responder._start(board[:3])
    value, leaks = np.zeros((1, *reach.shape), np.float32), np.zeros((1, len(PUSH.kind), 169))
    rivers = np.array([BOARD]), np.array([[0, 3, -1, -1]]), policy.rows[3:]
    responder._rivers.add(rivers, policy.tables[3], reach, value, leaks)
    responder._ascend(2, board, reach, value, leaks)
    return value, leaks


def play():
    policies = [RandomPolicy(PUSH, seed, n_rows=3) for seed in (5, 6)]
    menu, other = (menu_from([[size], []], [[]], [[]], [[]]) for size in (1, 2))
    own, few = match_tree.build_tree(menu), np.arange(1326) % 40 == 0
    both = match_tree.build_tree(menu, big_blind_menu=other)
    placed = match_tree.TranslatedPolicy(both, own, RandomPolicy(own, 1, n_rows=3), 0)
    won = match.Table(PUSH, policies).play(BOARD), action_costs(PUSH, TABLE, [BOARD])
    model = ModelPolicy(PUSH, random_models(PUSH.labels, 3), ()).rows_of(3, np.linspace(0, 1, 5, dtype=np.float32)[:, None])
    showdowns = Showdowns(BOARD, np.zeros((169, 169)), np.flatnonzero(few))
    edges = showdowns.edges(2, np.random.default_rng(0).random((1, 1326)))
    return won, placed.street(1, BOARD[:3], few)[0], model, likely_rows(PUSH, 3, model, 1), edges


# what kernels compute: functions that return arrays and numbers
CASES = {f.__name__: f for f in (cards, trees, small_games, discard, discard_play, bayes, learning, responses, play)}


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


def test_a_royal_flush_always_wins_and_every_kernel_is_tried(plain):
    """Its strength once ran over its number's 32 bits."""
    assert plain["cards 0"][0, hole_index(*parse_cards("As3d"))] == 1980
    assert plain["missed"].tolist() == MISSED
