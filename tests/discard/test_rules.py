"""The rules of betting: a second implementation that plays the same random hands."""

import numpy as np
from plain_rules import Table

from faceup.cards.cards import card_text
from faceup.discard.tree import HAND_START
from faceup.holdem.rules import act, legal_raises, pot_and_call


def random_bet(rng, least, most):
    """Mostly small bets, so that hands last."""
    return int(min(most, least + rng.geometric(0.2) - 1)) if rng.random() < 0.95 else most


def test_random_hands_equal_a_second_implementation():
    """Nobody swaps here; the swaps of the second implementation are tested with the tree."""
    rng, all_in = np.random.default_rng(7), 0
    for _ in range(5000):
        state, table = HAND_START, Table([card_text(c) for c in rng.permutation(52)[:13]])
        while state:
            while table.swappers:
                table.do("p")
            (least, most), facing = legal_raises(state), pot_and_call(state)[1] > 0
            assert table.legal() == (["f", "c"] if facing else ["k"], list(range(least, most + 1)) if least else [])
            assert (table.actor(), table.street) == (state.actor, state.street)
            kinds = ["call", *["fold"] * (facing and rng.random() < 0.3), *["raise"] * (least > 0)]
            kind = kinds[rng.integers(len(kinds))]
            amount = random_bet(rng, least, most) if kind == "raise" else 0
            table.do({"fold": "f", "call": "c" if facing else "k"}.get(kind, f"b{amount}"))
            state, _ = act(state, kind, amount)
            assert not state or [200 - stack for stack in table.stacks] == [sum(bets) for bets in state.bets]
        assert table.done or table.stacks == [0, 0]
        all_in += 0 in table.stacks
    assert all_in > 300
