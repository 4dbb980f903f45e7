"""Local search on one subtree: visits to nodes in random order, and regrown subtrees (after Dunn
2018, Section 2.3).

The state is a table of nodes and a permutation of the samples in which those of every node are
consecutive, its left branch first. Features are codes, small integers in the order of the feature's
values; a sample goes left if its code is at most the node's cut.

A visit keeps the rest of the tree and takes the best of three moves: another split of the node over
the same two branches, one of its branches in its place, or a split of a leaf. Regrowth is the large
step: a subtree is grown greedily by a random criterion on random features and then searched; it is
kept if its value is higher.

In kernels `t` is the root of the subtree at hand, a row of `SearchState.nodes`.
"""

from typing import NamedTuple

import numpy as np
from numba import njit

from faceup.trees.oct_splits import (
    BRIER,
    LOG,
    best_split,
    leaf_sums,
    sweep_leaves,
    value_as_leaf,
)

# columns of SearchState.nodes
FEATURE, CUT, LEFT, RIGHT, PARENT, ROWS_START, ROWS_END, DEPTH, DIRTY, NUMBER = range(10)
N_NODE_COLUMNS = 10
LEAF, FREE = -1, -2  # in column FEATURE
_INNER_SWEEPS = 2  # of a regrown subtree
_SPLIT = -2  # a move; the others are LEFT and RIGHT: to promote that branch


class SearchState(NamedTuple):
    """The tree during the search."""

    nodes: np.ndarray  # (capacity, N_NODE_COLUMNS) int32
    score: np.ndarray  # (capacity,) float64: values of leaves
    key: np.ndarray  # (capacity,) int64: sum of the keys of a node's samples
    perm: np.ndarray  # (n,) int32: the permutation of the samples
    taken: np.ndarray  # (1,) int64: the last node taken, where the search for a free one begins
    random: np.ndarray  # (1,) uint64


@njit(cache=True, nogil=True)
def _random(state):
    """The next 31 random bits: splitmix64 (Steele, Lea & Flood 2014)."""
    state[0] += np.uint64(0x9E3779B97F4A7C15)
    z = state[0]
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.int64((z ^ (z >> np.uint64(31))) >> np.uint64(33))


@njit(cache=True, nogil=True)
def preorder(nodes, t):
    """The nodes of the subtree, parents first, (k,) int64."""
    order, waiting = [], [np.int64(t)]
    while waiting:
        node = waiting.pop()
        order.append(node)
        if nodes[node, FEATURE] >= 0:
            waiting.append(np.int64(nodes[node, RIGHT]))
            waiting.append(np.int64(nodes[node, LEFT]))
    return np.array(order)


@njit(cache=True, nogil=True)
def _rows(state, t):
    """The samples of t, a view of `perm`."""
    return state.perm[state.nodes[t, ROWS_START] : state.nodes[t, ROWS_END]]


@njit(cache=True, nogil=True)
def _partition(problem, state, t):
    """Move the samples of t that go left before the others, each side in its order, and update the
    children.
    """
    nodes, here = state.nodes, _rows(state, t)
    rows = here.copy()
    goes_left = problem.codes[nodes[t, FEATURE]][rows] <= nodes[t, CUT]
    n_left = goes_left.sum()
    here[:n_left], here[n_left:] = rows[goes_left], rows[~goes_left]
    left, right, middle = nodes[t, LEFT], nodes[t, RIGHT], nodes[t, ROWS_START] + n_left
    nodes[left, ROWS_START], nodes[left, ROWS_END] = nodes[t, ROWS_START], middle
    nodes[right, ROWS_START], nodes[right, ROWS_END] = middle, nodes[t, ROWS_END]
    for child in (left, right):
        nodes[child, PARENT], nodes[child, DEPTH] = t, nodes[t, DEPTH] + 1


@njit(cache=True, nogil=True)
def _route(problem, state, t):
    """Pass the samples of t down its subtree; nodes whose samples change become dirty."""
    nodes, order = state.nodes, preorder(state.nodes, t)
    for node in order:
        if nodes[node, FEATURE] >= 0:
            _partition(problem, state, node)
    for node in order[::-1]:
        if nodes[node, FEATURE] < 0:
            state.score[node] = value_as_leaf(problem, _rows(state, node), BRIER)
            key = problem.keys[_rows(state, node)].sum()
        else:
            key = state.key[nodes[node, LEFT]] + state.key[nodes[node, RIGHT]]
        if key != state.key[node]:
            nodes[node, DIRTY] = 1
            state.key[node] = key


@njit(cache=True, nogil=True)
def _mark_free(nodes, t):
    """Mark the nodes of the subtree as free."""
    for node in preorder(nodes, t):
        nodes[node, FEATURE] = FREE


@njit(cache=True, nogil=True)
def _promote(nodes, t, side):
    """Replace t by its child on one side (LEFT or RIGHT); `_route` updates samples and depths."""
    child = nodes[t, side]
    _mark_free(nodes, nodes[t, LEFT + RIGHT - side])
    nodes[t, : RIGHT + 1] = nodes[child, : RIGHT + 1]
    nodes[child, FEATURE], nodes[t, DIRTY] = FREE, 1


@njit(cache=True, nogil=True)
def _split_leaf(problem, state, t, f, cut):
    """Split leaf t into two new leaves."""
    nodes, taken = state.nodes, state.taken
    nodes[t, FEATURE], nodes[t, CUT] = f, cut
    for side in (LEFT, RIGHT):
        while nodes[taken[0], FEATURE] != FREE:
            taken[0] = (taken[0] + 1) % len(nodes)
        nodes[t, side] = taken[0]
        nodes[taken[0], FEATURE], nodes[taken[0], DIRTY] = LEAF, 1
    _partition(problem, state, t)


@njit(cache=True, nogil=True)
def _repair(problem, state, t):
    """Replace every split of the subtree that has a leaf of too few samples by its other branch."""
    nodes = state.nodes
    for node in preorder(nodes, t)[::-1]:
        if nodes[node, FEATURE] < 0:
            continue
        for side in (LEFT, RIGHT):
            child = nodes[node, side]
            if nodes[child, FEATURE] == LEAF and len(_rows(state, child)) < problem.min_rows:
                _promote(nodes, node, LEFT + RIGHT - side)
                _route(problem, state, node)
                break


@njit(cache=True, nogil=True)
def subtree_value(state, t):
    """The sum of the values of the subtree's leaves."""
    value = 0.0
    for node in preorder(state.nodes, t):
        if state.nodes[node, FEATURE] < 0:
            value += state.score[node]
    return value


@njit(cache=True, nogil=True)
def _number_leaves(problem, state, t, side, first, leaf):
    """Number the leaves of one branch of t from `first` on and set leaf (m,), for each sample of t
    the number of its leaf if it went there; returns the next number.
    """
    nodes, start, count = state.nodes, state.nodes[t, ROWS_START], first
    branch, other = nodes[t, side], nodes[t, LEFT + RIGHT - side]
    for node in preorder(nodes, branch):
        if nodes[node, FEATURE] < 0:
            nodes[node, NUMBER] = count
            leaf[nodes[node, ROWS_START] - start : nodes[node, ROWS_END] - start] = count
            count += 1
    for p in range(nodes[other, ROWS_START], nodes[other, ROWS_END]):
        row, node = state.perm[p], branch
        while nodes[node, FEATURE] >= 0:
            left = problem.codes[nodes[node, FEATURE], row] <= nodes[node, CUT]
            node = nodes[node, LEFT] if left else nodes[node, RIGHT]
        leaf[p - start] = nodes[node, NUMBER]
    return count


@njit(cache=True, nogil=True)
def _best_move(problem, state, t):
    """The best move at t with the rest of the tree fixed: (value, move, feature, cut)."""
    rows = _rows(state, t)
    R, leaf = problem.R[rows], np.empty((2, len(rows)), dtype=np.int32)
    n_left, n = 1, 2  # a leaf is split like a node above two leaves
    if state.nodes[t, FEATURE] >= 0:
        n_left = _number_leaves(problem, state, t, LEFT, 0, leaf[0])
        n = _number_leaves(problem, state, t, RIGHT, n_left, leaf[1])
    if n == 2:
        used = np.ones(len(problem.codes), dtype=np.bool_)
        value, f, c = best_split(problem, rows, R, BRIER, used)
        return value, _SPLIT, f, c
    sums, counts, values = leaf_sums(problem, R, leaf[1], n)
    best, move, feature, cut = values.sum(), RIGHT, -1, -1
    for f in range(len(problem.codes)):
        value, c, on_left = sweep_leaves(problem, rows, R, f, leaf, sums, counts, values)
        if on_left > best:
            best, move = on_left, LEFT
        if value > best:
            best, move, feature, cut = value, _SPLIT, f, c
    return best, move, feature, cut


@njit(cache=True, nogil=True)
def _visit(problem, state, t):
    """Make the best move at t if it raises the value; returns whether it did."""
    nodes = state.nodes
    nodes[t, DIRTY] = 0
    leaf = nodes[t, FEATURE] < 0
    if leaf and (
        nodes[t, DEPTH] >= problem.max_depth or len(_rows(state, t)) < 2 * problem.min_rows
    ):
        return False
    now = subtree_value(state, t) + problem.eps
    value, move, feature, cut = _best_move(problem, state, t)
    if value <= now:
        return False
    saved = _save(state, t)
    if move != _SPLIT:
        _promote(nodes, t, move)
    elif leaf:
        _split_leaf(problem, state, t, feature, cut)
    else:
        nodes[t, FEATURE], nodes[t, CUT] = feature, cut
    _route(problem, state, t)
    _repair(problem, state, t)
    if subtree_value(state, t) > now:
        nodes[t, DIRTY] = 1
        return True
    _restore(state, t, saved)
    return False


@njit(cache=True, nogil=True)
def _save(state, t):
    """A copy of the subtree for `_restore`: (nodes in preorder, their data, order of samples)."""
    ids = preorder(state.nodes, t)
    return ids, state.nodes[ids], state.score[ids], state.key[ids], _rows(state, t).copy()


@njit(cache=True, nogil=True)
def _restore(state, t, saved):
    """Undo all changes to the subtree since `_save`."""
    _mark_free(state.nodes, t)
    ids, nodes, score, key, perm = saved
    state.nodes[ids], state.score[ids], state.key[ids] = nodes, score, key
    _rows(state, t)[:] = perm


@njit(cache=True, nogil=True)
def grow(problem, state, t, crit, used):
    """Grow leaf t greedily by a criterion on the features in use, used (f,) bool, to max_depth."""
    nodes, waiting = state.nodes, [np.int64(t)]
    while waiting:
        node = waiting.pop()
        rows = _rows(state, node)
        if nodes[node, DEPTH] >= problem.max_depth or len(rows) < 2 * problem.min_rows:
            continue
        R, least = problem.R[rows], value_as_leaf(problem, rows, crit) * (1 + 1e-9) + problem.eps
        value, feature, cut = best_split(problem, rows, R, crit, used)
        if value > least:
            _split_leaf(problem, state, node, feature, cut)
            waiting.append(np.int64(nodes[node, RIGHT]))
            waiting.append(np.int64(nodes[node, LEFT]))
    _route(problem, state, t)
    nodes[t, DIRTY] = 1


@njit(cache=True, nogil=True)
def search(problem, state, t, sweeps):
    """Visit the dirty nodes of the subtree in random order, `sweeps` times or until none gains."""
    nodes = state.nodes
    for _ in range(sweeps):
        order, gained = preorder(nodes, t), False
        for j in range(len(order) - 1, 0, -1):
            i = _random(state.random) % (j + 1)
            order[i], order[j] = order[j], order[i]
        for node in order:
            if (
                nodes[node, FEATURE] != FREE
                and nodes[node, DIRTY] == 1
                and _visit(problem, state, node)
            ):
                gained = True
                while node != t:
                    node = nodes[node, PARENT]
                    nodes[node, DIRTY] = 1
        if not gained:
            break


@njit(cache=True, nogil=True)
def _split_at_random(problem, state, t, used):
    """Split leaf t by a random feature in use at the code of a random sample; returns whether both
    leaves have enough samples, and else does nothing.
    """
    f = _random(state.random) % len(used)
    while not used[f]:
        f = (f + 1) % len(used)
    codes = problem.codes[f][_rows(state, t)]
    cut = codes[_random(state.random) % len(codes)]
    low = (codes <= cut).sum()
    if min(low, len(codes) - low) < problem.min_rows:
        return False
    _split_leaf(problem, state, t, f, cut)
    state.nodes[t, DIRTY] = 1
    return True


@njit(cache=True, nogil=True)
def regrow(problem, state, t):
    """Regrow and search the subtree; keep the old one unless the value rises."""
    nodes, used = state.nodes, np.zeros(len(problem.codes), dtype=np.bool_)
    now = subtree_value(state, t) + problem.eps
    saved = _save(state, t)
    crit = (BRIER, BRIER, LOG)[_random(state.random) % 3]
    for f in range(len(used)):
        used[f] = _random(state.random) % 2
    used[_random(state.random) % len(used)] = True
    nodes[t, FEATURE] = LEAF
    if _random(state.random) % 2 == 0 or not _split_at_random(problem, state, t, used):
        grow(problem, state, t, crit, used)
    else:
        for side in (LEFT, RIGHT):
            # int64, as in all calls: another type would compile it again
            grow(problem, state, np.int64(nodes[t, side]), crit, used)
    search(problem, state, t, _INNER_SWEEPS)
    if subtree_value(state, t) <= now:
        _restore(state, t, saved)
        return
    for node in saved[0][1:]:
        nodes[node, FEATURE] = FREE
    while t >= 0:
        nodes[t, DIRTY] = 1
        t = nodes[t, PARENT]
