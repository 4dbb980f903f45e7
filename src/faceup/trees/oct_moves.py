"""What local search on a tree is made of: rows grouped by leaf, what leaves earn, changes of the tree.

A tree in work is a table of nodes and one permutation of the rows in which every node's rows stand next to each
other, its left branch's before its right one's. Features are codes, small whole numbers in the order of the
feature's values; a row goes left where its code is at most the node's cut.

A leaf earns `_crit` of S, the sum of its rows of R (labels), with R[i, k] = w_i P_ik:

- agreement: max_k S_k, the weight that the likeliest label gets right (or the best action's value, where R is value);
- Brier: sum_k S_k^2 / W with W = sum_k S_k. Total weight less that is the weighted squared error (Gini impurity);
- log: sum_k S_k log(S_k K / W), the log-likelihood above that of guessing uniformly (entropy);
- Brier and cost: max_p 2 A.p - W |p|^2 over mixtures p, where A sums w_i (P_ik + c/2 V_ik) with V_ik the value of action k, and
  the last column is W (see `faceup.trees.cart.answer_by_costs`).

All are at least 0, and a leaf of too few rows earns 0. They are convex, so that no split lowers them. The search's
objective is their sum over leaves less cp for each split (Dunn 2018, Optimal Trees for Prediction and
Prescription, Chapter 2; paper 000, Section 2.4.2).
"""

import math
from typing import NamedTuple

import numpy as np
from numba import njit

AGREEMENT, BRIER, LOG, BRIER_COST = range(4)
FEATURE, CUT, LEFT, RIGHT, PARENT, START, END, DEPTH, DIRTY = range(9)  # columns of SearchState.nodes
N_COLUMNS = 9
LEAF, FREE = -1, -2  # in column FEATURE


class Problem(NamedTuple):
    """What is to be split, and by which rules."""

    codes: np.ndarray  # (f, n) uint16
    R: np.ndarray  # (n * n_labels,) float64, a row's labels next to each other
    keys: np.ndarray  # (n,) int64: random, so that the sum of a node's tells which rows it holds
    labels: tuple[int, ...]  # 0, 1, ..: its length is known when a kernel is compiled, so that loops unroll
    crit: int
    min_rows: int
    max_depth: int
    cp: float
    eps: float  # gains up to this are rounding


class SearchState(NamedTuple):
    """A tree in work. Searches of disjoint subtrees write to disjoint parts, in any order or at once."""

    nodes: np.ndarray  # (capacity, N_COLUMNS) int32
    score: np.ndarray  # (capacity,) float64: what a leaf earns
    key: np.ndarray  # (capacity,) int64: sum of the keys of a node's rows
    perm: np.ndarray  # (n,) int32


class Work(NamedTuple):
    """Scratch of one thread for subtrees of at most m rows and c nodes."""

    rows: np.ndarray  # (m * n_labels,) float64: R of the rows at hand
    order: np.ndarray  # (m,) int32: rows at hand by code
    code: np.ndarray  # (m,) int32
    counts: np.ndarray  # (n_codes + 1,) int32
    spare: np.ndarray  # (m,) int32
    leaf: np.ndarray  # (2, m) int32: the leaf a row falls into on the left, and on the right
    table: np.ndarray  # (2, (c + 2) * n_labels) float64: sums of leaves now; with all rows
    earned: np.ndarray  # (2, c + 2) float64
    held: np.ndarray  # (2, c + 2) int32: rows in leaves
    number: np.ndarray  # (capacity,) int32, shared: number of a leaf
    lists: np.ndarray  # (4, c + 2) int32: nodes in preorder
    stack: np.ndarray  # (max_depth + 3,) int32
    free: np.ndarray  # (c + 2,) int32: nodes to be had
    n_free: np.ndarray  # (1,) int64
    random: np.ndarray  # (1,) uint64


@njit(cache=True, nogil=True)
def _random(state):
    """The next 31 random bits: splitmix64 (Steele, Lea & Flood 2014)."""
    state[0] += np.uint64(0x9E3779B97F4A7C15)
    z = state[0]
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.int64((z ^ (z >> np.uint64(31))) >> np.uint64(33))


@njit(cache=True, nogil=True, inline="always")
def _free_answer(table, base, labels):
    """max_p 2 A.p - W |p|^2: labels below a level get nothing, and W p is what others have above it (Michelot 1986).

    Values are 0 or more, so that A sums to W at least: the level is never below 0, and columns of 0 are never played.
    """
    weight, level, n = table[base + len(labels) - 1], 0.0, len(labels)
    if weight <= 0:
        return 0.0
    squares = 0.0
    for _ in range(len(labels)):
        before, n, total, squares = n, 0, 0.0, 0.0
        for k in range(len(labels) - 1):
            a = table[base + k]
            if a > level:
                n += 1
                total += a
                squares += (a - level) * (a - level)
        if n == 0 or n == before:
            break
        level = max(0.0, (total - weight) / n)
    return 2 * level + squares / weight if n else 0.0


@njit(cache=True, nogil=True, inline="always")
def _crit(table, base, labels, crit):
    """What a leaf earns whose sums are table[base:base + n_labels]."""
    if crit == AGREEMENT:
        best = table[base]
        for k in range(1, len(labels)):
            best = max(best, table[base + k])
        return best
    weight, earned = 0.0, 0.0
    if crit == BRIER_COST:
        return _free_answer(table, base, labels)
    if crit == BRIER:
        for k in range(len(labels)):
            weight += table[base + k]
            earned += table[base + k] * table[base + k]
        return earned / weight if weight > 0 else 0.0
    for k in range(len(labels)):
        s = table[base + k]
        if s > 0:
            weight += s
            earned += s * math.log(s)
    return earned - weight * math.log(weight / len(labels)) if weight > 0 else 0.0


@njit(cache=True, nogil=True)
def _preorder(nodes, t, stack, out):
    """Write the nodes of the subtree of t to out, parents first, and return how many."""
    n, top = 0, 1
    stack[0] = t
    while top:
        top -= 1
        node = stack[top]
        out[n] = node
        n += 1
        if nodes[node, FEATURE] >= 0:
            stack[top] = nodes[node, RIGHT]
            stack[top + 1] = nodes[node, LEFT]
            top += 2
    return n


@njit(cache=True, nogil=True)
def _partition(problem, state, spare, t):
    """Put the rows of t that go left before the others, each side in its order, and tell the children."""
    codes, perm, nodes = problem.codes, state.perm, state.nodes
    f, cut, start, end = nodes[t, FEATURE], nodes[t, CUT], nodes[t, START], nodes[t, END]
    here, waiting = start, 0
    for p in range(start, end):
        row = perm[p]
        if codes[f, row] <= cut:
            perm[here] = row
            here += 1
        else:
            spare[waiting] = row
            waiting += 1
    for j in range(waiting):
        perm[here + j] = spare[j]
    left, right = nodes[t, LEFT], nodes[t, RIGHT]
    nodes[left, START], nodes[left, END] = start, here
    nodes[right, START], nodes[right, END] = here, end
    for child in (left, right):
        nodes[child, PARENT], nodes[child, DEPTH] = t, nodes[t, DEPTH] + 1


@njit(cache=True, nogil=True)
def _measure(problem, state, work, t):
    """Score and key of leaf t from its rows."""
    labels, R, perm = problem.labels, problem.R, state.perm
    for k in range(len(labels)):
        work.table[0, k] = 0.0
    key, start, end = 0, state.nodes[t, START], state.nodes[t, END]
    for p in range(start, end):
        row = perm[p]
        key += problem.keys[row]
        for k in range(len(labels)):
            work.table[0, k] += R[row * len(labels) + k]
    enough = end - start >= problem.min_rows
    state.score[t] = _crit(work.table[0], 0, labels, problem.crit) if enough else 0.0
    return key


@njit(cache=True, nogil=True)
def _route(problem, state, work, t):
    """Send the rows of t down its subtree; nodes whose rows are others than before become dirty."""
    nodes, out = state.nodes, work.lists[0]
    n = _preorder(nodes, t, work.stack, out)
    for j in range(n):
        if nodes[out[j], FEATURE] >= 0:
            _partition(problem, state, work.spare, out[j])
    for j in range(n - 1, -1, -1):
        node = out[j]
        if nodes[node, FEATURE] < 0:
            key = _measure(problem, state, work, node)
        else:
            key = state.key[nodes[node, LEFT]] + state.key[nodes[node, RIGHT]]
        if key != state.key[node]:
            nodes[node, DIRTY] = 1
            state.key[node] = key


@njit(cache=True, nogil=True)
def _drop(nodes, t, work):
    """Mark t and what is below it as free."""
    n = _preorder(nodes, t, work.stack, work.lists[0])
    for j in range(n):
        nodes[work.lists[0, j], FEATURE] = FREE


@njit(cache=True, nogil=True)
def _promote(nodes, t, side, work):
    """Put the child of t on one side (LEFT or RIGHT) in its place; rows and depths are still to be sent down."""
    child = nodes[t, side]
    _drop(nodes, nodes[t, LEFT + RIGHT - side], work)
    for column in (FEATURE, CUT, LEFT, RIGHT):
        nodes[t, column] = nodes[child, column]
    nodes[child, FEATURE], nodes[t, DIRTY] = FREE, 1


@njit(cache=True, nogil=True)
def _split_leaf(nodes, t, f, cut, work):
    """Give leaf t two new leaves; rows are still to be sent down."""
    nodes[t, FEATURE], nodes[t, CUT] = f, cut
    for side in (LEFT, RIGHT):
        work.n_free[0] -= 1
        child = work.free[work.n_free[0]]
        nodes[t, side] = child
        nodes[child, FEATURE], nodes[child, DIRTY] = LEAF, 1


@njit(cache=True, nogil=True)
def _repair(problem, state, work, t):
    """Below t, put the other branch in the place of every split that has a leaf of too few rows."""
    nodes, out = state.nodes, work.lists[1]
    n = _preorder(nodes, t, work.stack, out)
    for j in range(n - 1, -1, -1):
        node = out[j]
        if nodes[node, FEATURE] < 0:
            continue
        for side in (LEFT, RIGHT):
            child = nodes[node, side]
            if nodes[child, FEATURE] == LEAF and nodes[child, END] - nodes[child, START] < problem.min_rows:
                _promote(nodes, node, LEFT + RIGHT - side, work)
                _route(problem, state, work, node)
                break


@njit(cache=True, nogil=True)
def _value(problem, state, work, t):
    """The objective's part that the subtree of t makes up."""
    nodes, out = state.nodes, work.lists[0]
    n = _preorder(nodes, t, work.stack, out)
    value = 0.0
    for j in range(n):
        value += state.score[out[j]] if nodes[out[j], FEATURE] < 0 else -problem.cp
    return value
