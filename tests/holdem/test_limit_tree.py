"""The tree of fixed-limit hold'em: counts, and random hands at pokerkit's fixed-limit table."""

import os

import numpy as np
from pokerkit_table import PokerkitTable

from faceup.cards.strength import strength
from faceup.holdem.lines import payoffs
from faceup.holdem.rules import DECISION, FOLD_END, SHOWDOWN
from faceup.holdem.tree import action_to, children, limit_tree

HANDS = int(os.environ.get("FACEUP_RULES_HANDS", 600))
TREE = limit_tree()


def test_the_limit_tree_has_6378_decisions():
    at = [int(((TREE.kind == DECISION) & (TREE.street == s)).sum()) for s in range(4)]
    assert at == [8, 70, 630, 5670] and sum(at) == 6378
    assert TREE.labels == ("fold", "call", "raise")
    assert TREE.bets.sum(axis=2).max() == 4 * (100 + 100 + 200 + 200)  # four bets a street


def compared_hand(seed):
    """A random hand on the tree and at pokerkit's table, compared before each action. Returns the end's node."""
    rng = np.random.default_rng(seed)
    deck = rng.permutation(52)[:9].tolist()
    table, node = PokerkitTable(deck, limit=True), 0
    while TREE.kind[node] == DECISION:
        below = list(children(TREE, node))
        assert (table.actor, table.street, table.over) == (TREE.actor[node], TREE.street[node], False)
        assert table.put == tuple(TREE.bets[node].sum(axis=1))
        labels = [TREE.label[c] for c in below]
        assert table.can_fold == (0 in labels) and (table.raises != (0, 0)) == (2 in labels)
        if 2 in labels:
            assert table.raises == (action_to(TREE, below[-1])[1],) * 2
        weights = np.array([(0.1, 1, 1)[label] for label in labels])
        node = int(rng.choice(below, p=weights / weights.sum()))
        table.act(*action_to(TREE, node))
    assert table.over
    strengths = [[strength([*deck[2 * player : 2 * player + 2], *deck[4:]]) for player in range(2)]]
    folded = TREE.actor[node] if TREE.kind[node] == FOLD_END else -1
    ours = payoffs(TREE.bets[node].sum(axis=1)[None], np.array([folded]), np.array(strengths))
    assert tuple(ours[0]) == table.payoffs
    return node


def test_random_limit_hands_equal_pokerkits():
    ends = np.array([compared_hand(seed) for seed in range(HANDS)])
    assert HANDS / 6 < (TREE.kind[ends] == SHOWDOWN).sum() < HANDS
