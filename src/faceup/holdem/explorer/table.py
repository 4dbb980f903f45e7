"""The self-play table as the page holds it: which group a hand is in, and a group's shares of actions in steps of 1/255.

A hand's group follows from its whole-number features, as in `solve.groups`: preflop it is the starting hand, on the river the
equity, and on flop and turn the place of its grid cells, written as one number, in the sorted list of those that occur.
"""

from base64 import b64encode
from collections.abc import Sequence
from typing import Any

import numpy as np

from faceup.cards.equity import UNITS, StreetTable
from faceup.holdem.betting.betting_tree import BettingTree, columns, decisions
from faceup.holdem.betting.notation import line_to
from faceup.holdem.solve.groups import Grid
from faceup.holdem.solve.policy import TablePolicy

STEPS = 255  # of a share: each is off by at most one step


def table_data(tree: BettingTree, policy: TablePolicy, tables: Sequence[StreetTable], grids: Sequence[Grid]) -> dict[str, Any]:
    """The table as plain JSON. tables: the four streets'; grids: of flop and turn, as self-play rounded by."""
    ids = (policy.groups.flop, policy.groups.turn)
    return {
        "grids": [grid._asdict() for grid in grids],
        "cells": [group_cells(s, tables[s], grid, ids[s - 1]).tolist() for s, grid in enumerate(grids, start=1)],
        "streets": [_shares(tree, street, table) for street, table in enumerate(policy.tables)],
    }


def group_cells(street: int, table: StreetTable, grid: Grid, ids: np.ndarray) -> np.ndarray:
    """The grid cells of each group (n_groups,) int64, ascending: digits in base cells + 1, the equity first.

    ids (n_boards, 1326): groups, -1 where a hole is blocked.
    """
    hands, free = np.zeros(ids.max() + 1, dtype=np.int64), np.flatnonzero(ids >= 0)
    hands[ids.ravel()[free]] = free  # one of each group
    board, hole = np.unravel_index(hands, ids.shape)
    values = [(table.equity[board, hole], UNITS[street], grid.equity_cells)]
    for later, deciles in enumerate(table.deciles, start=street + 1):
        values += [(deciles[board, hole, d - 1], UNITS[later], grid.decile_cells) for d in grid.deciles]
    key = np.zeros(len(board), dtype=np.int64)
    for value, unit, cells in values:
        key = key * (cells + 1) + (2 * cells * value.astype(np.int64) + unit) // (2 * unit)
    return key


def _shares(tree: BettingTree, street: int, table: np.ndarray) -> dict[str, Any]:
    """A street: where each decision's shares stand in a group's row, and the rows, base64 of bytes.

    A decision of k actions has k - 1 bytes: how much the first one, two, .. actions take together.
    """
    places, parts, width = {}, [], 0
    for node in decisions(tree, street):
        summed = table[:, columns(tree, node)].cumsum(axis=1, dtype=np.float64)
        parts.append(np.rint(STEPS * summed[:, :-1] / summed[:, -1:]).astype(np.uint8))
        places[line_to(tree, int(node))] = width
        width += parts[-1].shape[1]
    return {"places": places, "width": width, "shares": b64encode(np.hstack(parts).tobytes()).decode()}
