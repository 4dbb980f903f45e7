"""All types against each other: the same deals played action by action."""

from functools import partial

import numpy as np

from faceup.papers.bayes.deals import deal_hands
from faceup.papers.bayes.players import OddsSeat, deal_bins, play_pairs
from faceup.papers.bayes.strategies import FINE
from faceup.papers.bayes.types import play_shifts
from faceup.util.rng import rng

STREAM = partial(rng, 1, "test")
SHIFTS = (-0.8, -0.3, -0.1, 0, 0.1, 0.25, 0.8)


def test_types_win_from_each_other_what_they_win_action_by_action(moves, equities):
    """The same 3,000 deals in both engines; always-raise wins 750 from always-fold."""
    deals = deal_hands(equities, 3000, STREAM())
    odds = np.stack([deal_bins(equities, deals, player, FINE).T for player in range(2)], axis=1)
    winner = np.sign(deals.strengths[:, 0] - deals.strengths[:, 1]).astype(np.int8)
    found = play_shifts(moves, odds, winner, np.array(SHIFTS))
    seats = [OddsSeat(moves, equities, np.array([shift])) for shift in SHIFTS]
    expected = play_pairs(moves, equities, seats, 3000, STREAM)
    apart = ~np.eye(len(SHIFTS), dtype=bool)
    np.testing.assert_allclose(found[apart], expected[apart], rtol=1e-9, atol=1e-9)
    assert (np.diagonal(found) == 0).all() and found[0, -1].tolist() == [750, 0]
