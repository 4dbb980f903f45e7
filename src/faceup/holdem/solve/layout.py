"""A betting tree in the order in which sweeps over it want it: cut into parts, ends in whole vectors.

Self-play sweeps the streets before the river by themselves: there a river subtree is one more kind of end (`before_river`).

The tree is cut at the start of chosen streets. A part is swept as a whole while it is in the processor's cache; no two parts
share an entry of any table, so that threads may take any part and no sum depends on their number.
"""

from typing import NamedTuple

import numba
import numpy as np

from faceup.holdem.betting.betting_tree import DECISION, FOLD_END, SHOWDOWN, BettingTree

LANES = 32  # ends swept together
_LEAST_PART = 64  # nodes: smaller neighbouring subtrees are swept together
RIVER = 3  # kind of the nodes at which `before_river` cuts a tree; 0 to 2 are those of holdem/betting/betting_tree


class Layout(NamedTuple):
    """A tree cut into parts, in the order and types that the sweep wants; `col` counts the ends of a part.

    A root is a decision at which a part begins; root 0 is the tree's. Decisions are ordered by part, street and node, and so
    are their numbers; the slot of a decision is its number less that of its part's first.
    """

    node: np.ndarray  # (n_decisions,) int32 node of each decision
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
    return BettingTree(tree.labels, kind, *(array[:end] for array in tree[2:-1]), start)


def make_layout(tree: BettingTree, cuts: tuple[int, ...], shape: np.ndarray | None = None) -> Layout:
    """Cut a tree at the start of the streets `cuts` (0 first). Raises ValueError on other cuts.

    shape (n_nodes,): of nodes of kind RIVER; LANES columns hold one shape only, and the ends of all parts are kept together.
    """
    if not cuts or cuts[0] != 0 or list(cuts) != sorted(set(cuts)) or cuts[-1] > 3:
        raise ValueError(f"cuts {cuts}: expected ascending streets from 0 to 3 that begin with 0")
    part, n_parts = _parts(tree, cuts)
    n = len(tree.kind)
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
    edges = _edges(tree, part, n_parts)
    edge = np.zeros(n, dtype=np.int32)
    for q in range(n_parts):
        inside = np.concatenate([np.arange(first, end) for first, end in edges[q]])
        edge[inside] = np.arange(len(inside))
    return Layout(
        nodes, tree.street[nodes], tree.actor[nodes], tree.first_child[nodes], tree.n_children[nodes], root[nodes],
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


def _parts(tree: BettingTree, cuts: tuple[int, ...]) -> tuple[np.ndarray, int]:
    """Part of each node: that of the node above, unless the node begins a cut street; small neighbours are joined."""
    part = np.zeros(len(tree.kind), dtype=np.int64)
    n_parts = 1
    for street in cuts[1:]:
        roots = [
            c for c in range(1, len(part))
            if tree.kind[c] == DECISION and tree.street[c] == street > tree.street[tree.parent[c]]
        ]  # fmt: skip
        last = min([s for s in cuts if s > street], default=4) - 1
        size = _LEAST_PART
        for c in roots:
            if size >= _LEAST_PART:
                n_parts, size = n_parts + 1, 0
            part[c] = n_parts - 1
            size += _size(tree, c, last)
    for c in range(1, len(part)):
        if part[c] == 0:
            part[c] = part[tree.parent[c]]
    return part, n_parts


def _size(tree: BettingTree, node: int, last_street: int) -> int:
    """Nodes below a decision that actions up to a street lead to."""
    count, queue = 0, [node]
    for above in queue:
        if tree.kind[above] == DECISION and tree.street[above] <= last_street:
            below = range(tree.first_child[above], tree.first_child[above] + tree.n_children[above])
            queue.extend(below)
            count += len(below)
    return count


def _edges(tree: BettingTree, part: np.ndarray, n_parts: int) -> np.ndarray:
    """First and last-plus-one node reached by an action on each street of each part (of the decision above)."""
    edges = np.zeros((n_parts, 4, 2), dtype=np.int32)
    above = tree.parent[1:]
    for q in range(n_parts):
        for s in range(4):
            inside = np.flatnonzero((part[above] == q) & (tree.street[above] == s)) + 1
            if len(inside):
                edges[q, s] = inside[0], inside[-1] + 1
                assert len(inside) == edges[q, s, 1] - edges[q, s, 0]
    return edges


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
    put = tree.bets[nodes].sum(axis=2)
    shown = (tree.kind[nodes] == SHOWDOWN)[:, None]
    folded = tree.actor[nodes]
    lost = put[np.arange(len(nodes)), np.maximum(folded, 0)]
    fold = np.stack([np.where(folded == 0, -lost, lost), np.where(folded == 1, -lost, lost)], axis=1)
    return np.where(shown, put.min(axis=1, keepdims=True), fold)
