"""Leduc strategies that a person can hold: few situations, the same answer wherever they look alike, and easy chances.

Situations are sorted into cells, those of a printed card or the leaves of a tree; a cell has one answer, such as "raise half the
time, else call". The answers of a card are not the equilibrium's means: those fit badly together once situations are
merged. They are chosen by what counts, exact exploitability, one cell after the other until no cell can be bettered alone;
then a few cells are changed at random and the search goes on, keeping the better card.
"""

from collections.abc import Callable
from itertools import product
from typing import NamedTuple

import numpy as np
from numba import njit

from faceup.games.sequence_form import _exploitability, make_form
from faceup.leduc.game import Leduc, Situation
from faceup.leduc.readable import ANSWERS, answer_of_action, strategy_of

_KICKED = 3  # cells changed at random at a time
_SWEEPS = 100  # at most, until no cell can be bettered


class Card(NamedTuple):
    """Answers by cell."""

    cells: np.ndarray  # (n_infosets,) int32 cell of each infoset
    names: tuple[tuple, ...]  # what the situations of a cell have in common
    table: np.ndarray  # (n_cells, 3) how often to fold, to check or call, to raise
    exploitability: float  # exact, in the rules' unit


def by_hand_and_line(seen: Situation) -> tuple:
    """Both cards, and the actions of this round: 72 cells."""
    return (seen.round, seen.own, seen.public, seen.state.line[-1])


def by_class_and_line(seen: Situation) -> tuple:
    """A pair or the own card, and the actions of this round: 42 cells."""
    own = "pair" if seen.own == seen.public else str(seen.own)
    return (seen.round, own, "", seen.state.line[-1])


def sort_into_cells(leduc: Leduc, key: Callable[[Situation], tuple]) -> tuple[np.ndarray, tuple[tuple, ...]]:
    """Cell of each infoset, (n_infosets,) int32, and the cells' keys in order."""
    keys = [key(seen) for seen in leduc.situations]
    names = tuple(sorted(set(keys)))
    return np.array([names.index(k) for k in keys], dtype=np.int32), names


@njit(cache=True, nogil=True)
def _set_cell(form, infosets, answer, row, strategy):
    """Let the infosets of a cell answer with row (3,): legal answers in proportion; if none is left, check or call."""
    for i in infosets:
        first, end = form.first_action[i], form.first_action[i + 1]
        total = 0.0
        for a in range(first, end):
            total += row[answer[a]]
        for a in range(first, end):
            if total > 1e-9:
                strategy[a] = row[answer[a]] / total
            else:
                strategy[a] = 1.0 if answer[a] == 1 else 0.0


@njit(cache=True, nogil=True)
def _descend(form, start, infosets, answer, grid, order, table, strategy, plan, worth, best):
    """Give each cell its best row of grid, again and again until none helps; returns the exploitability."""
    lowest = _exploitability(form, strategy, plan, worth, best)
    for _ in range(_SWEEPS):
        before = lowest
        for cell in order:
            inside = infosets[start[cell] : start[cell + 1]]
            for k in range(grid.shape[0]):
                _set_cell(form, inside, answer, grid[k], strategy)
                found = _exploitability(form, strategy, plan, worth, best)
                if found < lowest - 1e-12:
                    lowest = found
                    table[cell] = grid[k]
            _set_cell(form, inside, answer, table[cell], strategy)
        if lowest > before - 1e-9:
            break
    return lowest


def chance_grid(parts: int) -> np.ndarray:
    """All answers whose probabilities are multiples of 1/parts, (n, 3). Raises ValueError unless parts is at least 1."""
    if parts < 1:
        raise ValueError(f"parts is {parts}, expected 1 or more")
    return np.array([x for x in product(range(parts + 1), repeat=len(ANSWERS)) if sum(x) == parts]) / parts


def best_answers(leduc: Leduc, cells: np.ndarray, table: np.ndarray, parts: int, kicks: int, seed: list[int]) -> Card:
    """Answers in multiples of 1/parts for given cells, from table (n_cells, 3) on, by descent with `kicks` random restarts.

    What is found need not be the least exploitability that the cells allow. Raises ValueError where cells and table differ.
    """
    if cells.shape != leduc.game.owner.shape or cells.min() != 0 or cells.max() + 1 != len(table):
        raise ValueError(f"cells {cells.shape} from {cells.min()} to {cells.max()}: expected one an infoset, rows of the table")
    grid, form, rng = chance_grid(parts), make_form(leduc.game), np.random.default_rng(seed)
    nearest = ((table[:, None] - grid[None]) ** 2).sum(axis=2).argmin(axis=1)
    infosets, start = np.argsort(cells, kind="stable"), np.searchsorted(np.sort(cells), np.arange(len(table) + 1))
    answer, n = answer_of_action(leduc.game), len(leduc.game.labels)
    scratch = np.zeros(n + 2), np.zeros(n + 2), np.zeros(n)

    def search(rows: np.ndarray) -> float:
        strategy = strategy_of(leduc, rows[cells])
        return _descend(form, start, infosets, answer, grid, rng.permutation(len(rows)), rows, strategy, *scratch)

    kept = grid[nearest]
    lowest = search(kept)
    for _ in range(kicks):
        tried = kept.copy()
        tried[rng.choice(len(kept), min(_KICKED, len(kept)), replace=False)] = rng.choice(grid, min(_KICKED, len(kept)))
        found = search(tried)
        if found <= lowest:
            kept, lowest = tried, found
    return Card(cells, (), kept, float(lowest))


def make_card(
    leduc: Leduc,
    key: Callable[[Situation], tuple],
    answers: np.ndarray,
    weights: np.ndarray,
    parts: int,
    kicks: int,
    seed: list[int],
) -> Card:
    """The card of some cells, its search begun at the weighted means of answers (n_infosets, 3)."""
    cells, names = sort_into_cells(leduc, key)
    means = np.stack([np.bincount(cells, weights=weights * column) for column in answers.T], axis=1)
    card = best_answers(leduc, cells, means / means.sum(axis=1, keepdims=True), parts, kicks, seed)
    return card._replace(names=names)


def card_strategy(leduc: Leduc, card: Card) -> np.ndarray:
    """The strategy (n_actions,) of who plays by the card."""
    return strategy_of(leduc, card.table[card.cells])
