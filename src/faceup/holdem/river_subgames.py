"""River subgames of a betting tree as kernels take them: one record for all engines.

Subgames in which the same players act in the same order, and only amounts differ, have one shape.
They stand side by side in a `RiverSubgames`, one a lane. Self-play and best responses sweep up to
LANES of them at once. CFR-BR takes them one by one, in the order of the tree, and has ends of one
subgame side by side instead: it adds regrets of several subgames to one leaf of a decision tree,
and a sum of floats depends on its order, so that lanes would change the bits of every retrained
tree.

All-ins before the river, whose boards are still to be completed, are the ends of a node before the
river, and each engine values them in its own way:

- self-play: on the one board that is dealt, as other ends before the river (`cfr.SelfPlay.step`,
  `showdown.add_end_values`);
- best responses: on all rivers, as river subgames of a single node, a showdown
  (`make_river_subgames`); where the flop begins they are among `best_response.next_street_nodes`;
- CFR-BR: on the rivers dealt (`showdown.add_end_values`), and all-ins before the flop exactly, over
  all boards (`cfr_br.CfrBr._ends`). It leaves them out of its river subgames
  (`cfr_br_river.betting_subgames`).
"""

from typing import NamedTuple

import numpy as np

from faceup.holdem.betting_tree import BettingTree
from faceup.holdem.rules import DECISION, FOLD_END, SHOWDOWN

LANES = 32  # subgames swept side by side


class RiverSubgames(NamedTuple):
    """Subgames of one shape: the river betting below a root, or an all-in before, a root that is a
    showdown.

    Nodes are numbered in the tree's order, the root last. In the arrays of a sweep each has a slot:
    showdowns first, then folds, then decisions, last the root.
    """

    tree_node: np.ndarray  # (n_nodes, n) int32 the node of the tree that a node is in each lane
    slot: np.ndarray  # (n_nodes,) int32
    # (n_decisions,) int32 node of each decision, the root first, parents before children
    decision: np.ndarray
    actor: np.ndarray  # (n_decisions,) int8
    first_child: np.ndarray  # (n_decisions,) int32 the first node it leads to
    n_children: np.ndarray  # (n_decisions,) int8
    # (n_ends, 2, lanes) float32 dollars that an end is worth to the opponent of the player at the
    # index: what is won against that player; 0 in padding and where no lane is
    stake_against: np.ndarray
    n_shown: int  # slots of showdowns
    n_ends: int  # slots of showdowns and folds
    first_node: int  # that an action of the river leads to: column 0 of the river's tables


def make_river_subgames(
    tree: BettingTree, lanes: int = LANES, width: int = 1
) -> list[RiverSubgames]:
    """All river subgames and all-ins that the streets before lead to; the largest records first.

    lanes: subgames in a record, at most; width: slots of showdowns, and those of folds, are padded
    to a multiple of it.
    """
    before = slice(0, tree.street_start[3])
    all_in, on_river = tree.kind[before] == SHOWDOWN, tree.street[before] == 3
    roots = np.flatnonzero(all_in | (tree.kind[before] == DECISION) & on_river)
    rivers = roots[tree.kind[roots] == DECISION]
    end = dict(zip(rivers, np.append(tree.first_child[rivers], len(tree.kind))[1:], strict=True))
    by_shape: dict[bytes, list[np.ndarray]] = {}
    for root in roots:
        # an all-in has no first child
        nodes = np.append(np.arange(tree.first_child[root], end.get(root, 0)), root)
        shape = np.stack([tree.kind[nodes], tree.actor[nodes], tree.n_children[nodes]])
        by_shape.setdefault(shape.tobytes(), []).append(nodes)
    subgames = [
        _side_by_side(tree, np.array(same[k : k + lanes]), lanes, width)
        for same in by_shape.values()
        for k in range(0, len(same), lanes)
    ]
    return sorted(subgames, key=lambda some: -some.tree_node.size)


def _side_by_side(tree: BettingTree, nodes: np.ndarray, lanes: int, width: int) -> RiverSubgames:
    """Subgames of one shape, nodes (n, n_nodes)."""
    first, kind = nodes[0], tree.kind[nodes[0]]
    shown, folds, inner = (np.flatnonzero(kind == k) for k in (SHOWDOWN, FOLD_END, DECISION))
    n_shown = -(-len(shown) // width) * width
    n_ends = n_shown + -(-len(folds) // width) * width
    slot = np.empty(len(kind), dtype=np.int32)
    for nodes_of_kind, start in ((shown, 0), (folds, n_shown), (inner, n_ends)):
        slot[nodes_of_kind] = start + np.arange(len(nodes_of_kind))
    ends, inner = np.append(shown, folds), np.roll(inner, 1)  # the root first
    stake = np.zeros((n_ends, 2, lanes), dtype=np.float32)
    worth = stakes_at(tree, nodes.T[ends].ravel()).reshape(len(ends), len(nodes), 2)
    stake[slot[ends], :, : len(nodes)] = worth.swapaxes(1, 2)[:, ::-1]
    return RiverSubgames(
        nodes.T.astype(np.int32),
        slot,
        inner.astype(np.int32),
        tree.actor[first[inner]],
        (tree.first_child[first[inner]] - first[0]).astype(np.int32),
        tree.n_children[first[inner]],
        stake,
        n_shown,
        n_ends,
        int(tree.street_start[3]),
    )


def stakes_at(tree: BettingTree, nodes: np.ndarray) -> np.ndarray:
    """Dollars (n, 2) that a showdown's winner takes from the other; at a fold each player's gain or
    loss.
    """
    put, folded = tree.bets[nodes].sum(axis=2), tree.actor[nodes, None]
    lost = np.take_along_axis(put, np.maximum(folded, 0), axis=1)
    shown = tree.kind[nodes, None] == SHOWDOWN
    return np.where(shown, put.min(axis=1, keepdims=True), np.where(folded == [0, 1], -lost, lost))
