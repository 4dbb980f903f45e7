"""The betting tree: its size, and every kind of end against the rules."""

import numpy as np
import pytest
from plain_rules import Table

from faceup.cards.cards import card_text, parse_cards
from faceup.cards.strength import strength
from faceup.discard.tree import ALL_IN, BET_SIZE, CHANGE, SWAP, build_swap_tree, count
from faceup.holdem.rules import CALL, FOLD, SHOWDOWN

PAPER = ([[1.0], [1.0]], *([[0.66], [1.0], [1.0]],) * 3)


@pytest.fixture(scope="module")
def tree():
    return build_swap_tree(PAPER)


def test_decisions_are_counted(tree):
    counts = count(tree)
    assert [counts[f"betting {s}"] for s in range(4)] == [10, 58, 244, 730] and counts["betting"] == 1042
    assert (tree.kind == SWAP).sum() > counts["swaps"] == 132


def token_of(tree, node, table, rng):
    """The action that leads to a node as the table takes it."""
    label, player = tree.label[node], table.actor()
    if label == FOLD:
        return "f"
    if label == CALL:
        return "c" if table.bets[0] != table.bets[1] else "k"
    if label in (BET_SIZE, ALL_IN):
        return f"b{tree.put[node, player] - (200 - table.stacks[player] - table.bets[player])}"
    return "s" + table.hands[player][rng.integers(2)] if label == CHANGE else "p"


def test_ends_pay_as_the_rules_say(tree):
    """By the second implementation of the rules, swaps included."""
    rng = np.random.default_rng(2)
    ends = np.flatnonzero(tree.n_actions == 0)
    for end in rng.choice(ends, 1500, replace=False):
        way, node = [], end
        while node:
            way.append(node)
            node = tree.parent[node]
        table, swapped = Table([card_text(c) for c in rng.permutation(52)[:13]]), np.zeros((2, 3), dtype=int)
        for node in reversed(way):
            player = table.actor()
            assert tree.player[tree.parent[node]] == player
            swapped[player, table.street % 3] += tree.label[node] == CHANGE
            table.do(token_of(tree, node, table, rng))
        first, second = (strength(parse_cards("".join([*hand, *table.board]))) for hand in table.hands)
        sign = np.sign(first - second) if tree.kind[end] == SHOWDOWN else 1
        assert table.done and table.won() == sign * tree.stake[end]
        assert [2 * flop + turn for _, flop, turn in swapped] == tree.hands[end].tolist()


def test_rows_are_told_apart_by_what_a_player_sees(tree):
    nodes = np.flatnonzero(tree.n_actions > 0)
    for slot, width in ((tree.line_slot, tree.line_width), (tree.seen_slot, tree.seen_width)):
        assert all((slot[nodes] + tree.n_actions[nodes])[tree.table[nodes] == t].max() == width[t] for t in range(6))
    assert (tree.seen_width >= tree.line_width).all() and tree.seen_width[3] == 4 * tree.line_width[3]
