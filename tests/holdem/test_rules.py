"""Hands played to the end: chips and payoffs are pokerkit's, in every state of random hands, no-limit and fixed-limit."""

import os

import numpy as np
from pokerkit_table import STACK, PokerkitTable, random_choice

from faceup.cards.cards import BOARD_CARDS
from faceup.cards.strength import strength
from faceup.holdem.lines import longer, payoffs, read_line, settle, state_after
from faceup.holdem.rules import DECISION, FOLD_END, SHOWDOWN, START, act, legal_raises, pot_and_call
from faceup.holdem.tree import action_to, children, limit_tree

HANDS = int(os.environ.get("FACEUP_RULES_HANDS", 600))  # of pokerkit's about 900 a second
TREE = limit_tree()


def random_deck(rng, close):
    """Nine cards; `close`: the players hold the same ranks, so that pots are often split."""
    deck = rng.permutation(52).tolist()
    if close:
        first, second = (4 * rng.permutation(13)[:2]).tolist()
        holes = [first, second + 1, first + 2, second + 3]
        deck = [*holes, *(card for card in deck if card not in holes)]
    return deck[:9]


def compared_hand(seed):
    """A random no-limit hand in both engines, compared before each action; returns how it ended and what the small blind won."""
    rng = np.random.default_rng(seed)
    deck = random_deck(rng, close=seed % 4 == 0)
    table, state, betting = PokerkitTable(deck), START, ""
    while state is not None:
        assert (table.actor, table.street, table.over) == (state.actor, state.street, False)
        assert table.shown == BOARD_CARDS[state.street] and table.put == (sum(state.bets[0]), sum(state.bets[1]))
        assert table.to_call == pot_and_call(state)[1] and table.can_fold == (table.to_call > 0)
        assert table.raises == legal_raises(state)
        line = read_line(betting.removesuffix("/"))  # the last "/" may be left out
        assert (line.state, line.kind) == (state, DECISION) and state_after(betting) == state
        choice = random_choice(state, rng)
        table.act(*choice)
        betting, (state, _) = longer(betting, state, choice), act(state, *choice)
    line = read_line(betting)
    assert table.over and settle(line, (deck[:2], deck[2:4]), deck[4:]) == table.payoffs
    assert "".join(line.tokens) == betting.replace("/", "")
    assert read_line(betting + "///") == line  # empty streets behind the end are nothing
    return line.kind, table.payoffs[0]


def test_random_hands_equal_pokerkits():
    kind, won = np.array([compared_hand(seed) for seed in range(HANDS)]).T
    kinds = [kind == FOLD_END, kind == SHOWDOWN, np.abs(won) == STACK, (kind == SHOWDOWN) & (won == 0)]
    assert min(k.sum() for k in kinds) >= HANDS // 60


def compared_limit_hand(seed):
    """A random hand on the limit tree and at pokerkit's table, compared before each action. Returns the end's node."""
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
    ends = np.array([compared_limit_hand(seed) for seed in range(HANDS)])
    assert HANDS / 6 < (TREE.kind[ends] == SHOWDOWN).sum() < HANDS
