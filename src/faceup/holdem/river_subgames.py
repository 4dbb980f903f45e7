"""The rivers of a betting tree, and all-ins before, in subgames that are swept side by side."""

from typing import NamedTuple

import numpy as np

from faceup.holdem.rules import DECISION, FOLD_END, SHOWDOWN
from faceup.holdem.tree import BettingTree

LANES = 32  # subtrees swept side by side


class RiverSubgames(NamedTuple):
    """Up to LANES subtrees, one a lane, in which the same players act in the same order; only
    amounts differ.

    A subtree is the river betting below a root, or an all-in: a root that is a showdown. Its nodes
    are numbered as in the tree, the root last. In the arrays of a sweep each has a slot: showdowns
    first, then folds, then decisions, last the root.
    """

    node: np.ndarray  # (n_nodes, n) int32 node of the tree, by slot and lane
    # the first node that an action of the river leads to: column 0 of the river's tables
    river: int
    n_shown: int  # showdowns
    n_ends: int  # showdowns and folds
    slot: np.ndarray  # (n_nodes,) int32 of each node of a subtree
    # (n_decisions,) int32 slot of each decision, the root's first, parents before children
    decision: np.ndarray
    actor: np.ndarray  # (n_decisions,) int8
    first_child: np.ndarray  # (n_decisions,) int32 number of the first node it leads to
    n_children: np.ndarray  # (n_decisions,) int8
    # (n_ends, 2, LANES) float32 dollars an end is worth to the *other* player; 0 where no lane is
    stake: np.ndarray


def make_river_subgames(tree: BettingTree) -> list[RiverSubgames]:
    """All showdowns and river subtrees that the streets before the river lead to; the largest
    subgames first.
    """
    before = slice(0, tree.street_start[3])
    roots = np.flatnonzero(
        (tree.kind[before] == SHOWDOWN)
        | (tree.kind[before] == DECISION) & (tree.street[before] == 3)
    )
    rivers = roots[tree.kind[roots] == DECISION]
    end = dict(zip(rivers, np.append(tree.first_child[rivers], len(tree.kind))[1:], strict=True))
    alike: dict[bytes, list[np.ndarray]] = {}
    for root in roots:
        # an end has no first child
        nodes = np.append(np.arange(tree.first_child[root], end.get(root, 0)), root)
        shape = np.stack([tree.kind[nodes], tree.actor[nodes], tree.n_children[nodes]])
        alike.setdefault(shape.tobytes(), []).append(nodes)
    subgames = [
        _of_one_shape(tree, np.array(ones[k : k + LANES]))
        for ones in alike.values()
        for k in range(0, len(ones), LANES)
    ]
    return sorted(subgames, key=lambda subgames: -subgames.node.size)


def _of_one_shape(tree: BettingTree, nodes: np.ndarray) -> RiverSubgames:
    """The subgames of subtrees of one shape, nodes (n, n_nodes)."""
    first, kind = nodes[0], tree.kind[nodes[0]]
    order = np.argsort(np.select([kind == SHOWDOWN, kind == FOLD_END], [0, 1], 2), kind="stable")
    slot, n_ends = np.argsort(order).astype(np.int32), int((kind != DECISION).sum())
    inner = np.roll(np.flatnonzero(kind == DECISION), 1)  # the root first
    by_slot = nodes.T[order].astype(np.int32)
    stake = np.zeros((n_ends, 2, LANES), dtype=np.float32)
    stake[:, :, : len(nodes)] = (
        stakes_at(tree, by_slot[:n_ends].ravel()).reshape(n_ends, -1, 2).swapaxes(1, 2)[:, ::-1]
    )
    return RiverSubgames(
        by_slot, int(tree.street_start[3]), int((kind == SHOWDOWN).sum()), n_ends, slot, slot[inner], tree.actor[first[inner]],
        (tree.first_child[first[inner]] - first[0]).astype(np.int32), tree.n_children[first[inner]], stake,
    )  # fmt: skip


def stakes_at(tree: BettingTree, nodes: np.ndarray) -> np.ndarray:
    """Dollars that a showdown's winner takes from the other; at a fold what each player gains or
    loses. (n, 2)
    """
    put, folded = tree.bets[nodes].sum(axis=2), tree.actor[nodes, None]
    lost = np.take_along_axis(put, np.maximum(folded, 0), axis=1)
    shown = tree.kind[nodes, None] == SHOWDOWN
    return np.where(shown, put.min(axis=1, keepdims=True), np.where(folded == [0, 1], -lost, lost))
