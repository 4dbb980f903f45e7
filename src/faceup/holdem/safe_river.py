"""River boards: best responses that hold real cards, and what a player who groups hands learns against an opponent.

The learner plays all hands of a row alike (see `holdem/infosets`); a best response may play each of the 1,081 hands otherwise.
Hands are kept in order of strength. At the ends of the betting all hands of one player meet all hands of the other, less those
that share a card, by running sums for each card (Johanson et al. 2011), 16 ends side by side.

As in `holdem/reference`: reach is a player's own, and values are counterfactual, sums over the other player's hands times reach.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numba import njit

from faceup.cards.cards import BOARD_CARDS, HOLE_CARDS
from faceup.cards.equity import _river_equity
from faceup.cards.strength import N_RIVER_HOLES, _river_order
from faceup.holdem.infosets import _match
from faceup.holdem.policy import Policy, StreetRows, free_holes, street_reach
from faceup.holdem.rules import SHOWDOWN
from faceup.holdem.subtrees import PADDED, Beginnings, Player, Rivers, _in_seat
from faceup.holdem.tree import BettingTree
from faceup.holdem.vectors import WIDTH, add, clear, folded, negate, shown
from faceup.lab.parallel import on_threads

_ALL = 52  # the card that all hands have
_BLOCK = 16  # hands whose ends are turned at a time, from side by side by slot to side by side by hand


class Opponents(NamedTuple):
    """Whom the learners meet in each seat: a mixture of a best response and a player.

    Each comes to the river's roots with its share of the hands times its own reach.
    """

    best: np.ndarray  # (2, subtrees, 1326) float32 reach of the best response
    player: np.ndarray  # (2, subtrees, 1326) float32 reach of the player
    all_ins: np.ndarray  # (2, all-ins, 1326) float32 of both together
    plays: Player  # how the player goes on


@njit(cache=True)
def _read_board(cards, player):
    """Fill a player's hands of a board, and their rows in the order of the weakest hands."""
    hands, place, equity, n = player.hands, player.scratch.place, np.empty(1326, dtype=np.int32), 0
    hands.size[0] = _river_order(cards, hands.hole, hands.start)
    _river_equity(cards, equity)
    for i in range(N_RIVER_HOLES):
        row = player.infosets.row[equity[hands.hole[i]]]
        if place[row] < 0:
            place[row], hands.rows[n] = n, row
            n += 1
        hands.row[i] = place[row]
    for k in range(n):
        place[hands.rows[k]] = -1
    hands.size[1] = n


@njit(cache=True)
def _reach_ends(t, hands, s):
    """Each row's own reach of each edge and each end from 1 at the roots; clears what is summed over a row's hands."""
    n_rows, n_edges = hands.size[1], t.label.shape[0]
    s.end_reach[: n_rows * t.stake.shape[1]] = 0
    s.end_value[: n_rows * t.stake.shape[1]] = 0
    s.root_reach[:] = 0
    s.reach[n_edges:] = 1
    for root in range(t.root.shape[0]):
        d0, d1, base = t.first_decision[root], t.first_decision[root + 1], t.first_slot[root] * n_rows
        n_slots = t.first_slot[root + 1] - t.first_slot[root]
        for d in range(d0, d1):
            for e in range(t.first_edge[d], t.first_edge[d + 1]):
                for k in range(n_rows):
                    s.reach[e, k] = s.reach[t.above[d], k] * s.chance[e, k]
                if t.slot[e] >= 0:
                    for k in range(n_rows):
                        s.end_reach[base + k * n_slots + t.slot[e]] = s.reach[e, k]


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
def _values(t, root, player, hands, reach, weight, seen, value):
    """What each of a player's hands gets at each end, value (1081 * slots), from the other player's hands' weights there.

    reach (1326,): the other player's, of the root. At showdowns seen[c] is twice the weight of weaker hands with card c, plus
    once that of equal ones, less the total: a win counts 2 - 1, a tie 1 - 1, a loss 0 - 1. At folds it is the total.
    """
    n_shown, start = t.n_shown[root], t.first_slot[root]
    n_slots = t.first_slot[root + 1] - start
    stake, every = t.stake[player, start : start + n_slots], _ALL * n_slots
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
def _weigh(t, root, p, reach):
    """A player's reach of ends with each hand, from its rows' reach since the root and that of the root, reach (1326,)."""
    hands, weight, end_reach = p.hands, p.scratch.weight, p.scratch.end_reach
    n_slots, base = t.first_slot[root + 1] - t.first_slot[root], t.first_slot[root] * hands.size[1]
    for i in range(N_RIVER_HOLES):
        own, at = reach[hands.hole[i]], base + hands.row[i] * n_slots
        for x in range(n_slots):
            weight[i * n_slots + x] = own * end_reach[at + x]


@njit(cache=True)
def _local(t, root, e):
    """An edge's place among those of its subtree; that which leads to the root comes last."""
    first, end = t.first_edge[t.first_decision[root]], t.first_edge[t.first_decision[root + 1]]
    return end - first if e >= t.label.shape[0] else e - first


@njit(cache=True)
def _turn_over(t, root, value, edge, back):
    """Copy ends of hands from value (1088 * slots) to their edges in edge (edges, 1088), or back."""
    n_slots, d0, d1 = t.first_slot[root + 1] - t.first_slot[root], t.first_decision[root], t.first_decision[root + 1]
    first, end = t.first_edge[d0], t.first_edge[d1]
    for block in range(0, PADDED, _BLOCK):
        for e in range(first, end):
            if t.slot[e] < 0:
                continue
            at = block * n_slots + t.slot[e]
            if back:
                for i in range(_BLOCK):
                    value[at + i * n_slots] = edge[e - first, block + i]
            else:
                for i in range(_BLOCK):
                    edge[e - first, block + i] = value[at + i * n_slots]


@njit(cache=True)
def _take_best(k, x, best, which):
    """best = max(best, x), and which = k where x is larger."""
    for i in range(best.shape[0]):
        larger = x[i] > best[i]
        best[i] = x[i] if larger else best[i]
        which[i] = k if larger else which[i]


@njit(cache=True)
def _best(t, root, responder, p, choice, best):
    """Best actions, choice (decisions, 1088), and the root's value, added to best (1326,), of the responder's hands."""
    edge = p.scratch.edge
    d0, d1 = t.first_decision[root], t.first_decision[root + 1]
    _turn_over(t, root, p.scratch.value, edge, False)
    first = t.first_edge[d0]
    for d in range(d1 - 1, d0 - 1, -1):
        out, which = edge[_local(t, root, t.above[d])], choice[d]
        out[:] = edge[t.first_edge[d] - first]
        which[:] = 0
        for e in range(t.first_edge[d] + 1, t.first_edge[d + 1]):
            if t.actor[d] == responder:
                _take_best(np.int8(e - t.first_edge[d]), edge[e - first], out, which)
            else:
                x = edge[e - first]
                for i in range(PADDED):
                    out[i] += x[i]
    won = edge[t.first_edge[d1] - first]
    for i in range(N_RIVER_HOLES):
        best[p.hands.hole[i]] += won[i]


@njit(cache=True)
def _follow(t, root, responder, p, choice, reach):
    """A best response's reach of ends with each hand, from its choices and its reach of the root, reach (1326,)."""
    edge, d0, d1 = p.scratch.edge, t.first_decision[root], t.first_decision[root + 1]
    first = t.first_edge[d0]
    at_root = edge[t.first_edge[d1] - first]
    for i in range(N_RIVER_HOLES):
        at_root[i] = reach[p.hands.hole[i]]
    for d in range(d0, d1):
        source, which = edge[_local(t, root, t.above[d])], choice[d]
        for e in range(t.first_edge[d], t.first_edge[d + 1]):
            out, k = edge[e - first], np.int8(e - t.first_edge[d])
            if t.actor[d] == responder:
                for i in range(PADDED):
                    out[i] = source[i] if which[i] == k else np.float32(0)
            else:
                out[:] = source
    _turn_over(t, root, p.scratch.weight, edge, True)


@njit(cache=True)
def _meet(t, root, other, p, plays, choice, best, player):
    """The learner's opponent, who is in seat `other`: its reach of ends with each hand, p.scratch.weight.

    It is that of the best response, which follows choice, plus that of the player; best, player (1326,): their reach of the root.
    """
    n_slots = t.first_slot[root + 1] - t.first_slot[root]
    for x in range(0, PADDED * n_slots, WIDTH):
        clear(p.scratch.weight, x)
    if best.any():
        _follow(t, root, other, p, choice, best)
    if player.any():
        _weigh(t, root, plays, player)
        for x in range(0, N_RIVER_HOLES * n_slots, WIDTH):
            add(p.scratch.weight, x, plays.scratch.weight, x)


@njit(cache=True)
def _collect(t, root, p, reach, won):
    """Add the ends' values of the learner's hands to those of their rows, and its value of the root to won (1326,).

    reach (1326,): its own, of the root.
    """
    hands, s, start = p.hands, p.scratch, t.first_slot[root]
    n_slots, base = t.first_slot[root + 1] - start, start * hands.size[1]
    for i in range(N_RIVER_HOLES):
        total, at = np.float32(0), base + hands.row[i] * n_slots
        s.root_reach[root, hands.row[i]] += reach[hands.hole[i]]
        for x in range(0, n_slots, WIDTH):
            add(s.end_value, at + x, s.value, i * n_slots + x)
        for x in range(n_slots):
            total += s.end_reach[at + x] * s.value[i * n_slots + x]
        won[hands.hole[i]] += total


@njit(cache=True)
def _learn(t, seat, p, time, regrets, averages):
    """Add the regrets of the learner's rows, value[action] - value[decision], and its own reach, both times `time`."""
    of, hands, s, n_rows = p.infosets.of, p.hands, p.scratch, p.hands.size[1]
    for root in range(t.root.shape[0]):
        d0, d1, base = t.first_decision[root], t.first_decision[root + 1], t.first_slot[root] * n_rows
        n_slots, e0 = t.first_slot[root + 1] - t.first_slot[root], t.first_edge[d0]
        for d in range(d1 - 1, d0 - 1, -1):
            first, end, mean = t.first_edge[d], t.first_edge[d + 1], s.row_value[_local(t, root, t.above[d])]
            mean[:n_rows] = 0
            for e in range(first, end):
                x = s.row_value[e - e0]
                if t.slot[e] >= 0:
                    for k in range(n_rows):
                        x[k] = s.end_value[base + k * n_slots + t.slot[e]]
                for k in range(n_rows):  # the other's chances count 1: the values have them already
                    mean[k] += s.chance[e, k] * x[k]
            if t.actor[d] == seat:
                situation = p.infosets.situation[t.node[d]]
                for k in range(n_rows):
                    infoset, own = of[hands.rows[k], situation], time * s.root_reach[root, k] * s.reach[t.above[d], k]
                    for e in range(first, end):
                        regrets[infoset, t.label[e]] += time * (s.row_value[e - e0, k] - mean[k])
                        averages[infoset, t.label[e]] += own * s.chance[e, k]


@njit(cache=True)
def _prepare(t, board, seat, p):
    """Read a board, and find a player's strategy and reach in a seat."""
    _read_board(board, p)
    _match(t, p.infosets, 1 - seat, p.hands.rows[: p.hands.size[1]], p.weights, p.scratch.chance)
    _reach_ends(t, p.hands, p.scratch)


@njit(cache=True)
def _add_all_ins(t, seat, p, reach, won):
    """Add what all-ins are worth on a board to the hands in a seat to won (all-ins, 1326); reach alike: of the other seat."""
    hands, s, n, all_holes = p.hands, p.scratch, t.stake.shape[1], np.ones(1326, dtype=np.float32)
    for e in range(reach.shape[0]):
        for i in range(N_RIVER_HOLES):
            s.weight[i * n + e] = reach[e, hands.hole[i]]
    if reach.shape[0] > 0:
        _values(t, np.int64(0), seat, hands, all_holes, s.weight, s.seen, s.value)  # a literal would compile it again
    for e in range(reach.shape[0]):
        for i in range(N_RIVER_HOLES):
            won[e, hands.hole[i]] += s.value[i * n + e]


@njit(cache=True, nogil=True)
def _respond(thread, rivers, boards, learner, reach, won):
    """As `best_responses`; the choices stay in the learner's scratch."""
    t = rivers.betting
    for seat in range(thread[0], 2, thread[1]):
        p, other = _in_seat(learner, seat), 1 - seat
        s, own = p.scratch, reach.betting[seat]
        for b in range(boards.shape[0]):
            _prepare(t, boards[b], seat, p)
            for root in range(t.root.shape[0]):
                _weigh(t, root, p, own[root])
                _values(t, root, other, p.hands, own[root], s.weight, s.seen, s.value)
                _best(t, root, other, p, s.choice[b], won.betting[other, root])
            _add_all_ins(rivers.all_ins, other, p, reach.all_ins[seat], won.all_ins[other])


@njit(cache=True, nogil=True)
def _train(thread, rivers, boards, learner, opponents, time, reach, won, regrets, averages):
    """As `train_rivers`; regrets, averages (2, infosets, labels): by seat, as learners in both may share an infoset."""
    t = rivers.betting
    for seat in range(thread[0], 2, thread[1]):
        p, plays, other = _in_seat(learner, seat), _in_seat(opponents.plays, seat), 1 - seat
        s, best, player = p.scratch, opponents.best[other], opponents.player[other]
        for b in range(boards.shape[0]):
            _prepare(t, boards[b], seat, p)
            if player.any():
                _prepare(t, boards[b], other, plays)
            for root in range(t.root.shape[0]):
                _meet(t, root, other, p, plays, s.choice[b], best[root], player[root])
                _values(t, root, seat, p.hands, best[root] + player[root], s.weight, s.seen, s.value)
                _collect(t, root, p, reach.betting[seat, root], won.betting[seat, root])
            _learn(t, seat, p, time, regrets[seat], averages[seat])
            _add_all_ins(rivers.all_ins, seat, p, opponents.all_ins[other], won.all_ins[seat])


def rows_before_river(policy: Policy, board: np.ndarray) -> list[StreetRows]:
    """A policy's rows on the streets before the river."""
    return [policy.street(street, board[: BOARD_CARDS[street]].tolist()) for street in range(3)]


def reach_before_river(tree: BettingTree, board: np.ndarray, rows: Sequence[StreetRows]) -> np.ndarray:
    """Reach (2, n_nodes, 1326) of what the first streets lead to, where both players play rows, with hands that a board leaves.

    All-ins before the flop, whose value is that over all boards, are reached with all hands.
    """
    n = int(tree.street_start[3])
    reach, left = np.ones((2, n, 1326), dtype=np.float32), np.tile(free_holes(board.tolist()), (n, 1))
    for street, of_street in enumerate(rows):
        street_reach(tree, street, of_street, reach)
    left[(tree.kind[:n] == SHOWDOWN) & (tree.street[:n] == 0)] = True
    reach *= left
    return reach


def beginnings(rivers: Rivers, numbers: np.ndarray) -> Beginnings:
    """Those of numbers (2, n_nodes, 1326) that are of nodes where the river begins."""
    return Beginnings(numbers.take(rivers.betting.root, axis=1), numbers.take(rivers.all_ins.root, axis=1))


def best_responses(rivers: Rivers, boards: np.ndarray, learner: Player, reach: Beginnings) -> Beginnings:
    """Values of best responses in each seat to the learner in the other, by its reach of the river: sums over boards (n, 5)."""
    won = Beginnings(*map(np.zeros_like, reach))
    on_threads(_respond, rivers, boards, learner, reach, won)
    return won


def train_rivers(
    rivers: Rivers, boards: np.ndarray, learner: Player, opponents: Opponents, time: float | np.floating, reach: Beginnings
) -> tuple[Beginnings, np.ndarray, np.ndarray]:
    """Values of learners in both seats against their opponents, and what they learn on the river: sums over boards (n, 5).

    Best responses are those that `best_responses` has found last, for the same boards. Learnt are regrets and summed strategies,
    (infosets, labels) each, times what the iteration counts.
    """
    won, (regrets, averages) = Beginnings(*map(np.zeros_like, reach)), np.zeros((2, 2, *learner.weights.shape), dtype=np.float32)
    on_threads(_train, rivers, boards, learner, opponents, np.float32(time), reach, won, regrets, averages)
    return won, regrets.sum(axis=0), averages.sum(axis=0)
