"""One board, all holes, all betting lines: the sweep under self-play, matches and best responses.

On a complete board the 1,081 possible holes are put in order of strength. A strategy on the board is, for each street, a table of
rows (one probability for each node that an action of the street leads to) and, for each hole, the row it uses: holes that
a strategy cannot tell apart share a row. One sweep goes down the tree (reach probabilities), over the ends of the hand
(values), and up again. At an end every hole meets all others, less those that share a card: with holes sorted by strength that
takes one running sum for the board and one for each card (Johanson et al. 2011), and the sums of 32 ends are kept side by side,
so that one vector instruction serves them all.

On a complete board a river strategy knows a hole by its equity alone. Holes of one strength and one equity form a cell, about
a hundred of them where there are 1,081 holes. What card removal needs of the holes are sums over a cell, and over those of its
holes that have a certain card: an entry is such a pair of cell and card (card 52 stands for all holes), some 750 a board.
"""

from typing import NamedTuple

import numpy as np
from numba import njit

from faceup.cards.cards import HOLE_CARDS
from faceup.cards.strength import N_RIVER_HOLES, _river_order
from faceup.holdem.layout import LANES, stakes_at
from faceup.holdem.rules import FOLD_END, SHOWDOWN
from faceup.holdem.tree import BettingTree


@njit(cache=True, error_model="numpy")  # where the total is 0 the quotient is not used
def matched(regret, total, n_actions):
    """Probability of an action: max(regret, 0) / total, where the positive regrets of its n_actions sum to total; even at 0."""
    return max(regret, np.float32(0)) / total if total > 0 else np.float32(1) / np.float32(n_actions)


TILE = 32  # holes, or kin, that go down and up the tree together
N_TILES = -(-N_RIVER_HOLES // TILE)
PADDED = N_TILES * TILE  # 1,081 holes and 7 that nobody holds
N_PAIRS = N_RIVER_HOLES * 990  # ordered pairs of holes on a complete board
N_ENTRIES = 3 * N_RIVER_HOLES  # at most
ALL = 52  # the card of the entry that all holes of a cell belong to


class BoardOrder(NamedTuple):
    """The holes of a river board by strength."""

    holes: np.ndarray  # (1081,) int16, weakest first
    class_start: np.ndarray  # (n_classes + 1,) int32


def board_order(board: np.ndarray) -> BoardOrder:
    """Holes of a five-card board in order of strength. Raises ValueError on anything but five distinct cards."""
    cards = np.asarray(board, dtype=np.int64)
    if len(cards) != 5 or len(set(cards.tolist())) != 5:
        raise ValueError(f"board {cards.tolist()}: expected five distinct cards")
    return _order(cards)


@njit(cache=True)
def _order(board):
    holes, class_start = np.empty(N_RIVER_HOLES, np.int16), np.empty(161, np.int32)
    n_classes = _river_order(board, holes, class_start)
    return BoardOrder(holes, class_start[: n_classes + 1])


class Cells(NamedTuple):
    """The cells of a board, weakest first, and their entries; card ALL is the first entry of each cell."""

    of_hole: np.ndarray  # (1081,) int32 cell of each hole, in the order of `BoardOrder.holes`
    entries: np.ndarray  # (1081, 3) int32 a hole's entries: all, its higher card, its lower card
    group: np.ndarray  # (n_cells,) int32 2 * wins + ties of its holes
    first: np.ndarray  # (n_cells + 1,) int32 first entry of each cell
    card: np.ndarray  # (n_entries,) int32 0..51, or ALL
    count: np.ndarray  # type: ignore[assignment]  # (n_entries,) float32 how many holes; negative where not ALL
    classes: np.ndarray  # (n_classes + 1,) int64 first cell of each strength


@njit(cache=True)
def make_cells(order: BoardOrder, equity: np.ndarray) -> Cells:
    """Cells of a board, from the equity, 2 * wins + ties, of each of the 1,326 holes."""
    holes, class_start = order
    of_hole, entries = np.full(N_RIVER_HOLES, -1, np.int32), np.empty((N_RIVER_HOLES, 3), np.int32)
    group, first = np.empty(N_RIVER_HOLES, np.int32), np.empty(N_RIVER_HOLES + 1, np.int32)
    card, count = np.empty(N_ENTRIES, np.int32), np.zeros(N_ENTRIES, np.float32)
    classes, entry_of = np.empty(class_start.shape[0], np.int64), np.full(53, -1, np.int32)
    n, k = 0, 0
    first[0] = classes[0] = 0
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
    return Cells(of_hole, entries, group[:n], first[: n + 1], card[:k], count[:k], classes)


class Kin(NamedTuple):
    """Holes of a board that are played alike on all streets that are swept: they go down and up the tree as one."""

    of_hole: np.ndarray  # (1081,) int32 number of each hole's kin, in the order of `BoardOrder.holes`
    count: np.ndarray  # type: ignore[assignment]  # (n_tiles, TILE) float32 how many holes each kin has; 0 in the padding


class Scratch(NamedTuple):
    """What a thread writes while it sweeps a part."""

    ends: np.ndarray  # (n_columns, 2, N_TILES, TILE) float32 a player's reach, then the other's value; one for all threads
    values: np.ndarray  # (2, most_decisions, TILE) float32 reach on the way down, value on the way up
    row: np.ndarray  # (most_edges, TILE) float32 each kin's probabilities
    gain: np.ndarray  # (most_edges, TILE) float32 each kin's reach of decisions, then its regrets


@njit(cache=True)
def _new_scratch(layout, ends):
    """Arrays large enough for any part of a layout."""
    most = np.int64((layout.decisions[:, 1] - layout.decisions[:, 0]).max())
    edges = np.int64((layout.edges[:, :, 1] - layout.edges[:, :, 0]).sum(axis=1).max())
    width = ends.shape[3]  # TILE, but not known to the compiler: it then vectorises loops instead of unrolling them
    values, row = np.empty((2, most, width), np.float32), np.empty((edges, width), np.float32)
    return Scratch(ends, values, row, np.empty_like(row))


@njit(cache=True)
def _fetch_streets(first, count, strategy, rows, tile, row):
    """Copy each kin's probabilities on three streets to row (n, TILE), where the processor finds them next to each other.

    first, count (4,): the columns of each street's table, those of one street after those of another in `row`.
    """
    offset = 0
    for street in range(3):
        start, n = first[street], count[street]
        source, of_kin, out = strategy[street][:, start : start + n], rows[street, tile], row[offset : offset + n]
        for c in range(n):
            for j in range(TILE):
                out[c, j] = source[of_kin[j], c]
        offset += n


@njit(cache=True)
def _add_streets(first, count, gain, rows, tile, sums):
    """Add each kin's gains (n, TILE) to its rows of sums on three streets; first, count: as for `_fetch_streets`."""
    offset = 0
    for street in range(3):
        start, n = first[street], count[street]
        for j in range(TILE):
            out = sums[street][rows[street, tile, j], start : start + n]
            for c in range(n):
                out[c] += gain[offset + c, j]
        offset += n


@njit(cache=True)
def _down(layout, part, strategy, rows, root_reach, scratch, count, own_reach):
    """Reach of every end and root that a part leads to, from the reach of its own roots.

    The tree has no river betting (`before_river`), so that all is in three streets: strategy, three of (n_rows, width) float32,
    the probability of each action; rows (3, n_tiles, TILE) uint32 each kin's row. root_reach (2, n_roots, N_TILES, TILE) is read
    at the part's roots, written at those it leads to. Fills scratch.ends, and adds to own_reach, three of (n_rows, n_decisions
    of the street), the actor's own reach of each decision, counted once for each hole of a kin, count (n_tiles, TILE) of them.
    """
    slot, parent, root, decision, edge = layout.slot, layout.parent, layout.root, layout.decision, layout.edge
    actor, edges, root_of = layout.actor, layout.edges[part], layout.root_of
    first, end, own = layout.decisions[part, 0], layout.decisions[part, 1], layout.own_columns[part]
    columns = edges[:, 0] - layout.street_start[:-1], edges[:, 1] - edges[:, 0]
    r, ends, row, gain = scratch.values, scratch.ends, scratch.row, scratch.gain
    width = row.shape[1]
    for tile in range(rows.shape[1]):
        _fetch_streets(*columns, strategy, rows, tile, row)
        for d in range(first, end):
            if root_of[d] >= 0:
                for j in range(width):
                    r[0, d - first, j] = root_reach[0, root_of[d], tile, j]
                    r[1, d - first, j] = root_reach[1, root_of[d], tile, j]
        for street in range(3):
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
        for d in range(first, end):
            for j in range(width):
                gain[d - first, j] = r[actor[d], d - first, j] * count[tile, j]
        _add_streets(own[:, 0].copy(), own[:, 1].copy(), gain, rows, tile, own_reach)


@njit(cache=True)
def _add_holes(holes, kin_of_hole, reach, seen, sign):
    """Add holes' weights, (n, LANES) by kin, to the sums of their two cards and (row 52) of all."""
    lanes = reach.shape[1]
    for i in range(holes.shape[0]):
        k, a, b = kin_of_hole[i], HOLE_CARDS[holes[i], 0], HOLE_CARDS[holes[i], 1]
        for j in range(lanes):
            x = sign * reach[k, j]
            seen[a, j] += x
            seen[b, j] += x
            seen[52, j] += x


@njit(cache=True)
def _showdown_block(holes, class_start, kin_of_hole, reach, stake, value):
    """Add the value of LANES showdowns to each hole's kin: stake * (weight of weaker holes - weight of stronger ones).

    seen[c] is twice the weight of weaker holes with card c, plus once that of the class at hand, less the total: a
    win counts 2 - 1, a tie 1 - 1, a loss 0 - 1. The hole itself shares both its cards with itself, and drops out of the
    difference.
    """
    lanes = reach.shape[1]
    seen = np.zeros((53, lanes), dtype=np.float32)
    _add_holes(holes, kin_of_hole, reach, seen, np.float32(-1))
    for c in range(class_start.shape[0] - 1):
        start, end = class_start[c], class_start[c + 1]
        _add_holes(holes[start:end], kin_of_hole[start:end], reach, seen, np.float32(1))
        for i in range(start, end):
            k, a, b = kin_of_hole[i], HOLE_CARDS[holes[i], 0], HOLE_CARDS[holes[i], 1]
            for j in range(lanes):
                value[k, j] += stake[j] * (seen[52, j] - seen[a, j] - seen[b, j])
        _add_holes(holes[start:end], kin_of_hole[start:end], reach, seen, np.float32(1))


@njit(cache=True)
def _block_values(holes, class_start, kin_of_hole, theirs, stake, is_showdown, values):
    """Values (PADDED, LANES) of LANES ends to one player, summed by kin, given the other's reach of them, (PADDED, LANES)."""
    values[:] = 0
    if is_showdown:
        _showdown_block(holes, class_start, kin_of_hole, theirs, stake, values)
    else:
        lanes = theirs.shape[1]
        seen = np.zeros((53, lanes), dtype=np.float32)
        _add_holes(holes, kin_of_hole, theirs, seen, np.float32(1))
        for i in range(holes.shape[0]):  # stake times the weight of the holes that share no card with it
            k, a, b = kin_of_hole[i], HOLE_CARDS[holes[i], 0], HOLE_CARDS[holes[i], 1]
            for j in range(lanes):
                values[k, j] += stake[j] * (seen[52, j] - seen[a, j] - seen[b, j] + theirs[k, j])


@njit(cache=True, nogil=True)
def _fold_values(holes, reach, stake, value):
    """value[k, i] = stake[k] times the weight of the holes that share no card with hole i, reach (n, 1081)."""
    for k in range(reach.shape[0]):
        cards, total = np.zeros(52, dtype=np.float32), np.float32(0)
        for i in range(holes.shape[0]):
            cards[HOLE_CARDS[holes[i], 0]] += reach[k, i]
            cards[HOLE_CARDS[holes[i], 1]] += reach[k, i]
            total += reach[k, i]
        for i in range(holes.shape[0]):
            value[k, i] = stake[k] * (total + reach[k, i] - cards[HOLE_CARDS[holes[i], 0]] - cards[HOLE_CARDS[holes[i], 1]])


class Ends(NamedTuple):
    """Where hands end: folds, then showdowns."""

    node: np.ndarray  # (n,) int64
    n_folds: int
    stake: np.ndarray  # (n, 2) float32 dollars that an end is worth to each player, at a showdown to who wins


def ends_of(tree: BettingTree, first: int = 0) -> Ends:
    """The ends of a tree among the nodes from `first` on."""
    folds, shown = (first + np.flatnonzero(tree.kind[first:] == kind) for kind in (FOLD_END, SHOWDOWN))
    node = np.append(folds, shown)
    return Ends(node, len(folds), stakes_at(tree, node).astype(np.float32))


def end_values(ends: Ends, order: BoardOrder, player: int, reach: np.ndarray) -> np.ndarray:
    """Dollars that a player wins at each end with each hole, times the other player's holes: (n_ends, 1081) float32.

    reach (n_ends, 1081) float32: the other player's, of the holes in order of strength.
    """
    value, n = np.empty_like(reach), ends.n_folds
    stake = np.ascontiguousarray(ends.stake[:, player])
    _fold_values(order.holes, reach[:n], stake[:n], value[:n])
    at_showdowns = np.zeros((reach.shape[1], len(reach) - n), dtype=np.float32)
    each = np.arange(len(order.holes), dtype=np.int32)  # no hole shares another's values
    _showdown_block(order.holes, order.class_start, each, np.ascontiguousarray(reach[n:].T), stake[n:], at_showdowns)
    value[n:] = at_showdowns.T
    return value


@njit(cache=True)
def _gather_lanes(ends, column, player, n_tiles, lanes):
    """lanes (PADDED, LANES) = a player's entries in LANES columns of ends: each kin's (or hole's) ends next to each other."""
    source, out = ends[column : column + LANES, player], lanes.reshape(N_TILES, TILE, LANES)
    for tile in range(n_tiles):
        for i in range(TILE):
            for j in range(LANES):
                out[tile, i, j] = source[j, tile, i]


@njit(cache=True)
def _scatter_lanes(lanes, ends, column, player, n_tiles):
    """The reverse of `_gather_lanes`."""
    out, source = ends[column : column + LANES, player], lanes.reshape(N_TILES, TILE, LANES)
    for tile in range(n_tiles):
        for j in range(LANES):
            for i in range(TILE):
                out[j, tile, i] = source[tile, i, j]


@njit(cache=True)
def _replace_block(ends, column, player, holes, class_start, kin, stake, is_showdown, block):
    """Replace the opponent's reach of LANES ends by their values to a player, summed over the holes of each kin."""
    n_tiles = kin.count.shape[0]
    _gather_lanes(ends, column, 1 - player, n_tiles, block[0])
    _block_values(holes, class_start, kin.of_hole, block[0], stake, is_showdown, block[1])
    _scatter_lanes(block[1], ends, column, 1 - player, n_tiles)


@njit(cache=True)
def _up(layout, part, strategy, rows, root_value, scratch, gains):
    """Values of a part's roots to both players from those of its ends and of the roots it leads to.

    Arguments as in `_down`; scratch.ends[:, 1 - p] holds values to player p, summed over the holes of each kin. Adds
    to gains, three of (n_rows, width), each action's value less the decision's, to the player who decides.
    """
    slot, root, decision, edge = layout.slot, layout.root, layout.decision, layout.edge
    actor, edges, root_of = layout.actor, layout.edges[part], layout.root_of
    first_child, n_children = layout.first_child, layout.n_children
    first, end = layout.decisions[part, 0], layout.decisions[part, 1]
    v, ends, row, gain = scratch.values, scratch.ends, scratch.row, scratch.gain
    columns = edges[:, 0] - layout.street_start[:-1], edges[:, 1] - edges[:, 0]
    child = np.empty((16, TILE), dtype=np.float32)
    mine, theirs = np.empty(TILE, dtype=np.float32), np.empty(TILE, dtype=np.float32)
    width = row.shape[1]
    for tile in range(rows.shape[1]):
        _fetch_streets(*columns, strategy, rows, tile, row)
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
            for a in range(n):
                for j in range(width):
                    gain[e + a, j] = child[a, j] - mine[j]
            if root_of[d] >= 0:
                for j in range(width):
                    root_value[0, root_of[d], tile, j] = v[0, d - first, j]
                    root_value[1, root_of[d], tile, j] = v[1, d - first, j]
        _add_streets(*columns, gain, rows, tile, gains)
