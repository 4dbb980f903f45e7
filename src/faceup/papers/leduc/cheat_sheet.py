"""Interpretable strategies for Leduc: decision trees on a few features, and printed cheat sheets.

A tree has FEATURES of a situation as its input and the probabilities of ANSWERS (fold, check or
call, raise) as its output. A sheet sorts situations into cells; all situations of a cell have the
same answer of simple probabilities, such as "raise half the time, else call". The equilibrium's
mean answers fit badly together once situations are merged. Answers are therefore chosen by exact
exploitability: coordinate descent, one cell at a time until none can be improved alone, then a few
cells perturbed at random and the descent repeated, keeping the better sheet (iterated local
search). A player who trembles takes any legal action instead, each as likely.
"""

from collections.abc import Callable
from itertools import product
from typing import NamedTuple

import numpy as np
from numba import njit

from faceup.games.extensive_game import action_infoset
from faceup.games.sequence_form import exploitability_kernel, plans
from faceup.papers.leduc.game import CALL, CHECK, FOLD, RAISE, Leduc, Situation

FEATURES = (
    "card",
    "board",
    "pair",
    "round",
    "to call",
    "pot",
    "raises",
    "big blind",
    "raised before",
)
ANSWERS = ("fold", "check or call", "raise")
_ANSWER_OF = {FOLD: 0, CHECK: 1, CALL: 1, RAISE: 2}
_N_PERTURBED = 3  # cells changed at random at a time
_MAX_SWEEPS = 100


def features(leduc: Leduc) -> np.ndarray:
    """FEATURES of every infoset, (n_infosets, 9) float32; no two rows are equal.

    Cards count from 1 for the lowest, 0 is none; "raised before" is the last to raise in round one:
    1 the player, -1 the opponent, 0 nobody.
    """
    rows = []
    for own, public, state in leduc.situations:
        mine, theirs = sum(state.chips[state.player]), sum(state.chips[1 - state.player])
        before = 0 if state.raiser < 0 else 1 if state.raiser == state.player else -1
        row = [own + 1, public + 1, own == public, state.round + 1, theirs - mine, mine + theirs]
        rows.append([*row, state.raises, state.player, before])
    return np.array(rows, dtype=np.float32)


def answer_of_action(leduc: Leduc) -> np.ndarray:
    """The answer that each action counts as, (n_actions,) int64."""
    return np.array([_ANSWER_OF[label] for label in leduc.game.labels])


def answers(leduc: Leduc, strategy: np.ndarray) -> np.ndarray:
    """A strategy's probabilities of ANSWERS, (n_infosets, 3)."""
    table = np.zeros((len(leduc.game.owner), len(ANSWERS)))
    np.add.at(table, (action_infoset(leduc.game), answer_of_action(leduc)), strategy)
    return table


def strategy_of(leduc: Leduc, table: np.ndarray) -> np.ndarray:
    """The strategy (n_actions,) of answers (n_infosets, 3); an illegal answer is check or call."""
    strategy, answer = np.empty(len(leduc.game.labels)), answer_of_action(leduc)
    for i, row in enumerate(np.ascontiguousarray(table, dtype=np.float64)):
        _fill_actions(leduc.game.first_action, np.array([i]), answer, row, 0.0, strategy)
    return strategy


@njit(cache=True, nogil=True)
def _fill_actions(first_action, infosets, answer, row, tremble, strategy):
    """Fill strategy (n_actions,) at these infosets with the answer row (3,), as `strategy_of` says,
    mixed with the uniform strategy by the weight `tremble`.
    """
    for i in infosets:
        first, end = first_action[i], first_action[i + 1]
        legal = 0.0
        for a in range(first, end):
            legal += row[answer[a]]
        for a in range(first, end):
            probability = row[answer[a]] + (max(1.0 - legal, 0.0) if answer[a] == 1 else 0.0)
            strategy[a] = (1.0 - tremble) * probability + tremble / (end - first)


class Sheet(NamedTuple):
    """Answers by cell."""

    cells: np.ndarray  # (n_infosets,) cell of each infoset
    table: np.ndarray  # (n_cells, 3) probabilities of ANSWERS
    exploitability: float  # exact, in the rules' unit


def by_hand_and_line(seen: Situation) -> tuple:
    """Both cards, and the actions of this round: 72 cells."""
    return (seen.state.round, seen.own, seen.public, seen.state.line[-1])


def by_class_and_line(seen: Situation) -> tuple:
    """A pair or the own card, and the actions of this round: 42 cells."""
    own = "pair" if seen.own == seen.public else str(seen.own)
    return (seen.state.round, own, seen.state.line[-1])


def by_class_and_raises(seen: Situation) -> tuple:
    """A pair or the own card, and the raises of this round; before a raise in round one, the seat
    too: 24 cells.
    """
    number, own, line = by_class_and_line(seen)
    raises = "r" * line.count("r")
    return (number, own, line if number == 0 and not raises else raises)


def by_rank_and_raised(seen: Situation) -> tuple:
    """The own card, in round two a pair, a king or neither, and whether this round has a raise: 12
    cells.
    """
    number, own, line = by_class_and_line(seen)
    if number and own not in ("pair", "2"):
        own = "low"
    return (number, own, "r" if "r" in line else "")


SHEETS = {  # by the number of cells; each splits the cells of the one before
    12: by_rank_and_raised,
    24: by_class_and_raises,
    42: by_class_and_line,
    72: by_hand_and_line,
}


def assign_cells(
    leduc: Leduc, key: Callable[[Situation], tuple]
) -> tuple[np.ndarray, tuple[tuple, ...]]:
    """Cell of each infoset, (n_infosets,), and the cells' keys in order."""
    keys = [key(seen) for seen in leduc.situations]
    names = tuple(sorted(set(keys)))
    return np.array([names.index(k) for k in keys]), names


def cell_means(cells: np.ndarray, answers: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Weighted means of answers (n_infosets, 3) in each cell, (n_cells, 3)."""
    means = np.stack([np.bincount(cells, weights=weights * column) for column in answers.T], axis=1)
    return means / means.sum(axis=1, keepdims=True)


def answer_grid(parts: int) -> np.ndarray:
    """All answers whose probabilities are multiples of 1/parts, (n, 3)."""
    counts = [x for x in product(range(parts + 1), repeat=len(ANSWERS)) if sum(x) == parts]
    return np.array(counts) / parts


def best_sheet(
    leduc: Leduc,
    cells: np.ndarray,
    means: np.ndarray,
    parts: int,
    restarts: int,
    generator: np.random.Generator,
) -> Sheet:
    """Answers in multiples of 1/parts for given cells, by iterated local search from the multiples
    nearest to means (n_cells, 3).

    The result is a local optimum of each cell alone; a better sheet may exist.
    """
    grid, free = answer_grid(parts), np.arange(len(means))
    kept = grid[((means[:, None] - grid) ** 2).sum(axis=2).argmin(axis=1)]
    lowest = _descend(leduc, cells, kept, grid, generator.permutation(free), 0.0)
    for _ in range(restarts):
        trial, n_perturbed = kept.copy(), min(_N_PERTURBED, len(kept))
        answers = generator.choice(grid, n_perturbed)
        trial[generator.choice(len(kept), n_perturbed, replace=False)] = answers
        found = _descend(leduc, cells, trial, grid, generator.permutation(free), 0.0)
        if found <= lowest:
            kept, lowest = trial, found
    return Sheet(cells, kept, lowest)


def refined_for_trembles(leduc: Leduc, sheet: Sheet, parts: int, tremble: float) -> Sheet:
    """The sheet with new answers in the cells that its player reaches only by a mistake: those that
    minimize exploitability if the player trembles with this probability.

    The other cells, and with them the sheet's exploitability, stay.
    """
    table, free = sheet.table.copy(), np.flatnonzero(~reached_cells(leduc, sheet))
    _descend(leduc, sheet.cells, table, answer_grid(parts), free, tremble)
    return sheet._replace(table=table)


def _descend(
    leduc: Leduc,
    cells: np.ndarray,
    table: np.ndarray,
    grid: np.ndarray,
    order: np.ndarray,
    tremble: float,
) -> float:
    """Coordinate descent on the rows of table (n_cells, 3) named in `order`, in that order, in
    place; returns the exploitability.
    """
    infosets = np.argsort(cells, kind="stable")
    start = np.searchsorted(cells[infosets], np.arange(len(table) + 1))
    form, answer = leduc.form, answer_of_action(leduc)
    return float(_sweep(form, start, infosets, answer, grid, order, table, tremble))


@njit(cache=True, nogil=True)
def _sweep(form, start, infosets, answer, grid, order, table, tremble):
    """Give each cell of order its best row of grid (n, 3), until no cell improves; returns the
    exploitability. The infosets of cell c are infosets[start[c]:start[c + 1]].
    """
    n = len(answer)
    strategy, best = np.zeros(n), np.zeros(n)
    plan, worth = np.zeros(n + 2), np.zeros(n + 2)
    for cell in range(len(table)):
        inside = infosets[start[cell] : start[cell + 1]]
        _fill_actions(form.first_action, inside, answer, table[cell], tremble, strategy)
    lowest = exploitability_kernel(form, strategy, plan, worth, best)
    for _ in range(_MAX_SWEEPS):
        before = lowest
        for cell in order:
            inside = infosets[start[cell] : start[cell + 1]]
            for k in range(grid.shape[0]):
                _fill_actions(form.first_action, inside, answer, grid[k], tremble, strategy)
                found = exploitability_kernel(form, strategy, plan, worth, best)
                if found < lowest - 1e-12:
                    lowest = found
                    table[cell] = grid[k]
            _fill_actions(form.first_action, inside, answer, table[cell], tremble, strategy)
        if lowest > before - 1e-9:
            break
    return lowest


def sheet_strategy(leduc: Leduc, sheet: Sheet) -> np.ndarray:
    """The strategy (n_actions,) of a player who follows the sheet."""
    return strategy_of(leduc, sheet.table[sheet.cells])


def reached_cells(leduc: Leduc, sheet: Sheet) -> np.ndarray:
    """Whether a player who follows the sheet can ever come to a cell, (n_cells,) bool."""
    reached = plans(leduc.form, sheet_strategy(leduc, sheet))[leduc.form.above] > 0
    return np.bincount(sheet.cells, weights=reached, minlength=len(sheet.table)) > 0
