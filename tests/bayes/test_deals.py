"""Hands dealt and really played: cards against the street tables, chips against the rules engine."""

from itertools import product

import numpy as np
import pytest
from pokerkit_table import PokerkitTable

from faceup.bayes.deals import deal_hands, dollars, play_deals
from faceup.cards.cards import BOARD_CARDS, HOLE_CARDS, hole_index
from faceup.cards.equity import UNITS
from faceup.cards.features import board_features
from faceup.cards.strength import strength
from faceup.holdem.policy import river_equities
from faceup.holdem.rules import CALL
from faceup.holdem.tree import limit_tree


def test_deals_are_found_in_the_tables(tables):
    deals = deal_hands(tables, 60, np.random.default_rng(1))
    for player, (i, cards) in product(range(2), enumerate(deals.cards.tolist())):
        assert len(set(cards)) == 9
        board, held = cards[4:], cards[2 * player : 2 * player + 2]
        hole = hole_index(*held)
        assert deals.holes[i, player] == hole and sorted(HOLE_CARDS[hole]) == sorted(held)
        assert deals.strengths[i, player] == strength([*held, *board])
        assert deals.river[i, player] == river_equities(board)[hole]
        for street, n in enumerate(BOARD_CARDS):
            equity = tables[street].equity[deals.boards[street, i], deals.columns[street, i, player]] / UNITS[street]
            assert equity == pytest.approx(board_features(street, tables[street], board[:n])[hole, 0], abs=1e-6)


class Always:
    """Calls or raises, as often as it may."""

    def __init__(self, tree, raises):
        self.tree, self.raises = tree, raises

    def start(self, deals, player):
        return self.act

    def act(self, street, hands, nodes, u):
        first, n = self.tree.first_child[nodes], self.tree.n_children[nodes]
        return first + n - 1 if self.raises else first + (self.tree.label[first] != CALL)


def test_chips_are_those_of_the_rules_engine(tables):
    """Two players whose actions are known: each hand again in fixed-limit hold'em, one action at a time."""
    rng, tree = np.random.default_rng(3), limit_tree()
    deals = deal_hands(tables, 40, rng)
    won = dollars(tree, deals, play_deals(tree, (Always(tree, raises=False), Always(tree, raises=True)), deals, rng))
    for i, cards in enumerate(deals.cards.tolist()):
        hand = PokerkitTable(cards, limit=True)
        while not hand.over:
            hand.act(*(("raise", hand.raises[0]) if hand.actor and hand.raises[0] else ("call",)))
        assert won[i] == hand.payoffs[0]
    assert (won > 0).any() and (won < 0).any()
