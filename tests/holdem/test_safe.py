"""Training against best responses: the best responder of matches, which has kernels of its own, and the reference, as oracles."""

import numba
import numpy as np
import pytest
from games import FEW_GROUPS, SMALL, node_reach, node_values, random_models, random_table, threads

from faceup.cards.cards import fixing_permutations
from faceup.cards.matchups import RUNOUTS_FLOP, RUNOUTS_PREFLOP, flop_wins
from faceup.holdem.best_response import Responder, fold_values
from faceup.holdem.board import N_PAIRS
from faceup.holdem.groups import river_equities
from faceup.holdem.infosets import HandGroups, TreeLeaves, strategy_rows
from faceup.holdem.lines import line_words
from faceup.holdem.match import random_boards
from faceup.holdem.policy import ModelPolicy, Policy, free_holes, street_reach
from faceup.holdem.rules import DECISION, FOLD_END, SHOWDOWN
from faceup.holdem.safe import N_TURN_PAIRS, Mixed, SafeGame, equity_levels, river_tree
from faceup.holdem.tree import children, columns, decisions
from faceup.lab.rng import rng

DEALS = np.array([rng(5, "test", k).permutation(52) for k in range(10)])
TURN, RIVERS = DEALS[0, :4].tolist(), DEALS[0, 4:6].tolist()  # what most runs deal first

RAINBOW = np.array([[0, 17, 34, 51]])  # four suits: no permutation of them leaves it as it is
RNG = np.random.default_rng(4)
EVEN = np.zeros((169, 169))  # all-ins before the flop are worth nothing
TABLE = random_table(SMALL, 3)
LEVELS = HandGroups(SMALL, TABLE, FEW_GROUPS.turn % 15, 9)
RUN, RIVER_ALONE = SafeGame(LEVELS, EVEN, 0, LEVELS), SafeGame(LEVELS, EVEN, 3)


def leaves_run(tables, first: int = 0) -> SafeGame:
    """A run that solves random trees; it begins with the answers that they have."""
    return SafeGame(TreeLeaves(ModelPolicy(SMALL, random_models(SMALL.labels, 9), tables)), EVEN, first, LEVELS)


def random_state(run: SafeGame):
    """Random weights, some of them negative."""
    state = run.start()
    for weights in (*state.regrets, *state.averages, *state.responder):
        weights[:] = RNG.normal(size=weights.shape)
    return state


def responded(policy: Policy) -> float:
    """What best responders win on one turn board who deviate from the turn on, mean of seats, mbb/g."""
    responder, board = Responder(SMALL, policy, EVEN), RAINBOW[0].tolist()
    reach = np.zeros((2, int(SMALL.street_start[3]), 1326), dtype=np.float32)
    reach[:, 0] = free_holes(board)
    for street in range(2):
        street_reach(SMALL, street, policy.street(street, board[: 3 * street]), reach)
    fixed = fixing_permutations(board[:3], np.arange(24))
    value = responder._turn(board[:3], board[3], fixed, reach)[0][0]
    nodes = decisions(SMALL, 2)
    begins = nodes[SMALL.street[SMALL.parent[nodes]] < 2]
    return 10 * float((value[:, begins] * reach[:, begins]).sum(axis=(1, 2)).mean()) / N_TURN_PAIRS


def test_exploitability_of_levels_which_begin_as_the_table_plays_before_the_turn():
    state = random_state(RUN)
    assert RUN.exploitability(state, RAINBOW)[0] == pytest.approx(responded(LEVELS.policy(state.averages)), rel=1e-3)
    for found, wanted in zip(LEVELS.policy(RUN.start().averages).tables[:2], TABLE.tables, strict=False):
        np.testing.assert_allclose(found, wanted, rtol=1e-5)


def test_exploitability_of_leaves(tables):
    """With the answers that the trees have, with which a run begins, and after learning, from the turn on."""
    run = leaves_run(tables, first=2)
    state, trunk = run.start(), run.learner.trunk
    for found, wanted in zip(run.learner.solved(state.averages), trunk.models, strict=True):
        np.testing.assert_allclose(found.value, wanted.value, rtol=1e-5)
    assert run.exploitability(state, RAINBOW)[0] == pytest.approx(responded(trunk), rel=1e-3)
    after = run.train(state, DEALS[:2, :6], "best")
    assert run.exploitability(after, RAINBOW)[0] == pytest.approx(responded(run.learner.policy(after.averages)), rel=1e-3)
    same = [(a == b).all() for a, b in zip(state.averages, after.averages, strict=True)]
    assert same == [True, True, False, False]


def values_before_the_river(policies, player, best=()) -> np.ndarray:
    """A player's values (n_nodes, 1326) by the oracle on two rivers; decisions before the river are yet to be filled in."""
    value, before = np.zeros((len(SMALL.kind), 1326)), int(SMALL.street_start[3])
    for river in RIVERS:
        left, found = node_values(SMALL, policies, [*TURN, river], best)
        value[:, left] += 48 / 2 / 44 * found[player]
    reach, holes = np.zeros((2, before, 1326), dtype=np.float32), np.flatnonzero(free_holes(TURN))
    reach[:, :, holes] = node_reach(SMALL, policies, DEALS[0, :5], holes)[:, :before]
    folds = np.flatnonzero((SMALL.kind == FOLD_END) & (SMALL.street < 3))
    value[folds] = fold_values(SMALL, folds, player, reach) * free_holes(TURN)
    value[(SMALL.kind == SHOWDOWN) & (SMALL.street == 0)] = 0
    return value


def add_regrets(regrets, weights, seen, player, value, street, counts=None) -> None:
    """Add a player's regrets on a street, of hands (n,) as they are seen; value (n_nodes, n) is filled on the way up.

    counts (n_nodes, n): what a hand's regret counts at a node, None: 1.
    """
    counts = np.ones(value.shape) if counts is None else counts
    rows = strategy_rows(SMALL, street, seen, weights)[seen.row]
    for node in decisions(SMALL, street)[::-1]:
        below = value[children(SMALL, node)]
        if SMALL.actor[node] != player:
            value[node] = below.sum(axis=0)
            continue
        value[node] = (rows[:, columns(SMALL, node)].T * below).sum(axis=0)
        own = seen.of[seen.row, seen.situation[node]]
        for c in children(SMALL, node):
            np.add.at(regrets[:, SMALL.label[c]], own, counts[node] * (value[c] - value[node]))


def assert_learnt(found, before, wanted, tolerance):
    """Weights after one iteration, which counts 1 / 100."""
    for new, old, added in zip(found, before, wanted, strict=True):
        np.testing.assert_allclose(new - old, 0.01 * added, rtol=tolerance, atol=tolerance * 1e-3 * np.abs(added).max() + 2e-6)


def test_regrets_of_the_best_response():
    """What one iteration adds to the best response's regrets before the turn, from where on it answers best: an oracle."""
    state = random_state(RUN)
    policy, wanted = LEVELS.policy(state.regrets), [np.zeros(weights.shape) for weights in state.responder]
    for player in range(2):
        value = values_before_the_river([policy, policy], player, best=player)
        for node in decisions(SMALL, 2)[::-1]:
            below = value[children(SMALL, node)]
            value[node] = below.max(axis=0) if SMALL.actor[node] == player else below.sum(axis=0)
        for s in (1, 0):
            add_regrets(wanted[s], state.responder[s], LEVELS.street(s, TURN[: 3 * s]), player, value, s)
    assert_learnt(RUN.train(state, DEALS[:1, :6], "best").responder, state.responder, wanted, 1e-3)


@pytest.mark.parametrize("by_reach", [False, True])
@pytest.mark.parametrize("opponent", ["self", Mixed(1e-7, TABLE)])
def test_regrets_against_who_plays_rows(opponent, by_reach):
    """What the learner adds to its regrets on all streets against itself, or who nearly always plays the table: an oracle."""
    run = SafeGame(LEVELS, EVEN, 0, LEVELS, by_reach)
    state, before = random_state(run), int(SMALL.street_start[3])
    policy, wanted = LEVELS.policy(state.regrets), [np.zeros(weights.shape) for weights in state.regrets]
    for player in range(2):
        both = [policy if p == player or opponent == "self" else TABLE for p in range(2)]
        for river in RIVERS:
            left, found = node_values(SMALL, both, [*TURN, river])
            seen = LEVELS.street(3, [])
            seen = seen._replace(row=seen.row[river_equities([*TURN, river])[left]])
            counts = node_reach(SMALL, both, [*TURN, river], left)[player] if by_reach else None
            add_regrets(wanted[3], state.regrets[3], seen, player, found[player], 3, counts)
        value, counts = values_before_the_river(both, player), np.zeros((before, 1326))
        holes = np.flatnonzero(free_holes(TURN))  # the others are worth nothing
        counts[:, holes] = node_reach(SMALL, both, DEALS[0, :5], holes)[player, :before] if by_reach else 1
        for s in (2, 1, 0):
            add_regrets(wanted[s], state.regrets[s], LEVELS.street(s, TURN[: (0, 3, 4)[s]]), player, value, s, counts)
    assert_learnt(run.train(state, DEALS[:1, :6], opponent).regrets, state.regrets, wanted, 2e-3)


def test_learning_on_one_flop_lowers_what_is_lost_there():
    """On all streets, all turns; with the flop's own all-ins before the flop."""
    flop, won = [0, 17, 34], []
    wins = flop_wins(flop) * (RUNOUTS_PREFLOP / RUNOUTS_FLOP * 22_100 / 17_296)
    run, rest = SafeGame(LEVELS, wins, 0, LEVELS), np.setdiff1d(np.arange(52), flop)
    deals = np.array([[*flop, *np.random.default_rng(k).permutation(rest)[:13]] for k in range(60)])
    before = run.start(warm_start=1)
    for state in (before, run.train(before, deals, "best")):
        responder = Responder(SMALL, LEVELS.policy(state.averages), EVEN)
        found = responder.flop(flop)[0]
        won.append(responder._preflop([found._replace(luck=0 * found.luck)] * 2, 0)[0].sum())
    assert won[1] < 0.7 * won[0]  # about a half, by how sums are rounded


@pytest.mark.parametrize("together", [1, 2])
def test_threads_and_pauses_change_no_bit(tables, together):
    """But for a pause between deals that are learnt from side by side."""
    found, run = [], leaves_run(tables)
    for n, parts in ((1, (slice(3),)), (2, (slice(3),)), (2, (slice(together), slice(together, 3)))):
        state = run.start(warm_start=1)
        with threads(min(n, numba.config.NUMBA_NUM_THREADS)):
            for part in parts:
                state = run.train(state, DEALS[part, :9], "best", together=together)
        found.append([weights.tobytes() for group in state[:3] for weights in group])
    assert found[0] == found[1] == found[2]


def test_what_the_river_alone_loses_is_the_oracles_and_learning_lowers_it():
    """Best responders deviate on the river only. On boards that it learns from, eight times over, below a table."""
    state, boards = random_state(RIVER_ALONE), DEALS[:, :5]
    before, played = RIVER_ALONE.exploitability(state, boards), LEVELS.policy(state.averages).tables[3]
    both = [TABLE._replace(tables=(*TABLE.tables[:3], played))] * 2
    roots = [node for node in decisions(SMALL, 3) if SMALL.street[SMALL.parent[node]] < 3]
    for board, found in zip(boards[:2].tolist(), before, strict=False):
        reach = node_reach(SMALL, both, board, np.flatnonzero(free_holes(board)))
        values = [node_values(SMALL, both, board, best=player)[1][player] for player in range(2)]
        lost = np.mean([(reach[p, roots] * values[p][roots]).sum() for p in range(2)]) / N_PAIRS
        assert found == pytest.approx(10 * lost, rel=1e-3)
    learnt = RIVER_ALONE.train(RIVER_ALONE.start(), np.tile(boards, (8, 1)), "best")
    assert RIVER_ALONE.exploitability(learnt, boards).mean() < before.mean() / 2


@pytest.mark.slow
@pytest.mark.parametrize(("n_levels", "most"), [(10, 210), (40, 110)])
def test_levels_made_safe(n_levels, most):
    """Four passes over 3,000 boards, judged on 200 unseen ones: CFR-BR stays below `most`, self-play loses over twice as much."""
    boards, unseen = random_boards(3000, np.random.default_rng(1)), random_boards(200, np.random.default_rng(2))
    game = SafeGame(equity_levels(n_levels), EVEN, 3)
    learnt = {way: game.train(game.start(), np.tile(boards, (4, 1)), way) for way in ("self", "best")}
    lost = {way: game.exploitability(state, unseen).mean() for way, state in learnt.items()}
    assert lost["best"] < min(most, lost["self"] / 2)


def test_no_line_of_the_river_has_three_raises():
    tree = river_tree()
    lines = [line_words(tree, node) for node in range(len(tree.kind))]
    assert (tree.kind == DECISION).sum() == 10
    assert all(sum(map(line.count, ("bet", "raise", "all-in"))) <= 2 for line in lines)
