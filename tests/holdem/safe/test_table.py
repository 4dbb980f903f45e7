"""CFR-BR on the river of a whole small tree, against a plain oracle that walks it node by node."""

from functools import partial
from typing import NamedTuple

import numpy as np
import pytest
from games import SMALL, RandomPolicy, node_reach, node_values

from faceup.holdem.betting.betting_tree import DECISION, SHOWDOWN
from faceup.holdem.play.match import random_boards
from faceup.holdem.safe.one_street import N_PAIRS
from faceup.holdem.safe.table import SafeRiver
from faceup.holdem.solve.policy import free_holes, river_equities
from faceup.lab.rng import rng

STREAM = partial(rng, 5, "test")

TRUNK = RandomPolicy(SMALL, seed=3)


class Whole(NamedTuple):
    """The trunk before the river, a river table by equity there."""

    table: np.ndarray

    def street(self, street, board, wanted=None):
        return (self.table, river_equities(board)) if street == 3 else TRUNK.street(street, board)


def started(n_levels=9):
    run = SafeRiver(SMALL, TRUNK, n_levels, STREAM)
    rng = np.random.default_rng(2)
    run.regrets[:] = rng.normal(size=run.regrets.shape)
    run.averages[:] = rng.random(run.averages.shape)
    return run


def leak_of(table, board):
    """What best responders win on one board who deviate on the river only, mean of seats, mbb/g."""
    policy, won = Whole(table), []
    holes = np.flatnonzero(free_holes(board))
    reach = node_reach(SMALL, [policy, policy], board, holes)
    end = SMALL.street_start[3]
    begins = (SMALL.kind[:end] == DECISION) & (SMALL.street[:end] == 3)
    roots = np.flatnonzero(begins | (SMALL.kind[:end] == SHOWDOWN))
    for player in range(2):
        value = node_values(SMALL, [policy, policy], board, best=player)[1][player]
        won.append((reach[player, roots] * value[roots]).sum())
    return 10 * np.mean(won) / N_PAIRS


def test_leak():
    run, boards = started(), random_boards(2, np.random.default_rng(8))
    for board, found in zip(boards, run.leak(boards), strict=True):
        assert found == pytest.approx(leak_of(run.river_table(), board.tolist()), rel=1e-3)


def test_learning_lowers_the_leak():
    """On the boards that it learns from."""
    run = started()
    boards = np.array([STREAM(k).permutation(52)[:5] for k in range(10)])
    before = run.leak(boards).mean()
    run.averages[:] = 0
    for _ in range(8):
        run.iteration = 0
        run.advance(10)
    assert run.leak(boards).mean() < before / 2
