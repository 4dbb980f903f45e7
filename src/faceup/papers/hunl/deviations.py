"""Standard deviations of hands and duplicates, exact on each board (paper 000, Section 3)."""

from collections.abc import Sequence

import numpy as np

from faceup.cards.cards import BOARD_CARDS, HOLE_CARDS, N_HOLES
from faceup.holdem.betting_tree import BettingTree
from faceup.holdem.board import board_order
from faceup.holdem.policy import Policy
from faceup.holdem.reach import fill_street_reach
from faceup.holdem.river_subgames import stakes_at
from faceup.holdem.rules import DECISION, SHOWDOWN
from faceup.holdem.showdown import free_holes


def deviations(
    tree: BettingTree, one: Policy, other: Policy, boards: Sequence[Sequence[int]]
) -> tuple[float, float]:
    """Standard deviations, in dollars, of what a policy wins from another in a hand, and in the
    mean of a hand and its duplicate, where the players have exchanged their cards and seats.

    Over boards (n, 5) as dealt, all pairs of holes, and actions; a mean of 0 is assumed. With X and
    Y the small blind's winnings when one or the other policy sits there, given the cards, these are
    the roots of the means of (E X^2 + E Y^2) / 2 and of E (X - Y)^2 / 4.
    """
    ends, sums = np.flatnonzero(tree.kind != DECISION), np.zeros(2)
    shown = tree.kind[ends] == SHOWDOWN
    dollars = stakes_at(tree, ends)[:, :1].astype(np.float32)  # the small blind's
    for board in boards:
        edge, apart = _edges(board)
        reach = [_reach_of_ends(tree, policy, board, ends) for policy in (one, other)]
        means: list[np.ndarray] = []
        squares: list[np.ndarray] = []
        for (small, _), (_, big) in (reach, reach[::-1]):
            for power, found in ((1, means), (2, squares)):
                paid, won = small * dollars**power, edge**power
                at_showdown = won * (paid[shown].T @ big[shown])
                found.append(paid[~shown].T @ big[~shown] + at_showdown)
        of_hand = sum(squares) / 2
        of_both = (sum(squares) - 2 * means[0] * means[1]) / 4
        sums += [(apart * square).sum() / apart.sum() for square in (of_hand, of_both)]
    hand, duplicate = np.sqrt(sums / len(boards))
    return float(hand), float(duplicate)


def _edges(board: Sequence[int]) -> tuple[np.ndarray, np.ndarray]:
    """1, 0 or -1 where a hole of a board wins, ties or loses against another, and whether the two
    share no card: (1326, 1326) float32 each.
    """
    order, strength = board_order(np.asarray(board)), np.zeros(N_HOLES)
    strength[order.holes] = np.repeat(
        np.arange(len(order.strength_start) - 1), np.diff(order.strength_start)
    )
    free = free_holes(board)
    shared = (HOLE_CARDS[:, None, :, None] == HOLE_CARDS[None, :, None, :]).any(axis=(2, 3))
    edge = np.sign(strength[:, None] - strength).astype(np.float32)
    return edge, (free[:, None] & free & ~shared).astype(np.float32)


def _reach_of_ends(
    tree: BettingTree, policy: Policy, board: Sequence[int], ends: np.ndarray
) -> np.ndarray:
    """The probability that a policy's own actions lead to each end, in each seat: (2, n_ends,
    1326) float32.
    """
    reach = np.zeros((2, len(tree.kind), N_HOLES), dtype=np.float32)
    reach[:, 0] = free_holes(board)
    for street, n_cards in enumerate(BOARD_CARDS):
        shown = [int(c) for c in board[:n_cards]]
        fill_street_reach(tree, street, policy.street_rows(street, shown), reach)
    return reach[:, ends]
