"""Matches, action values and deviations against brute force; hands that end preflop."""

import numpy as np
import pytest
from games import (
    BOARD,
    MINE,
    SMALL,
    RandomPolicy,
    node_reach,
    node_values,
    pair_outcomes,
    random_table,
)

from faceup.cards.cards import CLASS_OF_HOLE, hole_index, parse_cards
from faceup.holdem import match
from faceup.holdem.action_values import action_values
from faceup.holdem.betting_tree import build_tree, children, columns
from faceup.holdem.policy import FixedPolicy
from faceup.holdem.rules import CALL, DECISION, FOLD, FOLD_END
from faceup.papers.hunl.deviations import deviations
from faceup.util.stats import student_95

TREE = build_tree(MINE)
ALL_IN = len(SMALL.labels) - 1
POLICIES = [
    RandomPolicy(SMALL, 1),
    RandomPolicy(SMALL, 2),
    *(FixedPolicy(SMALL, label) for label in (FOLD, CALL, ALL_IN)),
]
HOLES, OUTCOME = pair_outcomes(BOARD)
APART = ~np.isnan(OUTCOME)


def test_matches_equal_brute_force():
    """With all holes and with few, in both seats."""
    table, few = match.Match(SMALL, POLICIES), np.random.default_rng(0).random(1326) < 0.05
    for subset, pairs in ((None, ((0, 1), (1, 0), (0, 0))), (few, ((0, 4), (4, 1)))):
        wins = table.play(BOARD, subset)
        n_pairs = APART.sum() if subset is None else APART[np.ix_(few[HOLES], few[HOLES])].sum()
        for i, j in pairs:
            _, value = node_values(SMALL, (POLICIES[i], POLICIES[j]), BOARD, subset=subset)
            tolerance = 0.05 if subset is None else 0.01  # dollars; stakes reach 20,000 in float32
            assert wins[i, j] == pytest.approx(value[0, 0].sum() / n_pairs, rel=1e-4, abs=tolerance)


def test_values_of_actions_equal_brute_force_and_a_decision_is_worth_their_mean():
    found = action_values(SMALL, *POLICIES[:2], BOARD)
    for player, seats in enumerate((POLICIES[:2], POLICIES[1::-1])):
        value, reach = node_values(SMALL, seats, BOARD)[1], node_reach(SMALL, seats, BOARD, HOLES)
        np.testing.assert_allclose(
            found.value[player][:, HOLES], value[player], rtol=2e-4, atol=2.0
        )
        np.testing.assert_allclose(found.own_reach[player][:, HOLES], reach[player], rtol=1e-4)
        np.testing.assert_allclose(
            found.opposing_reach[player][:, HOLES], reach[1 - player] @ APART, rtol=1e-4, atol=1e-4
        )
    for node in np.flatnonzero(SMALL.kind == DECISION):
        below = children(SMALL, node)
        mixed = (found.probability[below] * found.value[SMALL.actor[node], below]).sum(axis=0)
        np.testing.assert_allclose(
            found.value[SMALL.actor[node], node], mixed, rtol=1e-4, atol=1e-2
        )
        np.testing.assert_allclose(found.probability[below].sum(axis=0), 1, rtol=1e-4)


def test_deviations_of_hands_and_duplicates_equal_brute_force():
    ends, won, squares = np.flatnonzero(SMALL.kind != DECISION), [], []
    for seats in (POLICIES[:2], POLICIES[1::-1]):
        small, big = node_reach(SMALL, seats, BOARD, HOLES)
        mean, square = np.zeros((2, *OUTCOME.shape))
        for end in ends:
            put = SMALL.bets[end].sum(axis=1)
            folded = SMALL.kind[end] == FOLD_END
            sign = (-1 if SMALL.actor[end] == 0 else 1) if folded else np.nan_to_num(OUTCOME)
            dollars = sign * (put[SMALL.actor[end]] if folded else put.min())
            chance = np.outer(small[end], big[end])
            mean, square = mean + chance * dollars, square + chance * dollars**2
        won.append(mean)
        squares.append(square)
    expected = (squares[0] + squares[1]) / 2, (sum(squares) - 2 * won[0] * won[1]) / 4
    expected = [np.sqrt(square[APART].mean()) for square in expected]
    assert deviations(SMALL, *POLICIES[:2], [BOARD]) == pytest.approx(expected, rel=1e-4)


def test_deviations_by_hand():
    """Folding loses 50 as small blind and wins it from a small blind who folds, too."""
    folds, calls = POLICIES[2:4]
    assert deviations(SMALL, folds, folds, [BOARD]) == (50, 0)
    # the caller wins 50 and, as small blind, has its limp checked down, for 100 or a tie
    shown = 100**2 * (OUTCOME[APART] != 0).mean()
    hand, _ = deviations(SMALL, folds, calls, [BOARD])
    assert hand == pytest.approx(np.sqrt((50**2 + shown) / 2))


def test_only_wanted_pairs_are_played():
    agents = [random_table(TREE, seed) for seed in (5, 6, 8)]
    boards = match.random_boards(2, np.random.default_rng(7))
    every = match.play_boards(match.Match(TREE, agents), boards)
    assert every.all()
    wanted = np.array([[False, False, True], [True, False, False], [False] * 3])
    assert np.array_equal(
        match.play_boards(match.Match(TREE, agents, wanted), boards), np.where(wanted, every, 0)
    )


def test_results_against_one_opponent_are_those_of_the_pairs():
    opponent, *policies = (random_table(TREE, seed) for seed in (5, 6, 8))
    boards = match.random_boards(3, np.random.default_rng(7))
    every = match.play_boards(match.Match(TREE, [opponent, *policies]), boards)
    won = match.play_against(TREE, opponent, policies, boards)
    assert [*map(match.mean_result, won)] == [match.result(every, k, 0) for k in (1, 2)]


def test_results_are_half_of_both_seats():
    """In dollars: 3 won as small blind and 1 lost as big blind are 1 dollar a game, 10 mbb."""
    values = np.zeros((2, 3, 3))
    values[:, 0, 1], values[:, 1, 0], values[:, 0, 2] = 3, 1, [0.2, 0.6]
    assert match.result(values, 0, 1) == (10, 0, 2)
    # from two boards, of standard error 1
    assert match.result(values, 0, 2) == (2, pytest.approx(student_95(2)), 2)
    assert -match.result(values, 0, 2) == (-2, pytest.approx(student_95(2)), 2)
    assert match.mean_result(np.array([1.0, 3.0])) == (2, pytest.approx(student_95(2)), 2)


def test_argmax_takes_the_likeliest_action():
    """The first among equals."""
    policy = random_table(TREE, 10)
    policy.tables[0][0, columns(TREE, 0)] = 1 / TREE.n_children[0]
    found = policy.argmax(TREE)
    for node in np.flatnonzero(TREE.kind == DECISION)[::20]:  # the root first
        given, kept = (p.tables[TREE.street[node]][:, columns(TREE, node)] for p in (policy, found))
        np.testing.assert_array_equal(kept, np.eye(given.shape[1])[given.argmax(axis=1)])


def test_hands_that_end_before_the_flop_are_known(all_in_wins):
    """All-in against a call with aces alone: it wins the blind, or 14.8 % with random cards."""
    shove, nits = FixedPolicy(TREE, len(TREE.labels) - 1), random_table(TREE, 12)
    labels = TREE.label[slice(*TREE.street_start[:2])]
    nits.tables[0][:] = labels == FOLD
    nits.tables[0][CLASS_OF_HOLE[hole_index(*parse_cards("AcAd"))]] = labels == CALL
    table = match.Match(TREE, [shove, nits], preflop_wins=all_in_wins)
    called = 6 / 1326
    expected = (1 - called) * 100 + called * 20_000 * (1 - 2 * 0.852)
    assert table.play(BOARD)[0, 1] == pytest.approx(expected, abs=0.3)
    assert table.play(BOARD)[0, 1] == pytest.approx(
        table.play(parse_cards("2c2d2h3s3c"))[0, 1], abs=1e-6
    )
