"""All types against each other, and best responses to one: the same deals played action by action, and the generic responder."""

from functools import partial

import numpy as np
import pytest

from faceup.bayes.deals import deal_hands
from faceup.bayes.players import OddsSeat, deal_bins, play_pairs
from faceup.bayes.strategies import FINE
from faceup.bayes.types import OddsPolicy, play_shifts, type_responder
from faceup.cards.cards import BOARD_CARDS
from faceup.holdem.best_response import Responder
from faceup.holdem.policy import free_holes, street_reach
from faceup.lab.rng import rng

STREAM = partial(rng, 1, "test")
SHIFTS = (-0.8, -0.3, -0.1, 0, 0.1, 0.25, 0.8)


def test_types_win_from_each_other_what_they_win_action_by_action(moves, tables):
    """The same 3,000 deals in both engines. Who always raises wins 750 from who always folds to a bet: 500 or 1,000 by seat."""
    deals = deal_hands(tables, 3000, STREAM(0))
    odds = np.stack([deal_bins(tables, deals, player, FINE).T for player in range(2)], axis=1)
    winner = np.sign(deals.strengths[:, 0] - deals.strengths[:, 1]).astype(np.int8)
    found = play_shifts(moves, odds, winner, np.array(SHIFTS))
    seats = [OddsSeat(moves, tables, np.array([shift])) for shift in SHIFTS]
    expected = play_pairs(moves, tables, seats, 3000, STREAM)
    apart = ~np.eye(len(SHIFTS), dtype=bool)
    np.testing.assert_allclose(found[apart], expected[apart], rtol=1e-9, atol=1e-9)
    assert (np.diagonal(found) == 0).all() and found[0, -1].tolist() == [750, 0]


@pytest.mark.parametrize("shift", [0.1, -0.3])
def test_a_type_as_a_policy_does_what_its_seat_does(moves, tables, shift):
    policy, deals = OddsPolicy(moves, tables, shift), deal_hands(tables, 40, np.random.default_rng(2))
    tree, acts = moves.tree, [OddsSeat(moves, tables, np.array([shift])).start(deals, player) for player in range(2)]
    for street in range(4):
        nodes = np.flatnonzero((tree.kind == 0) & (tree.street == street))[::7]
        for i, cards in enumerate(deals.cards[:, 4:].tolist()):
            table, row = policy.street(street, cards[: BOARD_CARDS[street]])
            for player, act in enumerate(acts):
                after = act(street, np.full(len(nodes), i), nodes, np.zeros(len(nodes)))
                assert (table[row[deals.holes[i, player]], after - tree.street_start[street]] == 1).all()
        np.testing.assert_array_equal(np.unique(table), [0, 1])


@pytest.mark.parametrize("shift", [0.1, -0.3])
def test_rivers_of_a_type_equal_those_of_the_generic_responder(moves, tables, all_in_wins, shift):
    """One turn board, two rivers, one of which stands for two: all values before the river's betting."""
    tree, board = moves.tree, [5, 13, 32, 40]
    policy = OddsPolicy(moves, tables, shift)
    fast, generic = type_responder(policy, all_in_wins), Responder(tree, policy, all_in_wins)
    reach = generic._start(board[:3]) * free_holes(board)
    street_reach(tree, 2, policy.street(2, board), reach)
    boards, images = np.array([[*board, river] for river in (0, 21)]), np.array([[0, -1, -1, -1], [0, 3, -1, -1]])
    rivers = boards, images, np.array([policy.street(3, river)[1] for river in boards.tolist()])
    values = []
    for responder in (fast, generic):
        value, leaks = responder._nothing_yet(reach)
        responder._rivers.add(rivers, policy.tables[3], reach, value, leaks)
        values.append(value)
    assert np.abs(values[0]).max() > 1e5  # dollars, times holes of the type
    np.testing.assert_allclose(*values, rtol=1e-4, atol=1)
