"""Boards as tensors: who holds which hand strength, which group and which cards, for sweeps over many boards at once."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import torch
from numba import njit, prange
from torch import Tensor

from faceup.cards.cards import CLASS_OF_HOLE, HOLE_CARDS, N_CARDS, PERMUTED_HOLES, _canonical, canonical_boards
from faceup.cards.equity import _river_counts
from faceup.cards.strength import N_RIVER_HOLES, _river_order
from faceup.holdem.solve.groups import N_RIVER_GROUPS, Groups

UNSEEN, WITH_CARD = (
    48,
    48,
)  # 47 cards that a river board leaves and 46 holes that have one of them; padded: GPUs want multiples of 8


class Batch(NamedTuple):
    """B boards, their holes in order of strength; G: the most cells that one of them has (a cell: as in solve/board), padded."""

    group: Tensor  # (3, B, 1081) of each hole, before the river
    cell: Tensor  # (B, 1081) of each hole
    cards: Tensor  # (B, 1081, 2) of each hole, numbered among the unseen ones
    holes: Tensor  # (B, 48, 48) holes with each card; 0 in the padding
    in_cell: Tensor  # (B, 48, 48, G) 1 where such a hole is in a cell, else 0
    level: Tensor  # (B, G) equity of each cell, 2 * wins + ties
    has: Tensor  # (B, 1081, 48) 1 where a hole has a card, else 0
    outcome: Tensor  # (B, 1081, 1081) 1 where the second hole beats the first, -1 where it loses; 0 where they share a card
    sign: Tensor  # (B, G, G) likewise of cells, whatever their cards


@njit(cache=True, parallel=True)
def _locate(boards, flop, turn, flop_keys, turn_keys, group, cell, cards, holes, member, level, rank, n_cells):
    """Fill arrays for boards (n, 5), named as in `Batch`.

    member (n, 48, 48): cell of each of `holes`, -1 in the padding; rank (n, 1081): number of each cell's strength, ascending.
    """
    for b in prange(boards.shape[0]):
        order, start = np.empty(N_RIVER_HOLES, np.int16), np.empty(161, np.int32)
        less, equal = np.empty(1326, np.int32), np.empty(1326, np.int32)
        _river_order(boards[b], order, start)
        _river_counts(boards[b], less, equal)
        flop_key, flop_suits = _canonical(boards[b], 3)
        turn_key, turn_suits = _canonical(boards[b], 4)
        on_flop = flop[np.searchsorted(flop_keys, flop_key)]
        on_turn = turn[np.searchsorted(turn_keys, turn_key)]
        with_card, number = np.zeros(UNSEEN, np.int64), np.empty(N_CARDS, np.int64)
        for c in range(N_CARDS):
            number[c] = c - (boards[b] < c).sum()
        cell_of, strength, n = np.full(N_RIVER_GROUPS, -1), 0, 0
        for i in range(N_RIVER_HOLES):
            h = order[i]
            if i == start[strength + 1]:
                strength += 1
            equity = 2 * less[h] + equal[h]
            if cell_of[equity] < 0 or rank[b, cell_of[equity]] != strength:
                cell_of[equity], level[b, n], rank[b, n] = n, equity, strength
                n += 1
            cell[b, i] = cell_of[equity]
            group[0, b, i] = CLASS_OF_HOLE[h]
            group[1, b, i] = on_flop[PERMUTED_HOLES[flop_suits, h]]
            group[2, b, i] = on_turn[PERMUTED_HOLES[turn_suits, h]]
            for j in range(2):
                c = number[HOLE_CARDS[h, j]]
                cards[b, i, j] = c
                holes[b, c, with_card[c]], member[b, c, with_card[c]] = i, cell_of[equity]
                with_card[c] += 1
        n_cells[b] = n


def batches(boards: np.ndarray, groups: Groups, at_once: int, device: torch.device) -> Iterator[Batch]:
    """Boards (n, 5) in batches of like numbers of cells, on a device.

    Raises ValueError on anything but boards of five distinct cards.
    """
    boards = np.asarray(boards, dtype=np.int64)
    if boards.ndim != 2 or boards.shape[1] != 5:
        raise ValueError(f"boards of shape {boards.shape}: expected (n, 5)")
    for board in boards[(np.diff(np.sort(boards)) == 0).any(axis=1) | (boards < 0).any(axis=1) | (boards >= N_CARDS).any(axis=1)]:
        raise ValueError(f"board {board.tolist()}: expected five distinct cards from 0 to 51")
    n, holes = len(boards), N_RIVER_HOLES
    sizes = (3, n, holes), (n, holes), (n, holes, 2), (n, UNSEEN, WITH_CARD), (n, UNSEEN, WITH_CARD), (n, holes), (n, holes)
    arrays, n_cells = [np.zeros(size, np.int32) for size in sizes], np.zeros(n, np.int32)
    arrays[4][:] = -1
    _locate(boards, groups.flop, groups.turn, canonical_boards(3).keys, canonical_boards(4).keys, *arrays, n_cells)
    order = np.argsort(n_cells, kind="stable")
    group, *others = (torch.as_tensor(array, device=device).long() for array in arrays)
    for chosen in (order[i : i + at_once] for i in range(0, n, at_once)):
        most = -(-int(n_cells[chosen[-1]]) // 8) * 8
        at = torch.as_tensor(chosen, device=device)
        yield _batch(most, group[:, at], *(array[at] for array in others))


def _batch(
    n_cells: int, group: Tensor, cell: Tensor, cards: Tensor, holes: Tensor, member: Tensor, level: Tensor, rank: Tensor
) -> Batch:
    """What follows from the arrays of `_locate`, cut to n_cells."""
    has = torch.zeros(*cell.shape, UNSEEN, device=cell.device).scatter_(2, cards, 1)
    of_cell = rank[:, :n_cells].float()
    of_hole = of_cell.gather(1, cell)
    in_cell = (member[..., None] == torch.arange(n_cells, device=cell.device)).float()
    outcome = torch.sign(of_hole[:, None] - of_hole[:, :, None]).mul_(has @ has.mT == 0)
    sign = torch.sign(of_cell[:, None] - of_cell[:, :, None])
    return Batch(group, cell, cards, holes, in_cell, level[:, :n_cells], has, outcome, sign)
