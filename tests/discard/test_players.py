"""A strategy at a table with any bets: the mapping of sizes, and hands that leave the tree."""

import numpy as np
import pytest
from plain_tables import ROWS, TREE, fake_tables

from faceup.discard.matches import check_fold_player, random_player
from faceup.discard.players import TablePlayer, read_bet
from faceup.discard.rules import act, legal_tokens, start

DEAL = "AcKd 2h2s 7c8d9h Tc 3s 4d5d 6dJd"


@pytest.fixture(scope="module")
def player():
    return TablePlayer(TREE, fake_tables(), random_player(TREE, ROWS))


def test_the_mapping_is_pseudo_harmonic():
    (small, chance), (large, rest) = read_bet(0.33, (0.66, 3.0))
    assert (small, large) == (0, 1) and chance == pytest.approx((0.66 - 0.33) / (0.66 * 1.33)) and chance + rest == 1
    assert read_bet(0.66, (0.66, 3.0)) == [(1, 1.0)] and read_bet(9, (0.66, 3.0)) == [(2, 1.0)]
    assert read_bet(0.0, (0.66, 3.0)) == [(0, 1.0)]


def test_actions_on_the_tree_are_mixed_as_there(player):
    assert player.chances(DEAL, "") == {"f": 0.25, "c": 0.25, "b6": 0.25, "b200": 0.25}
    assert player.chances(DEAL, "b6c/").keys() >= {"p"}
    assert sum(player.chances(DEAL, "b6c/pp").values()) == 1


def test_small_bets_are_checks_and_a_fourth_bet_is_a_call_or_all_in(player):
    checked = player.chances(DEAL, "b6c/ppb2", lambda i: 0.0)  # read as a check: he may bet or check behind
    assert set(checked) == {"c", "b13", "b194"}
    bet = player.chances(DEAL, "b6c/ppb2", lambda i: 0.999)
    assert set(bet) == {"f", "c", "b18", "b194"}
    assert player.chances(DEAL, "b6b18b60", lambda i: 0.0) == {"c": 1.0}
    assert set(player.chances(DEAL, "b6b18b60", lambda i: 0.999)) == {"f", "c"}


def test_every_answer_is_legal(player):
    rng = np.random.default_rng(4)
    for _ in range(200):
        deal = rng.permutation(52)[:13]
        hand, line = start(deal), ""
        while not hand.over:
            chances = player.chances(deal, line, lambda i: rng.random())
            tokens, (least, most) = legal_tokens(hand)
            assert sum(chances.values()) == pytest.approx(1)
            for token in chances:
                assert token in tokens or (token[0] == "b" and least <= int(token[1:]) <= most)
            kinds = [*tokens, *["b"] * (least > 0)]
            token = kinds[rng.integers(len(kinds))] if rng.random() < 0.5 else rng.choice(list(chances))
            token = f"b{rng.integers(least, most + 1)}" if token == "b" else str(token)
            street, hand = hand.street, act(hand, token)
            line += token + "/" * (hand.street - street if not hand.over or hand.ended != "fold" else 0)
        assert player.chances(deal, line.rstrip("/")) == {}


def test_a_policy_fixes_the_swap(player):
    never = TablePlayer(TREE, player.tables, check_fold_player(TREE, ROWS))
    chances = never.chances(DEAL, "ck/")
    assert chances.pop("p") == 1 and list(chances.values()) == [0]
    with pytest.raises(ValueError, match="line"):
        never.chances(DEAL, "x")
