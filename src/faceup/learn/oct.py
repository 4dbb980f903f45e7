"""Optimal classification trees by local search (Bertsimas & Dunn 2017; Dunn 2018; paper 000, Section 2.4.2).

CART decides each split for good before it sees what the branches make of it. An optimal tree is judged as a whole:
it maximises what its leaves earn (`faceup.learn.oct_moves`) less cp for each split, over all trees of a depth whose
leaves hold min_rows rows. No method reaches that optimum for certain at depth 15. This one starts from greedy trees
and improves them, always by exact sums over all rows: sweeps visit every node and take the best change with the rest
of the tree kept, and regrowths replace whole subtrees. Its work is counted in those, and its result depends on the
seed alone, not on threads.
"""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np

from faceup.learn import oct_moves as moves
from faceup.learn.metrics import check_range, checked_rows
from faceup.learn.oct_moves import DEPTH, DIRTY, END, FEATURE, FREE, LEAF, LEFT, N_COLUMNS, PARENT, RIGHT, START, Problem, State, Work
from faceup.learn.oct_search import GROW, REGROW, SEARCH, _do_tasks
from faceup.learn.pruning import CRITERIA, prune
from faceup.learn.trees import Tree

MOST_BINS = 1 << 16
_TOP = 3  # levels above the subtrees that are searched side by side
_PIECES = 4  # calls a thread makes for the subtrees of one level
_ROUNDING = 1e-9  # gains of this share of all weight are taken for rounding

Progress = Callable[[int, int], None]  # (steps done, steps in all)


def fit_oct(
    X: np.ndarray,
    P: np.ndarray,
    w: np.ndarray,
    *,
    max_depth: int,
    min_rows: int,
    seed: int,
    criterion: str = "brier",
    cp: float = 0.0,
    sweeps: int = 10,
    regrowths: int = 20,
    inner_sweeps: int = 2,
    bins: int = 1024,
    warm_start: bool = False,
    costs: np.ndarray | None = None,
    threads: int = 1,
    progress: Progress = lambda done, steps: None,
) -> Tree:
    """The tree for rows X (n, f), targets P (n, n_labels), weights w (n,), in the form that `fit_cart` returns.

    criterion: "brier" (squared error, as CART here), "log" (cross-entropy), "agreement" (weight of the likeliest
    label) or "cost" (what the best action of each leaf costs, by `costs` (n, n_labels) per row and label; leaves then
    play that action alone). cp: what a split must earn, as a share of all weight. sweeps: visits to all nodes at
    most, after each start and at the end. regrowths: how often each node of the last level but two is grown anew; levels go from the top,
    and each gets about the same share of the work; inner_sweeps: the search in each. bins: codes a feature at most; with no more distinct values, every threshold
    between two is tried. warm_start: search on 1/16, 1/8, 1/4, 1/2 of the rows first, as the paper does.

    Rows of weight 0 are left out, of min_rows too. The result is the same on any number of threads. Raises
    ValueError on bad rows or settings.
    """
    _check_settings(max_depth, min_rows, criterion, cp, sweeps, regrowths, inner_sweeps, bins, threads)
    worth = _checked_costs(costs, np.shape(P), criterion)
    worth = worth if worth is None else worth[np.asarray(w) > 0]
    X, P, w = checked_rows(X, P, w)
    edges, codes = bin_features(X, bins)
    share = w / w.mean()
    R = share[:, None] * (P / P.sum(axis=1, keepdims=True) if worth is None else worth)
    kernel = moves.AGREEMENT if criterion == "cost" else CRITERIA.index(criterion)
    problem = Problem(
        codes=codes,
        R=np.ascontiguousarray(R).ravel(),
        keys=np.random.default_rng([seed, 0]).integers(1 << 62, size=len(X)),
        labels=tuple(range(P.shape[1])),
        crit=kernel,
        min_rows=min_rows,
        max_depth=max_depth,
        cp=float(cp * len(X)),
        eps=float(_ROUNDING * len(X)),
    )
    budget = _Budget(sweeps, regrowths, inner_sweeps, threads, seed)
    search = _warm(problem, budget, progress) if warm_start else _cold(problem, budget, progress)
    tree = _exported(search.state, edges, P, w, one_hot_by=R if criterion == "cost" else None)
    return tree if criterion == "cost" else prune(tree, cp + _ROUNDING, criterion)


class _Budget(NamedTuple):
    sweeps: int
    regrowths: int
    inner_sweeps: int
    threads: int
    seed: int


def bin_features(X: np.ndarray, bins: int) -> tuple[list[np.ndarray], np.ndarray]:
    """(edges of each feature, codes (f, n) uint16) of X (n, f) float32: code <= c where x <= edges[c].

    A feature of at most `bins` distinct values has an edge halfway between any two neighbours, others at about
    equal numbers of rows. Edges are float32, below the larger neighbour.
    """
    edges = [_edges(column, bins) for column in X.T]
    codes = np.empty(X.T.shape, dtype=np.uint16)
    for f, column in enumerate(X.T):
        codes[f] = np.searchsorted(edges[f], column, side="left")
    return edges, codes


def _edges(column: np.ndarray, bins: int) -> np.ndarray:
    values, counts = np.unique(column, return_counts=True)
    if len(values) > bins:
        upto = counts.cumsum()
        ends = np.searchsorted(upto, np.arange(1, bins) * (upto[-1] / bins), side="left")
        low = np.unique(ends[ends < len(values) - 1])
    else:
        low = np.arange(len(values) - 1)
    below, above = values[low].astype(np.float64), values[low + 1].astype(np.float64)
    middle = ((below + above) / 2).astype(np.float32)
    return np.where(middle >= values[low + 1], values[low], middle)


class _Search:
    """A tree in work on one problem, and how its parts are handed to threads."""

    def __init__(self, problem: Problem, budget: _Budget, stream: int) -> None:
        self.problem, self.budget, self.stream, self.calls = problem, budget, stream, 0
        n = problem.codes.shape[1]
        capacity = 6 * self._most_leaves(n, 0) + 64
        nodes = np.zeros((capacity, N_COLUMNS), dtype=np.int32)
        nodes[:, FEATURE] = FREE
        nodes[0, [FEATURE, PARENT, END, DIRTY]] = LEAF, -1, n, 1
        perm = np.arange(n, dtype=np.int32)
        self.state = State(nodes, np.zeros(capacity), np.zeros(capacity, dtype=np.int64), perm)
        self.number = np.zeros(capacity, dtype=np.int32)

    def _most_leaves(self, rows: int, depth: int) -> int:
        return max(1, min(rows // self.problem.min_rows, 2 ** min(self.problem.max_depth - depth, 40)))

    def value(self) -> float:
        nodes = self.state.nodes
        return float(self.state.score[nodes[:, FEATURE] == LEAF].sum() - self.problem.cp * (nodes[:, FEATURE] >= 0).sum())

    def grow(self, crit: int) -> None:
        """Grow every leaf greedily by a criterion."""
        self._run(GROW, np.flatnonzero(self.state.nodes[:, FEATURE] == LEAF), crit=crit)

    def search(self, sweeps: int) -> None:
        """Sweeps over all nodes: those at the top, then the subtrees below them side by side."""
        nodes = self.state.nodes
        for _ in range(sweeps):
            gained = self._run(SEARCH, np.zeros(1, dtype=np.int64), sweeps=1, deepest=_TOP - 1)
            roots = np.flatnonzero((nodes[:, FEATURE] != FREE) & (nodes[:, DEPTH] == _TOP) & (nodes[:, DIRTY] == 1))
            if not self._run(SEARCH, roots, sweeps=1, deepest=self.problem.max_depth) and not gained:
                return

    def regrow(self, level: int, sweeps: int) -> None:
        """Grow each subtree of a level anew."""
        nodes = self.state.nodes
        self._run(REGROW, np.flatnonzero((nodes[:, FEATURE] >= 0) & (nodes[:, DEPTH] == level)), sweeps=sweeps)

    def _run(self, kind: int, roots: np.ndarray, *, crit: int = 0, sweeps: int = 0, deepest: int = 0) -> bool:
        """Do one kind of task at all roots, which are disjoint, on the budget's threads; True if a tree changed."""
        if len(roots) == 0:
            return False
        self.calls += 1
        nodes = self.state.nodes
        roots = roots[np.argsort(nodes[roots, START], kind="stable")]
        rows = nodes[roots, END] - nodes[roots, START]
        leaves = [self._most_leaves(m, d) for m, d in zip(rows.tolist(), nodes[roots, DEPTH].tolist(), strict=True)]
        need = 2 * np.array(leaves) + 2
        first_free = np.concatenate([[0], need.cumsum()])
        free = np.flatnonzero(nodes[:, FEATURE] == FREE)[: first_free[-1]].astype(np.int32)
        first_free = np.minimum(first_free, len(free))
        seeds = np.random.default_rng([self.budget.seed, 1, self.stream, self.calls]).integers(1 << 62, size=len(roots))
        changed = np.zeros(len(roots), dtype=np.bool_)

        def do(part: slice) -> None:
            work = self._work(int(rows[part].max()), int(need[part].max()))
            first = first_free[part.start : part.stop + 1]
            task = roots[part], seeds[part].astype(np.uint64), free, first, kind, crit, sweeps, deepest, changed[part]
            _do_tasks(self.problem, self.state, work, *task)

        parts = _parts(rows, 1 if self.budget.threads == 1 else _PIECES * self.budget.threads)
        if len(parts) == 1:
            do(parts[0])
        else:
            with ThreadPoolExecutor(self.budget.threads) as pool:
                list(pool.map(do, parts))
        self._touch_above(roots[changed])
        return bool(changed.any())

    def _touch_above(self, roots: np.ndarray) -> None:
        nodes = self.state.nodes
        above = np.unique(nodes[roots, PARENT])
        while (above := above[above >= 0]).size:
            nodes[above, DIRTY] = 1
            above = np.unique(nodes[above, PARENT])

    def _work(self, m: int, c: int) -> Work:
        k = len(self.problem.labels)
        n_codes = int(self.problem.codes.max()) + 1
        return Work(
            rows=np.empty(m * k),
            order=np.empty(m, dtype=np.int32),
            code=np.empty(m, dtype=np.int32),
            counts=np.empty(n_codes + 1, dtype=np.int32),
            spare=np.empty(m, dtype=np.int32),
            leaf=np.empty((2, m), dtype=np.int32),
            table=np.empty((2, c * k)),
            earned=np.empty((2, c)),
            held=np.empty((2, c), dtype=np.int32),
            number=self.number,
            lists=np.empty((4, c), dtype=np.int32),
            stack=np.empty(self.problem.max_depth + 3, dtype=np.int32),
            free=np.empty(2 * c, dtype=np.int32),
            n_free=np.zeros(1, dtype=np.int64),
            random=np.zeros(1, dtype=np.uint64),
        )


def _parts(rows: np.ndarray, n: int) -> list[slice]:
    """At most n runs of tasks with about as many rows each."""
    upto = np.concatenate([[0], rows.cumsum()])
    cuts = np.unique(np.searchsorted(upto, np.arange(n + 1) * (upto[-1] / n)))
    return [slice(int(a), int(b)) for a, b in zip(cuts[:-1], cuts[1:], strict=True)]


def _cold(problem: Problem, budget: _Budget, progress: Progress) -> _Search:
    """The better of the searches from the trees that grow by entropy and by Gini, then regrown."""
    levels = max(0, problem.max_depth - 1) if budget.regrowths else 0
    steps, best = 3 + levels, None
    for stream, crit in enumerate((moves.LOG, moves.BRIER)):
        search = _Search(problem, budget, stream)
        search.grow(crit)
        search.search(budget.sweeps)
        progress(stream + 1, steps)
        if best is None or search.value() > best.value():
            best = search
    for level in range(levels):
        for again in range(_passes(problem.max_depth - level, budget.regrowths)):
            best.regrow(level, budget.inner_sweeps)
        progress(3 + level, steps)
    best.search(budget.sweeps)
    progress(steps, steps)
    return best


def _passes(below: int, regrowths: int) -> int:
    """How often a level with so many levels below it is regrown, so that each level takes about as long.

    What a pass costs grows about with the power 3/2 of the levels below, measured on rows of self-play.
    """
    return round(regrowths * (2 / below) ** 1.5)


def _exported(state: State, edges: list[np.ndarray], P: np.ndarray, w: np.ndarray, one_hot_by: np.ndarray | None) -> Tree:
    """The tree in work as a Tree, in preorder."""
    nodes, order, waiting = state.nodes, [], [0]
    while waiting:
        node = waiting.pop()
        order.append(node)
        if nodes[node, FEATURE] >= 0:
            waiting += [nodes[node, RIGHT], nodes[node, LEFT]]
    number = np.full(len(nodes), -1, dtype=np.int32)
    number[order] = np.arange(len(order))
    table = nodes[order]
    split = table[:, FEATURE] >= 0
    threshold = np.zeros(len(order), dtype=np.float32)
    for i in np.flatnonzero(split):
        threshold[i] = edges[table[i, FEATURE]][table[i, moves.CUT]]
    left, right = (np.where(split, number[table[:, side]], -1).astype(np.int32) for side in (LEFT, RIGHT))
    weight = _node_sums(w[:, None], state.perm, table, left, right)[:, 0]
    if one_hot_by is None:
        value = _node_sums(w[:, None] * P, state.perm, table, left, right)
        value /= value.sum(axis=1, keepdims=True)
    else:
        best = _node_sums(one_hot_by, state.perm, table, left, right).argmax(axis=1)
        value = np.eye(P.shape[1])[best]
    return Tree(table[:, FEATURE].copy(), threshold, left, right, value.astype(np.float32), weight)


def _node_sums(columns: np.ndarray, perm: np.ndarray, table: np.ndarray, left: np.ndarray, right: np.ndarray) -> np.ndarray:
    """Sums (n_nodes, k) of columns (n, k) over the rows of each node; nodes in preorder."""
    leaves = np.flatnonzero(left < 0)  # in preorder, so that their rows follow each other
    sums = np.zeros((len(table), columns.shape[1]))
    sums[leaves] = np.add.reduceat(columns[perm], table[leaves, START], axis=0)
    for node in np.flatnonzero(left >= 0)[::-1]:
        sums[node] = sums[left[node]] + sums[right[node]]
    return sums


def _checked_costs(costs: np.ndarray | None, shape: tuple[int, ...], criterion: str) -> np.ndarray | None:
    """What each label is worth (n, n_labels): 0 for a row's dearest one, more for others; None without costs."""
    if (costs is None) == (criterion == "cost"):
        raise ValueError(f"criterion is {criterion!r} and costs are {'not ' * (costs is None)}given: expected both or neither")
    if costs is None:
        return None
    costs = np.asarray(costs, dtype=np.float64)
    if costs.shape != shape or not np.isfinite(costs).all():
        raise ValueError(f"costs have shape {costs.shape}: expected finite numbers of shape {shape}, that of P")
    return costs.max(axis=1, keepdims=True) - costs


def _check_settings(max_depth, min_rows, criterion, cp, sweeps, regrowths, inner_sweeps, bins, threads) -> None:
    least = {"max_depth": 1, "min_rows": 1, "cp": 0, "sweeps": 0, "regrowths": 0, "inner_sweeps": 0, "threads": 1}
    given = (max_depth, min_rows, cp, sweeps, regrowths, inner_sweeps, threads)
    for (name, low), value in zip(least.items(), given, strict=True):
        check_range(name, value, low)
    check_range("bins", bins, 2, MOST_BINS)
    if criterion not in (*CRITERIA, "cost"):
        raise ValueError(f"criterion is {criterion!r}: expected one of {', '.join((*CRITERIA, 'cost'))}")
