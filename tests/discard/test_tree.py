"""The betting tree: its size, and every kind of end against the rules."""

import numpy as np
import pytest

from faceup.cards.cards import card_text
from faceup.cards.strength import strength
from faceup.discard.rules import act, payoff, start
from faceup.discard.tree import ALL_IN, CALL, CHANGE, FOLD, RAISE, SHOWDOWN_END, SWAP, build_tree, count

PAPER = ([[1.0], [1.0]], *([[0.66], [1.0], [1.0]],) * 3)


@pytest.fixture(scope="module")
def tree():
    return build_tree(PAPER)


def test_decisions_are_counted(tree):
    counts = count(tree)
    assert [counts[f"betting {s}"] for s in range(4)] == [10, 58, 244, 730] and counts["betting"] == 1042
    assert (tree.kind == SWAP).sum() > counts["swaps"] == 132


def token_of(tree, node, hand, rng):
    """The action that leads to a node as the rules write it."""
    label = tree.label[node]
    if label == FOLD:
        return "f"
    if label == CALL:
        return "c" if hand.betting.put[0] != hand.betting.put[1] else "k"
    if label in (RAISE, ALL_IN):
        return f"b{tree.put[node, hand.actor] - hand.betting.base}"
    return "s" + card_text(hand.holes[hand.actor][rng.integers(2)]) if label == CHANGE else "p"


def test_ends_pay_as_the_rules_say(tree):
    rng = np.random.default_rng(2)
    ends = np.flatnonzero(tree.n_actions == 0)
    for end in rng.choice(ends, 1500, replace=False):
        way, node = [], end
        while node:
            way.append(node)
            node = tree.parent[node]
        hand = start(rng.permutation(52)[:13])
        for node in reversed(way):
            assert tree.player[tree.parent[node]] == hand.actor
            hand = act(hand, token_of(tree, node, hand, rng))
        first, second = (strength([*hole, *hand.deal[4:9]]) for hole in hand.holes)
        sign = np.sign(first - second) if tree.kind[end] == SHOWDOWN_END else 1
        assert hand.over and payoff(hand) == sign * tree.stake[end]
        assert [2 * f + t for f, t in hand.swapped] == tree.hands[end].tolist()


def test_rows_are_told_apart_by_what_a_player_sees(tree):
    nodes = np.flatnonzero(tree.n_actions > 0)
    for slot, width in ((tree.line_slot, tree.line_width), (tree.seen_slot, tree.seen_width)):
        assert all((slot[nodes] + tree.n_actions[nodes])[tree.table[nodes] == t].max() == width[t] for t in range(6))
    assert (tree.seen_width >= tree.line_width).all() and tree.seen_width[3] == 4 * tree.line_width[3]


@pytest.mark.parametrize("menu", [([],), ([[1.0]],) * 3, ([[0.0]], [], [], []), ([[300.0]], [], [], [])])
def test_wrong_menus_are_named(menu):
    with pytest.raises(ValueError, match="expected four streets"):
        build_tree(menu)
