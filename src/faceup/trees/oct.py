"""Optimal classification trees by local search (Bertsimas & Dunn 2017; Dunn 2018; paper 000,
Section 2.4.2).

CART fixes each split before it knows the branches below. An optimal tree maximizes the sum of its
leaves' values (`faceup.trees.oct_splits`) over all trees of a depth with at least min_rows samples
a leaf; splits have no price. No method is certain to reach that optimum at depth 15. This local
search improves greedy trees, always by exact sums over all samples: sweeps visit every node and
take the best change with the rest of the tree fixed, and regrowths replace whole subtrees. Work is
counted in sweeps and regrowths, and the result depends on the stream alone.
"""

from collections.abc import Sequence

import numpy as np

from faceup.trees import oct_search
from faceup.trees.metrics import used_samples
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
from faceup.trees.oct_splits import BRIER, LOG, Problem
from faceup.trees.prune import prune
from faceup.trees.tree import DecisionTree, add_up
from faceup.util.rng import Stream

# codes a feature at most; with no more distinct values, every threshold between two is tried
_BINS = 1024
_LANES = 8  # labels are padded to a multiple, so that kernels compile once
_ROUNDING = 1e-9  # smaller gains, as a share of all weight, are rounding errors
_STARTS = {"entropy": LOG, "gini": BRIER}  # criteria of the greedy trees that the search improves


def fit_oct(
    X: np.ndarray,
    P: np.ndarray,
    w: np.ndarray,
    *,
    max_depth: int,
    min_rows: int,
    stream: Stream,
    regrowths: int = 20,
    sweeps: int = 10,
    starts: Sequence[str] = ("entropy", "gini"),
) -> DecisionTree:
    """The tree for samples X (n, f), targets P (n, n_labels), weights w (n,) that minimizes the
    squared error, as `fit_cart` does greedily.

    Samples of weight 0 are ignored. regrowths: of each node two levels above the deepest leaves;
    other levels take about the same work, from the root down. sweeps: at most, over all nodes,
    after growing and at the end. starts: criteria of the greedy trees, the better of which is
    improved; with one start and no work it is the result.
    """
    X, P, w = used_samples(X=X, P=P, w=w)
    bin_edges, codes = bin_features(X, _BINS)
    R = P / P.sum(axis=1, keepdims=True)
    R = np.ascontiguousarray(np.pad(R, ((0, 0), (0, -R.shape[1] % _LANES))))
    R *= (w / w.mean())[:, None]
    generator = stream()
    problem = Problem(
        codes=codes,
        R=R,
        keys=generator.integers(1 << 62, size=len(X)),
        labels=tuple(range(R.shape[1])),
        min_rows=min_rows,
        max_depth=min(max_depth, len(X)),
        eps=float(_ROUNDING * len(X)),
    )
    states = [_grown(problem, _STARTS[start], generator, sweeps) for start in starts]
    best = max(states, key=lambda state: oct_search.subtree_value(state, 0))
    _regrow_levels(problem, best, regrowths, sweeps)
    return _exported(best, bin_edges, P, w)


def bin_features(X: np.ndarray, bins: int) -> tuple[list[np.ndarray], np.ndarray]:
    """(bin edges of each feature, codes (f, n) uint16) of X (n, f) float32: code <= c where x <=
    bin_edges[c].

    A feature of at most `bins` distinct values has an edge halfway between neighbors, others at
    about equal numbers of samples. Edges are float32, below the larger neighbor.
    """
    bin_edges, codes = [], np.empty(X.T.shape, dtype=np.uint16)
    for f, column in enumerate(X.T):
        values, counts = np.unique(column, return_counts=True)
        low = np.arange(len(values) - 1)
        if len(values) > bins:
            upto = counts.cumsum()
            ends = np.searchsorted(upto, np.arange(1, bins) * (upto[-1] / bins), side="left")
            low = np.unique(ends[ends < len(values) - 1])
        below, above = values[low].astype(np.float64), values[low + 1].astype(np.float64)
        middle = ((below + above) / 2).astype(np.float32)
        bin_edges.append(np.where(middle >= values[low + 1], values[low], middle))
        codes[f] = np.searchsorted(bin_edges[f], column, side="left")
    return bin_edges, codes


def _grown(problem: Problem, crit: int, generator: np.random.Generator, sweeps: int) -> SearchState:
    """A tree grown greedily by a criterion and improved by sweeps."""
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
    oct_search.search(problem, state, 0, sweeps)
    return state


def _regrow_levels(problem: Problem, state: SearchState, regrowths: int, sweeps: int) -> None:
    """Regrow the nodes of each level but the last, where visits are exact, from the root down, and
    sweep over all once more.

    The time of a pass over a level grows about with the power 3/2 of the levels below, measured on
    samples of self-play; the number of passes makes up for it.
    """
    nodes = state.nodes
    # may be less than max_depth
    depth = int(nodes[nodes[:, FEATURE] != FREE, DEPTH].max())
    for level in range(depth - 1):
        for _ in range(round(regrowths * (2 / (depth - level)) ** 1.5)):
            for root in np.flatnonzero((nodes[:, FEATURE] >= 0) & (nodes[:, DEPTH] == level)):
                oct_search.regrow(problem, state, root)
    oct_search.search(problem, state, 0, sweeps)


def _exported(
    state: SearchState, bin_edges: list[np.ndarray], P: np.ndarray, w: np.ndarray
) -> DecisionTree:
    """The search's tree as a DecisionTree in preorder, without splits that gain nothing."""
    nodes = state.nodes
    order = oct_search.preorder(nodes, 0)
    number = np.full(len(nodes), -1, dtype=np.int32)
    number[order] = np.arange(len(order))
    table = nodes[order]
    split = table[:, FEATURE] >= 0
    threshold = np.zeros(len(order), dtype=np.float32)
    threshold[split] = [bin_edges[node[FEATURE]][node[CUT]] for node in table[split]]
    left, right = (np.where(split, number[table[:, side]], -1) for side in (LEFT, RIGHT))
    columns = np.column_stack([w[:, None] * P, w])
    totals = np.zeros((len(table), columns.shape[1]))
    # the samples of consecutive leaves are consecutive
    totals[~split] = np.add.reduceat(columns[state.perm], table[~split, ROWS_START], axis=0)
    sums = add_up(left, right, totals)[:, :-1]
    value = (sums / sums.sum(axis=1, keepdims=True)).astype(np.float32)
    tree = DecisionTree(
        table[:, FEATURE].copy(), threshold, left, right, value, totals[:, -1].copy()
    )
    return prune(tree, _ROUNDING)
