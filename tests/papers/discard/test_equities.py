"""Starting hands: hold'em's equities where nobody swaps."""

import csv
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from plain_lookup import fake_lookup

from faceup.cards.cards import CLASS_NAMES, canonical_boards
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
