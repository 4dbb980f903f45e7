"""All-ins before the flop: hold'em's known equities where nobody swaps, and push or fold against known charts."""

from functools import partial

import numpy as np
import pytest
from plain_tables import fake_tables

from faceup.cards.cards import CLASS_NAMES, CLASS_OF_HOLE
from faceup.cards.matchups import RUNOUTS_PREFLOP, edges, preflop_wins
from faceup.discard.allin import meetings, pair_shares, pairs_of, push_or_fold, value_bounds
from faceup.discard.deals import NEVER
from faceup.lab.rng import rng
from faceup.lab.stats import mean_ci95

STREAM = partial(rng, 6, "test")
CLASS = {name: k for k, name in enumerate(CLASS_NAMES)}


@pytest.mark.parametrize(("first", "second", "known"), [("22", "AKo", 0.52649), ("AA", "KK", 0.81946), ("AKs", "QJs", 0.63528)])
def test_without_swaps_two_hands_win_what_is_known(first, second, known):
    """Equities from `matchups.preflop_wins`, which counts all boards, ties half."""
    i, j = CLASS[first], CLASS[second]
    scores, met = meetings(fake_tables(), NEVER, 40_000, STREAM, pairs_of(np.array([i]), np.array([j])))
    mean, ci95 = mean_ci95(scores[:, i, j] / met[:, i, j])
    assert met.sum() == 2 * met[:, i, j].sum() == 4 * 40_000
    assert abs(mean - known) < 1.6 * ci95


def test_all_hands_of_a_board_meet():
    scores, met = (found.sum(axis=0) for found in meetings(fake_tables(), NEVER, 4_000, STREAM))
    assert met.sum() == 4_000 * 11 * 10 * 2 and np.array_equal(met, met.T)
    assert np.array_equal(scores + scores.T, met)  # who wins takes two, a tie is one each
    off = met.sum(axis=1) / met.sum() - pair_shares().sum(axis=1)
    assert np.abs(off).max() < 1e-3
    assert pair_shares()[CLASS["AA"], CLASS["AA"]] == pytest.approx(6 / (1326 * 1225))  # one pair of aces leaves one other
    assert pair_shares()[CLASS["AA"], CLASS["KK"]] == pytest.approx(36 / (1326 * 1225))


@pytest.mark.slow
def test_holdem_has_its_well_known_sheet():
    """Nash's push or fold with ten big blinds, as printed in many places: 58.3 % all-in, 37.4 % calls."""
    wins, shares = preflop_wins(), pair_shares()
    equity = 0.5 + edges(wins, RUNOUTS_PREFLOP) / (2 * 1326 * 1225 * shares)
    combos = np.bincount(CLASS_OF_HOLE) / 1326
    assert [combos @ chances for chances in push_or_fold(equity, 10)] == pytest.approx([0.583, 0.374], abs=6e-4)


def test_an_equilibrium_leaves_best_responses_nothing():
    rng = np.random.default_rng(2)
    strength = np.sort(rng.random(169))[::-1]
    equity = 0.5 + 0.5 * np.tanh(4 * (strength[:, None] - strength))
    for stack in (2.0, 10.0):
        least, most = value_bounds(equity, stack, *push_or_fold(equity, stack))
        assert least == pytest.approx(most, abs=1e-9)
    least, most = value_bounds(np.full((169, 169), 0.5), 10.0, np.ones(169), np.ones(169))
    assert (least, most) == pytest.approx((0, 0))  # all hands alike: who goes all-in wins nothing, and the call costs nothing
