"""The river of a betting tree as flat arrays, and what sweeps over it read and write."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numba import njit

from faceup.cards.strength import N_RIVER_HOLES
from faceup.holdem.infosets import Infosets
from faceup.holdem.layout import stakes_at
from faceup.holdem.rules import DECISION, SHOWDOWN
from faceup.holdem.tree import BettingTree, children
from faceup.holdem.vectors import WIDTH

PADDED = 1088  # hands, in whole vectors


class Subtrees(NamedTuple):
    """River betting below each node at which it begins. An edge is an action.

    The ends of a subtree have slots: showdowns first, then folds, each kind padded to whole vectors.
    """

    root: np.ndarray  # (n,) int32 node of each root
    first_decision: np.ndarray  # (n + 1,) int32; the root first, parents before children
    first_slot: np.ndarray  # (n + 1,) int64
    n_shown: np.ndarray  # (n,) int64 showdowns of each, padded
    node: np.ndarray  # (decisions,) int32
    actor: np.ndarray  # (decisions,) int8
    first_edge: np.ndarray  # (decisions + 1,) int32
    end_edge: np.ndarray  # (decisions,) int32
    label: np.ndarray  # (edges,) int32 what the action is called
    above: np.ndarray  # (decisions,) int32 edge that leads to a decision; to the root of subtree k it is number edges + k
    slot: np.ndarray  # (edges,) int32 slot of an end, counted from the subtree's first; -1 at a decision
    stake: np.ndarray  # (2, slots) float32 dollars that an end is worth to each player; 0 in the padding


class Rivers(NamedTuple):
    """What is still to play or to show when the river is dealt."""

    betting: Subtrees
    all_ins: Subtrees  # called on flop or turn: showdowns side by side, of one subtree without decisions; root (n,): their nodes


class Beginnings(NamedTuple):
    """Numbers of both players' hands where the river begins, such as their reach or what is won from there on."""

    betting: np.ndarray  # (2, subtrees, 1326) float32
    all_ins: np.ndarray  # (2, all-ins, 1326) float32


class Hands(NamedTuple):
    """The 1,081 hands of a board, weakest first."""

    hole: np.ndarray  # (1081,) int16
    start: np.ndarray  # (161,) int32 first hand of each strength, and the end of the last
    row: np.ndarray  # (1081,) int32 of each hand, a place in `rows`
    rows: np.ndarray  # (rows,) int32 those that are played here
    size: np.ndarray  # (2,) int64 strengths, rows


class Scratch(NamedTuple):
    """What a player's sweeps write.

    Along a tree rows (or hands) lie side by side, along the ends of one row (or hand) its slots do.
    """

    place: np.ndarray  # (all rows,) int32 place of a row in Hands.rows while a board is read, else -1
    chance: np.ndarray  # (edges, rows) float32 a row's strategy, 1 where the other player acts
    reach: np.ndarray  # (edges + subtrees, rows) float32 a row's own reach of each edge, from 1 at the root
    end_reach: np.ndarray  # (rows * slots,) float32 and of each end, subtree by subtree
    end_value: np.ndarray  # (rows * slots,) float32 value of each end, summed over a row's hands
    row_value: np.ndarray  # (most edges + 1, rows) float32 and of each edge of one subtree
    root_reach: np.ndarray  # (subtrees, rows) float32 reach of each root, summed over a row's hands
    choice: np.ndarray  # (boards, decisions, 1088) int8 the best response's actions
    edge: np.ndarray  # (most edges + 1, 1088) float32 values, then reach, of the responder's hands at one subtree's edges
    weight: np.ndarray  # (1088 * most slots,) float32 reach of each end with each hand, of one player
    value: np.ndarray  # (1088 * most slots,) float32 value of each end to each hand of the other
    seen: np.ndarray  # (53 * most slots,) float32 running sums by card


class Player(NamedTuple):
    """A player of the river who plays alike with all hands of a row; its arrays for kernels."""

    infosets: Infosets
    weights: np.ndarray  # (infosets, labels) float32; the strategy is in proportion to positive ones
    hands: Hands  # with one more axis in front, the seat of the learner
    scratch: Scratch  # alike


def make_subtrees(tree: BettingTree) -> Subtrees:
    """The river betting of a tree."""
    before = np.arange(tree.street_start[3])
    roots = before[(tree.kind[before] == DECISION) & (tree.street[before] == 3)]
    first_decision, first_slot, n_shown, decisions, stakes = [0], [0], [], [], []
    edges: list[tuple[int, int]] = []
    for root in roots.tolist():
        inner: list[int] = [root]
        ends: list[int] = []
        for d in inner:  # grows while it is walked
            for c in children(tree, d):
                (inner if tree.kind[c] == DECISION else ends).append(c)
        kinds = [[e for e in ends if (tree.kind[e] == SHOWDOWN) == is_shown] for is_shown in (True, False)]
        padded = [_padded(len(kind)) for kind in kinds]
        slot_of = {e: start + i for kind, start in zip(kinds, (0, padded[0]), strict=True) for i, e in enumerate(kind)}
        edge_to = {root: -len(first_decision)}  # the roots' edges come after all others
        for d in inner:
            decisions.append((d, tree.actor[d], len(edges), edge_to[d]))
            for c in children(tree, d):
                edge_to[c] = len(edges)
                edges.append((tree.label[c], slot_of.get(c, -1)))
        stakes.append(_stakes(tree, list(slot_of), list(slot_of.values()), sum(padded)))
        n_shown.append(padded[0])
        first_slot.append(first_slot[-1] + sum(padded))
        first_decision.append(len(decisions))
    node, actor, first_edge, above = np.array(decisions, dtype=np.int32).T.copy()
    label, slot = np.array(edges, dtype=np.int32).T.copy()
    above = np.where(above < 0, len(edges) - 1 - above, above).astype(np.int32)
    first_edge = np.append(first_edge, len(edges)).astype(np.int32)
    return Subtrees(
        roots.astype(np.int32), np.array(first_decision, dtype=np.int32), np.array(first_slot), np.array(n_shown), node,
        actor.astype(np.int8), first_edge, first_edge[1:], label, above, slot,
        np.concatenate(stakes, axis=1),
    )  # fmt: skip


def make_rivers(tree: BettingTree, all_in_streets: tuple[int, ...] = ()) -> Rivers:
    """The river betting of a tree, and all-ins that are called on some streets before."""
    nodes = np.flatnonzero((tree.kind == SHOWDOWN) & np.isin(tree.street, all_in_streets)).astype(np.int32)
    n_slots = _padded(max(len(nodes), 1))
    none, no_decisions = np.zeros(0, dtype=np.int32), np.zeros(2, dtype=np.int32)
    stake = _stakes(tree, nodes, np.arange(len(nodes)), n_slots)
    all_ins = Subtrees(
        nodes, no_decisions, np.array([0, n_slots]), np.array([n_slots]), none, none.astype(np.int8), no_decisions[:1], none,
        none, none, none, stake,
    )  # fmt: skip
    return Rivers(make_subtrees(tree), all_ins)


def _padded(n: int) -> int:
    return -(-n // WIDTH) * WIDTH


def _stakes(tree: BettingTree, ends: Sequence[int] | np.ndarray, slots: Sequence[int] | np.ndarray, n_slots: int) -> np.ndarray:
    """Stakes (2, n_slots) of ends at their slots, 0 elsewhere."""
    stake = np.zeros((2, n_slots), dtype=np.float32)
    stake[:, slots] = stakes_at(tree, np.asarray(ends, dtype=np.int64)).T
    return stake


def new_player(rivers: Rivers, infosets: Infosets, weights: np.ndarray, n_boards: int = 1) -> Player:
    """A player against which, or for which, a learner in each seat learns, and its arrays for so many boards an iteration."""
    t, n, n_rows = rivers.betting, PADDED, len(infosets.of)
    played, slots, edges, roots = min(n_rows, N_RIVER_HOLES), int(t.first_slot[-1]), len(t.label), len(t.root)
    most = int(max(*np.diff(t.first_slot), rivers.all_ins.first_slot[1]))
    longest = 1 + int(np.diff(t.first_edge[t.first_decision]).max())
    numbers = (
        (edges, played), (edges + roots, played), (played * slots,), (played * slots,), (longest, played), (roots, played),
    ), ((longest, n), (n * most,), (n * most,), (53 * most,))  # fmt: skip
    rows, of_hands = ([np.zeros((2, *size), dtype=np.float32) for size in sizes] for sizes in numbers)
    choice, place = np.zeros((2, n_boards, len(t.node), n), dtype=np.int8), np.full((2, n_rows), -1, dtype=np.int32)
    hole, row = np.zeros((2, N_RIVER_HOLES), dtype=np.int16), np.zeros((2, N_RIVER_HOLES), dtype=np.int32)
    start, size = np.zeros((2, 161), dtype=np.int32), np.zeros((2, 2), dtype=np.int64)
    return Player(infosets, weights, Hands(hole, start, row, place.copy(), size), Scratch(*[place, *rows, choice, *of_hands]))


@njit(cache=True)
def _in_seat(player, seat):
    """A player's arrays for the learner in a seat."""
    h, s = player.hands, player.scratch
    hands = Hands(h.hole[seat], h.start[seat], h.row[seat], h.rows[seat], h.size[seat])
    scratch = Scratch(
        s.place[seat], s.chance[seat], s.reach[seat], s.end_reach[seat], s.end_value[seat], s.row_value[seat],
        s.root_reach[seat], s.choice[seat], s.edge[seat], s.weight[seat], s.value[seat], s.seen[seat],
    )  # fmt: skip
    return Player(player.infosets, player.weights, hands, scratch)
