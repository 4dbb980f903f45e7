"""River boards: best responses that hold real cards, and what a player who groups hands learns
against an opponent.

A strategy is rows of a table, and a hand's row follows from its equity; a best response may play
each of the 1,081 hands otherwise. Hands are kept in order of strength. At the ends of the betting
all hands of one player meet all hands of the other, less those that share a card, by running sums
for each card (Johanson et al. 2011), 16 ends side by side.

As in `holdem/reference`: reach is a player's own, and values are counterfactual, sums over the
other player's hands times reach.
"""

from typing import NamedTuple

import numpy as np
from llvmlite import ir
from numba import config, njit

from faceup.cards.cards import HOLE_CARDS
from faceup.cards.equity import fill_river_equity
from faceup.cards.strength import N_RIVER_HOLES
from faceup.holdem.board import ALL, _order
from faceup.holdem.infosets import Infosets
from faceup.holdem.lanes import _lanes
from faceup.holdem.policy import StreetRows
from faceup.holdem.river_subgames import stakes_at
from faceup.holdem.rules import FOLD_END, SHOWDOWN
from faceup.holdem.tree import BettingTree, decisions
from faceup.util.parallel import on_threads

WIDTH = 16  # ends side by side
PADDED = 1088  # hands, in whole vectors
# hands whose ends are turned at a time, from side by side by slot to side by side by hand
_BLOCK = 16
_ZERO = (
    np.float32(0)
    if config.DISABLE_JIT
    else ir.Constant(ir.VectorType(ir.FloatType(), WIDTH), [0.0] * WIDTH)
)
clear = _lanes(WIDTH, lambda b, out: _ZERO)  # out = 0
negate = _lanes(WIDTH, lambda b, out: b.fsub(_ZERO, out))  # out = -out
add = _lanes(WIDTH, lambda b, out, x: b.fadd(out, x))  # out += x
# out = stake * (every - x - y): what a showdown is worth, from sums over all hands and those with
# either card
shown = _lanes(WIDTH, lambda b, out, stake, every, x, y: b.fmul(stake, b.fsub(b.fsub(every, x), y)))
# out = stake * (every - x - y + own): what a fold is worth; the hand itself was taken off twice
folded = _lanes(
    WIDTH,
    lambda b, out, stake, every, x, y, own: b.fmul(stake, b.fadd(b.fsub(b.fsub(every, x), y), own)),
)
_add_product = _lanes(WIDTH, lambda b, out, x, y: b.fadd(out, b.fmul(x, y)))  # out += x * y


class Subtree(NamedTuple):
    """The betting below a node at which the river begins; an edge is an action.

    Its ends have slots: showdowns first, then folds, each kind padded to whole vectors.
    """

    node: np.ndarray  # (decisions,) int32 of the tree, parents first
    actor: np.ndarray  # (decisions,) int8
    # (decisions,) int32 edge that leads to a decision; to the root it is number `edges`
    above: np.ndarray
    first: np.ndarray  # (decisions,) int32 first edge
    end: np.ndarray  # (decisions,) int32
    label: np.ndarray  # (edges,) int8 what the action is called
    slot: np.ndarray  # (edges,) int32 of an end; -1 at a decision
    # (2, slots) float32 dollars that an end is worth to each player; 0 in the padding
    stake: np.ndarray
    n_shown: np.ndarray  # (1,) int32 slots of showdowns


class Subtrees(NamedTuple):
    """All of a tree's river betting, in the order of its nodes."""

    root: np.ndarray  # (n,) int32 nodes at which the river begins
    begin: np.ndarray  # (n + 1, 3) int64 first decision, edge and slot of each subtree
    joined: Subtree  # their arrays, one after the other


class Hands(NamedTuple):
    """The 1,081 hands of a board, weakest first."""

    hole: np.ndarray  # (1081,) int16
    start: np.ndarray  # (strengths + 1,) int32 first hand of each strength
    rows: np.ndarray  # (rows,) int64 of a strategy's table, those that are played here
    row: np.ndarray  # (1081,) int64 place of each hand's row in `rows`


class Play(NamedTuple):
    """How the rows of a strategy play a subtree. Rows lie side by side along edges, slots along the
    ends of one row.
    """

    chance: np.ndarray  # (edges, rows) float32 of an action; 1 where the other player acts
    # (edges + 1, rows) float32 a row's own reach of each edge, from 1 at the root
    reach: np.ndarray
    end_reach: np.ndarray  # (rows * slots,) float32 and of each end


class Scratch(NamedTuple):
    """What sweeps of a subtree's hands write."""

    edge: np.ndarray  # (most edges + 1, 1088) float32 values, then reach, of the responder's hands
    # (1088 * most slots,) float32 reach of each end with each hand, of one player
    weight: np.ndarray
    value: np.ndarray  # (1088 * most slots,) float32 value of each end to each hand of the other
    seen: np.ndarray  # (53 * most slots,) float32 running sums by card


class UpdateWeight(NamedTuple):
    """How much what is learnt counts."""

    time: np.float32  # what the iteration counts
    by_reach: bool  # regrets count the learner's own reach, too: see `holdem/safe`


class Reach(NamedTuple):
    """Reach of the subtrees' roots, each (2, subtrees, 1326) float32, of the learner in a seat and
    of whom it meets there.
    """

    own: np.ndarray
    best: np.ndarray  # of a best response
    other: np.ndarray  # of a player with a strategy


def make_subtrees(tree: BettingTree) -> Subtrees:
    """The river betting of a tree."""
    start, node = int(tree.street_start[3]), decisions(tree, 3)
    node = node[np.argsort(tree.first_child[node])]  # one subtree after the other
    begins = np.flatnonzero(node < start)
    root, kind = node[begins], tree.kind[start:]
    first_decision, first_edge = (
        np.append(begins, len(node)),
        np.append(tree.first_child[root] - start, len(kind)),
    )
    slot, first_slot, n_shown = np.full(len(kind), -1, dtype=np.int32), [0], []
    for edge, end in zip(first_edge, first_edge[1:], strict=False):
        padded: list[int] = []
        for wanted in (SHOWDOWN, FOLD_END):
            ends = edge + np.flatnonzero(kind[edge:end] == wanted)
            slot[ends] = sum(padded) + np.arange(len(ends))
            padded.append(-(-len(ends) // WIDTH) * WIDTH)
        first_slot.append(first_slot[-1] + sum(padded))
        n_shown.append(padded[0])
    of_edge, ends = np.repeat(np.arange(len(root)), np.diff(first_edge)), np.flatnonzero(slot >= 0)
    stake = np.zeros((2, first_slot[-1]), dtype=np.float32)
    stake[:, np.array(first_slot)[of_edge[ends]] + slot[ends]] = stakes_at(tree, start + ends).T
    of = np.repeat(np.arange(len(root)), np.diff(first_decision))
    above = np.where(node < start, np.diff(first_edge)[of], node - start - first_edge[of])
    first = tree.first_child[node] - start - first_edge[of]
    joined = Subtree(
        node, tree.actor[node], above.astype(np.int32), first.astype(np.int32),
        (first + tree.n_children[node]).astype(np.int32), tree.label[start:], slot, stake, np.array(n_shown, dtype=np.int32),
    )  # fmt: skip
    return Subtrees(
        root, np.stack([first_decision, first_edge, first_slot], axis=1).astype(np.int64), joined
    )


@njit(cache=True)
def _subtree(t, k):
    """The k-th subtree."""
    d, e, s = t.begin[k, 0], t.begin[k, 1], t.begin[k, 2]
    d_end, e_end, s_end, x = t.begin[k + 1, 0], t.begin[k + 1, 1], t.begin[k + 1, 2], t.joined
    return Subtree(
        x.node[d:d_end], x.actor[d:d_end], x.above[d:d_end], x.first[d:d_end], x.end[d:d_end], x.label[e:e_end],
        x.slot[e:e_end], x.stake[:, s:s_end], x.n_shown[k : k + 1],
    )  # fmt: skip


@njit(cache=True)
def _new_scratch(t):
    """Arrays large enough for any subtree."""
    edges, slots = (
        (t.begin[1:, 1] - t.begin[:-1, 1]).max(),
        (t.begin[1:, 2] - t.begin[:-1, 2]).max(),
    )
    edge, weight = np.empty((edges + 1, PADDED), np.float32), np.empty(PADDED * slots, np.float32)
    # nobody writes the padding of values
    return Scratch(edge, weight, np.zeros_like(weight), np.empty(53 * slots, np.float32))


@njit(cache=True)
def _read(board, row_of_equity):
    """The hands of a board."""
    order, equity = _order(board), np.empty(1326, dtype=np.int32)
    fill_river_equity(board, equity)
    own = row_of_equity[equity[order.holes]]
    place = np.zeros(row_of_equity.max() + 1, dtype=np.int64)
    place[own] = 1
    rows = np.flatnonzero(place)
    place[rows] = np.arange(rows.shape[0])
    return Hands(order.holes, order.class_start, rows, place[own])


@njit(cache=True)
def _forward(t, seat, table, rows):
    """How rows of a strategy, a table of the subtree's edges, play in a seat."""
    n_rows, n_edges, n_slots = rows.shape[0], t.label.shape[0], t.stake.shape[1]
    chances, reaches = (
        np.ones((n_edges, n_rows), np.float32),
        np.ones((n_edges + 1, n_rows), np.float32),
    )
    end_reach = np.zeros(n_rows * n_slots, np.float32)
    for d in range(t.node.shape[0]):
        above = reaches[t.above[d]]
        for e in range(t.first[d], t.end[d]):
            chance, reach, slot = chances[e], reaches[e], t.slot[e]
            if t.actor[d] == seat:
                for k in range(n_rows):
                    chance[k] = table[rows[k], e]
            for k in range(n_rows):
                reach[k] = above[k] * chance[k]
            if slot >= 0:
                for k in range(n_rows):
                    end_reach[k * n_slots + slot] = reach[k]
    return Play(chances, reaches, end_reach)


@njit(cache=True)
def _weigh(hands, reach, end_reach, weight):
    """Add a player's reach of ends with each hand, from that of the root, reach (1326,), and its
    rows' since the root.
    """
    own, n_slots = np.empty(WIDTH, dtype=np.float32), end_reach.shape[0] // hands.rows.shape[0]
    for i in range(N_RIVER_HOLES):
        own[:] = reach[hands.hole[i]]
        for x in range(0, n_slots, WIDTH):
            _add_product(weight, i * n_slots + x, own, 0, end_reach, hands.row[i] * n_slots + x)


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
            add(seen, ALL * n_slots + x, weight, i * n_slots + x)


@njit(cache=True)
def _values(t, player, hands, reach, s):
    """What each of a player's hands gets at each end, s.value, from the other player's hands'
    weights there, s.weight.

    reach (1326,): the other player's, of the root. At showdowns seen[c] is twice the weight of
    weaker hands with card c, plus once that of equal ones, less the total: a win counts 2 - 1, a
    tie 1 - 1, a loss 0 - 1. At folds it is the total.
    """
    n_shown, stake = t.n_shown[0], t.stake[player]
    n_slots = np.int64(stake.shape[0])  # uncompiled, a card times a plain int would be an int8
    weight, value, seen, every, n_strengths = (
        s.weight,
        s.value,
        s.seen,
        ALL * n_slots,
        hands.start.shape[0] - 1,
    )
    for x in range(0, 53 * n_slots, WIDTH):
        clear(seen, x)
    _add_hands(
        hands, hands.start[0], hands.start[n_strengths], reach, weight, n_slots, n_slots, seen
    )
    for c in range(53):
        for x in range(0, n_shown, WIDTH):
            negate(seen, c * n_slots + x)
    for k in range(n_strengths):
        first, end = hands.start[k], hands.start[k + 1]
        _add_hands(hands, first, end, reach, weight, n_slots, n_shown, seen)
        for i in range(first, end):
            a, b = HOLE_CARDS[hands.hole[i], 0] * n_slots, HOLE_CARDS[hands.hole[i], 1] * n_slots
            for x in range(0, n_shown, WIDTH):
                shown(value, i * n_slots + x, stake, x, seen, every + x, seen, a + x, seen, b + x)
            for x in range(n_shown, n_slots, WIDTH):
                folded(
                    value,
                    i * n_slots + x,
                    stake,
                    x,
                    seen,
                    every + x,
                    seen,
                    a + x,
                    seen,
                    b + x,
                    weight,
                    i * n_slots + x,
                )
        _add_hands(hands, first, end, reach, weight, n_slots, n_shown, seen)


@njit(cache=True)
def _transpose_ends(t, value, edge, back):
    """Copy ends of hands from value (1088 * slots) to their edges in edge (edges, 1088), or back."""
    n_slots = t.stake.shape[1]
    for block in range(0, PADDED, _BLOCK):
        for e in range(t.label.shape[0]):
            if t.slot[e] < 0:
                continue
            at = block * n_slots + t.slot[e]
            if back:
                for i in range(_BLOCK):
                    value[at + i * n_slots] = edge[e, block + i]
            else:
                for i in range(_BLOCK):
                    edge[e, block + i] = value[at + i * n_slots]


@njit(cache=True)
def _take_best(k, x, best, which):
    """best = max(best, x), and which = k where x is larger."""
    for i in range(best.shape[0]):
        larger = x[i] > best[i]
        best[i] = x[i] if larger else best[i]
        which[i] = k if larger else which[i]


@njit(cache=True)
def _best(t, responder, hands, s, actions, won):
    """Best actions, actions (decisions, 1088), and the root's value, added to won (1326,), of the
    responder's hands.
    """
    edge = s.edge
    _transpose_ends(t, s.value, edge, False)
    for d in range(t.node.shape[0] - 1, -1, -1):
        out, which = edge[t.above[d]], actions[d]
        out[:] = edge[t.first[d]]
        which[:] = 0
        for e in range(t.first[d] + 1, t.end[d]):
            if t.actor[d] == responder:
                _take_best(np.int8(e - t.first[d]), edge[e], out, which)
            else:
                x = edge[e]
                for i in range(PADDED):
                    out[i] += x[i]
    for i in range(N_RIVER_HOLES):
        won[hands.hole[i]] += edge[t.label.shape[0], i]


@njit(cache=True)
def _follow(t, responder, hands, s, actions, reach):
    """A best response's reach of ends with each hand, from its actions and its reach of the root,
    reach (1326,).
    """
    edge = s.edge
    for i in range(N_RIVER_HOLES):
        edge[t.label.shape[0], i] = reach[hands.hole[i]]
    for d in range(t.node.shape[0]):
        source, which = edge[t.above[d]], actions[d]
        for e in range(t.first[d], t.end[d]):
            out, k = edge[e], np.int8(e - t.first[d])
            if t.actor[d] == responder:
                for i in range(PADDED):
                    out[i] = source[i] if which[i] == k else np.float32(0)
            else:
                out[:] = source
    _transpose_ends(t, s.weight, edge, True)


@njit(cache=True)
def _collect(hands, end_reach, value, own, by_reach, end_value, won):
    """Add the ends' values of the learner's hands, as they count, to their rows', and its value of
    the root to won (1326,).

    own (1326,): its reach of the root.
    """
    share, products, n_slots = (
        np.ones(WIDTH, np.float32),
        np.empty(WIDTH, np.float32),
        end_reach.shape[0] // hands.rows.shape[0],
    )
    for i in range(N_RIVER_HOLES):
        at, total = hands.row[i] * n_slots, won[hands.hole[i]]
        if by_reach:
            share[:] = own[hands.hole[i]]
        clear(products, 0)
        for x in range(0, n_slots, WIDTH):
            _add_product(end_value, at + x, share, 0, value, i * n_slots + x)
            _add_product(products, 0, end_reach, at + x, value, i * n_slots + x)
        for x in range(WIDTH):
            total += products[x]
        won[hands.hole[i]] = total


@njit(cache=True)
def _learn(t, seat, infosets, hands, own, play, end_value, update, regrets, averages):
    """Add the regrets of the learner's rows, value[action] - value[decision], as update, and its
    own reach times their time.

    own (1326,): its reach of the root; end_value (rows * slots,): value of each end, summed over a
    row's hands as they count.
    """
    n_rows, n_edges, n_slots = hands.rows.shape[0], t.label.shape[0], t.stake.shape[1]
    values, root_reach = np.empty((n_edges + 1, n_rows), np.float32), np.zeros(n_rows, np.float32)
    for i in range(N_RIVER_HOLES):
        root_reach[hands.row[i]] += own[hands.hole[i]]
    for d in range(t.node.shape[0] - 1, -1, -1):
        first, end, mean = t.first[d], t.end[d], values[t.above[d]]
        mean[:] = 0
        for e in range(first, end):
            if t.slot[e] >= 0:
                for k in range(n_rows):
                    values[e, k] = end_value[k * n_slots + t.slot[e]]
            for k in range(n_rows):  # the other's chances count 1: the values have them already
                mean[k] += play.chance[e, k] * values[e, k]
        if t.actor[d] == seat:
            situation = infosets.situation[t.node[d]]
            for k in range(n_rows):
                infoset, since_root = (
                    infosets.of[hands.rows[k], situation],
                    play.reach[t.above[d], k],
                )
                reach = update.time * root_reach[k] * since_root
                share = update.time * since_root if update.by_reach else update.time
                for e in range(first, end):
                    regrets[infoset, t.label[e]] += share * (values[e, k] - mean[k])
                    averages[infoset, t.label[e]] += reach * play.chance[e, k]


@njit(cache=True, nogil=True)
def _respond(thread, t, boards, strategy, reach, won, actions):
    """As `best_responses`."""
    table, row_of_equity = strategy
    s = _new_scratch(t)
    for seat in range(thread[0], 2, thread[1]):
        for b in range(boards.shape[0]):
            hands = _read(boards[b], row_of_equity)
            for k in range(t.root.shape[0]):
                own, subtree, begin, end = (
                    reach[seat, k],
                    _subtree(t, k),
                    t.begin[k],
                    t.begin[k + 1],
                )
                if not own.any():  # all actions are worth 0
                    continue
                play, n_slots = (
                    _forward(subtree, seat, table[:, begin[1] : end[1]], hands.rows),
                    end[2] - begin[2],
                )
                s.weight[: PADDED * n_slots] = 0
                _weigh(hands, own, play.end_reach, s.weight)
                _values(subtree, 1 - seat, hands, own, s)
                _best(
                    subtree,
                    1 - seat,
                    hands,
                    s,
                    actions[1 - seat, b, begin[0] : end[0]],
                    won[1 - seat, k],
                )


@njit(cache=True, nogil=True)
def _train(
    thread, t, boards, infosets, strategy, others, reach, actions, update, won, regrets, averages
):
    """As `learn_rivers`; regrets, averages (2, infosets, labels): by seat, as learners in both may
    share an infoset.
    """
    s = _new_scratch(t)
    for seat in range(thread[0], 2, thread[1]):
        meets_other = reach.other[1 - seat].any()
        for b in range(boards.shape[0]):
            hands = _read(boards[b], strategy[1])
            theirs = _read(boards[b], others[1]) if meets_other else hands
            for k in range(t.root.shape[0]):
                own, best, other = (
                    reach.own[seat, k],
                    reach.best[1 - seat, k],
                    reach.other[1 - seat, k],
                )
                is_best, is_other, begin, end = best.any(), other.any(), t.begin[k], t.begin[k + 1]
                if not (is_best or is_other or own.any()):  # nothing to learn
                    continue
                subtree, columns, n_slots = (
                    _subtree(t, k),
                    slice(begin[1], end[1]),
                    end[2] - begin[2],
                )
                play = _forward(subtree, seat, strategy[0][:, columns], hands.rows)
                end_value = np.zeros_like(play.end_reach)
                if is_best or is_other:
                    s.weight[: PADDED * n_slots] = 0
                    if is_best:
                        _follow(
                            subtree,
                            1 - seat,
                            hands,
                            s,
                            actions[1 - seat, b, begin[0] : end[0]],
                            best,
                        )
                    if is_other:
                        plays = _forward(subtree, 1 - seat, others[0][:, columns], theirs.rows)
                        _weigh(theirs, other, plays.end_reach, s.weight)
                    _values(subtree, seat, hands, best + other, s)
                    _collect(
                        hands,
                        play.end_reach,
                        s.value,
                        own,
                        update.by_reach,
                        end_value,
                        won[seat, k],
                    )
                _learn(
                    subtree,
                    seat,
                    infosets,
                    hands,
                    own,
                    play,
                    end_value,
                    update,
                    regrets[seat],
                    averages[seat],
                )


def best_responses(
    t: Subtrees, boards: np.ndarray, strategy: StreetRows, reach: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Best responses in each seat to a strategy in the other, by its reach of the roots, (2,
    subtrees, 1326), on boards (n, 5).

    strategy: a table (rows, width), and the row of each equity (1981,). Returns values of the
    roots, sums over boards, (2, subtrees, 1326); and the actions, (2, n, decisions, 1088) int8, of
    a board's hands in order of strength.
    """
    won, actions = (
        np.zeros_like(reach),
        np.zeros((2, len(boards), len(t.joined.node), PADDED), dtype=np.int8),
    )
    on_threads(_respond, t, boards, strategy, reach, won, actions)
    return won, actions


def learn_rivers(
    t: Subtrees, boards: np.ndarray, infosets: Infosets, strategies: tuple[StreetRows, StreetRows], reach: Reach,
    actions: np.ndarray, update: UpdateWeight, learnt: tuple[np.ndarray, np.ndarray],
) -> np.ndarray:  # fmt: skip
    """Values of the roots to learners in both seats against their opponents, sums over boards (n,
    5), (2, subtrees, 1326).

    strategies: the learner's and the other player's; actions: the best responses'. Adds to the
    learner's regrets and summed strategies, learnt, (infosets, labels) each.
    """
    won, (regrets, averages) = (
        np.zeros_like(reach.own),
        np.zeros((2, 2, *learnt[0].shape), dtype=np.float32),
    )
    on_threads(
        _train, t, boards, infosets, *strategies, reach, actions, update, won, regrets, averages
    )
    for table, added in zip(learnt, (regrets, averages), strict=True):
        table += added.sum(axis=0)
    return won
