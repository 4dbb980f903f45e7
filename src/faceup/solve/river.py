"""River betting in self-play, on cells of holes instead of holes.

On a complete board a river strategy knows a hole by its equity alone. Holes of one strength and one equity form a cell, about
a hundred of them where there are 1,081 holes, and within a river subtree they play alike: their reach of a node is their
reach of the subtree's root times a product that belongs to the cell. What card removal needs of the holes are sums over a
cell, and over those holes of a cell that have a certain card: an entry is such a pair of cell and card (card 52 stands for
all holes), some 750 a board. The value of a node to a hole of cards a and b is value(cell, 52) - value(cell, a) -
value(cell, b), where the hole itself drops out of showdowns (it would win half and lose half) and is added back at folds.

So a whole subtree is swept on cells, and holes are touched only at its root. Subtrees of one shape are swept LANES at a
time, so that one vector instruction serves them all.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numba import njit

from faceup.game.betting import DECISION, FOLD_END, SHOWDOWN, Tree
from faceup.game.cards import HOLE_CARDS
from faceup.game.strength import N_RIVER_HOLES
from faceup.solve.board import PADDED, _gather_lanes, _scatter_lanes
from faceup.solve.layout import LANES, Layout, stakes_at

N_ENTRIES = 3 * N_RIVER_HOLES  # at most
ALL = 52  # the card of the entry that all holes of a cell belong to
BOTH = -1  # a learner: both players


class Cells(NamedTuple):
    """The cells of a board, weakest first, and their entries; card ALL is the first entry of each cell."""

    of_hole: np.ndarray  # (1081,) int32 cell of each hole, in the order of `BoardOrder.holes`
    entries: np.ndarray  # (1081, 3) int32 a hole's entries: all, its higher card, its lower card
    group: np.ndarray  # (n_cells,) int32 2 * wins + ties of its holes
    first: np.ndarray  # (n_cells + 1,) int32 first entry of each cell
    card: np.ndarray  # (n_entries,) int32 0..51, or ALL
    count: np.ndarray  # (n_entries,) float32 how many holes, counted negative where the card is not ALL
    classes: np.ndarray  # (n_classes + 1,) int32 first cell of each strength


class Shapes(NamedTuple):
    """River subtrees of a tree, by shape: nodes of a shape are numbered breadth first from its root's children.

    In the arrays of a sweep showdowns come first, then folds, decisions and last the root: each node has a slot there.
    """

    node_start: np.ndarray  # (n_shapes + 1,) int32 where the nodes of each shape begin
    decision_start: np.ndarray  # (n_shapes + 1,) int32
    ends: np.ndarray  # (n_shapes, 2) int32 how many showdowns, and how many ends in all
    slot: np.ndarray  # (nodes,) int32
    actor: np.ndarray  # (decisions,) int8
    first_child: np.ndarray  # (decisions,) int32 number of the first node it leads to
    n_children: np.ndarray  # (decisions,) int32
    slot_of: np.ndarray  # (decisions,) int32 slot of a decision
    of_block: np.ndarray  # (n_columns // LANES,) int32 shape of the river roots in LANES columns, -1 for other columns
    column: np.ndarray  # (n_columns,) uint32 node after a root, counted from the street's first; in the padding any root's
    begin: np.ndarray  # (n_columns // LANES + 1,) int64 where each block's entries begin in a row of self-play's tables
    stake: np.ndarray  # (n_columns // LANES, most_nodes, 2, LANES) float32 by slot: dollars an end is worth to the *other* player


class RiverScratch(NamedTuple):
    """What a thread writes while it sweeps LANES river subtrees; made with one more axis in front, the thread.

    The two players lie side by side in the last two axes, so that one loop serves both: reach is with the player whose it is, and
    values are with the player whose holes they are won from. Nodes are in the order of slots.
    """

    holes: np.ndarray  # (PADDED, LANES) float32 reach or values of holes at the roots
    sums: np.ndarray  # (N_ENTRIES, 2, LANES) float32 reach of the roots, summed over each entry
    root: np.ndarray  # (N_ENTRIES, 2, LANES) float32 values of the roots to the other player
    own: np.ndarray  # (N_RIVER_HOLES, 2, LANES) float32 what folds give back for the hole itself
    chance: np.ndarray  # (N_RIVER_HOLES, most_nodes, LANES) float32 probability of the action that leads to a node
    reach: np.ndarray  # (N_RIVER_HOLES, most_nodes, 2, LANES) float32 product of a player's chances since the root
    value: np.ndarray  # (most_nodes, 2, LANES) float32 value of each node to the cell at hand, summed over its holes


def river_shapes(tree: Tree) -> np.ndarray:
    """Number of the shape of the river betting below each node of `before_river`, -1 where there is none.

    Two subtrees have one shape where the same players act in the same order; amounts may differ.
    """
    shape = np.full(tree.street_start[3], -1, dtype=np.int32)
    known: dict[bytes, int] = {}
    for root, nodes in _rivers(tree):
        lines = [tree.kind[nodes], tree.actor[nodes], tree.n_children[nodes], [tree.actor[root], tree.n_children[root]]]
        shape[root] = known.setdefault(np.concatenate(lines).astype(np.int8).tobytes(), len(known))
    return shape


def _rivers(tree: Tree) -> Iterator[tuple[int, np.ndarray]]:
    """Each node that river betting begins at, and all nodes below, which are numbered one after the other."""
    before = slice(0, tree.street_start[3])
    roots = np.flatnonzero((tree.kind[before] == DECISION) & (tree.street[before] == 3))
    for root, end in zip(roots, [*tree.first_child[roots[1:]], len(tree.kind)], strict=True):
        yield int(root), np.arange(tree.first_child[root], end)


def make_shapes(tree: Tree, layout: Layout, shape: np.ndarray) -> Shapes:
    """Shapes of a tree's rivers, given the layout of the streets before and `river_shapes`."""
    fields: list[list] = [[] for _ in range(5)]
    starts, ends = [(0, 0)], []
    below = dict(_rivers(tree))
    for root in np.unique(shape, return_index=True)[1][int((shape < 0).any()) :]:
        for field, values in zip(fields, _shape_of(tree, int(root), below[int(root)]), strict=True):
            field.append(values)
        starts.append((starts[-1][0] + len(fields[0][-1]), starts[-1][1] + len(fields[1][-1])))
        ends.append(np.cumsum([(tree.kind[below[root]] == kind).sum() for kind in (SHOWDOWN, FOLD_END)]))
    n_columns, most = len(layout.column_node), max(map(len, below.values()), default=0)
    of_block = np.full(n_columns // LANES, -1, dtype=np.int32)
    column = np.zeros(n_columns, dtype=np.uint32)
    stake = np.zeros((n_columns // LANES, most, 2, LANES), dtype=np.float32)
    for c, root in enumerate(layout.column_node):
        if root >= 0 and shape[root] >= 0:
            of_block[c // LANES], column[c : c + LANES - c % LANES] = shape[root], below[root][0] - tree.street_start[3]
            stake[c // LANES, _slots(tree.kind[below[root]]), :, c % LANES] = stakes_at(tree, below[root])[:, ::-1]
    nodes, decisions = np.array(starts, dtype=np.int32).T
    kinds = (np.int32, np.int8, np.int32, np.int32, np.int32)
    flat = (np.concatenate([np.zeros(0, int), *field]).astype(kind) for field, kind in zip(fields, kinds, strict=True))
    sizes = np.append(np.diff(nodes), 0)[of_block] * LANES
    return Shapes(
        np.ascontiguousarray(nodes), np.ascontiguousarray(decisions), np.array(ends, dtype=np.int32).reshape(-1, 2), *flat,
        of_block, column, np.append(0, np.cumsum(sizes)), stake,
    )  # fmt: skip


def table_columns(tree: Tree, layout: Layout, shapes: Shapes) -> np.ndarray:
    """Where self-play's river tables have the tree's river nodes: (number of them,) int64.

    A block's subtrees lie side by side there, node by node, as the sweep reads them.
    """
    columns = np.zeros(len(tree.kind) - tree.street_start[3], dtype=np.int64)
    for c in np.flatnonzero(layout.column_node >= 0):
        shape = shapes.of_block[c // LANES]
        if shape >= 0:
            slot = shapes.slot[shapes.node_start[shape] : shapes.node_start[shape + 1]]
            columns[shapes.column[c] : shapes.column[c] + len(slot)] = shapes.begin[c // LANES] + slot * LANES + c % LANES
    return columns


def _shape_of(tree: Tree, root: int, nodes: np.ndarray) -> tuple[np.ndarray, ...]:
    """A shape's entries in the fields of `Shapes` from slot to slot_of."""
    inside, slot = np.flatnonzero(tree.kind[nodes] == DECISION), _slots(tree.kind[nodes])
    decisions = np.concatenate([[root], nodes[inside]])
    slot_of = np.concatenate([[len(nodes)], slot[inside]])
    return slot, tree.actor[decisions], tree.first_child[decisions] - nodes[0], tree.n_children[decisions], slot_of


def _slots(kind: np.ndarray) -> np.ndarray:
    """Slot of each node below a root: showdowns, then folds, then decisions."""
    order = np.argsort(np.select([kind == SHOWDOWN, kind == FOLD_END], [0, 1], 2), kind="stable")
    slots = np.empty(len(kind), dtype=np.int32)
    slots[order] = np.arange(len(kind))
    return slots


def block_sizes(shapes: Shapes) -> np.ndarray:
    """How much work each LANES columns are, (n_blocks,): nodes of a subtree, 1 for other ends."""
    nodes = np.append(np.diff(shapes.node_start), 1)
    return nodes[shapes.of_block]


def make_river_scratch(shapes: Shapes, n: int) -> RiverScratch:
    """Arrays for n threads."""
    nodes = (N_RIVER_HOLES, 1 + shapes.stake.shape[1])
    sizes = (PADDED,), (N_ENTRIES, 2), (N_ENTRIES, 2), (N_RIVER_HOLES, 2), nodes, (*nodes, 2), (nodes[1], 2)
    return RiverScratch(*(np.zeros((n, *size, LANES), dtype=np.float32) for size in sizes))


@njit(cache=True)
def _river_scratch_of(scratch, i):
    return RiverScratch(
        scratch.holes[i], scratch.sums[i], scratch.root[i], scratch.own[i], scratch.chance[i], scratch.reach[i], scratch.value[i]
    )  # fmt: skip


def make_cells(holes: np.ndarray, class_start: np.ndarray, equity: np.ndarray) -> Cells:
    """Cells of a board, from its `BoardOrder` and the equity, 2 * wins + ties, of each of the 1,326 holes."""
    of_hole, entries = np.empty(N_RIVER_HOLES, np.int32), np.empty((N_RIVER_HOLES, 3), np.int32)
    group, first = np.empty(N_RIVER_HOLES, np.int32), np.empty(N_RIVER_HOLES + 1, np.int32)
    card, count = np.empty(N_ENTRIES, np.int32), np.zeros(N_ENTRIES, np.float32)
    classes = np.empty(len(class_start), np.int32)
    n = _fill_cells(holes, class_start, equity, of_hole, entries, group, first, card, count, classes)
    return Cells(of_hole, entries, group[:n], first[: n + 1], card[: first[n]], count[: first[n]], classes)


@njit(cache=True)
def _fill_cells(holes, class_start, equity, of_hole, entries, group, first, card, count, classes):
    """Fill the arrays of `Cells`; returns how many cells there are."""
    n, k = 0, 0
    entry_of = np.full(53, -1, dtype=np.int32)
    first[0] = classes[0] = 0
    of_hole[:] = -1
    for cls in range(class_start.shape[0] - 1):
        for start in range(class_start[cls], class_start[cls + 1]):
            if of_hole[start] >= 0:
                continue
            group[n] = equity[holes[start]]
            for i in range(start, class_start[cls + 1]):
                if equity[holes[i]] != group[n]:
                    continue
                of_hole[i] = n
                for j in range(3):
                    c = ALL if j == 0 else HOLE_CARDS[holes[i], j - 1]
                    if entry_of[c] < 0:
                        entry_of[c], card[k] = k, c
                        k += 1
                    entries[i, j] = entry_of[c]
                    count[entry_of[c]] += np.float32(1 if j == 0 else -1)
            entry_of[:] = -1
            n += 1
            first[n] = k
        classes[cls + 1] = n
    return n


@njit(cache=True, error_model="numpy")  # where no regret is positive the quotient is not used
def _match(shapes, shape, chance):
    """Regret matching at every decision of LANES subtrees, for a cell: chance (nodes, LANES) holds its regrets before."""
    slot, width = shapes.slot[shapes.node_start[shape] :], chance.shape[1]
    total = np.empty(LANES, dtype=np.float32)
    for d in range(shapes.decision_start[shape], shapes.decision_start[shape + 1]):
        below = slot[shapes.first_child[d] : shapes.first_child[d] + shapes.n_children[d]]
        for j in range(width):
            total[j] = np.float32(0)
        for e in below:
            for j in range(width):
                chance[e, j] = max(chance[e, j], np.float32(0))
                total[j] += chance[e, j]
        even = np.float32(1) / np.float32(below.shape[0])
        for e in below:
            for j in range(width):
                chance[e, j] = chance[e, j] / total[j] if total[j] > 0 else even


@njit(cache=True)
def _reach(shapes, shape, chance, reach):
    """Both players' reach of every node of LANES subtrees, for a cell, from the chances of actions."""
    slot, width = shapes.slot[shapes.node_start[shape] :], chance.shape[1]
    reach[shapes.node_start[shape + 1] - shapes.node_start[shape]] = 1  # the root
    for d in range(shapes.decision_start[shape], shapes.decision_start[shape + 1]):
        above, who, other = shapes.slot_of[d], shapes.actor[d], 1 - shapes.actor[d]
        for e in slot[shapes.first_child[d] : shapes.first_child[d] + shapes.n_children[d]]:
            for j in range(width):
                reach[e, who, j] = chance[e, j] * reach[above, who, j]
            for j in range(width):
                reach[e, other, j] = reach[above, other, j]


# All ends of a subtree are swept at once: an array over (end, player, lane) is a row of some hundred numbers, named flat where
# it has a single axis. Loops over more than a few arrays are split: the compiler gives up on proving more of them apart, and
# would not vectorise them.


@njit(cache=True)
def _products(reach, g, sums, k, n, out):
    """out (ends, wide) = reach of the first n ends with the holes of cell g and entry k."""
    wide = sums.shape[1]
    for e in range(n):
        for j in range(wide):
            out[e, j] = reach[g, e, j] * sums[k, j]


@njit(cache=True)
def _add_cell(cells, g, sums, reach, n, product, flat_product, seen):
    """Add the reach of the first n ends, with the holes of a cell, to the sums of their cards, seen (53, all ends * wide)."""
    size = n * sums.shape[1]
    for k in range(cells.first[g], cells.first[g + 1]):
        c = cells.card[k]
        _products(reach, g, sums, k, n, product)
        for x in range(size):
            seen[c, x] += flat_product[x]


@njit(cache=True)
def _add_all(cells, n_showdowns, n_ends, sums, reach, product, flat_product, seen):
    """Sums of all holes by card: at folds as they are, at showdowns counted negative."""
    seen[:] = 0
    for g in range(cells.group.shape[0]):
        _add_cell(cells, g, sums, reach, n_ends, product, flat_product, seen)
    size = n_showdowns * sums.shape[1]
    for c in range(seen.shape[0]):
        for x in range(size):
            seen[c, x] = -seen[c, x]


@njit(cache=True)
def _value_of_entry(k, count, at, flat_at, weight, root, flat_value):
    """Add the values of ends at a card, at (ends, wide), to those of a cell, and weighted to the root's of an entry."""
    wide = root.shape[1]
    for x in range(flat_value.shape[0]):
        flat_value[x] += count * flat_at[x]
    for e in range(at.shape[0]):
        for j in range(wide):
            root[k, j] += weight[e, j] * at[e, j]


@njit(cache=True)
def _only_cell(cells, g, n, sums, reach, product, flat_product, seen, flat_seen, weight, root, flat_value):
    """All steps of a class in one, where it is a single cell: no two entries share a card."""
    wide = sums.shape[1]
    size = n * wide
    for k in range(cells.first[g], cells.first[g + 1]):
        c = cells.card[k]
        _products(reach, g, sums, k, n, product)
        for x in range(size):
            half = flat_seen[c, x] + flat_product[x]
            flat_seen[c, x] = half + flat_product[x]
            flat_product[x] = half
        for e in range(n, product.shape[0]):
            for j in range(wide):
                product[e, j] = seen[c, e, j]
        _value_of_entry(k, cells.count[k], product, flat_product, weight, root, flat_value)


@njit(cache=True)
def _begin_cell(reach, stake, weight, flat_value):
    """Weigh ends with the reach of the player whom they are worth something to, and the stake. reach (nodes, 2, LANES)."""
    width = reach.shape[2]
    for e in range(stake.shape[0]):
        for player in range(2):
            for j in range(width):
                weight[e, player, j] = reach[e, 1 - player, j] * stake[e, player, j]
    flat_value[:] = 0


@njit(cache=True)
def _end_cell(k, g, n_showdowns, weight, sums, reach, own, value, flat_stake, flat_value):
    """Count the hole itself back at folds, and put the stakes in: so far a cell's values were for a dollar."""
    wide = own.shape[1]
    for e in range(n_showdowns, weight.shape[0]):
        for j in range(wide):
            value[e, j] += reach[g, e, j] * sums[k, j]
        for j in range(wide):
            own[g, j] += reach[g, e, j] * weight[e, j]
    for x in range(flat_value.shape[0]):
        flat_value[x] *= flat_stake[x]


@njit(cache=True)
def _learn_cell(shapes, shape, learner, sums, chance, reach, value, regrets, averages):
    """Values of decisions from those of ends, for a cell; regrets and the actor's reach go to its rows of the tables.

    sums (2, LANES): reach of the root with all holes of the cell; regrets, averages (nodes, LANES); learner: who learns, BOTH or
    a player.
    """
    slot, width = shapes.slot[shapes.node_start[shape] :], chance.shape[1]
    at, of_other, weight = np.empty(LANES, np.float32), np.empty(LANES, np.float32), np.empty(LANES, np.float32)
    for d in range(shapes.decision_start[shape + 1] - 1, shapes.decision_start[shape] - 1, -1):
        above, who, other = shapes.slot_of[d], shapes.actor[d], 1 - shapes.actor[d]
        below = slot[shapes.first_child[d] : shapes.first_child[d] + shapes.n_children[d]]
        for j in range(width):
            at[j] = of_other[j] = np.float32(0)
        for e in below:
            for j in range(width):
                at[j] += chance[e, j] * value[e, other, j]
            for j in range(width):
                of_other[j] += value[e, who, j]
        if learner == BOTH or learner == who:
            for j in range(width):
                weight[j] = sums[who, j] * reach[above, who, j]
            for e in below:
                for j in range(width):
                    regrets[e, j] += value[e, other, j] - at[j]
                for j in range(width):
                    averages[e, j] += weight[j] * chance[e, j]
        for j in range(width):
            value[above, other, j] = at[j]
        for j in range(width):
            value[above, who, j] = of_other[j]


@njit(cache=True)
def _sum_entries(cells, holes, player, sums):
    """Sum a player's reach of LANES roots, (PADDED, LANES), over each entry."""
    width = holes.shape[1]
    sums[: cells.card.shape[0], player] = 0
    for i in range(N_RIVER_HOLES):
        for n in range(3):
            k = cells.entries[i, n]
            for j in range(width):
                sums[k, player, j] += holes[i, j]


@njit(cache=True)
def _root_values(cells, root, own, player, holes):
    """Replace a player's reach of LANES roots, for each hole, by the roots' values to the other."""
    width = holes.shape[1]
    for i in range(N_RIVER_HOLES):
        g, a, b, c = cells.of_hole[i], cells.entries[i, 0], cells.entries[i, 1], cells.entries[i, 2]
        for j in range(width):
            holes[i, j] = own[g, player, j] * holes[i, j] + (root[a, player, j] - root[b, player, j] - root[c, player, j])


@njit(cache=True)
def _sweep_rivers(shapes, cells, block, ends, learner, regrets, averages, scratch):
    """Sweep the LANES river subtrees of a block and update their tables.

    ends (n_columns, 2, N_TILES, TILE): reach of the roots; replaced by their values as `_replace_block` does.
    """
    column, begin, end = block * LANES, shapes.begin[block], shapes.begin[block + 1]
    shape = shapes.of_block[block]
    n_nodes = (end - begin) // LANES
    for player in range(2):
        _gather_lanes(ends, column, player, scratch.holes)
        _sum_entries(cells, scratch.holes, player, scratch.sums)
    for g in range(cells.group.shape[0]):
        scratch.chance[g, :n_nodes] = regrets[cells.group[g]][begin:end].reshape(n_nodes, LANES)
        _match(shapes, shape, scratch.chance[g])
        _reach(shapes, shape, scratch.chance[g], scratch.reach[g])
    _sweep_cells(shapes, shape, cells, begin, end, shapes.stake[block], learner, regrets, averages, scratch)
    for player in range(2):
        _gather_lanes(ends, column, player, scratch.holes)
        _root_values(cells, scratch.root, scratch.own, player, scratch.holes)
        _scatter_lanes(scratch.holes, ends, column, player)


@njit(cache=True)
def _sweep_cells(shapes, shape, cells, begin, end, stake, learner, regrets, averages, scratch):
    """Values of all ends to all cells, weakest first, and what each cell learns.

    seen[c], by end, is twice the weight of weaker holes with card c, plus once that of the class at hand, less the total: a win
    counts 2 - 1, a tie 1 - 1, a loss 0 - 1. At folds it is the weight of all holes with the card.
    """
    n_showdowns, n_ends = shapes.ends[shape]
    wide, n_nodes, size = 2 * LANES, scratch.chance.shape[1], n_ends * 2 * LANES
    sums, root, own = scratch.sums.reshape(-1, wide), scratch.root.reshape(-1, wide), scratch.own.reshape(-1, wide)
    value, flat_value = scratch.value.reshape(n_nodes, wide), scratch.value.reshape(-1)[:size]
    reach, flat_stake = scratch.reach.reshape(-1, n_nodes, wide), stake.reshape(-1)[:size]
    seen, product = np.empty((53, n_ends, wide), np.float32), np.empty((n_ends, wide), np.float32)
    weight_of = np.empty((n_ends, 2, LANES), np.float32)
    weight, flat_seen, flat_product = weight_of.reshape(n_ends, wide), seen.reshape(53, size), product.reshape(-1)
    root[: cells.card.shape[0]] = 0
    own[: cells.group.shape[0]] = 0
    _add_all(cells, n_showdowns, n_ends, sums, reach, product, flat_product, flat_seen)
    for cls in range(cells.classes.shape[0] - 1):
        first, last = cells.classes[cls], cells.classes[cls + 1]
        alone = last == first + 1
        if not alone:
            for g in range(first, last):
                _add_cell(cells, g, sums, reach, n_showdowns, product, flat_product, flat_seen)
        for g in range(first, last):
            _begin_cell(scratch.reach[g], stake[:n_ends], weight_of, flat_value)
            if alone:
                _only_cell(cells, g, n_showdowns, sums, reach, product, flat_product, seen, flat_seen, weight, root, flat_value)
            else:
                for k in range(cells.first[g], cells.first[g + 1]):
                    c = cells.card[k]
                    _value_of_entry(k, cells.count[k], seen[c], flat_seen[c], weight, root, flat_value)
            _end_cell(cells.first[g], g, n_showdowns, weight, sums, reach, own, value, flat_stake, flat_value)
            rows = regrets[cells.group[g]][begin:end].reshape(-1, LANES), averages[cells.group[g]][begin:end].reshape(-1, LANES)
            _learn_cell(
                shapes, shape, learner, scratch.sums[cells.first[g]], scratch.chance[g], scratch.reach[g], scratch.value, *rows
            )
        if not alone:
            for g in range(first, last):
                _add_cell(cells, g, sums, reach, n_showdowns, product, flat_product, flat_seen)
