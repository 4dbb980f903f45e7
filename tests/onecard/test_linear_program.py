"""The one-card game's linear programs: known values, by the fast solver too, player two's own program, best responses."""

import numpy as np
import pytest
from one_card_program import program_of_one

from faceup.lab.tables import published
from faceup.onecard.game import EXAMPLES, SIZES, joint_distribution, random_distributions, strategy_from_text
from faceup.onecard.linear_program import minimise, solve_for_two, worst_case
from faceup.onecard.solutions import bets, solve_games

KNOWN = {"uniform": 0.5657364857, "strong or weak": 0.875, "in between": 0.5}


def solve(joint):
    """Value and bets (cards, sizes) by player one's program."""
    result, cells = minimise(**program_of_one(joint, SIZES)), len(joint) * len(SIZES)
    return -result.fun, result.x[:cells].reshape(-1, len(SIZES))


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_papers_examples(name):
    joint, fast = joint_distribution(*EXAMPLES[name]), solve_games(*(d[None] for d in EXAMPLES[name]))
    found = [solve(joint)[0], solve_for_two(joint)[0], fast.value[0], worst_case(joint, bets(fast)[0])]
    assert found == pytest.approx([KNOWN[name]] * 4, abs=1e-9)
    printed = worst_case(joint, strategy_from_text(published("human_rules")[name].printed))
    assert printed == pytest.approx(0.5657011 if name == "uniform" else KNOWN[name], abs=5e-8)  # rounded in print


def test_any_joint_distribution_not_only_products():
    rng = np.random.default_rng(3)
    joint = rng.random((4, 4)) * (1 - np.eye(4))
    joint /= joint.sum()
    value, strategy = solve(joint)
    assert abs(value - solve_for_two(joint)[0]) < 1e-9
    assert abs(value - worst_case(joint, strategy)) < 1e-9


def best_response_by_program(joint, strategy):
    """What a strategy is worth at worst, by player one's program with his strategy fixed."""
    program, n = program_of_one(joint, SIZES), strategy.size
    rows = program["A_ub"].toarray()
    left = -rows[:, :n] @ strategy.ravel()
    return -minimise(program["costs"][n:], A_ub=rows[:, n:], b_ub=left, bounds=[(None, None)] * n).fun


def test_algorithm_3_equals_the_programs_best_response():
    rng = np.random.default_rng(4)
    for own, other in zip(random_distributions(10, rng), random_distributions(10, rng), strict=True):
        joint, strategy = joint_distribution(own, other), rng.dirichlet(np.full(len(SIZES), 0.3), 10)
        assert abs(worst_case(joint, strategy) - best_response_by_program(joint, strategy)) < 1e-9
