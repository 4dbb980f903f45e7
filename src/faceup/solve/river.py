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
SPARE = 53  # a row of sums by card that serves as a scratch


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
    """River subtrees of a tree, by shape: nodes of a shape are numbered breadth first from its root's children."""

    node_start: np.ndarray  # (n_shapes + 1,) int32 where the nodes of each shape begin
    decision_start: np.ndarray  # (n_shapes + 1,) int32
    kind: np.ndarray  # (nodes,) int8
    actor: np.ndarray  # (decisions,) int8
    first_child: np.ndarray  # (decisions,) int32 number of the first node it leads to
    n_children: np.ndarray  # (decisions,) int32
    node: np.ndarray  # (decisions,) int32 its number among its shape's nodes; the root comes after the last of them
    of_block: np.ndarray  # (n_columns // LANES,) int32 shape of the river roots in LANES columns, -1 for other columns
    column: (
        np.ndarray
    )  # (n_columns,) uint32 of river tables: where a root's first node is; in the padding any root's of the shape
    stake: np.ndarray  # (n_columns // LANES, most_nodes, 2, LANES) float32 dollars an end is worth to each player


class RiverScratch(NamedTuple):
    """What a thread writes while it sweeps LANES river subtrees; made with one more axis in front, the thread.

    The two players lie side by side in the last two axes, so that one loop serves both.
    """

    holes: np.ndarray  # (PADDED, LANES) float32 reach or values of holes at the roots
    sums: np.ndarray  # (N_ENTRIES, 2, LANES) float32 the *other* player's reach of the roots, summed over each entry
    root: np.ndarray  # (N_ENTRIES, 2, LANES) float32 values of the roots
    own: np.ndarray  # (N_RIVER_HOLES, 2, LANES) float32 what folds give back for the hole itself
    chance: np.ndarray  # (N_RIVER_HOLES, most_nodes, LANES) float32 probability of the action that leads to a node
    mine: np.ndarray  # (N_RIVER_HOLES, most_nodes, 2, LANES) float32 product of a player's chances since the root
    theirs: np.ndarray  # (N_RIVER_HOLES, most_nodes, 2, LANES) float32 that of the other player
    value: np.ndarray  # (N_RIVER_HOLES, most_nodes, 2, LANES) float32 value of a node, summed over a cell's holes


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
    starts: list[tuple[int, int]] = [(0, 0)]
    below = dict(_rivers(tree))
    for root in np.unique(shape, return_index=True)[1][int((shape < 0).any()) :]:
        for field, values in zip(fields, _shape_of(tree, int(root), below[int(root)]), strict=True):
            field.append(values)
        starts.append((starts[-1][0] + len(fields[0][-1]), starts[-1][1] + len(fields[1][-1])))
    n_columns, most = len(layout.column_node), max(map(len, below.values()), default=0)
    of_block = np.full(n_columns // LANES, -1, dtype=np.int32)
    column = np.zeros(n_columns, dtype=np.uint32)
    stake = np.zeros((n_columns // LANES, most, 2, LANES), dtype=np.float32)
    for c, root in enumerate(layout.column_node):
        if root >= 0 and shape[root] >= 0:
            of_block[c // LANES], column[c : c + LANES - c % LANES] = shape[root], below[root][0] - tree.street_start[3]
            stake[c // LANES, : len(below[root]), :, c % LANES] = stakes_at(tree, below[root])
    nodes, decisions = np.array(starts, dtype=np.int32).T
    kinds = (np.int8, np.int8, np.int32, np.int32, np.int32)
    flat = (np.concatenate([np.zeros(0, int), *field]).astype(kind) for field, kind in zip(fields, kinds, strict=True))
    return Shapes(np.ascontiguousarray(nodes), np.ascontiguousarray(decisions), *flat, of_block, column, stake)


def _shape_of(tree: Tree, root: int, nodes: np.ndarray) -> tuple[np.ndarray, ...]:
    """A shape's entries in the fields of `Shapes` from kind to n_children."""
    inside = np.flatnonzero(tree.kind[nodes] == DECISION)
    decisions = np.concatenate([[root], nodes[inside]])
    number = np.concatenate([[len(nodes)], inside])
    return tree.kind[nodes], tree.actor[decisions], tree.first_child[decisions] - nodes[0], tree.n_children[decisions], number


def block_sizes(shapes: Shapes) -> np.ndarray:
    """How much work each LANES columns are, (n_blocks,): nodes of a subtree, 1 for other ends."""
    nodes = np.append(np.diff(shapes.node_start), 1)
    return nodes[shapes.of_block]


def make_river_scratch(shapes: Shapes, n: int) -> RiverScratch:
    """Arrays for n threads."""
    nodes = (N_RIVER_HOLES, 1 + shapes.stake.shape[1])
    sizes = (PADDED,), (N_ENTRIES, 2), (N_ENTRIES, 2), (N_RIVER_HOLES, 2), nodes, (*nodes, 2), (*nodes, 2), (*nodes, 2)
    return RiverScratch(*(np.zeros((n, *size, LANES), dtype=np.float32) for size in sizes))


@njit(cache=True)
def _river_scratch_of(scratch, i):
    return RiverScratch(
        scratch.holes[i], scratch.sums[i], scratch.root[i], scratch.own[i], scratch.chance[i], scratch.mine[i],
        scratch.theirs[i], scratch.value[i],
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
def _match(shapes, shape, cells, columns, regrets, chance):
    """Regret matching at every decision of LANES subtrees, for each cell."""
    n_nodes = shapes.node_start[shape + 1] - shapes.node_start[shape]
    width = chance.shape[2]
    total = np.empty(LANES, dtype=np.float32)
    for g in range(cells.group.shape[0]):
        for j in range(LANES):
            for e in range(n_nodes):
                chance[g, e, j] = max(regrets[cells.group[g], columns[j] + np.uint32(e)], np.float32(0))
        for d in range(shapes.decision_start[shape], shapes.decision_start[shape + 1]):
            first, n = shapes.first_child[d], shapes.n_children[d]
            for j in range(width):
                total[j] = chance[g, first, j]
            for e in range(first + 1, first + n):
                for j in range(width):
                    total[j] += chance[g, e, j]
            even = np.float32(1) / np.float32(n)
            for e in range(first, first + n):
                for j in range(width):
                    chance[g, e, j] = chance[g, e, j] / total[j] if total[j] > 0 else even


@njit(cache=True)
def _reach(shapes, shape, n_cells, chance, mine, theirs):
    """Both players' reach of every node of LANES subtrees, for each cell, from the chances of actions."""
    n_nodes = shapes.node_start[shape + 1] - shapes.node_start[shape]
    width = chance.shape[2]
    for g in range(n_cells):
        mine[g, n_nodes] = 1  # the root
        for d in range(shapes.decision_start[shape], shapes.decision_start[shape + 1]):
            first, n, above = shapes.first_child[d], shapes.n_children[d], shapes.node[d]
            who, other = shapes.actor[d], 1 - shapes.actor[d]
            for e in range(first, first + n):
                for j in range(width):
                    mine[g, e, who, j] = chance[g, e, j] * mine[g, above, who, j]
                for j in range(width):
                    mine[g, e, other, j] = mine[g, above, other, j]
                for j in range(width):
                    theirs[g, e, other, j] = mine[g, e, who, j]
                for j in range(width):
                    theirs[g, e, who, j] = mine[g, e, other, j]


# In the wide loops below the last axis holds both players' LANES. A loop over many arrays is split: the compiler gives up on
# proving more than a few of them apart, and would not vectorise it.


@njit(cache=True)
def _add_entries(cells, start, end, sums, theirs, e, seen, sign):
    """Add the other player's reach of a node, with holes of cells start..end - 1, to the sums of their cards."""
    wide = seen.shape[1]
    for g in range(start, end):
        for k in range(cells.first[g], cells.first[g + 1]):
            c = cells.card[k]
            for j in range(wide):
                seen[c, j] += sign * (theirs[g, e, j] * sums[k, j])


@njit(cache=True)
def _value_of_cell(cells, g, e, stake, mine, root, value, seen):
    """Value of an end to a cell's holes, summed; and its entries' values, times the reach, added to the root's."""
    wide = seen.shape[1]
    for j in range(wide):
        value[g, e, j] = np.float32(0)
    for k in range(cells.first[g], cells.first[g + 1]):
        c, count = cells.card[k], cells.count[k]
        for j in range(wide):
            x = stake[e, j] * seen[c, j]
            value[g, e, j] += count * x
            root[k, j] += mine[g, e, j] * x


@njit(cache=True)
def _only_cell(cells, g, e, stake, mine, theirs, sums, root, value, seen):
    """All steps of a class in one, where it is a single cell: no two entries share a card."""
    wide = seen.shape[1]
    for j in range(wide):
        value[g, e, j] = np.float32(0)
    for k in range(cells.first[g], cells.first[g + 1]):
        c, count = cells.card[k], cells.count[k]
        for j in range(wide):
            x = theirs[g, e, j] * sums[k, j]
            half = seen[c, j] + x
            seen[c, j] = half + x
            seen[SPARE, j] = half * stake[e, j]
        for j in range(wide):
            value[g, e, j] += count * seen[SPARE, j]
            root[k, j] += mine[g, e, j] * seen[SPARE, j]


@njit(cache=True)
def _showdown(cells, e, stake, mine, theirs, sums, root, value, seen):
    """Values of showdown e of LANES subtrees: of each cell into value, times its reach added to root.

    seen[c] is twice the weight of weaker holes with card c, plus once that of the class at hand, less the total: a win counts
    2 - 1, a tie 1 - 1, a loss 0 - 1.
    """
    seen[:] = 0
    _add_entries(cells, 0, cells.group.shape[0], sums, theirs, e, seen, np.float32(-1))
    for cls in range(cells.classes.shape[0] - 1):
        start, end = cells.classes[cls], cells.classes[cls + 1]
        if end == start + 1:
            _only_cell(cells, start, e, stake, mine, theirs, sums, root, value, seen)
            continue
        _add_entries(cells, start, end, sums, theirs, e, seen, np.float32(1))
        for g in range(start, end):
            _value_of_cell(cells, g, e, stake, mine, root, value, seen)
        _add_entries(cells, start, end, sums, theirs, e, seen, np.float32(1))


@njit(cache=True)
def _fold(cells, e, stake, mine, theirs, sums, root, own, value, seen):
    """As `_showdown`, of folds: all holes that share no card are worth the stake, and the hole itself is counted back."""
    wide = seen.shape[1]
    seen[:] = 0
    _add_entries(cells, 0, cells.group.shape[0], sums, theirs, e, seen, np.float32(1))
    for g in range(cells.group.shape[0]):
        _value_of_cell(cells, g, e, stake, mine, root, value, seen)
        k = cells.first[g]
        for j in range(wide):
            value[g, e, j] += stake[e, j] * theirs[g, e, j] * sums[k, j]
        for j in range(wide):
            own[g, j] += stake[e, j] * theirs[g, e, j] * mine[g, e, j]


@njit(cache=True)
def _learn_river(shapes, shape, cells, columns, sums, chance, mine, value, regrets, averages):
    """Values of decisions from those of ends, for each cell; regrets and the actor's reach go to the river tables."""
    n_nodes, d0 = shapes.node_start[shape + 1] - shapes.node_start[shape], shapes.decision_start[shape]
    width = chance.shape[2]
    at, of_other, weight = np.empty(LANES, np.float32), np.empty(LANES, np.float32), np.empty(LANES, np.float32)
    for g in range(cells.group.shape[0]):
        k, group = cells.first[g], cells.group[g]
        for d in range(shapes.decision_start[shape + 1] - 1, d0 - 1, -1):
            first, n, above = shapes.first_child[d], shapes.n_children[d], shapes.node[d]
            who, other = shapes.actor[d], 1 - shapes.actor[d]
            for j in range(width):
                at[j] = of_other[j] = np.float32(0)
            for e in range(first, first + n):
                for j in range(width):
                    at[j] += chance[g, e, j] * value[g, e, who, j]
                for j in range(width):
                    of_other[j] += value[g, e, other, j]
            for j in range(width):
                weight[j] = sums[k, other, j] * mine[g, above, who, j]
            for e in range(first, first + n):  # a node's reach is needed no more: what goes to the tables takes its place
                for j in range(width):
                    mine[g, e, 0, j] = value[g, e, who, j] - at[j]
                for j in range(width):
                    mine[g, e, 1, j] = weight[j] * chance[g, e, j]
            for j in range(width):
                value[g, above, who, j] = at[j]
            for j in range(width):
                value[g, above, other, j] = of_other[j]
        for j in range(LANES):
            for e in range(n_nodes):
                regrets[group, columns[j] + np.uint32(e)] += mine[g, e, 0, j]
                averages[group, columns[j] + np.uint32(e)] += mine[g, e, 1, j]


@njit(cache=True)
def _sum_entries(cells, holes, player, sums):
    """Sum a player's reach of LANES roots, (PADDED, LANES), over each entry."""
    width = holes.shape[1]
    sums[: cells.card.shape[0], 1 - player] = 0
    for i in range(N_RIVER_HOLES):
        for n in range(3):
            k = cells.entries[i, n]
            for j in range(width):
                sums[k, 1 - player, j] += holes[i, j]


@njit(cache=True)
def _root_values(cells, root, own, player, holes):
    """Replace the opponent's reach of LANES roots, for each hole, by the roots' values to a player."""
    width = holes.shape[1]
    for i in range(N_RIVER_HOLES):
        g, a, b, c = cells.of_hole[i], cells.entries[i, 0], cells.entries[i, 1], cells.entries[i, 2]
        for j in range(width):
            holes[i, j] = own[g, player, j] * holes[i, j] + (root[a, player, j] - root[b, player, j] - root[c, player, j])


@njit(cache=True)
def _sweep_rivers(shapes, cells, block, ends, regrets, averages, scratch):
    """Sweep the LANES river subtrees of a block and update their tables.

    ends (n_columns, 2, N_TILES, TILE): reach of the roots; replaced by their values as `_replace_block` does.
    """
    column = block * LANES
    shape, columns = shapes.of_block[block], shapes.column[column : column + LANES]
    for player in range(2):
        _gather_lanes(ends, column, player, scratch.holes)
        _sum_entries(cells, scratch.holes, player, scratch.sums)
    _match(shapes, shape, cells, columns, regrets, scratch.chance)
    _reach(shapes, shape, cells.group.shape[0], scratch.chance, scratch.mine, scratch.theirs)
    wide, n_nodes = 2 * LANES, scratch.chance.shape[1]  # as many as the largest shape has
    sums, root, own = scratch.sums.reshape(-1, wide), scratch.root.reshape(-1, wide), scratch.own.reshape(-1, wide)
    stake, value = shapes.stake[block].reshape(-1, wide), scratch.value.reshape(-1, n_nodes, wide)
    mine, theirs = scratch.mine.reshape(-1, n_nodes, wide), scratch.theirs.reshape(-1, n_nodes, wide)
    seen = np.empty((54, wide), dtype=np.float32)
    root[: cells.card.shape[0]] = 0
    own[: cells.group.shape[0]] = 0
    first = shapes.node_start[shape]
    for e in range(shapes.node_start[shape + 1] - first):
        if shapes.kind[first + e] == SHOWDOWN:
            _showdown(cells, e, stake, mine, theirs, sums, root, value, seen)
        elif shapes.kind[first + e] == FOLD_END:
            _fold(cells, e, stake, mine, theirs, sums, root, own, value, seen)
    for player in range(2):
        _gather_lanes(ends, column, 1 - player, scratch.holes)
        _root_values(cells, scratch.root, scratch.own, player, scratch.holes)
        _scatter_lanes(scratch.holes, ends, column, 1 - player)
    _learn_river(shapes, shape, cells, columns, scratch.sums, scratch.chance, scratch.mine, scratch.value, regrets, averages)
