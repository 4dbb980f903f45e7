"""The fast solver against the paper's linear program by HiGHS, its certificate, and the rule that picks one equilibrium."""

import numpy as np
import pytest
from one_card_program import minimise, program_of_one, value_of, worst_case
from scipy.sparse import csr_array, vstack

from faceup.lab.tables import published
from faceup.onecard import solutions
from faceup.onecard.game import EXAMPLES, SIZES, joint_distribution, random_games, strategy_from_text
from faceup.onecard.solutions import answers_to_calls, bets, called_share, calls_of, solve_games, worst_cases

KNOWN = {"uniform": 0.5657364857, "strong or weak": 0.875, "in between": 0.5}


@pytest.fixture(scope="module")
def solved():
    return solve_games(*random_games(200, np.random.default_rng(1)))


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_papers_examples(name):
    own, other = (d[None] for d in EXAMPLES[name])
    fast, printed = solve_games(own, other), strategy_from_text(published("human_rules")[name].printed)
    assert [fast.value[0], value_of(joint_distribution(own, other)[0], SIZES)] == pytest.approx([KNOWN[name]] * 2, abs=1e-9)
    guaranteed = 0.5657011 if name == "uniform" else KNOWN[name]  # rounded in print
    assert worst_cases(own, other, printed[None])[0] == pytest.approx(guaranteed, abs=5e-8)


def test_two_hundred_random_games_have_the_value_of_the_papers_program(solved):
    for own, other, value in zip(*solved[:3], strict=True):
        assert abs(value_of(joint_distribution(own, other), SIZES) - value) < 1e-9


def test_both_sides_are_equilibria_by_slow_best_responses(solved):
    strategies, calls = bets(solved), calls_of(solved.other, called_share(solved))
    for g in range(20):
        joint = joint_distribution(solved.own[g], solved.other[g])
        assert abs(worst_case(joint, strategies[g], SIZES) - solved.value[g]) < 1e-9
        higher = np.tril(np.ones((10, 10)), -1)
        called = np.where(higher[:, :, None] > 0, 1 + SIZES, -SIZES)  # to him with i, called by j
        most = (joint[:, :, None] * (1 - calls[g] + calls[g] * called)).sum(axis=1).max(axis=1).sum()
        assert abs(most - solved.value[g]) < 1e-9
    np.testing.assert_allclose(answers_to_calls(solved.own, solved.other, calls), solved.value, atol=1e-9, rtol=0)


def test_the_best_response_is_algorithm_3_and_the_programs_for_any_strategy():
    own, other = random_games(20, np.random.default_rng(2))
    strategies = np.random.default_rng(3).dirichlet(np.full(31, 0.2), (20, 10))
    found = worst_cases(own, other, strategies)
    for g, strategy in enumerate(strategies):
        joint, n = joint_distribution(own[g], other[g]), strategy.size
        program = program_of_one(joint, SIZES)  # and his strategy is fixed
        left = -program["A_ub"][:, :n] @ strategy.ravel()
        fixed = minimise(program["costs"][n:], A_ub=program["A_ub"][:, n:], b_ub=left, bounds=[(None, None)] * n)
        assert [-fixed.fun, worst_case(joint, strategy, SIZES)] == pytest.approx([found[g]] * 2, abs=1e-9)


def test_games_with_cards_that_are_never_dealt():
    own, other = random_games(300, np.random.default_rng(4))
    rng = np.random.default_rng(5)
    for cards in (own, other):
        cards[rng.random(cards.shape) < 0.5] = 0
        cards[:, rng.integers(10)] += 0.01
        cards /= cards.sum(axis=1, keepdims=True)
    solution = solve_games(own, other)  # certifies itself
    for g in range(0, 300, 15):
        assert abs(value_of(joint_distribution(own[g], other[g]), SIZES) - solution.value[g]) < 1e-9
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
