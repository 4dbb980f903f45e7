"""Optimal classification trees by local search (Bertsimas & Dunn 2017; Dunn 2018; paper 000, Section 2.4.2).

CART decides each split for good before it sees what the branches make of it. An optimal tree is judged as a whole:
it maximises what its leaves earn (`faceup.trees.oct_sweeps`) less cp for each split, over all trees of a depth whose
leaves hold min_rows rows. No method reaches that optimum for certain at depth 15. This one starts from greedy trees
and improves them, always by exact sums over all rows: sweeps visit every node and take the best change with the rest
of the tree kept, and regrowths replace whole subtrees. Its work is counted in those, and its result depends on the
stream alone.
"""

from collections.abc import Callable

import numpy as np

from faceup.lab.rng import Stream
from faceup.trees import oct_search
from faceup.trees.decision_tree import DecisionTree, add_up, preorder
from faceup.trees.metrics import checked_costs, checked_rows
from faceup.trees.oct_search import CUT, DEPTH, DIRTY, END, FEATURE, FREE, LEAF, LEFT, PARENT, RIGHT, START, SearchState
from faceup.trees.oct_sweeps import BRIER, COST, LOG, Problem
from faceup.trees.pruning import prune

_LANES = 8  # labels that a kernel's loops are unrolled for, or a multiple
_ROUNDING = 1e-9  # gains of this share of all weight, or of all that costs could earn, are taken for rounding
_TOP = 3  # levels that are swept by themselves, before the subtrees below them


def fit_oct(
    X: np.ndarray,
    P: np.ndarray,
    w: np.ndarray,
    *,
    max_depth: int,
    min_rows: int,
    stream: Stream,
    costs: np.ndarray | None = None,
    cp: float = 0.0,
    sweeps: int = 10,
    regrowths: int = 20,
    bins: int = 1024,
) -> DecisionTree:
    """The tree for rows X (n, f), targets P (n, n_labels), weights w (n,), in the form that `fit_cart` returns.

    It minimises the squared error, as CART here; with costs (n, n_labels) of each row's labels, what the best label of each leaf
    costs, and leaves then play that label alone. cp: what a split must earn, as a share of all weight. sweeps: visits to all
    nodes at most, after the start and at the end. regrowths: how often a node two levels above the deepest leaves is grown anew;
    other levels get about the same work, from the top down. bins: codes a feature at most; with no more distinct values, every
    threshold between two is tried. Rows of weight 0 are left out, of min_rows too. Raises ValueError on bad rows.
    """
    costs = None if costs is None else checked_costs(costs, w)
    X, P, w = checked_rows(X, P, w)
    edges, codes = bin_features(X, bins)
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
        min_rows=min_rows,
        max_depth=min(max_depth, len(X)),
        cp=float(cp * len(X)),
        eps=float(_ROUNDING * (len(X) if costs is None else R.max(axis=1).sum())),
        sweeps=sweeps,
        regrowths=regrowths,
    )
    search = _from_greedy(problem, generator)
    _regrow_levels(search)
    tree = _exported(search.state, edges, P, w, R, problem.crit)
    return prune(tree, cp + _ROUNDING) if costs is None else tree


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

    def __init__(self, problem: Problem, generator: np.random.Generator) -> None:
        self.problem, self.generator = problem, generator
        n = len(problem.R)
        capacity = 6 * self._most_leaves(n, 0) + 64
        nodes, key, free = (
            np.zeros((capacity, oct_search.N_COLUMNS), np.int32),
            np.zeros(capacity, np.int64),
            np.zeros(capacity, np.int32),
        )
        nodes[:, FEATURE] = FREE
        nodes[0, [FEATURE, PARENT, END, DIRTY]] = LEAF, -1, n, 1
        perm, n_free, random = np.arange(n, dtype=np.int32), np.zeros(1, np.int64), np.zeros(1, np.uint64)
        self.state = SearchState(nodes, np.zeros(capacity), key, perm, free, n_free, random)

    def _most_leaves(self, rows: int, depth: int) -> int:
        return max(1, min(rows // self.problem.min_rows, 2 ** min(self.problem.max_depth - depth, 40)))

    def value(self) -> float:
        nodes = self.state.nodes
        return float(self.state.score[nodes[:, FEATURE] == LEAF].sum() - self.problem.cp * (nodes[:, FEATURE] >= 0).sum())

    def grow(self, crit: int) -> None:
        """Grow every leaf greedily by a criterion, then sweep over all nodes."""
        used = np.ones(len(self.problem.codes), dtype=np.bool_)
        self.run(oct_search._grow, np.flatnonzero(self.state.nodes[:, FEATURE] == LEAF), crit, used)
        self.sweep()

    def sweep(self) -> None:
        """Sweeps over all nodes: those at the top, then the subtrees below them."""
        nodes = self.state.nodes
        for _ in range(self.problem.sweeps):
            gained = self.run(oct_search._search, np.zeros(1, dtype=np.int64), 1, _TOP - 1)
            roots = np.flatnonzero((nodes[:, FEATURE] != FREE) & (nodes[:, DEPTH] == _TOP) & (nodes[:, DIRTY] == 1))
            if not self.run(oct_search._search, roots, 1, self.problem.max_depth) and not gained:
                return

    def run(self, task: Callable, roots: np.ndarray, *settings: object) -> bool:
        """Do a task at all roots, which are disjoint, each with a seed and free nodes of its own; True if it is of one."""
        if len(roots) == 0:
            return False
        state, nodes = self.state, self.state.nodes
        roots = roots[np.argsort(nodes[roots, START], kind="stable")]
        rows, depths = (nodes[roots, END] - nodes[roots, START]).tolist(), nodes[roots, DEPTH].tolist()
        need = [2 * self._most_leaves(m, d) + 2 for m, d in zip(rows, depths, strict=True)]
        free = np.split(np.flatnonzero(nodes[:, FEATURE] == FREE), np.cumsum(need))
        seeds = self.generator.integers(1 << 62, size=len(roots))
        changed = np.zeros(len(roots), dtype=bool)
        for i, root in enumerate(roots):
            state.random[0], state.n_free[0] = seeds[i], len(free[i])
            state.free[: len(free[i])] = free[i]
            changed[i] = bool(task(self.problem, state, root, *settings))
        above = np.unique(nodes[roots[changed], PARENT])
        while (above := above[above >= 0]).size:
            nodes[above, DIRTY] = 1
            above = np.unique(nodes[above, PARENT])
        return bool(changed.any())


def _from_greedy(problem: Problem, generator: np.random.Generator) -> _Search:
    """The better of the searches from the trees that grow by entropy and by Gini."""
    searches = [_Search(problem, generator), _Search(problem, generator)]
    for search, crit in zip(searches, (LOG, BRIER), strict=True):
        search.grow(crit)
    return max(searches, key=_Search.value)


def _regrow_levels(search: _Search) -> None:
    """Regrow the levels from the top, but for the last, where every visit is exact, and sweep over all once more.

    What a pass over a level costs grows about with the power 3/2 of the levels below, measured on rows of self-play; each level
    gets as many passes as take about as long.
    """
    nodes = search.state.nodes
    depth = int(nodes[nodes[:, FEATURE] != FREE, DEPTH].max())  # a tree may be less deep than it might
    for level in range(depth - 1):
        for _ in range(round(search.problem.regrowths * (2 / (depth - level)) ** 1.5)):
            search.run(oct_search._regrow, np.flatnonzero((nodes[:, FEATURE] >= 0) & (nodes[:, DEPTH] == level)))
    search.sweep()


def _exported(
    state: SearchState, edges: list[np.ndarray], P: np.ndarray, w: np.ndarray, R: np.ndarray, crit: int
) -> DecisionTree:
    """The tree in work, on columns R, as a DecisionTree, in preorder."""
    nodes = state.nodes
    order = preorder(nodes[:, FEATURE], nodes[:, LEFT], nodes[:, RIGHT])
    number = np.full(len(nodes), -1, dtype=np.int32)
    number[order] = np.arange(len(order))
    table = nodes[order]
    split = table[:, FEATURE] >= 0
    threshold = np.zeros(len(order), dtype=np.float32)
    for i in np.flatnonzero(split):
        threshold[i] = edges[table[i, FEATURE]][table[i, CUT]]
    left, right = (np.where(split, number[table[:, side]], -1).astype(np.int32) for side in (LEFT, RIGHT))
    columns = np.column_stack([R if crit == COST else w[:, None] * P, w])
    leaves = np.flatnonzero(~split)  # in preorder, so that their rows follow each other
    sums = np.zeros((len(table), columns.shape[1]))
    sums[leaves] = np.add.reduceat(columns[state.perm], table[leaves, START], axis=0)
    add_up(left, right, sums)
    value, weight = sums[:, :-1], sums[:, -1].copy()
    if crit == COST:
        value = np.eye(P.shape[1])[value.argmax(axis=1)]
    else:
        value = value / value.sum(axis=1, keepdims=True)
    return DecisionTree(table[:, FEATURE].copy(), threshold, left, right, value.astype(np.float32), weight)
