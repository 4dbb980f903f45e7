"""Policies on a board: models queried once, tables under renamed suits, files."""

from types import SimpleNamespace

import numpy as np
import pytest
from games import random_table

from faceup.cards.cards import BOARD_CARDS, N_HOLES, PERMUTED_HOLES, SUIT_PERMUTATIONS, parse_cards
from faceup.cards.features import board_features
from faceup.holdem.betting_tree import build_tree
from faceup.holdem.buckets import Grid, make_buckets
from faceup.holdem.policy import ModelPolicy
from faceup.holdem.rules import menu_from
from faceup.holdem.showdown import free_holes
from faceup.holdem.strategy_file import load_strategy, save_strategy

BOARD = parse_cards("Kh3sJc7d7c")
TREE = build_tree(menu_from([[1, 2], []], [[1], []], [[1]], [[]]))


def test_models_predict_wanted_holes_alone_and_distinct_features_once(equities):
    sizes = []

    def predict(X):
        sizes.append(len(X))
        return np.ones((len(X), len(TREE.labels)))

    policy = ModelPolicy(TREE, [SimpleNamespace(predict=predict)] * 4, equities)
    wanted = np.isin(np.arange(N_HOLES), np.flatnonzero(free_holes(BOARD))[:5])
    for _ in range(2):
        policy.street_rows(2, BOARD[:4], wanted)
    seen = board_features(2, equities[2], BOARD[:4])[wanted]
    assert sizes == [len(np.unique(seen, axis=0)) * len(policy.betting_inputs[2].features)]


@pytest.fixture(scope="module")
def strategy(equities):
    return random_table(
        TREE, 3, make_buckets(equities[1], equities[2], Grid(100, 1, ()), Grid(100, 1, ()))
    )


@pytest.mark.parametrize("street", range(4))
def test_groups_know_no_suits(strategy, street):
    """Renaming suits of board and hole leaves the hole's bucket as it was."""
    board = BOARD[: BOARD_CARDS[street]]
    table, row_of_hole = strategy.street_rows(street, board)
    free = np.flatnonzero(free_holes(board))
    assert table is strategy.tables[street]
    assert row_of_hole.min() >= 0 and row_of_hole.max() < len(table)  # of blocked holes too
    assert len(np.unique(row_of_hole[free])) > 20
    for permutation, moved in zip(SUIT_PERMUTATIONS, PERMUTED_HOLES, strict=True):
        renamed = [4 * (c // 4) + int(permutation[c % 4]) for c in board]
        assert np.array_equal(
            strategy.street_rows(street, renamed)[1][moved[free]], row_of_hole[free]
        )


def test_a_strategy_comes_back_from_its_file_and_one_of_another_tree_is_named(tmp_path, strategy):
    save_strategy(tmp_path / "new" / "s.npz", strategy)
    back = load_strategy(tmp_path / "new" / "s.npz", TREE)
    assert back.buckets.n_buckets == strategy.buckets.n_buckets
    assert all(type(n) is int for n in back.buckets.n_buckets)
    for one, two in zip(
        (*strategy.tables, *strategy.buckets[:2]), (*back.tables, *back.buckets[:2]), strict=True
    ):
        assert one.dtype == two.dtype and np.array_equal(one, two)
    with pytest.raises(
        ValueError, match=r"s.npz: tables have shapes .* expected .*: of other betting parameters"
    ):
        load_strategy(tmp_path / "new" / "s.npz", build_tree(menu_from([[]], [[]], [[]], [[]])))
    np.savez(tmp_path / "other.npz", policy=np.zeros(3))
    with pytest.raises(ValueError, match=r"other.npz: arrays .'policy'., expected .'buckets_flop'"):
        load_strategy(tmp_path / "other.npz", TREE)
