"""Hands really played: cards and chips against the rules engine, results against the exact sums."""

from itertools import product

import numpy as np
import pytest
from pokerkit_table import play_hand
from random_tables import MINE, random_models, random_table

from faceup.cards.cards import BOARD_CARDS, HOLE_CARDS, hole_index
from faceup.cards.features import board_features
from faceup.cards.strength import strength
from faceup.holdem.betting.betting_tree import CALL
from faceup.holdem.play.agents import TreePolicy
from faceup.holdem.play.match import mean_result, random_boards
from faceup.holdem.play.match_tree import make_sides, on_match_tree, play_sides
from faceup.holdem.play.purified import purified
from faceup.holdem.play.sampled_match import TableSeat, deal, dollars, play_deals, play_match, seated
from faceup.holdem.solve.groups import hole_groups
from faceup.holdem.solve.policy import FixedPolicy, river_equities


@pytest.fixture(scope="module")
def trees(sides, tables):
    return TreePolicy(sides.own[0], tables, random_models(sides.own[0].labels, 30))


def test_deals_and_their_features_are_found_in_the_tables(tables, groups, sides, trees):
    deals = deal(tables, 60, seed=1)
    seat = TableSeat(sides.trees[0], sides.own[0], random_table(sides.own[0], groups, 1), 0)
    model = seated(sides.trees[0], sides.own[0], trees, 0)
    for player, (i, cards) in product(range(2), enumerate(deals.cards.tolist())):
        assert len(set(cards)) == 9
        board, held = cards[4:], cards[2 * player : 2 * player + 2]
        hole = hole_index(*held)
        assert deals.holes[i, player] == hole and sorted(HOLE_CARDS[hole]) == sorted(held)
        assert deals.strengths[i, player] == strength([*held, *board])
        assert deals.river[i, player] == river_equities(board)[hole]
        seat.start(deals, player)
        model.start(deals, player)
        for street, n in enumerate(BOARD_CARDS):
            assert seat._rows(street, np.array([i]))[1][0] == hole_groups(groups, street, board[:n])[hole]
            wanted = board_features(street, tables[street], board[:n])[hole]
            assert model._features(street, np.array([i]))[0] == pytest.approx(wanted, abs=1e-6)


def test_chips_are_those_of_the_rules_engine(tables, sides):
    """Two players whose actions are known: each hand again, one action at a time."""
    match = sides.trees[0]
    call, shove = FixedPolicy(sides.own[0], CALL), FixedPolicy(sides.own[1], len(sides.own[1].labels) - 1)
    deals = deal(tables, 40, seed=3)
    seats = seated(match, sides.own[0], call, 0), seated(match, sides.own[1], shove, 1)
    won = dollars(match, deals, play_deals(match, seats, deals, seed=4))
    for i, cards in enumerate(deals.cards.tolist()):
        shoves = lambda state, *_: ("raise", 20_000) if state.acted < 2 else ("call", 0)  # noqa: E731
        assert won[i] == play_hand(cards, [lambda *_: ("call", 0), shoves])[1][0]
    assert set(np.abs(won)) <= {0, 20_000}


def test_played_and_exact_results_agree(tables, groups, sides, trees):
    """Tables and trees against a table of other sizes: two ways to the same number, within their intervals."""
    table, opponent = random_table(sides.own[0], groups, 2), random_table(sides.own[1], groups, 3)
    agents = [table, trees, purified(sides.own[0], table), purified(sides.own[0], trees), FixedPolicy(sides.own[0], None)]
    exact = play_sides(sides, agents, opponent, random_boards(30, seed=5))
    for agent, row in zip(agents, exact, strict=True):
        summed = mean_result(row)
        won = play_match(sides, agent, opponent, tables, 20_000, seed=6)
        played = mean_result(won.mean(axis=1))
        apart = abs(played.mbb - summed.mbb) / np.hypot(played.ci95, summed.ci95)
        assert apart < 2, (type(agent).__name__, played, summed)  # 2 x 1.96 standard errors
        assert won.mean(axis=1).std() > 5 * row.std()  # what the sums are for


def test_seats_are_changed_with_the_cards_staying(tables, groups, sides):
    """An agent against itself with equal draws in both games: the same cards from both seats cancel out."""
    same = make_sides(MINE, MINE)
    call = FixedPolicy(same.own[0], CALL)
    assert (play_match(same, call, call, tables, 2_000, seed=7).sum(axis=1) == 0).all()
    table = random_table(same.own[0], groups, 4)
    itself = play_match(same, table, table, tables, 20_000, seed=8)
    assert (itself.sum(axis=1) == 0).all() and itself.std() > 1000
    first = play_match(same, table, call, tables, 2_000, seed=9)
    assert np.array_equal(first, play_match(same, table, call, tables, 2_000, seed=9))


def test_bad_arguments_are_named(tables, sides):
    with pytest.raises(ValueError, match="n is 0"):
        deal(tables, 0, seed=1)
    call = FixedPolicy(sides.own[0], CALL)
    with pytest.raises(ValueError, match="games is 1"):
        play_match(sides, call, FixedPolicy(sides.own[1], CALL), tables, 1, seed=1)
    with pytest.raises(ValueError, match="expected a table, a model, an agent or a fixed player"):
        seated(sides.trees[0], sides.own[0], *on_match_tree(sides.trees[0], sides.own[0], [call], 0), 0)
