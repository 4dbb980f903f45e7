"""One board's regrets against brute force; the same bits on any number of threads and after a pause."""

from functools import partial

import numpy as np
import pytest
from games import SMALL, node_reach, node_values, threads

from faceup.cards.cards import CLASS_NAMES
from faceup.holdem.betting.betting_tree import DECISION, columns
from faceup.holdem.play.match import Table, play_boards, random_boards, result
from faceup.holdem.solve.groups import Grid, hole_groups, make_groups
from faceup.holdem.solve.policy import FixedPolicy, TablePolicy
from faceup.holdem.solve.selfplay import Discount, SelfPlay
from faceup.lab.rng import rng

STREAM = partial(rng, 5, "test")

PLAIN = Discount(1.5, 0.0, 2.0, 1000)  # no discount within the tests' few iterations
DCFR = Discount(1.5, 0.0, 2.0, 2)


@pytest.fixture(scope="module")
def groups(tables):
    return make_groups(tables[1], tables[2], Grid(10, 5, (5,)), Grid(10, 5, (5,)))


def played(groups, discount, iterations):
    run = SelfPlay(SMALL, groups, discount, STREAM)
    run.advance(iterations)
    return run


def test_first_iteration_equals_brute_force(groups):
    """From the uniform strategy: each group's regrets are the sums of its holes' gains, its average their reach."""
    run = played(groups, PLAIN, 1)
    board = STREAM(0).permutation(52)[:5].tolist()
    uniform = FixedPolicy(SMALL, None)
    holes, value = node_values(SMALL, (uniform, uniform), board)
    reach = node_reach(SMALL, (uniform, uniform), board, holes)
    regrets, averages = run.in_tree_order(run.state.regrets), run.in_tree_order(run.state.averages)
    for child in range(1, len(SMALL.kind)):
        node = SMALL.parent[child]
        street, actor = SMALL.street[node], SMALL.actor[node]
        group, column = hole_groups(groups, street, board[: (0, 3, 4, 5)[street]])[holes], child - SMALL.street_start[street]
        gain = np.bincount(group, weights=value[actor, child] - value[actor, node], minlength=groups.n_groups[street])
        np.testing.assert_allclose(regrets[street][:, column], gain, rtol=1e-3, atol=400)  # of up to 2e7: float32
        share = np.bincount(group, weights=reach[actor, child], minlength=groups.n_groups[street])
        np.testing.assert_allclose(averages[street][:, column], share, rtol=1e-4, atol=1e-4)


def test_threads_and_pauses_leave_the_bits_alone(groups):
    straight = played(groups, DCFR, 6).state
    with threads(1):
        first = played(groups, DCFR, 3)
    second = SelfPlay(SMALL, groups, DCFR, STREAM, state=first.state)
    second.advance(3)
    for a, b in zip(straight.regrets + straight.averages, second.state.regrets + second.state.averages, strict=True):
        assert a.tobytes() == b.tobytes()
    assert second.state.iteration == 6


def test_the_average_is_the_normalised_sum_and_uniform_where_nothing_was_met(groups):
    run = played(groups, DCFR, 4)
    sums, average = run.in_tree_order(run.state.averages), run.average()
    for node in np.flatnonzero(SMALL.kind == DECISION):
        street, own = SMALL.street[node], columns(SMALL, node)
        total = sums[street][:, own].sum(axis=1, keepdims=True)
        expected = np.where(total > 0, sums[street][:, own] / np.where(total > 0, total, 1), 1 / SMALL.n_children[node])
        np.testing.assert_allclose(average[street][:, own], expected, rtol=1e-5)
        assert street < 3 or (total == 0).any()


def test_self_play_learns(groups):
    """After 150 boards the average strategy beats the uniform one it began with, and folds 72o more than aces."""
    average = played(groups, Discount(1.5, 0.0, 2.0, 10), 150).average()
    assert average[0][CLASS_NAMES.index("72o"), 0] > average[0][CLASS_NAMES.index("AA"), 0] + 0.25
    table = Table(SMALL, [TablePolicy(average, groups), FixedPolicy(SMALL, None)])
    won = result(play_boards(table, random_boards(10, np.random.default_rng(99))), 0, 1)
    assert won.mbb - won.ci95 > 0


def test_dcfr_discount_is_brown_and_sandholms(groups):
    found, plain = played(groups, Discount(1.5, 0.5, 2.0, 1), 1).state, played(groups, PLAIN, 1).state
    np.testing.assert_allclose(found.regrets[0], plain.regrets[0] / 2, rtol=1e-6)  # t = 1: 1 / (1 + 1), of either sign
    np.testing.assert_allclose(found.averages[0], plain.averages[0] / 4, rtol=1e-6)
