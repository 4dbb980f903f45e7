"""How fast one-card games are solved, on all cores, and how that compares to one call of scipy's linprog a game.

linprog is given the paper's program ready-made, as sparse matrices, so that only its own work is timed.
"""

from statistics import median

import numba
import numpy as np
from one_card_program import program_of_one
from report import record, seconds

from faceup.onecard.game import SIZES, joint_distribution
from faceup.onecard.linear_program import minimise
from faceup.onecard.solutions import random_games, solve_games

GAMES = 20_000
RUNS = 3
LINPROG_GAMES = 100


def test_one_card_games() -> None:
    """Games a second, certified, strategies not yet unpacked; the values must be linprog's."""
    own, other = random_games(1, 0, GAMES)
    solve_games(own[:10], other[:10])  # compiles
    solved: list = []
    runs = [seconds(lambda: solved.append(solve_games(own, other))) for _ in range(RUNS)]
    programs = [program_of_one(joint_distribution(own[g], other[g]), SIZES) for g in range(LINPROG_GAMES)]
    values: list[float] = []
    linprog_seconds = seconds(lambda: values.extend(-minimise(**program).fun for program in programs)) / LINPROG_GAMES
    rate = GAMES / median(runs)
    record(
        "human_rules",
        {
            "games_per_second": round(rate),
            "games_per_second_of_runs": [round(GAMES / s) for s in runs],
            "linprog_seconds_per_game": linprog_seconds,
            "speedup_vs_linprog": round(rate * linprog_seconds, 1),
            "threads": numba.get_num_threads(),
        },
    )
    assert np.abs(solved[-1].value[:LINPROG_GAMES] - values).max() < 1e-9
