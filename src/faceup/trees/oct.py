"""Optimal classification trees by local search (Bertsimas & Dunn 2017; Dunn 2018; paper 000, Section 2.4.2).

CART decides each split for good before it sees what the branches make of it. An optimal tree is judged as a whole:
it maximises what its leaves earn (`faceup.trees.oct_moves`) less cp for each split, over all trees of a depth whose
leaves hold min_rows rows. No method reaches that optimum for certain at depth 15. This one starts from greedy trees
and improves them, always by exact sums over all rows: sweeps visit every node and take the best change with the rest
of the tree kept, and regrowths replace whole subtrees. Its work is counted in those, and its result depends on the
seed alone, not on threads.
"""

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from faceup.trees import oct_moves as moves
from faceup.trees.decision_tree import DecisionTree, add_up, predict, preorder
from faceup.trees.metrics import check_range, check_whole, checked_costs, checked_features, checked_rows, nearest_mixtures
from faceup.trees.oct_driver import Budget, Progress, from_greedy, from_parts
from faceup.trees.oct_moves import FEATURE, LEFT, RIGHT, START, Problem, SearchState
from faceup.trees.pruning import CRITERIA, prune

MOST_BINS = 1 << 16
_LANES = 8  # labels that a kernel's loops are unrolled for, or a multiple
_ROUNDING = 1e-9  # gains of this share of all weight, or of all that costs could earn, are taken for rounding
_BY_COST = {"cost": moves.AGREEMENT, "brier+cost": moves.BRIER_COST}
_KERNELS = {name: CRITERIA.index(name) for name in CRITERIA} | _BY_COST


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
    cost_weight: float = 1.0,
    threads: int = 1,
    progress: Progress = lambda done, steps: None,
) -> DecisionTree:
    """The tree for rows X (n, f), targets P (n, n_labels), weights w (n,), in the form that `fit_cart` returns.

    criterion: "brier" (squared error, as CART here), "log" (cross-entropy), "agreement" (weight of the likeliest
    label), "cost" (what the best action of each leaf costs, by `costs` (n, n_labels) per row and label; leaves
    then play that action alone) or "brier+cost" (squared error plus cost_weight times what a leaf's answer costs; leaves then
    give the mixture for which that is least, as in `faceup.trees.cart.answer_by_costs`).
    cp: what a split must earn, as a share of all weight. sweeps: visits to all nodes at most, after each start and
    at the end. regrowths: how often a node two levels above the deepest leaves is grown anew; other levels get about
    the same work, from the top down. inner_sweeps: the search in each. bins: codes a feature at most; with no more
    distinct values, every threshold between two is tried. warm_start: search on 1/16, 1/8, 1/4, 1/2 of the rows
    first, as the paper does.

    Rows of weight 0 are left out, of min_rows too. The result is the same on any number of threads. Raises
    ValueError on bad rows or settings.
    """
    _check_settings(max_depth, min_rows, criterion, cp, sweeps, regrowths, inner_sweeps, bins, threads, cost_weight)
    worth = _worth(costs, P, w, criterion)
    X, P, w = checked_rows(X, P, w)
    edges, codes = bin_features(X, bins)
    R = (w / w.mean())[:, None] * _columns(P, worth, criterion, cost_weight)
    problem = Problem(
        codes=codes,
        R=R.ravel(),
        keys=np.random.default_rng([seed, 0]).integers(1 << 62, size=len(X)),
        labels=tuple(range(R.shape[1])),
        crit=_KERNELS[criterion],
        min_rows=min_rows,
        max_depth=min(max_depth, len(X)),
        cp=float(cp * len(X)),
        eps=float(_ROUNDING * (R.max(axis=1).sum() if criterion == "cost" else len(X))),
    )
    budget = Budget(sweeps, regrowths, inner_sweeps, threads, seed)
    search = (from_parts if warm_start else from_greedy)(problem, budget, progress)
    tree = _exported(search.state, edges, P, w, R, criterion)
    return prune(tree, cp + _ROUNDING, criterion) if criterion in CRITERIA else tree


def _columns(P: np.ndarray, worth: np.ndarray | None, criterion: str, cost_weight: float) -> np.ndarray:
    """What the search sums over the rows of a leaf, (n, columns): labels or values, or labels with values and, last, 1."""
    if criterion == "cost":
        return _padded(worth)
    labels = P / P.sum(axis=1, keepdims=True)
    if criterion != "brier+cost":
        return _padded(labels)
    both = _padded(np.pad(labels + cost_weight / 2 * worth, ((0, 0), (0, 1))))
    both[:, -1] = 1
    return both


def _padded(R: np.ndarray) -> np.ndarray:
    """R (n, n_labels) with columns of 0 up to a multiple of _LANES: kernels are compiled once for up to so many labels."""
    return np.ascontiguousarray(np.pad(R, ((0, 0), (0, -R.shape[1] % _LANES))))


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
        if not len(low):  # nearly all rows have the largest value
            low = np.array([len(values) - 2])
    else:
        low = np.arange(len(values) - 1)
    below, above = values[low].astype(np.float64), values[low + 1].astype(np.float64)
    middle = ((below + above) / 2).astype(np.float32)
    return np.where(middle >= values[low + 1], values[low], middle)


def _exported(
    state: SearchState, edges: list[np.ndarray], P: np.ndarray, w: np.ndarray, R: np.ndarray, criterion: str
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
        threshold[i] = edges[table[i, FEATURE]][table[i, moves.CUT]]
    left, right = (np.where(split, number[table[:, side]], -1).astype(np.int32) for side in (LEFT, RIGHT))
    weight = _node_sums(w[:, None], state.perm, table, left, right)[:, 0]
    sums = _node_sums(R if criterion in _BY_COST else w[:, None] * P, state.perm, table, left, right)
    if criterion == "cost":
        value = np.eye(P.shape[1])[sums.argmax(axis=1)]
    elif criterion == "brier+cost":
        value = nearest_mixtures(sums[:, : P.shape[1]] / sums[:, -1:])
    else:
        value = sums / sums.sum(axis=1, keepdims=True)
    return DecisionTree(table[:, FEATURE].copy(), threshold, left, right, value.astype(np.float32), weight)


def _node_sums(columns: np.ndarray, perm: np.ndarray, table: np.ndarray, left: np.ndarray, right: np.ndarray) -> np.ndarray:
    """Sums (n_nodes, k) of columns (n, k) over the rows of each node; nodes in preorder."""
    leaves = np.flatnonzero(left < 0)  # in preorder, so that their rows follow each other
    sums = np.zeros((len(table), columns.shape[1]))
    sums[leaves] = np.add.reduceat(columns[perm], table[leaves, START], axis=0)
    return add_up(left, right, sums)


def _worth(costs: np.ndarray | None, P: np.ndarray, w: np.ndarray, criterion: str) -> np.ndarray | None:
    """What each label is worth (n, n_labels): 0 for a row's dearest one, more for others; None without costs."""
    if (costs is None) == (criterion in _BY_COST):
        raise ValueError(f"criterion is {criterion!r} and costs are {'not ' * (costs is None)}given: expected both or neither")
    if costs is None:
        return None
    costs = checked_costs(costs, P, w)
    return costs.max(axis=1, keepdims=True) - costs


def _check_settings(max_depth, min_rows, criterion, cp, sweeps, regrowths, inner_sweeps, bins, threads, cost_weight) -> None:
    least = {
        "max_depth": 1,
        "min_rows": 1,
        "cp": 0,
        "sweeps": 0,
        "regrowths": 0,
        "inner_sweeps": 0,
        "threads": 1,
        "cost_weight": 0,
    }
    given = (max_depth, min_rows, cp, sweeps, regrowths, inner_sweeps, threads, cost_weight)
    for (name, low), value in zip(least.items(), given, strict=True):
        (check_range if name in ("cp", "cost_weight") else check_whole)(name, value, low)
    check_whole("bins", bins, 2, MOST_BINS)
    if criterion not in _KERNELS:
        raise ValueError(f"criterion is {criterion!r}: expected one of {', '.join(_KERNELS)}")


class OptimalTree(BaseEstimator):
    """`fit_oct` with scikit-learn's interface; targets are probabilities (n, n_labels) or class labels (n,)."""

    def __init__(
        self,
        max_depth: int = 8,
        min_rows: int = 1,
        seed: int = 0,
        criterion: str = "brier",
        cp: float = 0.0,
        sweeps: int = 10,
        regrowths: int = 20,
        inner_sweeps: int = 2,
        bins: int = 1024,
        warm_start: bool = False,
        threads: int = 1,
    ) -> None:
        self.max_depth, self.min_rows, self.seed, self.criterion, self.cp = max_depth, min_rows, seed, criterion, cp
        self.sweeps, self.regrowths, self.inner_sweeps, self.bins = sweeps, regrowths, inner_sweeps, bins
        self.warm_start, self.threads = warm_start, threads

    def fit(self, X: np.ndarray, P: np.ndarray, sample_weight: np.ndarray | None = None) -> "OptimalTree":
        """Fit to rows X (n, f), targets P, weights (n,), all 1 if not given; raises ValueError on bad rows or settings."""
        P = np.asarray(P)
        if P.ndim == 1:
            self.classes_, index = np.unique(P, return_inverse=True)
            P = np.eye(max(2, len(self.classes_)))[index]
        else:
            self.classes_ = np.arange(P.shape[1])
        w = np.ones(len(P)) if sample_weight is None else sample_weight
        self.tree_ = fit_oct(X, P, w, **self.get_params())
        self.n_features_in_ = np.shape(X)[1]
        return self

    def predict_proba(self, X: np.ndarray) -> np.ndarray:
        """Probabilities (n, n_labels) of rows X (n, f)."""
        check_is_fitted(self)
        return predict(self.tree_, checked_features(X))[:, : len(self.classes_)]

    def predict(self, X: np.ndarray) -> np.ndarray:
        """The likeliest label (n,) of rows X (n, f)."""
        return self.classes_[self.predict_proba(X).argmax(axis=1)]

    def score(self, X: np.ndarray, y: np.ndarray, sample_weight: np.ndarray | None = None) -> float:
        """Share of rows X (n, f) whose likeliest label is y (n,)."""
        return float(np.average(self.predict(X) == y, weights=sample_weight))
