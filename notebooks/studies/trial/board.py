"""Trial: self-play of one board on rows of hands, in the shape of holdem/safe/river, to be timed against today's kernels.

Before the river a row is a group of hands that the board has, on the river it is an equity. Hands that share their rows on all
streets before the river go down and up the tree as one *bundle*. Tables are (rows, width of the street), in the tree's order.
"""

from typing import NamedTuple

import numpy as np
from numba import njit

from faceup.cards.cards import BOARD_CARDS, HOLE_CARDS
from faceup.cards.strength import N_RIVER_HOLES
from faceup.holdem.betting.betting_tree import DECISION, FOLD_END, BettingTree, decisions
from faceup.holdem.safe.subtrees import PADDED, Hands, all_ins_of, make_subtrees
from faceup.holdem.safe.vectors import WIDTH, _lanes, add, clear, folded
from faceup.holdem.solve.board import board_order
from faceup.holdem.solve.groups import Groups, hole_groups
from faceup.holdem.solve.layout import stakes_at
from faceup.notebook.threads import on_threads

product = _lanes(WIDTH, lambda b, out, x, y: b.fmul(x, y))
sum_first = _lanes(WIDTH, lambda b, out, every, x, y: b.fsub(b.fsub(every, x), y))
sum_more = _lanes(WIDTH, lambda b, out, every, x, y: b.fadd(out, b.fsub(b.fsub(every, x), y)))
sum_less = _lanes(WIDTH, lambda b, out, stake, every, x, y: b.fmul(stake, b.fsub(out, b.fsub(b.fsub(every, x), y))))
add_product = _lanes(WIDTH, lambda b, out, x, y: b.fadd(out, b.fmul(x, y)))


class Plan(NamedTuple):
    """The betting before the river, for kernels."""

    before: np.int64  # nodes before the river's
    parent: np.ndarray
    actor: np.ndarray
    first_child: np.ndarray
    n_children: np.ndarray
    street: np.ndarray
    street_start: np.ndarray
    decisions: np.ndarray  # parents first
    folds: np.ndarray
    fold_stakes: np.ndarray  # (n_folds, 2)


class Located(NamedTuple):
    """A board's hands, weakest first, their bundles and their rows."""

    hands: Hands  # of the river: row, rows are equities
    bundle: np.ndarray  # (1081,) int32
    n_bundles: np.int64
    row: np.ndarray  # (3, n_bundles) int32 on each street before the river
    groups: np.ndarray  # (3, 1081) int32 group of each row
    n_rows: np.ndarray  # (3,) int64


def make_plan(tree: BettingTree) -> Plan:
    before = int(tree.street_start[3])
    folds = np.flatnonzero(tree.kind[:before] == FOLD_END)
    nodes = np.concatenate([decisions(tree, street) for street in range(3)])
    stakes = stakes_at(tree, folds).astype(np.float32)
    return Plan(
        np.int64(before), tree.parent, tree.actor, tree.first_child, tree.n_children, tree.street, tree.street_start, nodes,
        folds, stakes,
    )  # fmt: skip


def locate(groups: Groups, cards: np.ndarray) -> Located:
    order = board_order(cards)
    holes = order.holes
    of_hole = [hole_groups(groups, s, cards[:n])[holes] for s, n in enumerate(BOARD_CARDS)]
    numbered = [np.unique(g, return_inverse=True) for g in of_hole]
    key = (numbered[0][1] * N_RIVER_HOLES + numbered[1][1]) * N_RIVER_HOLES + numbered[2][1]
    _, first, bundle = np.unique(key, return_index=True, return_inverse=True)
    row = np.array([numbered[s][1][first] for s in range(3)], dtype=np.int32)
    kept = np.zeros((3, N_RIVER_HOLES), dtype=np.int32)
    for s in range(3):
        kept[s, : len(numbered[s][0])] = numbered[s][0]
    rows, at = numbered[3]
    start = np.zeros(161, dtype=np.int32)
    start[: len(order.class_start)] = order.class_start
    size = np.array([len(order.class_start) - 1, len(rows)], dtype=np.int64)
    hands = Hands(holes, start, at.astype(np.int32), rows.astype(np.int32), size)
    return Located(
        hands, bundle.astype(np.int32), np.int64(len(first)), row, kept, np.array([len(numbered[s][0]) for s in range(3)])
    )


@njit(cache=True, error_model="numpy")
def _match_before(plan, at, player, regrets, strategy):
    """Regret matching of the rows on the board, strategy (nodes before the river, rows): one player's decisions."""
    for d in plan.decisions:
        if plan.actor[d] != player:
            continue
        s = plan.street[d]
        first, n = plan.first_child[d], plan.n_children[d]
        column, even = first - plan.street_start[s], np.float32(1) / np.float32(n)
        for k in range(at.n_rows[s]):
            regret, total = regrets[s][at.groups[s, k]], np.float32(0)
            for a in range(n):
                total += max(regret[column + a], np.float32(0))
            for a in range(n):
                strategy[first + a, k] = max(regret[column + a], np.float32(0)) / total if total > 0 else even


@njit(cache=True, nogil=True)
def _down(share, plan, at, regrets, strategy, reach):
    """A player's own reach of all nodes before the river, reach (2, nodes, bundles)."""
    n = at.n_bundles
    for player in range(share[0], 2, share[1]):
        _match_before(plan, at, player, regrets, strategy)
        own = reach[player]
        own[0, :n] = 1
        for d in plan.decisions:
            row, above = at.row[plan.street[d]], own[d]
            for c in range(plan.first_child[d], plan.first_child[d] + plan.n_children[d]):
                out, chance = own[c], strategy[c]
                if plan.actor[d] == player:
                    for b in range(n):
                        out[b] = above[b] * chance[row[b]]
                else:
                    for b in range(n):
                        out[b] = above[b]


@njit(cache=True)
def _fold_values(plan, at, k, player, reach, value):
    """What a fold is worth to a player's bundles, summed over their hands."""
    node, stake, cards, total = plan.folds[k], plan.fold_stakes[k, player], np.zeros(52, np.float32), np.float32(0)
    for i in range(N_RIVER_HOLES):
        w, h = reach[1 - player, node, at.bundle[i]], at.hands.hole[i]
        cards[HOLE_CARDS[h, 0]] += w
        cards[HOLE_CARDS[h, 1]] += w
        total += w
    value[node, : at.n_bundles] = 0
    for i in range(N_RIVER_HOLES):
        h, b = at.hands.hole[i], at.bundle[i]
        value[node, b] += stake * (total + reach[1 - player, node, b] - cards[HOLE_CARDS[h, 0]] - cards[HOLE_CARDS[h, 1]])


@njit(cache=True)
def _all_in_values(g, at, ones, player, reach, weight, seen, shown, value):
    n = g.stake.shape[1]
    weight[: N_RIVER_HOLES * n] = 0
    for e in range(g.node.shape[0]):
        for i in range(N_RIVER_HOLES):
            weight[i * n + e] = reach[1 - player, g.node[e], at.bundle[i]]
    _ends(g.stake[player], np.int64(n), np.int64(n), at.hands, ones, weight, seen, shown)
    for e in range(g.node.shape[0]):
        value[g.node[e], : at.n_bundles] = 0
        for i in range(N_RIVER_HOLES):
            value[g.node[e], at.bundle[i]] += shown[i * n + e]


@njit(cache=True)
def _learn_before(plan, at, player, strategy, reach, size, value, regrets, averages):
    """Values of decisions before the river to a player's bundles, and what it learns."""
    n = at.n_bundles
    gain, weight = np.empty((16, N_RIVER_HOLES), np.float32), np.empty(N_RIVER_HOLES, np.float32)
    for d in plan.decisions[::-1]:
        s = plan.street[d]
        first, n_rows, row, out = plan.first_child[d], at.n_rows[s], at.row[s], value[d]
        out[:n] = 0
        if plan.actor[d] != player:
            for c in range(first, first + plan.n_children[d]):
                below = value[c]
                for b in range(n):
                    out[b] += below[b]
            continue
        weight[:n_rows] = 0
        for b in range(n):
            weight[row[b]] += reach[player, d, b] * size[b]
        for a in range(plan.n_children[d]):
            below, chance, sums = value[first + a], strategy[first + a], gain[a]
            sums[:n_rows] = 0
            for b in range(n):
                out[b] += chance[row[b]] * below[b]
            for b in range(n):
                sums[row[b]] += below[b]
        column = first - plan.street_start[s]
        for k in range(n_rows):
            regret, average, mean = regrets[s][at.groups[s, k]], averages[s][at.groups[s, k]], np.float32(0)
            for a in range(plan.n_children[d]):
                mean += strategy[first + a, k] * gain[a, k]
            for a in range(plan.n_children[d]):
                regret[column + a] += gain[a, k] - mean
                average[column + a] += weight[k] * strategy[first + a, k]


@njit(cache=True, nogil=True)
def _up(share, plan, g, at, ones, strategy, reach, size, pots, value, regrets, averages):
    for player in range(share[0], 2, share[1]):
        for k in range(plan.folds.shape[0]):
            _fold_values(plan, at, k, player, reach, value[player])
        _all_in_values(g, at, ones, player, reach, pots[player, 0], pots[player, 1], pots[player, 2], value[player])
        _learn_before(plan, at, player, strategy, reach, size, value[player], regrets, averages)


@njit(cache=True, error_model="numpy")
def _match_river(f, root, hands, columns, regrets, chance):
    """Regret matching of a subtree's decisions, chance (edges, rows)."""
    d0, d1 = f.first_decision[root], f.first_decision[root + 1]
    e0, n_edges = f.first_edge[d0], f.first_edge[d1] - f.first_edge[d0]
    first = columns[root]
    for k in range(hands.size[1]):
        regret = regrets[hands.rows[k]]
        for e in range(n_edges):
            chance[e, k] = max(regret[first + e], np.float32(0))
    total = np.empty(hands.size[1], np.float32)
    for d in range(d0, d1):
        low, high = f.first_edge[d] - e0, f.first_edge[d + 1] - e0
        even = np.float32(1) / np.float32(high - low)
        total[:] = 0
        for e in range(low, high):
            for k in range(total.shape[0]):
                total[k] += chance[e, k]
        for e in range(low, high):
            for k in range(total.shape[0]):
                chance[e, k] = chance[e, k] / total[k] if total[k] > 0 else even


@njit(cache=True)
def _paths(f, root, hands, player, chance, own, path):
    """A player's own chances since the root of each edge, own (edges + 1, rows), and by end, path (rows * slots)."""
    d0, d1, n_rows = f.first_decision[root], f.first_decision[root + 1], hands.size[1]
    e0, n_slots = f.first_edge[d0], f.first_slot[root + 1] - f.first_slot[root]
    n_edges = f.first_edge[d1] - e0
    own[n_edges, :n_rows] = 1
    for d in range(d0, d1):
        above = own[f.above[d] - e0 if f.above[d] < f.label.shape[0] else n_edges]
        for e in range(f.first_edge[d] - e0, f.first_edge[d + 1] - e0):
            out, p = own[e], chance[e]
            if f.actor[d] == player:
                for k in range(n_rows):
                    out[k] = above[k] * p[k]
            else:
                for k in range(n_rows):
                    out[k] = above[k]
            if f.slot[e + e0] >= 0:
                for k in range(n_rows):
                    path[k * n_slots + f.slot[e + e0]] = out[k]


@njit(cache=True)
def _learn_river(f, root, hands, columns, chance, own, gain, comes, worth, regrets, averages):
    """Both players' regrets of a subtree's rows; own, gain, comes, worth: (2, ..)."""
    d0, d1, n_rows = f.first_decision[root], f.first_decision[root + 1], hands.size[1]
    e0, n_slots = f.first_edge[d0], f.first_slot[root + 1] - f.first_slot[root]
    n_edges = f.first_edge[d1] - e0
    for player in range(2):
        for d in range(d1 - 1, d0 - 1, -1):
            up = f.above[d] - e0 if f.above[d] < f.label.shape[0] else n_edges
            mean = worth[player, up]
            mean[:n_rows] = 0
            for e in range(f.first_edge[d] - e0, f.first_edge[d + 1] - e0):
                x, p = worth[player, e], chance[e]
                if f.slot[e + e0] >= 0:
                    for k in range(n_rows):
                        x[k] = gain[player, k * n_slots + f.slot[e + e0]]
                if f.actor[d] == player:
                    for k in range(n_rows):
                        mean[k] += p[k] * x[k]
                else:
                    for k in range(n_rows):
                        mean[k] += x[k]
    for d in range(d0, d1):
        who, up = f.actor[d], f.above[d] - e0 if f.above[d] < f.label.shape[0] else n_edges
        mean, above = worth[who, up], own[who, up]
        first, low, high = columns[root], f.first_edge[d] - e0, f.first_edge[d + 1] - e0
        for k in range(n_rows):
            weight, row = comes[who, k] * above[k], hands.rows[k]
            for e in range(low, high):
                regrets[row, first + e] += worth[who, e, k] - mean[k]
                averages[row, first + e] += weight * chance[e, k]


@njit(cache=True)
def _weigh(hands, n_slots, path, reach, bundle, come, weight):
    wide = np.empty(WIDTH, np.float32)
    for i in range(N_RIVER_HOLES):
        own, at = reach[bundle[i]], hands.row[i] * n_slots
        come[i] = own != 0
        wide[:] = own
        for x in range(0, n_slots, WIDTH):
            product(weight, i * n_slots + x, wide, 0, path, at + x)


@njit(cache=True)
def _ends(stake, n_shown, n_slots, hands, comes, weight, seen, value):
    """What each hand gets at each end, from the other player's hands' weights there; comes (1081,) bool: hands that come at all.

    value is the sum of weaker hands, and of weaker and equal ones, less that of all: a win counts 2 - 1, a tie 1 - 1.
    """
    every = 52 * n_slots
    for x in range(0, 53 * n_slots, WIDTH):
        clear(seen, x)
    for c in range(hands.size[0]):
        first, end = hands.start[c], hands.start[c + 1]
        for i in range(first, end):
            a, b = HOLE_CARDS[hands.hole[i], 0] * n_slots, HOLE_CARDS[hands.hole[i], 1] * n_slots
            for x in range(0, n_shown, WIDTH):
                sum_first(value, i * n_slots + x, seen, every + x, seen, a + x, seen, b + x)
        for i in range(first, end):
            if comes[i]:
                a, b = HOLE_CARDS[hands.hole[i], 0] * n_slots, HOLE_CARDS[hands.hole[i], 1] * n_slots
                for x in range(0, n_slots, WIDTH):
                    add(seen, a + x, weight, i * n_slots + x)
                    add(seen, b + x, weight, i * n_slots + x)
                    add(seen, every + x, weight, i * n_slots + x)
        for i in range(first, end):
            a, b = HOLE_CARDS[hands.hole[i], 0] * n_slots, HOLE_CARDS[hands.hole[i], 1] * n_slots
            for x in range(0, n_shown, WIDTH):
                sum_more(value, i * n_slots + x, seen, every + x, seen, a + x, seen, b + x)
    for i in range(N_RIVER_HOLES):
        a, b = HOLE_CARDS[hands.hole[i], 0] * n_slots, HOLE_CARDS[hands.hole[i], 1] * n_slots
        for x in range(0, n_shown, WIDTH):
            sum_less(value, i * n_slots + x, stake, x, seen, every + x, seen, a + x, seen, b + x)
        for x in range(n_shown, n_slots, WIDTH):
            folded(value, i * n_slots + x, stake, x, seen, every + x, seen, a + x, seen, b + x, weight, i * n_slots + x)


@njit(cache=True)
def halve(lanes):
    """lanes[0] = sum of all 16, by halves."""
    for j in range(8):
        lanes[j] += lanes[j + 8]
    for j in range(4):
        lanes[j] += lanes[j + 4]
    lanes[0] = (lanes[0] + lanes[2]) + (lanes[1] + lanes[3])


@njit(cache=True, nogil=True)
def _rivers(share, f, columns, at, ones, reach, regrets, averages, value):
    """All river subtrees: both players' values of their roots, by bundle, and what both learn."""
    hands = at.hands
    most_slots, most_edges = (f.first_slot[1:] - f.first_slot[:-1]).max(), 40
    n_rows = hands.size[1]
    chance = np.empty((most_edges, n_rows), np.float32)
    own, worth = np.empty((2, most_edges + 1, n_rows), np.float32), np.empty((2, most_edges + 1, n_rows), np.float32)
    path, gain = np.zeros((2, n_rows * most_slots), np.float32), np.empty((2, n_rows * most_slots), np.float32)
    comes = np.empty((2, n_rows), np.float32)
    weight, got = np.empty((2, PADDED * most_slots), np.float32), np.empty(PADDED * most_slots, np.float32)
    come = np.empty((2, N_RIVER_HOLES), np.bool_)
    seen, lanes = np.empty(53 * most_slots, np.float32), np.empty(WIDTH, np.float32)
    for root in range(share[0], f.node.shape[0], share[1]):
        node, n_slots = f.node[root], f.first_slot[root + 1] - f.first_slot[root]
        _match_river(f, root, hands, columns, regrets, chance)
        for player in range(2):
            path[player, : n_rows * n_slots] = 0
            _paths(f, root, hands, player, chance, own[player], path[player])
            _weigh(hands, n_slots, path[player], reach[player, node], at.bundle, come[player], weight[player])
        for player in range(2):
            start = f.first_slot[root]
            stake = f.stake[player, start : start + n_slots]
            _ends(stake, f.n_shown[root], n_slots, hands, come[1 - player], weight[1 - player], seen, got)
            gain[player, : n_rows * n_slots] = 0
            comes[player] = 0
            value[player, node, : at.n_bundles] = 0
            for i in range(N_RIVER_HOLES):
                k, b = hands.row[i], at.bundle[i]
                comes[player, k] += reach[player, node, b]
                for x in range(0, n_slots, WIDTH):
                    add(gain[player], k * n_slots + x, got, i * n_slots + x)
                product(lanes, 0, path[player], k * n_slots, got, i * n_slots)
                for x in range(WIDTH, n_slots, WIDTH):
                    add_product(lanes, 0, path[player], k * n_slots + x, got, i * n_slots + x)
                halve(lanes)
                value[player, node, b] += lanes[0]
        _learn_river(f, root, hands, columns, chance, own, gain, comes, worth, regrets, averages)


class Board:
    """Self-play on rows of hands: one board at a time."""

    def __init__(self, tree: BettingTree, groups: Groups):
        self.tree, self.groups, self.plan = tree, groups, make_plan(tree)
        widths = np.diff(tree.street_start)
        self.regrets, self.averages = (
            tuple(np.zeros((n, w), dtype=np.float32) for n, w in zip(groups.n_groups, widths, strict=True)) for _ in range(2)
        )
        none = np.zeros(len(tree.kind), dtype=np.int32)
        roots = np.flatnonzero((tree.kind[: tree.street_start[3]] == DECISION) & (tree.street[: tree.street_start[3]] == 3))
        self.f, self.g = make_subtrees(tree, none, 4), all_ins_of(tree, (0, 1, 2))
        kept = tree.kind[self.f.node] == DECISION
        assert kept.all() and len(roots) == kept.sum()
        self.columns = (tree.first_child[self.f.node] - tree.street_start[3]).astype(np.int64)
        before = int(self.plan.before)
        self.reach, self.value = (np.zeros((2, before, N_RIVER_HOLES), dtype=np.float32) for _ in range(2))
        self.strategy = np.zeros((before, N_RIVER_HOLES), dtype=np.float32)
        self.ones = np.ones(N_RIVER_HOLES, dtype=bool)
        n = self.g.stake.shape[1]
        self.pots = np.zeros((2, 3, PADDED * n), dtype=np.float32)

    def play(self, cards: np.ndarray) -> None:
        at = locate(self.groups, cards)
        size = np.bincount(at.bundle, minlength=int(at.n_bundles)).astype(np.float32)
        on_threads(_down, self.plan, at, self.regrets[:3], self.strategy, self.reach)
        on_threads(_rivers, self.f, self.columns, at, self.ones, self.reach, self.regrets[3], self.averages[3], self.value)
        on_threads(
            _up, self.plan, self.g, at, self.ones, self.strategy, self.reach, size, self.pots, self.value, self.regrets[:3],
            self.averages[:3],
        )  # fmt: skip
