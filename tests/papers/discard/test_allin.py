"""All-ins before the flop: hold'em's known equities where nobody swaps."""

from functools import partial

import numpy as np
import pytest
from plain_tables import fake_tables

from faceup.cards.cards import CLASS_NAMES
from faceup.papers.discard.allin import meetings, pairs_of
from faceup.papers.discard.deals import NEVER
from faceup.util.rng import rng
from faceup.util.stats import mean_ci95

STREAM = partial(rng, 6, "test")
CLASS = {name: k for k, name in enumerate(CLASS_NAMES)}


@pytest.mark.parametrize(
    ("first", "second", "known"),
    [("22", "AKo", 0.52649), ("AA", "KK", 0.81946), ("AKs", "QJs", 0.63528)],
)
def test_without_swaps_two_hands_win_what_is_known(first, second, known):
    """Equities from `matchups.preflop_wins`, which counts all boards, ties half."""
    i, j = CLASS[first], CLASS[second]
    scores, met = meetings(
        fake_tables(), NEVER, 40_000, STREAM, pairs_of(np.array([i]), np.array([j]))
    )
    mean, ci95 = mean_ci95(scores[:, i, j] / met[:, i, j])
    assert met.sum() == 2 * met[:, i, j].sum() == 4 * 40_000
    assert abs(mean - known) < 1.6 * ci95
