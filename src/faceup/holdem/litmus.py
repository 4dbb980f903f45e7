"""A litmus test of strategies: four things that good play never does, counted on river boards,
whoever wins.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from faceup.cards.cards import BOARD_CARDS, PERMUTED_HOLES, SUIT_PERMUTATIONS
from faceup.cards.equity import UNITS
from faceup.holdem.board import free_holes
from faceup.holdem.policy import Policy, river_equities
from faceup.holdem.rules import CALL, FOLD
from faceup.holdem.tree import BettingTree, children, columns, decisions


class Litmus(NamedTuple):
    """Percent of cases, in the mean over boards, hands and river decisions, and the worst
    decision's mean; None: never met.
    """

    nuts_checked: tuple  # with a hand that nothing beats or ties, the last to act checks
    air_called: tuple  # with the weakest hands of a board, a player calls all-in
    # points by which a larger bet is continued against more often than the size below it
    larger_called: tuple
    # largest difference, in points, of hands alike but for the names of suits, on all streets of
    # five boards
    twins: float


def _percent(cases: Sequence[np.ndarray]) -> tuple[float | None, float | None]:
    """Mean over all cases, and the largest mean of a decision; cases: of each decision, any number."""
    means = [100 * float(case.mean()) for case in cases if case.size]
    return (
        (float(np.mean(100 * np.concatenate([np.ravel(c) for c in cases]))), max(means))
        if means
        else (None, None)
    )


def litmus(tree: BettingTree, policy: Policy, boards: Sequence[Sequence[int]]) -> Litmus:
    """Put a policy of a betting tree to the test on boards (n, 5)."""
    start, river = int(tree.street_start[3]), decisions(tree, 3)
    rows, own, free = zip(
        *((policy.street(3, list(b)), river_equities(b), free_holes(list(b))) for b in boards),
        strict=True,
    )
    nuts = [equity == UNITS[3] for equity in own]
    air = [
        here & (equity == equity[here].min()) & (equity < 0.05 * UNITS[3])
        for equity, here in zip(own, free, strict=True)
    ]

    def chances(node: int, held: Sequence[np.ndarray]) -> np.ndarray:
        """Probability of the action that leads to a node, with each hole that is held on each
        board.
        """
        return np.concatenate(
            [
                table[row[these], node - start]
                for (table, row), these in zip(rows, held, strict=True)
            ]
        )

    def continues(node: int) -> np.ndarray:
        """How often a bet is not folded to; node: after the bet."""
        (fold,) = [c for c in children(tree, node) if tree.label[c] == FOLD]
        return 1 - chances(fold, free)

    # second, with nothing to call
    last = [n for n in river if tree.actor[n] == 0 and np.ptp(tree.bets[n].sum(axis=1)) == 0]
    checks = [c for n in last for c in children(tree, n) if tree.label[c] == CALL]
    calls = [
        c
        for n in river
        if tree.labels[tree.label[n]] == "all_in"
        for c in children(tree, n)
        if tree.label[c] == CALL
    ]
    sizes = [
        [c for c in children(tree, n) if tree.label[c] > CALL and tree.n_children[c]] for n in river
    ]
    rises = [
        np.maximum(continues(b) - continues(a), 0)
        for bets in sizes
        for a, b in zip(bets, bets[1:], strict=False)
    ]
    return Litmus(
        _percent([chances(c, nuts) for c in checks]), _percent([chances(c, air) for c in calls]), _percent(rises),
        max(_twins(policy, street, list(board[: BOARD_CARDS[street]])) for board in boards[:5] for street in range(4)),
    )  # fmt: skip


def _twins(policy: Policy, street: int, board: list[int]) -> float:
    """Largest difference, in points, between the rows of a board's holes and those of the same
    cards with suits renamed.
    """
    moved, holes = SUIT_PERMUTATIONS[-1], np.flatnonzero(free_holes(board))
    renamed = [4 * (c // 4) + int(moved[c % 4]) for c in board]
    (rows, row), (others, other) = policy.street(street, board), policy.street(street, renamed)
    return 100 * float(np.abs(rows[row[holes]] - others[other[PERMUTED_HOLES[-1][holes]]]).max())


def never_met(tree: BettingTree, tables: Sequence[np.ndarray]) -> list[float]:
    """Percent of a table's infosets on each street that play all actions alike, as where self-play
    never came.
    """
    rows = [
        [table[:, columns(tree, node)] for node in decisions(tree, street)]
        for street, table in enumerate(tables)
    ]
    return [
        100 * float(np.mean([np.ptp(row, axis=1) == 0 for row in of_street])) for of_street in rows
    ]
