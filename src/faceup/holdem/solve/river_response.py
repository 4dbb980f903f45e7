"""Best responses on the river: all rivers of a turn board and LANES betting subtrees at once, on cells of holes.

The strategy that is answered acts alike with all holes of a cell, as in self-play. The responder sees its own hole: as
strengths are gone through, the value of each end to a hole is put together from the sums of its two cards and of all, and at
each of its decisions the best action is taken. What that wins more than the strategy's own choice is noted for each decision
and starting hand: the strategy's leaks. All-ins of earlier streets are subtrees of a single showdown.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numba
import numpy as np
from numba import njit, prange

from faceup.cards.cards import CLASS_OF_HOLE, HOLE_CARDS, N_CLASSES, PERMUTED_HOLES
from faceup.cards.strength import N_RIVER_HOLES
from faceup.holdem.betting.betting_tree import BettingTree
from faceup.holdem.solve.board import ALL, N_ENTRIES, Cells, board_order, make_cells
from faceup.holdem.solve.lanes import (
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
from faceup.holdem.solve.layout import (
    LANES,
    Shapes,
    before_river,
    block_sizes,
    make_layout,
    make_shapes,
    river_shapes,
    shares,
    table_columns,
)
from faceup.holdem.solve.river import _add_all, _add_cell, _reach

_MOST_CLASSES = 161


class Rivers(NamedTuple):
    """The river boards that follow a turn board, n of them, with their cells; arrays are as long as any board needs."""

    holes: np.ndarray  # (n, 1081) int32 by cell, weakest first
    start: np.ndarray  # (n, 1082) int32 where each cell's holes begin
    images: np.ndarray  # (n, 4) int64 suit permutations that map the river to those it stands for, -1: none
    sizes: np.ndarray  # (n, 2) int64 cells, classes of each board
    entries: np.ndarray  # (n, 1081, 3) int32 as in `Cells`, like the following
    group: np.ndarray  # (n, 1081) int32 row of the table
    first: np.ndarray  # (n, 1082) int32
    card: np.ndarray  # (n, N_ENTRIES) int32
    classes: np.ndarray  # (n, 161) int64


class ResponseScratch(NamedTuple):
    """What a thread writes; made with one more axis in front, the thread. Nodes are in the order of slots (`Shapes`)."""

    reach: np.ndarray  # (1326, WIDE) float32 reach of the roots
    total: np.ndarray  # (1326, WIDE) float32 values of the roots to the other player, summed over rivers
    sums: np.ndarray  # (N_ENTRIES, WIDE) float32 `reach` summed over each entry
    since: np.ndarray  # (1081, most_nodes + 1, 2, LANES) float32 product of a player's chances since the root
    bar: np.ndarray  # (most_nodes, LANES) float32 the block's bar
    value: np.ndarray  # (most_nodes + 1, 2, LANES) float32 value of each node to a hole of the other player
    leaks: np.ndarray  # (169, most_decisions, LANES) float32 what best actions win more than the strategy's own, times its reach


class RiverResponder:
    """Sums best responses over rivers, for one tree."""

    def __init__(self, tree: BettingTree, allowed: np.ndarray):
        """Lay out the tree's rivers; allowed (n_nodes,) bool: the nodes that the responder's actions may lead to."""
        self.made_from = (tree, allowed)  # see notebook/stored
        shape = river_shapes(tree)
        layout = make_layout(before_river(tree), (0,), shape)
        self._shapes = make_shapes(tree, layout, shape)
        self._stake, self._node = layout.stake, layout.column_node
        _, folds, rivers, end = layout.columns[0]
        blocks = np.concatenate([np.arange(0, folds), np.arange(rivers, end)])[::LANES] // LANES
        order, self._starts = shares(block_sizes(self._shapes)[blocks])
        self._blocks = blocks[order]
        self._bar = _bars(self._shapes, layout.column_node, allowed, tree.street_start[3])
        self._first, self._columns = int(tree.street_start[3]), table_columns(tree, layout, self._shapes)
        self._known: tuple[np.ndarray | None, np.ndarray] = (None, np.zeros(0))  # the last table, as given and by block
        most = max(self._shapes.stake.shape[1], 1)
        decisions = max(int(np.diff(self._shapes.decision_start).max(initial=0)), 1)
        sizes = (
            (len(HOLE_CARDS), WIDE), (len(HOLE_CARDS), WIDE), (N_ENTRIES, WIDE), (N_RIVER_HOLES, most + 1, 2, LANES),
            (most, LANES), (most + 1, 2, LANES), (N_CLASSES, decisions, LANES),
        )  # fmt: skip
        threads = numba.config.NUMBA_NUM_THREADS
        self._scratch = ResponseScratch(*(np.zeros((threads, *size), dtype=np.float32) for size in sizes))

    def add(self, rivers: Rivers, table: np.ndarray, reach: np.ndarray, value: np.ndarray, leaks: np.ndarray) -> None:
        """Add to value (2, n_nodes, 1326), where river betting begins and at all-ins before it, the sum over the rivers.

        table (n_rows, width) float32: the strategy's rows; the last one given is kept, so it must not change. reach
        (2, n_nodes, 1326): of the strategy in each seat; like value, of nodes before the river's actions. What best actions
        win more than the strategy's own, times its own reach, is added to leaks (n_nodes of the tree, 169) float64.
        """
        plan = Plan(self._stake, self._node, self._bar, self._first)
        rows = self._by_block(table)
        _all_blocks(self._shapes, plan, self._blocks, self._starts, rows, rivers, reach, value, leaks, self._scratch)

    def _by_block(self, table: np.ndarray) -> np.ndarray:
        """A strategy's rows in the order in which a sweep reads them: a block's subtrees side by side, node by node."""
        if self._known[0] is not table:
            rows = np.zeros((len(table), int(self._shapes.begin[-1])), dtype=np.float32)
            rows[:, self._columns] = table
            self._known = table, rows
        return self._known[1]


class Plan(NamedTuple):
    """Of LANES subtrees or all-ins a block: what the kernels need beside their shapes."""

    stake: np.ndarray  # (n_columns, 2) float32 dollars an all-in is worth to each player
    node: np.ndarray  # (n_columns,) int32 the node of each lane, -1: none
    bar: np.ndarray  # (n_blocks, most_nodes, LANES) float32 by slot: -inf at nodes that the responder may not choose, else 0
    first: int  # the first node that a river action leads to


def _bars(shapes: Shapes, column_node: np.ndarray, allowed: np.ndarray, first: int) -> np.ndarray:
    """`Plan.bar`."""
    bar = np.zeros((shapes.stake.shape[0], max(shapes.stake.shape[1], 1), LANES), dtype=np.float32)
    for c in np.flatnonzero(column_node >= 0):
        shape = shapes.of_block[c // LANES]
        if shape >= 0:
            slot = shapes.slot[shapes.node_start[shape] : shapes.node_start[shape + 1]]
            start = first + int(shapes.column[c])
            bar[c // LANES, slot, c % LANES] = np.where(allowed[start : start + len(slot)], 0, -np.inf)
    return bar


def make_rivers(boards: Sequence[Sequence[int]], images: Sequence[Sequence[int]], rows: Sequence[np.ndarray]) -> Rivers:
    """Rivers from boards of five cards, what each stands for, and the row of a strategy's table of each of the 1,326 holes."""
    n = len(boards)
    out = Rivers(
        np.zeros((n, N_RIVER_HOLES), np.int32), np.zeros((n, N_RIVER_HOLES + 1), np.int32), np.full((n, 4), -1, np.int64),
        np.zeros((n, 2), np.int64), np.zeros((n, N_RIVER_HOLES, 3), np.int32),
        np.zeros((n, N_RIVER_HOLES), np.int32), np.zeros((n, N_RIVER_HOLES + 1), np.int32),
        np.zeros((n, N_ENTRIES), np.int32), np.zeros((n, _MOST_CLASSES), np.int64),
    )  # fmt: skip
    for r in range(n):
        order = board_order(np.array(boards[r]))
        cells = make_cells(order.holes, order.class_start, rows[r])
        by_cell = np.argsort(cells.of_hole, kind="stable")
        out.holes[r], out.entries[r] = order.holes[by_cell], cells.entries[by_cell]
        out.images[r, : len(images[r])], out.sizes[r] = images[r], (len(cells.group), len(cells.classes) - 1)
        out.start[r, : len(cells.group) + 1] = np.searchsorted(cells.of_hole[by_cell], np.arange(len(cells.group) + 1))
        for name in ("group", "first", "card", "classes"):
            part = getattr(cells, name)
            getattr(out, name)[r, : len(part)] = part
    return out


@njit(cache=True)
def _cells_of(rivers, r):
    n, k = rivers.sizes[r, 0], rivers.first[r, rivers.sizes[r, 0]]
    return Cells(
        np.empty(0, dtype=np.int32), rivers.entries[r], rivers.group[r, :n], rivers.first[r, : n + 1], rivers.card[r, :k],
        np.empty(0, dtype=np.float32), rivers.classes[r, : rivers.sizes[r, 1] + 1],
    )  # fmt: skip


@njit(cache=True)
def _sum_reach(cells, holes, reach, sums):
    sums[: cells.card.shape[0]] = 0
    for i in range(holes.shape[0]):
        for n in range(3):
            add_wide(sums, cells.entries[i, n] * WIDE, reach, holes[i] * WIDE)


@njit(cache=True)
def _weigh_folds(n_showdowns, n_ends, stake, since, g, folds):
    """folds (n, WIDE) = what a fold is worth to a hole of the cell for each own reach of the root: sums take that off twice."""
    most = since.shape[1]
    for e in range(n_showdowns, n_ends):
        wide_product(folds, (e - n_showdowns) * WIDE, stake, e * WIDE, since, (g * most + e) * WIDE)


@njit(cache=True)
def _ends_of_hole(hole, n_showdowns, n_ends, seen, stake, folds, reach, value):
    """Values of ends to a hole: from all holes less those with its cards; at folds itself is counted back."""
    every, a, b = ALL * n_ends, HOLE_CARDS[hole, 0] * n_ends, HOLE_CARDS[hole, 1] * n_ends
    for e in range(n_ends):
        wide_value(value, e * WIDE, stake, e * WIDE, seen, (every + e) * WIDE, seen, (a + e) * WIDE, seen, (b + e) * WIDE)
    for e in range(n_showdowns, n_ends):
        add_wide_product(value, e * WIDE, folds, (e - n_showdowns) * WIDE, reach, hole * WIDE)


@njit(cache=True)
def _best_of_hole(shapes, shape, bar, table, row, since, g, weight, value, own, leaks, k):
    """Values of decisions to a hole, from those of ends: the best action where its player acts, else the sum.

    row: where the cell's chances begin in `table`; value (nodes, 2, LANES). What the best action wins more than the strategy's
    own choice, times the own reach (that of the root is weight (2, LANES)), is added to leaks (169, decisions, LANES) of hand k.
    """
    first, d0, most = shapes.node_start[shape], shapes.decision_start[shape], since.shape[1]
    for d in range(shapes.decision_start[shape + 1] - 1, d0 - 1, -1):
        who, other, start = shapes.actor[d], 1 - shapes.actor[d], first + shapes.first_child[d]
        e, node = shapes.slot[start], shapes.slot_of[d]
        best, total = (node * 2 + other) * LANES, (node * 2 + who) * LANES
        copy(value, best, value, (e * 2 + other) * LANES)
        copy(value, total, value, (e * 2 + who) * LANES)
        product(own, 0, table, row + e * LANES, value, (e * 2 + other) * LANES)
        for c in range(start + 1, start + shapes.n_children[d]):
            e = shapes.slot[c]
            largest_sum(value, best, value, (e * 2 + other) * LANES, bar, e * LANES)
            add(value, total, value, (e * 2 + who) * LANES)
            add_product(own, 0, table, row + e * LANES, value, (e * 2 + other) * LANES)
        at = ((g * most + node) * 2 + who) * LANES
        add_gain(leaks, (k * leaks.shape[1] + d - d0) * LANES, weight, who * LANES, since, at, value, best, own, 0)


@njit(cache=True)
def _add_images(images, hole, value, root, total):
    """Add a hole's values at the root to those of its images."""
    for m in range(images.shape[0]):
        if images[m] >= 0:
            add_wide(total, PERMUTED_HOLES[images[m], hole] * WIDE, value, root * WIDE)


@njit(cache=True)
def _river(shapes, block, stake, table, rivers, r, cells, scratch):
    """Add one river's values of LANES subtrees, or all-ins, to scratch.total, and its leaks to scratch.leaks."""
    shape, root, since, value = shapes.of_block[block], 0, scratch.since, scratch.value
    n_showdowns = n_ends = np.int64(1)
    since[: cells.group.shape[0], 0] = 1
    if shape >= 0:
        (n_showdowns, n_ends), root = shapes.ends[shape], shapes.node_start[shape + 1] - shapes.node_start[shape]
        for g in range(cells.group.shape[0]):
            _reach(shapes, shape, table, cells.group[g] * table.shape[1] + shapes.begin[block], since, g)
    seen, folds = np.empty((53, n_ends * WIDE), np.float32), np.empty((n_ends - n_showdowns, WIDE), np.float32)
    own, weight = np.empty(LANES, np.float32), np.empty(WIDE, np.float32)
    times = np.full(WIDE, (rivers.images[r] >= 0).sum(), dtype=np.float32)
    by_end = since.reshape(since.shape[0], -1, WIDE)
    _add_all(cells, n_showdowns, n_ends, scratch.sums, by_end, seen)
    for cls in range(cells.classes.shape[0] - 1):
        first, last = cells.classes[cls], cells.classes[cls + 1]
        for g in range(first, last):
            _add_cell(cells, g, scratch.sums, by_end, n_showdowns, n_ends, seen)
        for g in range(first, last):
            row = cells.group[g] * table.shape[1] + shapes.begin[block]
            _weigh_folds(n_showdowns, n_ends, stake, since, g, folds)
            for i in range(rivers.start[r, g], rivers.start[r, g + 1]):
                hole = rivers.holes[r, i]
                _ends_of_hole(hole, n_showdowns, n_ends, seen, stake, folds, scratch.reach, value)
                if shape >= 0:
                    wide_product(weight, 0, times, 0, scratch.reach, hole * WIDE)
                    _best_of_hole(
                        shapes, shape, scratch.bar, table, row, since, g, weight, value, own, scratch.leaks, CLASS_OF_HOLE[hole]
                    )
                _add_images(rivers.images[r], hole, value, root, scratch.total)
        for g in range(first, last):
            _add_cell(cells, g, scratch.sums, by_end, n_showdowns, n_ends, seen)


@njit(cache=True)
def _load_reach(lanes, reach, out):
    """Both players' reach of LANES roots, out (1326, WIDE)."""
    for player in range(2):
        for j in range(LANES):
            for h in range(out.shape[0]):
                out[h, player * LANES + j] = reach[player, lanes[j], h] if lanes[j] >= 0 else np.float32(0)


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
                for k in range(leaks.shape[1]):
                    leaks[node, k] += found[k, d - start, j]


@njit(cache=True)
def _block(shapes, plan, block, table, rivers, reach, value, leaks, scratch):
    """All rivers of LANES subtrees or all-ins."""
    lanes, is_all_in = plan.node[block * LANES : (block + 1) * LANES], shapes.of_block[block] < 0
    _load_reach(lanes, reach, scratch.reach)
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
    for r in range(rivers.holes.shape[0]):
        cells = _cells_of(rivers, r)
        _sum_reach(cells, rivers.holes[r], scratch.reach, scratch.sums)
        _river(shapes, block, stake, table, rivers, r, cells, scratch)
    for player in range(2):
        for j in range(LANES):
            if lanes[j] >= 0:
                for h in range(scratch.reach.shape[0]):
                    value[1 - player, lanes[j], h] += scratch.total[h, player * LANES + j]
    if not is_all_in:
        _store_leaks(shapes, block, plan, lanes, scratch.leaks, leaks)


@njit(cache=True)
def _response_scratch_of(scratch, i):
    return ResponseScratch(
        scratch.reach[i], scratch.total[i], scratch.sums[i], scratch.since[i], scratch.bar[i], scratch.value[i], scratch.leaks[i]
    )


@njit(cache=True, parallel=True)
def _all_blocks(shapes, plan, blocks, starts, table, rivers, reach, value, leaks, scratches):
    """Every block writes values of its own nodes only."""
    for thread in prange(starts.shape[0] - 1):
        scratch = _response_scratch_of(scratches, np.int64(thread))
        for b in blocks[starts[thread] : starts[thread + 1]]:
            _block(shapes, plan, b, table, rivers, reach, value, leaks, scratch)
