"""Samples for distillation and costs of mistakes, against their policy and brute force."""

from collections import defaultdict
from functools import partial

import numpy as np
import pytest
from games import node_reach, random_table

from faceup.cards.cards import BOARD_CARDS, CLASS_OF_HOLE, HOLE_CARDS, HOLE_OF_CLASS, N_CLASSES
from faceup.cards.features import BETTING_FEATURES, betting_features, board_features, feature_names
from faceup.holdem.action_values import action_values
from faceup.holdem.bet_translation import pseudo_harmonic
from faceup.holdem.betting_tree import build_tree, children, columns, decision_nodes
from faceup.holdem.buckets import Grid, hole_buckets, make_buckets
from faceup.holdem.match import Match
from faceup.holdem.policy import TablePolicy
from faceup.holdem.reach import fill_street_reach
from faceup.holdem.rules import CALL, DECISION, menu_from
from faceup.holdem.samples import (
    NO_BOARD,
    TrainingSamples,
    action_costs,
    cost_shares,
    draw_samples,
    importance,
    select_features,
)
from faceup.holdem.showdown import free_holes
from faceup.util.rng import rng

BOARDS = np.array([[44, 7, 38, 20, 33], [0, 5, 10, 15, 51], [3, 47, 46, 45, 12]])
TREE = build_tree(menu_from([[]], [[1], []], [[]], [[]]))
BETS = slice(-11, -7)  # columns of the opponent's bets
STREAM = partial(rng, 2, "test")


@pytest.fixture(scope="module")
def policy(equities):
    return random_table(
        TREE, 1, make_buckets(equities[1], equities[2], Grid(40, 1, ()), Grid(40, 1, ()))
    )


def pots(tree, policy):
    """Costs such that the dollars at stake are the pot."""
    found = [np.zeros_like(table) for table in policy.tables]
    for node in decision_nodes(tree):
        found[tree.street[node]][:, columns(tree, node)] = tree.bets[node].sum()
    return found


@pytest.fixture(scope="module")
def drawn(equities, policy):
    """Few rows, so that each can be looked at."""
    costs = pots(TREE, policy)
    return draw_samples(TREE, policy, equities, (30, 33, 30), BOARDS, STREAM, costs=costs)


def answers(tree, policy, node, rows):
    """Probabilities (n, n_labels) of a decision in rows (n,) of the table of its street."""
    p = np.zeros((len(rows), len(tree.labels)), dtype=np.float32)
    p[:, tree.label[children(tree, node)]] = policy.tables[tree.street[node]][rows][
        :, columns(tree, node)
    ]
    return p


def importance_on(policy, board, nodes):
    """Importance (n_nodes, 1326) of decisions on the streets that a board shows."""
    reach = np.zeros((2, len(TREE.kind), 1326), dtype=np.float32)
    reach[:, 0] = free_holes(board)
    for street, n_cards in enumerate(BOARD_CARDS):
        if n_cards <= len(board):
            fill_street_reach(TREE, street, policy.street_rows(street, board[:n_cards]), reach)
    return importance(TREE, nodes, reach, TREE.bets[nodes].sum(axis=(1, 2))[:, None])


@pytest.mark.parametrize("street", range(4))
def test_every_row_is_a_decision_of_the_policy(equities, policy, drawn, street):
    """Features of the row's hole on its board and of the bets at its node, and its targets."""
    rows = drawn[street]
    assert rows.X.dtype == rows.P.dtype == np.float32
    assert rows.w.mean() == pytest.approx(1)
    assert rows.w.min() > 0
    assert (
        rows.board.tolist() == [k for k in range(3) for _ in range(11 if street == 2 else 10)]
        or not street
    )
    assert np.isin(rows.node, decision_nodes(TREE, street)).all()
    own = TREE.actor[rows.node]
    told = np.column_stack([TREE.bets[rows.node, 1 - own], TREE.bets[rows.node, own], own == 0])
    assert np.array_equal(told, rows.X[:, -11:-2])
    for i in range(0, len(rows.X), 1 if street else 40):
        board = BOARDS[rows.board[i]].tolist()[: BOARD_CARDS[street]] if street else []
        assert free_holes(board)[rows.hole[i]]
        features = board_features(street, equities[street], board)[rows.hole[i]]
        bucket = hole_buckets(policy.buckets, street, board)[rows.hole[i]]
        assert np.array_equal(features, rows.X[i, :-11])
        assert answers(TREE, policy, rows.node[i], [bucket])[0] == pytest.approx(rows.P[i])


@pytest.mark.parametrize("feature_set", BETTING_FEATURES)
def test_rows_lose_the_columns_that_are_not_told(drawn, feature_set):
    for street, (found, rows) in enumerate(
        zip(select_features(drawn, feature_set), drawn, strict=True)
    ):
        of_all = dict(zip(feature_names(street, "all"), rows.X.T, strict=True))
        assert np.array_equal(
            found.X.T, [of_all[name] for name in feature_names(street, feature_set)]
        )
        assert all(a is b for a, b in zip(found[1:], rows[1:], strict=True))


def test_a_size_that_the_tree_lacks_is_answered_as_its_neighbors_are(equities, policy):
    """River: sizes lie between the tree's, targets mix the neighbors' as translation does."""
    sizes = build_tree(menu_from([[]], [[]], [[]], [[1, 2], []]))
    table = random_table(sizes, 1, policy.buckets)
    given = sizes, table, equities, (3, 3, 600), BOARDS, STREAM
    two = (draw_samples(*given, costs=pots(sizes, table), off_menu=n) for n in (0, 2))
    plain, moved = (select_features(rows, "pot-relative")[3] for rows in two)
    nodes = decision_nodes(sizes, 3)
    bets = betting_features(sizes.bets[nodes], sizes.actor[nodes], "pot-relative")
    told = dict(zip(nodes.tolist(), bets, strict=True))

    def known(node, level):
        return answers(sizes, table, node, [level])[0]

    def mixed(node, level, size):
        high = node if size <= told[node][-2] else node + 1
        smaller, most = (high - 1 if sizes.label[high - 1] > CALL else None), told[high][-2]
        least, other = (
            (told[smaller][-2], known(smaller, level))
            if smaller
            else (0, np.eye(len(sizes.labels))[CALL])
        )
        assert least <= size <= most
        lower = pseudo_harmonic(size, least, most)
        return lower * other + (1 - lower) * known(high, level)

    assert np.array_equal(plain.w, moved.w)
    assert np.array_equal(np.delete(plain.X, 6, axis=1), np.delete(moved.X, 6, axis=1))
    other = np.flatnonzero(plain.X[:, 6] != moved.X[:, 6])
    assert 0.4 < len(other) / (plain.X[:, 6] > 0).sum() <= 0.51
    assert (moved.X[other, 6] > plain.X[other, 6]).any()
    assert (moved.X[other, 6] < plain.X[other, 6]).any()
    assert np.array_equal(np.delete(plain.P, other, axis=0), np.delete(moved.P, other, axis=0))
    for x, p, before, taught in zip(
        moved.X[other], moved.P[other], plain.X[other], plain.P[other], strict=True
    ):
        level = round(float(before[0]) * 1980)
        same = [
            n
            for n in told
            if np.array_equal(told[n], before[1:]) and np.abs(known(n, level) - taught).max() < 1e-5
        ]
        assert min(np.abs(mixed(n, level, float(x[6])) - p).max() for n in same) < 1e-4


def test_importance_by_brute_force(policy):
    """Own reach times the opponent's over holes that share no card, times the pot."""
    board = BOARDS[0].tolist()
    free = np.flatnonzero(free_holes(board))
    reach, cards = node_reach(TREE, [policy, policy], board, free), HOLE_CARDS[free]
    apart = (cards[:, None, :, None] != cards[None, :, None, :]).all(axis=(2, 3))
    nodes = np.flatnonzero(TREE.kind == DECISION)
    actor = TREE.actor[nodes]
    pots = TREE.bets[nodes].sum(axis=(1, 2))[:, None]
    wanted = reach[actor, nodes] * (reach[1 - actor, nodes] @ apart) * pots
    np.testing.assert_allclose(importance_on(policy, board, nodes)[:, free], wanted, rtol=1e-4)


def test_weighted_counts_are_importance(equities, policy):
    """Over many rows the share of the weight at (board, bets) is its share of reach times pot."""
    given = TREE, policy, equities, (30_000,) * 3, BOARDS, STREAM
    many = draw_samples(*given, costs=pots(TREE, policy))
    for street, rows in enumerate(many[1:], 1):
        nodes, wanted, found = decision_nodes(TREE, street), defaultdict(float), defaultdict(float)
        for k, board in enumerate(BOARDS.tolist()):
            weights = importance_on(policy, board, nodes).sum(axis=1)
            for bets, dollars in zip(
                TREE.bets[nodes, 1 - TREE.actor[nodes]].tolist(), weights, strict=True
            ):
                wanted[k, *bets] += dollars
                wanted[k] += dollars
        for key, weight in zip(
            np.column_stack([rows.board, rows.X[:, BETS]]).astype(int).tolist(), rows.w, strict=True
        ):
            found[tuple(key)] += weight
            found[key[0]] += weight
        total = sum(wanted[k] for k in range(3))
        assert len(wanted) >= 4 * len(BOARDS) and found.keys() <= wanted.keys()
        # a board loses no weight because its importance is spread more thinly
        for key, weights in wanted.items():
            share = pytest.approx(weights / total, rel=0.1 if isinstance(key, tuple) else 0.003)
            assert found[key] / rows.w.sum() == share, (street, key)


def test_preflop_weights_are_the_importance_of_starting_hands(equities, policy, drawn):
    rows, nodes = drawn[0], decision_nodes(TREE, 0)
    assert (rows.board == NO_BOARD).all()
    assert np.array_equal(
        rows.X[:, :-11], np.tile(board_features(0, equities[0], [])[HOLE_OF_CLASS], (len(nodes), 1))
    )
    assert np.array_equal(
        rows.X[:, BETS], np.repeat(TREE.bets[nodes, 1 - TREE.actor[nodes]], N_CLASSES, axis=0)
    )
    weights = importance_on(policy, [], nodes)
    wanted = np.concatenate([np.bincount(CLASS_OF_HOLE, weights=s) for s in weights])
    assert rows.w / rows.w.sum() == pytest.approx(wanted / wanted.sum(), abs=2e-6)


def test_shares_of_costs_by_hand():
    """Costs over the largest, gains at most 1; 1 for actions never taken, 0 without a loss."""
    P = np.array([[0, 0.5, 0.5], [0.2, 0.8, 0], [0.5, 0.5, 0]])
    costs = np.array([[3.0, -1, 8], [4, -20, 1], [0, -1, 0]])
    zeros = np.zeros(3, dtype=np.int32)
    samples = TrainingSamples(np.zeros((3, 1)), P, np.ones(3), zeros, costs, zeros, zeros)
    found = cost_shares(samples)
    assert np.array_equal(found, [[1, -1 / 8, 1], [1, -1, 1], [0, 0, 1]])


def changed(policy, node, bucket, action):
    """The policy that always takes one action of a decision with the hands of one bucket."""
    made = [table.copy() for table in policy.tables]
    made[TREE.street[node]][bucket, columns(TREE, node)] = np.eye(TREE.n_children[node])[action]
    return TablePolicy(tuple(made), policy.buckets)


@pytest.mark.parametrize("street", range(4))
def test_costs_are_what_a_match_loses(policy, street):
    """Always taking an action with a bucket loses its cost times the situation's probability."""
    # random probabilities: on the river for each bucket, before it for each decision, so that all
    # hands come there alike
    alike = (np.tile(table[:1], (len(table), 1)) for table in policy.tables[:3])
    even = policy._replace(tables=(*alike, policy.tables[3]))
    nodes = decision_nodes(TREE, street)
    node, board = nodes[len(nodes) // 2], BOARDS[0].tolist()
    buckets = hole_buckets(even.buckets, street, board[: BOARD_CARDS[street]])
    bucket, seat = int(np.bincount(buckets[free_holes(board)]).argmax()), int(TREE.actor[node])
    costs = action_costs(TREE, even, BOARDS[:1])[street][bucket, columns(TREE, node)]
    changes = [changed(even, node, bucket, action) for action in range(len(costs))]
    values = Match(TREE, [even, *changes]).play(board)
    lost = values[0, 0] - values[1:, 0] if seat == 0 else values[0, 1:] - values[0, 0]
    play = action_values(TREE, even, even, board)
    come = (play.own_reach[seat, node] * play.opposing_reach[seat, node])[
        buckets == bucket
    ].sum() / (play.own_reach[0, 0] @ play.opposing_reach[0, 0])
    assert lost == pytest.approx(costs * come, rel=2e-3, abs=2e-4)


def test_rows_weigh_what_the_worst_action_costs(equities, policy):
    """Decisions with nothing at stake are not drawn after the flop; rows carry costs by label."""
    costs = [np.zeros_like(table) for table in policy.tables]
    for street, table in enumerate(costs):
        node = decision_nodes(TREE, street)[0]
        table[:, columns(TREE, node)] = 7 * np.arange(TREE.n_children[node])
    rows = draw_samples(TREE, policy, equities, (200, 200, 200), BOARDS, STREAM, costs=costs)
    for street in (1, 2, 3):
        node = decision_nodes(TREE, street)[0]
        assert (rows[street].X[:, BETS] == TREE.bets[node, 1 - TREE.actor[node]]).all()
        labels = TREE.label[children(TREE, node)]
        assert (rows[street].costs[:, labels] == 7 * np.arange(len(labels))).all()
        illegal = np.setdiff1d(np.arange(len(TREE.labels)), labels)
        assert (rows[street].costs[:, illegal] == rows[street].costs[:, [CALL]]).all()
    assert rows[0].w[:N_CLASSES].sum() > 0.99 * rows[0].w.sum()
