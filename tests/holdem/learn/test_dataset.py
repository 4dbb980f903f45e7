"""Rows for distillation against the table they come from, brute force over deals, and hands given as text."""

import numpy as np
import pytest
from random_tables import random_table

from faceup.cards.cards import CLASS_OF_HOLE, HOLE_CARDS, N_CLASSES, RANKS, SUITS
from faceup.cards.features import HISTORIES, betting_features, board_features, hand
from faceup.holdem.betting.betting_tree import CALL, build_tree, children, columns, decisions, menu_from
from faceup.holdem.betting.translation import lower_probability
from faceup.holdem.learn.dataset import NO_BOARD, TrainingRows, cost_shares, draw_rows, stakes, told_rows
from faceup.holdem.solve.groups import Grid, hole_groups, make_groups
from faceup.holdem.solve.policy import FixedPolicy, free_holes, street_reach
from faceup.trees.metrics import checked_rows

BOARDS = np.array([[44, 7, 38, 20, 33], [0, 5, 10, 15, 51], [3, 47, 46, 45, 12]])
SHOWN = (0, 3, 4, 5)


@pytest.fixture(scope="module")
def tree():
    return build_tree(menu_from([[]], [[1], []], [[]], [[]]))


@pytest.fixture(scope="module")
def policy(tables, tree):
    """Random probabilities for coarse groups."""
    return random_table(tree, make_groups(tables[1], tables[2], Grid(40, 1, ()), Grid(40, 1, ())), 1)


def pots(tree, nodes):
    return tree.bets[nodes].sum(axis=(1, 2))[:, None]


def node_probabilities(tree, policy, street, board, node):
    """Probabilities (1326, n_labels) of a decision, read off the table."""
    p = np.zeros((1326, len(tree.labels)), dtype=np.float32)
    groups = hole_groups(policy.groups, street, board[: SHOWN[street]])
    p[:, tree.label[children(tree, node)]] = policy.tables[street][groups][:, columns(tree, node)]
    return p


def name(hole):
    return "".join(RANKS[c // 4] + SUITS[c % 4] for c in HOLE_CARDS[hole].tolist())


def text(board):
    return "".join(RANKS[c // 4] + SUITS[c % 4] for c in board)


def test_shapes_shares_and_weights(tables, tree, policy):
    rows = draw_rows(tree, policy, tables, (60, 45, 31), BOARDS, seed=5)
    assert [len(r.X) for r in rows] == [N_CLASSES * len(decisions(tree, 0)), 60, 45, 30]
    assert [r.X.shape[1] for r in rows] == [35, 25, 15, 5]
    for r in rows:
        assert r.X.dtype == r.P.dtype == np.float32 and r.w.dtype == np.float64
        assert r.w.mean() == pytest.approx(1) and r.w.min() > 0
        assert r.P.sum(axis=1) == pytest.approx(np.ones(len(r.P)), abs=1e-5)
    assert (rows[0].board == NO_BOARD).all()
    assert rows[3].board.tolist() == [0] * 10 + [1] * 10 + [2] * 10


def test_the_same_seed_draws_the_same_rows(tables, tree, policy):
    first, again, other = (draw_rows(tree, policy, tables, (30, 30, 30), BOARDS, s) for s in (5, 5, 6))
    for a, b, c in zip(first, again, other, strict=True):
        assert all(np.array_equal(x, y) for x, y in zip(a, b, strict=True))
        assert np.array_equal(a.X, c.X) == (a.board[0] == NO_BOARD)


@pytest.mark.parametrize("street", range(4))
def test_every_row_is_a_situation_of_the_table(tables, tree, policy, street):
    """Features are those of some hole on the row's board; targets those of a node with the row's bets."""
    rows = draw_rows(tree, policy, tables, (30, 30, 30), BOARDS, seed=2)[street]
    for i in range(0, len(rows.X), 1 if street else 40):
        board = BOARDS[rows.board[i]].tolist()[: SHOWN[street]] if street else []
        bets = rows.X[i, -4:]
        nodes = [n for n in decisions(tree, street) if (tree.bets[n, 1 - tree.actor[n]] == bets).all()]
        found = np.concatenate([node_probabilities(tree, policy, street, board, n) for n in nodes])
        holes = np.tile(np.arange(1326), len(nodes))[np.abs(found - rows.P[i]).max(axis=1) < 1e-6]
        free = [h for h in holes if free_holes(board)[h]]
        assert free, "no hole plays so"
        hands = board_features(street, tables[street], board)
        its = [h for h in free if np.array_equal(hands[h], rows.X[i, :-4])]
        assert its, "the row's features are not those of a hole that plays so"
        if i < 3 and street:  # and a hand given as text knows nothing of tables
            assert np.array_equal(hand(name(its[0]), text(board)).vector(bets), rows.X[i])


@pytest.mark.parametrize("history,told", [("both", 8), ("both+seat", 9)])
def test_more_of_the_betting_is_told_of_the_same_situations(tables, tree, policy, history, told):
    """The paper's columns, targets and weights stay; a node that is told so, and a hole, play as the row is taught."""
    plain = draw_rows(tree, policy, tables, (30, 30, 30), BOARDS, seed=2)
    full = draw_rows(tree, policy, tables, (30, 30, 30), BOARDS, seed=2, history=history)
    for street, (a, b) in enumerate(zip(plain, full, strict=True)):
        n = a.X.shape[1]
        assert b.X.shape[1] == n - 4 + told and np.array_equal(a.X, b.X[:, :n])
        assert np.array_equal(a.P, b.P) and np.array_equal(a.w, b.w)
        for i in range(0, len(b.X), 1 if street else 40):
            board = BOARDS[b.board[i]].tolist()[: SHOWN[street]] if street else []
            nodes = [
                node
                for node in decisions(tree, street)
                for own in [int(tree.actor[node])]
                if [*tree.bets[node, 1 - own], *tree.bets[node, own], own == 0][:told] == b.X[i, -told:].tolist()
            ]
            found = np.concatenate([node_probabilities(tree, policy, street, board, node) for node in nodes])
            assert np.abs(found - b.P[i]).max(axis=1).min() < 1e-6


@pytest.mark.parametrize("history", HISTORIES)
def test_rows_lose_the_columns_that_are_not_told(tables, tree, policy, history):
    """The same rows as if they had been drawn with the fewer columns."""
    all_told, drawn = (draw_rows(tree, policy, tables, (30,) * 3, BOARDS, 7, history=h) for h in ("all", history))
    for found, wanted in zip(told_rows(all_told, history), drawn, strict=True):
        assert all(np.array_equal(a, b) for a, b in zip(found, wanted, strict=True))


@pytest.fixture(scope="module")
def sizes():
    """A tree with two bets on the river, and a table of random answers."""
    return build_tree(menu_from([[]], [[]], [[]], [[1, 2], []]))


def test_a_size_that_the_tree_lacks_is_answered_as_its_neighbours_are(tables, sizes):
    """Rows of the river, one by one: sizes stay between neighbours of the tree's, answers mix as translation reads the bet."""
    table = random_table(sizes, make_groups(tables[1], tables[2], Grid(40, 1, ()), Grid(40, 1, ())), 1)
    plain, moved = (draw_rows(sizes, table, tables, (3, 3, 600), BOARDS, 2, history="ours", off_menu=n)[3] for n in (0, 2))
    nodes = decisions(sizes, 3)
    told = dict(zip(nodes.tolist(), betting_features(sizes.bets[nodes], sizes.actor[nodes], "ours"), strict=True))

    def answers(node, level):
        p = np.zeros(len(sizes.labels))
        p[sizes.label[children(sizes, node)]] = table.tables[3][level, columns(sizes, node)]
        return p

    def mixed(node, level, size):
        high = node if size <= told[node][-2] else node + 1
        smaller, most = (high - 1 if sizes.label[high - 1] > CALL else None), told[high][-2]
        least, other = (told[smaller][-2], answers(smaller, level)) if smaller else (0, np.eye(len(sizes.labels))[CALL])
        assert least <= size <= most
        lower = lower_probability(size, least, most)
        return lower * other + (1 - lower) * answers(high, level)

    assert np.array_equal(plain.w, moved.w) and np.array_equal(np.delete(plain.X, 6, axis=1), np.delete(moved.X, 6, axis=1))
    other = np.flatnonzero(plain.X[:, 6] != moved.X[:, 6])
    assert 0.4 < len(other) / (plain.X[:, 6] > 0).sum() <= 0.51
    assert (moved.X[other, 6] > plain.X[other, 6]).any() and (moved.X[other, 6] < plain.X[other, 6]).any()
    assert np.array_equal(np.delete(plain.P, other, axis=0), np.delete(moved.P, other, axis=0))
    for x, p, before, taught in zip(moved.X[other], moved.P[other], plain.X[other], plain.P[other], strict=True):
        level = round(float(before[0]) * 1980)
        same = [n for n in told if np.array_equal(told[n], before[1:]) and np.abs(answers(n, level) - taught).max() < 1e-5]
        assert min(np.abs(mixed(n, level, float(x[6])) - p).max() for n in same) < 1e-4


def test_preflop_features_are_those_of_the_hand(tables, tree, policy):
    rows = draw_rows(tree, policy, tables, (3, 3, 3), BOARDS, seed=2)[0]
    k = int(CLASS_OF_HOLE[HOLE_CARDS.tolist().index([51, 50])])  # a pair of aces
    assert np.array_equal(rows.X[k], hand("AsAh").vector((100, 0, 0, 0)))


def reach_by_walk(tree, policy, board, node, hole, player):
    """Product of a player's own probabilities on the way to a node."""
    p = 1.0
    while node > 0:
        above = tree.parent[node]
        if tree.actor[above] == player:
            street = tree.street[above]
            group = hole_groups(policy.groups, street, board[: SHOWN[street]])[hole]
            p *= policy.tables[street][group, node - tree.street_start[street]]
        node = above
    return p


def test_stakes_by_brute_force(tree, policy):
    """Own reach times the opponents' over holes that share no card, times the pot, at every street's nodes."""
    board = BOARDS[0].tolist()
    reach = np.zeros((2, len(tree.kind), 1326), dtype=np.float32)
    reach[:, 0] = free_holes(board)
    for street in range(4):
        street_reach(tree, street, policy.street(street, board[: SHOWN[street]]), reach)
    free = np.flatnonzero(free_holes(board))
    for street in range(4):
        for node in decisions(tree, street)[-2:]:
            actor, hole = tree.actor[node], free[137]
            theirs = [
                reach_by_walk(tree, policy, board, node, h, 1 - actor)
                for h in free
                if not np.isin(HOLE_CARDS[h], HOLE_CARDS[hole]).any()
            ]
            own = reach_by_walk(tree, policy, board, node, hole, actor)
            wanted = own * sum(theirs) * tree.bets[node].sum()
            assert stakes(tree, np.array([node]), reach, pots(tree, np.array([node])))[0, hole] == pytest.approx(wanted, rel=1e-4)


@pytest.mark.parametrize("street", [1, 2, 3])
def test_weighted_counts_are_stakes(tables, tree, policy, street):
    """Over many rows, the share of the weight at each (board, bets) is its share of reach times pot.

    River decisions after a river action count as well.
    """
    rows = draw_rows(tree, policy, tables, (30_000,) * 3, BOARDS, seed=8)[street]
    wanted: dict[tuple, float] = {}
    for k, board in enumerate(BOARDS.tolist()):
        reach = np.zeros((2, len(tree.kind), 1326), dtype=np.float32)
        reach[:, 0] = free_holes(board)
        for s in range(4):
            street_reach(tree, s, policy.street(s, board[: SHOWN[s]]), reach)
        nodes = decisions(tree, street)
        for node, stake in zip(nodes, stakes(tree, nodes, reach, pots(tree, nodes)).sum(axis=1), strict=True):
            key = (k, *tree.bets[node, 1 - tree.actor[node]].tolist())
            wanted[key] = wanted.get(key, 0) + stake
    keys = np.column_stack([rows.board, rows.X[:, -4:]]).astype(int).tolist()
    found = dict.fromkeys(wanted, 0.0)
    for key, weight in zip(keys, rows.w, strict=True):
        found[tuple(key)] += weight
    total, weight = sum(wanted.values()), rows.w.sum()
    assert len(wanted) >= 3 * len(BOARDS)
    for key, stake in wanted.items():
        assert found[key] / weight == pytest.approx(stake / total, rel=0.1)
    for k in range(len(BOARDS)):  # nor does a board lose weight because its stakes are spread more thinly
        share = sum(stake for key, stake in wanted.items() if key[0] == k) / total
        assert rows.w[rows.board == k].sum() / weight == pytest.approx(share, rel=0.003)


def test_preflop_weights_are_stakes_of_the_starting_hands(tables, tree, policy):
    rows = draw_rows(tree, policy, tables, (3, 3, 3), BOARDS, seed=8)[0]
    reach = np.zeros((2, len(tree.kind), 1326), dtype=np.float32)
    reach[:, 0] = 1
    street_reach(tree, 0, policy.street(0, []), reach)
    stake = stakes(tree, decisions(tree, 0), reach, pots(tree, decisions(tree, 0)))
    wanted = np.concatenate([np.bincount(CLASS_OF_HOLE, weights=s, minlength=169) for s in stake])
    assert rows.w / rows.w.sum() == pytest.approx(wanted / wanted.sum(), abs=2e-6)


def test_bad_arguments_are_named(tables, tree, policy):
    with pytest.raises(ValueError, match="n_rows is .* for 3 boards"):
        draw_rows(tree, policy, tables, (2, 30, 30), BOARDS, seed=1)
    with pytest.raises(ValueError, match="history is 'mine', expected one of"):
        draw_rows(tree, policy, tables, (30, 30, 30), BOARDS, seed=1, history="mine")
    with pytest.raises(ValueError, match="off_menu is 3 with history 'both', expected 'ours'"):
        draw_rows(tree, policy, tables, (30, 30, 30), BOARDS, seed=1, history="both", off_menu=3)
    rows = draw_rows(tree, policy, tables, (3, 3, 3), BOARDS, seed=1, history="both")
    for wanted, drawn in (("both+seat", "both"), ("opponent", "all")):
        with pytest.raises(ValueError, match="rows have 39 features, drawn with .*: expected all of"):
            told_rows(rows, wanted, drawn)
    with pytest.raises(ValueError, match="for 0 boards"):
        draw_rows(tree, policy, tables, (2, 30, 30), BOARDS[:0], seed=1)
    with pytest.raises(ValueError, match="nothing is at stake on the flop"):
        draw_rows(tree, FixedPolicy(tree, 0), tables, (3, 3, 3), BOARDS, seed=1)


def test_rows_are_what_fits_ask_for(tables, tree, policy):
    rows = draw_rows(tree, policy, tables, (300, 300, 300), BOARDS, seed=3)
    for r in rows:
        X, P, w = checked_rows(r.X, r.P, r.w)
        assert len(X) == len(P) == len(w) == len(r.board) and (X[:, -4:] >= 0).all()


@pytest.mark.parametrize("listed", [False, True])
def test_shares_of_costs_by_hand(listed):
    """Dollars by the dearest action, gains of 1 at most, 1 for what is never taken; a listed river holds shares already."""
    P, costs = np.array([[0, 0.5, 0.5], [0.2, 0.8, 0], [1, 0, 0]]), np.array([[3.0, -1, 8], [4, -20, 1], [0, 2, 2]])
    drawn = TrainingRows(np.zeros((3, 1)), P, np.ones(3), np.zeros(3, dtype=np.int32), costs)
    board = np.full(3, NO_BOARD, dtype=np.int32) if listed else drawn.board
    found = cost_shares([drawn] * 3 + [drawn._replace(board=board)])
    dollars = [[1, -1 / 8, 1], [1, -1, 1], [0, 1, 1]]
    assert all(np.array_equal(shares, dollars) for shares in found[:3])
    assert np.array_equal(found[3], [[1, -1, 1], [1, -1, 1], [0, 1, 1]] if listed else dollars)
