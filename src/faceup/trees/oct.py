"""Optimal classification trees by local search (Bertsimas & Dunn 2017; Dunn 2018; paper 000,
Section 2.4.2).

CART decides each split for good before it sees what the branches make of it. An optimal tree is
judged as a whole: it maximises what its leaves earn (`faceup.trees.oct_splits`) over all trees of a
depth whose leaves hold min_rows rows; splits have no price beside that. No method reaches that
optimum for certain at depth 15. This one starts from greedy trees and improves them, always by
exact sums over all rows: sweeps visit every node and take the best change with the rest of the tree
kept, and regrowths replace whole subtrees. Its work is counted in those, and its result depends on
the stream alone.
"""

import numpy as np

from faceup.trees import oct_search
from faceup.trees.metrics import used_rows
from faceup.trees.oct_search import (
    CUT,
    DEPTH,
    FEATURE,
    FREE,
    LEAF,
    LEFT,
    N_NODE_COLUMNS,
    PARENT,
    RIGHT,
    ROWS_END,
    ROWS_START,
    SearchState,
)
from faceup.trees.oct_splits import BRIER, COST, LOG, Problem
from faceup.trees.prune import prune
from faceup.trees.tree import DecisionTree, add_up
from faceup.util.rng import Stream

# codes a feature at most; with no more distinct values, every threshold between two is tried
_BINS = 1024
_LANES = 8  # labels that a kernel's loops are unrolled for, or a multiple
# gains of this share of all weight, or of all that costs could earn, are taken for rounding
_ROUNDING = 1e-9
_SWEEPS = 10  # visits to all nodes at most, after the start and at the end


def fit_oct(
    X: np.ndarray,
    P: np.ndarray,
    w: np.ndarray,
    *,
    max_depth: int,
    min_rows: int,
    stream: Stream,
    regrowths: int = 20,
    costs: np.ndarray | None = None,
) -> DecisionTree:
    """The tree for rows X (n, f), targets P (n, n_labels), weights w (n,), in the form that
    `fit_cart` returns.

    It minimises the squared error, as CART here; with costs (n, n_labels) of each row's labels,
    what the best label of each leaf costs, and leaves then play that label alone. Rows of weight 0
    are left out. regrowths: of a node two levels above the deepest leaves; other levels get about
    the same work, from the top down.
    """
    costs = None if costs is None else costs[np.asarray(w) > 0]
    X, P, w = used_rows(X, P, w)
    edges, codes = bin_features(X, _BINS)
    R = (
        P / P.sum(axis=1, keepdims=True)
        if costs is None
        else costs.max(axis=1, keepdims=True) - costs
    )
    # kernels compile once for up to so many labels
    R = np.ascontiguousarray(np.pad(R, ((0, 0), (0, -R.shape[1] % _LANES))))
    R *= (w / w.mean())[:, None]
    generator = stream()
    problem = Problem(
        codes=codes,
        R=R,
        keys=generator.integers(1 << 62, size=len(X)),
        labels=tuple(range(R.shape[1])),
        crit=BRIER if costs is None else COST,
        min_rows=min_rows,
        max_depth=min(max_depth, len(X)),
        eps=float(_ROUNDING * (len(X) if costs is None else R.max(axis=1).sum())),
    )
    # the trees that grow by entropy and by Gini
    states = [_grown(problem, crit, generator) for crit in (LOG, BRIER)]
    best = max(states, key=lambda state: oct_search.subtree_value(state, 0))
    _regrow_levels(problem, best, regrowths)
    tree = _exported(best, edges, P, w, R, problem.crit)
    return prune(tree, _ROUNDING) if costs is None else tree


def bin_features(X: np.ndarray, bins: int) -> tuple[list[np.ndarray], np.ndarray]:
    """(edges of each feature, codes (f, n) uint16) of X (n, f) float32: code <= c where x <=
    edges[c].

    A feature of at most `bins` distinct values has an edge halfway between any two neighbours,
    others at about equal numbers of rows. Edges are float32, below the larger neighbour.
    """
    edges, codes = [], np.empty(X.T.shape, dtype=np.uint16)
    for f, column in enumerate(X.T):
        values, counts = np.unique(column, return_counts=True)
        low = np.arange(len(values) - 1)
        if len(values) > bins:
            upto = counts.cumsum()
            ends = np.searchsorted(upto, np.arange(1, bins) * (upto[-1] / bins), side="left")
            low = np.unique(ends[ends < len(values) - 1])
            if not len(low):  # nearly all rows have the largest value
                low = np.array([len(values) - 2])
        below, above = values[low].astype(np.float64), values[low + 1].astype(np.float64)
        middle = ((below + above) / 2).astype(np.float32)
        edges.append(np.where(middle >= values[low + 1], values[low], middle))
        codes[f] = np.searchsorted(edges[f], column, side="left")
    return edges, codes


def _grown(problem: Problem, crit: int, generator: np.random.Generator) -> SearchState:
    """A tree that grew greedily by a criterion, after sweeps over all nodes."""
    n = len(problem.R)
    capacity = 6 * max(1, min(n // problem.min_rows, 2 ** min(problem.max_depth, 40))) + 64
    nodes = np.zeros((capacity, N_NODE_COLUMNS), np.int32)
    nodes[:, FEATURE] = FREE
    nodes[0, [FEATURE, PARENT, ROWS_END]] = LEAF, -1, n
    state = SearchState(
        nodes=nodes,
        score=np.zeros(capacity),
        key=np.zeros(capacity, np.int64),
        perm=np.arange(n, dtype=np.int32),
        taken=np.zeros(1, np.int64),
        random=generator.integers(1 << 62, size=1).astype(np.uint64),
    )
    oct_search.grow(problem, state, 0, crit, np.ones(len(problem.codes), dtype=np.bool_))
    oct_search.search(problem, state, 0, _SWEEPS)
    return state


def _regrow_levels(problem: Problem, state: SearchState, regrowths: int) -> None:
    """Regrow the levels from the top, but for the last, where every visit is exact, and sweep over
    all once more.

    What a pass over a level costs grows about with the power 3/2 of the levels below, measured on
    rows of self-play; each level gets as many passes as take about as long.
    """
    nodes = state.nodes
    # a tree may be less deep than it might
    depth = int(nodes[nodes[:, FEATURE] != FREE, DEPTH].max())
    for level in range(depth - 1):
        for _ in range(round(regrowths * (2 / (depth - level)) ** 1.5)):
            for root in np.flatnonzero((nodes[:, FEATURE] >= 0) & (nodes[:, DEPTH] == level)):
                oct_search.regrow(problem, state, root)
    oct_search.search(problem, state, 0, _SWEEPS)


def _exported(
    state: SearchState,
    edges: list[np.ndarray],
    P: np.ndarray,
    w: np.ndarray,
    R: np.ndarray,
    crit: int,
) -> DecisionTree:
    """The tree in work as a DecisionTree in preorder."""
    nodes = state.nodes
    order = oct_search.preorder(nodes, 0)
    number = np.full(len(nodes), -1, dtype=np.int32)
    number[order] = np.arange(len(order))
    table = nodes[order]
    split = table[:, FEATURE] >= 0
    threshold = np.zeros(len(order), dtype=np.float32)
    for i in np.flatnonzero(split):
        threshold[i] = edges[table[i, FEATURE]][table[i, CUT]]
    left, right = (np.where(split, number[table[:, side]], -1) for side in (LEFT, RIGHT))
    columns = np.column_stack([R if crit == COST else w[:, None] * P, w])
    totals = np.zeros((len(table), columns.shape[1]))
    # leaves' rows follow each other
    totals[~split] = np.add.reduceat(columns[state.perm], table[~split, ROWS_START], axis=0)
    sums = add_up(left, right, totals)[:, :-1]
    value = (
        np.eye(P.shape[1])[sums.argmax(axis=1)]
        if crit == COST
        else sums / sums.sum(axis=1, keepdims=True)
    )
    return DecisionTree(
        table[:, FEATURE].copy(),
        threshold,
        left,
        right,
        value.astype(np.float32),
        totals[:, -1].copy(),
    )
