"""Averages and learning; test_reference holds regrets and discount to the reference, test_checkpoint goes on after a pause."""

from functools import partial

import numpy as np
import pytest
from games import SMALL

from faceup.cards.cards import CLASS_NAMES
from faceup.holdem import reference
from faceup.holdem.groups import Grid, make_groups
from faceup.holdem.match import Table, play_boards, random_boards, result
from faceup.holdem.policy import FixedPolicy, TablePolicy
from faceup.holdem.selfplay import Discount, SelfPlay
from faceup.lab.rng import rng


@pytest.fixture(scope="module")
def groups(tables):
    return make_groups(tables[1], tables[2], Grid(10, 5, (5,)), Grid(10, 5, (5,)))


def played(groups, discount, iterations):
    run = SelfPlay(SMALL, groups, discount, partial(rng, 5, "test"))
    run.advance(iterations)
    return run


def test_the_average_is_the_normalised_sum_and_uniform_where_nothing_was_met(groups):
    run = played(groups, Discount(1.5, 0.0, 2.0, 2), 4)
    sums = run.in_tree_order(run.state.averages)
    for found, expected in zip(run.average(), reference.strategy(SMALL, sums), strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-5)
    assert (sums[3].sum(axis=1) == 0).any()


def test_self_play_learns(groups):
    """After 150 boards the average strategy beats the uniform one it began with, and folds weak hands more than strong ones."""
    average = played(groups, Discount(1.5, 0.0, 2.0, 10), 150).average()
    hands = "72o 82o 32o 42o 62o 73o 83o 92o 52o 93o", "AA KK QQ JJ TT 99 88 AKs AKo AQs"  # one alone is noisy
    weak, strong = (average[0][[CLASS_NAMES.index(name) for name in names.split()], 0].mean() for names in hands)
    assert weak > strong + 0.5  # 0.53 to 0.81 with sixteen streams
    table = Table(SMALL, [TablePolicy(average, groups), FixedPolicy(SMALL, None)])
    won = result(play_boards(table, random_boards(10, np.random.default_rng(99))), 0, 1)
    assert won.mbb - won.ci95 > 0
