"""A betting tree in the order in which sweeps over it want it: cut into parts, ends in whole vectors.

Self-play sweeps the streets before the river by themselves: there a river subtree is one more kind of end (`before_river`).

The tree is cut at the start of each flop. A part is swept as a whole while it is in the processor's cache; no two parts
share an entry of any table, so that threads may take any part and no sum depends on their number.

River subtrees in which players act in the same order have one shape, and are swept together (`Shapes`).
"""

from collections.abc import Iterator
from typing import NamedTuple

import numba
import numpy as np

from faceup.holdem.rules import DECISION, FOLD_END, SHOWDOWN
from faceup.holdem.tree import BettingTree

LANES = 32  # ends swept together
_LEAST_PART = 64  # nodes: smaller neighbouring subtrees are swept together
RIVER = 3  # kind of the nodes at which `before_river` cuts a tree; 0 to 2 are those of holdem/tree


class Layout(NamedTuple):
    """A tree cut into parts, in the order and types that the sweep wants; `col` counts the ends of a part.

    A root is a decision at which a part begins; root 0 is the tree's. Decisions are ordered by part, street and node, and so
    are their numbers; the slot of a decision is its number less that of its part's first.
    """

    street: np.ndarray  # (n_decisions,) int8
    actor: np.ndarray  # (n_decisions,) int8
    first_child: np.ndarray  # (n_decisions,) int32
    n_children: np.ndarray  # (n_decisions,) int8
    root_of: np.ndarray  # (n_decisions,) int32 number of the root that this decision is, -1 elsewhere
    slot: np.ndarray  # (n_nodes,) int32 slot of a decision, column of an end
    decision: np.ndarray  # (n_nodes,) int32 number of a decision, -1 at ends
    root: np.ndarray  # (n_nodes,) int32 number of a root, -1 elsewhere
    parent: np.ndarray  # (n_nodes,) int32 number of the decision above, -1 at the root
    street_start: np.ndarray  # (5,) int32 as in BettingTree
    edge: np.ndarray  # (n_nodes,) int32 place among the nodes that its part's actions lead to
    edges: np.ndarray  # (n_parts, 4, 2) int32 nodes of each part that an action on each street leads to: first, end
    decisions: np.ndarray  # (n_parts, 2) int32 decisions of each part: first, end
    columns: np.ndarray  # (n_parts or 1, 4) int32 first showdown, first fold, first river, end: rows of `stake`, whole LANES each
    column_node: np.ndarray  # (n_columns,) int32 node of each column, -1 in the padding
    stake: np.ndarray  # (n_columns, 2) float32 dollars an end is worth to each player; 0 in the padding
    own_columns: np.ndarray  # (n_parts, 4, 2) int32 first of a part's decisions among its street's, and how many


def before_river(tree: BettingTree) -> BettingTree:
    """A tree without its river betting: where that would begin stands a node of kind RIVER."""
    end = tree.street_start[3]
    kind = tree.kind[:end].copy()
    kind[(kind == DECISION) & (tree.street[:end] == 3)] = RIVER
    start = np.append(tree.street_start[:4], end).astype(np.int32)
    return BettingTree(tree.labels, kind, *(array[:end] for array in tree[2:-1]), start)  # type: ignore[call-arg]


def make_layout(tree: BettingTree, shape: np.ndarray | None = None) -> Layout:
    """Cut a tree at the start of each flop.

    shape (n_nodes,): of nodes of kind RIVER; LANES columns hold one shape only, and the ends of all parts are kept together.
    """
    part, n = _parts(tree), len(tree.kind)
    n_parts = int(part.max()) + 1
    nodes = np.flatnonzero(tree.kind == DECISION)
    nodes = nodes[np.lexsort((nodes, tree.street[nodes], part[nodes]))].astype(np.int32)
    decision = np.full(n, -1, dtype=np.int32)
    decision[nodes] = np.arange(len(nodes))
    bounds = np.searchsorted(part[nodes], np.arange(n_parts + 1)).astype(np.int32)
    slot = np.where(decision >= 0, decision - bounds[part], 0).astype(np.int32)
    pool = part if shape is None else np.zeros_like(part)
    columns, column_node, stake = _columns(tree, pool, slot, shape)
    parent = np.where(tree.parent >= 0, decision[tree.parent], -1).astype(np.int32)
    is_root = (tree.kind == DECISION) & ((parent < 0) | (part != part[tree.parent]))
    root = np.full(n, -1, dtype=np.int32)
    root[is_root] = np.arange(is_root.sum())
    counts = np.zeros((n_parts, 4), dtype=np.int32)
    np.add.at(counts, (part[nodes], tree.street[nodes]), 1)
    own_columns = np.stack([counts.cumsum(axis=0) - counts, counts], axis=2).astype(np.int32)
    edges, edge = np.zeros((n_parts, 4, 2), dtype=np.int32), np.zeros(n, dtype=np.int32)
    for q in range(n_parts):
        inside = np.flatnonzero(part[tree.parent[1:]] == q) + 1  # by street, and without a gap on each
        edge[inside] = np.arange(len(inside))
        streets, first, count = np.unique(tree.street[tree.parent[inside]], return_index=True, return_counts=True)
        edges[q, streets] = np.stack([inside[first], inside[first] + count], axis=1)
    return Layout(
        tree.street[nodes], tree.actor[nodes], tree.first_child[nodes], tree.n_children[nodes], root[nodes],
        slot, decision, root, parent, tree.street_start, edge, edges,
        np.stack([bounds[:-1], bounds[1:]], axis=1), columns, column_node, stake, own_columns,
    )  # fmt: skip


def shares(sizes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Tasks dealt to the threads, largest first, each to the thread with the least work so far.

    Returns the tasks in the order of threads (n,), and where each thread's begin (n_threads + 1,).
    """
    tasks: list[list[int]] = [[] for _ in range(numba.config.NUMBA_NUM_THREADS)]
    work = np.zeros(len(tasks))
    for task in np.argsort(-np.asarray(sizes), kind="stable").tolist():
        least = int(work.argmin())
        tasks[least].append(task)
        work[least] += sizes[task]
    return np.array(sum(tasks, []), dtype=np.int64), np.cumsum([0, *map(len, tasks)])


def _parts(tree: BettingTree) -> np.ndarray:
    """Part of each node: 0 before the flop, then that of its flop's first decision; small neighbours are joined."""
    part, below = np.zeros((2, len(tree.kind)), dtype=np.int64)
    for c in range(len(below) - 1, 0, -1):
        below[tree.parent[c]] += 1 + below[c]
    last, size = 0, _LEAST_PART
    for c in range(1, len(part)):
        above = tree.parent[c]
        part[c] = part[above]
        if tree.kind[c] == DECISION and tree.street[c] == 1 > tree.street[above]:
            if size >= _LEAST_PART:
                last, size = last + 1, 0
            part[c] = last
            size += below[c]
    return part


def _columns(tree: BettingTree, pool: np.ndarray, slot: np.ndarray, shape: np.ndarray | None) -> tuple:
    """Number the ends of each pool (into slot): showdowns, folds, rivers by shape. Columns, their nodes and their stakes."""
    columns = np.zeros((int(pool.max()) + 1, 4), dtype=np.int32)
    nodes_of, stakes = [np.zeros(0, dtype=np.int32)], [np.zeros((0, 2), dtype=np.float32)]
    n_columns = 0
    kinds = [(SHOWDOWN, None), (FOLD_END, None), *((RIVER, s) for s in range(0 if shape is None else shape.max() + 1))]
    for q in range(len(columns)):
        columns[q] = n_columns
        for kind, of_shape in kinds:
            inside = (tree.kind == kind) & (pool == q)
            nodes = np.flatnonzero(inside if of_shape is None else inside & (shape == of_shape))
            slot[nodes] = n_columns - columns[q, 0] + np.arange(len(nodes))
            padded = np.full(-(-len(nodes) // LANES) * LANES, -1, dtype=np.int32)
            padded[: len(nodes)] = nodes
            stake = np.zeros((len(padded), 2), dtype=np.float32)
            if kind != RIVER:
                stake[: len(nodes)] = stakes_at(tree, nodes)
            nodes_of.append(padded)
            stakes.append(stake)
            n_columns += len(padded)
            columns[q, min(1 + kinds.index((kind, of_shape)), 3) :] = n_columns
    return columns, np.concatenate(nodes_of), np.concatenate(stakes)


def stakes_at(tree: BettingTree, nodes: np.ndarray) -> np.ndarray:
    """Dollars that a showdown's winner takes from the other; at a fold what each player gains or loses. (n, 2)"""
    put, folded = tree.bets[nodes].sum(axis=2), tree.actor[nodes, None]
    lost = np.take_along_axis(put, np.maximum(folded, 0), axis=1)
    shown = tree.kind[nodes, None] == SHOWDOWN
    return np.where(shown, put.min(axis=1, keepdims=True), np.where(folded == [0, 1], -lost, lost))


class Shapes(NamedTuple):
    """River subtrees of a tree, by shape: nodes of a shape are numbered breadth first from its root's children.

    In the arrays of a sweep showdowns come first, then folds, decisions and last the root: each node has a slot there.
    """

    node_start: np.ndarray  # (n_shapes + 1,) int32 where the nodes of each shape begin
    decision_start: np.ndarray  # (n_shapes + 1,) int32
    ends: np.ndarray  # (n_shapes, 2) int64 how many showdowns, and how many ends in all
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


def river_layout(tree: BettingTree) -> tuple[Layout, Shapes]:
    """The layout of the streets before the river, and the shapes of the rivers."""
    shape = river_shapes(tree)
    layout = make_layout(before_river(tree), shape)
    fields: list[list] = [[] for _ in range(5)]
    starts, ends = [(0, 0)], []
    below = dict(_rivers(tree))
    for root in np.unique(shape, return_index=True)[1][int((shape < 0).any()) :]:
        nodes = below[int(root)]
        inside, slot = np.flatnonzero(tree.kind[nodes] == DECISION), _slots(tree.kind[nodes])
        decisions = np.append(root, nodes[inside])
        first_child, slot_of = tree.first_child[decisions] - nodes[0], np.append(len(nodes), slot[inside])
        found = slot, tree.actor[decisions], first_child, tree.n_children[decisions], slot_of
        for field, values in zip(fields, found, strict=True):
            field.append(values)
        starts.append((starts[-1][0] + len(fields[0][-1]), starts[-1][1] + len(fields[1][-1])))
        ends.append(np.cumsum([(tree.kind[nodes] == kind).sum() for kind in (SHOWDOWN, FOLD_END)]))
    n_columns, most = len(layout.column_node), max(map(len, below.values()), default=0)
    of_block = np.full(n_columns // LANES, -1, dtype=np.int32)
    column = np.zeros(n_columns, dtype=np.uint32)
    stake = np.zeros((n_columns // LANES, most, 2, LANES), dtype=np.float32)
    for c, root in enumerate(layout.column_node):
        if root >= 0 and shape[root] >= 0:
            of_block[c // LANES], column[c : c + LANES - c % LANES] = shape[root], below[root][0] - tree.street_start[3]
            stake[c // LANES, _slots(tree.kind[below[root]]), :, c % LANES] = stakes_at(tree, below[root])[:, ::-1]
    node_start, decision_start = np.array(starts, dtype=np.int32).T
    kinds = (np.int32, np.int8, np.int32, np.int32, np.int32)
    flat = (np.concatenate([np.zeros(0, int), *field]).astype(kind) for field, kind in zip(fields, kinds, strict=True))
    sizes = np.append(np.diff(node_start), 0)[of_block] * LANES
    starts_of = np.ascontiguousarray(node_start), np.ascontiguousarray(decision_start)
    begin = np.append(0, np.cumsum(sizes))
    return layout, Shapes(*starts_of, np.array(ends, np.int64).reshape(-1, 2), *flat, of_block, column, begin, stake)  # type: ignore[call-arg]


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
