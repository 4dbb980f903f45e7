"""AIVAT in hold'em: the same mean as plain results, less spread, and holes weighed as one action after the other is played."""

import numpy as np
import pytest
from random_tables import MINE, random_table

from faceup.cards.cards import BOARD_CARDS, HOLE_CARDS
from faceup.holdem.betting.betting_tree import CALL, FOLD
from faceup.holdem.play.aivat import ImaginedSeat, scored_match
from faceup.holdem.play.match import mean_result, random_boards
from faceup.holdem.play.match_tree import make_sides, play_sides
from faceup.holdem.play.sampled_match import deal, play_deals, seated
from faceup.holdem.solve.groups import hole_groups
from faceup.holdem.solve.policy import FixedPolicy


def test_exact_played_and_scored_results_agree(tables, groups, sides):
    agent, opponent = random_table(sides.own[0], groups, 2), random_table(sides.own[1], groups, 3)
    won, scored = scored_match(sides, agent, opponent, tables, 40_000, seed=6)
    bias = mean_result((scored - won).mean(axis=1))
    assert abs(bias.mbb) < 2 * bias.ci95  # 2 x 1.96 standard errors
    less = mean_result(scored.mean(axis=1))
    exact = mean_result(play_sides(sides, [agent], opponent, random_boards(60, seed=5))[0])
    assert abs(less.mbb - exact.mbb) < 2 * np.hypot(less.ci95, exact.ci95)
    assert scored.std() < 0.62 * won.std()


def test_hands_that_end_by_folding_are_scored_as_well(tables, groups, sides):
    """Against one who folds to every bet, so that the agent wins much by it."""
    agent, opponent = random_table(sides.own[0], groups, 2), FixedPolicy(sides.own[1], FOLD)
    won, scored = scored_match(sides, agent, opponent, tables, 4_000, seed=7)
    bias = mean_result((scored - won).mean(axis=1))
    assert abs(bias.mbb) < 2 * bias.ci95


def test_holes_are_weighed_by_the_actions(tables, groups):
    """Each hand's weights, once more from the nodes it passed: the product of the table's probabilities."""
    same = make_sides(MINE, MINE)
    match, agent = same.trees[0], random_table(same.own[0], groups, 5)
    deals = deal(tables, 12, seed=3)
    known = ImaginedSeat(match, match, agent, 0, tables)
    ends = play_deals(match, (known, seated(match, match, FixedPolicy(match, None), 1)), deals, seed=4)
    for i, end in enumerate(ends.tolist()):
        board = deals.cards[i, 4:].tolist()
        wanted = (~np.isin(HOLE_CARDS, deals.cards[i, 2:]).any(axis=1)).astype(float)
        node = end
        while node:
            above = int(match.parent[node])
            if match.actor[above] == 0:
                street = int(match.street[above])
                rows = hole_groups(agent.groups, street, board[: BOARD_CARDS[street]])
                wanted *= agent.tables[street][rows, node - match.street_start[street]]
            node = above
        assert known._weights[i] == pytest.approx(wanted, rel=1e-4, abs=1e-9)


def test_only_tables_are_scored(tables, sides):
    call = FixedPolicy(sides.own[0], CALL)
    with pytest.raises(ValueError, match="agent is a FixedPolicy"):
        scored_match(sides, call, FixedPolicy(sides.own[1], CALL), tables, 100, seed=1)
