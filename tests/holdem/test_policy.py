"""What policies do on a board: models asked once, tables under renamed suits, files; who passes the
litmus test, who fails.
"""

from types import SimpleNamespace

import numpy as np
import pytest
from games import RandomPolicy, random_table

from faceup.cards.cards import BOARD_CARDS, N_HOLES, PERMUTED_HOLES, SUIT_PERMUTATIONS, parse_cards
from faceup.cards.equity import UNITS
from faceup.cards.features import board_features
from faceup.holdem.board import free_holes
from faceup.holdem.buckets import Grid, make_buckets
from faceup.holdem.litmus import litmus, never_met
from faceup.holdem.match import random_boards
from faceup.holdem.policy import FixedPolicy, ModelPolicy, river_equities
from faceup.holdem.rules import CALL, FOLD, menu_from
from faceup.holdem.strategy_file import load_strategy, save_strategy
from faceup.holdem.tree import build_tree, children, columns, decisions
from faceup.util.rng import rng

BOARD = parse_cards("Kh3sJc7d7c")
TREE = build_tree(menu_from([[1, 2], []], [[1], []], [[1]], [[]]))


def test_models_are_asked_only_for_wanted_holes_once_a_board_and_once_for_what_they_see(tables):
    asked = []

    def predict(X):
        asked.append(len(X))
        return np.ones((len(X), len(TREE.labels)))

    policy = ModelPolicy(TREE, [SimpleNamespace(predict=predict)] * 4, tables)
    wanted = np.isin(np.arange(N_HOLES), np.flatnonzero(free_holes(BOARD))[:5])
    for _ in range(2):
        policy.street(2, BOARD[:4], wanted)
    seen = board_features(2, tables[2], BOARD[:4])[wanted]
    assert asked == [len(np.unique(seen, axis=0)) * len(policy.betting_inputs[2].features)]


@pytest.fixture(scope="module")
def strategy(tables):
    return random_table(
        TREE, 3, make_buckets(tables[1], tables[2], Grid(100, 1, ()), Grid(100, 1, ()))
    )


@pytest.mark.parametrize("street", range(4))
def test_groups_know_no_suits(strategy, street):
    """Renaming the suits of board and hole leaves the hole's group, and so what the policy does, as
    it was.
    """
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
    assert back.buckets.n_buckets == strategy.buckets.n_buckets and all(
        type(n) is int for n in back.buckets.n_buckets
    )
    for one, two in zip(
        (*strategy.tables, *strategy.buckets[:2]), (*back.tables, *back.buckets[:2]), strict=True
    ):
        assert one.dtype == two.dtype and np.array_equal(one, two)
    with pytest.raises(
        ValueError, match=r"s.npz: tables have shapes .* expected .*: of other betting parameters"
    ):
        load_strategy(tmp_path / "new" / "s.npz", build_tree(menu_from([[]], [[]], [[]], [[]])))


# the litmus test
POTS = build_tree(menu_from([[]], [[]], [[]], [[1], []]))
# A K Q J of one suit and a two: only the ten makes what nothing beats
ROYAL = [51, 47, 43, 39, 1], [50, 46, 42, 38, 0]
BOARDS = [*random_boards(5, rng(1, "test")).tolist(), *ROYAL]


class ByEquity:
    """Checks and calls, but with less than an equity of a twentieth folds, and with what nothing
    beats is all-in.
    """

    def street(self, street, board, wanted=None):
        call, fold, all_in = (
            FixedPolicy(POTS, label).street(street, board)[0]
            for label in (CALL, FOLD, len(POTS.labels) - 1)
        )
        rows = np.concatenate([fold, call, all_in])
        equity = river_equities(board) if street == 3 else np.full(N_HOLES, UNITS[3] // 2)
        return rows, np.searchsorted([UNITS[3] / 20, UNITS[3]], equity, side="right")


def test_a_calling_player_fails_and_sensible_play_passes():
    """The one checks what nothing beats and calls with nothing; who fears less from more is found,
    and what depends on suits.
    """
    brave = FixedPolicy(POTS, CALL)
    for node in decisions(POTS, 3):
        if POTS.labels[POTS.label[node]] == "raise_1":
            brave.tables[3][:, columns(POTS, node)] = POTS.label[children(POTS, node)] == FOLD
    found = [
        litmus(POTS, player, BOARDS) for player in (FixedPolicy(POTS, CALL), ByEquity(), brave)
    ]
    assert [one.nuts_checked for one in found] == [(100, 100), (0, 0), (100, 100)]
    assert [one.air_called for one in found] == [(100, 100), (0, 0), (100, 100)]
    assert [one.larger_called for one in found] == [(0, 0), (0, 0), (100, 100)]
    assert (
        found[0].twins == found[1].twins == 0
        and litmus(POTS, RandomPolicy(POTS, 1), BOARDS).twins > 1
    )


def test_infosets_that_play_all_actions_alike_are_counted():
    tables = [np.repeat(FixedPolicy(POTS, None).street(s, [])[0], 4, axis=0) for s in range(4)]
    assert never_met(POTS, tables) == [100] * 4
    tables[3][:2] = FixedPolicy(POTS, CALL).street(3, [])[0]
    assert never_met(POTS, tables) == [100, 100, 100, pytest.approx(50)]
