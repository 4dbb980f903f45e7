"""Self-play at the ends of hands and on the river, on cells of holes instead of holes.

Within a river subtree the holes of a cell (see holdem/board) play alike: their reach of a node is
their reach of the subtree's root times a product that belongs to the cell. The value of a node to a
hole of cards a and b is value(cell, 52) - value(cell, a) - value(cell, b), summed over the entries
of cells, where the hole itself drops out of showdowns (it would win half and lose half) and is
added back at folds. So holes are touched only at the root.

The two players lie side by side in the arrays of a block, (.., 2, LANES), so that one loop serves
both: reach is with the player whose it is, and values are with the player whose holes they are won
from.
"""

import numpy as np
from numba import njit

from faceup.cards.strength import N_RIVER_HOLES
from faceup.holdem.board import matched
from faceup.holdem.lanes import WIDE, add_wide, add_wide_product, product, subtract_wide
from faceup.holdem.river_subgames import LANES


@njit(cache=True)
def _match(block, row, chance):
    """Regret matching at every decision of a block: chance (n_nodes, LANES), by slot, from a row of
    the river's regrets.
    """
    total = np.empty(chance.shape[1], dtype=np.float32)
    for d in range(block.actor.shape[0]):
        first, end = block.first_child[d], block.first_child[d] + block.n_children[d]
        total[:] = 0
        for at in block.slot[first:end]:
            for j in range(block.node.shape[1]):
                chance[at, j] = max(row[block.node[at, j] - block.river], np.float32(0))
                total[j] += chance[at, j]
        for at in block.slot[first:end]:
            for j in range(total.shape[0]):
                chance[at, j] = matched(chance[at, j], total[j], end - first)


@njit(cache=True)
def _reach(block, chance, since):
    """Both players' reach of every node since the root: since (n_nodes, 2, LANES), by slot, chance
    (n_nodes, LANES).
    """
    since[block.slot[-1]] = 1
    for d in range(block.actor.shape[0]):
        above, who, other = block.decision[d], block.actor[d], 1 - block.actor[d]
        for at in block.slot[block.first_child[d] : block.first_child[d] + block.n_children[d]]:
            for j in range(chance.shape[1]):
                since[at, who, j] = since[above, who, j] * chance[at, j]
                since[at, other, j] = since[above, other, j]


@njit(cache=True)
def _add_cell(cells, g, sums, since, n, seen):
    """Add the reach of the first n ends, with the holes of a cell, to the sums of their cards, seen
    (53, n_ends, WIDE).
    """
    for k in range(cells.first[g], cells.first[g + 1]):
        for e in range(n):
            at = (cells.card[k] * seen.shape[1] + e) * WIDE
            add_wide_product(seen, at, since, (g * since.shape[1] + e) * WIDE, sums, k * WIDE)


@njit(cache=True)
def _add_all(cells, n_shown, sums, since, seen):
    """Sums of all holes by card: at folds as they are, at showdowns counted negative."""
    seen[:] = 0
    for g in range(cells.group.shape[0]):
        _add_cell(cells, g, sums, since, seen.shape[1], seen)
    seen[:, :n_shown] *= -1


@njit(cache=True)
def _learn_cell(block, sums, chance, since, value, regrets, averages):
    """Values of decisions from those of ends, for a cell; regrets and the actor's reach go to its
    rows of the tables.

    sums (2, LANES): reach of the root with all holes of the cell; value (n_nodes, 2, LANES).
    """
    for d in range(block.actor.shape[0] - 1, -1, -1):
        above, who, other = block.decision[d], block.actor[d], 1 - block.actor[d]
        below = block.slot[block.first_child[d] : block.first_child[d] + block.n_children[d]]
        value[above] = 0
        for at in below:
            for j in range(chance.shape[1]):
                value[above, other, j] += chance[at, j] * value[at, other, j]
                value[above, who, j] += value[at, who, j]
        for at in below:
            for j in range(block.node.shape[1]):
                regrets[block.node[at, j] - block.river] += (
                    value[at, other, j] - value[above, other, j]
                )
                averages[block.node[at, j] - block.river] += sums[who, j] * since[at, who, j]


@njit(cache=True, nogil=True)
def _sweep_block(block, cells, bundle, reach, value, regrets, averages):
    """Values of a block's roots, summed over the holes of bundles; tables learn from each cell.

    bundle (1081,): of each hole; reach, value (2, n_bundles, n_nodes): reach is each player's own.
    """
    n_cells, n_nodes, n_bundles, roots = (
        cells.group.shape[0],
        block.slot.shape[0],
        reach.shape[1],
        block.node[-1],
    )
    at_root = np.zeros((n_bundles, 2, LANES), dtype=np.float32)
    for player in range(2):
        for k in range(n_bundles):
            for j in range(roots.shape[0]):
                at_root[k, player, j] = reach[player, k, roots[j]]
    sums = np.zeros((cells.card.shape[0], 2, LANES), dtype=np.float32)
    for i in range(N_RIVER_HOLES):
        for entry in cells.entries[i]:
            add_wide(sums, entry * WIDE, at_root, bundle[i] * WIDE)
    chance = np.zeros((n_cells, n_nodes, block.stake.shape[2]), dtype=np.float32)
    since = np.empty((n_cells, n_nodes, 2, LANES), dtype=np.float32)
    for g in range(n_cells):
        _match(block, regrets[cells.group[g]], chance[g])
        _reach(block, chance[g], since[g])
    root, own = _sweep_cells(block, cells, sums, chance, since, regrets, averages)
    worth = np.zeros_like(at_root)
    for i in range(N_RIVER_HOLES):
        every, a, b = cells.entries[i]
        add_wide(worth, bundle[i] * WIDE, root, every * WIDE)
        subtract_wide(worth, bundle[i] * WIDE, root, a * WIDE)
        subtract_wide(worth, bundle[i] * WIDE, root, b * WIDE)
        add_wide_product(
            worth, bundle[i] * WIDE, own, cells.of_hole[i] * WIDE, at_root, bundle[i] * WIDE
        )
    for player in range(2):
        for k in range(n_bundles):
            for j in range(roots.shape[0]):
                value[1 - player, k, roots[j]] = worth[k, player, j]


@njit(cache=True)
def _sweep_cells(block, cells, sums, chance, since, regrets, averages):
    """Values of all ends to all cells, weakest first, and what each cell learns.

    seen[c], by end, is twice the weight of weaker holes with card c, plus once that of the class at
    hand, less the total: a win counts 2 - 1, a tie 1 - 1, a loss 0 - 1. At folds it is the weight
    of all holes with the card.

    Returns values of the roots, summed over ends: root (n_entries, 2, LANES), and what folds give
    back for the hole itself, own (n_cells, 2, LANES), for each unit of its reach.
    """
    n_shown, n_ends, n_cells, n_nodes = block.n_shown, block.n_ends, since.shape[0], since.shape[1]
    root, own = np.zeros_like(sums), np.zeros((n_cells, 2, LANES), dtype=np.float32)
    seen, weight = np.empty((53, n_ends, WIDE), np.float32), np.empty((n_ends, WIDE), np.float32)
    value = np.empty((n_nodes, 2, LANES), np.float32)
    won, stake = value[:n_ends].reshape(-1), block.stake.reshape(-1)
    _add_all(cells, n_shown, sums, since, seen)
    for cls in range(cells.classes.shape[0] - 1):
        first, last = cells.classes[cls], cells.classes[cls + 1]
        for g in range(first, last):
            _add_cell(cells, g, sums, since, n_shown, seen)
        for g in range(first, last):
            start = cells.first[g]
            # the reach of the player whom an end is worth something to, times the stake
            for e in range(n_ends):
                at = (g * n_nodes + e) * WIDE
                product(weight, e * WIDE, since, at + LANES, block.stake, e * WIDE)
                product(weight, e * WIDE + LANES, since, at, block.stake, e * WIDE + LANES)
            won[:] = 0
            for k in range(start, cells.first[g + 1]):
                _add_entry(cells.count[k], seen[cells.card[k]], won)
                for e in range(n_ends):
                    add_wide_product(
                        root, k * WIDE, weight, e * WIDE, seen, (cells.card[k] * n_ends + e) * WIDE
                    )
            for e in range(n_shown, n_ends):  # at folds the hole itself is counted back
                at = (g * n_nodes + e) * WIDE
                add_wide_product(value, e * WIDE, since, at, sums, start * WIDE)
                add_wide_product(own, g * WIDE, since, at, weight, e * WIDE)
            for x in range(won.shape[0]):
                won[x] *= stake[x]  # so far a cell's values were for a dollar
            _learn_cell(
                block,
                sums[start],
                chance[g],
                since[g],
                value,
                regrets[cells.group[g]],
                averages[cells.group[g]],
            )
        for g in range(first, last):
            _add_cell(cells, g, sums, since, n_shown, seen)
    return root, own


@njit(cache=True)
def _add_entry(count, seen, won):
    for e in range(seen.shape[0]):
        for x in range(seen.shape[1]):
            won[e * WIDE + x] += count * seen[e, x]
