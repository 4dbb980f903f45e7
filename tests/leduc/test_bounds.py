"""Bounds on what sheets lose: known values, and every pure sheet of a small game counted out by hand."""

from itertools import product

import numpy as np
import pytest

from faceup.games.extensive_game import normalised
from faceup.games.sequence_form import exploitability
from faceup.leduc import bounds, readable
from faceup.leduc.game import KUHN, RLCARD, build

LEDUC, SMALL = build(RLCARD), build(KUHN)
CELLS = {n: readable.sort_into_cells(LEDUC, key)[0] for n, key in readable.SHEETS.items()}
BY_CARD = np.array([seen.own for seen in SMALL.situations])


@pytest.mark.parametrize("game", [SMALL, LEDUC], ids=["Kuhn", "Leduc"])
def test_one_cell_for_each_infoset_bounds_nothing(game):
    """The equilibrium is among the strategies, and a state is an infoset."""
    cells = np.arange(len(game.game.owner))
    column, states = bounds.recalled(game, cells)
    assert len(states) == len(cells) and len(set(column)) == 1 + len(game.game.labels)
    assert bounds.least_exploitability(game, cells).least == pytest.approx(0, abs=1e-9)


def test_kuhn_by_card():
    """An equilibrium bets a third of jacks, no queen and all kings in either seat: recall of the cells is enough."""
    assert bounds.least_exploitability(SMALL, BY_CARD).least == pytest.approx(0, abs=1e-9)
    every = [np.eye(3)[list(rows)] for rows in product(range(3), repeat=3)]
    least = min(exploitability(SMALL.form, readable.strategy_of(SMALL, table[BY_CARD])) for table in every)
    card, bound = bounds.best_pure_answers(SMALL, BY_CARD), bounds.least_exploitability(SMALL, BY_CARD, 100)
    lost = exploitability(SMALL.form, readable.card_strategy(SMALL, card))
    assert (card.exploitability, lost, bound.least, bound.found) == pytest.approx((least,) * 4, abs=1e-6) and least > 0.1


@pytest.mark.parametrize("n", CELLS)
def test_nobody_who_recalls_the_cells_loses_less_than_the_bound(n):
    """Random strategies of those states, and the best answers found for the sheet."""
    (column, _), least = bounds.recalled(LEDUC, CELLS[n]), bounds.least_exploitability(LEDUC, CELLS[n]).least
    rng = np.random.default_rng(1)
    chances = rng.random((100, column.max() + 1)) ** 4
    lost = [exploitability(LEDUC.form, normalised(LEDUC.form.first_action, row[column[:-2]])) for row in chances]
    found = readable.best_answers(LEDUC, CELLS[n], np.full((n, 3), 1 / 3), 4, 3, rng).exploitability
    assert -1e-9 < least < min(found, *lost) and (least > 0.05) == (n < 72)


def test_pure_answers():
    """Branch and bound ends where counting 531,441 sheets of 12 cells out ends, in the notebook; one node tells less."""
    twelve, few = (bounds.least_exploitability(LEDUC, CELLS[n], nodes) for n, nodes in ((12, 1000), (72, 1)))
    assert (twelve.least, twelve.found) == pytest.approx((11 / 30, 11 / 30), abs=1e-6)
    assert 0 <= few.least < 0.15 <= few.found + 1e-9 and few.nodes <= 1
