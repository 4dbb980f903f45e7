"""How many iterations of DCFR a second on Leduc, one thread, beside open_spiel's CFR in Python and in C++ on the same tree.

All rates are by processor time, each the best of three runs. An iteration updates both players.
"""

from collections.abc import Callable
from time import process_time

import pytest
from report import record

from faceup.games.cfr import VARIANTS, Cfr
from faceup.leduc.game import LITERATURE, RLCARD, build

RUNS = 3
ITERATIONS = {"ours": 20_000, "cpp": 40, "python": 4}


def rate(advance: Callable[[], None], iterations: int) -> float:
    """Iterations a second of a call that makes so many."""
    seconds = []
    for _ in range(RUNS):
        start = process_time()
        advance()
        seconds.append(process_time() - start)
    return iterations / min(seconds)


def our_rate(rules) -> float:
    """DCFR on a game by these rules."""
    run = Cfr(build(rules).game, VARIANTS["DCFR"])
    run.advance(10)  # compiles
    return rate(lambda: run.advance(ITERATIONS["ours"]), ITERATIONS["ours"])


def their_rate(solver, iterations: int) -> float:
    """An open_spiel solver, after a first iteration."""
    solver.evaluate_and_update_policy()
    return rate(lambda: [solver.evaluate_and_update_policy() for _ in range(iterations)], iterations)


def test_iterations_per_second():
    pyspiel = pytest.importorskip("pyspiel")
    cfr = pytest.importorskip("open_spiel.python.algorithms.cfr")
    game = pyspiel.load_game("leduc_poker")
    literature = our_rate(LITERATURE)
    cpp = their_rate(pyspiel.CFRSolver(game), ITERATIONS["cpp"])
    python = their_rate(cfr.CFRSolver(game), ITERATIONS["python"])
    record(
        "leduc",
        {
            "iterations_per_second": round(our_rate(RLCARD)),
            "literature_iterations_per_second": round(literature),
            "open_spiel_cpp_iterations_per_second": round(cpp, 1),
            "open_spiel_python_iterations_per_second": round(python, 2),
            "speedup_vs_open_spiel_cpp": round(literature / cpp),
            "speedup_vs_open_spiel_python": round(literature / python),
        },
    )
