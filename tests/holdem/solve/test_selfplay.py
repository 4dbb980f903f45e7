"""One board's regrets against brute force; the same bits on any number of threads and after a pause."""

import numpy as np
import pytest
from games import SMALL, node_reach, node_values, threads

from faceup.holdem.betting.betting_tree import DECISION, columns
from faceup.holdem.solve.groups import Grid, hole_groups, make_groups
from faceup.holdem.solve.policy import FixedPolicy, TablePolicy
from faceup.holdem.solve.selfplay import Discount, SelfPlay, SelfPlayState, average_strategy, sampled_board

PLAIN = Discount(1.5, 0.0, 2.0, 1000)  # no discount within the tests' few iterations
DCFR = Discount(1.5, 0.0, 2.0, 2)


@pytest.fixture(scope="module")
def groups(tables):
    return make_groups(tables[1], tables[2], Grid(10, 5, (5,)), Grid(10, 5, (5,)))


def test_first_iteration_equals_brute_force(groups):
    """From the uniform strategy: each group's regrets are the sums of its holes' gains, its average their reach."""
    selfplay = SelfPlay(SMALL, groups, PLAIN, seed=5)
    selfplay.advance(1)
    board = [int(c) for c in sampled_board(5, 0)]
    uniform = FixedPolicy(SMALL, None)
    holes, value = node_values(SMALL, (uniform, uniform), board)
    reach = node_reach(SMALL, (uniform, uniform), board, holes)
    of_street = selfplay.in_tree_order(selfplay.state.regrets), selfplay.in_tree_order(selfplay.state.averages)
    for node in np.flatnonzero(SMALL.kind == DECISION):
        street, actor = SMALL.street[node], SMALL.actor[node]
        group = hole_groups(groups, street, board[: (0, 3, 4, 5)[street]])[holes]
        regrets, averages = (tables[street] for tables in of_street)
        n = SMALL.n_children[node]
        for c in range(SMALL.first_child[node], SMALL.first_child[node] + n):
            gain = np.bincount(group, weights=value[actor, c] - value[actor, node], minlength=len(regrets))
            column = c - SMALL.street_start[street]
            np.testing.assert_allclose(regrets[:, column], gain, rtol=1e-3, atol=400)  # of up to 2e7: float32
            played = np.bincount(group, weights=reach[actor, node] / n, minlength=len(averages))
            np.testing.assert_allclose(averages[:, column], played, rtol=1e-4, atol=1e-4)


def test_threads_and_pauses_leave_the_bits_alone(groups):
    straight = SelfPlay(SMALL, groups, DCFR, seed=1)
    straight.advance(6)
    with threads(1):
        first = SelfPlay(SMALL, groups, DCFR, seed=1)
        first.advance(3)
    second = SelfPlay(SMALL, groups, DCFR, seed=1, state=first.state)
    second.advance(3)
    for a, b in zip(straight.state.regrets + straight.state.averages, second.state.regrets + second.state.averages, strict=True):
        assert a.tobytes() == b.tobytes()
    assert second.state.iteration == 6


def test_average_is_a_strategy(groups):
    selfplay = SelfPlay(SMALL, groups, DCFR, seed=1)
    selfplay.advance(4)
    tables = selfplay.average()
    for node in np.flatnonzero(SMALL.kind == DECISION):
        chance = tables[SMALL.street[node]][:, columns(SMALL, node)]
        np.testing.assert_allclose(chance.sum(axis=1), 1, rtol=1e-5)
        assert (chance >= 0).all()


def test_self_play_learns(groups):
    """After 150 boards the average strategy beats the uniform one it began with, and folds 72o more than aces."""
    from faceup.cards.cards import CLASS_NAMES
    from faceup.holdem.play.match import Table, play_boards, random_boards, result

    selfplay = SelfPlay(SMALL, groups, Discount(1.5, 0.0, 2.0, 10), seed=1)
    selfplay.advance(150)
    average = selfplay.average()
    assert average[0][CLASS_NAMES.index("72o"), 0] > average[0][CLASS_NAMES.index("AA"), 0] + 0.5
    table = Table(SMALL, [TablePolicy(average, groups), FixedPolicy(SMALL, None)])
    won = result(play_boards(table, random_boards(10, 99)), 0, 1)
    assert won.mbb - won.ci95 > 0


def test_dcfr_discount_is_brown_and_sandholms(groups):
    selfplay = SelfPlay(SMALL, groups, Discount(1.5, 0.5, 2.0, 1), seed=1)
    selfplay.advance(1)
    plain = SelfPlay(SMALL, groups, PLAIN, seed=1)
    plain.advance(1)
    regrets, raw = selfplay.state.regrets[0], plain.state.regrets[0]
    np.testing.assert_allclose(regrets[raw > 0], raw[raw > 0] / 2, rtol=1e-6)  # t = 1: 1 / (1 + 1)
    np.testing.assert_allclose(regrets[raw < 0], raw[raw < 0] / 2, rtol=1e-6)
    np.testing.assert_allclose(selfplay.state.averages[0], plain.state.averages[0] / 4, rtol=1e-6)


def test_another_trees_state_is_refused(groups):
    state = SelfPlayState((np.zeros((1, 1), np.float32),) * 4, (np.zeros((1, 1), np.float32),) * 4, 0)
    with pytest.raises(ValueError, match="shapes"):
        SelfPlay(SMALL, groups, PLAIN, seed=1, state=state)


def test_unreached_groups_play_uniformly(groups):
    zeros = tuple(np.zeros((n, w), np.float32) for n, w in zip(groups.n_groups, np.diff(SMALL.street_start), strict=True))
    tables = average_strategy(SMALL, zeros)
    assert tables[0][0, 0] == pytest.approx(1 / SMALL.n_children[0])
