"""What policies do on a board: models asked hand by hand, fixed agents, tables under a renaming of the suits."""

from types import SimpleNamespace

import numpy as np
import pytest

from faceup.cards.cards import HOLE_CARDS, N_HOLES, PERMUTED_HOLES, SUIT_PERMUTATIONS, parse_cards
from faceup.cards.features import HISTORIES, STACK, board_features
from faceup.holdem.groups import Grid, make_groups
from faceup.holdem.policy import FixedPolicy, ModelPolicy, TablePolicy, compatible_weight, free_holes, river_equities
from faceup.holdem.rules import CALL, menu_from
from faceup.holdem.tree import build_tree, children, columns, decisions

BOARD = parse_cards("Kh3sJc7d7c")
SHOWN = (0, 3, 4, 5)
TREE = build_tree(menu_from([[1, 2], []], [[1], []], [[1]], [[]]))
N_LABELS = len(TREE.labels)


def predictor(n_features: int, zeros: tuple[int, ...] = (), told: tuple[float, ...] = (1e-4,) * 4):
    """A model: some smooth function of the features that is a probability of each label; 0 for the labels `zeros`."""
    slopes = np.random.default_rng(n_features).normal(size=(n_features, N_LABELS))
    scale = np.concatenate([np.ones(n_features - len(told)), told])  # told: of the betting's features

    def predict(X):
        p = np.exp((X * scale) @ slopes)
        p[:, list(zeros)] = 0
        return (p / p.sum(axis=1, keepdims=True)).astype(np.float32)

    return SimpleNamespace(predict=predict)


def told_at(node: int, history: str) -> list[float]:
    """What a model is told of the betting at a decision."""
    actor = TREE.actor[node]
    own, other = TREE.bets[node, actor], TREE.bets[node, 1 - actor]
    put, owed = own.sum(), other.sum() - own.sum()
    seated, sizes = [*other, *own, float(actor == 0)], [owed / put / 2, (STACK - put) / put / 2]
    return {"ours": seated[4:] + sizes, "all": seated + sizes}.get(history, seated[: len(HISTORIES[history])])


def expected_row(node: int, model, hand_features, history: str) -> np.ndarray:
    """Probabilities of a decision's children: the model asked about this one node, masked and renormalised."""
    label = TREE.label[children(TREE, node)]
    x = np.array([[*hand_features, *told_at(node, history)]], dtype=np.float32)
    p = model.predict(x)[0][label].astype(np.float64)
    return p / p.sum() if p.sum() > 0 else (label == CALL).astype(float)


CASES = [("opponent", (0,)), ("opponent", (0, 1, 2)), *((history, ()) for history in HISTORIES)]


@pytest.mark.parametrize(("history", "zeros"), CASES)
@pytest.mark.parametrize("street", range(4))
def test_model_rows_are_single_predictions_masked(tables, street, history, zeros):
    """Where a model names illegal actions alone, it checks or calls."""
    scale = tuple({"bet_faced": 0.1, "stack_to_pot": 0.01}.get(name, 1e-4) for name in HISTORIES[history])
    models = [predictor(n + len(scale), zeros, scale) for n in (31, 21, 11, 1)]
    board = BOARD[: SHOWN[street]]
    rows, row_of_hole = ModelPolicy(TREE, models, tables, history).street(street, board)
    hands = board_features(street, tables[street], board)
    rng = np.random.default_rng(street)
    for hole in rng.choice(np.flatnonzero(free_holes(BOARD)), 3):
        for node in decisions(TREE, street):
            found = rows[row_of_hole[hole], columns(TREE, node)]
            assert found == pytest.approx(expected_row(node, models[street], hands[hole], history), abs=1e-5)


def test_models_are_asked_only_for_wanted_holes_once_a_board_and_once_for_what_they_see(tables):
    asked = []

    def predict(X):
        asked.append(len(X))
        return np.full((len(X), N_LABELS), 1 / N_LABELS, dtype=np.float32)

    policy = ModelPolicy(TREE, [SimpleNamespace(predict=predict)] * 4, tables)
    wanted = np.zeros(N_HOLES, dtype=bool)
    wanted[np.flatnonzero(free_holes(BOARD))[:5]] = True
    seen = board_features(2, tables[2], BOARD[:4])
    for _ in range(2):
        policy.street(2, BOARD[:4], wanted)
    assert asked == [len(np.unique(seen[wanted], axis=0)) * len(policy.histories[2].features)]


def test_a_model_in_one_seat_plays_there_as_in_both_and_calls_elsewhere(tables):
    models = [predictor(n) for n in (35, 25, 15, 5)]
    both, one = ModelPolicy(TREE, models, tables), ModelPolicy(TREE, models, tables, seat=1)
    for street, n_cards in enumerate((0, 3, 4, 5)):
        (rows, row_of_hole), (theirs, their_row) = both.street(street, BOARD[:n_cards]), one.street(street, BOARD[:n_cards])
        start, end = TREE.street_start[street : street + 2]
        mine = TREE.actor[TREE.parent[start:end]] == 1
        holes = free_holes(BOARD[:n_cards])
        assert (rows[row_of_hole[holes]][:, mine] == theirs[their_row[holes]][:, mine]).all()
        assert (theirs[:, ~mine] == (TREE.label[start:end] == CALL)[~mine]).all()


@pytest.mark.parametrize("label", [CALL, N_LABELS - 1, None])
def test_a_fixed_policy_takes_its_action_or_calls(label):
    policy = FixedPolicy(TREE, label)
    for street in range(4):
        rows, row_of_hole = policy.street(street, BOARD[: SHOWN[street]])
        assert rows.shape[0] == 1 and not row_of_hole.any()
        for node in decisions(TREE, street):
            offered = TREE.label[children(TREE, node)]
            taken = np.ones(len(offered)) if label is None else offered == (label if label in offered else CALL)
            assert rows[0, columns(TREE, node)] == pytest.approx(taken / taken.sum())


@pytest.fixture(scope="module")
def table_policy(tables):
    groups = make_groups(tables[1], tables[2], Grid(100, 1, ()), Grid(100, 1, ()))
    widths = np.diff(TREE.street_start)
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
    assert row_of_hole.min() >= 0 and row_of_hole.max() < len(table)  # of blocked holes too
    assert len(np.unique(row_of_hole[free])) > 20
    for permutation, moved in zip(SUIT_PERMUTATIONS, PERMUTED_HOLES, strict=True):
        renamed = [4 * (c // 4) + int(permutation[c % 4]) for c in board]
        assert np.array_equal(table_policy.street(street, renamed)[1][moved[free]], row_of_hole[free])


def test_river_groups_are_the_exact_equities(tables):
    equity = board_features(3, tables[3], BOARD)[:, 0]
    free = free_holes(BOARD)
    assert np.array_equal((river_equities(BOARD) / 1980)[free].astype(np.float32), equity[free])


def test_opponents_are_those_that_share_no_card():
    weights = np.random.default_rng(0).random((2, N_HOLES))
    cards = HOLE_CARDS.astype(int)
    for hole in (0, 700, 1325):
        apart = ~np.isin(cards, cards[hole]).any(axis=1)
        assert compatible_weight(weights)[:, hole] == pytest.approx(weights[:, apart].sum(axis=1))
