"""Who wins a showdown, for every hole against any weights of opposing holes, with the cards of one board still to come or not.

Everything is an edge: wins less losses. Before the flop it comes from the counts of cards/matchups, on flop and turn from a table
of all pairs of holes over the 990 or 44 runouts, on the river from one sweep through the holes by strength.
"""

from collections.abc import Sequence
from itertools import combinations

import numpy as np
from numba import njit, prange

from faceup.cards.cards import CLASS_OF_HOLE, HOLE_CARDS, N_CLASSES, N_HOLES
from faceup.cards.matchups import RUNOUTS_FLOP, RUNOUTS_PREFLOP, edges
from faceup.cards.strength import _river_order
from faceup.holdem.solve.board import board_order

_ROWS = 64  # holes whose rows are filled together, while they are in the processor's cache
_RUNOUTS = (RUNOUTS_PREFLOP, RUNOUTS_FLOP, 44, 1)


@njit(cache=True)
def _strengths(boards, strength, beaten, beats):
    """Strength of every hole on river boards (n, 5), thrice, each (n, 1326) int16, with another value for blocked holes.

    strength: -1 there; beaten: more than any, so that nothing wins against them; beats: less than any, so that nothing loses.
    """
    order, start = np.empty(1081, dtype=np.int16), np.empty(161, dtype=np.int32)
    strength[:] = -1
    beaten[:], beats[:] = 1000, -1000
    for b in range(boards.shape[0]):
        n_classes = _river_order(boards[b], order, start)
        for k in range(n_classes):
            for i in range(start[k], start[k + 1]):
                h = order[i]
                strength[b, h], beaten[b, h], beats[b, h] = k, k, k


@njit(cache=True, parallel=True)
def _pair_edges(strength, beaten, beats, total):
    """Add wins less losses of every two holes over boards to total (1326, 1326) int16; blocked holes add nothing."""
    n_holes = strength.shape[1]
    for part in prange((n_holes + _ROWS - 1) // _ROWS):
        for b in range(strength.shape[0]):
            over, under = beaten[b], beats[b]
            for i in range(part * _ROWS, min((part + 1) * _ROWS, n_holes)):
                s, row = strength[b, i], total[i]
                if s >= 0:
                    for j in range(row.shape[0]):
                        row[j] += np.int16(s > over[j]) - np.int16(s < under[j])


@njit(cache=True)
def _river_edges(order, start, weights, out):
    """Edges of each hole of a river board against weights (n, 1326): out (n, 1326), zero at first."""
    for n in range(weights.shape[0]):
        w, by_card, total = weights[n], np.zeros(52), 0.0
        for sign in (1.0, -1.0):  # from weak to strong the wins, from strong to weak the losses
            by_card[:] = 0
            total = 0.0
            for step in range(start.shape[0] - 1):
                k = step if sign > 0 else start.shape[0] - 2 - step
                for i in range(start[k], start[k + 1]):
                    h = order[i]
                    out[n, h] += sign * (total - by_card[HOLE_CARDS[h, 0]] - by_card[HOLE_CARDS[h, 1]])
                for i in range(start[k], start[k + 1]):
                    h = order[i]
                    by_card[HOLE_CARDS[h, 0]] += w[h]
                    by_card[HOLE_CARDS[h, 1]] += w[h]
                    total += w[h]


def share_a_card() -> np.ndarray:
    """Which two holes cannot be dealt together, (1326, 1326) bool."""
    has = np.zeros((N_HOLES, 52), dtype=np.float32)
    has[np.arange(N_HOLES)[:, None], HOLE_CARDS] = 1
    return has @ has.T > 0


_SHARED = share_a_card()


class Showdowns:
    """Edges on each street of one board of five cards."""

    def __init__(self, board: Sequence[int], preflop_wins: np.ndarray):
        """preflop_wins (169, 169): of cards/matchups. Raises ValueError on anything but five distinct cards."""
        self.board = [int(c) for c in board]
        self._order = board_order(np.array(self.board))
        combos = np.bincount(CLASS_OF_HOLE, minlength=N_CLASSES)
        self._preflop = edges(preflop_wins, RUNOUTS_PREFLOP) / (combos[:, None] * combos)
        self._tables: dict[int, np.ndarray] = {}

    def edges(self, street: int, weights: np.ndarray) -> np.ndarray:
        """For each hole the weights of holes it beats less those it loses to, mean over the cards to come: (n, 1326) float64.

        weights (n, 1326): of opposing holes, 0 where the street's board blocks them. Before the flop weights of holes of one
        starting hand must be equal, as they are against a strategy that treats suits alike.
        """
        if street == 0:
            classes = np.stack([np.bincount(CLASS_OF_HOLE, weights=w, minlength=N_CLASSES) for w in weights])
            return (classes @ self._preflop.T)[:, CLASS_OF_HOLE]
        if street == 3:
            out = np.zeros(weights.shape)
            _river_edges(self._order.holes, self._order.class_start, np.asarray(weights, dtype=np.float64), out)
            return out
        if street not in self._tables:
            self._tables[street] = self._pairs(street)
        return (np.asarray(weights, dtype=np.float32) @ self._tables[street].T).astype(np.float64)

    def _pairs(self, street: int) -> np.ndarray:
        """Edges of every two holes on flop or turn, (1326, 1326) float32."""
        shown = self.board[: street + 2]
        rest = [c for c in range(52) if c not in shown]
        boards = np.array([[*shown, *more] for more in combinations(rest, 5 - len(shown))])
        total = np.zeros((N_HOLES, N_HOLES), dtype=np.int16)
        found = [np.empty((len(boards), N_HOLES), dtype=np.int16) for _ in range(3)]
        _strengths(boards, *found)
        _pair_edges(*found, total)
        total[_SHARED] = 0
        return total.astype(np.float32) / np.float32(_RUNOUTS[street])
