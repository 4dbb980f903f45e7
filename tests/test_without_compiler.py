"""Kernels are right without the compiler, too: plain Python computes on small cases what compiled code does.

The cases run in a process of their own with NUMBA_DISABLE_JIT=1, which notes the kernels that it comes to.
"""

import os
import subprocess
import sys
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from games import BOARD, PUSH, RandomPolicy
from plain_tables import ROWS, fake_tables
from random_trees import random_tree

from faceup.bayes.deals import _locate, _strengths
from faceup.bayes.enumeration import _count
from faceup.cards.cards import CLASS_OF_HOLE, _canonical, canonical_boards, hole_index, parse_cards
from faceup.cards.equity import _class_histograms, _river_table
from faceup.cards.futures import _flop_table, _turn_table
from faceup.cards.matchups import class_wins
from faceup.cards.strength import strength
from faceup.discard import groups as ranges
from faceup.discard.deals import BEST, OWN, RULE, _make_seen
from faceup.discard.equities import _simulate
from faceup.discard.matches import play_deals, random_player
from faceup.discard.outs import rule_choices
from faceup.discard.selfplay import CHANCE, EXTERNAL, RESPOND, Strategy, _deal, _make_scratch, _walk, both, make_layout
from faceup.discard.swaps import _sum_turns, equities, swap_sums
from faceup.discard.tree import build_tree as discard_tree
from faceup.games.cfr import VARIANTS, Cfr
from faceup.games.extensive_game import uniform
from faceup.games.sequence_form import best_response, exploitability, make_form
from faceup.holdem.betting.betting_tree import menu_from
from faceup.holdem.learn.action_costs import action_costs
from faceup.holdem.play.branches import _add
from faceup.holdem.play.match import Table
from faceup.holdem.play.match_tree import TranslatedPolicy, make_sides
from faceup.holdem.play.purified import likely_rows
from faceup.holdem.safe.game import SafeGame
from faceup.holdem.safe.learners import Levels
from faceup.holdem.safe.one_street import Street, street_tree
from faceup.holdem.solve import local_best_response
from faceup.holdem.solve.best_response import Responder
from faceup.holdem.solve.groups import N_RIVER_GROUPS, Groups, assign
from faceup.holdem.solve.policy import TablePolicy
from faceup.holdem.solve.selfplay import Discount, SelfPlay
from faceup.lab.parallel import ALONE
from faceup.lab.rng import rng
from faceup.leduc.game import KUHN, RLCARD, build
from faceup.leduc.readable import _descend, answer_of_action, chance_grid
from faceup.leduc.training import LearningSetting, QLearner, SampledCfr, play_games, rlcard_keys
from faceup.onecard.rule_lists import BALANCE, STRONG, WEAK, Line, play
from faceup.onecard.solutions import random_games, solve_games
from faceup.trees.decision_tree import predict
from faceup.trees.monotone import rising
from faceup.trees.oct import fit_oct

STREAM = partial(rng, 1, "test")
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
CASES: dict[str, Callable[[], Any]] = {}


def case(function: Callable[[], Any]) -> Callable[[], Any]:
    """A function that returns arrays and numbers which kernels compute."""
    CASES[function.__name__] = function
    return function


def flat(found: Any) -> list[np.ndarray]:
    """All arrays in tuples and lists of them."""
    return [a for part in found for a in flat(part)] if isinstance(found, tuple | list) else [np.asarray(found)]


# --- cards --------------------------------------------------------------------------------------------------


@case
def river():
    equity, counts = np.zeros((2, 1326), dtype=np.uint16), np.zeros((169, 1981), dtype=np.int32)
    boards = np.array([ROYAL, MIXED])
    _river_table(ALONE, boards, equity)
    _class_histograms(boards.astype(np.uint8), np.array([4, 24]), equity, CLASS_OF_HOLE, counts)
    return equity, counts, strength(parse_cards("TsJsQsKsAs2d3d")), class_wins(boards, np.array([4, 24]))


def later(cards: np.ndarray, n_more: int) -> tuple[np.ndarray, np.ndarray]:
    """Keys of all boards with so many more cards, and random rows that are no equities, one for each."""
    boards = [[*cards, a] if n_more == 1 else [*cards, a, b] for a in range(52) for b in range(a if n_more == 2 else 1)]
    keys = np.unique([_canonical(np.array(b), len(b))[0] for b in boards if len({*b}) == len(b)])
    return keys, np.random.default_rng(1).integers(0, 1981, (len(keys), 1326))


@case
def turn_and_flop():
    turn, (keys, rows) = MIXED[:4].astype(np.uint8), later(MIXED[:4], 1)
    equity, deciles = np.zeros((1, 1326), dtype=np.uint32), np.zeros((1, 1326, 10), dtype=np.uint16)
    _turn_table(ALONE, turn[None], keys, rows.astype(np.uint16), equity, deciles)
    flop, (turn_keys, turns), (river_keys, rivers) = turn[:3], later(MIXED[:3], 1), later(MIXED[:3], 2)
    of_flop = np.zeros_like(equity), np.zeros((1, 1326, 10), dtype=np.uint32), np.zeros_like(deciles)
    _flop_table(ALONE, flop[None], turn_keys, turns.astype(np.uint32), river_keys, rivers.astype(np.uint16), *of_flop)
    return equity, deciles, of_flop


# --- trees --------------------------------------------------------------------------------------------------


@case
def decision_trees():
    tree, X = random_tree(5, 6), np.random.default_rng(1).normal(size=(40, 4)).astype(np.float32)
    return predict(tree, X), rising(tree, X, column=1, most=np.full(40, 9.0), label=2, other=0).value


@case
def optimal_trees():
    rng = np.random.default_rng(3)
    X, P, costs = rng.random((90, 3)).astype(np.float32), rng.dirichlet(np.ones(3), 90), rng.random((90, 3))
    settings = {"max_depth": 4, "min_rows": 3, "stream": STREAM, "regrowths": 3, "sweeps": 2, "cp": 0.01}
    return [tuple(fit_oct(X, P, np.ones(90), costs=of_labels, **settings)) for of_labels in (None, costs)]


# --- games, leduc, onecard ----------------------------------------------------------------------------------


@case
def cfr():
    game, found = build(KUHN).game, []
    for variant in VARIANTS.values():
        run = Cfr(game, variant)
        run.advance(5)
        found += [run.average(), run.tables.regrets]
    return found, best_response(game, uniform(game), 0), exploitability(game, uniform(game))


@case
def leduc():
    leduc = build(RLCARD)
    even, form, n = uniform(leduc.game), make_form(leduc.game), len(leduc.game.labels)
    learner = QLearner(leduc, even, LearningSetting(0.1, 0.9, 0.3), rng(1, "test"))
    run = SampledCfr(leduc, rlcard_keys(leduc), 1.0, rng(2, "test"))
    learner.advance(50)
    run.advance(5)
    n_infosets, grid = len(leduc.game.owner), chance_grid(1)
    table, strategy = np.full((2, 3), 1 / 3), even.copy()
    cells = np.arange(n_infosets), np.array([0, n_infosets // 2, n_infosets])
    scratch = np.zeros(n + 2), np.zeros(n + 2), np.zeros(n)
    answer = answer_of_action(leduc.game)
    lost = _descend(form, cells[1], cells[0], answer, grid, np.arange(2), table, strategy, *scratch)
    return learner.q, run.strategy(), play_games(leduc, run.strategy(), even, 20, rng(3, "test")), lost, table, strategy


@case
def one_card_game():
    own, other = random_games(2, np.random.default_rng(1))
    found = solve_games(own, other)
    lines = [Line(STRONG, 0.9, 20), Line(WEAK, 0.05, 20), Line(BALANCE, 0.6)]
    return list(found), play(lines, own, other)


# --- discard, bayes -----------------------------------------------------------------------------------------


@case
def swaps():
    weights = np.random.default_rng(1).integers(0, 40, (1, 1326))
    turn, flop = swap_sums(MIXED[None, :4], weights, step=24), swap_sums(MIXED[None, :3], step=600)
    keys, rows = later(MIXED[:3], 1)
    of_flop = np.zeros((1, 1326, 2), dtype=np.int64)
    _sum_turns(ALONE, MIXED[None, :3], keys, rows[:, :, None].astype(np.int32), np.array([[0, 0], [0, 0]]), of_flop)
    return turn, flop, rule_choices(MIXED[None, :4], equities(turn)), of_flop


@case
def hands_against_ranges():
    sums, points = np.zeros((1, 1326, 8), dtype=np.uint16), np.zeros((1326, 8), dtype=np.float32)
    ranges._turn_sums(ALONE, MIXED[None, :4], 24, sums)
    ranges._points(ROYAL, sums[0].astype(np.int32), 1.0, points)
    centres, groups = np.random.default_rng(1).random((3, 8)).astype(np.float32), np.zeros((1, 1326), dtype=np.uint8)
    ranges._assign(ALONE, MIXED[None, :4], sums, 44 * 2 / 48, centres, groups)
    return sums, points, groups


@case
def discard_play():
    tree, tables, rng = discard_tree(([[1.0]], [], [], [[0.66]])), fake_tables(), np.random.default_rng(1)
    layout = make_layout(tree, ROWS, False)
    size, pair, seen, scratch = int(layout.base[-1]), both(layout, layout, 0), _make_seen(2), _make_scratch(len(tree.kind))
    tables_of, won = (rng.normal(size=size), np.zeros(size)), []
    for number, (way, traverser) in enumerate(((CHANCE, -1), (EXTERNAL, 0), (EXTERNAL, 1), (RESPOND, 0))):
        _deal(1, number, OWN, RULE if way == CHANCE else OWN, tables, seen, scratch.state)
        won.append(_walk(tree, pair, *tables_of, seen, way, traverser, 2.0, scratch))
    players = Strategy(layout, rng.random(size), BEST), random_player(tree, ROWS)
    sums, weights = np.zeros((2, 169, 3)), np.zeros((2, 169))
    _simulate(ALONE, tables, 1, 3, sums, weights)
    return won, tables_of, play_deals(tree, tables, *players, 2, STREAM), sums, weights


@case
def dealt_hands():
    cards = np.random.default_rng(1).random((3, 52)).argsort(axis=1)[:, :9].copy()
    columns, boards, strengths = np.arange(6).reshape(3, 2), np.zeros(3, dtype=np.int64), np.zeros((3, 2), dtype=np.int64)
    _locate(ALONE, cards, 3, canonical_boards(3).keys, columns, boards)
    _strengths(ALONE, cards, strengths)
    return columns, boards, strengths


@case
def joint_odds():
    bins, rng = 4, np.random.default_rng(1)
    tables = [(keys, rng.integers(0, bins, (len(keys), 1326)).astype(np.uint8)) for keys in _keys_before(MIXED)]
    wins, pairs = np.zeros((2, 1, 4, bins, 8), dtype=np.int64)
    preflop = rng.integers(0, bins, 1326).astype(np.uint8)
    _count(ALONE, MIXED[None], np.array([24]), preflop, *tables[0], *tables[1], bins, wins, pairs)
    return wins, pairs


def _keys_before(board: np.ndarray) -> list[np.ndarray]:
    """Keys of the flops and of the turn boards that a river board may have come from."""
    turns = [np.delete(board, x) for x in range(5)]
    flops = [np.delete(turn, y) for turn in turns for y in range(4)]
    return [np.unique([_canonical(b, len(b))[0] for b in boards]) for boards in (flops, turns)]


# --- hold'em ------------------------------------------------------------------------------------------------


@cache
def grouped() -> TablePolicy:
    """A random table of few groups."""
    rng = np.random.default_rng(4)
    ids = [rng.integers(0, 12, (len(canonical_boards(n).keys), 1326)).astype(np.int32) for n in (3, 4)]
    groups = Groups(*ids, (169, 12, 12, N_RIVER_GROUPS))
    tables = RandomPolicy(PUSH, 3).tables
    return TablePolicy(tuple(np.resize(t, (n, t.shape[1])) for n, t in zip(groups.n_groups, tables, strict=True)), groups)


@case
def self_play():
    run = SelfPlay(PUSH, grouped().groups, Discount(1.5, 0, 2, 2), STREAM)
    run.advance(2)
    return run.state.regrets, run.state.averages


@case
def safe_play():
    run = SafeGame(PUSH, *[Levels(PUSH, grouped(), grouped().groups.turn, 9)] * 2, np.zeros((169, 169)), 1, 0, 1.0, 5, 0.5)
    state = run.advance(run.new_state(), 1)
    street, boards = Street(street_tree(3), 7), np.array([ROYAL, MIXED])
    street.self_play(boards[:1])
    street.cfr_br(boards[1:])
    return *state[:3], street.regrets, street.averages, street.leak(boards)


@case
def best_responses():
    policy, board = RandomPolicy(PUSH, 5, n_rows=3), BOARD[:4]
    responder = Responder(PUSH, policy)
    reach = responder._start(board[:3])
    value, leaks = np.zeros_like(reach), np.zeros((len(PUSH.kind), 169))
    boards, images = np.array([BOARD]), np.full((1, 4), -1)
    images[0, :2] = 0, 3
    responder._rivers.add((boards, images, policy.rows[3:]), policy.tables[3], reach, value, leaks)
    responder._ascend(2, board, reach, value, leaks)
    return value, leaks


@case
def local_best_responses():
    strengths = local_best_response._strengths(MIXED[None])
    total, edges = np.zeros((1326, 70), dtype=np.int16), np.zeros((2, 1326))
    few = [np.ascontiguousarray(s[:, 600:670]) for s in strengths]
    local_best_response._pair_edges(ALONE, *few, total[:70])
    order = local_best_response.board_order(MIXED)
    local_best_response._river_edges(order.holes, order.class_start, np.random.default_rng(1).random((2, 1326)), edges)
    return strengths, total, edges


@case
def matches():
    policies = [RandomPolicy(PUSH, seed, n_rows=3) for seed in (5, 6)]
    sides = make_sides(menu_from([[1], []], [[]], [[]], [[]]), menu_from([[2], []], [[]], [[]], [[]]))
    placed = TranslatedPolicy(sides.trees[0], sides.own[0], RandomPolicy(sides.own[0], 1, n_rows=3), 0)
    rows = likely_rows(PUSH, 3, policies[0].tables[3], 0.4)
    return Table(PUSH, policies).play(BOARD), placed.street(1, BOARD[:3])[0], rows


@case
def learning():
    rng, sums = np.random.default_rng(1), np.zeros((5, 3))
    _add(rng.integers(0, 5, 20), rng.random((3, 20)), sums)
    nearest = assign(rng.integers(0, 99, (30, 4)), rng.integers(0, 99, (3, 4)))
    return sums, nearest, action_costs(PUSH, grouped(), [BOARD])


# ------------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def plain(tmp_path_factory):
    """What all cases compute without the compiler, and the kernels that none of them comes to."""
    path, here = tmp_path_factory.mktemp("plain") / "found.npz", os.pathsep.join(sys.path)
    environment = os.environ | {"NUMBA_DISABLE_JIT": "1", "PYTHONPATH": f"{Path(__file__).parent}{os.pathsep}{here}"}
    subprocess.run([sys.executable, "-c", PLAIN, str(path)], env=environment, check=True)
    return np.load(path)


@pytest.mark.parametrize("name", CASES)
def test_plain_python_computes_what_compiled_code_does(plain, name):
    compiled = flat(CASES[name]())
    for k, expected in enumerate(compiled):
        largest = np.abs(expected).max(initial=0) if expected.dtype.kind == "f" else 0
        np.testing.assert_allclose(plain[f"{name} {k}"], expected, rtol=1e-4, atol=1e-5 * largest)


def test_a_royal_flush_always_wins(plain):
    """Its strength once ran over its number's 32 bits."""
    assert plain["river 0"][0, hole_index(*parse_cards("As3d"))] == 1980


def test_every_kernel_is_tried(plain):
    assert plain["missed"].tolist() == MISSED
