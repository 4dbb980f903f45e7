"""A sweep in torch learns what the kernels learn from the same boards and the same strategy."""

import numpy as np
import pytest
import torch
from games import SMALL

from faceup.holdem.betting.betting_tree import BettingState, build_tree, menu_from
from faceup.holdem.scale.torch_sweep import TorchSweep
from faceup.holdem.solve.groups import Grid, make_groups
from faceup.holdem.solve.selfplay import Discount, SelfPlay, sampled_board

DEVICES = ["cpu", pytest.param("cuda", marks=pytest.mark.skipif(not torch.cuda.is_available(), reason="no GPU"))]
FROM_THE_TURN = build_tree(menu_from(*[[[1], []]] * 4), BettingState(2, 1, ((200, 0, 0, 0),) * 2, 0, 100, 0))
MANY_RIVERS = build_tree(menu_from([[1, 2], [1], []], [[1], [1], []], [[1], [1], []], [[]]))  # 161 of them
BOARDS = np.array([sampled_board(7, k) for k in range(3)])


@pytest.fixture(scope="module")
def groups(tables):
    return make_groups(tables[1], tables[2], Grid(10, 5, (5,)), Grid(10, 5, (5,)))


def learnt(tree, groups) -> SelfPlay:
    """Self-play after ten boards, its regrets then made so small that what is added is not rounded: the strategy stays."""
    run = SelfPlay(tree, groups, Discount(1.5, 0.0, 2.0, 1000), seed=3)
    run.advance(10)
    for table in run.state.regrets:
        table *= np.float32(2**-30)
    return run


def gains(run: SelfPlay, board: np.ndarray) -> list[np.ndarray]:
    """What the kernels add to each of the eight tables on one board."""
    before = run.state
    after = before._replace(regrets=copies(before.regrets), averages=tuple(np.zeros_like(table) for table in before.averages))
    run.state = after
    run._iterate(board)
    run.state = before
    added = [a - b for a, b in zip(run.in_tree_order(after.regrets), run.in_tree_order(before.regrets), strict=True)]
    return [*added, *run.in_tree_order(after.averages)]


def copies(tables: tuple[np.ndarray, ...]) -> tuple[np.ndarray, ...]:
    return tuple(table.copy() for table in tables)


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("tree", [SMALL, FROM_THE_TURN, MANY_RIVERS], ids=["small", "from the turn", "many rivers"])
def test_equals_the_kernels(groups, tree, device):
    """For one board, and for the sum of a batch that does not divide evenly."""
    run = learnt(tree, groups)
    each = [gains(run, board) for board in BOARDS]
    for n in (1, 3):
        sweep = TorchSweep(tree, groups, device, at_once=2)
        sweep.regrets = sweep.load(run.in_tree_order(run.state.regrets))
        sweep.sweep(BOARDS[:n])
        found = [*sweep.in_tree_order(sweep.regrets), *sweep.in_tree_order(sweep.averages)]
        start = [*run.in_tree_order(run.state.regrets), *[0.0] * 4]
        for table, before, *expected in zip(found, start, *each[:n], strict=True):
            total = np.sum(expected, axis=0, dtype=np.float64)
            np.testing.assert_allclose(table - before, total, rtol=0, atol=1e-5 * np.abs(total).max(initial=0))


def test_tables_keep_their_order(groups):
    run = learnt(SMALL, groups)
    sweep, tables = TorchSweep(SMALL, groups), run.in_tree_order(run.state.regrets)
    for found, expected in zip(sweep.in_tree_order(sweep.load(tables)), tables, strict=True):
        np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("board", [[0, 1, 2, 3, 3], [0, 1, 2, 3, 52], [-1, 1, 2, 3, 4], [0, 1, 2, 3]])
def test_what_is_no_board_is_refused(groups, board):
    with pytest.raises(ValueError, match="expected"):
        TorchSweep(SMALL, groups).sweep(np.array([board]))
