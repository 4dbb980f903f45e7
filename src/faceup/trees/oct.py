"""Optimal classification trees by local search (Bertsimas & Dunn 2017; Dunn 2018; paper 000, Section 2.4.2).

CART decides each split for good before it sees what the branches make of it. An optimal tree is judged as a whole:
it maximises what its leaves earn (`faceup.trees.oct_moves`) less cp for each split, over all trees of a depth whose
leaves hold min_rows rows. No method reaches that optimum for certain at depth 15. This one starts from greedy trees
and improves them, always by exact sums over all rows: sweeps visit every node and take the best change with the rest
of the tree kept, and regrowths replace whole subtrees. Its work is counted in those, and its result depends on the
seed alone.
"""

import numpy as np

from faceup.trees import oct_moves as moves
from faceup.trees.decision_tree import DecisionTree, add_up, preorder
from faceup.trees.metrics import check_range, check_whole, checked_costs, checked_rows, nearest_mixtures
from faceup.trees.oct_driver import Budget, from_greedy, from_parts
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

    Rows of weight 0 are left out, of min_rows too. Raises ValueError on bad rows or settings.
    """
    for name, value in (("max_depth", max_depth), ("min_rows", min_rows)):
        check_whole(name, value, 1)
    for name, value in (("sweeps", sweeps), ("regrowths", regrowths), ("inner_sweeps", inner_sweeps)):
        check_whole(name, value, 0)
    check_whole("bins", bins, 2, MOST_BINS)
    check_range("cp", cp, 0)
    check_range("cost_weight", cost_weight, 0)
    if criterion not in _KERNELS:
        raise ValueError(f"criterion is {criterion!r}: expected one of {', '.join(_KERNELS)}")
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
    search = (from_parts if warm_start else from_greedy)(problem, Budget(sweeps, regrowths, inner_sweeps, seed))
    tree = _exported(search.state, edges, P, w, R, criterion)
    return prune(tree, cp + _ROUNDING, criterion) if criterion in CRITERIA else tree


def _columns(P: np.ndarray, worth: np.ndarray | None, criterion: str, cost_weight: float) -> np.ndarray:
    """What the search sums over the rows of a leaf, (n, columns): labels or values, or labels with values and, last, 1."""
    if criterion == "cost" and worth is not None:
        return _padded(worth)
    labels = P / P.sum(axis=1, keepdims=True)
    if worth is None:
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
