"""CFR-BR on turn and river of a whole small tree, against the best responder of `solve`, which has kernels of its own."""

import numba
import numpy as np
import pytest
from games import SMALL, RandomPolicy
from random_trees import random_tree

from faceup.cards.cards import fixing_permutations
from faceup.holdem.betting.betting_tree import decisions
from faceup.holdem.play.agents import TreePolicy
from faceup.holdem.safe.learners import Leaves, Levels
from faceup.holdem.safe.turn import N_PAIRS, SafeState, SafeTurn, learn
from faceup.holdem.solve.best_response import Responder
from faceup.holdem.solve.groups import N_RIVER_GROUPS, Groups
from faceup.holdem.solve.policy import Policy, TablePolicy, free_holes, street_reach

RAINBOW = np.array([[0, 17, 34, 51]])  # four suits: no permutation of them leaves it as it is
RNG = np.random.default_rng(4)
TURN_IDS = RNG.integers(0, 40, (16432, 1326)).astype(np.int32)
GROUPS = Groups(RNG.integers(0, 40, (1755, 1326)).astype(np.int32), TURN_IDS, (169, 40, 40, N_RIVER_GROUPS))


def trunk() -> TablePolicy:
    tables = RandomPolicy(SMALL, 3).tables
    return TablePolicy(tuple(np.resize(t, (n, t.shape[1])) for n, t in zip(GROUPS.n_groups, tables, strict=True)), GROUPS)


def levels_run(rivers: int = 48, tremble: float = 0.1) -> SafeTurn:
    return SafeTurn(SMALL, trunk(), Levels(SMALL, trunk(), TURN_IDS % 15, 9), rivers, tremble, seed=5)


def leaves_run(tables, rivers: int = 48, tremble: float = 0.1) -> SafeTurn:
    """A run that solves random trees; it begins with the answers that they have."""
    grown = [random_tree(seed, 9, n_features, len(SMALL.labels)) for seed, n_features in enumerate((35, 25, 15, 5))]
    models = tuple(model._replace(threshold=np.abs(model.threshold) / 2) for model in grown)
    learner = Leaves(SMALL, models, tables)
    run = SafeTurn(SMALL, TreePolicy(SMALL, tables, models), learner, rivers, tremble, seed=5)
    run.state = run.state._replace(averages=tuple(table.copy() for table in learner.weights()))
    return run


def responded(policy: Policy) -> float:
    """What best responders win on one turn board who deviate from the turn on, mean of seats, mbb/g."""
    responder, board = Responder(SMALL, policy), RAINBOW[0].tolist()
    reach = np.zeros((2, int(SMALL.street_start[3]), 1326), dtype=np.float32)
    reach[:, 0] = free_holes(board)
    for street in range(2):
        street_reach(SMALL, street, policy.street(street, board[: 3 * street]), reach)
    fixed = fixing_permutations(board[:3], np.arange(24))
    value = responder._turn_nodes(board[:3], board[3], fixed, reach.copy())[0]
    nodes = decisions(SMALL, 2)
    begins = nodes[SMALL.street[SMALL.parent[nodes]] < 2]
    return 10 * float((value[:, begins] * reach[:, begins]).sum(axis=(1, 2)).mean()) / N_PAIRS


@pytest.mark.parametrize("current", [False, True])
def test_leak_of_levels(current):
    run = levels_run()
    for table in (*run.state.regrets, *run.state.averages):
        table[:] = RNG.random(table.shape)
    assert run.leak(RAINBOW, current)[0] == pytest.approx(responded(run.policy(current)), rel=1e-3)


def test_leak_of_leaves(tables):
    """With the answers that the trees have, and after learning."""
    run = leaves_run(tables, rivers=2)
    assert run.leak(RAINBOW)[0] == pytest.approx(responded(run.trunk), rel=1e-3)
    run.advance(2)
    assert run.leak(RAINBOW)[0] == pytest.approx(responded(run.policy()), rel=1e-3)


@pytest.mark.parametrize("make", [levels_run, leaves_run])
def test_learning_lowers_the_leak(make, tables):
    """On the boards that it learns from, with all rivers and an opponent who comes with the trunk's hands."""
    run = make(tremble=0.0) if make is levels_run else make(tables, tremble=0.0)
    run.state = run.new_state()
    boards = np.array([np.random.default_rng([5, k]).permutation(52)[:4] for k in range(2)])
    run.advance(2)
    before = run.leak(boards).mean()
    for _ in range(10):
        run.state = run.state._replace(iteration=0)
        run.advance(2)
    assert run.leak(boards).mean() < before * (0.5 if make is levels_run else 0.8)


def test_threads_and_pauses_change_no_bit(tables):
    found = []
    for threads, parts in ((1, (3,)), (2, (3,)), (2, (1, 2))):
        numba.set_num_threads(min(threads, numba.config.NUMBA_NUM_THREADS))
        run = leaves_run(tables, rivers=5)
        state = run.new_state()
        for n in parts:
            state = learn(run, state, n)
        found.append([table.tobytes() for table in (*state.regrets, *state.averages)])
    numba.set_num_threads(numba.config.NUMBA_NUM_THREADS)
    assert found[0] == found[1] == found[2]
    assert isinstance(state, SafeState)


@pytest.mark.parametrize("rivers", [0, 49])
def test_bad_numbers_of_rivers_are_named(rivers):
    with pytest.raises(ValueError, match=str(rivers)):
        levels_run(rivers)
