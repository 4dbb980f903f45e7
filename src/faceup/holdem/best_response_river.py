"""Best responses on the river: all rivers of a turn board and LANES betting subtrees at once, on
buckets of holes.

The strategy that is answered acts alike with all holes of a bucket, as in self-play. The responder
sees its own hole: as strengths are gone through, the value of each end to a hole is put together
from the sums of its two cards and of all, and at each of its decisions the best action is taken.
All-ins of earlier streets are subtrees of a single showdown. A responder may be held to some of the
tree's bets, its menu: the values of ends serve all menus, and only the backward pass is per menu.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numba import njit

from faceup.cards.cards import HOLE_CARDS, PERMUTED_HOLES
from faceup.cards.strength import N_RIVER_HOLES
from faceup.holdem.board import ALL, N_ENTRIES, _order, make_river_buckets
from faceup.holdem.cfr_river import _add_all, _add_bucket, _reach
from faceup.holdem.lanes import (
    WIDE,
    add,
    add_wide,
    add_wide_product,
    copy,
    largest_sum,
    wide_product,
    wide_value,
)
from faceup.holdem.river_subgames import LANES, RiverSubgames, make_river_subgames
from faceup.holdem.tree import BettingTree
from faceup.util.parallel import on_threads

Rivers = tuple[np.ndarray, np.ndarray, np.ndarray]


class ResponseScratch(NamedTuple):
    """What a thread writes. Nodes are in the order of slots (`RiverSubgames`)."""

    reach: np.ndarray  # (1326, WIDE) float32 reach of the roots
    # (n_menus, 1326, WIDE) float32 values of the roots to the other player, summed over rivers
    total: np.ndarray
    sums: np.ndarray  # (N_ENTRIES, WIDE) float32 `reach` summed over each entry
    # (1081, most_nodes, 2, LANES) float32 product of a player's chances since the root
    reach_from_root: np.ndarray
    # (most_nodes, 2, LANES) float32 value of each node to a hole of the other player
    value: np.ndarray
    # (n_rows, most_nodes, LANES) float32 the strategy's rows of a subgames, by slot and lane
    chance: np.ndarray


class RiverResponder:
    """Sums best responses over rivers, for one tree."""

    def __init__(self, tree: BettingTree, allowed: np.ndarray):
        """Lay out the tree's rivers; allowed (n_menus, n_nodes) bool: the nodes that the
        responder's actions may lead to.
        """
        self._tasks = [
            (subgames, _bar(subgames, allowed)) for subgames in make_river_subgames(tree)
        ]

    def add(self, rivers: Rivers, table: np.ndarray, reach: np.ndarray, value: np.ndarray) -> None:
        """Add to value (n_menus, 2, n_nodes, 1326), where river betting begins and at all-ins, the
        sum over the rivers.

        rivers: boards (n, 5) int64; suit permutations that map each to those it stands for, (n, 4)
        int64, -1: none; the row of `table` of each of the 1,326 holes, (n, 1326) int32. table
        (n_rows, width) float32: the strategy's rows. reach (2, n_nodes, 1326): of the strategy in
        each seat; like value, of nodes before the river's actions.
        """
        rows = table, np.flatnonzero(np.bincount(rivers[2].ravel()))
        on_threads(self._sweep, iter(self._tasks), rows, rivers, reach, value)

    def _sweep(
        self,
        _: tuple[int, int],
        tasks: Iterator[tuple[RiverSubgames, np.ndarray]],
        rows,
        rivers,
        reach,
        value,
    ) -> None:
        """Sweep subgames; each thread takes the next that is left, and every subgames writes values of
        its own nodes only.
        """
        most = max(len(subgames.slot) for subgames, _ in self._tasks)
        scratch = _new_scratch(most, len(value), len(rows[0]))
        for subgames, bar in tasks:
            _all_rivers(subgames, bar, rows, rivers, reach, value, scratch)


def _bar(subgames: RiverSubgames, allowed: np.ndarray) -> np.ndarray:
    """By slot, (n_menus, n_nodes, LANES) float32: -inf where the responder may not go, else 0."""
    bar = np.zeros((len(allowed), len(subgames.slot), LANES), dtype=np.float32)
    bar[:, :, : subgames.node.shape[1]] = np.where(allowed[:, subgames.node], 0, -np.inf)
    return bar


@njit(cache=True)
def _buckets_of(board, rows):
    """The buckets of a river board; its holes and their entries bucket by bucket, and where each bucket's
    begin.
    """
    order = _order(board)
    buckets = make_river_buckets(order, rows)
    by_bucket = np.argsort(buckets.of_hole, kind="mergesort")
    start = np.searchsorted(buckets.of_hole[by_bucket], np.arange(buckets.equity.shape[0] + 1))
    return buckets, order.holes[by_bucket].astype(np.int64), buckets.entries[by_bucket], start


@njit(cache=True)
def _ends_of_hole(hole, n_shown, n_ends, seen, stake, folds, reach, value):
    """Values of ends to a hole: from all holes less those with its cards; at folds itself is
    counted back.
    """
    every, a, b = (
        ALL * n_ends,
        np.int64(HOLE_CARDS[hole, 0]) * n_ends,
        np.int64(HOLE_CARDS[hole, 1]) * n_ends,
    )
    for e in range(n_ends):
        wide_value(
            value,
            e * WIDE,
            stake,
            e * WIDE,
            seen,
            (every + e) * WIDE,
            seen,
            (a + e) * WIDE,
            seen,
            (b + e) * WIDE,
        )
    for e in range(n_shown, n_ends):
        add_wide_product(value, e * WIDE, folds, (e - n_shown) * WIDE, reach, hole * WIDE)


@njit(cache=True)
def _best_of_hole(subgames, bar, value, menu):
    """Values of decisions to a hole, from those of ends: the menu's best action where its player
    acts, else the sum.
    """
    barred = menu * bar.shape[1] * LANES
    for d in range(subgames.actor.shape[0] - 1, -1, -1):
        who, other = subgames.actor[d], 1 - subgames.actor[d]
        start, node = subgames.first_child[d], subgames.decision[d]
        e = subgames.slot[start]
        best, total = (node * 2 + other) * LANES, (node * 2 + who) * LANES
        copy(value, best, value, (e * 2 + other) * LANES)
        copy(value, total, value, (e * 2 + who) * LANES)
        for c in range(start + 1, start + subgames.n_children[d]):
            e = subgames.slot[c]
            largest_sum(value, best, value, (e * 2 + other) * LANES, bar, barred + e * LANES)
            add(value, total, value, (e * 2 + who) * LANES)


@njit(cache=True)
def _river(subgames, bar, board, images, rows, scratch):
    """Add one river's values of LANES subtrees, or all-ins, to scratch.total."""
    n_shown, n_ends, reach_from_root, value = (
        subgames.n_shown,
        subgames.n_ends,
        scratch.reach_from_root,
        scratch.value,
    )
    (n_menus, n_holes), root, stake = scratch.total.shape[:2], subgames.slot[-1], subgames.stake
    buckets, holes, entries, start = _buckets_of(board, rows)
    scratch.sums[: buckets.card.shape[0]] = 0
    for i in range(holes.shape[0]):
        for n in range(3):
            add_wide(scratch.sums, entries[i, n] * WIDE, scratch.reach, holes[i] * WIDE)
    for g in range(buckets.equity.shape[0]):
        _reach(subgames, scratch.chance[buckets.equity[g]], reach_from_root[g])
    seen, folds = (
        np.empty((53, n_ends, WIDE), np.float32),
        np.empty((n_ends - n_shown, WIDE), np.float32),
    )
    by_end = reach_from_root.reshape(reach_from_root.shape[0], -1, WIDE)
    _add_all(buckets, n_shown, scratch.sums, reach_from_root, seen)
    for cls in range(buckets.classes.shape[0] - 1):
        first, last = buckets.classes[cls], buckets.classes[cls + 1]
        for g in range(first, last):
            _add_bucket(buckets, g, scratch.sums, reach_from_root, n_shown, seen)
        for g in range(first, last):
            # what a fold is worth for each own reach of the root: sums take that off twice
            for e in range(n_shown, n_ends):
                wide_product(
                    folds,
                    (e - n_shown) * WIDE,
                    stake,
                    e * WIDE,
                    by_end,
                    (g * by_end.shape[1] + e) * WIDE,
                )
            for i in range(start[g], start[g + 1]):
                hole = holes[i]
                _ends_of_hole(hole, n_shown, n_ends, seen, stake, folds, scratch.reach, value)
                for menu in range(n_menus):
                    _best_of_hole(subgames, bar, value, menu)
                    for image in images:
                        if image >= 0:
                            at = menu * n_holes + np.int64(PERMUTED_HOLES[image, hole])
                            add_wide(scratch.total, at * WIDE, value, root * WIDE)
        for g in range(first, last):
            _add_bucket(buckets, g, scratch.sums, reach_from_root, n_shown, seen)


@njit(cache=True, nogil=True)
def _all_rivers(subgames, bar, rows, rivers, reach, value, scratch):
    """All rivers of a subgames. rows: the strategy's table, and those of its rows that are met."""
    roots, (boards, images, row_of_hole) = subgames.node[-1], rivers
    for r in rows[1]:
        for at in subgames.slot[:-1]:
            for j in range(roots.shape[0]):
                scratch.chance[r, at, j] = rows[0][r, subgames.node[at, j] - subgames.river]
    scratch.reach[:] = 0
    for player in range(2):
        for j in range(roots.shape[0]):
            scratch.reach[:, player * LANES + j] = reach[player, roots[j]]
    scratch.total[:] = 0
    for r in range(boards.shape[0]):
        _river(subgames, bar, boards[r], images[r], row_of_hole[r], scratch)
    for j in range(roots.shape[0]):
        for player in range(2):
            value[:, 1 - player, roots[j]] += scratch.total[:, :, player * LANES + j]


@njit(cache=True)
def _new_scratch(most_nodes, n_menus, n_rows):
    n_holes = HOLE_CARDS.shape[0]
    return ResponseScratch(
        np.empty((n_holes, WIDE), np.float32), np.empty((n_menus, n_holes, WIDE), np.float32),
        np.empty((N_ENTRIES, WIDE), np.float32), np.empty((N_RIVER_HOLES, most_nodes, 2, LANES), np.float32),
        np.empty((most_nodes, 2, LANES), np.float32),
        np.zeros((n_rows, most_nodes, LANES), np.float32),
    )  # fmt: skip
