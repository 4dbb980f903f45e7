"""Best responses on the river: all rivers of a turn board and LANES betting subtrees at once, on cells of holes.

The strategy that is answered acts alike with all holes of a cell, so that its reach and what card removal needs of it are kept
for cells and their entries, as in self-play (`solve/cells`). The responder sees its own hole: as strengths are gone through, the
value of each end to a hole is put together from the sums of its two cards and of all, and at each of its decisions the best
action is taken, hole by hole, BATCH holes of a cell side by side. What that wins more than the strategy's own choice is noted
for each decision and starting hand: the strategy's leaks. All-ins of earlier streets are subtrees of a single showdown.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numba
import numpy as np
from numba import njit, prange

from faceup.game.betting import Tree
from faceup.game.cards import CLASS_OF_HOLE, HOLE_CARDS, N_CLASSES, PERMUTED_HOLES
from faceup.game.strength import N_RIVER_HOLES
from faceup.solve.board import board_order
from faceup.solve.cells import N_ENTRIES, Cells, make_cells
from faceup.solve.layout import LANES, before_river, make_layout, shares
from faceup.solve.river import _add_all, _add_cell, _reach
from faceup.solve.river_shapes import Shapes, block_sizes, make_shapes, river_shapes

WIDE = 2 * LANES  # both players' lanes
BATCH = 8  # holes of a cell that are answered together
_MOST_CLASSES = 161


class Rivers(NamedTuple):
    """The river boards that follow a turn board, n of them, with their cells; arrays are as long as any board needs."""

    holes: np.ndarray  # (n, 1081) int32 by cell, weakest first
    start: np.ndarray  # (n, 1082) int32 where each cell's holes begin
    images: np.ndarray  # (n, 4) int64 suit permutations that map the river to those it stands for, -1: none
    table: np.ndarray  # (n_rows, width) float32 the strategy's rows
    sizes: np.ndarray  # (n, 2) int64 cells, classes of each board
    entries: np.ndarray  # (n, 1081, 3) int32 as in `Cells`, like the following
    group: np.ndarray  # (n, 1081) int32 row of the table
    first: np.ndarray  # (n, 1082) int32
    card: np.ndarray  # (n, N_ENTRIES) int32
    classes: np.ndarray  # (n, 161) int32


class ResponseScratch(NamedTuple):
    """What a thread writes; made with one more axis in front, the thread. Nodes are in the order of slots (`Shapes`)."""

    reach: np.ndarray  # (1326, WIDE) float32 reach of the roots
    total: np.ndarray  # (1326, WIDE) float32 values of the roots to the other player, summed over rivers
    sums: np.ndarray  # (N_ENTRIES, WIDE) float32 `reach` summed over each entry
    chance: np.ndarray  # (1081, most_nodes + 1, LANES) float32
    since: np.ndarray  # (1081, most_nodes + 1, 2, LANES) float32 product of a player's chances since the root
    spread: np.ndarray  # (most_nodes + 1, BATCH * LANES) float32 `chance` of the cell at hand, once for each hole of a batch
    bar: np.ndarray  # (most_nodes + 1, BATCH * LANES) float32 the block's bar, likewise
    value: np.ndarray  # (most_nodes + 1, 2, BATCH * LANES) float32 value of each node to each hole of the other player
    gain: np.ndarray  # (BATCH * LANES,) float32 what the best action wins more than the strategy's own, for each hole
    leaks: np.ndarray  # (most_decisions, 169, LANES) float32 that, times the reach, summed


class RiverResponder:
    """Sums best responses over rivers, for one tree."""

    def __init__(self, tree: Tree, allowed: np.ndarray):
        """Lay out the tree's rivers; allowed (n_nodes,) bool: the nodes that the responder's actions may lead to."""
        shape = river_shapes(tree)
        layout = make_layout(before_river(tree), (0,), shape)
        self._shapes = make_shapes(tree, layout, shape)
        self._stake, self._node = layout.stake, layout.column_node
        _, folds, rivers, end = layout.columns[0]
        blocks = np.concatenate([np.arange(0, folds), np.arange(rivers, end)])[::LANES] // LANES
        order, self._starts = shares(block_sizes(self._shapes)[blocks])
        self._blocks = blocks[order]
        self._bar = _bars(self._shapes, layout.column_node, allowed, tree.street_start[3])
        self._first = int(tree.street_start[3])
        most = max(self._shapes.stake.shape[1], 1)
        decisions = max(int(np.diff(self._shapes.decision_start).max(initial=0)), 1)
        batch = BATCH * LANES
        sizes = (
            (len(HOLE_CARDS), WIDE), (len(HOLE_CARDS), WIDE), (N_ENTRIES, WIDE), (N_RIVER_HOLES, most + 1, LANES),
            (N_RIVER_HOLES, most + 1, 2, LANES), (most + 1, batch), (most + 1, batch), (most + 1, 2, batch), (batch,),
            (decisions, N_CLASSES, LANES),
        )  # fmt: skip
        threads = numba.config.NUMBA_NUM_THREADS
        self._scratch = ResponseScratch(*(np.zeros((threads, *size), dtype=np.float32) for size in sizes))

    def add(self, rivers: Rivers, reach: np.ndarray, value: np.ndarray, leaks: np.ndarray) -> None:
        """Add to value (2, n_nodes, 1326), where river betting begins and at all-ins before it, the sum over the rivers.

        reach (2, n_nodes, 1326): of the strategy in each seat. What best actions win more than the strategy's own, times its
        own reach, is added to leaks (n_nodes, 169) float64 at the river's decisions.
        """
        plan = Plan(self._stake, self._node, self._bar, self._first)
        _all_blocks(self._shapes, plan, self._blocks, self._starts, rivers, reach, value, leaks, self._scratch)


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


def make_rivers(
    boards: Sequence[Sequence[int]], images: Sequence[Sequence[int]], table: np.ndarray, rows: Sequence[np.ndarray]
) -> Rivers:
    """Rivers from boards of five cards, what each stands for, and a strategy's rows and the row of each of the 1,326 holes."""
    n = len(boards)
    out = Rivers(
        np.zeros((n, N_RIVER_HOLES), np.int32), np.zeros((n, N_RIVER_HOLES + 1), np.int32), np.full((n, 4), -1, np.int64),
        np.ascontiguousarray(table), np.zeros((n, 2), np.int64), np.zeros((n, N_RIVER_HOLES, 3), np.int32),
        np.zeros((n, N_RIVER_HOLES), np.int32), np.zeros((n, N_RIVER_HOLES + 1), np.int32),
        np.zeros((n, N_ENTRIES), np.int32), np.zeros((n, _MOST_CLASSES), np.int32),
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
    wide = sums.shape[1]
    sums[: cells.card.shape[0]] = 0
    for i in range(holes.shape[0]):
        h = holes[i]
        for n in range(3):
            k = cells.entries[i, n]
            for j in range(wide):
                sums[k, j] += reach[h, j]


@njit(cache=True)
def _load_chances(shapes, shape, cells, columns, table, chance, since):
    """The strategy's chance of every action and reach of every node since the root, for each cell."""
    slot = shapes.slot[shapes.node_start[shape] : shapes.node_start[shape + 1]]
    for g in range(cells.group.shape[0]):
        for j in range(LANES):
            for e in range(slot.shape[0]):
                chance[g, slot[e], j] = table[cells.group[g], columns[j] + np.uint32(e)]
        _reach(shapes, shape, chance[g], since[g])


@njit(cache=True)
def _spread(rows, n, out):
    """out (nodes, BATCH, LANES) = rows (nodes, LANES), once for each hole of a batch."""
    width = rows.shape[1]
    for e in range(n):
        for i in range(BATCH):
            for j in range(width):
                out[e, i, j] = rows[e, j]


@njit(cache=True)
def _ends_of_hole(hole, n_showdowns, seen, since, reach_of_hole, flat_stake, stake, flat_end, end, i, value):
    """value[:, :, i] = values of ends to a hole: from all holes less those with its cards; at folds itself is counted back."""
    a, b, wide, width = HOLE_CARDS[hole, 0], HOLE_CARDS[hole, 1], stake.shape[1], value.shape[3]
    for x in range(flat_end.shape[0]):
        flat_end[x] = flat_stake[x] * (seen[52, x] - seen[a, x] - seen[b, x])
    for e in range(n_showdowns, stake.shape[0]):
        for j in range(wide):
            end[e, j] += stake[e, j] * since[e, j] * reach_of_hole[j]
    for e in range(stake.shape[0]):
        for j in range(width):
            value[e, 0, i, j] = end[e, j]
        for j in range(width):
            value[e, 1, i, j] = end[e, j + width]


@njit(cache=True)
def _best(shapes, shape, size, bar, value):
    """Values of decisions to a batch, from those of ends: the best action where its player acts, else the sum."""
    slot = shapes.slot[shapes.node_start[shape] :]
    for d in range(shapes.decision_start[shape + 1] - 1, shapes.decision_start[shape] - 1, -1):
        below = slot[shapes.first_child[d] : shapes.first_child[d] + shapes.n_children[d]]
        at, who, other, e = shapes.slot_of[d], shapes.actor[d], 1 - shapes.actor[d], below[0]
        for x in range(size):
            value[at, other, x] = value[e, other, x]
        for x in range(size):
            value[at, who, x] = value[e, who, x]
        for e in below[1:]:
            for x in range(size):
                value[at, other, x] = max(value[at, other, x], value[e, other, x] + bar[e, x])
            for x in range(size):
                value[at, who, x] += value[e, who, x]


@njit(cache=True)
def _add_leaks(shapes, shape, rivers, r, start, end, chance, since, flat_value, reach, flat_gain, gain, leaks):
    """Add for each hole of a batch, times its reach, what the best action wins more than the strategy's own choice."""
    slot, weight = shapes.slot[shapes.node_start[shape] :], np.float32((rivers.images[r] >= 0).sum())
    d0, width, size = shapes.decision_start[shape], gain.shape[1], (end - start) * LANES
    for d in range(d0, shapes.decision_start[shape + 1]):
        at, who, other = shapes.slot_of[d], shapes.actor[d], 1 - shapes.actor[d]
        for x in range(size):
            flat_gain[x] = flat_value[at, other, x]
        for e in slot[shapes.first_child[d] : shapes.first_child[d] + shapes.n_children[d]]:
            for x in range(size):
                flat_gain[x] -= chance[e, x] * flat_value[e, other, x]
        for i in range(end - start):
            hole = rivers.holes[r, start + i]
            k = CLASS_OF_HOLE[hole]
            for j in range(width):
                leaks[d - d0, k, j] += weight * reach[hole, who, j] * since[at, who, j] * gain[i, j]


@njit(cache=True)
def _add_images(images, hole, value, total):
    """Add a hole's values, (2, LANES), to those of its images."""
    width = value.shape[1]
    for m in range(images.shape[0]):
        if images[m] >= 0:
            image = PERMUTED_HOLES[images[m], hole]
            for player in range(2):
                for j in range(width):
                    total[image, player, j] += value[player, j]


@njit(cache=True)
def _river(shapes, block, stake, rivers, r, cells, scratch):
    """Add one river's values of LANES subtrees, or all-ins, to scratch.total, and its leaks to scratch.leaks."""
    shape, most, root = shapes.of_block[block], scratch.since.shape[1], 0
    n_showdowns = n_ends = 1
    scratch.since[: cells.group.shape[0], 0] = 1
    if shape >= 0:
        (n_showdowns, n_ends), root = shapes.ends[shape], shapes.node_start[shape + 1] - shapes.node_start[shape]
        columns = shapes.column[block * LANES : (block + 1) * LANES]
        _load_chances(shapes, shape, cells, columns, rivers.table, scratch.chance, scratch.since)
    size, since = n_ends * WIDE, scratch.since.reshape(-1, most, WIDE)
    seen, end = np.empty((53, size), np.float32), np.empty((n_ends, WIDE), np.float32)
    stake, flat_stake, flat_end = stake[:n_ends], stake.reshape(-1)[:size], end.reshape(-1)
    value, gain = scratch.value.reshape(most, 2, BATCH, LANES), scratch.gain.reshape(BATCH, LANES)
    reach, total = scratch.reach.reshape(-1, 2, LANES), scratch.total.reshape(-1, 2, LANES)
    _add_all(cells, n_showdowns, n_ends, scratch.sums, since, end, flat_end, seen)
    for cls in range(cells.classes.shape[0] - 1):
        first, last = cells.classes[cls], cells.classes[cls + 1]
        for g in range(first, last):
            _add_cell(cells, g, scratch.sums, since, n_showdowns, end, flat_end, seen)
        for g in range(first, last):
            if shape >= 0:
                _spread(scratch.chance[g], root, scratch.spread.reshape(most, BATCH, LANES))
            for start in range(rivers.start[r, g], rivers.start[r, g + 1], BATCH):
                stop = min(start + BATCH, rivers.start[r, g + 1])
                for i in range(stop - start):
                    hole = rivers.holes[r, start + i]
                    _ends_of_hole(
                        hole, n_showdowns, seen, since[g], scratch.reach[hole], flat_stake, stake, flat_end, end, i, value
                    )
                if shape >= 0:
                    _best(shapes, shape, (stop - start) * LANES, scratch.bar, scratch.value)
                    _add_leaks(
                        shapes, shape, rivers, r, start, stop, scratch.spread, scratch.since[g], scratch.value, reach,
                        scratch.gain, gain, scratch.leaks,
                    )  # fmt: skip
                for i in range(stop - start):
                    _add_images(rivers.images[r], rivers.holes[r, start + i], value[root, :, i], total)
        for g in range(first, last):
            _add_cell(cells, g, scratch.sums, since, n_showdowns, end, flat_end, seen)


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
                    leaks[node, k] += found[d - start, k, j]


@njit(cache=True)
def _block(shapes, plan, block, rivers, reach, value, leaks, scratch):
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
        _spread(plan.bar[block], plan.bar.shape[1], scratch.bar.reshape(-1, BATCH, LANES))
    for r in range(rivers.holes.shape[0]):
        cells = _cells_of(rivers, r)
        _sum_reach(cells, rivers.holes[r], scratch.reach, scratch.sums)
        _river(shapes, block, stake, rivers, r, cells, scratch)
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
        scratch.reach[i], scratch.total[i], scratch.sums[i], scratch.chance[i], scratch.since[i], scratch.spread[i],
        scratch.bar[i], scratch.value[i], scratch.gain[i], scratch.leaks[i],
    )  # fmt: skip


@njit(cache=True, parallel=True)
def _all_blocks(shapes, plan, blocks, starts, rivers, reach, value, leaks, scratches):
    """Every block writes values of its own nodes only."""
    for thread in prange(starts.shape[0] - 1):
        scratch = _response_scratch_of(scratches, thread)
        for b in blocks[starts[thread] : starts[thread + 1]]:
            _block(shapes, plan, b, rivers, reach, value, leaks, scratch)
