"""What policies do on a board: models asked hand by hand, fixed agents, tables under a renaming of the suits; their files."""

from types import SimpleNamespace

import numpy as np
import pytest
from games import random_table

from faceup.cards.cards import BOARD_CARDS, N_HOLES, PERMUTED_HOLES, SUIT_PERMUTATIONS, parse_cards
from faceup.cards.features import HISTORIES, STACK, board_features
from faceup.holdem.groups import Grid, make_groups
from faceup.holdem.policy import FixedPolicy, ModelPolicy, compatible_weight, free_holes, load_strategy, save_strategy
from faceup.holdem.rules import CALL, menu_from
from faceup.holdem.tree import build_tree, children, columns, decisions

BOARD = parse_cards("Kh3sJc7d7c")
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
    """Where a model names illegal actions alone, it checks or calls; in one seat, it calls at the other's decisions."""
    scale = tuple({"bet_faced": 0.1, "stack_to_pot": 0.01}.get(name, 1e-4) for name in HISTORIES[history])
    models = [predictor(n + len(scale), zeros, scale) for n in (31, 21, 11, 1)]
    board, rng = BOARD[: BOARD_CARDS[street]], np.random.default_rng(street)
    rows, row_of_hole = ModelPolicy(TREE, models, tables, history).street(street, board)
    seated, row_in_seat = ModelPolicy(TREE, models, tables, history, seat=1).street(street, board)
    hands = board_features(street, tables[street], board)
    for hole in rng.choice(np.flatnonzero(free_holes(BOARD)), 3):
        for node in decisions(TREE, street):
            found, seat = rows[row_of_hole[hole], columns(TREE, node)], seated[row_in_seat[hole], columns(TREE, node)]
            assert found == pytest.approx(expected_row(node, models[street], hands[hole], history), abs=1e-5)
            assert (seat == (found if TREE.actor[node] == 1 else TREE.label[children(TREE, node)] == CALL)).all()


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


@pytest.mark.parametrize("label", [CALL, N_LABELS - 1, None])
def test_a_fixed_policy_takes_its_action_or_calls(label):
    policy = FixedPolicy(TREE, label)
    for street in range(4):
        rows, row_of_hole = policy.street(street, BOARD[: BOARD_CARDS[street]])
        assert rows.shape[0] == 1 and not row_of_hole.any()
        for node in decisions(TREE, street):
            offered = TREE.label[children(TREE, node)]
            taken = np.ones(len(offered)) if label is None else offered == (label if label in offered else CALL)
            assert rows[0, columns(TREE, node)] == pytest.approx(taken / taken.sum())


@pytest.fixture(scope="module")
def strategy(tables):
    return random_table(TREE, 3, make_groups(tables[1], tables[2], Grid(100, 1, ()), Grid(100, 1, ())))


@pytest.mark.parametrize("street", range(4))
def test_groups_know_no_suits(strategy, street):
    """Renaming the suits of board and hole leaves the hole's group, and so what the policy does, as it was."""
    board = BOARD[: BOARD_CARDS[street]]
    table, row_of_hole = strategy.street(street, board)
    free = np.flatnonzero(free_holes(board))
    assert table is strategy.tables[street]
    assert row_of_hole.min() >= 0 and row_of_hole.max() < len(table)  # of blocked holes too
    assert len(np.unique(row_of_hole[free])) > 20
    for permutation, moved in zip(SUIT_PERMUTATIONS, PERMUTED_HOLES, strict=True):
        renamed = [4 * (c // 4) + int(permutation[c % 4]) for c in board]
        assert np.array_equal(strategy.street(street, renamed)[1][moved[free]], row_of_hole[free])


def test_a_strategy_comes_back_from_its_file_and_one_of_another_tree_is_named(tmp_path, strategy):
    save_strategy(tmp_path / "new" / "s.npz", strategy)
    back = load_strategy(tmp_path / "new" / "s.npz", TREE)
    assert back.groups.n_groups == strategy.groups.n_groups and all(type(n) is int for n in back.groups.n_groups)
    for one, two in zip((*strategy.tables, *strategy.groups[:2]), (*back.tables, *back.groups[:2]), strict=True):
        assert one.dtype == two.dtype and np.array_equal(one, two)
    with pytest.raises(ValueError, match=r"s.npz: tables have shapes .* expected .*: of other betting parameters"):
        load_strategy(tmp_path / "new" / "s.npz", build_tree(menu_from([[]], [[]], [[]], [[]])))


def test_opponents_are_those_that_share_no_card():
    weights = np.random.default_rng(0).random((2, N_HOLES))
    for hole, cards in ((0, [1, 0]), (700, [37, 34]), (1325, [51, 50])):
        assert compatible_weight(weights)[:, hole] == pytest.approx(weights[:, free_holes(cards)].sum(axis=1))
