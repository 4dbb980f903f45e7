"""Best responses on the river: all rivers of a turn board, and LANES betting subgames at once.

The strategy that is answered plays all holes of a group (`board`) the same way, as in self-play.
The responder sees its own hole: as strengths are gone through, the value of each end to a hole is
put together from the sums of its two cards and of all, and at each of its decisions the best action
is taken. All-ins of earlier streets are subgames of a single showdown. A responder may be limited
to some of the tree's bets, and several such sets may be given: the values of ends serve all of
them, and only the backward pass is per set.

CFR-BR has another kernel for best responses on the river, `cfr_br_river.best_responses`. It gives
actions besides values, and knows a strategy by equity; this one gives values alone, to any strategy
with rows of holes, by groups (`board`) and many subgames at once.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numba import njit

from faceup.cards.cards import HOLE_CARDS, N_HOLES, PERMUTED_HOLES
from faceup.cards.strength import N_RIVER_HOLES
from faceup.holdem.betting_tree import BettingTree
from faceup.holdem.board import ALL, N_ENTRIES, N_SUMS, make_river_groups, sort_holes
from faceup.holdem.cfr_river import add_group, fill_reach, sum_groups
from faceup.holdem.river_subgames import LANES, RiverSubgames, make_river_subgames
from faceup.holdem.vector_arithmetic import (
    BOTH_LANES,
    add,
    add_both,
    add_product_both,
    copy,
    largest_sum,
    product_both,
    value_both,
)
from faceup.util.parallel import on_threads


class Rivers(NamedTuple):
    """River boards of a turn board, up to suits."""

    board: np.ndarray  # (n, 5) int64
    # (n, 4) int64 permutations of suits that map a board to those it stands for, -1: none
    permutation: np.ndarray
    row_of_hole: np.ndarray  # (n, 1326) int32 of the strategy's table


class ResponseScratch(NamedTuple):
    """What a thread writes. Nodes are in the order of slots (`RiverSubgames`)."""

    reach: np.ndarray  # (1326, BOTH_LANES) float32 reach of the roots
    # (n_bet_sets, 1326, BOTH_LANES) float32 values of the roots to a hole of the opponent of the
    # player at the index, summed over rivers
    total_against: np.ndarray
    sums: np.ndarray  # (N_ENTRIES, BOTH_LANES) float32 `reach` summed over each entry
    # (1081, most_nodes, 2, LANES) float32 reach of nodes from the root with each group
    reach_from_root: np.ndarray
    # (most_nodes, 2, LANES) float32 value of each node to a hole of the opponent of the player at
    # the index
    value_against: np.ndarray
    # (n_rows, most_nodes, LANES) float32 the strategy's rows, by slot and lane
    probability: np.ndarray


class RiverResponder:
    """Sums best responses over rivers, for one tree."""

    def __init__(self, tree: BettingTree, allowed: np.ndarray):
        """Lay out the tree's rivers; allowed (n_bet_sets, n_nodes) bool: the nodes that the
        responder's actions may lead to.
        """
        self._tasks = [(some, _forbidden(some, allowed)) for some in make_river_subgames(tree)]

    def add(self, rivers: Rivers, table: np.ndarray, reach: np.ndarray, value: np.ndarray) -> None:
        """Add to value (n_bet_sets, 2, n_nodes, 1326), where river betting begins and at all-ins,
        the sum over the rivers.

        table (n_rows, width) float32: the strategy's rows. reach (2, n_nodes, 1326): of the
        strategy in each seat; like value, of nodes before the river's actions.
        """
        used = np.flatnonzero(np.bincount(rivers.row_of_hole.ravel()))
        on_threads(self._sweep, iter(self._tasks), table, used, rivers, reach, value)

    def _sweep(
        self,
        _: tuple[int, int],
        tasks: Iterator[tuple[RiverSubgames, np.ndarray]],
        table,
        used,
        rivers,
        reach,
        value,
    ) -> None:
        """Each thread takes the next subgames that are left, and writes values of their own nodes
        only.
        """
        most_nodes = max(len(subgames.slot) for subgames, _ in self._tasks)
        scratch = ResponseScratch(
            np.empty((N_HOLES, BOTH_LANES), np.float32),
            np.empty((len(value), N_HOLES, BOTH_LANES), np.float32),
            np.empty((N_ENTRIES, BOTH_LANES), np.float32),
            np.empty((N_RIVER_HOLES, most_nodes, 2, LANES), np.float32),
            np.empty((most_nodes, 2, LANES), np.float32),
            np.zeros((len(table), most_nodes, LANES), np.float32),
        )
        for subgames, forbidden in tasks:
            _all_rivers(subgames, forbidden, table, used, rivers, reach, value, scratch)


def _forbidden(subgames: RiverSubgames, allowed: np.ndarray) -> np.ndarray:
    """By slot, (n_bet_sets, n_nodes, LANES) float32: -inf where the responder may not go, or 0."""
    forbidden = np.zeros((len(allowed), len(subgames.slot), LANES), dtype=np.float32)
    forbidden[:, subgames.slot, : subgames.tree_node.shape[1]] = np.where(
        allowed[:, subgames.tree_node], 0, -np.inf
    )
    return forbidden


@njit(cache=True)
def _groups_of(board, row_of_hole):
    """Groups of a river board (5,), from the row of each hole (1326,); its holes and their entries
    group by group, and where each group's begin.
    """
    order = sort_holes(board)
    groups = make_river_groups(order, row_of_hole)
    by_group = np.argsort(groups.of_hole, kind="mergesort")
    start = np.searchsorted(groups.of_hole[by_group], np.arange(groups.row.shape[0] + 1))
    return groups, order.holes[by_group].astype(np.int64), groups.entries[by_group], start


@njit(cache=True)
def _ends_of_hole(hole, n_shown, n_ends, card_sums, stake, folds, reach, value_against):
    """Values of ends to a hole, value_against (n_nodes, 2, LANES): from all holes less those
    with its cards; at folds itself is counted back.

    card_sums (53, n_ends, BOTH_LANES), stake (n_ends, 2, LANES), folds (n_folds, BOTH_LANES) its
    stakes times its reach from the root, reach (1326, BOTH_LANES) of the root; float32.
    """
    every, a = ALL * n_ends, np.int64(HOLE_CARDS[hole, 0]) * n_ends
    b = np.int64(HOLE_CARDS[hole, 1]) * n_ends
    for e in range(n_ends):
        at, of_all, of_a, of_b = (
            e * BOTH_LANES,
            (every + e) * BOTH_LANES,
            (a + e) * BOTH_LANES,
            (b + e) * BOTH_LANES,
        )
        value_both(
            value_against, at, stake, at, card_sums, of_all, card_sums, of_a, card_sums, of_b
        )
    for e in range(n_shown, n_ends):
        add_product_both(
            value_against,
            e * BOTH_LANES,
            folds,
            (e - n_shown) * BOTH_LANES,
            reach,
            hole * BOTH_LANES,
        )


@njit(cache=True)
def _best_of_hole(subgames, forbidden, value_against, bet_set):
    """Values of decisions to a hole, value_against (n_nodes, 2, LANES), from those of ends: the
    best action of a set of bets where its player acts, else the sum. forbidden: of `_forbidden`.
    """
    set_offset = bet_set * forbidden.shape[1] * LANES
    for d in range(subgames.actor.shape[0] - 1, -1, -1):
        actor, opponent, first = subgames.actor[d], 1 - subgames.actor[d], subgames.first_child[d]
        node, e = subgames.slot[subgames.decision[d]], subgames.slot[first]
        best, total = (node * 2 + opponent) * LANES, (node * 2 + actor) * LANES
        copy(value_against, best, value_against, (e * 2 + opponent) * LANES)
        copy(value_against, total, value_against, (e * 2 + actor) * LANES)
        for k in range(first + 1, first + subgames.n_children[d]):
            e = subgames.slot[k]
            largest_sum(
                value_against,
                best,
                value_against,
                (e * 2 + opponent) * LANES,
                forbidden,
                set_offset + e * LANES,
            )
            add(value_against, total, value_against, (e * 2 + actor) * LANES)


@njit(cache=True)
def _river(subgames, forbidden, board, permutations, row_of_hole, scratch):
    """Add the values of one river, board (5,), to scratch.total_against; permutations (4,) and
    row_of_hole (1326,) as in `Rivers`.
    """
    n_shown, n_ends, stake = subgames.n_shown, subgames.n_ends, subgames.stake_against
    reach_from_root, value_against = scratch.reach_from_root, scratch.value_against
    (n_bet_sets, n_holes), root = scratch.total_against.shape[:2], subgames.slot[-1]
    groups, holes, entries, start = _groups_of(board, row_of_hole)
    scratch.sums[: groups.card.shape[0]] = 0
    for i in range(holes.shape[0]):
        for n in range(3):
            add_both(scratch.sums, entries[i, n] * BOTH_LANES, scratch.reach, holes[i] * BOTH_LANES)
    for g in range(groups.row.shape[0]):
        fill_reach(subgames, scratch.probability[groups.row[g]], reach_from_root[g])
    card_sums = np.empty((N_SUMS, n_ends, BOTH_LANES), np.float32)
    folds = np.empty((n_ends - n_shown, BOTH_LANES), np.float32)
    sum_groups(groups, n_shown, scratch.sums, reach_from_root, card_sums)
    for strength in range(groups.first_of_strength.shape[0] - 1):
        first, end = groups.first_of_strength[strength], groups.first_of_strength[strength + 1]
        for g in range(first, end):
            add_group(groups, g, scratch.sums, reach_from_root, n_shown, card_sums)
        for g in range(first, end):
            # a fold's worth for each unit of own reach of the root: sums take that off twice
            for e in range(n_shown, n_ends):
                at, offset = (
                    (e - n_shown) * BOTH_LANES,
                    (g * reach_from_root.shape[1] + e) * BOTH_LANES,
                )
                product_both(folds, at, stake, e * BOTH_LANES, reach_from_root, offset)
            for hole in holes[start[g] : start[g + 1]]:
                _ends_of_hole(
                    hole, n_shown, n_ends, card_sums, stake, folds, scratch.reach, value_against
                )
                for bet_set in range(n_bet_sets):
                    _best_of_hole(subgames, forbidden, value_against, bet_set)
                    for permutation in permutations:
                        if permutation >= 0:
                            at = bet_set * n_holes + np.int64(PERMUTED_HOLES[permutation, hole])
                            add_both(
                                scratch.total_against,
                                at * BOTH_LANES,
                                value_against,
                                root * BOTH_LANES,
                            )
        for g in range(first, end):
            add_group(groups, g, scratch.sums, reach_from_root, n_shown, card_sums)


@njit(cache=True, nogil=True)
def _all_rivers(subgames, forbidden, table, used, rivers, reach, value, scratch):
    """All rivers of some subgames; used: rows of the table that occur; the others as of
    `RiverResponder.add`.
    """
    roots, (boards, permutations, row_of_hole) = subgames.tree_node[-1], rivers
    for r in used:
        for k in range(subgames.slot.shape[0] - 1):
            at, node = subgames.slot[k], subgames.tree_node[k]
            for j in range(node.shape[0]):
                scratch.probability[r, at, j] = table[r, node[j] - subgames.first_node]
    scratch.reach[:] = 0
    for player in range(2):
        for j in range(roots.shape[0]):
            scratch.reach[:, player * LANES + j] = reach[player, roots[j]]
    scratch.total_against[:] = 0
    for r in range(boards.shape[0]):
        _river(subgames, forbidden, boards[r], permutations[r], row_of_hole[r], scratch)
    for j in range(roots.shape[0]):
        for player in range(2):
            value[:, 1 - player, roots[j]] += scratch.total_against[:, :, player * LANES + j]
