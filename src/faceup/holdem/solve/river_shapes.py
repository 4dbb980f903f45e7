"""The river betting of a tree as subtrees, and which of them are swept together: those in which players act in the same order."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from faceup.holdem.betting.betting_tree import DECISION, FOLD_END, SHOWDOWN, BettingTree
from faceup.holdem.solve.layout import LANES, Layout, stakes_at


class Shapes(NamedTuple):
    """River subtrees of a tree, by shape: nodes of a shape are numbered breadth first from its root's children.

    In the arrays of a sweep showdowns come first, then folds, decisions and last the root: each node has a slot there.
    """

    node_start: np.ndarray  # (n_shapes + 1,) int32 where the nodes of each shape begin
    decision_start: np.ndarray  # (n_shapes + 1,) int32
    ends: np.ndarray  # (n_shapes, 2) int32 how many showdowns, and how many ends in all
    slot: np.ndarray  # (nodes,) int32
    actor: np.ndarray  # (decisions,) int8
    first_child: np.ndarray  # (decisions,) int32 number of the first node it leads to
    n_children: np.ndarray  # (decisions,) int32
    slot_of: np.ndarray  # (decisions,) int32 slot of a decision
    of_block: np.ndarray  # (n_columns // LANES,) int32 shape of the river roots in LANES columns, -1 for other columns
    column: np.ndarray  # (n_columns,) uint32 node after a root, counted from the street's first; in the padding any root's
    begin: np.ndarray  # (n_columns // LANES + 1,) int64 where each block's entries begin in a row of self-play's tables
    stake: np.ndarray  # (n_columns // LANES, most_nodes, 2, LANES) float32 by slot: dollars an end is worth to the *other* player


def river_shapes(tree: BettingTree) -> np.ndarray:
    """Number of the shape of the river betting below each node of `before_river`, -1 where there is none.

    Two subtrees have one shape where the same players act in the same order; amounts may differ.
    """
    shape = np.full(tree.street_start[3], -1, dtype=np.int32)
    known: dict[bytes, int] = {}
    for root, nodes in _rivers(tree):
        lines = [tree.kind[nodes], tree.actor[nodes], tree.n_children[nodes], [tree.actor[root], tree.n_children[root]]]
        shape[root] = known.setdefault(np.concatenate(lines).astype(np.int8).tobytes(), len(known))
    return shape


def _rivers(tree: BettingTree) -> Iterator[tuple[int, np.ndarray]]:
    """Each node that river betting begins at, and all nodes below, which are numbered one after the other."""
    before = slice(0, tree.street_start[3])
    roots = np.flatnonzero((tree.kind[before] == DECISION) & (tree.street[before] == 3))
    for root, end in zip(roots, [*tree.first_child[roots[1:]], len(tree.kind)], strict=True):
        yield int(root), np.arange(tree.first_child[root], end)


def make_shapes(tree: BettingTree, layout: Layout, shape: np.ndarray) -> Shapes:
    """Shapes of a tree's rivers, given the layout of the streets before and `river_shapes`."""
    fields: list[list] = [[] for _ in range(5)]
    starts, ends = [(0, 0)], []
    below = dict(_rivers(tree))
    for root in np.unique(shape, return_index=True)[1][int((shape < 0).any()) :]:
        for field, values in zip(fields, _shape_of(tree, int(root), below[int(root)]), strict=True):
            field.append(values)
        starts.append((starts[-1][0] + len(fields[0][-1]), starts[-1][1] + len(fields[1][-1])))
        ends.append(np.cumsum([(tree.kind[below[root]] == kind).sum() for kind in (SHOWDOWN, FOLD_END)]))
    n_columns, most = len(layout.column_node), max(map(len, below.values()), default=0)
    of_block = np.full(n_columns // LANES, -1, dtype=np.int32)
    column = np.zeros(n_columns, dtype=np.uint32)
    stake = np.zeros((n_columns // LANES, most, 2, LANES), dtype=np.float32)
    for c, root in enumerate(layout.column_node):
        if root >= 0 and shape[root] >= 0:
            of_block[c // LANES], column[c : c + LANES - c % LANES] = shape[root], below[root][0] - tree.street_start[3]
            stake[c // LANES, _slots(tree.kind[below[root]]), :, c % LANES] = stakes_at(tree, below[root])[:, ::-1]
    nodes, decisions = np.array(starts, dtype=np.int32).T
    kinds = (np.int32, np.int8, np.int32, np.int32, np.int32)
    flat = (np.concatenate([np.zeros(0, int), *field]).astype(kind) for field, kind in zip(fields, kinds, strict=True))
    sizes = np.append(np.diff(nodes), 0)[of_block] * LANES
    return Shapes(
        np.ascontiguousarray(nodes), np.ascontiguousarray(decisions), np.array(ends, dtype=np.int32).reshape(-1, 2), *flat,
        of_block, column, np.append(0, np.cumsum(sizes)), stake,
    )  # fmt: skip


def table_columns(tree: BettingTree, layout: Layout, shapes: Shapes) -> np.ndarray:
    """Where self-play's river tables have the tree's river nodes: (number of them,) int64.

    A block's subtrees lie side by side there, node by node, as the sweep reads them.
    """
    columns = np.zeros(len(tree.kind) - tree.street_start[3], dtype=np.int64)
    for c in np.flatnonzero(layout.column_node >= 0):
        shape = shapes.of_block[c // LANES]
        if shape >= 0:
            slot = shapes.slot[shapes.node_start[shape] : shapes.node_start[shape + 1]]
            columns[shapes.column[c] : shapes.column[c] + len(slot)] = shapes.begin[c // LANES] + slot * LANES + c % LANES
    return columns


def _shape_of(tree: BettingTree, root: int, nodes: np.ndarray) -> tuple[np.ndarray, ...]:
    """A shape's entries in the fields of `Shapes` from slot to slot_of."""
    inside, slot = np.flatnonzero(tree.kind[nodes] == DECISION), _slots(tree.kind[nodes])
    decisions = np.concatenate([[root], nodes[inside]])
    slot_of = np.concatenate([[len(nodes)], slot[inside]])
    return slot, tree.actor[decisions], tree.first_child[decisions] - nodes[0], tree.n_children[decisions], slot_of


def _slots(kind: np.ndarray) -> np.ndarray:
    """Slot of each node below a root: showdowns, then folds, then decisions."""
    order = np.argsort(np.select([kind == SHOWDOWN, kind == FOLD_END], [0, 1], 2), kind="stable")
    slots = np.empty(len(kind), dtype=np.int32)
    slots[order] = np.arange(len(kind))
    return slots


def block_sizes(shapes: Shapes) -> np.ndarray:
    """How much work each LANES columns are, (n_blocks,), as measured: a node of a subtree is 1, a root 4, other ends 2."""
    work = np.append(4 + np.diff(shapes.node_start), 2)
    return work[shapes.of_block]
