"""What policies do on a board: models asked hand by hand, fixed agents, tables under a renaming of the suits."""

import numpy as np
import pytest

from faceup.cards.cards import HOLE_CARDS, N_HOLES, PERMUTED_HOLES, SUIT_PERMUTATIONS, parse_cards
from faceup.cards.features import HISTORIES, board_features
from faceup.holdem.betting.betting_tree import CALL, FOLD, FOLD_END, SHOWDOWN, build_tree, children, columns, decisions, menu_from
from faceup.holdem.solve.groups import Grid, make_groups
from faceup.holdem.solve.policy import (
    FixedPolicy,
    ModelPolicy,
    OneStreet,
    TablePolicy,
    free_holes,
    hole_groups,
    opponents,
    river_equities,
    street_reach,
)

BOARD = parse_cards("Kh3sJc7d7c")
SHOWN = (0, 3, 4, 5)


@pytest.fixture(scope="module")
def tree():
    return build_tree(menu_from([[1, 2], []], [[1], []], [[1]], [[]]))


def predictor(n_features: int, n_labels: int, zeros: tuple[int, ...] = (), told: tuple[float, ...] = (1e-4,) * 4):
    """Some smooth function of the features that is a probability of each label; 0 for the labels `zeros`."""
    slopes = np.random.default_rng(n_features).normal(size=(n_features, n_labels))
    scale = np.concatenate([np.ones(n_features - len(told)), told])  # told: of the betting's features

    def predict(X):
        p = np.exp((X * scale) @ slopes)
        p[:, list(zeros)] = 0
        return (p / p.sum(axis=1, keepdims=True)).astype(np.float32)

    return predict


def expected_row(tree, node, predict, hand_features):
    """Probabilities of a decision's children: the model asked about this one node, masked and renormalised."""
    bets = tree.bets[node, 1 - tree.actor[node]]
    x = np.concatenate([hand_features, bets]).astype(np.float32)
    p = predict(x[None])[0][tree.label[children(tree, node)]].astype(np.float64)
    if p.sum() == 0:
        return (tree.label[children(tree, node)] == CALL).astype(float)
    return p / p.sum()


@pytest.mark.parametrize("zeros", [(), (0,), (0, 1, 2)])
@pytest.mark.parametrize("street", range(4))
def test_model_rows_are_single_predictions_masked(tables, tree, street, zeros):
    predict = [predictor(n, len(tree.labels), zeros) for n in (35, 25, 15, 5)]
    policy = ModelPolicy(tree, predict, tables)
    board = BOARD[: SHOWN[street]]
    rows, row_of_hole = policy.street(street, board)
    hands = board_features(street, tables[street], board)
    rng = np.random.default_rng(street)
    for hole in rng.choice(np.flatnonzero(free_holes(BOARD)), 8):
        for node in decisions(tree, street):
            found = rows[row_of_hole[hole], columns(tree, node)]
            assert found == pytest.approx(expected_row(tree, node, predict[street], hands[hole]), abs=1e-5)


@pytest.mark.parametrize("history", ["both", "both+seat", "ours"])
@pytest.mark.parametrize("street", range(4))
def test_a_model_may_be_told_the_own_bets_and_the_seat(tables, tree, history, street):
    """Column by column as their names say, at every decision; twins in the opponent's bets are told apart."""
    told = len(HISTORIES[history])
    scale = tuple({"bet_faced": 0.1, "stack_to_pot": 0.01}.get(name, 1e-4) for name in HISTORIES[history])
    hands = board_features(street, tables[street], BOARD[: SHOWN[street]])
    predict = [predictor(n + told, len(tree.labels), told=scale) for n in (31, 21, 11, 1)]
    policy = ModelPolicy(tree, predict, tables, history)
    rows, row_of_hole = policy.street(street, BOARD[: SHOWN[street]])
    hole = np.flatnonzero(free_holes(BOARD))[100]
    for node in decisions(tree, street):
        actor = int(tree.actor[node])
        put, owed = tree.bets[node, actor].sum(), tree.bets[node, 1 - actor].sum() - tree.bets[node, actor].sum()
        seated = [*tree.bets[node, 1 - actor], *tree.bets[node, actor], float(actor == 0)]
        bets = [*seated[4:], owed / put / 2, (20_000 - put) / put / 2] if history == "ours" else seated[:told]
        x = [*hands[hole], *bets]
        p = predict[street](np.array([x], dtype=np.float32))[0][tree.label[children(tree, node)]]
        assert rows[row_of_hole[hole], columns(tree, node)] == pytest.approx(p / p.sum(), abs=1e-5)
    assert len(policy.histories[street].told) >= len(ModelPolicy(tree, predict, tables).histories[street].told)


def test_an_unknown_history_is_refused(tables, tree):
    with pytest.raises(ValueError, match="history is 'seat', expected one of opponent"):
        ModelPolicy(tree, [predictor(5, len(tree.labels))] * 4, tables, "seat")


def test_a_model_that_names_only_illegal_actions_checks_or_calls(tables, tree):
    folds = [lambda X: np.eye(1, len(tree.labels), FOLD, dtype=np.float32).repeat(len(X), axis=0)] * 4
    rows, row_of_hole = ModelPolicy(tree, folds, tables).street(1, BOARD[:3])
    for node in decisions(tree, 1):
        below = children(tree, node)
        wanted = FOLD if FOLD in tree.label[below] else CALL
        played = rows[row_of_hole[500], columns(tree, node)]
        assert played.tolist() == (tree.label[below] == wanted).tolist()


def test_models_are_asked_only_for_wanted_holes_once_a_board_and_once_for_what_they_see(tables, tree):
    asked = []

    def predict(X):
        asked.append(len(X))
        return np.full((len(X), len(tree.labels)), 1 / len(tree.labels), dtype=np.float32)

    policy = ModelPolicy(tree, [predict] * 4, tables)
    wanted = np.zeros(N_HOLES, dtype=bool)
    wanted[np.flatnonzero(free_holes(BOARD))[:5]] = True
    seen = board_features(2, tables[2], BOARD[:4])
    for _ in range(2):
        policy.street(2, BOARD[:4], wanted)
    assert asked == [len(np.unique(seen[wanted], axis=0)) * len(policy.histories[2].told)]
    rows, row_of_hole = policy.street(2, BOARD[:4])
    free = free_holes(BOARD[:4])
    distinct = len(np.unique(seen[free], axis=0))
    assert asked[1:] == [distinct * len(policy.histories[2].told)]
    assert distinct == len(rows) < free.sum() and len(np.unique(np.c_[row_of_hole, seen][free], axis=0)) == distinct


def test_a_model_in_one_seat_plays_there_as_in_both_and_calls_elsewhere(tables, tree):
    predict = [predictor(n, len(tree.labels)) for n in (35, 25, 15, 5)]
    both, one = ModelPolicy(tree, predict, tables), ModelPolicy(tree, predict, tables, seat=1)
    for street, n_cards in enumerate((0, 3, 4, 5)):
        (rows, row_of_hole), (theirs, their_row) = both.street(street, BOARD[:n_cards]), one.street(street, BOARD[:n_cards])
        start, end = tree.street_start[street : street + 2]
        mine = tree.actor[tree.parent[start:end]] == 1
        holes = free_holes(BOARD[:n_cards])
        assert (rows[row_of_hole[holes]][:, mine] == theirs[their_row[holes]][:, mine]).all()
        assert (theirs[:, ~mine] == (tree.label[start:end] == CALL)[~mine]).all()


def test_four_models_are_expected(tables, tree):
    with pytest.raises(ValueError, match="3 models"):
        ModelPolicy(tree, [predictor(5, len(tree.labels))] * 3, tables)


def test_fixed_policies(tree):
    all_in = len(tree.labels) - 1
    for label in (CALL, all_in, None):
        policy = FixedPolicy(tree, label)
        for street in range(4):
            rows, row_of_hole = policy.street(street, BOARD[: SHOWN[street]])
            assert rows.shape[0] == 1 and not row_of_hole.any()
            for node in decisions(tree, street):
                below = children(tree, node)
                p = rows[0, columns(tree, node)]
                if label is None:
                    assert p == pytest.approx(np.full(len(below), 1 / len(below)))
                else:
                    wanted = label if label in tree.label[below] else CALL
                    assert p.tolist() == (tree.label[below] == wanted).tolist()


@pytest.fixture(scope="module")
def table_policy(tables, tree):
    groups = make_groups(tables[1], tables[2], Grid(100, 1, ()), Grid(100, 1, ()))
    widths = np.diff(tree.street_start)
    rng = np.random.default_rng(3)
    made = tuple(rng.random((groups.n_groups[s], widths[s])).astype(np.float32) for s in range(4))
    return TablePolicy(made, groups)


@pytest.mark.parametrize("street", range(4))
def test_groups_know_no_suits(table_policy, street):
    """Renaming the suits of board and hole leaves the hole's group, and so what the policy does, as it was."""
    board = BOARD[: SHOWN[street]]
    table, row_of_hole = table_policy.street(street, board)
    free = np.flatnonzero(free_holes(board))
    assert table is table_policy.tables[street]
    assert len(np.unique(row_of_hole[free])) > 20
    for permutation, moved in zip(SUIT_PERMUTATIONS, PERMUTED_HOLES, strict=True):
        renamed = [4 * (c // 4) + int(permutation[c % 4]) for c in board]
        assert np.array_equal(table_policy.street(street, renamed)[1][moved[free]], row_of_hole[free])


def test_groups_of_blocked_holes_are_rows_of_the_table(table_policy):
    for street in range(4):
        rows = hole_groups(table_policy.groups, street, BOARD[: SHOWN[street]])
        assert rows.min() >= 0 and rows.max() < table_policy.groups.n_groups[street]


def test_river_groups_are_the_exact_equities(tables):
    equity = board_features(3, tables[3], BOARD)[:, 0]
    free = free_holes(BOARD)
    assert np.array_equal((river_equities(BOARD) / 1980)[free].astype(np.float32), equity[free])


def test_another_policy_on_one_street(tree):
    usual, other = FixedPolicy(tree, CALL), FixedPolicy(tree, None)
    mixed = OneStreet(usual, other, 2)
    for street in range(4):
        found, kept, changed = (policy.street(street, list(range(street + 2)))[0] for policy in (mixed, usual, other))
        assert np.array_equal(found, changed if street == 2 else kept) and not np.array_equal(kept, changed)


def test_opponents_are_those_that_share_no_card():
    weights = np.random.default_rng(0).random((2, N_HOLES))
    cards = HOLE_CARDS.astype(int)
    for hole in (0, 700, 1325):
        apart = ~np.isin(cards, cards[hole]).any(axis=1)
        assert opponents(weights)[:, hole] == pytest.approx(weights[:, apart].sum(axis=1))


def test_reaches_of_all_ends_sum_to_one(tree):
    reach = np.zeros((2, len(tree.kind), N_HOLES), dtype=np.float32)
    reach[:, 0] = 1
    policy = FixedPolicy(tree, None)
    for street in range(4):
        street_reach(tree, street, policy.street(street, BOARD[: SHOWN[street]]), reach)
    ends = (tree.kind == FOLD_END) | (tree.kind == SHOWDOWN)
    assert reach.prod(axis=0)[ends].sum(axis=0) == pytest.approx(np.ones(N_HOLES), abs=1e-4)
