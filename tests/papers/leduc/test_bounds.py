"""Lower bounds of sheets against all pure sheets of Kuhn poker, an equilibrium and made sheets."""

from itertools import product

import numpy as np
import pytest

from faceup.games.sequence_form import exploitability
from faceup.papers.leduc import cheat_sheet
from faceup.papers.leduc.bounds import least_exploitability
from faceup.papers.leduc.game import KUHN, RLCARD, build


def test_pure_sheets_of_kuhn_are_counted_out():
    """One cell a card: three pure answers each. Who recalls its cells may lose less, never more."""
    kuhn = build(KUHN)
    cells = np.array([seen.own for seen in kuhn.situations])
    losses = [
        exploitability(kuhn.form, cheat_sheet.strategy_of(kuhn, np.eye(3)[list(rows)][cells]))
        for rows in product(range(3), repeat=3)
    ]
    assert least_exploitability(kuhn, cells, pure=True) == pytest.approx(min(losses), abs=1e-6)
    assert 0 <= least_exploitability(kuhn, cells) < min(losses)


def test_bounds_of_leduc():
    """With a cell for each infoset 0; no sheet made loses less than its bound."""
    leduc = build(RLCARD)
    assert least_exploitability(leduc, np.arange(288)) == pytest.approx(0, abs=1e-6)
    cells, _ = cheat_sheet.assign_cells(leduc, cheat_sheet.SHEETS[72])
    even, generator = np.full((72, 3), 1 / 3), np.random.default_rng(1)
    made = cheat_sheet.best_sheet(leduc, cells, even, 4, 1, generator)
    assert 0.0024 < least_exploitability(leduc, cells) < made.exploitability
