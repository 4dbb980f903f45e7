"""What policies do on a board: models hand by hand, tables under renamed suits, files; who passes the litmus test, who fails."""

from types import SimpleNamespace

import numpy as np
import pytest
from games import random_table

from faceup.cards.cards import BOARD_CARDS, N_HOLES, PERMUTED_HOLES, SUIT_PERMUTATIONS, parse_cards
from faceup.cards.equity import UNITS
from faceup.cards.features import HISTORIES, betting_features, board_features
from faceup.holdem.groups import Grid, make_groups
from faceup.holdem.litmus import litmus, never_met
from faceup.holdem.match import random_boards
from faceup.holdem.policy import FixedPolicy, ModelPolicy, free_holes, load_strategy, river_equities, save_strategy
from faceup.holdem.rules import CALL, FOLD, menu_from
from faceup.holdem.tree import build_tree, children, columns, decisions
from faceup.lab.rng import rng

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


def expected_row(node: int, model, hand_features, history: str) -> np.ndarray:
    """Probabilities of a decision's children: the model asked about this one node, masked and renormalised."""
    label = TREE.label[children(TREE, node)]
    told = betting_features(TREE.bets[[node]], TREE.actor[[node]], history)[0]
    x = np.array([[*hand_features, *told]], dtype=np.float32)
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


# the litmus test
POTS = build_tree(menu_from([[]], [[]], [[]], [[1], []]))
ROYAL = [51, 47, 43, 39, 1], [50, 46, 42, 38, 0]  # A K Q J of one suit and a two: only the ten makes what nothing beats
BOARDS = [*random_boards(5, rng(1, "test")).tolist(), *ROYAL]


class Sensible:
    """Bets what nothing beats, folds weak hands, else calls a bet of the pot half the time and all-in never."""

    def __init__(self, suit: float = 0, brave: bool = False):
        self.suit, self.brave = suit, brave  # how much more often hole 2c2d, number 0, bets; whether it calls all-in always

    def street(self, street, board, wanted=None):
        start, end = POTS.street_start[street : street + 2]
        rows = np.zeros((UNITS[3] + 2, end - start))
        for node in decisions(POTS, street):
            below, labels = np.array(children(POTS, node)) - start, POTS.label[children(POTS, node)]
            rows[:, below[labels == CALL]] = 1
            if street == 3:
                bet, fold = below[-1] if labels[-1] > CALL else below[labels == CALL][0], labels[0] == FOLD
                rows[:, below] = np.eye(len(below))[0 if fold else list(labels).index(CALL)]
                if fold and POTS.labels[POTS.label[node]] == "raise_1":
                    rows[200:, below[0]], rows[200:, below[labels == CALL]] = 0.5, 0.5
                rows[UNITS[3] :, below], rows[UNITS[3] :, bet] = 0, 1
                if self.brave and POTS.labels[POTS.label[node]] == "all_in":
                    rows[:, below] = labels == CALL
        row = river_equities(board) if street == 3 else np.zeros(1326, dtype=np.int32)
        rows[-1] = rows[0] * (1 - self.suit) + self.suit / max(end - start, 1)
        row[0] = UNITS[3] + 1 if self.suit and street < 3 else row[0]
        return rows.astype(np.float32), row


def test_a_calling_player_fails_and_sensible_play_passes():
    """The one checks what nothing beats and calls with nothing; what depends on suits is found, and who fears less from more."""
    found = [litmus(POTS, player, BOARDS) for player in (FixedPolicy(POTS, CALL), Sensible(), Sensible(brave=True))]
    assert [one.nuts_checked for one in found] == [(100, 100), (0, 0), (0, 0)]
    assert [one.air_called for one in found] == [(100, 100), (0, 0), (100, 100)]
    assert [one.larger_called for one in found[:2]] == [(0, 0), (0, 0)] and found[2].larger_called[1] > 40
    assert found[0].twins == found[1].twins == 0 and litmus(POTS, Sensible(0.2), BOARDS).twins > 1


def test_infosets_that_play_all_actions_alike_are_counted():
    tables = [np.repeat(FixedPolicy(POTS, None).street(s, [])[0], 4, axis=0) for s in range(4)]
    assert never_met(POTS, tables) == [100] * 4
    tables[3][:2] = FixedPolicy(POTS, CALL).street(3, [])[0]
    assert never_met(POTS, tables) == [100, 100, 100, pytest.approx(50)]
