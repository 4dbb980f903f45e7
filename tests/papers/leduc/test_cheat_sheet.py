"""Trees and sheets of Leduc: features, strategies of answers, the search for good answers."""

import numpy as np
import pytest

from faceup.games.cfr import solve
from faceup.games.extensive_game import infoset_reach, uniform
from faceup.games.sequence_form import exploitability
from faceup.papers.leduc import cheat_sheet
from faceup.papers.leduc.agents import cautious_agent
from faceup.papers.leduc.game import RLCARD, build

LEDUC = build(RLCARD)
GAME, FORM = LEDUC.game, LEDUC.form
EQUILIBRIUM = solve(FORM, 200)
TARGETS = cheat_sheet.answers(LEDUC, EQUILIBRIUM)
WEIGHTS = infoset_reach(GAME, 0.9 * EQUILIBRIUM + 0.1 * uniform(GAME))


def test_features_tell_all_infosets_apart():
    rows = cheat_sheet.features(LEDUC)
    assert len(np.unique(rows, axis=0)) == len(rows) == 288
    row = rows[[i for i, n in enumerate(GAME.names) if n == "KJ:crc/r" and GAME.owner[i] == 0][0]]
    # small blind, a king on a jack: called, was raised, called; the big blind has raised by 4 into
    # 8 chips
    assert dict(zip(cheat_sheet.FEATURES, row.tolist(), strict=True)) == {
        "card": 3, "board": 1, "pair": 0, "round": 2, "to call": 4, "pot": 12, 
        "raises": 1, "big blind": 0, "raised before": -1,
    }  # fmt: skip


def test_answers_and_back():
    np.testing.assert_allclose(TARGETS.sum(axis=1), 1)
    np.testing.assert_allclose(cheat_sheet.strategy_of(LEDUC, TARGETS), EQUILIBRIUM, atol=1e-12)


def test_illegal_answers_are_calls():
    strategy = cheat_sheet.strategy_of(LEDUC, np.tile([0.25, 0.25, 0.5], (288, 1)))
    for i in [i for i, name in enumerate(GAME.names) if name.endswith("rr")]:
        first, end = GAME.first_action[i : i + 2]
        found = dict(zip(GAME.labels[first:end], strategy[first:end].tolist(), strict=True))
        assert found == {"fold": 0.25, "call": 0.75}


@pytest.mark.parametrize("n_cells", cheat_sheet.SHEETS)
def test_sheets(n_cells):
    """Each refines the one before; answers beat the means, and no cell can be improved alone."""
    cells, names = cheat_sheet.assign_cells(LEDUC, cheat_sheet.SHEETS[n_cells])
    means = cheat_sheet.cell_means(cells, TARGETS, WEIGHTS)
    made = cheat_sheet.best_sheet(LEDUC, cells, means, 2, 2, np.random.default_rng(1))
    assert len(names) == len(made.table) == n_cells
    for coarser in [key for n, key in cheat_sheet.SHEETS.items() if n < n_cells]:
        assert (
            len({*zip(cells, cheat_sheet.assign_cells(LEDUC, coarser)[0], strict=True)}) == n_cells
        )
    for cell in range(n_cells):
        inside = np.flatnonzero(cells == cell)
        np.testing.assert_allclose(
            means[cell], np.average(TARGETS[inside], axis=0, weights=WEIGHTS[inside])
        )
        legal = {
            frozenset(GAME.labels[GAME.first_action[i] : GAME.first_action[i + 1]]) & {"raise"}
            for i in inside
        }
        assert len(legal) == 1 or n_cells == 12
        for row in cheat_sheet.answer_grid(2):
            table = made.table.copy()
            table[cell] = row
            assert (
                exploitability(FORM, cheat_sheet.strategy_of(LEDUC, table[cells]))
                >= made.exploitability - 1e-9
            )
    assert set(np.unique(made.table)) <= {0, 0.5, 1}
    assert exploitability(FORM, cheat_sheet.sheet_strategy(LEDUC, made)) == pytest.approx(
        made.exploitability, abs=1e-12
    )
    assert made.exploitability < 0.8 * exploitability(
        FORM, cheat_sheet.strategy_of(LEDUC, means[cells])
    )


def test_answers_after_a_slip():
    """No needed cell changes, so that the sheet loses the same, and less than before with slips."""
    cells, _ = cheat_sheet.assign_cells(LEDUC, cheat_sheet.SHEETS[42])
    card = cheat_sheet.best_sheet(
        LEDUC, cells, np.full((42, 3), 1 / 3), 1, 0, np.random.default_rng(1)
    )
    slipped = cheat_sheet.refined_for_trembles(LEDUC, card, 1, 0.1)
    needed = cheat_sheet.reached_cells(LEDUC, card)
    changed = (slipped.table != card.table).any(axis=1)
    assert changed.any() and not (changed & needed).any()
    assert exploitability(FORM, cheat_sheet.sheet_strategy(LEDUC, slipped)) == pytest.approx(
        card.exploitability, abs=1e-12
    )
    before, after = (
        exploitability(FORM, 0.9 * cheat_sheet.sheet_strategy(LEDUC, one) + 0.1 * uniform(GAME))
        for one in (card, slipped)
    )
    assert after < before


def test_reached_cells():
    """Cautious folds jacks and never raises a queen: what would follow is not needed."""
    cells, names = cheat_sheet.assign_cells(LEDUC, cheat_sheet.by_hand_and_line)
    answered = cheat_sheet.answers(LEDUC, cautious_agent(LEDUC))[
        np.unique(cells, return_index=True)[1]
    ]
    reached = cheat_sheet.reached_cells(LEDUC, cheat_sheet.Sheet(cells, answered, 0.0))
    needed = dict(zip(names, reached.tolist(), strict=True))
    assert needed[0, 2, -1, "rr"] and needed[1, 2, 2, ""]
    assert not needed[0, 0, -1, "rr"] and not needed[0, 1, -1, "crr"] and not needed[1, 0, 0, "k"]
