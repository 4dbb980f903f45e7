"""River betting in self-play, on cells of holes instead of holes.

Within a river subtree the holes of a cell (see holdem/board) play alike: their reach of a node is their reach of the subtree's
root times a product that belongs to the cell. The value of a node to a hole of cards a and b is value(cell, 52) -
value(cell, a) - value(cell, b), summed over the entries of cells, where the hole itself drops out of showdowns (it would win
half and lose half) and is added back at folds. So holes are touched only at the root, where they lie by `Kin`.
"""

from typing import NamedTuple

import numpy as np
from numba import njit

from faceup.cards.strength import N_RIVER_HOLES
from faceup.holdem.board import N_ENTRIES, PADDED, _gather_lanes, _scatter_lanes
from faceup.holdem.lanes import WIDE, add, add_wide_product, copy, product
from faceup.holdem.layout import LANES


class RiverScratch(NamedTuple):
    """What a thread writes while it sweeps LANES river subtrees.

    The two players lie side by side in the last two axes, so that one loop serves both: reach is with the player whose it is, and
    values are with the player whose holes they are won from. Nodes are in the order of slots.
    """

    kin: np.ndarray  # (PADDED, LANES) float32 a player's reach of the roots, for each kin
    worth: np.ndarray  # (PADDED, LANES) float32 their values to the other player, summed over the holes of each kin
    sums: np.ndarray  # (N_ENTRIES, 2, LANES) float32 reach of the roots, summed over each entry
    root: np.ndarray  # (N_ENTRIES, 2, LANES) float32 values of the roots to the other player
    own: np.ndarray  # (N_RIVER_HOLES, 2, LANES) float32 what folds give back for the hole itself
    chance: np.ndarray  # (N_RIVER_HOLES, most_nodes, LANES) float32 probability of the action that leads to a node
    reach: np.ndarray  # (N_RIVER_HOLES, most_nodes, 2, LANES) float32 product of a player's chances since the root
    value: np.ndarray  # (most_nodes, 2, LANES) float32 value of each node to the cell at hand, summed over its holes


@njit(cache=True)
def _new_river_scratch(shapes):
    nodes, width = 1 + shapes.stake.shape[1], shapes.stake.shape[3]  # LANES, but not known to the compiler: see board
    return RiverScratch(
        np.empty((PADDED, width), np.float32), np.empty((PADDED, width), np.float32),
        np.empty((N_ENTRIES, 2, width), np.float32), np.empty((N_ENTRIES, 2, width), np.float32),
        np.empty((N_RIVER_HOLES, 2, width), np.float32), np.empty((N_RIVER_HOLES, nodes, width), np.float32),
        np.empty((N_RIVER_HOLES, nodes, 2, width), np.float32), np.empty((nodes, 2, width), np.float32),
    )  # fmt: skip


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
def _reach(shapes, shape, chance, row, reach, g):
    """Both players' reach of every node of LANES subtrees since the root, for a cell.

    chance (rows, width): of each action, by slot, from the offset `row` on; reach (cells, nodes, 2, LANES).
    """
    first, base = shapes.node_start[shape], g * reach.shape[1]
    reach[g, shapes.node_start[shape + 1] - first] = 1  # the root
    for d in range(shapes.decision_start[shape], shapes.decision_start[shape + 1]):
        above, who, other = (base + shapes.slot_of[d]) * 2, shapes.actor[d], 1 - shapes.actor[d]
        start = first + shapes.first_child[d]
        for c in range(start, start + shapes.n_children[d]):
            e = shapes.slot[c]
            at = (base + e) * 2
            product(reach, (at + who) * LANES, chance, row + e * LANES, reach, (above + who) * LANES)
            copy(reach, (at + other) * LANES, reach, (above + other) * LANES)


# All ends of a subtree are swept at once: an array over (end, player, lane) is a row of some hundred numbers. Loops over more
# than a few arrays are split: the compiler gives up on proving more of them apart, and would not vectorise them.


@njit(cache=True)
def _add_cell(cells, g, sums, reach, n, n_ends, seen):
    """Add the reach of the first n ends, with the holes of a cell, to the sums of their cards, seen (53, n_ends * WIDE)."""
    base = g * reach.shape[1]
    for k in range(cells.first[g], cells.first[g + 1]):
        for e in range(n):
            add_wide_product(seen, (cells.card[k] * n_ends + e) * WIDE, reach, (base + e) * WIDE, sums, k * WIDE)


@njit(cache=True)
def _add_all(cells, n_showdowns, n_ends, sums, reach, seen):
    """Sums of all holes by card: at folds as they are, at showdowns counted negative."""
    seen[:] = 0
    for g in range(cells.group.shape[0]):
        _add_cell(cells, g, sums, reach, n_ends, n_ends, seen)
    for c in range(seen.shape[0]):
        for x in range(n_showdowns * WIDE):
            seen[c, x] = -seen[c, x]


@njit(cache=True)
def _add_entry(count, at, value):
    for x in range(value.shape[0]):
        value[x] += count * at[x]


@njit(cache=True)
def _learn_cell(shapes, shape, sums, chance, reach, value, regrets, averages):
    """Values of decisions from those of ends, for a cell; regrets and the actor's reach go to its rows of the tables.

    sums (2, LANES): reach of the root with all holes of the cell; regrets, averages (nodes, LANES).
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
def _root_values(cells, kin_of_hole, reach, root, own, player, worth):
    """Values of LANES roots to a player's opponent, from the player's reach of them: worth (PADDED, LANES), summed by kin."""
    width = reach.shape[1]
    worth[:] = 0
    for i in range(N_RIVER_HOLES):
        k, g, a, b, c = kin_of_hole[i], cells.of_hole[i], cells.entries[i, 0], cells.entries[i, 1], cells.entries[i, 2]
        for j in range(width):
            worth[k, j] += own[g, player, j] * reach[k, j] + (root[a, player, j] - root[b, player, j] - root[c, player, j])


@njit(cache=True)
def _sweep_rivers(shapes, cells, kin, block, ends, regrets, averages, scratch):
    """Sweep the LANES river subtrees of a block, and update their tables.

    ends (n_columns, 2, N_TILES, TILE): each kin's reach of the roots; replaced by their values as `_replace_block` does.
    """
    column, begin, end = block * LANES, shapes.begin[block], shapes.begin[block + 1]
    shape, n_tiles = shapes.of_block[block], kin.count.shape[0]
    n_nodes, chance = (end - begin) // LANES, scratch.chance.reshape(scratch.chance.shape[0], -1)
    for player in range(2):
        _gather_lanes(ends, column, player, n_tiles, scratch.kin)
        scratch.sums[: cells.card.shape[0], player] = 0
        for i in range(N_RIVER_HOLES):
            for n in range(3):
                add(scratch.sums, (cells.entries[i, n] * 2 + player) * LANES, scratch.kin, kin.of_hole[i] * LANES)
    for g in range(cells.group.shape[0]):
        scratch.chance[g, :n_nodes] = regrets[cells.group[g]][begin:end].reshape(n_nodes, LANES)
        _match(shapes, shape, scratch.chance[g])
        _reach(shapes, shape, chance, g * chance.shape[1], scratch.reach, g)
    _sweep_cells(shapes, shape, cells, begin, end, shapes.stake[block], regrets, averages, scratch)
    for player in range(2):
        _gather_lanes(ends, column, player, n_tiles, scratch.kin)
        _root_values(cells, kin.of_hole, scratch.kin, scratch.root, scratch.own, player, scratch.worth)
        _scatter_lanes(scratch.worth, ends, column, player, n_tiles)


@njit(cache=True)
def _sweep_cells(shapes, shape, cells, begin, end, stake, regrets, averages, scratch):
    """Values of all ends to all cells, weakest first, and what each cell learns.

    seen[c], by end, is twice the weight of weaker holes with card c, plus once that of the class at hand, less the total: a win
    counts 2 - 1, a tie 1 - 1, a loss 0 - 1. At folds it is the weight of all holes with the card.
    """
    n_showdowns, n_ends = shapes.ends[shape]
    reach, sums, value, root, own = scratch.reach, scratch.sums, scratch.value, scratch.root, scratch.own
    by_end, size = reach.reshape(reach.shape[0], -1, WIDE), n_ends * WIDE
    flat_value, flat_stake = value.reshape(-1)[:size], stake.reshape(-1)[:size]
    seen, weight = np.empty((53, size), np.float32), np.empty(size, np.float32)
    root[: cells.card.shape[0]] = 0
    own[: cells.group.shape[0]] = 0
    _add_all(cells, n_showdowns, n_ends, sums, by_end, seen)
    for cls in range(cells.classes.shape[0] - 1):
        first, last = cells.classes[cls], cells.classes[cls + 1]
        for g in range(first, last):
            _add_cell(cells, g, sums, by_end, n_showdowns, n_ends, seen)
        for g in range(first, last):
            at = g * by_end.shape[1]
            for e in range(n_ends):  # with the reach of the player whom an end is worth something to, and the stake
                product(weight, e * WIDE, reach, (at + e) * WIDE + LANES, stake, e * WIDE)
                product(weight, e * WIDE + LANES, reach, (at + e) * WIDE, stake, e * WIDE + LANES)
            flat_value[:] = 0
            for k in range(cells.first[g], cells.first[g + 1]):
                _add_entry(cells.count[k], seen[cells.card[k]], flat_value)
                for e in range(n_ends):
                    add_wide_product(root, k * WIDE, weight, e * WIDE, seen, (cells.card[k] * n_ends + e) * WIDE)
            for e in range(n_showdowns, n_ends):  # at folds the hole itself is counted back
                add_wide_product(value, e * WIDE, reach, (at + e) * WIDE, sums, cells.first[g] * WIDE)
                add_wide_product(own, g * WIDE, reach, (at + e) * WIDE, weight, e * WIDE)
            for x in range(size):
                flat_value[x] *= flat_stake[x]  # so far a cell's values were for a dollar
            rows = regrets[cells.group[g]][begin:end].reshape(-1, LANES), averages[cells.group[g]][begin:end].reshape(-1, LANES)
            _learn_cell(shapes, shape, sums[cells.first[g]], scratch.chance[g], reach[g], value, *rows)
        for g in range(first, last):
            _add_cell(cells, g, sums, by_end, n_showdowns, n_ends, seen)
