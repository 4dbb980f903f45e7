"""Training on the river: against a plain oracle, and exploitabilities measured elsewhere. test_reference has the rest."""

from functools import partial
from typing import NamedTuple

import numpy as np
import pytest
from games import SMALL, RandomPolicy, node_reach, node_values

from faceup.holdem.board import N_PAIRS
from faceup.holdem.match import random_boards
from faceup.holdem.policy import free_holes, river_equities
from faceup.holdem.river_game import RiverGame, street_tree
from faceup.holdem.rules import CALL, DECISION, SHOWDOWN
from faceup.holdem.tree import way_to
from faceup.lab.rng import rng

STREAM = partial(rng, 5, "test")
TRUNK = RandomPolicy(SMALL, seed=3)


class Whole(NamedTuple):
    """The trunk before the river, a river table by equity there."""

    table: np.ndarray

    def street(self, street, board, wanted=None):
        return (self.table, river_equities(board)) if street == 3 else TRUNK.street(street, board)


def exploitability_on(table, board):
    """What best responders win on one board who deviate on the river only, mean of seats, mbb/g."""
    policy, holes, end = Whole(table), np.flatnonzero(free_holes(board)), SMALL.street_start[3]
    reach = node_reach(SMALL, [policy, policy], board, holes)
    begins = (SMALL.kind[:end] == DECISION) & (SMALL.street[:end] == 3)
    roots = np.flatnonzero(begins | (SMALL.kind[:end] == SHOWDOWN))
    values = [node_values(SMALL, [policy, policy], board, best=player)[1][player] for player in range(2)]
    return 10 * np.mean([(reach[p, roots] * values[p][roots]).sum() for p in range(2)]) / N_PAIRS


def test_the_exploitability_is_the_oracles_and_learning_lowers_it():
    """On boards that it learns from, eight times over."""
    run, boards = RiverGame(SMALL, 9, TRUNK), np.array([STREAM(k).permutation(52)[:5] for k in range(10)])
    run.averages[:] = np.random.default_rng(2).random(run.averages.shape)
    before = run.exploitability(boards)
    for board, found in zip(boards[:2], before, strict=False):
        assert found == pytest.approx(exploitability_on(run.table(), board.tolist()), rel=1e-3)
    run.averages[:] = 0
    for _ in range(8):
        run.iteration = 0
        run.advance(boards)
    assert run.exploitability(boards).mean() < before.mean() / 2


@pytest.mark.slow
@pytest.mark.parametrize(("n_levels", "most"), [(10, 210), (40, 110)])
def test_levels_made_safe(n_levels, most):
    """Four passes over 3,000 boards, judged on 200 unseen ones: CFR-BR stays below `most`, self-play loses over twice as much."""
    learnt, unseen = random_boards(3000, np.random.default_rng(1)), random_boards(200, np.random.default_rng(2))
    old, new = (RiverGame(street_tree(3), n_levels) for _ in range(2))
    for _ in range(4):
        old.advance(learnt, "self")
        new.advance(learnt, "best")
    assert new.exploitability(unseen).mean() < min(most, old.exploitability(unseen).mean() / 2)


@pytest.mark.parametrize(("street", "n"), [(3, 10), (2, 56)])
def test_no_line_of_the_street_has_three_raises(street, n):
    tree = street_tree(street)
    assert (tree.kind == DECISION).sum() == n
    for node in range(len(tree.kind)):
        raised = [int(tree.street[tree.parent[k]]) for k in way_to(tree, node) if tree.label[k] > CALL]  # the streets of raises
        assert max(map(raised.count, raised), default=0) <= 2
