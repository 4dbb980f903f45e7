"""How many iterations of DCFR a second on Leduc, one thread, beside open_spiel's CFR in C++ on the same tree."""

import pytest
from report import record, seconds

from faceup.games.cfr import VARIANTS, Cfr
from faceup.leduc.game import LITERATURE, RLCARD, build


def our_rate(rules) -> float:
    """DCFR on a game by these rules."""
    run = Cfr(build(rules).form, VARIANTS["DCFR"])
    run.advance(10)  # compiles
    return 20_000 / seconds(lambda: run.advance(20_000))


def test_iterations_per_second():
    pyspiel = pytest.importorskip("pyspiel")
    literature, solver = our_rate(LITERATURE), pyspiel.CFRSolver(pyspiel.load_game("leduc_poker"))
    theirs = 1 / seconds(solver.evaluate_and_update_policy, 40)
    rates = {"iterations_per_second": round(our_rate(RLCARD)), "literature_iterations_per_second": round(literature)}
    record("leduc", rates | {"speedup_vs_open_spiel_cpp": round(literature / theirs)})
