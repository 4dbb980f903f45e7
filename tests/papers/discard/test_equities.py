"""Starting hands with swaps: hold'em's equities where nobody swaps, else a plain simulation."""

import csv
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from plain_lookup import choice_in_words, fake_lookup

from faceup.cards.cards import CLASS_NAMES, canonical_boards, card_text, parse_cards
from faceup.cards.strength import strength
from faceup.papers.discard.deals import RULE
from faceup.papers.discard.equities import class_equities, holdem_equities
from faceup.papers.discard.swaps import flop_sums, swap_sums
from faceup.util.rng import rng
from faceup.util.stats import mean_ci95

STREAM = partial(rng, 3, "test")


@pytest.fixture(scope="module")
def exact():
    path = Path(__file__).parents[2] / "data" / "preflop_equity.csv"
    with path.open(newline="", encoding="utf-8") as file:
        rows = {
            row.pop("hand"): np.array(list(map(int, row.values()))) for row in csv.DictReader(file)
        }
    return np.array([rows[name] @ (1, 0.5, 0) / rows[name].sum() for name in CLASS_NAMES])


def test_without_swaps_they_are_those_of_holdem(exact):
    mean, parts = class_equities(fake_lookup(), exact, 100_000, STREAM)
    off = (mean[:, 0] - exact) / mean_ci95(parts[..., 0])[1]
    # boards are shared, so that errors go together
    assert np.abs(off).max() < 2.5 and (np.abs(off) < 1).mean() > 0.85


@pytest.mark.slow
def test_keeping_on_all_flops_is_holdem(exact):
    np.testing.assert_allclose(
        holdem_equities(flop_sums(swap_sums(canonical_boards(4).cards))), exact, atol=1e-7
    )


def test_swaps_are_those_of_the_lookup(exact):
    """A plain simulation of one hand, card by card, within its own interval."""
    lookup, rng, won = fake_lookup(), np.random.default_rng(8), []
    mean, parts = class_equities(lookup, exact, 100_000, STREAM)
    for _ in range(2500):
        ace = parse_cards("AcAd")
        deck = rng.permutation([c for c in range(52) if c not in ace]).tolist()
        board, hands = deck[:5], [ace, deck[5:7]]
        for p in range(2):
            for when, table in enumerate((lookup.flop, lookup.turn)):
                hole = "".join(map(card_text, hands[p]))
                choice = choice_in_words(
                    table[..., RULE], hole, "".join(map(card_text, board[: 3 + when]))
                )
                if choice != "keep":
                    thrown = parse_cards(choice[-2:])[0]
                    hands[p] = [deck[7 + 2 * p + when] if c == thrown else c for c in hands[p]]
        first, second = (strength([*hand, *board]) for hand in hands)
        won.append((first > second) + 0.5 * (first == second))
    half = 2.5 * np.std(won) / np.sqrt(len(won)) + mean_ci95(parts[:, 0, 1])[1]
    assert abs(np.mean(won) - mean[CLASS_NAMES.index("AA"), 1]) < half
