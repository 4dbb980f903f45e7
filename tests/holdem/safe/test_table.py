"""CFR-BR on the river of a whole small tree, against a plain oracle that walks it node by node."""

from functools import partial
from typing import NamedTuple

import numpy as np
import pytest
from games import SMALL, RandomPolicy, node_reach, node_values

from faceup.holdem.betting.betting_tree import DECISION, SHOWDOWN
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


def leak_of(table, board):
    """What best responders win on one board who deviate on the river only, mean of seats, mbb/g."""
    policy, holes, end = Whole(table), np.flatnonzero(free_holes(board)), SMALL.street_start[3]
    reach = node_reach(SMALL, [policy, policy], board, holes)
    begins = (SMALL.kind[:end] == DECISION) & (SMALL.street[:end] == 3)
    roots = np.flatnonzero(begins | (SMALL.kind[:end] == SHOWDOWN))
    values = [node_values(SMALL, [policy, policy], board, best=player)[1][player] for player in range(2)]
    return 10 * np.mean([(reach[p, roots] * values[p][roots]).sum() for p in range(2)]) / N_PAIRS


def test_the_leak_is_the_oracles_and_learning_lowers_it():
    """On boards that it learns from, eight times over."""
    run, boards = SafeRiver(SMALL, TRUNK, 9, STREAM), np.array([STREAM(k).permutation(52)[:5] for k in range(10)])
    run.averages[:] = np.random.default_rng(2).random(run.averages.shape)
    before = run.leak(boards)
    for board, found in zip(boards[:2], before, strict=False):
        assert found == pytest.approx(leak_of(run.river_table(), board.tolist()), rel=1e-3)
    run.averages[:] = 0
    for _ in range(8):
        run.iteration = 0
        run.advance(10)
    assert run.leak(boards).mean() < before.mean() / 2
