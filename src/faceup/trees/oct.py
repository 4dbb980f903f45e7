"""Optimal classification trees by local search (Bertsimas & Dunn 2017; Dunn 2018; paper 000, Section 2.4.2).

CART decides each split for good before it sees what the branches make of it. An optimal tree is judged as a whole:
it maximises what its leaves earn (`faceup.trees.oct_splits`) less cp for each split, over all trees of a depth whose
leaves hold min_rows rows. No method reaches that optimum for certain at depth 15. This one starts from greedy trees
and improves them, always by exact sums over all rows: sweeps visit every node and take the best change with the rest
of the tree kept, and regrowths replace whole subtrees. Its work is counted in those, and its result depends on the
stream alone.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from faceup.lab.rng import Stream
from faceup.trees import oct_search
from faceup.trees.metrics import used_rows
from faceup.trees.oct_search import (
    CUT,
    DEPTH,
    DIRTY,
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

_LANES = 8  # labels that a kernel's loops are unrolled for, or a multiple
_ROUNDING = 1e-9  # gains of this share of all weight, or of all that costs could earn, are taken for rounding
_TOP = 3  # levels that are swept by themselves, before the subtrees below them


class OctSettings(NamedTuple):
    """What trees are searched, and with how much work."""

    max_depth: int
    min_rows: int  # in a leaf, those of weight 0 not counted
    cp: float = 0.0  # what a split must earn, as a share of all weight
    sweeps: int = 10  # visits to all nodes at most, after the start and at the end
    regrowths: int = 20  # of a node two levels above the deepest leaves; other levels get about the same work, from the top down
    bins: int = 1024  # codes a feature at most; with no more distinct values, every threshold between two is tried


def fit_oct(
    X: np.ndarray, P: np.ndarray, w: np.ndarray, settings: OctSettings, stream: Stream, costs: np.ndarray | None = None
) -> DecisionTree:
    """The tree for rows X (n, f), targets P (n, n_labels), weights w (n,), in the form that `fit_cart` returns.

    It minimises the squared error, as CART here; with costs (n, n_labels) of each row's labels, what the best label of each leaf
    costs, and leaves then play that label alone. Rows of weight 0 are left out.
    """
    costs = None if costs is None else costs[np.asarray(w) > 0]
    X, P, w = used_rows(X, P, w)
    edges, codes = bin_features(X, settings.bins)
    R = P / P.sum(axis=1, keepdims=True) if costs is None else costs.max(axis=1, keepdims=True) - costs
    R = np.ascontiguousarray(np.pad(R, ((0, 0), (0, -R.shape[1] % _LANES))))  # kernels compile once for up to so many labels
    R *= (w / w.mean())[:, None]
    generator = stream()
    problem = Problem(
        codes=codes,
        n_codes=int(codes.max()) + 2,
        R=R,
        keys=generator.integers(1 << 62, size=len(X)),
        labels=tuple(range(R.shape[1])),
        crit=BRIER if costs is None else COST,
        min_rows=settings.min_rows,
        max_depth=min(settings.max_depth, len(X)),
        cp=float(settings.cp * len(X)),
        eps=float(_ROUNDING * (len(X) if costs is None else R.max(axis=1).sum())),
    )
    searches = [_Search(problem, settings, generator) for _ in range(2)]
    for search, crit in zip(searches, (LOG, BRIER), strict=True):  # from the trees that grow by entropy and by Gini
        search.grow(crit)
    best = max(searches, key=_Search.value)
    best.regrow_levels()
    tree = _exported(best.state, edges, P, w, R, problem.crit)
    return prune(tree, settings.cp + _ROUNDING) if costs is None else tree


def bin_features(X: np.ndarray, bins: int) -> tuple[list[np.ndarray], np.ndarray]:
    """(edges of each feature, codes (f, n) uint16) of X (n, f) float32: code <= c where x <= edges[c].

    A feature of at most `bins` distinct values has an edge halfway between any two neighbours, others at about
    equal numbers of rows. Edges are float32, below the larger neighbour.
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


class _Search:
    """A tree in work on one problem."""

    def __init__(self, problem: Problem, settings: OctSettings, generator: np.random.Generator) -> None:
        self.problem, self.settings, self.generator = problem, settings, generator
        n = len(problem.R)
        capacity = 6 * max(1, min(n // problem.min_rows, 2 ** min(problem.max_depth, 40))) + 64
        nodes, free = np.zeros((capacity, N_NODE_COLUMNS), np.int32), np.zeros(capacity, np.int32)
        nodes[:, FEATURE] = FREE
        nodes[0, [FEATURE, PARENT, ROWS_END, DIRTY]] = LEAF, -1, n, 1
        perm, n_free, random = np.arange(n, dtype=np.int32), np.zeros(1, np.int64), np.zeros(1, np.uint64)
        self.state = SearchState(nodes, np.zeros(capacity), np.zeros(capacity, np.int64), perm, free, n_free, random)

    def value(self) -> float:
        nodes = self.state.nodes
        return float(self.state.score[nodes[:, FEATURE] == LEAF].sum() - self.problem.cp * (nodes[:, FEATURE] >= 0).sum())

    def grow(self, crit: int) -> None:
        """Grow the root greedily by a criterion, then sweep over all nodes."""
        used = np.ones(len(self.problem.codes), dtype=np.bool_)
        self.run(oct_search._grow, np.zeros(1, dtype=np.int64), crit, used)
        self.sweep()

    def sweep(self) -> None:
        """Sweeps over all nodes: those at the top, then the subtrees below them."""
        nodes = self.state.nodes
        for _ in range(self.settings.sweeps):
            gained = self.run(oct_search._search, np.zeros(1, dtype=np.int64), 1, _TOP - 1)
            roots = np.flatnonzero((nodes[:, FEATURE] != FREE) & (nodes[:, DEPTH] == _TOP) & (nodes[:, DIRTY] == 1))
            if not self.run(oct_search._search, roots, 1, self.problem.max_depth) and not gained:
                return

    def regrow_levels(self) -> None:
        """Regrow the levels from the top, but for the last, where every visit is exact, and sweep over all once more.

        What a pass over a level costs grows about with the power 3/2 of the levels below, measured on rows of self-play; each
        level gets as many passes as take about as long.
        """
        nodes = self.state.nodes
        depth = int(nodes[nodes[:, FEATURE] != FREE, DEPTH].max())  # a tree may be less deep than it might
        for level in range(depth - 1):
            for _ in range(round(self.settings.regrowths * (2 / (depth - level)) ** 1.5)):
                self.run(oct_search._regrow, np.flatnonzero((nodes[:, FEATURE] >= 0) & (nodes[:, DEPTH] == level)))
        self.sweep()

    def run(self, task: Callable, roots: np.ndarray, *settings: object) -> bool:
        """Do a task at all roots, which are disjoint, each with a seed of its own; True if it is of one."""
        state, nodes = self.state, self.state.nodes
        free = np.flatnonzero(nodes[:, FEATURE] == FREE)
        state.free[: len(free)], state.n_free[0] = free, len(free)
        roots = roots[np.argsort(nodes[roots, ROWS_START], kind="stable")]
        changed = np.zeros(len(roots), dtype=bool)
        for i, seed in enumerate(self.generator.integers(1 << 62, size=len(roots))):
            state.random[0] = seed
            changed[i] = task(self.problem, state, roots[i], *settings)
        above = np.unique(nodes[roots[changed], PARENT])
        while (above := above[above >= 0]).size:
            nodes[above, DIRTY] = 1
            above = np.unique(nodes[above, PARENT])
        return bool(changed.any())


def _exported(
    state: SearchState, edges: list[np.ndarray], P: np.ndarray, w: np.ndarray, R: np.ndarray, crit: int
) -> DecisionTree:
    """The tree in work as a DecisionTree in preorder."""
    nodes = state.nodes
    order = oct_search._preorder(nodes, 0)
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
    totals[~split] = np.add.reduceat(columns[state.perm], table[~split, ROWS_START], axis=0)  # leaves' rows follow each other
    sums = add_up(left, right, totals)[:, :-1]
    value = np.eye(P.shape[1])[sums.argmax(axis=1)] if crit == COST else sums / sums.sum(axis=1, keepdims=True)
    return DecisionTree(table[:, FEATURE].copy(), threshold, left, right, value.astype(np.float32), totals[:, -1].copy())
