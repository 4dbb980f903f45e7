"""A hand walked through: every decision legal, every path one that its leaf has."""

import numpy as np
import pytest
from games import SMALL
from random_trees import random_tree

from faceup.cards.cards import parse_cards
from faceup.cards.features import feature_names, hand
from faceup.holdem.play.agents import tree_policy
from faceup.holdem.play.words import tell, walk
from faceup.trees.decision_tree import path_to

HOLES, BOARD = ("Ac3h", "KdQs"), "Kh3sJc9d2c"
NAMES = [feature_names(street) for street in range(4)]
MODELS = [random_tree(s, 20, len(NAMES[s]), len(SMALL.labels)) for s in range(4)]


def walked(tables, holes=HOLES, board=BOARD, seed=1):
    policy = tree_policy(SMALL, tables, MODELS)
    cards = [parse_cards(h) for h in holes]
    return walk(SMALL, MODELS, NAMES, policy, tables, cards, parse_cards(board), seed)


def test_a_walk_is_a_hand_of_the_betting_tree(tables):
    made = walked(tables)
    assert made[0].node == 0 and [d.node for d in made[1:]] == [d.taken for d in made[:-1]]
    assert {int(SMALL.street[d.node]) for d in made if SMALL.actor[d.node] == 0} == {0, 1, 2, 3}
    assert [d.taken for d in walked(tables)] == [d.taken for d in made]
    for d in made:
        assert SMALL.parent[d.taken] == d.node and d.share.sum() == pytest.approx(1, abs=1e-5)
        assert d.share[d.taken - SMALL.first_child[d.node]] > 0


def test_its_questions_are_those_of_the_leaf_and_its_answers_those_of_the_hand(tables):
    for d in walked(tables):
        street, player = int(SMALL.street[d.node]), int(SMALL.actor[d.node])
        path = path_to(MODELS[street], d.leaf)
        assert [above for _, above in path] == [s.value > s.threshold for s in d.steps]
        if street:
            x = hand(HOLES[player], BOARD[: 2 * (0, 3, 4, 5)[street]]).features(tuple(SMALL.bets[d.node, 1 - player].tolist()))
            assert [x[s.feature] for s in d.steps] == [np.float32(s.value) for s in d.steps]


def test_a_decision_in_words(tables):
    made = walked(tables)
    told = [tell(SMALL, parse_cards(BOARD), d) for d in made]
    assert told[0].startswith("preflop: $150 in the pot, $50 to call (nobody has acted)\n    because ")
    for d, text in zip(made, told, strict=True):
        shown = BOARD[: 2 * (0, 3, 4, 5)[SMALL.street[d.node]]]
        assert f" {shown}: $" in text or not shown
        assert text.count("because") == 1 and text.count("so: ") == 1
        assert not ("check" in text and "$0 to call" not in text)
    drawn = [text.rpartition("drawn: ")[2] for text in told]
    assert all(a.split()[0] in ("fold", "call", "check", "bet", "raise", "all-in") for a in drawn)


def test_bad_cards_are_refused(tables):
    with pytest.raises(ValueError, match="expected nine different ones"):
        walked(tables, holes=("Ac3h", "KdAc"))
