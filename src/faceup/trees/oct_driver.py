"""The order of work of a tree search: starts, sweeps and regrowths.

Every task has its own seed, drawn from the search's and the number of the call, and writes to its own rows and nodes.
"""

from typing import NamedTuple

import numpy as np

from faceup.trees import oct_moves as moves
from faceup.trees.oct_moves import DEPTH, DIRTY, END, FEATURE, FREE, LEAF, N_COLUMNS, PARENT, START, Problem, SearchState, Work
from faceup.trees.oct_search import GROW, PLANT, REGROW, SEARCH, _do_tasks

_TOP = 3  # levels that are swept by themselves, before the subtrees below them
_PARTS = (16, 8, 4, 2, 1)  # of a warm start: all rows divided by these (paper 000, Section 2.4.2)


class Budget(NamedTuple):
    sweeps: int
    regrowths: int
    inner_sweeps: int
    seed: int


class Search:
    """A tree in work on one problem."""

    def __init__(self, problem: Problem, budget: Budget, stream: int) -> None:
        self.problem, self.budget, self.stream, self.calls = problem, budget, stream, 0
        n = problem.codes.shape[1]
        capacity = 6 * self._most_leaves(n, 0) + 64
        nodes = np.zeros((capacity, N_COLUMNS), dtype=np.int32)
        nodes[:, FEATURE] = FREE
        nodes[0, [FEATURE, PARENT, END, DIRTY]] = LEAF, -1, n, 1
        perm = np.arange(n, dtype=np.int32)
        self.state = SearchState(nodes, np.zeros(capacity), np.zeros(capacity, dtype=np.int64), perm)
        self.number = np.zeros(capacity, dtype=np.int32)

    def _most_leaves(self, rows: int, depth: int) -> int:
        return max(1, min(rows // self.problem.min_rows, 2 ** min(self.problem.max_depth - depth, 40)))

    def value(self) -> float:
        nodes = self.state.nodes
        return float(self.state.score[nodes[:, FEATURE] == LEAF].sum() - self.problem.cp * (nodes[:, FEATURE] >= 0).sum())

    def depth(self) -> int:
        """Levels below the root."""
        nodes = self.state.nodes
        return int(nodes[nodes[:, FEATURE] != FREE, DEPTH].max())

    def plant(self, other: "Search") -> None:
        """Take over another search's tree, of a problem with the same features and fewer rows."""
        table = other.state.nodes
        self.state.nodes[: len(table), :PARENT] = table[:, :PARENT]
        self._run(PLANT, np.zeros(1, dtype=np.int64))

    def grow(self, crit: int) -> None:
        """Grow every leaf greedily by a criterion."""
        self._run(GROW, np.flatnonzero(self.state.nodes[:, FEATURE] == LEAF), crit=crit)

    def search(self) -> None:
        """Sweeps over all nodes: those at the top, then the subtrees below them."""
        nodes = self.state.nodes
        for _ in range(self.budget.sweeps):
            gained = self._run(SEARCH, np.zeros(1, dtype=np.int64), sweeps=1, deepest=_TOP - 1)
            roots = np.flatnonzero((nodes[:, FEATURE] != FREE) & (nodes[:, DEPTH] == _TOP) & (nodes[:, DIRTY] == 1))
            if not self._run(SEARCH, roots, sweeps=1, deepest=self.problem.max_depth) and not gained:
                return

    def regrow(self, level: int) -> None:
        """Grow each subtree of a level anew."""
        nodes = self.state.nodes
        roots = np.flatnonzero((nodes[:, FEATURE] >= 0) & (nodes[:, DEPTH] == level))
        self._run(REGROW, roots, sweeps=self.budget.inner_sweeps)

    def _run(self, kind: int, roots: np.ndarray, *, crit: int = 0, sweeps: int = 0, deepest: int = 0) -> bool:
        """Do one kind of task at all roots, which are disjoint; True if a tree changed."""
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
        work = self._work(int(rows.max()), int(need.max()))
        task = roots, seeds.astype(np.uint64), free, first_free, kind, crit, sweeps, deepest, changed
        _do_tasks(self.problem, self.state, work, *task)
        above = np.unique(nodes[roots[changed], PARENT])
        while (above := above[above >= 0]).size:
            nodes[above, DIRTY] = 1
            above = np.unique(nodes[above, PARENT])
        return bool(changed.any())

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


def from_greedy(problem: Problem, budget: Budget) -> Search:
    """The better of the searches from the trees that grow by entropy and by Gini, then regrown."""
    searches = []
    for stream, crit in enumerate((moves.LOG, moves.BRIER)):
        search = Search(problem, budget, stream)
        search.grow(crit)
        search.search()
        searches.append(search)
    best = max(searches, key=Search.value)
    _regrow_levels(best)
    return best


def from_parts(problem: Problem, budget: Budget) -> Search:
    """The search on ever larger parts of the rows, each from the tree of the last with its leaves grown on, then regrown."""
    n, before = problem.codes.shape[1], None
    order = np.random.default_rng([budget.seed, 2]).permutation(n)
    for stream, part in enumerate(_PARTS):
        kept = np.sort(order[: max(1, n // part)])
        here = problem._replace(
            codes=np.ascontiguousarray(problem.codes[:, kept]),
            R=problem.R.reshape(n, -1)[kept].ravel(),
            keys=problem.keys[kept],
            cp=problem.cp * len(kept) / n,
            eps=problem.eps * len(kept) / n,
        )
        search = Search(here, budget, stream)
        if before:
            search.plant(before)
        search.grow(moves.LOG if problem.crit == moves.AGREEMENT else problem.crit)
        search.search()
        before = search
    _regrow_levels(search)
    return search


def _regrow_levels(search: Search) -> None:
    """Regrow the levels from the top, but for the last, where every visit is exact, and search all once more.

    What a pass over a level costs grows about with the power 3/2 of the levels below, measured on rows of self-play; each level
    gets as many passes as take about as long.
    """
    depth = search.depth()  # a tree may be less deep than it might
    for level in range(depth - 1):
        for _ in range(round(search.budget.regrowths * (2 / (depth - level)) ** 1.5)):
            search.regrow(level)
    search.search()
