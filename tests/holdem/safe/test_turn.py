"""CFR-BR on turn and river of a whole small tree, against the best responder of `solve`, which has kernels of its own."""

import numba
import numpy as np
import pytest
from games import SMALL, RandomPolicy

from faceup.cards.cards import fixing_permutations
from faceup.holdem.betting.betting_tree import decisions
from faceup.holdem.safe.turn import N_PAIRS, SafeState, SafeTurn, learn
from faceup.holdem.solve.best_response import Responder
from faceup.holdem.solve.groups import N_RIVER_GROUPS, Groups
from faceup.holdem.solve.policy import TablePolicy, free_holes, street_reach

RAINBOW = np.array([[0, 17, 34, 51]])  # four suits: no permutation of them leaves it as it is
RNG = np.random.default_rng(4)
TURN_IDS = RNG.integers(0, 40, (16432, 1326)).astype(np.int32)
GROUPS = Groups(RNG.integers(0, 40, (1755, 1326)).astype(np.int32), TURN_IDS, (169, 40, 40, N_RIVER_GROUPS))


def trunk() -> TablePolicy:
    tables = RandomPolicy(SMALL, 3).tables
    return TablePolicy(tuple(np.resize(t, (n, t.shape[1])) for n, t in zip(GROUPS.n_groups, tables, strict=True)), GROUPS)


def started(by: str) -> SafeTurn:
    """A run with a random strategy on turn and river."""
    run = SafeTurn(SMALL, trunk(), TURN_IDS % 15, 9, 48, 0.1, 5, by)
    for table in (*run.state.regrets, *run.state.averages):
        table[:] = RNG.random(table.shape)
    return run


def leak_of(policy: TablePolicy, board: list[int]) -> float:
    """What best responders win on one turn board who deviate from the turn on, mean of seats, mbb/g."""
    responder = Responder(SMALL, policy)
    reach = np.zeros((2, int(SMALL.street_start[3]), 1326), dtype=np.float32)
    reach[:, 0] = free_holes(board)
    for street in range(2):
        street_reach(SMALL, street, policy.street(street, board[: 3 * street]), reach)
    fixed = fixing_permutations(board[:3], np.arange(24))
    value = responder._turn_nodes(board[:3], board[3], fixed, reach.copy())[0]
    nodes = decisions(SMALL, 2)
    begins = nodes[SMALL.street[SMALL.parent[nodes]] < 2]
    return 10 * float((value[:, begins] * reach[:, begins]).sum(axis=(1, 2)).mean()) / N_PAIRS


@pytest.mark.parametrize(("by", "current"), [("decision", False), ("situation", False), ("decision", True)])
def test_leak(by, current):
    run = started(by)
    assert run.leak(RAINBOW, current)[0] == pytest.approx(leak_of(run.policy(current), RAINBOW[0].tolist()), rel=1e-3)


def test_learning_lowers_the_leak():
    """On the boards that it learns from, with all rivers and an opponent who comes with the trunk's hands."""
    run = SafeTurn(SMALL, trunk(), TURN_IDS % 15, 9, 48, 0.0, seed=5)
    boards = np.array([np.random.default_rng([5, k]).permutation(52)[:4] for k in range(2)])
    run.advance(2)
    before = run.leak(boards).mean()
    for _ in range(10):
        run.state = run.state._replace(iteration=0)
        run.advance(2)
    assert run.leak(boards).mean() < before / 2


def test_threads_and_pauses_change_no_bit():
    found = []
    for threads, parts in ((1, (3,)), (2, (3,)), (2, (1, 2))):
        numba.set_num_threads(min(threads, numba.config.NUMBA_NUM_THREADS))
        run = SafeTurn(SMALL, trunk(), TURN_IDS % 15, 9, 5, 0.1, seed=5)
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
        SafeTurn(SMALL, trunk(), TURN_IDS, 9, rivers, 0.0, seed=1)
