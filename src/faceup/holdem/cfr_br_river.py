"""CFR-BR on the river: best responses that hold real cards, and the abstracted learner's regrets.

The learner's strategy is a table of rows, and a hand's row follows from its equity; a best response
may play each of the 1,081 hands of a board differently. A hand is a hole here, not a whole game,
and hand i is the hole at place i in the order of strength (`holdem/board`). At the ends of the
betting all hands of one player play against all hands of the other, less those that share a card: a
sweep by strength with running sums for each card (Johanson et al. 2011), ENDS_AT_ONCE ends side by
side.

As in `holdem/reference`: reach is a player's own, and values are counterfactual, sums over the
other player's hands times their reach.

Exploitability takes its best responses on the river from another kernel, `best_response_river`,
which gives values alone and many subgames at once.
"""

from typing import NamedTuple

import numpy as np
from numba import njit

from faceup.cards.cards import HOLE_CARDS, N_HOLES
from faceup.cards.equity import fill_river_equity
from faceup.cards.strength import N_RIVER_HOLES
from faceup.holdem.betting_tree import BettingTree
from faceup.holdem.board import ALL, N_SUMS, sort_holes
from faceup.holdem.infosets import Infosets
from faceup.holdem.policy import StreetRows
from faceup.holdem.river_subgames import RiverSubgames, make_river_subgames
from faceup.holdem.vector_arithmetic import vector_operation
from faceup.util.parallel import on_threads

ENDS_AT_ONCE = 16  # ends side by side
PADDED = 1088  # a board's hands, in whole vectors
_BLOCK = 16  # hands transposed at a time

add_ends = vector_operation(ENDS_AT_ONCE, lambda b, out, x: b.fadd(out, x))  # out += x
# out += x * y
add_product_ends = vector_operation(ENDS_AT_ONCE, lambda b, out, x, y: b.fadd(out, b.fmul(x, y)))
# out = stake * (every - x - y): the value of a showdown, from sums over all hands and those with
# either card
showdown_ends = vector_operation(
    ENDS_AT_ONCE, lambda b, out, stake, every, x, y: b.fmul(stake, b.fsub(b.fsub(every, x), y))
)
# out = stake * (every - x - y + itself): the value of a fold; the hand itself was taken off twice
fold_ends = vector_operation(
    ENDS_AT_ONCE,
    lambda b, out, stake, every, x, y, itself: b.fmul(
        stake, b.fadd(b.fsub(b.fsub(every, x), y), itself)
    ),
)


class BettingSubgames(NamedTuple):
    """A tree's river subgames with betting one by one, in the order of the tree, without all-ins
    before the river; kernels take the k-th by `_subgame`.

    A subgame's last node is its root; each other one stands for the action that leads to it.
    """

    root: np.ndarray  # (n,) int32 nodes at which the river begins
    begin: np.ndarray  # (n + 1, 3) int64 first node, decision and end of each
    joined: (
        RiverSubgames  # of one lane: arrays one after the other, and an array (n,) of each number
    )
    label: np.ndarray  # (nodes of the tree,) int8 the action that leads to a node


class Hands(NamedTuple):
    """The 1,081 hands of a board, weakest first."""

    hole: np.ndarray  # (1081,) int16
    start: np.ndarray  # (strengths + 1,) int32 first hand of each strength
    rows: np.ndarray  # (n_rows,) int64 of a strategy's table, those that the board's hands have
    row_index: np.ndarray  # (1081,) int64 index of each hand's row in `rows`


class RowPlay(NamedTuple):
    """A strategy's rows in a subgame. Rows lie side by side by node, slots along the ends of one
    row.
    """

    # (n_actions, n_rows) float32 probability of an action; 1 where the other player acts
    probability: np.ndarray
    reach: np.ndarray  # (n_nodes, n_rows) float32 a row's own reach from the root, there 1
    end_reach: np.ndarray  # (n_rows * n_ends,) float32 the same by end


class Scratch(NamedTuple):
    """What a thread writes, large enough for any subgame."""

    # (n_nodes, 1088) float32 values, then reach, of the responder's hands
    by_node: np.ndarray
    end_reach: np.ndarray  # (1088 * n_ends,) float32 one player's reach of each end with each hand
    value: np.ndarray  # (1088 * n_ends,) float32 value of each end to each hand of the other player
    card_sums: np.ndarray  # (53 * n_ends,) float32 running sums by card


class UpdateWeight(NamedTuple):
    """Weight of what an iteration adds."""

    iteration_weight: np.float32
    by_reach: bool  # regrets are weighed by the learner's own reach, too: see `holdem/cfr_br`


class RootReach(NamedTuple):
    """Reach of the subgames' roots, each (2, n, 1326) float32, of the learner in a seat, and of its
    opponent there by what it plays.
    """

    learner: np.ndarray
    best_response: np.ndarray
    rest: np.ndarray  # by the strategy that the opponent plays in the rest of the games


def betting_subgames(tree: BettingTree) -> BettingSubgames:
    """The river subgames of a tree, without all-ins before the river."""
    each = [some for some in make_river_subgames(tree, 1, ENDS_AT_ONCE) if len(some.decision)]
    each.sort(key=lambda one: one.tree_node[-1, 0])
    sizes = [(len(one.tree_node), len(one.decision), one.n_ends) for one in each]
    joined = [np.concatenate([*map(np.atleast_1d, field)]) for field in zip(*each, strict=True)]
    root = np.array([one.tree_node[-1, 0] for one in each])
    return BettingSubgames(
        root, np.cumsum([(0, 0, 0), *sizes], axis=0), RiverSubgames._make(joined), tree.label
    )


@njit(cache=True)
def _subgame(subgames, k):
    """The k-th subgame, and its columns in a table of the river's actions."""
    x, (n, d, e), (n_end, d_end, e_end) = subgames.joined, subgames.begin[k], subgames.begin[k + 1]
    first = x.tree_node[n, 0] - x.first_node[k]
    return RiverSubgames(
        x.tree_node[n:n_end],
        x.slot[n:n_end],
        x.decision[d:d_end],
        x.actor[d:d_end],
        x.first_child[d:d_end],
        x.n_children[d:d_end],
        x.stake_against[e:e_end],
        x.n_shown[k],
        x.n_ends[k],
        x.first_node[k],
    ), slice(first, first + n_end - n - 1)


@njit(cache=True)
def _new_scratch(subgames):
    """Arrays large enough for any subgame."""
    sizes = subgames.begin[1:] - subgames.begin[:-1]
    n_nodes, n_ends = sizes[:, 0].max(), sizes[:, 2].max()
    by_node = np.empty((n_nodes, PADDED), np.float32)
    reach, sums = np.empty(PADDED * n_ends, np.float32), np.empty(N_SUMS * n_ends, np.float32)
    return Scratch(by_node, reach, np.zeros_like(reach), sums)  # nobody writes values' padding


@njit(cache=True)
def _hands_of(board, row_of_equity):
    """The hands of a board (5,), with the row of a strategy that each equity (1981,) has."""
    order, equity = sort_holes(board), np.empty(N_HOLES, dtype=np.int32)
    fill_river_equity(board, equity)
    row_of_hand = row_of_equity[equity[order.holes]]
    index = np.zeros(row_of_equity.max() + 1, dtype=np.int64)
    index[row_of_hand] = 1
    rows = np.flatnonzero(index)
    index[rows] = np.arange(rows.shape[0])
    return Hands(order.holes, order.strength_start, rows, index[row_of_hand])


@njit(cache=True)
def _play_rows(subgame, seat, table, rows):
    """`RowPlay` of rows (n_rows,) of a strategy in a seat; table (rows, n_actions) float32."""
    n_rows, n_actions, n_ends = rows.shape[0], table.shape[1], subgame.n_ends
    probabilities = np.ones((n_actions, n_rows), np.float32)
    reaches = np.ones((n_actions + 1, n_rows), np.float32)
    end_reach = np.zeros(n_rows * n_ends, np.float32)
    for d in range(subgame.actor.shape[0]):
        above, first = reaches[subgame.decision[d]], subgame.first_child[d]
        for e in range(first, first + subgame.n_children[d]):
            probability, reach, slot = probabilities[e], reaches[e], subgame.slot[e]
            if subgame.actor[d] == seat:
                for k in range(n_rows):
                    probability[k] = table[rows[k], e]
            for k in range(n_rows):
                reach[k] = above[k] * probability[k]
            if slot < n_ends:
                for k in range(n_rows):
                    end_reach[k * n_ends + slot] = reach[k]
    return RowPlay(probabilities, reaches, end_reach)


@njit(cache=True)
def _add_end_reach(hands, root_reach, row_reach, end_reach):
    """Add a player's reach of ends with each hand to end_reach (1088 * n_ends,): its reach of the
    root, root_reach (1326,), times its row's from there, row_reach (n_rows * n_ends,).
    """
    n_ends, factor = row_reach.shape[0] // hands.rows.shape[0], np.empty(ENDS_AT_ONCE, np.float32)
    for i in range(N_RIVER_HOLES):
        factor[:] = root_reach[hands.hole[i]]
        for x in range(0, n_ends, ENDS_AT_ONCE):
            at, row = i * n_ends + x, hands.row_index[i] * n_ends + x
            add_product_ends(end_reach, at, factor, 0, row_reach, row)


@njit(cache=True)
def _add_hands(hands, first, end, root_reach, end_reach, n_ends, n_added, card_sums):
    """Add hands' reach of the first n_added slots to the sums of their two cards and of all."""
    for i in range(first, end):
        if root_reach[hands.hole[i]] == 0:
            continue
        a, b = HOLE_CARDS[hands.hole[i], 0] * n_ends, HOLE_CARDS[hands.hole[i], 1] * n_ends
        for x in range(0, n_added, ENDS_AT_ONCE):
            add_ends(card_sums, a + x, end_reach, i * n_ends + x)
            add_ends(card_sums, b + x, end_reach, i * n_ends + x)
            add_ends(card_sums, ALL * n_ends + x, end_reach, i * n_ends + x)


@njit(cache=True)
def _subgame_end_values(subgame, player, hands, opposing_reach, scratch):
    """Value of each end to each of a player's hands, scratch.value, from the opponent's reach of
    ends with each hand, scratch.end_reach.

    opposing_reach (1326,) float32: the opponent's, of the root. At showdowns card_sums[c] is twice
    the reach of weaker hands with card c, plus once that of equal ones, less the total: a win
    counts 2 - 1, a tie 1 - 1, a loss 0 - 1. At folds it is the total.
    """
    n_shown, stake = subgame.n_shown, subgame.stake_against[:, 1 - player, 0].copy()
    n_ends = np.int64(subgame.n_ends)  # uncompiled, a card times a plain int would be an int8
    end_reach, value, sums = scratch.end_reach, scratch.value, scratch.card_sums
    every, start, n_strengths = ALL * n_ends, hands.start, hands.start.shape[0] - 1
    sums[: N_SUMS * n_ends] = 0
    _add_hands(hands, start[0], start[n_strengths], opposing_reach, end_reach, n_ends, n_ends, sums)
    for c in range(N_SUMS):
        for x in range(c * n_ends, c * n_ends + n_shown):
            sums[x] = np.float32(0) - sums[x]
    for k in range(n_strengths):
        _add_hands(hands, start[k], start[k + 1], opposing_reach, end_reach, n_ends, n_shown, sums)
        for i in range(start[k], start[k + 1]):
            at, hole = i * n_ends, hands.hole[i]
            a, b = HOLE_CARDS[hole, 0] * n_ends, HOLE_CARDS[hole, 1] * n_ends
            for x in range(0, n_shown, ENDS_AT_ONCE):
                showdown_ends(value, at + x, stake, x, sums, every + x, sums, a + x, sums, b + x)
            for x in range(n_shown, n_ends, ENDS_AT_ONCE):
                fold_ends(
                    value,
                    at + x,
                    stake,
                    x,
                    sums,
                    every + x,
                    sums,
                    a + x,
                    sums,
                    b + x,
                    end_reach,
                    at + x,
                )
        _add_hands(hands, start[k], start[k + 1], opposing_reach, end_reach, n_ends, n_shown, sums)


@njit(cache=True)
def _transpose_ends(subgame, value, by_node, back):
    """Copy ends of hands from value (1088 * n_ends,) to by_node (n_nodes, 1088), or back."""
    n_ends = subgame.n_ends
    for block in range(0, PADDED, _BLOCK):
        for e in range(by_node.shape[0] - 1):
            if subgame.slot[e] >= n_ends:
                continue
            at = block * n_ends + subgame.slot[e]
            if back:
                for i in range(_BLOCK):
                    value[at + i * n_ends] = by_node[e, block + i]
            else:
                for i in range(_BLOCK):
                    by_node[e, block + i] = value[at + i * n_ends]


@njit(cache=True)
def _update_best(k, x, best, which):
    """best = max(best, x), and which = k where x is larger."""
    for i in range(best.shape[0]):
        larger = x[i] > best[i]
        best[i] = x[i] if larger else best[i]
        which[i] = k if larger else which[i]


@njit(cache=True)
def _backward_best(subgame, responder, hands, scratch, actions, won):
    """Backward pass with the responder's best actions, from scratch.value.

    Fills actions (n_decisions, 1088) int8; the root's values are added to won (1326,) float32.
    """
    by_node = scratch.by_node[: subgame.tree_node.shape[0]]
    _transpose_ends(subgame, scratch.value, by_node, False)
    for d in range(subgame.actor.shape[0] - 1, -1, -1):
        out, which, first = by_node[subgame.decision[d]], actions[d], subgame.first_child[d]
        out[:] = by_node[first]
        which[:] = 0
        for e in range(first + 1, first + subgame.n_children[d]):
            if subgame.actor[d] == responder:
                _update_best(np.int8(e - first), by_node[e], out, which)
            else:
                x = by_node[e]
                for i in range(PADDED):
                    out[i] += x[i]
    for i in range(N_RIVER_HOLES):
        won[hands.hole[i]] += by_node[by_node.shape[0] - 1, i]


@njit(cache=True)
def _forward_best(subgame, responder, hands, scratch, actions, reach):
    """Forward pass of a best response: its reach of ends with each hand, scratch.end_reach, from
    its actions (n_decisions, 1088) int8 and its reach of the root, reach (1326,) float32.
    """
    by_node = scratch.by_node[: subgame.tree_node.shape[0]]
    for i in range(N_RIVER_HOLES):
        by_node[by_node.shape[0] - 1, i] = reach[hands.hole[i]]
    for d in range(subgame.actor.shape[0]):
        source, which, first = by_node[subgame.decision[d]], actions[d], subgame.first_child[d]
        for e in range(first, first + subgame.n_children[d]):
            out, k = by_node[e], np.int8(e - first)
            if subgame.actor[d] == responder:
                for i in range(PADDED):
                    out[i] = source[i] if which[i] == k else np.float32(0)
            else:
                out[:] = source
    _transpose_ends(subgame, scratch.end_reach, by_node, True)


@njit(cache=True)
def _sum_rows(hands, row_reach, value, learner_reach, by_reach, row_value, won):
    """Add the ends' values of the learner's hands, value (1088 * n_ends,), to those of their rows,
    row_value (n_rows * n_ends,), and its value of the root to won (1326,).

    row_reach (n_rows * n_ends,): its reach of ends from the root; learner_reach (1326,): its reach
    of the root, by which a row's hands are weighed if by_reach.
    """
    weight, products = np.ones(ENDS_AT_ONCE, np.float32), np.empty(ENDS_AT_ONCE, np.float32)
    n_ends = row_reach.shape[0] // hands.rows.shape[0]
    for i in range(N_RIVER_HOLES):
        at, total = hands.row_index[i] * n_ends, won[hands.hole[i]]
        if by_reach:
            weight[:] = learner_reach[hands.hole[i]]
        products[:] = 0
        for x in range(0, n_ends, ENDS_AT_ONCE):
            add_product_ends(row_value, at + x, weight, 0, value, i * n_ends + x)
            add_product_ends(products, 0, row_reach, at + x, value, i * n_ends + x)
        for x in range(ENDS_AT_ONCE):
            total += products[x]
        won[hands.hole[i]] = total


@njit(cache=True)
def _learn_subgame(
    subgame,
    label,
    seat,
    infosets,
    hands,
    learner_reach,
    play,
    row_value,
    update,
    regrets,
    strategy_sums,
):
    """Add the learner's regrets, value[action] - value[decision], and its own reach, both as
    `update` says, to regrets and strategy_sums (n_infosets, n_labels) float32.

    learner_reach (1326,): its reach of the root; row_value (n_rows * n_ends,): value of each end,
    summed over a row's hands; label: of `BettingSubgames`.
    """
    n_rows, n_nodes, n_ends = hands.rows.shape[0], subgame.tree_node.shape[0], subgame.n_ends
    values, root_reach = np.empty((n_nodes, n_rows), np.float32), np.zeros(n_rows, np.float32)
    for i in range(N_RIVER_HOLES):
        root_reach[hands.row_index[i]] += learner_reach[hands.hole[i]]
    for d in range(subgame.actor.shape[0] - 1, -1, -1):
        above, first = subgame.decision[d], subgame.first_child[d]
        end, node_value = first + subgame.n_children[d], values[above]
        node_value[:] = 0
        for e in range(first, end):
            if subgame.slot[e] < n_ends:
                for k in range(n_rows):
                    values[e, k] = row_value[k * n_ends + subgame.slot[e]]
            # the opponent's probabilities count 1: the values have them already
            for k in range(n_rows):
                node_value[k] += play.probability[e, k] * values[e, k]
        if subgame.actor[d] == seat:
            situation = infosets.situation[subgame.tree_node[above, 0]]
            for k in range(n_rows):
                infoset = infosets.infoset[hands.rows[k], situation]
                reach_from_root = play.reach[above, k]
                reach = update.iteration_weight * root_reach[k] * reach_from_root
                regret_weight = (
                    update.iteration_weight * reach_from_root
                    if update.by_reach
                    else update.iteration_weight
                )
                for e in range(first, end):
                    action = label[subgame.tree_node[e, 0]]
                    regrets[infoset, action] += regret_weight * (values[e, k] - node_value[k])
                    strategy_sums[infoset, action] += reach * play.probability[e, k]


@njit(cache=True, nogil=True)
def _best_responses(thread, subgames, boards, strategy, reach, won, actions):
    """As `best_responses`; a thread takes every thread[1]-th seat."""
    table, row_of_equity = strategy
    scratch = _new_scratch(subgames)
    for seat in range(thread[0], 2, thread[1]):
        for b in range(boards.shape[0]):
            hands = _hands_of(boards[b], row_of_equity)
            for k in range(subgames.root.shape[0]):
                learner_reach, responder = reach[seat, k], 1 - seat
                if not learner_reach.any():  # all actions are worth 0
                    continue
                subgame, columns = _subgame(subgames, k)
                play = _play_rows(subgame, seat, table[:, columns], hands.rows)
                scratch.end_reach[: PADDED * subgame.n_ends] = 0
                _add_end_reach(hands, learner_reach, play.end_reach, scratch.end_reach)
                _subgame_end_values(subgame, responder, hands, learner_reach, scratch)
                found = actions[responder, b, subgames.begin[k, 1] : subgames.begin[k + 1, 1]]
                _backward_best(subgame, responder, hands, scratch, found, won[responder, k])


@njit(cache=True, nogil=True)
def _learn_rivers(
    thread,
    subgames,
    boards,
    infosets,
    strategies,
    reach,
    actions,
    update,
    won,
    regrets,
    strategy_sums,
):
    """As `learn_rivers`; regrets, strategy_sums (2, n_infosets, n_labels): by seat, as learners in
    both may share an infoset.
    """
    scratch, (learner_strategy, rest_strategy) = _new_scratch(subgames), strategies
    for seat in range(thread[0], 2, thread[1]):
        opponent_seat, end_reach = 1 - seat, scratch.end_reach
        plays_rest = reach.rest[opponent_seat].any()
        for b in range(boards.shape[0]):
            hands = _hands_of(boards[b], learner_strategy[1])
            rest_hands = _hands_of(boards[b], rest_strategy[1]) if plays_rest else hands
            for k in range(subgames.root.shape[0]):
                learner_reach, rest_reach = reach.learner[seat, k], reach.rest[opponent_seat, k]
                best_reach = reach.best_response[opponent_seat, k]
                has_best, has_rest = best_reach.any(), rest_reach.any()
                if not (has_best or has_rest or learner_reach.any()):  # nothing to learn
                    continue
                subgame, columns = _subgame(subgames, k)
                play = _play_rows(subgame, seat, learner_strategy[0][:, columns], hands.rows)
                row_value = np.zeros_like(play.end_reach)
                if has_best or has_rest:
                    end_reach[: PADDED * subgame.n_ends] = 0
                    if has_best:
                        found = actions[
                            opponent_seat, b, subgames.begin[k, 1] : subgames.begin[k + 1, 1]
                        ]
                        _forward_best(subgame, opponent_seat, hands, scratch, found, best_reach)
                    if has_rest:
                        rest_play = _play_rows(
                            subgame, opponent_seat, rest_strategy[0][:, columns], rest_hands.rows
                        )
                        _add_end_reach(rest_hands, rest_reach, rest_play.end_reach, end_reach)
                    _subgame_end_values(subgame, seat, hands, best_reach + rest_reach, scratch)
                    _sum_rows(
                        hands,
                        play.end_reach,
                        scratch.value,
                        learner_reach,
                        update.by_reach,
                        row_value,
                        won[seat, k],
                    )
                _learn_subgame(
                    subgame,
                    subgames.label,
                    seat,
                    infosets,
                    hands,
                    learner_reach,
                    play,
                    row_value,
                    update,
                    regrets[seat],
                    strategy_sums[seat],
                )


def best_responses(
    subgames: BettingSubgames, boards: np.ndarray, strategy: StreetRows, reach: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Best responses in each seat to a strategy in the other, by its reach of the roots, (2, n,
    1326), on boards (n_boards, 5).

    strategy: a table (rows, width), and the row of each equity (1981,). Returns values of the
    roots, sums over boards, (2, n, 1326); and the actions, (2, n_boards, decisions, 1088) int8, of
    a board's hands in order of strength.
    """
    won, n_decisions = np.zeros_like(reach), len(subgames.joined.decision)
    actions = np.zeros((2, len(boards), n_decisions, PADDED), dtype=np.int8)
    on_threads(_best_responses, subgames, boards, strategy, reach, won, actions)
    return won, actions


def learn_rivers(
    subgames: BettingSubgames,
    boards: np.ndarray,
    infosets: Infosets,
    strategies: tuple[StreetRows, StreetRows],
    reach: RootReach,
    actions: np.ndarray,
    update: UpdateWeight,
    tables: tuple[np.ndarray, np.ndarray],
) -> np.ndarray:
    """Values of the roots to learners in both seats against their opponents, sums over boards
    (n_boards, 5): (2, n, 1326).

    strategies: the learner's, and the opponent's in the rest of the games; actions: the best
    responses'. Adds to the learner's regrets and summed strategies, tables (n_infosets, n_labels)
    each.
    """
    won, added = np.zeros_like(reach.learner), np.zeros((2, 2, *tables[0].shape), dtype=np.float32)
    on_threads(
        _learn_rivers, subgames, boards, infosets, strategies, reach, actions, update, won, *added
    )
    for table, by_seat in zip(tables, added, strict=True):
        table += by_seat.sum(axis=0)
    return won
