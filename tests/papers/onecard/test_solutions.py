"""The fast solver against the paper's linear program by HiGHS, and its choice of equilibrium."""

from itertools import product

import numpy as np
import pytest
from one_card_program import best_answer, minimize, one_card_game, program, value_of, worst_case
from scipy.sparse import csr_array, vstack

from faceup.lab.tables import published
from faceup.papers.onecard import solutions
from faceup.papers.onecard.game import (
    EXAMPLES,
    SIZES,
    joint_distribution,
    random_games,
    strategy_from_text,
)
from faceup.papers.onecard.solutions import (
    best_response_values,
    betting_strategies,
    calling_shares,
    calling_strategies,
    solve_games,
    worst_case_values,
)

KNOWN = {"uniform": 0.5657364857, "strong or weak": 0.875, "in between": 0.5}


def game_of(own, other):
    return one_card_game(joint_distribution(own, other), SIZES)


@pytest.fixture(scope="module")
def solved():
    return solve_games(*random_games(20, np.random.default_rng(1)))


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_papers_examples(name):
    own, other = (d[None] for d in EXAMPLES[name])
    fast = solve_games(own, other)
    printed = strategy_from_text(published("human_rules")[name].printed)
    assert [fast.value[0], value_of(*game_of(own[0], other[0]))] == pytest.approx(
        [KNOWN[name]] * 2, abs=1e-9
    )
    guaranteed = 0.5657011 if name == "uniform" else KNOWN[name]  # rounded in print
    assert worst_case_values(own, other, printed[None])[0] == pytest.approx(guaranteed, abs=5e-8)


def test_random_games_have_the_value_of_the_papers_program_and_both_sides_are_equilibria(solved):
    strategies = betting_strategies(solved)
    calls = calling_strategies(solved.other, calling_shares(solved))
    for own, other, value, bet, call in zip(*solved[:3], strategies, calls, strict=True):
        game = game_of(own, other)
        found = value_of(*game), worst_case(*game, bet), best_answer(*game, call)
        assert found == pytest.approx((value,) * 3, rel=0, abs=1e-9)


def test_best_responses_are_algorithm_3_and_plain_sums_for_any_strategy():
    (own, other), rng = random_games(20, np.random.default_rng(2)), np.random.default_rng(3)
    strategies, calls = rng.dirichlet(np.full(31, 0.2), (20, 10)), rng.random((20, 10, 31))
    found = worst_case_values(own, other, strategies), best_response_values(own, other, calls)
    for g, game in enumerate(map(game_of, own, other)):
        expected = worst_case(*game, strategies[g]), best_answer(*game, calls[g])
        assert (found[0][g], found[1][g]) == pytest.approx(expected, abs=1e-9)


def test_games_with_cards_that_are_never_dealt():
    own, other = random_games(30, np.random.default_rng(4))
    rng = np.random.default_rng(5)
    for cards in (own, other):
        cards[rng.random(cards.shape) < 0.5] = 0
        cards[:, rng.integers(10)] += 0.01
        cards /= cards.sum(axis=1, keepdims=True)
    solution = solve_games(own, other)  # certifies itself
    for g in range(0, 30, 3):
        assert abs(value_of(*game_of(own[g], other[g])) - solution.value[g]) < 1e-9
    assert (betting_strategies(solution)[own == 0][:, 0] == 1).all()


def test_the_chosen_equilibrium_is_the_one_that_the_rule_names(solved):
    """The printed program, minimizing loss, then bets times cards, or their negative; the mean bet,
    which the rule does not name, is the same in all equilibria.
    """
    turned = solve_games(solved.own, solved.other, reversed_ties=True)
    strategies = betting_strategies(solved), betting_strategies(turned)
    masses = solved.own[:, :, None] * np.broadcast_to(SIZES, (10, 31))
    mean_bets = [(masses * strategy).sum(axis=(1, 2)) for strategy in strategies]
    assert mean_bets[0] == pytest.approx(mean_bets[1], abs=1e-12)
    for g, sign in product(range(4), (1, -1)):
        terms = program(*game_of(solved.own[g], solved.other[g]))
        result = minimize(**terms)
        terms["A_ub"] = vstack([terms["A_ub"], csr_array(terms["costs"][None])])
        terms["b_ub"] = np.append(terms["b_ub"], result.fun + 1e-10)
        terms["costs"] = np.append(
            sign * (masses[g] * np.arange(10)[:, None]).ravel(), np.zeros(310)
        )
        # a card dealt seldom has more slack
        found, dealt = minimize(**terms).x[:310].reshape(10, 31), solved.own[g][:, None]
        assert np.allclose(dealt * found, dealt * strategies[sign < 0][g], atol=1e-5)


def test_a_solution_that_is_none_is_not_returned(monkeypatch):
    monkeypatch.setattr(
        solutions, "calling_shares", lambda solutions: np.zeros((len(solutions.value), 31))
    )
    with pytest.raises(RuntimeError, match="is solved to .* only, expected 1e-09"):
        solve_games(*random_games(3, np.random.default_rng(1)))
