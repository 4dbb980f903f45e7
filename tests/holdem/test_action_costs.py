"""Costs of mistakes against brute force over all pairs of hands, and what rows make of them."""

from functools import partial

import numpy as np
import pytest
from random_tables import random_table

from faceup.holdem.action_values import action_values
from faceup.holdem.groups import Grid, hole_groups, make_groups
from faceup.holdem.match import Table
from faceup.holdem.policy import TablePolicy, free_holes
from faceup.holdem.rows import action_costs, draw_rows
from faceup.holdem.rules import CALL, menu_from
from faceup.holdem.tree import build_tree, children, columns, decisions
from faceup.lab.rng import rng

BOARDS = np.array([[44, 7, 38, 20, 33], [0, 5, 10, 15, 51]])
TREE = build_tree(menu_from([[]], [[1], []], [[]], [[]]))


@pytest.fixture(scope="module")
def policy(tables):
    """Random probabilities: on the river for each group, before it for each decision, so that all hands come there alike."""
    groups = make_groups(tables[1], tables[2], Grid(10, 1, ()), Grid(10, 1, ()))
    tables = random_table(TREE, groups, 1).tables
    return TablePolicy((*(np.tile(table[:1], (len(table), 1)) for table in tables[:3]), tables[3]), groups)


@pytest.fixture(scope="module")
def costs(policy):
    return action_costs(TREE, policy, BOARDS)


def changed(policy, node, group, action):
    """The policy that always takes one action of a decision with the hands of one group."""
    made = [table.copy() for table in policy.tables]
    made[TREE.street[node]][group, columns(TREE, node)] = np.eye(TREE.n_children[node])[action]
    return TablePolicy(tuple(made), policy.groups)


@pytest.mark.parametrize("street", range(4))
def test_costs_are_what_a_match_loses(policy, street):
    """Taking one action always, at one decision with one group, loses its cost times the chance to come there."""
    nodes = decisions(TREE, street)
    node, board = nodes[len(nodes) // 2], BOARDS[0].tolist()
    groups = hole_groups(policy.groups, street, board[: (0, 3, 4, 5)[street]])
    group, seat = int(np.bincount(groups[free_holes(board)]).argmax()), int(TREE.actor[node])
    costs = action_costs(TREE, policy, BOARDS[:1])[street][group, columns(TREE, node)]
    changes = [changed(policy, node, group, action) for action in range(len(costs))]
    values = Table(TREE, [policy, *changes]).play(board)
    lost = values[0, 0] - values[1:, 0] if seat == 0 else values[0, 1:] - values[0, 0]
    play = action_values(TREE, policy, policy, board)
    come = (play.own[seat, node] * play.others[seat, node])[groups == group].sum() / (play.own[0, 0] @ play.others[0, 0])
    assert lost == pytest.approx(costs * come, rel=2e-3, abs=2e-4)


def test_the_policy_itself_costs_nothing(policy, costs):
    for street, table in enumerate(costs):
        for node in decisions(TREE, street):
            mean = (table[:, columns(TREE, node)] * policy.tables[street][:, columns(TREE, node)]).sum(axis=1)
            assert np.abs(mean).max() <= 1e-3 * max(1, np.abs(table).max())


def test_rows_weigh_what_the_worst_action_costs(tables, policy):
    """A decision with nothing at stake is not drawn after the flop; each row carries its decision's costs by label."""
    costs = [np.zeros_like(table) for table in policy.tables]
    for street, table in enumerate(costs):
        node = decisions(TREE, street)[0]
        table[:, columns(TREE, node)] = 7 * np.arange(TREE.n_children[node])
    rows = draw_rows(TREE, policy, tables, (200, 200, 200), BOARDS, partial(rng, 2, "test"), costs=costs)
    for street in (1, 2, 3):
        node = decisions(TREE, street)[0]
        assert (rows[street].X[:, -4:] == TREE.bets[node, 1 - TREE.actor[node]]).all()
        labels = TREE.label[children(TREE, node)]
        assert (rows[street].costs[:, labels] == 7 * np.arange(len(labels))).all()
        illegal = np.setdiff1d(np.arange(len(TREE.labels)), labels)
        assert (rows[street].costs[:, illegal] == rows[street].costs[:, [CALL]]).all()
    assert rows[0].w[:169].sum() > 0.99 * rows[0].w.sum()
