"""Hands that features distinguish, against plain sets; suspicious thresholds by hand."""

import numpy as np
from games import MINE

from faceup.cards.cards import BOARD_CARDS, STREETS, canonical_boards
from faceup.cards.equity import StreetEquities
from faceup.holdem.betting_tree import build_tree
from faceup.holdem.policy import ModelPolicy
from faceup.papers.hunl.distinct_hands import distinct_vectors, hands_up_to_suits
from faceup.papers.hunl.thresholds import list_suspicious, with_flop_bet, with_mended_thresholds
from faceup.trees.tree import DecisionTree


def test_different_vectors_equal_a_set_of_tuples(equities):
    for street in (1, 2, 3):
        cards = canonical_boards(BOARD_CARDS[street]).cards[40:43]
        equity, *deciles = (x[40:43] for x in (equities[street][0], *equities[street].deciles))
        rows = np.concatenate([equity[:, :, None], *deciles], axis=2).reshape(3 * 1326, -1)
        plain = {tuple(row) for row in rows.tolist() if row[0]}  # a blocked hole's equity is 0
        table = StreetEquities(equity, tuple(deciles))
        assert distinct_vectors(table, cards, np.random.default_rng(0)) == len(plain)
    known = [169, 1_286_792, 13_960_050, 123_156_254]
    assert [hands_up_to_suits(n) for n in (0, 3, 4, 5)] == known


def test_200_dollars_is_suspicious_and_is_mended(equities):
    """Midway between 100 and 300; 250 and 10,150 are not midway."""
    below, value = np.array([[1, -1, -1], [2, -1, -1]]), np.eye(4, dtype=np.float32)[[2, 0, 1]]
    trees = [
        DecisionTree(np.array([n, -1, -1]), np.float32([bet, 0, 0]), *below, value, np.ones(3))
        for n, bet in zip((31, 21, 11, 1), (200, 250, 10_150, 200), strict=True)
    ]
    policy = ModelPolicy(build_tree(MINE), trees, equities)
    expected = [(street, "opponent_bet_preflop", 200, 100, 300, 1, 1) for street in STREETS[::3]]
    assert list_suspicious(policy) == (expected, [1] * 4)
    mended, bets = with_mended_thresholds(policy), np.zeros((3, 35))
    bets[:, 31] = 100, 200, 300
    read = [p.models[0].predict(bets).argmax(axis=1).tolist() for p in (policy, mended)]
    assert read == [[0, 0, 1], [0, 1, 1]]
    assert with_flop_bet(policy, MINE, 16).models[0].value.shape == (3, 5)
