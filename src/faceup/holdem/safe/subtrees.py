"""River subtrees as flat arrays, and what sweeps over them read and write."""

from typing import NamedTuple

import numpy as np
from numba import njit

from faceup.cards.strength import N_RIVER_HOLES
from faceup.holdem.betting.betting_tree import DECISION, SHOWDOWN, BettingTree
from faceup.holdem.safe.vectors import WIDTH
from faceup.holdem.solve.layout import stakes_at

PADDED = 1088  # hands, in whole vectors


class Subtrees(NamedTuple):
    """River subtrees, or all-ins before the river as subtrees without decisions.

    The ends of a subtree have slots: showdowns first, then folds, each kind padded to whole vectors.
    """

    node: np.ndarray  # (n,) int32 node of each root
    first_decision: np.ndarray  # (n + 1,) int32; the root first, parents before children
    first_slot: np.ndarray  # (n + 1,) int64
    n_shown: np.ndarray  # (n,) int64 showdowns of each, padded
    actor: np.ndarray  # (decisions,) int8
    situation: np.ndarray  # (decisions,) int32
    first_edge: np.ndarray  # (decisions + 1,) int32
    label: np.ndarray  # (edges,) int32 what the action is called
    above: np.ndarray  # (decisions,) int32 edge that leads to a decision; to the root of subtree k it is number edges + k
    slot: np.ndarray  # (edges,) int32 slot of an end, counted from the subtree's first; -1 at a decision
    stake: np.ndarray  # (2, slots) float32 dollars that an end is worth to each player; 0 in the padding


class Hands(NamedTuple):
    """The 1,081 hands of a board, weakest first; made with one more axis in front, for several boards or learners."""

    hole: np.ndarray  # (1081,) int16
    start: np.ndarray  # (161,) int32 first hand of each strength, and the end of the last
    row: np.ndarray  # (1081,) int32 of each hand, a place in `rows`
    rows: np.ndarray  # (rows,) int32 those that are played here
    size: np.ndarray  # (2,) int64 strengths, rows


class Scratch(NamedTuple):
    """What one learner's sweeps write; made with one more axis in front, the seat.

    Along a tree rows (or hands) lie side by side, along the ends of one row (or hand) its slots do.
    """

    chance: np.ndarray  # (edges, rows) float32 a row's strategy, 1 where the other player decides
    own: np.ndarray  # (edges + subtrees, rows) float32 a row's own chance to come through each edge
    path: np.ndarray  # (rows * slots,) float32 and to each end, subtree by subtree
    gain: np.ndarray  # (rows * slots,) float32 what a row's hands get at each end
    worth: np.ndarray  # (most edges + 1, rows) float32 and from each edge of one subtree on
    comes: np.ndarray  # (subtrees, rows) float32 how often a row's hands come to each root
    choice: np.ndarray  # (boards, decisions, 1088) int8 the responder's best actions
    up: np.ndarray  # (most edges + 1, 1088) float32 values, then reaches, of the responder's hands at the edges of one subtree
    weight: np.ndarray  # (1088 * most slots,) float32 how often each hand comes to each end
    value: np.ndarray  # (1088 * most slots,) float32 what the other player's hands get there
    seen: np.ndarray  # (53 * most slots,) float32 running sums by card


def make_subtrees(tree: BettingTree, situation: np.ndarray, street: int) -> Subtrees:
    """The river betting of a tree, and all-ins before it that are called on `street` or later, whose cards are still to come.

    situation (n_nodes,) int32: of each river decision.
    """
    before = np.arange(tree.street_start[3])
    begins = (tree.kind[before] == DECISION) & (tree.street[before] == 3)
    roots = before[begins | ((tree.kind[before] == SHOWDOWN) & (tree.street[before] >= street))]
    first_decision, first_slot, n_shown, decisions, stakes = [0], [0], [], [], []
    edges: list[tuple[int, int]] = []
    for root in roots.tolist():
        inner, ends = _walk(tree, root)
        kinds = [[e for e in ends if (tree.kind[e] == SHOWDOWN) == is_shown] for is_shown in (True, False)]
        padded = [-(-len(kind) // WIDTH) * WIDTH for kind in kinds]
        slot_of = {e: start + i for kind, start in zip(kinds, (0, padded[0]), strict=True) for i, e in enumerate(kind)}
        edge_to = {root: -len(first_decision)}  # the roots' edges come after all others
        for d in inner:
            decisions.append((tree.actor[d], situation[d], len(edges), edge_to[d]))
            for c in range(tree.first_child[d], tree.first_child[d] + tree.n_children[d]):
                edge_to[c] = len(edges)
                edges.append((tree.label[c], slot_of.get(c, -1)))
        stake = np.zeros((2, sum(padded)), dtype=np.float32)
        stake[:, list(slot_of.values())] = stakes_at(tree, np.array(list(slot_of), dtype=np.int64)).T
        stakes.append(stake)
        n_shown.append(padded[0])
        first_slot.append(first_slot[-1] + sum(padded))
        first_decision.append(len(decisions))
    actor, situations, first_edge, above = np.array(decisions, dtype=np.int32).reshape(-1, 4).T.copy()
    label, slot = np.array(edges, dtype=np.int32).reshape(-1, 2).T.copy()
    above = np.where(above < 0, len(edges) - 1 - above, above).astype(np.int32)
    return Subtrees(
        roots.astype(np.int32), np.array(first_decision, dtype=np.int32), np.array(first_slot), np.array(n_shown),
        actor.astype(np.int8), situations, np.append(first_edge, len(edges)).astype(np.int32), label, above, slot,
        np.concatenate(stakes, axis=1),
    )  # fmt: skip


def all_ins_of(tree: BettingTree, streets: tuple[int, ...]) -> Subtrees:
    """All-ins called on some streets before the river, side by side as showdowns of one subtree; node (n,): all of theirs."""
    nodes = np.flatnonzero((tree.kind == SHOWDOWN) & np.isin(tree.street, streets)).astype(np.int32)
    n_slots = -(-max(len(nodes), 1) // WIDTH) * WIDTH
    stake = np.zeros((2, n_slots), dtype=np.float32)
    stake[:, : len(nodes)] = stakes_at(tree, nodes).T
    none, no_decisions = np.zeros(0, dtype=np.int32), np.zeros(2, dtype=np.int32)
    return Subtrees(
        nodes, no_decisions, np.array([0, n_slots]), np.array([n_slots]), none.astype(np.int8), none, no_decisions[:1], none,
        none, none, stake,
    )  # fmt: skip


def _walk(tree: BettingTree, root: int) -> tuple[list[int], list[int]]:
    """Decisions and ends from a root down, breadth first; the root itself where it is an end."""
    inner, ends = ([root], []) if tree.kind[root] == DECISION else ([], [root])
    for d in inner:  # grows while it is walked
        for c in range(tree.first_child[d], tree.first_child[d] + tree.n_children[d]):
            (inner if tree.kind[c] == DECISION else ends).append(c)
    return inner, ends


def make_scratch(f: Subtrees, n_rows: int, n_boards: int = 1) -> Scratch:
    """Arrays for a learner in each seat, of so many rows at once, on so many boards an iteration."""
    n, most, slots = PADDED, int(np.diff(f.first_slot).max()), int(f.first_slot[-1])
    edges, roots, longest = len(f.label), len(f.node), 1 + int(np.diff(f.first_edge[f.first_decision]).max())
    sizes = (
        (edges, n_rows), (edges + roots, n_rows), (n_rows * slots,), (n_rows * slots,), (longest, n_rows), (roots, n_rows),
        (n_boards, len(f.actor), n), (longest, n), (n * most,), (n * most,), (53 * most,),
    )  # fmt: skip
    kinds = [np.float32] * 6 + [np.int8] + [np.float32] * 4
    return Scratch(*(np.zeros((2, *size), dtype=kind) for size, kind in zip(sizes, kinds, strict=True)))


@njit(cache=True)
def _scratch_of(s, i):
    return Scratch(
        s.chance[i], s.own[i], s.path[i], s.gain[i], s.worth[i], s.comes[i], s.choice[i], s.up[i], s.weight[i], s.value[i],
        s.seen[i],
    )  # fmt: skip


def new_hands(n_boards: int, n_rows: int) -> Hands:
    """Room for the hands of some boards, of so many rows."""
    n, rows = N_RIVER_HOLES, np.tile(np.arange(n_rows, dtype=np.int32), (n_boards, 1))
    sizes = np.tile(np.array([0, n_rows], dtype=np.int64), (n_boards, 1))
    shape = (n_boards, n)
    return Hands(np.empty(shape, np.int16), np.empty((n_boards, 161), np.int32), np.empty(shape, np.int32), rows, sizes)


@njit(cache=True)
def _hands_of(hands, i):
    return Hands(hands.hole[i], hands.start[i], hands.row[i], hands.rows[i], hands.size[i])
