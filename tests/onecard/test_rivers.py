"""River games against HiGHS and plain sums over pairs of hands, where a few of the 1,081 hands are held."""

import numpy as np
import pytest
from one_card_program import best_answer, value_of, worst_case

from faceup.cards.cards import parse_cards
from faceup.holdem.board import board_order
from faceup.holdem.policy import FixedPolicy
from faceup.holdem.reference import deal
from faceup.holdem.rules import menu_from
from faceup.holdem.tree import build_tree
from faceup.onecard import rivers
from faceup.onecard.game import SIZES
from faceup.onecard.rule_lists import BALANCE, STRONG, RuleLine

BOARD = parse_cards("Kh8s3c7d2c")


@pytest.fixture(scope="module")
def few():
    """A river on which each player holds one of 14 hands; places of these hands; the game by all pairs of them."""
    rng, order = np.random.default_rng(3), board_order(np.array(BOARD))
    held = np.zeros(1326, dtype=bool)
    held[rng.choice(order.holes, 12, replace=False)] = True
    held[[int(h) for h in order.holes[-2:]]] = True  # equal ones among them
    dealt = deal(BOARD, held)
    places = np.array([int(np.flatnonzero(order.holes == hole)[0]) for hole in dealt.holes])
    own, other = np.zeros(1081), np.zeros(1081)
    own[places], other[places] = rng.random((2, 14))
    own /= own[places] @ dealt.apart @ other[places]
    joint, beats = (own[places][:, None] * dealt.apart * other[places])[:, :, None], dealt.beats[:, :, None]
    folded, called = np.repeat(joint, len(SIZES), axis=2), joint * ((1 + beats) / 2 + beats * SIZES)
    folded[:, :, 0] = called[:, :, 0]  # a check is shown down
    return rivers.River(0, order, own, other), places, (folded, called)


def test_the_value_is_that_of_the_linear_program(few):
    river, _, game = few
    value, solved = value_of(*game), rivers.solve(river, 2000)
    assert solved.least - 1e-9 <= value <= solved.most + 1e-9 and solved.most - solved.least < 1e-3


def test_best_responses_are_plain_sums_over_pairs(few):
    (river, places, game), rng = few, np.random.default_rng(4)
    bets, calls = rng.dirichlet(np.ones(len(SIZES)), 1081), rng.random((1081, len(SIZES)))
    assert rivers.worst_case(river, bets) == pytest.approx(worst_case(*game, bets[places]))
    assert rivers.best_answer(river, calls) == pytest.approx(best_answer(*game, calls[places]))


def test_a_drawn_river_is_one_of_the_trees_and_a_list_plays_it_by_ranks():
    """Who takes every action alike comes to the river with every hand alike."""
    tree = build_tree(menu_from([[]], [[1], []], [[]], [[1], []]))
    river = rivers.draw_river(tree, FixedPolicy(tree, None), BOARD, np.random.default_rng(1))
    assert river.node in rivers.last_bets(tree) and np.ptp(river.own) < 1e-12 * river.own.max()
    assert river.own.sum() * river.other.sum() * 990 / 1081 == pytest.approx(1)
    played = rivers.list_bets(river, [RuleLine(STRONG, 0.85, 10), RuleLine(BALANCE, 1.0)])
    assert np.allclose(played.sum(axis=1), 1)
    strong = np.repeat(rivers.ranks(river)[2] >= 0.85, np.diff(river.order.class_start))
    assert (played[strong, 10] == 1).all() and 0.1 < strong.mean() < 0.2
    assert played[~strong, 10].sum() == pytest.approx(strong.sum() / 2)
    calls = rivers.share_calls(river, np.full(31, 0.3))
    assert calls[-1, 5] == 1 and calls[0, 5] == 0 and calls[:, 5].mean() == pytest.approx(0.3)
