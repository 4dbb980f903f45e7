"""Hands played to the end: chips and payoffs are pokerkit's, in every state of random hands."""

import os

import numpy as np
import pytest
from pokerkit_table import STACK, PokerkitTable, play_hand, random_choice

from faceup.cards.strength import strength
from faceup.holdem.lines import payoffs, read_line, state_after
from faceup.holdem.rules import DECISION, legal_raises, pot_and_call

HANDS = int(os.environ.get("FACEUP_RULES_HANDS", 600))  # of pokerkit's about 900 a second


def random_deck(rng, close):
    """Nine cards; `close`: the players hold the same ranks, so that pots are often split."""
    deck = rng.permutation(52)[:9]
    if close:
        ranks, suits = rng.permutation(13)[:2], rng.permutation(4)
        holes = [4 * ranks[0] + suits[0], 4 * ranks[1] + suits[1], 4 * ranks[0] + suits[2], 4 * ranks[1] + suits[3]]
        free = [c for c in rng.permutation(52) if c not in holes]
        deck = np.array([*holes, *free[:5]])
    return [int(c) for c in deck]


class Follower:
    """Plays at random in our engine and repeats every action at pokerkit's table, comparing the two before each."""

    def __init__(self, deck, rng):
        self.deck, self.table, self.rng = deck, PokerkitTable(deck), rng

    def __call__(self, state, hole, board, betting):
        table = self.table
        assert (table.actor, table.street, table.over) == (state.actor, state.street, False)
        assert list(hole) == self.deck[2 * state.actor : 2 * state.actor + 2]
        assert list(board) == self.deck[4 : 4 + table.shown]
        assert table.to_call == pot_and_call(state)[1] and table.can_fold == (table.to_call > 0)
        assert table.raises == legal_raises(state)
        line = read_line(betting.removesuffix("/"))  # the last "/" may be left out
        assert (line.state, line.kind) == (state, DECISION) and state_after(betting) == state
        assert table.put == (sum(state.bets[0]), sum(state.bets[1]))
        action, amount = random_choice(state, self.rng)
        table.act(action, amount)
        return action, amount


def compared_hand(seed):
    """One random hand in both engines; returns what has happened, for the counts that the test asks for."""
    rng = np.random.default_rng(seed)
    deck = random_deck(rng, close=seed % 4 == 0)
    follower = Follower(deck, rng)
    betting, ending = play_hand(deck, [follower, follower])
    table = follower.table
    assert table.over
    assert ending == table.payoffs
    line = read_line(betting)
    assert "".join(line.tokens) == betting.replace("/", "")
    assert read_line(betting + "///") == line  # empty streets behind the end are nothing
    fold = line.moves[-1].player if line.tokens[-1] == "f" else -1
    strengths = [strength([*hole, *deck[4:]]) for hole in (deck[:2], deck[2:4])]
    return line.put, fold, strengths, ending


def test_random_hands_equal_pokerkits():
    seen = [compared_hand(seed) for seed in range(HANDS)]
    put, folded, strengths, endings = zip(*seen, strict=True)
    ours = payoffs(np.array(put), np.array(folded), np.array(strengths))
    assert (ours == np.array(endings)).all()  # the batch agrees with the single hand
    kinds = {
        "fold": sum(f >= 0 for f in folded),
        "showdown": sum(f < 0 for f in folded),
        "all-in": sum(min(p) == STACK for p in put),
        "refund": sum(first != second for first, second in put),
        "split": sum(f < 0 and ending == (0, 0) for f, ending in zip(folded, endings, strict=True)),
    }
    assert min(kinds.values()) >= HANDS // 60, kinds


BAD_LINES = [
    ("x", "k, c, f and bN"),
    ("b300c/b", "k, c, f and bN"),
    ("b300c/kb400/", "'/' after 'b300c/kb400'"),
    ("b300ck", "expected '/'"),
    ("k", "facing \\$50"),
    ("b300k", "facing \\$200"),
    ("b300c/c", "nothing to call"),
    ("b300c/f", "fold: nothing to call"),
    ("b150", "expected from 200 to 20000"),
    ("b20001", "expected from 200 to 20000"),
    ("b20000b20000", "not legal here"),
    ("f", "hand is over"),
    ("b20000c", "hand is over"),
    ("b20000c///", "hand is over"),
    ("ck/kk/kk/kk", "hand is over"),
    ("b300c//", "'/' after 'b300c/'"),
    *((f"b300c/b100b{n}", f"raise to {n}: expected from 200 to 19700") for n in (150, 20000, 9999999, "9" * 30)),
    *((line, "betting") for line in ("ff", "b20000ck", "ck/kk/kk/kk/k", "/", "b300c/kk//", "b٣٠٠", "ck kk")),
]


@pytest.mark.parametrize(("betting", "said"), BAD_LINES)
def test_lines_against_the_rules_are_named(betting, said):
    with pytest.raises(ValueError, match=said) as error:
        state_after(betting)
    assert repr(betting) in str(error.value)
