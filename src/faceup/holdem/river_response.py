"""Best responses on the river: all rivers of a turn board and LANES betting subtrees at once, on cells of holes.

The strategy that is answered acts alike with all holes of a cell, as in self-play. The responder sees its own hole: as
strengths are gone through, the value of each end to a hole is put together from the sums of its two cards and of all, and at
each of its decisions the best action is taken. What that wins more than the strategy's own choice is noted for each decision
and starting hand: the strategy's leaks. All-ins of earlier streets are subtrees of a single showdown.
"""

from typing import NamedTuple

import numpy as np
from numba import njit

from faceup.cards.cards import CLASS_OF_HOLE, HOLE_CARDS, N_CLASSES, N_HOLES, PERMUTED_HOLES
from faceup.cards.strength import N_RIVER_HOLES
from faceup.holdem import lanes
from faceup.holdem.board import ALL, N_ENTRIES, _order, make_cells
from faceup.holdem.lanes import WIDE
from faceup.holdem.layout import LANES, Shapes, river_layout, stakes_at
from faceup.holdem.river import _add_all, _add_cell, _reach
from faceup.holdem.rules import FOLD_END
from faceup.holdem.tree import BettingTree
from faceup.lab.parallel import on_threads

Rivers = tuple[np.ndarray, np.ndarray, np.ndarray]


class Plan(NamedTuple):
    """Blocks of LANES subtrees or all-ins, nodes in the order of slots (`Shapes`); the last slot of a shape is the root's."""

    blocks: np.ndarray  # (n,) int64 those that are answered
    node: np.ndarray  # (n_blocks, most_nodes, LANES) int32 nodes of the tree, -1: none
    stake: np.ndarray  # (n_blocks, most_nodes, 2, LANES) float32 dollars that an end is worth to the *other* player
    bar: np.ndarray  # (n_blocks, most_nodes, LANES) float32 -inf where the responder may not go, else 0
    first: int  # the first node that a river action leads to


class ResponseScratch(NamedTuple):
    """What a thread writes, by slots."""

    reach: np.ndarray  # (1326, WIDE) float32 reach of the roots
    total: np.ndarray  # (1326, WIDE) float32 values of the roots to the other player, summed over rivers
    sums: np.ndarray  # (N_ENTRIES, WIDE) float32 `reach` summed over each entry
    since: np.ndarray  # (1081, most_nodes, 2, LANES) float32 product of a player's chances since the root
    value: np.ndarray  # (most_nodes, 2, LANES) float32 value of each node to a hole of the other player
    leaks: np.ndarray  # (169, most_nodes, LANES) float32 what best actions win more than the own, times its reach
    rows: np.ndarray  # (n_rows, most_nodes * LANES) float32 the strategy's rows of a block, by slot and lane


class RiverResponder:
    """Sums best responses over rivers, for one tree."""

    def __init__(self, tree: BettingTree, allowed: np.ndarray):
        """Lay out the tree's rivers; allowed (n_nodes,) bool: the nodes that the responder's actions may lead to."""
        layout, shapes = river_layout(tree)
        an_all_in = len(shapes.ends)  # one more shape: a root that is its only end
        self._shapes = shapes._replace(
            node_start=np.append(shapes.node_start, shapes.node_start[-1:]),
            decision_start=np.append(shapes.decision_start, shapes.decision_start[-1:]),
            ends=np.append(shapes.ends, [[1, 1]], axis=0),
            of_block=np.where(shapes.of_block < 0, an_all_in, shapes.of_block),
        )
        node = _nodes_by_slot(tree, layout.column_node, self._shapes)
        stake = np.where(node[..., None] < 0, 0, stakes_at(tree, node.ravel()).reshape(*node.shape, 2)).astype(np.float32)
        self._plan = Plan(
            np.flatnonzero(tree.kind[layout.column_node[::LANES]] != FOLD_END),
            node,
            np.ascontiguousarray(stake[..., ::-1].swapaxes(2, 3)),
            np.where((node < 0) | allowed[node], np.float32(0), np.float32(-np.inf)),
            int(tree.street_start[3]),
        )

    def add(self, rivers: Rivers, table: np.ndarray, reach: np.ndarray, value: np.ndarray, leaks: np.ndarray) -> None:
        """Add to value (2, n_nodes, 1326), where river betting begins and at all-ins, the sum over the rivers.

        rivers: boards (n, 5) int64; suit permutations that map each to those it stands for, (n, 4) int64, -1: none; the row of
        `table` of each of the 1,326 holes, (n, 1326) int32. table (n_rows, width) float32: the strategy's rows. reach
        (2, n_nodes, 1326): of the strategy in each seat; like value, of nodes before the river's actions. What best actions
        win more than the strategy's own, times its own reach, is added to leaks (n_nodes of the tree, 169) float64.
        """
        on_threads(_all_blocks, self._shapes, self._plan, table, rivers, reach, value, leaks)


def _nodes_by_slot(tree: BettingTree, column_node: np.ndarray, shapes: Shapes) -> np.ndarray:
    """`Plan.node`, from the roots (n_columns,)."""
    most = 1 + int(np.diff(shapes.node_start).max())
    node = np.full((len(column_node) // LANES, most, LANES), -1, dtype=np.int32)
    for c in np.flatnonzero(column_node >= 0):
        block, lane, root = c // LANES, c % LANES, column_node[c]
        start, end = shapes.node_start[shapes.of_block[block] :][:2]
        slot = shapes.slot[start:end]
        node[block, slot, lane] = tree.first_child[root] + np.arange(len(slot))
        node[block, len(slot), lane] = root
    return node


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
        lanes.wide_value(value, e * WIDE, stake, e * WIDE, seen, (every + e) * WIDE, seen, (a + e) * WIDE, seen, (b + e) * WIDE)
    for e in range(n_showdowns, n_ends):
        lanes.add_wide_product(value, e * WIDE, folds, (e - n_showdowns) * WIDE, reach, hole * WIDE)


@njit(cache=True)
def _best_of_hole(shapes, shape, bar, scratch, row, g, weight, own, k):
    """Values of decisions to a hole, from those of ends: the best action where its player acts, else the sum.

    row: where the cell's chances begin in the table. What the best action wins more than the strategy's own choice, times the
    own reach (that of the root is weight (2, LANES)), is added to the leaks of hand k.
    """
    table, since, value, leaks = scratch.rows, scratch.since, scratch.value, scratch.leaks
    first, most = shapes.node_start[shape], since.shape[1]
    for d in range(shapes.decision_start[shape + 1] - 1, shapes.decision_start[shape] - 1, -1):
        who, other, start = shapes.actor[d], 1 - shapes.actor[d], first + shapes.first_child[d]
        e, node = shapes.slot[start], shapes.slot_of[d]
        best, total = (node * 2 + other) * LANES, (node * 2 + who) * LANES
        lanes.copy(value, best, value, (e * 2 + other) * LANES)
        lanes.copy(value, total, value, (e * 2 + who) * LANES)
        lanes.product(own, 0, table, row + e * LANES, value, (e * 2 + other) * LANES)
        for c in range(start + 1, start + shapes.n_children[d]):
            e = shapes.slot[c]
            lanes.largest_sum(value, best, value, (e * 2 + other) * LANES, bar, e * LANES)
            lanes.add(value, total, value, (e * 2 + who) * LANES)
            lanes.add_product(own, 0, table, row + e * LANES, value, (e * 2 + other) * LANES)
        at = ((g * most + node) * 2 + who) * LANES
        lanes.add_gain(leaks, (k * most + node) * LANES, weight, who * LANES, since, at, value, best, own, 0)


@njit(cache=True)
def _river(shapes, block, plan, board, images, rows, scratch):
    """Add one river's values of LANES subtrees, or all-ins, to scratch.total, and its leaks to scratch.leaks."""
    shape, stake, bar = shapes.of_block[block], plan.stake[block].reshape(-1, WIDE), plan.bar[block]
    since, value, table = scratch.since, scratch.value, scratch.rows
    (n_showdowns, n_ends), root = shapes.ends[shape], shapes.node_start[shape + 1] - shapes.node_start[shape]
    cells, holes, entries, start = _cells_of(board, rows)
    scratch.sums[: cells.card.shape[0]] = 0
    for i in range(holes.shape[0]):
        for n in range(3):
            lanes.add_wide(scratch.sums, entries[i, n] * WIDE, scratch.reach, holes[i] * WIDE)
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
                lanes.wide_product(folds, (e - n_showdowns) * WIDE, stake, e * WIDE, by_end, (g * by_end.shape[1] + e) * WIDE)
            for i in range(start[g], start[g + 1]):
                hole = holes[i]
                _ends_of_hole(hole, n_showdowns, n_ends, seen, stake, folds, scratch.reach, value)
                lanes.wide_product(weight, 0, times, 0, scratch.reach, hole * WIDE)
                _best_of_hole(shapes, shape, bar, scratch, row, g, weight, own, CLASS_OF_HOLE[hole])
                for image in images:
                    if image >= 0:
                        lanes.add_wide(scratch.total, np.int64(PERMUTED_HOLES[image, hole]) * WIDE, value, root * WIDE)
        for g in range(first, last):
            _add_cell(cells, g, scratch.sums, by_end, n_showdowns, n_ends, seen)


@njit(cache=True)
def _block(shapes, plan, block, table, rivers, reach, value, leaks, scratch):
    """All rivers of LANES subtrees or all-ins."""
    shape = shapes.of_block[block]
    root, node = shapes.node_start[shape + 1] - shapes.node_start[shape], plan.node[block]
    column = np.maximum(node[:root] - plan.first, 0).reshape(-1)
    for r in range(table.shape[0]):
        for x in range(column.shape[0]):
            scratch.rows[r, x] = table[r, column[x]]
    scratch.reach[:] = 0
    scratch.total[:] = 0
    scratch.leaks[:] = 0
    for j in range(LANES):
        if node[root, j] >= 0:
            for player in range(2):
                scratch.reach[:, player * LANES + j] = reach[player, node[root, j]]
    boards, images, row_of_hole = rivers
    for r in range(boards.shape[0]):
        _river(shapes, block, plan, boards[r], images[r], row_of_hole[r], scratch)
    for j in range(LANES):
        if node[root, j] >= 0:
            for player in range(2):
                value[1 - player, node[root, j]] += scratch.total[:, player * LANES + j]
            for slot in shapes.slot_of[shapes.decision_start[shape] : shapes.decision_start[shape + 1]]:
                leaks[node[slot, j]] += scratch.leaks[:, slot, j]


@njit(cache=True, nogil=True)
def _all_blocks(share, shapes, plan, table, rivers, reach, value, leaks):
    """Every block writes values of its own nodes only."""
    most = plan.node.shape[1]
    scratch = ResponseScratch(
        np.empty((N_HOLES, WIDE), np.float32), np.empty((N_HOLES, WIDE), np.float32), np.empty((N_ENTRIES, WIDE), np.float32),
        np.empty((N_RIVER_HOLES, most, 2, LANES), np.float32), np.empty((most, 2, LANES), np.float32),
        np.empty((N_CLASSES, most, LANES), np.float32), np.empty((table.shape[0], most * LANES), np.float32),
    )  # fmt: skip
    for k in range(share[0], plan.blocks.shape[0], share[1]):
        _block(shapes, plan, plan.blocks[k], table, rivers, reach, value, leaks, scratch)
