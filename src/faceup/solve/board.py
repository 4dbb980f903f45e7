"""One board, all holes, all betting lines: the sweep under self-play, matches and best responses.

On a complete board the 1,081 possible holes are put in order of strength. A strategy on the board is, for each street, a table of
rows (one probability for each node that an action of the street leads to) and, for each hole, the row it uses: holes that
a strategy cannot tell apart share a row. One sweep goes down the tree (reach probabilities), over the ends of the hand
(values), and up again. At an end every hole meets all others, less those that share a card: with holes sorted by strength that takes
one running sum for the board and one for each card (Johanson et al. 2011), and the sums of 16 ends are kept side by side,
so that one vector instruction serves them all.

The tree is cut into parts at the start of chosen streets, and a part is swept as a whole while it is in the processor's
cache. Parts share no table entry, so that threads may take any part: no sum depends on their number.
"""

from typing import NamedTuple

import numpy as np
from numba import njit

from faceup.game.betting import DECISION, FOLD_END, SHOWDOWN, Tree
from faceup.game.cards import HOLE_CARDS
from faceup.game.strength import N_RIVER_HOLES, _river_order

LANES = 32  # ends swept together
TILE = 32  # holes that go down and up the tree together
N_TILES = -(-N_RIVER_HOLES // TILE)
PADDED = N_TILES * TILE  # 1,081 holes and 7 that nobody holds
N_PAIRS = N_RIVER_HOLES * 990  # ordered pairs of holes on a complete board
_LEAST_PART = 150  # nodes: smaller neighbouring subtrees are swept together


class Layout(NamedTuple):
    """A tree cut into parts, in the order and types that the sweep wants; `col` counts the ends of a part.

    A root is a decision at which a part begins; root 0 is the tree's. Decisions are ordered by part, street and node, and so
    are their numbers; the slot of a decision is its number less that of its part's first.
    """

    node: np.ndarray  # (n_decisions,) int32 node of each decision
    street: np.ndarray  # (n_decisions,) int8
    actor: np.ndarray  # (n_decisions,) int8
    first_child: np.ndarray  # (n_decisions,) int32
    n_children: np.ndarray  # (n_decisions,) int8
    root_of: np.ndarray  # (n_decisions,) int32 number of the root that this decision is, -1 elsewhere
    slot: np.ndarray  # (n_nodes,) int32 slot of a decision, column of an end
    decision: np.ndarray  # (n_nodes,) int32 number of a decision, -1 at ends
    root: np.ndarray  # (n_nodes,) int32 number of a root, -1 elsewhere
    parent: np.ndarray  # (n_nodes,) int32 number of the decision above, -1 at the root
    street_start: np.ndarray  # (5,) int32 as in Tree
    edge: np.ndarray  # (n_nodes,) int32 place among the nodes that its part's actions lead to
    edges: np.ndarray  # (n_parts, 4, 2) int32 nodes of each part that an action on each street leads to: first, end
    decisions: np.ndarray  # (n_parts, 2) int32 decisions of each part: first, end
    columns: np.ndarray  # (n_parts, 3) int32 first showdown, first fold, end: rows of `stake`, whole LANES each
    stake: np.ndarray  # (n_columns, 2) float32 dollars an end is worth to each player; 0 in the padding
    own_columns: np.ndarray  # (n_parts, 4, 2) int32 first of a part's decisions among its street's, and how many


def make_layout(tree: Tree, cuts: tuple[int, ...]) -> Layout:
    """Cut a tree at the start of the streets `cuts` (0 first). Raises ValueError on other cuts."""
    if not cuts or cuts[0] != 0 or list(cuts) != sorted(set(cuts)) or cuts[-1] > 3:
        raise ValueError(f"cuts {cuts}: expected ascending streets from 0 to 3 that begin with 0")
    part, n_parts = _parts(tree, cuts)
    n = len(tree.kind)
    nodes = np.flatnonzero(tree.kind == DECISION)
    nodes = nodes[np.lexsort((nodes, tree.street[nodes], part[nodes]))].astype(np.int32)
    decision = np.full(n, -1, dtype=np.int32)
    decision[nodes] = np.arange(len(nodes))
    bounds = np.searchsorted(part[nodes], np.arange(n_parts + 1)).astype(np.int32)
    slot = np.where(decision >= 0, decision - bounds[part], 0).astype(np.int32)
    columns, stake = _columns(tree, part, n_parts, slot)
    parent = np.where(tree.parent >= 0, decision[tree.parent], -1).astype(np.int32)
    is_root = (tree.kind == DECISION) & ((parent < 0) | (part != part[tree.parent]))
    root = np.full(n, -1, dtype=np.int32)
    root[is_root] = np.arange(is_root.sum())
    counts = np.zeros((n_parts, 4), dtype=np.int32)
    np.add.at(counts, (part[nodes], tree.street[nodes]), 1)
    own_columns = np.stack([counts.cumsum(axis=0) - counts, counts], axis=2).astype(np.int32)
    edges = _edges(tree, part, n_parts)
    edge = np.zeros(n, dtype=np.int32)
    for q in range(n_parts):
        inside = np.concatenate([np.arange(first, end) for first, end in edges[q]])
        edge[inside] = np.arange(len(inside))
    return Layout(
        nodes, tree.street[nodes], tree.actor[nodes], tree.first_child[nodes], tree.n_children[nodes], root[nodes],
        slot, decision, root, parent, tree.street_start, edge, edges,
        np.stack([bounds[:-1], bounds[1:]], axis=1), columns, stake, own_columns,
    )  # fmt: skip


def _parts(tree: Tree, cuts: tuple[int, ...]) -> tuple[np.ndarray, int]:
    """Part of each node: that of the node above, unless the node begins a cut street; small neighbours are joined."""
    part = np.zeros(len(tree.kind), dtype=np.int64)
    n_parts = 1
    for street in cuts[1:]:
        roots = [
            c for c in range(1, len(part))
            if tree.kind[c] == DECISION and tree.street[c] == street > tree.street[tree.parent[c]]
        ]  # fmt: skip
        last = min([s for s in cuts if s > street], default=4) - 1
        size = _LEAST_PART
        for c in roots:
            if size >= _LEAST_PART:
                n_parts, size = n_parts + 1, 0
            part[c] = n_parts - 1
            size += _size(tree, c, last)
    for c in range(1, len(part)):
        if part[c] == 0:
            part[c] = part[tree.parent[c]]
    return part, n_parts


def _size(tree: Tree, node: int, last_street: int) -> int:
    """Nodes below a decision that actions up to a street lead to."""
    count, queue = 0, [node]
    for above in queue:
        if tree.kind[above] == DECISION and tree.street[above] <= last_street:
            below = range(tree.first_child[above], tree.first_child[above] + tree.n_children[above])
            queue.extend(below)
            count += len(below)
    return count


def _edges(tree: Tree, part: np.ndarray, n_parts: int) -> np.ndarray:
    """First and last-plus-one node reached by an action on each street of each part (of the decision above)."""
    edges = np.zeros((n_parts, 4, 2), dtype=np.int32)
    above = tree.parent[1:]
    for q in range(n_parts):
        for s in range(4):
            inside = np.flatnonzero((part[above] == q) & (tree.street[above] == s)) + 1
            if len(inside):
                edges[q, s] = inside[0], inside[-1] + 1
                assert len(inside) == edges[q, s, 1] - edges[q, s, 0]
    return edges


def _columns(tree: Tree, part: np.ndarray, n_parts: int, slot: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Number the ends of each part (into slot), showdowns first; stakes of all columns."""
    columns = np.zeros((n_parts, 3), dtype=np.int32)
    stakes = [np.zeros((0, 2), dtype=np.float32)]
    n_columns = 0
    for q in range(n_parts):
        columns[q, 0] = n_columns
        for i, kind in enumerate((SHOWDOWN, FOLD_END)):
            nodes = np.flatnonzero((tree.kind == kind) & (part == q))
            slot[nodes] = n_columns - columns[q, 0] + np.arange(len(nodes))
            stake = np.zeros((-(-len(nodes) // LANES) * LANES, 2), dtype=np.float32)
            stake[: len(nodes)] = _stakes(tree, nodes)
            stakes.append(stake)
            n_columns += len(stake)
            columns[q, 1 + i] = n_columns
    return columns, np.concatenate(stakes)


def _stakes(tree: Tree, nodes: np.ndarray) -> np.ndarray:
    """Dollars that a showdown's winner takes from the other; at a fold what each player gains or loses. (n, 2)"""
    put = tree.bets[nodes].sum(axis=2)
    if len(nodes) and tree.kind[nodes[0]] == SHOWDOWN:
        return put.min(axis=1, keepdims=True).repeat(2, axis=1)
    folded = tree.actor[nodes]
    lost = put[np.arange(len(nodes)), folded]
    return np.stack([np.where(folded == 0, -lost, lost), np.where(folded == 1, -lost, lost)], axis=1)


class BoardOrder(NamedTuple):
    """The holes of a river board by strength."""

    holes: np.ndarray  # (1081,) int16, weakest first
    class_start: np.ndarray  # (n_classes + 1,) int32


def board_order(board: np.ndarray) -> BoardOrder:
    """Holes of a five-card board in order of strength. Raises ValueError on anything but five distinct cards."""
    cards = np.asarray(board, dtype=np.int64)
    if len(cards) != 5 or len(set(cards.tolist())) != 5:
        raise ValueError(f"board {cards.tolist()}: expected five distinct cards")
    holes = np.empty(N_RIVER_HOLES, dtype=np.int16)
    class_start = np.empty(161, dtype=np.int32)
    n_classes = _river_order(cards, holes, class_start)
    return BoardOrder(holes, class_start[: n_classes + 1].copy())


class Scratch(NamedTuple):
    """What a thread writes while it sweeps a part; made with one more axis in front, the thread."""

    ends: np.ndarray  # (most_columns, 2, N_TILES, TILE) float32 a player's reach, then the other's value
    block: np.ndarray  # (2, PADDED, LANES) float32 reach and values of the ends at hand
    values: np.ndarray  # (2, most_decisions, TILE) float32 reach on the way down, value on the way up
    row: np.ndarray  # (most_edges, TILE) float32 each hole's probabilities
    gain: np.ndarray  # (most_edges, TILE) float32 each hole's reach of decisions, then its regrets


def make_scratch(layout: Layout, n: int) -> Scratch:
    """Arrays for n threads, large enough for any part of a layout."""
    columns = int((layout.columns[:, 2] - layout.columns[:, 0]).max())
    most = int((layout.decisions[:, 1] - layout.decisions[:, 0]).max())
    edges = int((layout.edges[:, :, 1] - layout.edges[:, :, 0]).sum(axis=1).max())
    return Scratch(
        np.zeros((n, columns, 2, N_TILES, TILE), dtype=np.float32),
        np.zeros((n, 2, PADDED, LANES), dtype=np.float32),
        np.zeros((n, 2, most, TILE), dtype=np.float32),
        np.zeros((n, edges, TILE), dtype=np.float32),
        np.zeros((n, edges, TILE), dtype=np.float32),
    )


@njit(cache=True)
def _scratch_of(scratch, i):
    return Scratch(scratch.ends[i], scratch.block[i], scratch.values[i], scratch.row[i], scratch.gain[i])


@njit(cache=True)
def _fetch_rows(edges, width_start, s, rows, tile, offset, row):
    """Copy each hole's probabilities on one street of a part, where the processor finds them next to each other."""
    n = edges[1] - edges[0]
    first = edges[0] - width_start
    for j in range(TILE):
        source, out = s[rows[tile, j], first : first + n], row[offset : offset + n]
        for c in range(n):
            out[c, j] = source[c]
    return offset + n


@njit(cache=True)
def _add_rows(first, n, gain, rows, tile, offset, sums):
    """Add n of each hole's gains to its row of sums, from column `first` on."""
    for j in range(TILE):
        source, out = gain[offset : offset + n], sums[rows[tile, j], first : first + n]
        for c in range(n):
            out[c] += source[c, j]
    return offset + n


@njit(cache=True)
def _down(layout, part, s0, s1, s2, s3, rows, root_reach, scratch, d0, d1, d2, d3, add_reach):
    """Reach of every end and root that a part leads to, from the reach of its own roots.

    s0..s3 (n_rows, width) float32 probability of each action of a street; rows (4, N_TILES, TILE) uint32 each hole's row;
    root_reach (2, n_roots, N_TILES, TILE) read at the part's roots, written at those it leads to. Fills scratch.ends. Where
    add_reach is set, d0..d3 (n_rows, n_decisions of the street) gain the actor's own reach of each decision.
    """
    slot, parent, root, decision, edge = layout.slot, layout.parent, layout.root, layout.decision, layout.edge
    actor, edges, start, root_of = layout.actor, layout.edges[part], layout.street_start, layout.root_of
    first, end = layout.decisions[part, 0], layout.decisions[part, 1]
    r, ends, row, gain = scratch.values, scratch.ends, scratch.row, scratch.gain
    width = row.shape[1]  # TILE, but not known to the compiler: it then vectorises the loops instead of unrolling them
    for tile in range(N_TILES):
        offset = _fetch_rows(edges[0], start[0], s0, rows[0], tile, 0, row)
        offset = _fetch_rows(edges[1], start[1], s1, rows[1], tile, offset, row)
        offset = _fetch_rows(edges[2], start[2], s2, rows[2], tile, offset, row)
        offset = _fetch_rows(edges[3], start[3], s3, rows[3], tile, offset, row)
        for d in range(first, end):
            if root_of[d] >= 0:
                for j in range(width):
                    r[0, d - first, j] = root_reach[0, root_of[d], tile, j]
                    r[1, d - first, j] = root_reach[1, root_of[d], tile, j]
        for street in range(4):
            for c in range(edges[street, 0], edges[street, 1]):
                above, who = parent[c] - first, actor[parent[c]]
                other, e, d = 1 - who, edge[c], decision[c]
                if d < 0:
                    for j in range(width):
                        ends[slot[c], who, tile, j] = r[who, above, j] * row[e, j]
                    for j in range(width):
                        ends[slot[c], other, tile, j] = r[other, above, j]
                elif root[c] >= 0:
                    for j in range(width):
                        root_reach[who, root[c], tile, j] = r[who, above, j] * row[e, j]
                        root_reach[other, root[c], tile, j] = r[other, above, j]
                else:
                    for j in range(width):
                        r[who, d - first, j] = r[who, above, j] * row[e, j]
                        r[other, d - first, j] = r[other, above, j]
        if add_reach:
            for d in range(first, end):
                for j in range(width):
                    gain[d - first, j] = r[actor[d], d - first, j]
            columns = layout.own_columns[part]
            offset = _add_rows(columns[0, 0], columns[0, 1], gain, rows[0], tile, 0, d0)
            offset = _add_rows(columns[1, 0], columns[1, 1], gain, rows[1], tile, offset, d1)
            offset = _add_rows(columns[2, 0], columns[2, 1], gain, rows[2], tile, offset, d2)
            offset = _add_rows(columns[3, 0], columns[3, 1], gain, rows[3], tile, offset, d3)


@njit(cache=True)
def _add_holes(holes, start, end, reach, seen, sign):
    """Add holes' weights, (n, LANES), to the sums of their two cards and (row 52) of all."""
    lanes = reach.shape[1]
    for i in range(start, end):
        a, b = HOLE_CARDS[holes[i], 0], HOLE_CARDS[holes[i], 1]
        for j in range(lanes):
            x = sign * reach[i, j]
            seen[a, j] += x
            seen[b, j] += x
            seen[52, j] += x


@njit(cache=True)
def _showdown_block(holes, class_start, reach, stake, value):
    """Value of LANES showdowns to every hole: stake * (weight of weaker holes - weight of stronger ones).

    seen[c] is twice the weight of weaker holes with card c, plus once that of the class at hand, less the total: a
    win counts 2 - 1, a tie 1 - 1, a loss 0 - 1. The hole itself shares both its cards with itself, and drops out of the difference.
    """
    lanes = reach.shape[1]
    seen = np.zeros((53, lanes), dtype=np.float32)
    _add_holes(holes, 0, holes.shape[0], reach, seen, np.float32(-1))
    for k in range(class_start.shape[0] - 1):
        start, end = class_start[k], class_start[k + 1]
        _add_holes(holes, start, end, reach, seen, np.float32(1))
        for i in range(start, end):
            a, b = HOLE_CARDS[holes[i], 0], HOLE_CARDS[holes[i], 1]
            for j in range(lanes):
                value[i, j] = stake[j] * (seen[52, j] - seen[a, j] - seen[b, j])
        _add_holes(holes, start, end, reach, seen, np.float32(1))


@njit(cache=True)
def _fold_block(holes, reach, stake, value):
    """Value of LANES folds to every hole: stake times the weight of the opponent's holes that share no card with it."""
    lanes = reach.shape[1]
    seen = np.zeros((53, lanes), dtype=np.float32)
    _add_holes(holes, 0, holes.shape[0], reach, seen, np.float32(1))
    for i in range(holes.shape[0]):
        a, b = HOLE_CARDS[holes[i], 0], HOLE_CARDS[holes[i], 1]
        for j in range(lanes):
            value[i, j] = stake[j] * (seen[52, j] - seen[a, j] - seen[b, j] + reach[i, j])


@njit(cache=True)
def _block_values(holes, class_start, theirs, stake, is_showdown, values):
    """Values (PADDED, LANES) of LANES ends to one player, given the other's reach of them, theirs (PADDED, LANES)."""
    if is_showdown:
        _showdown_block(holes, class_start, theirs, stake, values)
    else:
        _fold_block(holes, theirs, stake, values)


@njit(cache=True)
def _gather_lanes(ends, column, player, out):
    """out (PADDED, LANES) = a player's entries in LANES columns of ends."""
    for j in range(LANES):
        source = ends[column + j, player].reshape(PADDED)
        for i in range(PADDED):
            out[i, j] = source[i]


@njit(cache=True)
def _values_of_ends(layout, part, holes, class_start, scratch, player):
    """Replace the opponent's reach of a part's ends, scratch.ends[:, 1 - player], by the ends' values to a player."""
    start, folds, end = layout.columns[part, 0], layout.columns[part, 1], layout.columns[part, 2]
    theirs, values = scratch.block[0], scratch.block[1]
    for column in range(start, end, LANES):
        stake = layout.stake[column : column + LANES, player].copy()
        _gather_lanes(scratch.ends, column - start, 1 - player, theirs)
        _block_values(holes, class_start, theirs, stake, column < folds, values)
        for j in range(LANES):
            out = scratch.ends[column - start + j, 1 - player].reshape(PADDED)
            for i in range(PADDED):
                out[i] = values[i, j]


@njit(cache=True)
def _up(layout, part, s0, s1, s2, s3, rows, root_value, scratch, g0, g1, g2, g3, add_regret):
    """Values of a part's roots to both players from those of its ends and of the roots it leads to.

    Arguments as in `_down`; scratch.ends[:, 1 - p] holds values to player p. Where add_regret is set, g0..g3 (n_rows, width) gain each
    action's value less the decision's, to the player who decides.
    """
    slot, root, decision, edge = layout.slot, layout.root, layout.decision, layout.edge
    actor, edges, start, root_of = layout.actor, layout.edges[part], layout.street_start, layout.root_of
    first_child, n_children = layout.first_child, layout.n_children
    first, end = layout.decisions[part, 0], layout.decisions[part, 1]
    v, ends, row, gain = scratch.values, scratch.ends, scratch.row, scratch.gain
    child = np.empty((16, TILE), dtype=np.float32)
    mine, theirs = np.empty(TILE, dtype=np.float32), np.empty(TILE, dtype=np.float32)
    width = row.shape[1]
    for tile in range(N_TILES):
        offset = _fetch_rows(edges[0], start[0], s0, rows[0], tile, 0, row)
        offset = _fetch_rows(edges[1], start[1], s1, rows[1], tile, offset, row)
        offset = _fetch_rows(edges[2], start[2], s2, rows[2], tile, offset, row)
        offset = _fetch_rows(edges[3], start[3], s3, rows[3], tile, offset, row)
        for d in range(end - 1, first - 1, -1):
            who, n, below = actor[d], n_children[d], first_child[d]
            other, e = 1 - who, edge[below]
            for j in range(width):
                mine[j] = theirs[j] = np.float32(0)
            for a in range(n):
                c = below + a
                if decision[c] < 0:
                    for j in range(width):
                        child[a, j] = ends[slot[c], other, tile, j]
                    for j in range(width):
                        theirs[j] += ends[slot[c], who, tile, j]
                elif root[c] >= 0:
                    for j in range(width):
                        child[a, j] = root_value[who, root[c], tile, j]
                        theirs[j] += root_value[other, root[c], tile, j]
                else:
                    for j in range(width):
                        child[a, j] = v[who, decision[c] - first, j]
                        theirs[j] += v[other, decision[c] - first, j]
                for j in range(width):
                    mine[j] += row[e + a, j] * child[a, j]
            for j in range(width):
                v[who, d - first, j] = mine[j]
                v[other, d - first, j] = theirs[j]
            if add_regret:
                for a in range(n):
                    for j in range(width):
                        gain[e + a, j] = child[a, j] - mine[j]
            if root_of[d] >= 0:
                for j in range(width):
                    root_value[0, root_of[d], tile, j] = v[0, d - first, j]
                    root_value[1, root_of[d], tile, j] = v[1, d - first, j]
        if add_regret:
            widths = edges[:, 1] - edges[:, 0]
            offset = _add_rows(edges[0, 0] - start[0], widths[0], gain, rows[0], tile, 0, g0)
            offset = _add_rows(edges[1, 0] - start[1], widths[1], gain, rows[1], tile, offset, g1)
            offset = _add_rows(edges[2, 0] - start[2], widths[2], gain, rows[2], tile, offset, g2)
            offset = _add_rows(edges[3, 0] - start[3], widths[3], gain, rows[3], tile, offset, g3)
