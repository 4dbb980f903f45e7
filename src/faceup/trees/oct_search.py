"""Local search on one subtree: visits to nodes in random order, and subtrees grown again (after Dunn 2018, Section 2.3).

A visit keeps the rest of the tree and takes the best of: another split of the node over the same two branches,
either branch in the node's place, a leaf, or two leaves in a leaf's place. Regrowth is the large step: a subtree
grown anew, greedily, by a random criterion on random features, then searched; it stays if it earns more (where many trees
earn the same, as by agreement, if it earns as much).
"""

import numpy as np
from numba import njit

from faceup.trees.oct_moves import (
    AGREEMENT,
    BRIER,
    CUT,
    DEPTH,
    DIRTY,
    END,
    FEATURE,
    FREE,
    LEAF,
    LEFT,
    LOG,
    PARENT,
    RIGHT,
    START,
    _crit,
    _drop,
    _partition,
    _preorder,
    _promote,
    _random,
    _repair,
    _route,
    _split_leaf,
    _value,
)
from faceup.trees.oct_sweeps import _as_leaf, _best_leaf_split, _best_pair, _can_pair, _fetch, _n_rows, _sort, _sweep_leaves

NOTHING, SPLIT, COLLAPSE = -1, -2, 0  # moves; the others are LEFT and RIGHT: that branch is promoted
PLANT, GROW, SEARCH, REGROW = range(4)  # what a task does


@njit(cache=True, nogil=True)
def _number_leaves(problem, state, work, t, side, first):
    """Number the leaves of one branch from `first` on and tell each row of t which one it has, or would have, there."""
    nodes, out, leaf, start = state.nodes, work.lists[0], work.leaf[side - LEFT], state.nodes[t, START]
    branch, other = nodes[t, side], nodes[t, LEFT + RIGHT - side]
    n, count = _preorder(nodes, branch, work.stack, out), first
    for j in range(n):
        if nodes[out[j], FEATURE] < 0:
            work.number[out[j]] = count
            for p in range(nodes[out[j], START], nodes[out[j], END]):
                leaf[p - start] = count
            count += 1
    for p in range(nodes[other, START], nodes[other, END]):
        row, node = state.perm[p], branch
        while nodes[node, FEATURE] >= 0:
            left = problem.codes[nodes[node, FEATURE], row] <= nodes[node, CUT]
            node = nodes[node, LEFT] if left else nodes[node, RIGHT]
        leaf[p - start] = work.number[node]
    return count


@njit(cache=True, nogil=True)
def _fill_right(problem, state, work, t, n_left, n):
    """Sums, rows and earnings of the right branch's leaves if all rows of t came there; returns the earnings' sum."""
    labels, table, held, leaf, m = problem.labels, work.table[1], work.held[1], work.leaf[1], _n_rows(state, t)
    held[n_left:n] = 0
    table[n_left * len(labels) : n * len(labels)] = 0.0
    for j in range(m):
        held[leaf[j]] += 1
        for k in range(len(labels)):
            table[leaf[j] * len(labels) + k] += work.rows[j * len(labels) + k]
    total = 0.0
    for i in range(n_left, n):
        earned = _crit(table, i * len(labels), labels, problem.crit) if held[i] >= problem.min_rows else 0.0
        work.earned[1, i] = earned
        total += earned
    return total


@njit(cache=True, nogil=True)
def _best_move(problem, state, work, t, used):
    """The best that can be done at t with the rest kept: (its value, the move, feature, cut)."""
    nodes, m, cp = state.nodes, _n_rows(state, t), problem.cp
    _fetch(problem, state, work, t)
    if nodes[t, FEATURE] < 0:
        value, feature, cut = _best_leaf_split(problem, state, work, t, problem.crit, used)
        return value - cp, SPLIT, feature, cut
    best, move, feature, cut = _as_leaf(problem, work, m, problem.crit), COLLAPSE, -1, -1
    n_left = _number_leaves(problem, state, work, t, LEFT, 0)
    n = _number_leaves(problem, state, work, t, RIGHT, n_left)
    if n == 2:
        value, f, c = _best_leaf_split(problem, state, work, t, problem.crit, used)
        return (value - cp, SPLIT, f, c) if value - cp > best else (best, move, feature, cut)
    on_right = _fill_right(problem, state, work, t, n_left, n) - cp * (n - n_left - 1)
    if on_right > best:
        best, move = on_right, RIGHT
    for f in range(len(problem.codes)):
        if used[f] and _sort(problem, state, work, t, f):
            value, low, high, on_left = _sweep_leaves(problem, work, m, n_left, n)
            if on_left - cp * (n_left - 1) > best:
                best, move = on_left - cp * (n_left - 1), LEFT
            if value - cp * (n - 1) > best:
                best, move, feature, cut = value - cp * (n - 1), SPLIT, f, (low + high - 1) // 2
    return best, move, feature, cut


@njit(cache=True, nogil=True)
def _apply(problem, state, work, t, move, feature, cut):
    nodes = state.nodes
    if move == LEFT or move == RIGHT:
        _promote(nodes, t, move, work)
    elif move == COLLAPSE:
        _cut_off(nodes, t, work)
    elif nodes[t, FEATURE] < 0:
        _split_leaf(nodes, t, feature, cut, work)
    else:
        nodes[t, FEATURE], nodes[t, CUT] = feature, cut
    _route(problem, state, work, t)
    _repair(problem, state, work, t)


@njit(cache=True, nogil=True)
def _cut_off(nodes, t, work):
    """Make t a leaf; what was below is marked free."""
    _drop(nodes, t, work)
    nodes[t, FEATURE] = LEAF


@njit(cache=True, nogil=True)
def _visit(problem, state, work, t, used):
    """Do the best move at t if it earns more; False if nothing does."""
    nodes = state.nodes
    nodes[t, DIRTY] = 0
    leaf = nodes[t, FEATURE] < 0
    if leaf and (nodes[t, DEPTH] >= problem.max_depth or _n_rows(state, t) < 2 * problem.min_rows):
        return False
    now = _value(problem, state, work, t) + problem.eps
    value, move, feature, cut = _best_move(problem, state, work, t, used)
    if value <= now:
        return False
    saved = _save(state, work, t)
    _apply(problem, state, work, t, move, feature, cut)
    if _value(problem, state, work, t) > now:
        _release(state, work, saved[0], 0)
        nodes[t, DIRTY] = 1
        return True
    if leaf:
        _cut_off(nodes, t, work)
        work.n_free[0] += 2
    _restore(state, t, saved)
    return False


@njit(cache=True, nogil=True)
def _save(state, work, t):
    """What `_restore` needs to undo any change below t: its nodes in preorder and its rows' order."""
    n = _preorder(state.nodes, t, work.stack, work.lists[0])
    ids = work.lists[0, :n].copy()
    perm = state.perm[state.nodes[t, START] : state.nodes[t, END]].copy()
    return ids, state.nodes[ids], state.score[ids], state.key[ids], perm


@njit(cache=True, nogil=True)
def _restore(state, t, saved):
    ids, rows, score, key, perm = saved
    for j in range(len(ids)):
        state.nodes[ids[j]] = rows[j]
        state.score[ids[j]], state.key[ids[j]] = score[j], key[j]
    state.perm[state.nodes[t, START] : state.nodes[t, END]] = perm


@njit(cache=True, nogil=True)
def _release(state, work, ids, first):
    """Give back those of the nodes from the first-th on that are marked free."""
    for j in range(first, len(ids)):
        if state.nodes[ids[j], FEATURE] == FREE:
            work.free[work.n_free[0]] = ids[j]
            work.n_free[0] += 1


@njit(cache=True, nogil=True)
def _grow(problem, state, work, t, crit, used):
    """Grow leaf t greedily by a criterion on the features in use, as deep as may be, the last two levels by all features."""
    nodes, waiting, top = state.nodes, work.lists[2], 1
    waiting[0] = t
    while top:
        top -= 1
        node = waiting[top]
        m = _n_rows(state, node)
        if nodes[node, DEPTH] >= problem.max_depth or m < 2 * problem.min_rows:
            continue
        _fetch(problem, state, work, node)
        least = _as_leaf(problem, work, m, crit) * (1 + 1e-9) + problem.eps
        if crit == problem.crit and nodes[node, DEPTH] == problem.max_depth - 2 and _can_pair(problem, work):
            value, feature, cut = _best_pair(problem, state, work, node)
        else:
            value, feature, cut = _best_leaf_split(problem, state, work, node, crit, used)
        if value > least:
            _split_leaf(nodes, node, feature, cut, work)
            _partition(problem, state, work.spare, node)
            waiting[top], waiting[top + 1] = nodes[node, RIGHT], nodes[node, LEFT]
            top += 2
    _route(problem, state, work, t)
    nodes[t, DIRTY] = 1


@njit(cache=True, nogil=True)
def _search(problem, state, work, t, sweeps, deepest, used):
    """Visit the dirty nodes below t, down to a depth, in random order, `sweeps` times or until none gains; True if any did."""
    nodes, order, changed = state.nodes, work.lists[3], False
    for _ in range(sweeps):
        n, gained = _preorder(nodes, t, work.stack, order), False
        for j in range(n - 1, 0, -1):
            i = _random(work.random) % (j + 1)
            order[i], order[j] = order[j], order[i]
        for j in range(n):
            node = order[j]
            if nodes[node, FEATURE] == FREE or nodes[node, DIRTY] == 0 or nodes[node, DEPTH] > deepest:
                continue
            if _visit(problem, state, work, node, used):
                gained = changed = True
                while node != t:
                    node = nodes[node, PARENT]
                    nodes[node, DIRTY] = 1
        if not gained:
            break
    return changed


@njit(cache=True, nogil=True)
def _split_at_random(problem, state, work, t, used):
    """Split leaf t by a random feature in use at a random row's code; False, and nothing done, if that leaves too few rows."""
    nodes, m = state.nodes, _n_rows(state, t)
    f = _random(work.random) % len(used)
    while not used[f]:
        f = (f + 1) % len(used)
    codes, start = problem.codes[f], nodes[t, START]
    cut, low = np.int32(codes[state.perm[start + _random(work.random) % m]]), 0
    for p in range(start, start + m):
        low += codes[state.perm[p]] <= cut
    if low < problem.min_rows or m - low < problem.min_rows:
        return False
    _split_leaf(nodes, t, f, cut, work)
    _partition(problem, state, work.spare, t)
    nodes[t, DIRTY] = 1
    return True


@njit(cache=True, nogil=True)
def _regrow(problem, state, work, t, sweeps, all_features):
    """Grow the subtree of t anew and search it; keep what earns more. True if that is the new one."""
    nodes, used = state.nodes, np.zeros(len(problem.codes), dtype=np.bool_)
    now = _value(problem, state, work, t) + problem.eps
    saved = _save(state, work, t)
    crit = (problem.crit, BRIER, LOG)[_random(work.random) % 3]
    for f in range(len(used)):
        used[f] = _random(work.random) % 2
    used[_random(work.random) % len(used)] = True
    nodes[t, FEATURE] = LEAF
    if _random(work.random) % 2 == 0 or not _split_at_random(problem, state, work, t, used):
        _grow(problem, state, work, t, crit, used)
    else:
        _grow(problem, state, work, nodes[t, LEFT], crit, used)
        _grow(problem, state, work, nodes[t, RIGHT], crit, used)
    _search(problem, state, work, t, sweeps, problem.max_depth, all_features)
    level = problem.crit == AGREEMENT  # where many trees earn the same, an equal one leads on
    if _value(problem, state, work, t) > (now - 2 * problem.eps if level else now):
        for j in range(1, len(saved[0])):
            nodes[saved[0][j], FEATURE] = FREE
        _release(state, work, saved[0], 1)
        return True
    n = _preorder(nodes, t, work.stack, work.lists[1])
    _cut_off(nodes, t, work)
    _release(state, work, work.lists[1, :n], 1)
    _restore(state, t, saved)
    return False


@njit(cache=True, nogil=True)
def _do_tasks(problem, state, work, roots, seeds, free, first_free, kind, crit, sweeps, deepest, changed):
    """Send rows down, grow, search or regrow the subtrees of disjoint roots, each with a seed and free nodes of its own.

    Those of root i are free[first_free[i] : first_free[i + 1]]; changed[i] tells whether its subtree is another.
    """
    used = np.ones(len(problem.codes), dtype=np.bool_)
    for i in range(len(roots)):
        work.random[0] = seeds[i]
        work.n_free[0] = first_free[i + 1] - first_free[i]
        work.free[: work.n_free[0]] = free[first_free[i] : first_free[i + 1]]
        if kind == PLANT:
            _route(problem, state, work, roots[i])
            _repair(problem, state, work, roots[i])
        elif kind == GROW:
            _grow(problem, state, work, roots[i], crit, used)
        elif kind == SEARCH:
            changed[i] = _search(problem, state, work, roots[i], sweeps, deepest, used)
        else:
            changed[i] = _regrow(problem, state, work, roots[i], sweeps, used)
