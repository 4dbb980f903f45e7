"""One river board, one river subtree: best responses with all cards, and what a grouped player learns against them.

The learner acts alike with all hands of a row (a group, or a leaf of a tree); the opponent may act otherwise with each of the
1,081 hands. Hands are kept in order of strength. At the ends of the betting all hands of one player meet all hands of the other,
less those that share a card, by running sums for each card (Johanson et al. 2011), 16 ends side by side.

At each infoset (see safe/subtrees) the learner plays in proportion to its positive regrets among the legal actions.
"""

import numpy as np
from numba import njit

from faceup.cards.cards import HOLE_CARDS
from faceup.cards.equity import _river_equity
from faceup.cards.strength import N_RIVER_HOLES, _river_order
from faceup.holdem.safe.subtrees import PADDED
from faceup.holdem.safe.vectors import WIDTH, add, clear, folded, negate, shown

_ALL = 52  # the card that all hands have
_BLOCK = 16  # hands whose ends are turned at a time, from side by side by slot to side by side by hand


@njit(cache=True)
def _read_board(cards, row_of_equity, place, hands):
    """Fill a board's hands and its rows, in the order of their weakest hands; place (rows,) is -1 before and after."""
    equity, n = np.empty(1326, dtype=np.int32), 0
    hands.size[0] = _river_order(cards, hands.hole, hands.start)
    _river_equity(cards, equity)
    for i in range(N_RIVER_HOLES):
        row = row_of_equity[equity[hands.hole[i]]]
        if place[row] < 0:
            place[row], hands.rows[n] = n, row
            n += 1
        hands.row[i] = place[row]
    for k in range(n):
        place[hands.rows[k]] = -1
    hands.size[1] = n


@njit(cache=True, error_model="numpy")  # where no regret is positive the quotient is not used
def _match(f, player, of, hands, regrets, chance):
    """A player's strategy by regret matching, chance (edges, rows)."""
    for d in range(f.actor.shape[0]):
        first, end = f.first_edge[d], f.first_edge[d + 1]
        if f.actor[d] != player:
            chance[first:end] = 1
            continue
        even = np.float32(1) / np.float32(end - first)
        for k in range(hands.size[1]):
            regret, total = regrets[of[hands.rows[k], f.situation[d]]], np.float32(0)
            for e in range(first, end):
                total += max(regret[f.label[e]], np.float32(0))
            for e in range(first, end):
                chance[e, k] = max(regret[f.label[e]], np.float32(0)) / total if total > 0 else even


@njit(cache=True)
def _own_paths(f, hands, s):
    """Each row's own chance to come through each edge and to each end: s.own, s.path; clears what the iteration adds to."""
    n_rows, n_edges = hands.size[1], f.label.shape[0]
    s.path[: n_rows * f.stake.shape[1]] = 0
    s.gain[: n_rows * f.stake.shape[1]] = 0
    s.comes[:] = 0
    s.own[n_edges:] = 1
    for root in range(f.node.shape[0]):
        d0, d1, base = f.first_decision[root], f.first_decision[root + 1], f.first_slot[root] * n_rows
        n_slots = f.first_slot[root + 1] - f.first_slot[root]
        if d0 == d1:
            for k in range(n_rows):
                s.path[base + k * n_slots] = np.float32(1)
        for d in range(d0, d1):
            for e in range(f.first_edge[d], f.first_edge[d + 1]):
                for k in range(n_rows):
                    s.own[e, k] = s.own[f.above[d], k] * s.chance[e, k]
                if f.slot[e] >= 0:
                    for k in range(n_rows):
                        s.path[base + k * n_slots + f.slot[e]] = s.own[e, k]


@njit(cache=True)
def _add_hands(hands, first, end, reach, weight, n_slots, n_added, seen):
    """Add hands' weights, at the first n_added slots, to the sums of their cards."""
    for i in range(first, end):
        if reach[hands.hole[i]] == 0:
            continue
        a, b = HOLE_CARDS[hands.hole[i], 0] * n_slots, HOLE_CARDS[hands.hole[i], 1] * n_slots
        for x in range(0, n_added, WIDTH):
            add(seen, a + x, weight, i * n_slots + x)
            add(seen, b + x, weight, i * n_slots + x)
            add(seen, _ALL * n_slots + x, weight, i * n_slots + x)


@njit(cache=True)
def _values(f, root, player, hands, reach, weight, seen, value):
    """What each of a player's hands gets at each end, value (1081 * slots), from the other player's hands' weights there.

    reach (1326,): the other player's, of the root. At showdowns seen[c] is twice the weight of weaker hands with card c, plus
    once that of equal ones, less the total: a win counts 2 - 1, a tie 1 - 1, a loss 0 - 1. At folds it is the total.
    """
    n_shown, start = f.n_shown[root], f.first_slot[root]
    n_slots = f.first_slot[root + 1] - start
    stake, every = f.stake[player, start : start + n_slots], _ALL * n_slots
    for x in range(0, 53 * n_slots, WIDTH):
        clear(seen, x)
    _add_hands(hands, hands.start[0], hands.start[hands.size[0]], reach, weight, n_slots, n_slots, seen)
    for c in range(53):
        for x in range(0, n_shown, WIDTH):
            negate(seen, c * n_slots + x)
    for k in range(hands.size[0]):
        first, end = hands.start[k], hands.start[k + 1]
        _add_hands(hands, first, end, reach, weight, n_slots, n_shown, seen)
        for i in range(first, end):
            a, b = HOLE_CARDS[hands.hole[i], 0] * n_slots, HOLE_CARDS[hands.hole[i], 1] * n_slots
            for x in range(0, n_shown, WIDTH):
                shown(value, i * n_slots + x, stake, x, seen, every + x, seen, a + x, seen, b + x)
            for x in range(n_shown, n_slots, WIDTH):
                folded(value, i * n_slots + x, stake, x, seen, every + x, seen, a + x, seen, b + x, weight, i * n_slots + x)
        _add_hands(hands, first, end, reach, weight, n_slots, n_shown, seen)


@njit(cache=True)
def _weigh(f, root, hands, path, reach, weight):
    """Weights of hands at ends, from their rows' paths and the reach of the root, reach (1326,)."""
    n_slots, base = f.first_slot[root + 1] - f.first_slot[root], f.first_slot[root] * hands.size[1]
    for i in range(N_RIVER_HOLES):
        own, at = reach[hands.hole[i]], base + hands.row[i] * n_slots
        for x in range(n_slots):
            weight[i * n_slots + x] = own * path[at + x]


@njit(cache=True)
def _local(f, root, e):
    """An edge's place among those of its subtree; that which leads to the root comes last."""
    first, end = f.first_edge[f.first_decision[root]], f.first_edge[f.first_decision[root + 1]]
    return end - first if e >= f.label.shape[0] else e - first


@njit(cache=True)
def _turn_over(f, root, value, up, back):
    """Copy ends of hands from value (1088 * slots) to their edges in up (edges, 1088), or back."""
    n_slots, d0, d1 = f.first_slot[root + 1] - f.first_slot[root], f.first_decision[root], f.first_decision[root + 1]
    first, end = f.first_edge[d0], f.first_edge[d1]
    for block in range(0, PADDED, _BLOCK):
        for e in range(first, end):
            if f.slot[e] < 0:
                continue
            at = block * n_slots + f.slot[e]
            if back:
                for i in range(_BLOCK):
                    value[at + i * n_slots] = up[e - first, block + i]
            else:
                for i in range(_BLOCK):
                    up[e - first, block + i] = value[at + i * n_slots]


@njit(cache=True)
def _take_best(k, x, best, which):
    """best = max(best, x), and which = k where x is larger."""
    for i in range(best.shape[0]):
        larger = x[i] > best[i]
        best[i] = x[i] if larger else best[i]
        which[i] = k if larger else which[i]


@njit(cache=True)
def _best(f, root, responder, hands, value, up, choice, best):
    """Best actions of the responder's hands, choice (decisions, 1088), and what they win at the root, added to best (1326,)."""
    d0, d1 = f.first_decision[root], f.first_decision[root + 1]
    if d0 == d1:
        n_slots = f.first_slot[root + 1] - f.first_slot[root]
        for i in range(N_RIVER_HOLES):
            best[hands.hole[i]] += value[i * n_slots]
        return
    _turn_over(f, root, value, up, False)
    first = f.first_edge[d0]
    for d in range(d1 - 1, d0 - 1, -1):
        out, which = up[_local(f, root, f.above[d])], choice[d]
        out[:] = up[f.first_edge[d] - first]
        which[:] = 0
        for e in range(f.first_edge[d] + 1, f.first_edge[d + 1]):
            if f.actor[d] == responder:
                _take_best(np.int8(e - f.first_edge[d]), up[e - first], out, which)
            else:
                x = up[e - first]
                for i in range(PADDED):
                    out[i] += x[i]
    won = up[f.first_edge[d1] - first]
    for i in range(N_RIVER_HOLES):
        best[hands.hole[i]] += won[i]


@njit(cache=True)
def _follow(f, root, responder, hands, choice, reach, up, weight):
    """Weights of the responder's hands at ends, from their choices and their reach of the root, reach (1326,)."""
    d0, d1, n_slots = f.first_decision[root], f.first_decision[root + 1], f.first_slot[root + 1] - f.first_slot[root]
    for x in range(0, PADDED * n_slots, WIDTH):
        clear(weight, x)
    if d0 == d1:
        for i in range(N_RIVER_HOLES):
            weight[i * n_slots] = reach[hands.hole[i]]
        return
    first = f.first_edge[d0]
    at_root = up[f.first_edge[d1] - first]
    for i in range(N_RIVER_HOLES):
        at_root[i] = reach[hands.hole[i]]
    for d in range(d0, d1):
        source, which = up[_local(f, root, f.above[d])], choice[d]
        for e in range(f.first_edge[d], f.first_edge[d + 1]):
            out, k = up[e - first], np.int8(e - f.first_edge[d])
            if f.actor[d] == responder:
                for i in range(PADDED):
                    out[i] = source[i] if which[i] == k else np.float32(0)
            else:
                out[:] = source
    _turn_over(f, root, weight, up, True)


@njit(cache=True)
def _respond(f, learner, hands, reach, s, board, best):
    """The other player's best responses in all subtrees on one board.

    reach (subtrees, 1326): the learner's own, of the roots; what they win is added to best (subtrees, 1326).
    """
    for root in range(f.node.shape[0]):
        _weigh(f, root, hands, s.path, reach[root], s.weight)
        _values(f, root, 1 - learner, hands, reach[root], s.weight, s.seen, s.value)
        _best(f, root, 1 - learner, hands, s.value, s.up, s.choice[board], best[root])


@njit(cache=True)
def _collect(f, root, hands, reach, s):
    """Add the values of the learner's hands at ends to those of their rows; reach (1326,): its own, of the root."""
    n_slots, base = f.first_slot[root + 1] - f.first_slot[root], f.first_slot[root] * hands.size[1]
    for i in range(N_RIVER_HOLES):
        s.comes[root, hands.row[i]] += reach[hands.hole[i]]
        for x in range(0, n_slots, WIDTH):
            add(s.gain, base + hands.row[i] * n_slots + x, s.value, i * n_slots + x)


@njit(cache=True)
def _learn(f, learner, of, hands, time, s, regrets, averages):
    """Add the regrets of the learner's rows, and its strategy to its average, both times what this iteration counts."""
    n_rows = hands.size[1]
    for root in range(f.node.shape[0]):
        d0, d1, base = f.first_decision[root], f.first_decision[root + 1], f.first_slot[root] * n_rows
        n_slots, e0 = f.first_slot[root + 1] - f.first_slot[root], f.first_edge[d0]
        for d in range(d1 - 1, d0 - 1, -1):
            first, end, mean = f.first_edge[d], f.first_edge[d + 1], s.worth[_local(f, root, f.above[d])]
            mean[:n_rows] = 0
            for e in range(first, end):
                x = s.worth[e - e0]
                if f.slot[e] >= 0:
                    for k in range(n_rows):
                        x[k] = s.gain[base + k * n_slots + f.slot[e]]
                for k in range(n_rows):  # the other's chances count 1: the values have them already
                    mean[k] += s.chance[e, k] * x[k]
            if f.actor[d] == learner:
                for k in range(n_rows):
                    infoset, own = of[hands.rows[k], f.situation[d]], time * s.comes[root, k] * s.own[f.above[d], k]
                    for e in range(first, end):
                        regrets[infoset, f.label[e]] += time * (s.worth[e - e0, k] - mean[k])
                        averages[infoset, f.label[e]] += own * s.chance[e, k]


@njit(cache=True)
def _prepare(f, cards, player, levels, of, regrets, place, hands, s):
    _read_board(cards, levels, place, hands)
    _match(f, player, of, hands, regrets, s.chance)
    _own_paths(f, hands, s)
