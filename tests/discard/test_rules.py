"""The rules: a second implementation that plays the same random hands, and wrong input."""

import numpy as np
import pytest
from plain_rules import Table

from faceup.cards.cards import card_text
from faceup.discard.rules import act, legal_tokens, payoff, play, start

DEAL = "AcKd 2h2s 7c8d9h Tc 3s 4d5d 6dJd"  # the small blind draws 4d, 5d, the big blind 6d, Jd


def random_bet(rng, least, most):
    """Mostly small bets, so that hands last."""
    return int(min(most, least + rng.geometric(0.2) - 1)) if rng.random() < 0.95 else most


def test_random_hands_equal_a_second_implementation():
    rng, swaps, all_in = np.random.default_rng(7), 0, 0
    for _ in range(10_000):
        cards = rng.permutation(52)[:13]
        hand, table, line, street = start(cards), Table([card_text(c) for c in cards]), "", 0
        while not hand.over:
            tokens, (least, most) = legal_tokens(hand)
            bets = list(range(least, most + 1)) if least else []
            assert table.legal() == ([*tokens], bets) and table.actor() == hand.actor
            kinds = [*tokens[tokens[0] == "f" and rng.random() < 0.7 :], *["b"] * (least > 0)]
            token = kinds[rng.integers(len(kinds))]
            token = f"b{random_bet(rng, least, most)}" if token == "b" else token
            line, street = line + "/" * (hand.street - street) + token, hand.street
            hand = act(hand, token)
            table.do(token)
            swaps += token[0] == "s"
            seen = [card_text(c) for hole in hand.holes for c in hole] + table.board + table.dead
            assert len(set(seen)) == len(seen) and table.board == [card_text(c) for c in hand.board]
            assert sorted(map(sorted, table.hands)) == sorted(sorted(map(card_text, hole)) for hole in hand.holes)
        assert table.done and payoff(hand) == table.won() and play(cards, line) == hand
        all_in += 0 in table.stacks
    assert swaps > 5000 and all_in > 500


def test_the_opponent_sees_that_you_swapped():
    hand = play(DEAL, "ck/s2hpkk/ps Kd")
    assert hand.swapped == ((False, True), (True, False)) and [card_text(c) for c in hand.holes[0]] == ["Ac", "5d"]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("ck/s7cp", "'s7c': expected p or s2h or s2s"),
        ("ck/ppkk/ppkk/p", "'p': expected k, or b2 to b198"),
        ("ck/pps2h", "'s2h': expected k, or b2 to b198"),  # a second swap on one street
        ("ck/ppkk/ppkk/s2h", "'s2h': expected k"),  # a third street of swaps
        ("b3", "'b3': expected f or c, or b4 to b200"),
        ("b201", "'b201': expected f or c, or b4 to b200"),
        ("b10b17", "b18 to b200"),
        ("b200b200", "'b200': expected f or c"),
        ("k", "'k': expected f or c"),
        ("fk", "none, the hand is over"),
        ("ck/kk", "'k': expected p or s2h or s2s"),
        ("c/k", "expected the preflop's next action"),
        ("ckpp", "expected '/', for the preflop is over"),
        ("x", "expected k, c, f, bN, p and sXx"),
    ],
)
def test_wrong_lines_are_named(line, said):
    with pytest.raises(ValueError, match="line ") as error:
        play(DEAL, line)
    assert said in str(error.value)


@pytest.mark.parametrize(
    ("deal", "said"),
    [("AcKd", "expected 13"), ("AcKd 2h2s 7c8d9h Tc 3s 4d5d 6dAc", "'Ac' appears twice"), ("1c", "unknown rank")],
)
def test_wrong_deals_are_named(deal, said):
    with pytest.raises(ValueError, match=said):
        play(deal, "")
    with pytest.raises(ValueError, match="has 1 cards, expected 13"):
        start([20] * 13)


def test_a_hand_pays_at_its_end_only():
    with pytest.raises(ValueError, match="not over"):
        payoff(play(DEAL, "ck"))
