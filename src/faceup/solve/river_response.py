"""Best responses on the river: all rivers of a turn board and LANES betting subtrees at once, on cells of holes.

The strategy that is answered acts alike with all holes of a cell, so that its reach and what card removal needs of it are kept
for cells and their entries, as in self-play (`solve/river`). The responder sees its own hole: at each end the value to the hole
is put together from three entries, and at each of its decisions the best action is taken, hole by hole. What that wins more
than the strategy's own choice is noted for each decision and starting hand: the strategy's leaks.
All-ins of earlier streets are subtrees of a single showdown.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numba
import numpy as np
from numba import njit, prange

from faceup.game.betting import DECISION, FOLD_END, Tree
from faceup.game.cards import CLASS_OF_HOLE, HOLE_CARDS, N_CLASSES, PERMUTED_HOLES
from faceup.game.strength import N_RIVER_HOLES
from faceup.solve.board import board_order
from faceup.solve.layout import LANES, before_river, make_layout, shares
from faceup.solve.river import N_ENTRIES, Cells, Shapes, _add_entries, _reach, block_sizes, make_cells, make_shapes, river_shapes

WIDE = 2 * LANES  # both players' lanes
_MOST_CLASSES = 161


class Rivers(NamedTuple):
    """The river boards that follow a turn board, n of them, with their cells; arrays are as long as any board needs."""

    holes: np.ndarray  # (n, 1081) int32 by strength
    images: np.ndarray  # (n, 4) int64 suit permutations that map the river to those it stands for, -1: none
    table: np.ndarray  # (n_rows, width) float32 the strategy's rows
    sizes: np.ndarray  # (n, 2) int64 cells, classes of each board
    of_hole: np.ndarray  # (n, 1081) int32 as in `Cells`, like the following
    entries: np.ndarray  # (n, 1081, 3) int32
    group: np.ndarray  # (n, 1081) int32 row of the table
    first: np.ndarray  # (n, 1082) int32
    card: np.ndarray  # (n, N_ENTRIES) int32
    classes: np.ndarray  # (n, 161) int32


class ResponseScratch(NamedTuple):
    """What a thread writes; made with one more axis in front, the thread."""

    reach: np.ndarray  # (1326, WIDE) float32 the other player's reach of the roots
    total: np.ndarray  # (1326, WIDE) float32 values of the roots, summed over rivers
    sums: np.ndarray  # (N_ENTRIES, WIDE) float32 `reach` summed over each entry
    chance: np.ndarray  # (1081, most_nodes + 1, LANES) float32
    mine: np.ndarray  # (1081, most_nodes + 1, 2, LANES) float32
    theirs: np.ndarray  # (1081, most_nodes + 1, 2, LANES) float32
    worth: np.ndarray  # (N_ENTRIES, most_nodes, WIDE) float32 value of each end to each entry
    value: np.ndarray  # (most_nodes + 1, 2, LANES) float32 value of each node to the hole at hand
    leaks: np.ndarray  # (most_decisions, 169, LANES) float32 what the best action wins more than the strategy's own


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
        sizes = (
            (len(HOLE_CARDS), WIDE), (len(HOLE_CARDS), WIDE), (N_ENTRIES, WIDE), (N_RIVER_HOLES, most + 1, LANES),
            (N_RIVER_HOLES, most + 1, 2, LANES), (N_RIVER_HOLES, most + 1, 2, LANES), (N_ENTRIES, most, WIDE),
            (most + 1, 2, LANES), (decisions, N_CLASSES, LANES),
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
    bar: np.ndarray  # (n_blocks, most_nodes, LANES) float32 -inf at nodes that the responder may not choose, else 0
    first: int  # the first node that a river action leads to


def _bars(shapes: Shapes, column_node: np.ndarray, allowed: np.ndarray, first: int) -> np.ndarray:
    """`Plan.bar`: each lane's nodes are numbered as in its shape, from shapes.column on."""
    bar = np.zeros((shapes.stake.shape[0], max(shapes.stake.shape[1], 1), LANES), dtype=np.float32)
    for c in np.flatnonzero(column_node >= 0):
        shape = shapes.of_block[c // LANES]
        if shape >= 0:
            n = shapes.node_start[shape + 1] - shapes.node_start[shape]
            start = first + int(shapes.column[c])
            bar[c // LANES, :n, c % LANES] = np.where(allowed[start : start + n], 0, -np.inf)
    return bar


def make_rivers(
    boards: Sequence[Sequence[int]], images: Sequence[Sequence[int]], table: np.ndarray, rows: Sequence[np.ndarray]
) -> Rivers:
    """Rivers from boards of five cards, what each stands for, and a strategy's rows and the row of each of the 1,326 holes."""
    n = len(boards)
    out = Rivers(
        np.zeros((n, N_RIVER_HOLES), np.int32), np.full((n, 4), -1, np.int64), np.ascontiguousarray(table),
        np.zeros((n, 2), np.int64), np.zeros((n, N_RIVER_HOLES), np.int32), np.zeros((n, N_RIVER_HOLES, 3), np.int32),
        np.zeros((n, N_RIVER_HOLES), np.int32), np.zeros((n, N_RIVER_HOLES + 1), np.int32),
        np.zeros((n, N_ENTRIES), np.int32), np.zeros((n, _MOST_CLASSES), np.int32),
    )  # fmt: skip
    for r in range(n):
        order = board_order(np.array(boards[r]))
        cells = make_cells(order.holes, order.class_start, rows[r])
        out.holes[r], out.images[r, : len(images[r])] = order.holes, images[r]
        out.sizes[r] = len(cells.group), len(cells.classes) - 1
        for name in ("of_hole", "entries", "group", "first", "card", "classes"):
            part = getattr(cells, name)
            getattr(out, name)[r, : len(part)] = part
    return out


@njit(cache=True)
def _cells_of(rivers, r):
    n, k = rivers.sizes[r, 0], rivers.first[r, rivers.sizes[r, 0]]
    return Cells(
        rivers.of_hole[r], rivers.entries[r], rivers.group[r, :n], rivers.first[r, : n + 1], rivers.card[r, :k],
        np.empty(0, dtype=np.float32), rivers.classes[r, : rivers.sizes[r, 1] + 1],
    )  # fmt: skip


@njit(cache=True)
def _worth_of_showdown(cells, e, stake, theirs, sums, worth, seen):
    """Value of a showdown to each entry, as `_showdown` finds it."""
    wide = seen.shape[1]
    seen[:] = 0
    _add_entries(cells, 0, cells.group.shape[0], sums, theirs, e, seen, np.float32(-1))
    for cls in range(cells.classes.shape[0] - 1):
        start, end = cells.classes[cls], cells.classes[cls + 1]
        _add_entries(cells, start, end, sums, theirs, e, seen, np.float32(1))
        for k in range(cells.first[start], cells.first[end]):
            c = cells.card[k]
            for j in range(wide):
                worth[k, e, j] = stake[e, j] * seen[c, j]
        _add_entries(cells, start, end, sums, theirs, e, seen, np.float32(1))


@njit(cache=True)
def _worth_of_fold(cells, e, stake, theirs, sums, worth, seen):
    wide = seen.shape[1]
    seen[:] = 0
    _add_entries(cells, 0, cells.group.shape[0], sums, theirs, e, seen, np.float32(1))
    for k in range(cells.card.shape[0]):
        c = cells.card[k]
        for j in range(wide):
            worth[k, e, j] = stake[e, j] * seen[c, j]


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
def _ends_of_hole(cells, i, reach_of_hole, kind, stake, theirs, worth, value):
    """Values of all ends to one hole: its cell's worth less that of its two cards, and at folds itself counted back."""
    wide = value.shape[1]
    g, a, b, c = cells.of_hole[i], cells.entries[i, 0], cells.entries[i, 1], cells.entries[i, 2]
    for e in range(kind.shape[0]):
        if kind[e] != DECISION:
            for j in range(wide):
                value[e, j] = worth[a, e, j] - worth[b, e, j] - worth[c, e, j]
        if kind[e] == FOLD_END:
            for j in range(wide):
                value[e, j] += stake[e, j] * theirs[g, e, j] * reach_of_hole[j]


@njit(cache=True)
def _best(shapes, shape, bar, value):
    """Values of decisions to one hole, from those of ends: the best action where its player acts, else the sum."""
    width = value.shape[2]
    for d in range(shapes.decision_start[shape + 1] - 1, shapes.decision_start[shape] - 1, -1):
        first, n, at = shapes.first_child[d], shapes.n_children[d], shapes.node[d]
        who, other = shapes.actor[d], 1 - shapes.actor[d]
        for j in range(width):
            value[at, who, j] = value[first, who, j]
        for j in range(width):
            value[at, other, j] = value[first, other, j]
        for e in range(first + 1, first + n):
            for j in range(width):
                value[at, who, j] = max(value[at, who, j], value[e, who, j] + bar[e, j])
            for j in range(width):
                value[at, other, j] += value[e, other, j]


@njit(cache=True)
def _add_leaks(shapes, shape, mine, value, reach_of_hole, weight, k, gain, leaks):
    """Add for a hole of starting hand k, times its reach, what the best action wins more than the strategy's own choice.

    mine (nodes + 1, 2, LANES): the cell's reach; reach_of_hole (WIDE,) holds each seat's reach in the other's lanes.
    """
    width = value.shape[2]
    start = shapes.decision_start[shape]
    for d in range(start, shapes.decision_start[shape + 1]):
        first, n, at, who = shapes.first_child[d], shapes.n_children[d], shapes.node[d], shapes.actor[d]
        own = (1 - who) * width
        for j in range(width):
            gain[j] = mine[at, who, j] * value[at, who, j]
        for e in range(first, first + n):
            for j in range(width):
                gain[j] -= mine[e, who, j] * value[e, who, j]
        for j in range(width):
            leaks[d - start, k, j] += weight * reach_of_hole[own + j] * gain[j]


@njit(cache=True)
def _add_images(images, h, value, total):
    wide = value.shape[0]
    for m in range(images.shape[0]):
        if images[m] >= 0:
            image = PERMUTED_HOLES[images[m], h]
            for j in range(wide):
                total[image, j] += value[j]


@njit(cache=True)
def _river(shapes, block, stake, bar, rivers, r, cells, scratch):
    """Add one river's values of LANES subtrees to scratch.total, and its leaks to scratch.leaks."""
    shape = shapes.of_block[block]
    n0, n1 = shapes.node_start[shape], shapes.node_start[shape + 1]
    kind, root = shapes.kind[n0:n1], n1 - n0
    columns = shapes.column[block * LANES : (block + 1) * LANES]
    chance, most, seen = scratch.chance, scratch.mine.shape[1], np.empty((54, WIDE), dtype=np.float32)
    theirs, value = scratch.theirs.reshape(-1, most, WIDE), scratch.value.reshape(-1, WIDE)
    gain, images = np.empty(LANES, dtype=np.float32), np.float32((rivers.images[r] >= 0).sum())
    for g in range(cells.group.shape[0]):
        for j in range(LANES):
            for e in range(root):
                chance[g, e, j] = rivers.table[cells.group[g], columns[j] + np.uint32(e)]
    _reach(shapes, shape, cells.group.shape[0], chance, scratch.mine, scratch.theirs)
    for e in range(root):
        if kind[e] == FOLD_END:
            _worth_of_fold(cells, e, stake, theirs, scratch.sums, scratch.worth, seen)
        elif kind[e] != DECISION:
            _worth_of_showdown(cells, e, stake, theirs, scratch.sums, scratch.worth, seen)
    for i in range(N_RIVER_HOLES):
        h = rivers.holes[r, i]
        _ends_of_hole(cells, i, scratch.reach[h], kind, stake, theirs, scratch.worth, value)
        _best(shapes, shape, bar, scratch.value)
        mine = scratch.mine[cells.of_hole[i]]
        _add_leaks(shapes, shape, mine, scratch.value, scratch.reach[h], images, CLASS_OF_HOLE[h], gain, scratch.leaks)
        _add_images(rivers.images[r], h, value[root], scratch.total)


@njit(cache=True)
def _all_in(stake, rivers, r, cells, scratch):
    """As `_river`, of LANES all-ins."""
    kind, seen = np.ones(1, dtype=np.int8) * np.int8(2), np.empty((54, WIDE), dtype=np.float32)
    theirs, value = scratch.theirs.reshape(-1, scratch.theirs.shape[1], WIDE), scratch.value.reshape(-1, WIDE)
    theirs[: cells.group.shape[0], 0] = 1
    _worth_of_showdown(cells, 0, stake, theirs, scratch.sums, scratch.worth, seen)
    for i in range(N_RIVER_HOLES):
        h = rivers.holes[r, i]
        _ends_of_hole(cells, i, scratch.reach[h], kind, stake, theirs, scratch.worth, value)
        _add_images(rivers.images[r], h, value[0], scratch.total)


@njit(cache=True)
def _load_reach(lanes, reach, out):
    """The other player's reach of LANES roots, out (1326, WIDE)."""
    for player in range(2):
        for j in range(LANES):
            for h in range(out.shape[0]):
                out[h, player * LANES + j] = reach[1 - player, lanes[j], h] if lanes[j] >= 0 else np.float32(0)


@njit(cache=True)
def _store_leaks(shapes, block, plan, lanes, found, leaks):
    """Add a block's leaks to those of its decisions' nodes; the root of a subtree stands behind the nodes below it."""
    shape = shapes.of_block[block]
    start, n_nodes = shapes.decision_start[shape], shapes.node_start[shape + 1] - shapes.node_start[shape]
    for d in range(start, shapes.decision_start[shape + 1]):
        for j in range(LANES):
            if lanes[j] >= 0:
                below = plan.first + np.int64(shapes.column[block * LANES + j])
                node = lanes[j] if shapes.node[d] == n_nodes else below + shapes.node[d]
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
                stake[0, player * LANES + j] = plan.stake[block * LANES + j, player]
    else:
        stake = shapes.stake[block].reshape(-1, WIDE)
    for r in range(rivers.holes.shape[0]):
        cells = _cells_of(rivers, r)
        _sum_reach(cells, rivers.holes[r], scratch.reach, scratch.sums)
        if is_all_in:
            _all_in(stake, rivers, r, cells, scratch)
        else:
            _river(shapes, block, stake, plan.bar[block], rivers, r, cells, scratch)
    for player in range(2):
        for j in range(LANES):
            if lanes[j] >= 0:
                for h in range(scratch.reach.shape[0]):
                    value[player, lanes[j], h] += scratch.total[h, player * LANES + j]
    if not is_all_in:
        _store_leaks(shapes, block, plan, lanes, scratch.leaks, leaks)


@njit(cache=True)
def _response_scratch_of(scratch, i):
    return ResponseScratch(
        scratch.reach[i], scratch.total[i], scratch.sums[i], scratch.chance[i], scratch.mine[i], scratch.theirs[i],
        scratch.worth[i], scratch.value[i], scratch.leaks[i],
    )  # fmt: skip


@njit(cache=True, parallel=True)
def _all_blocks(shapes, plan, blocks, starts, rivers, reach, value, leaks, scratches):
    """Every block writes values of its own nodes only."""
    for thread in prange(starts.shape[0] - 1):
        scratch = _response_scratch_of(scratches, thread)
        for b in blocks[starts[thread] : starts[thread + 1]]:
            _block(shapes, plan, b, rivers, reach, value, leaks, scratch)
