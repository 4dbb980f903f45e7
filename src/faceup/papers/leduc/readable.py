"""Leduc strategies that a person can hold, decision trees and printed cards: few questions, and the
same answer to all alike.

A tree sees a situation as FEATURES, and answers with how often to fold, to check or call, and to
raise. Situations are also sorted into cells, those of a printed card or the leaves of a tree; a
cell has one answer of easy chances, such as "raise half the time, else call". The equilibrium's
means fit badly together once situations are merged, so answers are chosen by exact exploitability,
one cell after the other until no cell can be bettered alone. Then a few cells are changed at
random, and the search goes on from there, keeping the better card. A holder may slip: take any
legal action instead, each as likely.
"""

from collections.abc import Callable
from itertools import product
from typing import NamedTuple

import numpy as np
from numba import njit

from faceup.games.extensive_game import Game, action_infoset
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
_KICKED = 3  # cells changed at random at a time
_SWEEPS = 100  # at most, until no cell can be bettered


def features(leduc: Leduc) -> np.ndarray:
    """Every infoset as FEATURES tell it, (n_infosets, 9) float32; no two are alike.

    Cards count from 1 for the lowest, 0 is none; "raised before": who was the last to raise in
    round one, 1 me, -1 they.
    """
    rows = []
    for own, public, state in leduc.situations:
        mine, theirs = sum(state.chips[state.player]), sum(state.chips[1 - state.player])
        before = 0 if state.raiser < 0 else 1 if state.raiser == state.player else -1
        pot, pair = mine + theirs, own == public
        rows.append(
            [
                own + 1,
                public + 1,
                pair,
                state.round + 1,
                theirs - mine,
                pot,
                state.raises,
                state.player,
                before,
            ]
        )
    return np.array(rows, dtype=np.float32)


def answer_of_action(game: Game) -> np.ndarray:
    """The answer that each action counts under, (n_actions,) int64."""
    return np.array([_ANSWER_OF[label] for label in game.labels])


def answers(leduc: Leduc, strategy: np.ndarray) -> np.ndarray:
    """A strategy's probabilities by ANSWERS, (n_infosets, 3)."""
    table = np.zeros((len(leduc.game.owner), len(ANSWERS)))
    np.add.at(table, (action_infoset(leduc.game), answer_of_action(leduc.game)), strategy)
    return table


def strategy_of(leduc: Leduc, table: np.ndarray) -> np.ndarray:
    """The strategy (n_actions,) that answers (n_infosets, 3) make: without what is illegal; if
    nothing is left, check or call.
    """
    strategy, answer = np.empty(len(leduc.game.labels)), answer_of_action(leduc.game)
    for i, row in enumerate(np.ascontiguousarray(table, dtype=np.float64)):
        _answer(leduc.game.first_action, np.array([i]), answer, row, 0.0, strategy)
    return strategy


@njit(cache=True, nogil=True)
def _answer(first_action, infosets, answer, row, slip, strategy):
    """Let infosets answer with row (3,), but for slips: legal answers in proportion; if none is
    left, check or call.
    """
    for i in infosets:
        first, end = first_action[i], first_action[i + 1]
        total = 0.0
        for a in range(first, end):
            total += row[answer[a]]
        for a in range(first, end):
            if total > 1e-9:
                chance = row[answer[a]] / total
            else:
                chance = 1.0 if answer[a] == 1 else 0.0
            strategy[a] = (1.0 - slip) * chance + slip / (end - first)


class Card(NamedTuple):
    """Answers by cell."""

    cells: np.ndarray  # (n_infosets,) cell of each infoset
    table: np.ndarray  # (n_cells, 3) how often to fold, to check or call, to raise
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
    line = seen.state.line[-1]
    return (
        *by_class_and_line(seen)[:2],
        line if "r" not in line and seen.state.round == 0 else "r" * line.count("r"),
    )


def by_rank_and_raised(seen: Situation) -> tuple:
    """The own card, in round two a pair, a king or neither, and whether this round has a raise: 12
    cells.
    """
    own = (
        "low"
        if seen.state.round and seen.own not in (seen.public, 2)
        else by_class_and_line(seen)[1]
    )
    return (seen.state.round, own, "r" if "r" in seen.state.line[-1] else "")


SHEETS = {
    12: by_rank_and_raised,
    24: by_class_and_raises,
    42: by_class_and_line,
    72: by_hand_and_line,
}  # each splits the one before


def sort_into_cells(
    leduc: Leduc, key: Callable[[Situation], tuple]
) -> tuple[np.ndarray, tuple[tuple, ...]]:
    """Cell of each infoset, (n_infosets,), and the cells' keys in order."""
    keys = [key(seen) for seen in leduc.situations]
    names = tuple(sorted(set(keys)))
    return np.array([names.index(k) for k in keys]), names


@njit(cache=True, nogil=True)
def _descend(form, start, infosets, answer, grid, order, table, slip, strategy, plan, worth, best):
    """Give each cell of order its best row of grid, again and again until none helps; returns the
    exploitability.
    """
    lowest = exploitability_kernel(form, strategy, plan, worth, best)
    for _ in range(_SWEEPS):
        before = lowest
        for cell in order:
            inside = infosets[start[cell] : start[cell + 1]]
            for k in range(grid.shape[0]):
                _answer(form.first_action, inside, answer, grid[k], slip, strategy)
                found = exploitability_kernel(form, strategy, plan, worth, best)
                if found < lowest - 1e-12:
                    lowest = found
                    table[cell] = grid[k]
            _answer(form.first_action, inside, answer, table[cell], slip, strategy)
        if lowest > before - 1e-9:
            break
    return lowest


def chance_grid(parts: int) -> np.ndarray:
    """All answers whose probabilities are multiples of 1/parts, (n, 3)."""
    return (
        np.array([x for x in product(range(parts + 1), repeat=len(ANSWERS)) if sum(x) == parts])
        / parts
    )


def by_cell(cells: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Infosets in the order of their cells: those of cell c are infosets[start[c]:start[c + 1]];
    (start, infosets).
    """
    return np.searchsorted(np.sort(cells), np.arange(int(cells.max()) + 2)), np.argsort(
        cells, kind="stable"
    )


def best_answers(
    leduc: Leduc,
    cells: np.ndarray,
    means: np.ndarray,
    parts: int,
    kicks: int,
    generator: np.random.Generator,
) -> Card:
    """Answers in multiples of 1/parts for given cells, by descent with `kicks` random restarts.

    The search begins at means (n_cells, 3). What is found need not be the least exploitability that
    the cells allow.
    """
    grid, free = chance_grid(parts), np.arange(len(means))
    kept = grid[((means[:, None] - grid) ** 2).sum(axis=2).argmin(axis=1)]  # the nearest
    lowest = _search(leduc, cells, kept, grid, generator.permutation(free), 0.0)
    for _ in range(kicks):
        tried, n_kicked = kept.copy(), min(_KICKED, len(kept))
        tried[generator.choice(len(kept), n_kicked, replace=False)] = generator.choice(
            grid, n_kicked
        )
        found = _search(leduc, cells, tried, grid, generator.permutation(free), 0.0)
        if found <= lowest:
            kept, lowest = tried, found
    return Card(cells, kept, lowest)


def _search(
    leduc: Leduc,
    cells: np.ndarray,
    table: np.ndarray,
    grid: np.ndarray,
    order: np.ndarray,
    slip: float,
) -> float:
    """Better the rows of a table (n_cells, 3) that order names, in its order, by descent; returns
    the exploitability.
    """
    (start, infosets), answer, n = (
        by_cell(cells),
        answer_of_action(leduc.game),
        len(leduc.game.labels),
    )
    strategy, scratch = np.zeros(n), (np.zeros(n + 2), np.zeros(n + 2), np.zeros(n))
    for cell, row in enumerate(table):
        _answer(
            leduc.form.first_action,
            infosets[start[cell] : start[cell + 1]],
            answer,
            row,
            slip,
            strategy,
        )
    return float(
        _descend(leduc.form, start, infosets, answer, grid, order, table, slip, strategy, *scratch)
    )


def after_slips(leduc: Leduc, card: Card, parts: int, slip: float) -> Card:
    """The same card with answers for the cells that its holder reaches only by a mistake.

    They are those by which it loses least if it slips so often; the other cells are kept, and with
    them what it loses.
    """
    table, free = card.table.copy(), np.flatnonzero(~needed_cells(leduc, card))
    _search(leduc, card.cells, table, chance_grid(parts), free, slip)
    return card._replace(table=table)


def cell_means(cells: np.ndarray, answers: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Weighted means of answers (n_infosets, 3) in each cell, (n_cells, 3)."""
    means = np.stack([np.bincount(cells, weights=weights * column) for column in answers.T], axis=1)
    return means / means.sum(axis=1, keepdims=True)


def card_strategy(leduc: Leduc, card: Card) -> np.ndarray:
    """The strategy (n_actions,) of who plays by the card."""
    return strategy_of(leduc, card.table[card.cells])


def needed_cells(leduc: Leduc, card: Card) -> np.ndarray:
    """Whether who plays by the card can ever come to a cell, (n_cells,) bool."""
    reached = plans(leduc.form, card_strategy(leduc, card))[leduc.form.above] > 0
    return np.bincount(card.cells, weights=reached, minlength=len(card.table)) > 0
