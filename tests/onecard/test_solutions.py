"""The fast solver against HiGHS, its certificate, and the rule that picks one equilibrium."""

import numpy as np
import pytest
from one_card_program import program_of_one
from scipy.sparse import csr_array, vstack

from faceup.onecard import solutions
from faceup.onecard.game import SIZES, joint_distribution
from faceup.onecard.linear_program import minimise, solve_for_two, worst_case
from faceup.onecard.solutions import bets, called_share, calls_of, random_games, solve_games, worst_cases


@pytest.fixture(scope="module")
def solved():
    return solve_games(*random_games(200, np.random.default_rng(1)))


def test_two_hundred_random_games_have_the_value_of_player_twos_program(solved):
    for own, other, value in zip(*solved[:3], strict=True):
        assert abs(solve_for_two(joint_distribution(own, other))[0] - value) < 1e-9


def test_both_sides_are_equilibria_by_the_slow_best_responses(solved):
    strategies, calls = bets(solved), calls_of(solved.other, called_share(solved))
    for g in range(20):
        joint = joint_distribution(solved.own[g], solved.other[g])
        assert abs(worst_case(joint, strategies[g]) - solved.value[g]) < 1e-9
        higher = np.tril(np.ones((10, 10)), -1)
        called = np.where(higher[:, :, None] > 0, 1 + SIZES, -SIZES)  # to him with i, called by j
        most = (joint[:, :, None] * (1 - calls[g] + calls[g] * called)).sum(axis=1).max(axis=1).sum()
        assert abs(most - solved.value[g]) < 1e-9


def test_the_fast_best_response_is_algorithm_3_for_any_strategy():
    own, other = random_games(20, np.random.default_rng(2))
    strategies = np.random.default_rng(3).dirichlet(np.full(31, 0.2), (20, 10))
    slow = [worst_case(joint_distribution(p, q), x) for p, q, x in zip(own, other, strategies, strict=True)]
    assert np.allclose(worst_cases(own, other, strategies), slow, atol=1e-12, rtol=0)


def test_games_with_cards_that_are_never_dealt():
    own, other = random_games(300, np.random.default_rng(4))
    rng = np.random.default_rng(5)
    for cards in (own, other):
        cards[rng.random(cards.shape) < 0.5] = 0
        cards[:, rng.integers(10)] += 0.01
        cards /= cards.sum(axis=1, keepdims=True)
    solution = solve_games(own, other)  # certifies itself
    for g in range(0, 300, 15):
        assert abs(solve_for_two(joint_distribution(own[g], other[g]))[0] - solution.value[g]) < 1e-9
    assert (bets(solution)[own == 0][:, 0] == 1).all()


def test_the_chosen_equilibrium_is_the_one_that_the_rule_names(solved):
    """The printed program with the loss, the mean bet and the bets times cards minimised one after the other."""
    strategies = bets(solved)
    for g in range(4):
        program = program_of_one(joint_distribution(solved.own[g], solved.other[g]), SIZES)
        masses = solved.own[g][:, None] * np.broadcast_to(SIZES, (10, 31))
        for tie in (masses, masses * np.arange(10)[:, None]):
            result = minimise(**program)
            program["A_ub"] = vstack([program["A_ub"], csr_array(program["costs"][None])])
            program["b_ub"] = np.append(program["b_ub"], result.fun + 1e-10)
            program["costs"] = np.concatenate([tie.ravel(), np.zeros(310)])
        found, dealt = minimise(**program).x[:310].reshape(10, 31), solved.own[g][:, None]  # a card dealt seldom has more slack
        assert np.allclose(dealt * found, dealt * strategies[g], atol=1e-5)


def test_a_solution_that_is_none_is_not_returned(monkeypatch):
    monkeypatch.setattr(solutions, "called_share", lambda solutions: np.zeros((len(solutions.value), 31)))
    with pytest.raises(RuntimeError, match="is solved to .* only, expected 1e-09"):
        solve_games(*random_games(3, np.random.default_rng(1)))


def test_more_games_never_change_the_first():
    few, more = (random_games(n, np.random.default_rng(1)) for n in (5, 200))
    assert all((a == b[:5]).all() for a, b in zip(few, more, strict=True)) and not np.isin(*more).any()
