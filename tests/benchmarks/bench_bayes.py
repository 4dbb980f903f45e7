"""How long it takes to count all deals by both players' odds, and how many hands a second the Bayesian player plays.

Times by the clock, on all threads, with nothing beside it.
"""

import numpy as np
from report import record, seconds

from faceup.bayes.enumeration import joint_odds
from faceup.bayes.model import Evaluator, make_model
from faceup.bayes.players import CARRIED, OddsSeat, play_matches
from faceup.bayes.strategies import FINE, make_moves
from faceup.holdem.betting.betting_tree import limit_tree

MATCHES, HANDS = 4096, 10


def test_bayes(tables):
    joint_odds(tables, 10, np.arange(5)[None])  # compiles
    enumeration = seconds(lambda: joint_odds(tables, 10))
    moves = make_moves(limit_tree())
    evaluator = Evaluator(make_model(joint_odds(tables, FINE), 10, (0.1, -0.1, -0.3), 0.02), moves)
    opponents = [OddsSeat(moves, tables, np.array([0.0]))]
    play_matches(evaluator, tables, opponents, CARRIED, 10, 1, 0)
    taken = seconds(lambda: play_matches(evaluator, tables, opponents, CARRIED, MATCHES, HANDS, 1))
    record("bayes", {"enumeration_seconds": round(enumeration, 1), "hands_per_second": round(2 * MATCHES * HANDS / taken)})
