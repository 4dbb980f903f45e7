"""How fast and how large the equity tables are, and how much faster than enumerating for the same equities.

Enumeration goes, for each hand on each board up to suits, through every completion of the board and every opponent, with the same
evaluator in a compiled loop on the same threads. That would take days: it is timed on random hands and extrapolated.
"""

import json
import random
import subprocess
import sys
from itertools import combinations
from statistics import median

import numba
import numpy as np
from numba import njit, prange
from report import record, seconds

from faceup.cards.equity import BOARD_CARDS
from faceup.cards.strength import _strength

HOLE_BOARD_CLASSES = (1_286_792, 13_960_050, 123_156_254)  # up to suits, on flop, turn and river
PREFLOP_RIVERS = 169 * 2_118_760  # completed boards of the starting hands
SAMPLE = (40, 800, 40_000)  # hands timed on flop, turn and river
MAKE_TABLES = """
import json, resource
from time import perf_counter
from faceup.cards.equity import all_tables
start = perf_counter()
all_tables()
print(json.dumps([perf_counter() - start, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e9]))
"""


@njit(parallel=True)
def enumerate_all(hands, n_cards, runouts, units):
    """2 * wins + ties of each hand, hole and board cards: every runout, by places among the unseen cards, and every opponent."""
    for k in prange(len(hands)):
        unseen = np.array([c for c in range(52) if not (hands[k] == c).any()])
        full = np.empty(7, dtype=np.int64)
        full[:n_cards] = hands[k]
        for runout in runouts:
            full[n_cards:] = unseen[runout]
            ours, other, rest = _strength(full, 7), full.copy(), np.delete(unseen, runout)
            for i in range(len(rest)):
                for j in range(i):
                    other[0], other[1] = rest[i], rest[j]
                    theirs = _strength(other, 7)
                    units[k] += 2 * (ours > theirs) + (ours == theirs)


def seconds_of_enumeration() -> list[float]:
    """Seconds for one hand by enumeration on flop, turn and river, all threads at work."""
    draw, found = random.Random(1), []
    for street, n in zip((1, 2, 3), SAMPLE, strict=True):
        n_cards = 2 + BOARD_CARDS[street]
        hands = np.array([draw.sample(range(52), n_cards) for _ in range(n)], dtype=np.int64)
        runouts = np.array(list(combinations(range(52 - n_cards), 7 - n_cards)), dtype=np.int64)
        enumerate_all(hands[:2], n_cards, runouts, np.zeros(2, dtype=np.int64))  # compiles
        found.append(seconds(lambda: enumerate_all(hands, n_cards, runouts, np.zeros(n, dtype=np.int64))) / n)  # noqa: B023
    return found


def test_equity_tables():
    runs = []
    for _ in range(4):  # the first compiles
        done = subprocess.run([sys.executable, "-c", MAKE_TABLES], check=True, capture_output=True, text=True)
        runs.append(json.loads(done.stdout))
    taken, (flop, turn, river) = median(run[0] for run in runs[1:]), seconds_of_enumeration()
    enumeration = np.dot(HOLE_BOARD_CLASSES, (flop, turn, river)) + PREFLOP_RIVERS * river
    values = {"seconds": taken, "peak_rss_gb": max(run[1] for run in runs), "threads": numba.get_num_threads()}
    record("equity", values | {"speedup_vs_enumeration": enumeration / taken, "enumeration_seconds_extrapolated": enumeration})
