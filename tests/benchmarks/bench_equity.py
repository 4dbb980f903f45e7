"""How fast and how large the equity tables are, and how much faster than enumerating for the same equities.

Enumeration goes, for each hand on each board, through every completion of the board and every opponent, with
the same evaluator in a compiled loop on the same threads. It is given the benefit of suits: each class of
(hole, board) up to suits is counted once, although our tables hold some of them several times. All of it
would take days, so that it is timed on random hands of each street and extrapolated; each sampled equity must
equal the tables'.
"""

import json
import random
import subprocess
import sys
from functools import partial
from itertools import combinations
from statistics import median

import numba
import numpy as np
from numba import njit, prange
from report import record, seconds

from faceup.cards.cards import PERMUTED_HOLES, canonical, hole_index
from faceup.cards.equity import BOARD_CARDS, all_tables
from faceup.cards.strength import _strength

RUNS = 3
HOLE_BOARD_CLASSES = (1_286_792, 13_960_050, 123_156_254)  # up to suits, on flop, turn and river
PREFLOP_RIVERS = 169 * 2_118_760  # completed boards of the starting hands
SAMPLE = (40, 800, 40_000)  # hands timed on flop, turn and river
MAKE_TABLES = """
import json, resource
from time import perf_counter
from faceup.cards.equity import all_tables
start = perf_counter()
all_tables()
seconds = perf_counter() - start
print(json.dumps([seconds, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e9]))
"""


def make_tables() -> tuple[float, float]:
    """Seconds for all tables in a new process, and its peak memory in GB."""
    done = subprocess.run([sys.executable, "-c", MAKE_TABLES], check=True, capture_output=True, text=True)
    return tuple(json.loads(done.stdout))


@njit
def _enumerate(cards, n_cards, runouts):
    """2 * wins + ties of cards[0], cards[1] on the board cards[2:n_cards]: every runout, by places among the unseen cards, and
    every pair of an opponent."""
    unseen = np.array([c for c in range(52) if not (cards[:n_cards] == c).any()])
    full, units = np.empty(7, dtype=np.int64), 0
    full[:n_cards] = cards[:n_cards]
    for runout in runouts:
        full[n_cards:] = unseen[runout]
        ours, other, rest = _strength(full, 7), full.copy(), np.delete(unseen, runout)
        for i in range(len(rest)):
            for j in range(i):
                other[0], other[1] = rest[i], rest[j]
                theirs = _strength(other, 7)
                units += 2 * (ours > theirs) + (ours == theirs)
    return units


@njit(parallel=True)
def _enumerate_all(hands, n_cards, runouts, units):
    for i in prange(len(hands)):
        units[i] = _enumerate(hands[i], n_cards, runouts)


def seconds_of_enumeration(tables) -> list[float]:
    """Seconds for one hand by enumeration on flop, turn and river, all threads at work; checks the equities."""
    draw, found = random.Random(1), []
    for street, n in zip((1, 2, 3), SAMPLE, strict=True):
        n_cards = 2 + BOARD_CARDS[street]
        hands = np.array([draw.sample(range(52), n_cards) for _ in range(n)], dtype=np.int64)
        runouts = np.array(list(combinations(range(52 - n_cards), 7 - n_cards)), dtype=np.int64)
        units = np.empty(n, dtype=np.int64)
        _enumerate_all(hands[:2], n_cards, runouts, units)  # compiles
        found.append(seconds(partial(_enumerate_all, hands, n_cards, runouts, units)) / n)
        for hand, equity in zip(hands.tolist(), units.tolist(), strict=True):
            row, permutation = canonical(hand[2:])
            assert tables[street].equity[row, PERMUTED_HOLES[permutation, hole_index(*hand[:2])]] == equity
    return found


def test_equity_tables():
    make_tables()  # compiles and stores the kernels
    runs = [make_tables() for _ in range(RUNS)]
    middle = median(run[0] for run in runs)
    flop, turn, river = seconds_of_enumeration(all_tables())
    enumeration = np.dot(HOLE_BOARD_CLASSES, (flop, turn, river)) + PREFLOP_RIVERS * river
    record(
        "equity",
        {
            "seconds": middle,
            "seconds_of_runs": [run[0] for run in runs],
            "peak_rss_gb": max(run[1] for run in runs),
            "threads": numba.get_num_threads(),
            "speedup_vs_enumeration": enumeration / middle,
            "enumeration_seconds_extrapolated": enumeration,
            "enumeration_sample_hands": dict(zip(("flop", "turn", "river"), SAMPLE, strict=True)),
        },
    )
