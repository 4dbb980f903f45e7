"""The limit tree against pokerkit's fixed-limit table."""

import os

import numpy as np
from pokerkit_table import PokerkitTable

from faceup.cards.strength import strength
from faceup.holdem.betting_lines import payoffs
from faceup.holdem.betting_tree import action_to, children
from faceup.holdem.rules import DECISION, FOLD_END, SHOWDOWN
from faceup.papers.bayes.limit import limit_tree

HANDS = int(os.environ.get("FACEUP_RULES_HANDS", 600))  # of pokerkit's about 900 a second
LIMIT = limit_tree()


def test_the_tree_has_6378_decisions():
    streets = LIMIT.street[LIMIT.kind == DECISION]
    assert np.bincount(streets).tolist() == [8, 70, 630, 5670]
    assert LIMIT.labels == ("fold", "call", "raise")
    assert LIMIT.bets.sum(axis=2).max() == 4 * (100 + 100 + 200 + 200)  # four bets a street


def test_random_limit_hands_equal_pokerkits():
    """On the limit tree and at pokerkit's table, compared before each action."""
    ends = []
    for seed in range(HANDS):
        rng = np.random.default_rng(seed)
        deck = rng.permutation(52)[:9].tolist()
        table, node = PokerkitTable(deck, limit=True), 0
        while LIMIT.kind[node] == DECISION:
            below = list(children(LIMIT, node))
            assert (table.actor, table.street) == (LIMIT.actor[node], LIMIT.street[node])
            assert not table.over
            assert table.put == tuple(LIMIT.bets[node].sum(axis=1))
            labels = [LIMIT.label[c] for c in below]
            assert table.can_fold == (0 in labels) and (table.raises != (0, 0)) == (2 in labels)
            if 2 in labels:
                assert table.raises == (action_to(LIMIT, below[-1])[1],) * 2
            weights = np.array([(0.1, 1, 1)[label] for label in labels])
            node = int(rng.choice(below, p=weights / weights.sum()))
            table.act(*action_to(LIMIT, node))
        strengths = [
            [strength([*deck[2 * player : 2 * player + 2], *deck[4:]]) for player in range(2)]
        ]
        folded = LIMIT.actor[node] if LIMIT.kind[node] == FOLD_END else -1
        ours = payoffs(LIMIT.bets[node].sum(axis=1)[None], np.array([folded]), np.array(strengths))
        assert table.over and tuple(ours[0]) == table.payoffs
        ends.append(node)
    assert HANDS / 6 < (LIMIT.kind[ends] == SHOWDOWN).sum() < HANDS
