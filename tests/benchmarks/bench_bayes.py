"""How long it takes to count all deals by both players' odds, and how many hands a second the Bayesian player plays.

Times by the clock, on all threads, with nothing beside it.
"""

from time import perf_counter

import numpy as np
from report import record

from faceup.bayes.enumeration import joint_odds
from faceup.bayes.model import Evaluator, make_model
from faceup.bayes.players import CARRIED, OddsSeat, play_matches
from faceup.bayes.strategies import FINE, make_moves
from faceup.holdem.betting.betting_tree import limit_tree

MATCHES, HANDS = 4096, 10


def test_bayes(tables):
    joint_odds(tables, 10, np.arange(5)[None])  # compiles
    start = perf_counter()
    joint_odds(tables, 10)
    enumeration = perf_counter() - start
    moves = make_moves(limit_tree())
    evaluator = Evaluator(make_model(joint_odds(tables, FINE), 10, (0.1, -0.1, -0.3), 0.02), moves)
    opponents = [OddsSeat(moves, tables, np.array([0.0]))]
    play_matches(evaluator, tables, opponents, CARRIED, 10, 1, 0)
    start = perf_counter()
    play_matches(evaluator, tables, opponents, CARRIED, MATCHES, HANDS, 1)
    rate = 2 * MATCHES * HANDS / (perf_counter() - start)
    record("bayes", {"enumeration_seconds": round(enumeration, 1), "hands_per_second": round(rate)})
