"""Best responses on the river: all rivers of a turn board and LANES betting subtrees at once, on cells of holes.

The strategy that is answered acts alike with all holes of a cell, as in self-play. The responder sees its own hole: as
strengths are gone through, the value of each end to a hole is put together from the sums of its two cards and of all, and at
each of its decisions the best action is taken. What that wins more than the strategy's own choice is noted for each decision
and starting hand: the strategy's leaks. All-ins of earlier streets are subtrees of a single showdown. A responder may be held to
some of the tree's bets, its menu: the values of ends serve all menus, and only the way up is gone once for each.
"""

from typing import NamedTuple

import numpy as np
from numba import njit

from faceup.cards.cards import CLASS_OF_HOLE, HOLE_CARDS, N_CLASSES, PERMUTED_HOLES
from faceup.cards.strength import N_RIVER_HOLES
from faceup.holdem.board import ALL, N_ENTRIES, _order, make_cells
from faceup.holdem.lanes import (
    WIDE,
    add,
    add_gain,
    add_product,
    add_wide,
    add_wide_product,
    copy,
    largest_sum,
    product,
    wide_product,
    wide_value,
)
from faceup.holdem.layout import LANES, Shapes, block_sizes, river_layout, shares, table_columns
from faceup.holdem.river import _add_all, _add_cell, _reach
from faceup.holdem.tree import BettingTree
from faceup.lab.parallel import on_threads

Rivers = tuple[np.ndarray, np.ndarray, np.ndarray]


class ResponseScratch(NamedTuple):
    """What a thread writes. Nodes are in the order of slots (`Shapes`)."""

    reach: np.ndarray  # (1326, WIDE) float32 reach of the roots
    total: np.ndarray  # (n_menus, 1326, WIDE) float32 values of the roots to the other player, summed over rivers
    sums: np.ndarray  # (N_ENTRIES, WIDE) float32 `reach` summed over each entry
    since: np.ndarray  # (1081, most_nodes + 1, 2, LANES) float32 product of a player's chances since the root
    bar: np.ndarray  # (n_menus, most_nodes, LANES) float32 the block's bar
    value: np.ndarray  # (most_nodes + 1, 2, LANES) float32 value of each node to a hole of the other player
    leaks: np.ndarray  # (n_menus, 169, most_decisions, LANES) float32 what best actions win more than the own, times its reach
    rows: np.ndarray  # (n_rows, most_nodes * LANES) float32 the strategy's rows of a block, by slot and lane


class RiverResponder:
    """Sums best responses over rivers, for one tree."""

    def __init__(self, tree: BettingTree, allowed: np.ndarray):
        """Lay out the tree's rivers; allowed (n_menus, n_nodes) bool: the nodes that the responder's actions may lead to."""
        layout, self._shapes = river_layout(tree)
        _, folds, rivers, end = layout.columns[0]
        blocks = np.concatenate([np.arange(0, folds), np.arange(rivers, end)])[::LANES] // LANES
        order, self._starts = shares(block_sizes(self._shapes)[blocks])
        self._blocks = blocks[order]
        first = int(tree.street_start[3])
        bar = _bars(self._shapes, layout.column_node, allowed, first)
        at, column = table_columns(tree, layout, self._shapes), np.zeros(int(self._shapes.begin[-1]), dtype=np.uint32)
        column[at] = np.arange(len(at))
        self._plan = Plan(layout.stake, layout.column_node, bar, first, column)

    def add(self, rivers: Rivers, table: np.ndarray, reach: np.ndarray, value: np.ndarray, leaks: np.ndarray) -> None:
        """Add to value (n_menus, 2, n_nodes, 1326), where river betting begins and at all-ins, the sum over the rivers.

        rivers: boards (n, 5) int64; suit permutations that map each to those it stands for, (n, 4) int64, -1: none; the row of
        `table` of each of the 1,326 holes, (n, 1326) int32. table (n_rows, width) float32: the strategy's rows. reach
        (2, n_nodes, 1326): of the strategy in each seat; like value, of nodes before the river's actions. What best actions
        win more than the strategy's own, times its own reach, is added to leaks (n_menus, n_nodes of the tree, 169) float64.
        """
        rows = table, np.flatnonzero(np.bincount(rivers[2].ravel()))
        on_threads(_all_blocks, self._shapes, self._plan, self._blocks, self._starts, rows, rivers, reach, value, leaks)


class Plan(NamedTuple):
    """Of LANES subtrees or all-ins a block: what the kernels need beside their shapes."""

    stake: np.ndarray  # (n_columns, 2) float32 dollars an all-in is worth to each player
    node: np.ndarray  # (n_columns,) int32 the node of each lane, -1: none
    bar: np.ndarray  # (n_blocks, n_menus, most_nodes, LANES) float32 by slot: -inf where the responder may not go, else 0
    first: int  # the first node that a river action leads to
    column: np.ndarray  # (shapes.begin[-1],) uint32 column of a table, by block, slot and lane


def _bars(shapes: Shapes, column_node: np.ndarray, allowed: np.ndarray, first: int) -> np.ndarray:
    """`Plan.bar`."""
    bar = np.zeros((shapes.stake.shape[0], len(allowed), max(shapes.stake.shape[1], 1), LANES), dtype=np.float32)
    for c in np.flatnonzero(column_node >= 0):
        shape = shapes.of_block[c // LANES]
        if shape >= 0:
            slot = shapes.slot[shapes.node_start[shape] : shapes.node_start[shape + 1]]
            start = first + int(shapes.column[c])
            bar[c // LANES, :, slot, c % LANES] = np.where(allowed[:, start : start + len(slot)], 0, -np.inf).T
    return bar


@njit(cache=True)
def _cells_of(board, rows):
    """The cells of a river board; its holes and their entries cell by cell, and where each cell's begin."""
    order = _order(board)
    cells = make_cells(order, rows)
    by_cell = np.argsort(cells.of_hole, kind="mergesort")
    start = np.searchsorted(cells.of_hole[by_cell], np.arange(cells.group.shape[0] + 1))
    return cells, order.holes[by_cell].astype(np.int64), cells.entries[by_cell], start


@njit(cache=True)
def _ends_of_hole(hole, n_showdowns, n_ends, seen, stake, folds, reach, value):
    """Values of ends to a hole: from all holes less those with its cards; at folds itself is counted back."""
    every, a, b = ALL * n_ends, HOLE_CARDS[hole, 0] * n_ends, HOLE_CARDS[hole, 1] * n_ends
    for e in range(n_ends):
        wide_value(value, e * WIDE, stake, e * WIDE, seen, (every + e) * WIDE, seen, (a + e) * WIDE, seen, (b + e) * WIDE)
    for e in range(n_showdowns, n_ends):
        add_wide_product(value, e * WIDE, folds, (e - n_showdowns) * WIDE, reach, hole * WIDE)


@njit(cache=True)
def _best_of_hole(shapes, shape, scratch, menu, row, g, weight, own, k):
    """Values of decisions to a hole, from those of ends: the menu's best action where its player acts, else the sum.

    row: where the cell's chances begin in the table. What the best action wins more than the strategy's own choice, times the
    own reach (that of the root is weight (2, LANES)), is added to the leaks of hand k.
    """
    table, since, value, bar, leaks = scratch.rows, scratch.since, scratch.value, scratch.bar, scratch.leaks
    first, d0, most = shapes.node_start[shape], shapes.decision_start[shape], since.shape[1]
    barred, leak = menu * bar.shape[1] * LANES, ((menu * leaks.shape[1] + k) * leaks.shape[2] - d0) * LANES
    for d in range(shapes.decision_start[shape + 1] - 1, d0 - 1, -1):
        who, other, start = shapes.actor[d], 1 - shapes.actor[d], first + shapes.first_child[d]
        e, node = shapes.slot[start], shapes.slot_of[d]
        best, total = (node * 2 + other) * LANES, (node * 2 + who) * LANES
        copy(value, best, value, (e * 2 + other) * LANES)
        copy(value, total, value, (e * 2 + who) * LANES)
        product(own, 0, table, row + e * LANES, value, (e * 2 + other) * LANES)
        for c in range(start + 1, start + shapes.n_children[d]):
            e = shapes.slot[c]
            largest_sum(value, best, value, (e * 2 + other) * LANES, bar, barred + e * LANES)
            add(value, total, value, (e * 2 + who) * LANES)
            add_product(own, 0, table, row + e * LANES, value, (e * 2 + other) * LANES)
        at = ((g * most + node) * 2 + who) * LANES
        add_gain(leaks, leak + d * LANES, weight, who * LANES, since, at, value, best, own, 0)


@njit(cache=True)
def _river(shapes, block, stake, board, images, rows, scratch):
    """Add one river's values of LANES subtrees, or all-ins, to scratch.total, and its leaks to scratch.leaks."""
    shape, root, since, value, table = shapes.of_block[block], 0, scratch.since, scratch.value, scratch.rows
    n_menus, n_holes = scratch.total.shape[:2]
    cells, holes, entries, start = _cells_of(board, rows)
    scratch.sums[: cells.card.shape[0]] = 0
    for i in range(holes.shape[0]):
        for n in range(3):
            add_wide(scratch.sums, entries[i, n] * WIDE, scratch.reach, holes[i] * WIDE)
    n_showdowns = n_ends = np.int64(1)
    since[: cells.group.shape[0], 0] = 1
    if shape >= 0:
        (n_showdowns, n_ends), root = shapes.ends[shape], shapes.node_start[shape + 1] - shapes.node_start[shape]
        for g in range(cells.group.shape[0]):
            _reach(shapes, shape, table, cells.group[g] * table.shape[1], since, g)
    seen, folds = np.empty((53, n_ends * WIDE), np.float32), np.empty((n_ends - n_showdowns, WIDE), np.float32)
    own, weight = np.empty(LANES, np.float32), np.empty(WIDE, np.float32)
    times = np.full(WIDE, (images >= 0).sum(), dtype=np.float32)
    by_end = since.reshape(since.shape[0], -1, WIDE)
    _add_all(cells, n_showdowns, n_ends, scratch.sums, by_end, seen)
    for cls in range(cells.classes.shape[0] - 1):
        first, last = cells.classes[cls], cells.classes[cls + 1]
        for g in range(first, last):
            _add_cell(cells, g, scratch.sums, by_end, n_showdowns, n_ends, seen)
        for g in range(first, last):
            row = cells.group[g] * table.shape[1]
            for e in range(n_showdowns, n_ends):  # what a fold is worth for each own reach of the root: sums take that off twice
                wide_product(folds, (e - n_showdowns) * WIDE, stake, e * WIDE, by_end, (g * by_end.shape[1] + e) * WIDE)
            for i in range(start[g], start[g + 1]):
                hole = holes[i]
                _ends_of_hole(hole, n_showdowns, n_ends, seen, stake, folds, scratch.reach, value)
                wide_product(weight, 0, times, 0, scratch.reach, hole * WIDE)
                for menu in range(n_menus):
                    if shape >= 0:
                        _best_of_hole(shapes, shape, scratch, menu, row, g, weight, own, CLASS_OF_HOLE[hole])
                    for image in images:
                        if image >= 0:
                            at = menu * n_holes + np.int64(PERMUTED_HOLES[image, hole])
                            add_wide(scratch.total, at * WIDE, value, root * WIDE)
        for g in range(first, last):
            _add_cell(cells, g, scratch.sums, by_end, n_showdowns, n_ends, seen)


@njit(cache=True)
def _store_leaks(shapes, block, plan, lanes, found, leaks):
    """Add a block's leaks to those of its decisions' nodes; a shape's first is the root."""
    shape = shapes.of_block[block]
    slot = shapes.slot[shapes.node_start[shape] : shapes.node_start[shape + 1]]
    start = shapes.decision_start[shape]
    for d in range(start, shapes.decision_start[shape + 1]):
        number = (slot == shapes.slot_of[d]).argmax()
        for j in range(LANES):
            if lanes[j] >= 0:
                below = plan.first + np.int64(shapes.column[block * LANES + j])
                node = lanes[j] if d == start else below + number
                for menu in range(leaks.shape[0]):
                    for k in range(leaks.shape[2]):
                        leaks[menu, node, k] += found[menu, k, d - start, j]


@njit(cache=True)
def _block(shapes, plan, block, rows, rivers, reach, value, leaks, scratch):
    """All rivers of LANES subtrees or all-ins."""
    column = plan.column[shapes.begin[block] : shapes.begin[block + 1]]
    for r in rows[1]:
        given, laid_out = rows[0][r], scratch.rows[r]
        for x in range(column.shape[0]):
            laid_out[x] = given[column[x]]
    lanes, is_all_in = plan.node[block * LANES : (block + 1) * LANES], shapes.of_block[block] < 0
    for player in range(2):
        for j in range(LANES):
            for h in range(scratch.reach.shape[0]):
                scratch.reach[h, player * LANES + j] = reach[player, lanes[j], h] if lanes[j] >= 0 else np.float32(0)
    scratch.total[:] = 0
    scratch.leaks[:] = 0
    if is_all_in:
        stake = np.empty((1, WIDE), dtype=np.float32)
        for player in range(2):
            for j in range(LANES):
                stake[0, player * LANES + j] = plan.stake[block * LANES + j, 1 - player]
    else:
        stake = shapes.stake[block].reshape(-1, WIDE)
        scratch.bar[:] = plan.bar[block]
    boards, images, row_of_hole = rivers
    for r in range(boards.shape[0]):
        _river(shapes, block, stake, boards[r], images[r], row_of_hole[r], scratch)
    for player in range(2):
        for j in range(LANES):
            if lanes[j] >= 0:
                for menu in range(value.shape[0]):
                    for h in range(scratch.reach.shape[0]):
                        value[menu, 1 - player, lanes[j], h] += scratch.total[menu, h, player * LANES + j]
    if not is_all_in:
        _store_leaks(shapes, block, plan, lanes, scratch.leaks, leaks)


@njit(cache=True)
def _new_scratch(shapes, n_menus, n_rows):
    nodes, decisions = max(shapes.stake.shape[1], 1), 1
    for shape in range(shapes.ends.shape[0]):
        decisions = max(decisions, shapes.decision_start[shape + 1] - shapes.decision_start[shape])
    n_holes = HOLE_CARDS.shape[0]
    return ResponseScratch(
        np.empty((n_holes, WIDE), np.float32), np.empty((n_menus, n_holes, WIDE), np.float32),
        np.empty((N_ENTRIES, WIDE), np.float32), np.empty((N_RIVER_HOLES, nodes + 1, 2, LANES), np.float32),
        np.empty((n_menus, nodes, LANES), np.float32), np.empty((nodes + 1, 2, LANES), np.float32),
        np.empty((n_menus, N_CLASSES, decisions, LANES), np.float32), np.empty((n_rows, nodes * LANES), np.float32),
    )  # fmt: skip


@njit(cache=True, nogil=True)
def _all_blocks(share, shapes, plan, blocks, starts, rows, rivers, reach, value, leaks):
    """Every block writes values of its own nodes only. rows: the strategy's table, and which of its rows are met."""
    for thread in range(share[0], starts.shape[0] - 1, share[1]):
        scratch = _new_scratch(shapes, plan.bar.shape[1], rows[0].shape[0])
        for b in blocks[starts[thread] : starts[thread + 1]]:
            _block(shapes, plan, b, rows, rivers, reach, value, leaks, scratch)
