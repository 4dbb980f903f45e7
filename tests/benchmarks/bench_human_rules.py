"""How fast one-card games are solved, on all cores, and how that compares to one call of scipy's linprog a game.

linprog is given the paper's program ready-made, as sparse matrices, so that only its own work is timed.
"""

import numpy as np
from one_card_program import minimise, program_of_one
from report import record, seconds

from faceup.onecard.game import SIZES, joint_distribution, random_games
from faceup.onecard.solutions import solve_games

GAMES, LINPROG_GAMES = 20_000, 100


def test_one_card_games() -> None:
    """Games a second, certified, strategies not yet unpacked."""
    own, other = random_games(GAMES, np.random.default_rng(1))
    solve_games(own[:10], other[:10])  # compiles
    rate = GAMES / seconds(lambda: solve_games(own, other), 3)
    programs = [program_of_one(joint_distribution(own[g], other[g]), SIZES) for g in range(LINPROG_GAMES)]
    linprog = seconds(lambda: [minimise(**program) for program in programs]) / LINPROG_GAMES
    record("human_rules", {"games_per_second": round(rate), "speedup_vs_linprog": round(rate * linprog, 1)})
