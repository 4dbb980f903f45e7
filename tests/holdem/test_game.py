"""CFR-BR on a whole small tree, against the best responder of `solve`, which has kernels of its own, and a plain oracle."""

from functools import partial

import numba
import numpy as np
import pytest
from games import SMALL, RandomPolicy, node_reach, node_values, threads
from random_trees import random_tree

from faceup.cards.cards import fixing_permutations
from faceup.cards.matchups import RUNOUTS_FLOP, RUNOUTS_PREFLOP, flop_wins
from faceup.holdem.best_response import Responder, fold_values
from faceup.holdem.groups import N_RIVER_GROUPS, Groups, river_equities
from faceup.holdem.infosets import HandGroups, TreeLeaves, strategy_rows
from faceup.holdem.policy import ModelPolicy, Policy, TablePolicy, free_holes, street_reach
from faceup.holdem.rules import FOLD_END, SHOWDOWN
from faceup.holdem.safe import N_TURN_PAIRS, SafeGame, Settings, learn
from faceup.holdem.tree import children, columns, decisions
from faceup.lab.rng import rng

STREAM = partial(rng, 5, "test")

RAINBOW = np.array([[0, 17, 34, 51]])  # four suits: no permutation of them leaves it as it is
RNG = np.random.default_rng(4)
TURN_IDS = RNG.integers(0, 40, (16432, 1326)).astype(np.int32)
GROUPS = Groups(RNG.integers(0, 40, (1755, 1326)).astype(np.int32), TURN_IDS, (169, 40, 40, N_RIVER_GROUPS))
EVEN = np.zeros((169, 169))  # all-ins before the flop are worth nothing


def table() -> TablePolicy:
    tables = RandomPolicy(SMALL, 3).tables
    return TablePolicy(tuple(np.resize(t, (n, t.shape[1])) for n, t in zip(GROUPS.n_groups, tables, strict=True)), GROUPS)


LEVELS = HandGroups(SMALL, table(), TURN_IDS % 15, 9)


def levels_run(rivers: int = 48, known_share: float = 1.0) -> SafeGame:
    return SafeGame(SMALL, LEVELS, LEVELS, EVEN, Settings(rivers, 0, 1.0, known_share), STREAM)


def leaves_run(tables, rivers: int, first: int = 0) -> SafeGame:
    """A run that solves random trees; it begins with the answers that they have."""
    grown = [random_tree(seed, 9, n_features, len(SMALL.labels)) for seed, n_features in enumerate((35, 25, 15, 5))]
    models = tuple(model._replace(threshold=np.abs(model.threshold) / 2) for model in grown)
    return SafeGame(SMALL, TreeLeaves(SMALL, models, tables), LEVELS, EVEN, Settings(rivers, first, 1.0), STREAM)


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


def test_exploitability_of_levels():
    run = levels_run()
    state = run.new_state()
    for weights in state.averages:
        weights[:] = RNG.random(weights.shape)
    assert run.exploitability(state, RAINBOW)[0] == pytest.approx(responded(run.learner.policy(state.averages)), rel=1e-3)


def test_exploitability_of_leaves(tables):
    """With the answers that the trees have, with which a run begins, and after learning, from the turn on."""
    run = leaves_run(tables, rivers=2, first=2)
    state = run.new_state()
    models = run.learner.models
    for found, wanted in zip(run.learner.solved(state.averages), models, strict=True):
        np.testing.assert_allclose(found.value, wanted.value, rtol=1e-5)
    assert run.exploitability(state, RAINBOW)[0] == pytest.approx(responded(ModelPolicy(SMALL, models, tables)), rel=1e-3)
    before, state = [weights.copy() for weights in state.averages], run.advance(state, 2)
    assert run.exploitability(state, RAINBOW)[0] == pytest.approx(responded(run.learner.policy(state.averages)), rel=1e-3)
    assert [(a == b).all() for a, b in zip(before, state.averages, strict=True)] == [True, True, False, False]


@pytest.mark.parametrize("shown", [[], RAINBOW[0, :3].tolist()])
def test_levels_begin_before_the_turn_as_the_table_plays(shown):
    street = min(len(shown), 1)
    begun = LEVELS.policy(levels_run().new_state().averages)
    for found, wanted in zip(begun.street(street, shown), table().street(street, shown), strict=True):
        np.testing.assert_allclose(found, wanted, rtol=1e-5)


CARDS = STREAM(0).permutation(52)[:6].tolist()  # four of the turn, and two rivers: what runs deal first
TURN, RIVERS = CARDS[:4], CARDS[4:]


def values_before_the_river(policies, player, best=()) -> np.ndarray:
    """A player's values (n_nodes, 1326) by the oracle on two rivers; decisions before the river are yet to be filled in."""
    value, before = np.zeros((len(SMALL.kind), 1326)), int(SMALL.street_start[3])
    for river in RIVERS:
        left, found = node_values(SMALL, policies, [*TURN, river], best)
        value[:, left] += 48 / 2 / 44 * found[player]
    reach, holes = np.zeros((2, before, 1326), dtype=np.float32), np.flatnonzero(free_holes(TURN))
    reach[:, :, holes] = node_reach(SMALL, policies, CARDS[:5], holes)[:, :before]
    folds = np.flatnonzero((SMALL.kind == FOLD_END) & (SMALL.street < 3))
    value[folds] = fold_values(SMALL, folds, player, reach) * free_holes(TURN)
    value[(SMALL.kind == SHOWDOWN) & (SMALL.street == 0)] = 0
    return value


def add_regrets(regrets, weights, seen, player, value, street) -> None:
    """Add a player's regrets on a street, of hands (n,) as they are seen; value (n_nodes, n) is filled on the way up."""
    rows = strategy_rows(SMALL, street, seen, weights)[seen.row]
    for node in decisions(SMALL, street)[::-1]:
        below = value[children(SMALL, node)]
        if SMALL.actor[node] != player:
            value[node] = below.sum(axis=0)
            continue
        value[node] = (rows[:, columns(SMALL, node)].T * below).sum(axis=0)
        own = seen.of[seen.row, seen.situation[node]]
        for c in children(SMALL, node):
            np.add.at(regrets[:, SMALL.label[c]], own, value[c] - value[node])


def test_opponents_regrets():
    """What one iteration adds to the opponent's regrets before the turn, from where on it answers best: an oracle."""
    run = levels_run(rivers=2)
    state = run.new_state()
    for weights in (*state.regrets, *state.opponent):
        weights[:] = RNG.normal(size=weights.shape)
    policy, started = run.learner.policy(state.regrets), [weights.copy() for weights in state.opponent]
    expected = [np.zeros(weights.shape) for weights in started]
    for player in range(2):
        value = values_before_the_river([policy, policy], player, best=player)
        for node in decisions(SMALL, 2)[::-1]:
            below = value[children(SMALL, node)]
            value[node] = below.max(axis=0) if SMALL.actor[node] == player else below.sum(axis=0)
        for s in (1, 0):
            add_regrets(expected[s], started[s], LEVELS.street(s, TURN[: 3 * s]), player, value, s)
    state = run.advance(state, 1)
    for found, first, wanted in zip(state.opponent, started, expected, strict=True):
        wanted = first + 0.01 * wanted
        np.testing.assert_allclose(found, wanted, rtol=1e-3, atol=1e-4 * np.abs(wanted).max())


def test_regrets_against_the_table():
    """What the learner adds to its regrets on all streets where the opponent nearly always plays its table: an oracle."""
    run = levels_run(rivers=2, known_share=1e-7)
    state = run.new_state()
    for weights in state.regrets:
        weights[:] = RNG.normal(size=weights.shape)
    policy, started = run.learner.policy(state.regrets), [weights.copy() for weights in state.regrets]
    expected = [np.zeros(weights.shape) for weights in started]
    for player in range(2):
        both = [policy if p == player else LEVELS.table for p in range(2)]
        for river in RIVERS:
            left, found = node_values(SMALL, both, [*TURN, river])
            seen = LEVELS.river._replace(row=LEVELS.river.row[river_equities([*TURN, river])[left]])
            add_regrets(expected[3], started[3], seen, player, found[player], 3)
        value = values_before_the_river(both, player)
        for s in (2, 1, 0):
            add_regrets(expected[s], started[s], LEVELS.street(s, TURN[: (0, 3, 4)[s]]), player, value, s)
    state = run.advance(state, 1)
    for found, first, wanted in zip(state.regrets, started, expected, strict=True):
        np.testing.assert_allclose(found - first, 0.01 * wanted, rtol=2e-3, atol=2e-4 * 0.01 * np.abs(wanted).max())


def won_on(flop, policy) -> float:
    """What best responders win on one flop, both seats, dollars times pairs of hands."""
    responder = Responder(SMALL, policy, EVEN)
    found = responder.flop(flop)[0]
    return responder._preflop([found._replace(luck=0 * found.luck)] * 2, 0)[0].sum() / 2


def test_learning_on_one_flop_lowers_what_is_lost_there():
    """On all streets, all turns; with the flop's own all-ins before the flop."""
    flop = [0, 17, 34]
    wins = flop_wins(flop) * (RUNOUTS_PREFLOP / RUNOUTS_FLOP * 22_100 / 17_296)
    run = SafeGame(SMALL, LEVELS, LEVELS, wins, Settings(12, 0, 1.0), STREAM)
    state = run.new_state()
    before, rest = won_on(flop, run.learner.policy(state.averages)), np.setdiff1d(np.arange(52), flop)
    for k in range(60):
        turn, *rivers = np.random.default_rng(k).permutation(rest)[:13].tolist()
        run._play(state, np.array([*flop, turn]), np.array(rivers), np.float32((k + 1) / 100))
    assert won_on(flop, run.learner.policy(state.averages)) < before / 2


def test_threads_and_pauses_change_no_bit(tables):
    found = []
    for n, parts in ((1, (3,)), (2, (3,)), (2, (1, 2))):
        run = leaves_run(tables, rivers=5)
        state = run.new_state()
        with threads(min(n, numba.config.NUMBA_NUM_THREADS)):
            for iterations in parts:
                state = learn(run, state, iterations)
        found.append([weights.tobytes() for group in state[:3] for weights in group])
    assert found[0] == found[1] == found[2]
