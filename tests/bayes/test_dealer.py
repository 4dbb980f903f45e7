"""The dealer's value with less luck, and his habits changed one at a time."""

import numpy as np
import pytest

from faceup.bayes.dealer import board_luck, less_luck, with_action_replaced
from faceup.cards.matchups import RUNOUTS_PREFLOP, class_wins
from faceup.holdem.board import N_PAIRS
from faceup.holdem.groups import Groups
from faceup.holdem.match import Table, play_boards, random_boards
from faceup.holdem.policy import FixedPolicy, TablePolicy
from faceup.holdem.rules import CALL
from faceup.holdem.tree import children


@pytest.fixture(scope="module")
def caller(moves):
    """Calls always, but as dealer raises with aces and folds the weaker half of hands before the flop."""
    tree = moves.tree
    rows = [FixedPolicy(tree, CALL).street(street, [])[0].repeat(n, axis=0) for street, n in enumerate((169, 1, 1, 1981))]
    rows[0][0, :3] = 0, 0, 1
    rows[0][85:, :3] = 1, 0, 0
    groups = Groups(np.zeros((1755, 1326), dtype=np.int32), np.zeros((16432, 1326), dtype=np.int32), (169, 1, 1, 1981))
    return TablePolicy(tuple(rows), groups)


def test_who_never_bets_after_the_flop_has_no_other_luck(moves, caller):
    """Such a dealer's value of a board is its luck and what his folds cost, which is the same on all boards."""
    boards = random_boards(6, np.random.default_rng(1))
    exact = np.zeros((169, 169), dtype=np.int64)  # no hand is all-in before the flop
    luck = board_luck(moves.tree, caller, caller, exact, boards)
    values = play_boards(Table(moves.tree, [caller], preflop_wins=exact), boards)[:, 0, 0]
    assert np.ptp(luck) > 1
    np.testing.assert_allclose(values - luck, values[0] - luck[0], atol=1e-3)
    np.testing.assert_allclose(less_luck(values, luck), values[0] - luck[0], atol=1e-3)


def test_the_mean_over_all_boards_is_taken_off(moves, caller):
    """Wins that are the sum of two boards' have a mean that is theirs, but for how many runouts there are."""
    boards = random_boards(2, np.random.default_rng(1))
    wins = sum(class_wins(board[None], np.ones(1)) for board in boards)
    raw = board_luck(moves.tree, caller, caller, np.zeros_like(wins), boards)
    scaled = board_luck(moves.tree, caller, caller, wins * RUNOUTS_PREFLOP, boards)
    assert (raw - scaled) == pytest.approx([raw.sum() * N_PAIRS / (1326 * 1225)] * 2)


def test_a_habit_is_changed_alone(moves, caller):
    fold, call, raise_ = children(moves.tree, 0)
    limps = with_action_replaced(caller, moves.tree, raise_, call, hand=0)
    assert limps.tables[0][0, :3].tolist() == [0, 1, 0] and limps.tables[0][1, :3].tolist() == [0, 1, 0]
    folds = with_action_replaced(caller, moves.tree, call, fold)
    assert folds.tables[0][1:, 0].min() == 1 and folds.tables[0][0, :3].tolist() == [0, 0, 1]
    np.testing.assert_array_equal(folds.tables[0][:, 3:], caller.tables[0][:, 3:])
    assert folds.tables[1] is caller.tables[1]
