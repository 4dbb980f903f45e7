"""Values of leaves and splits, and the best split of a node's samples by sweeps over the thresholds
of each feature.

The value of a leaf is a criterion of S, the sum of its samples' rows of R, with R[i, k] = w_i P_ik
for K labels:

- Brier: sum_k S_k^2 / W with W = sum_k S_k. Total weight less that is the weighted squared error
  (Gini impurity);
- log: sum_k S_k log(S_k K / W), the log-likelihood above that of guessing uniformly (entropy).

Both are at least 0, and 0 for a leaf of too few samples. Both are convex, so that no split lowers
them. The search maximizes the Brier sum over leaves (Dunn 2018, Optimal Trees for Prediction and
Prescription, Chapter 2; paper 000, Section 2.4.2).

`best_split` finds the best split into two leaves, `sweep_leaves` the best threshold with the leaves
below the node kept. In kernels, `rows` (m,) are the numbers of a node's samples, R (m, K) their
rows of R, `order` (m,) their places sorted by code; `sums` (n_leaves, K), `counts` (n_leaves,) and
`values` (n_leaves,) belong to leaves.
"""

import math
from typing import NamedTuple

import numpy as np
from numba import njit

BRIER, LOG = range(2)
_FEW = 48  # samples up to which codes far apart are sorted by comparison, otherwise by counting


class Problem(NamedTuple):
    """The samples and the constraints of a tree."""

    codes: np.ndarray  # (f, n) uint16
    R: np.ndarray  # (n, n_labels) float64
    keys: np.ndarray  # (n,) int64: random; their sum over a node identifies its samples
    # 0, 1, ..: a tuple's length is known to the compiler, so that loops unroll
    labels: tuple[int, ...]
    min_rows: int
    max_depth: int
    eps: float  # gains up to this are rounding errors


@njit(cache=True, nogil=True, inline="always")
def _value(sums, leaf, labels, crit):
    """The value of a leaf by a criterion from sums[leaf]."""
    weight, value = 0.0, 0.0
    if crit == BRIER:
        for k in range(len(labels)):
            weight += sums[leaf, k]
            value += sums[leaf, k] * sums[leaf, k]
        return value / weight if weight > 0 else 0.0
    for k in range(len(labels)):
        s = sums[leaf, k]
        if s > 0:
            weight += s
            value += s * math.log(s)
    return value - weight * math.log(weight / len(labels)) if weight > 0 else 0.0


@njit(cache=True, nogil=True)
def value_as_leaf(problem, rows, crit):
    """The value of rows as one leaf."""
    labels, sums = problem.labels, np.zeros((1, len(problem.labels)))
    for row in rows:
        for k in range(len(labels)):
            sums[0, k] += problem.R[row, k]
    return _value(sums, 0, labels, crit) if len(rows) >= problem.min_rows else 0.0


@njit(cache=True, nogil=True)
def _sort(problem, rows, f):
    """(codes of rows by feature f (m,) int32, order); the order is empty if all codes are equal."""
    code = problem.codes[f][rows].astype(np.int32)
    least, most, order = code.min(), code.max(), np.empty(len(rows), dtype=np.int32)
    if least == most:
        return code, order[:0]
    if len(rows) <= _FEW and most - least > 8 * len(rows):
        order[:] = np.argsort(code, kind="mergesort")
        return code, order
    counts = np.zeros(most - least + 2, dtype=np.int32)
    for c in code:
        counts[c - least + 1] += 1
    for k in range(len(counts) - 1):
        counts[k + 1] += counts[k]
    for j in range(len(rows)):
        c = code[j] - least
        order[counts[c]] = j
        counts[c] += 1
    return code, order


@njit(cache=True, nogil=True)
def _sweep_leaf(problem, rows, R, f, crit):
    """The best cut of one leaf by feature f: (value of both halves, cut), -1 if there is none."""
    code, order = _sort(problem, rows, f)
    # of the left half and of the right one
    labels, sums = problem.labels, np.zeros((2, len(problem.labels)))
    for j in range(len(R)):
        for k in range(len(labels)):
            sums[1, k] += R[j, k]
    best, cut = -1.0, -1
    for j in range(len(order) - problem.min_rows):
        row = order[j]
        for k in range(len(labels)):
            sums[0, k] += R[row, k]
            sums[1, k] -= R[row, k]
        c, ahead = code[row], code[order[j + 1]]
        if c < ahead and j + 1 >= problem.min_rows:
            value = _value(sums, 0, labels, crit) + _value(sums, 1, labels, crit)
            if value > best:
                best, cut = value, (c + ahead - 1) // 2
    return best, cut


@njit(cache=True, nogil=True)
def best_split(problem, rows, R, crit, used):
    """The best split into two leaves by a feature in use, used (f,) bool: (value, feature, cut)."""
    best, feature, cut = -1.0, -1, -1
    for f in range(len(used)):
        value, c = _sweep_leaf(problem, rows, R, f, crit) if used[f] else (-1.0, -1)
        if value > best:
            best, feature, cut = value, f, c
    return best, feature, cut


@njit(cache=True, nogil=True)
def leaf_sums(problem, R, leaf, n):
    """(sums, counts, values) of n leaves; leaf (m,): the number of each sample's leaf."""
    labels = problem.labels
    sums, counts, values = np.zeros((n, len(labels))), np.zeros(n, dtype=np.int32), np.zeros(n)
    for j in range(len(R)):
        counts[leaf[j]] += 1
        for k in range(len(labels)):
            sums[leaf[j], k] += R[j, k]
    for i in range(n):
        if counts[i] >= problem.min_rows:
            values[i] = _value(sums, i, labels, BRIER)
    return sums, counts, values


@njit(cache=True, nogil=True)
def sweep_leaves(problem, rows, R, f, leaf, sums, counts, values):
    """The best cut by feature f with the leaves of both branches kept, starting from `leaf_sums`
    with all samples in the right branch.

    Samples move from right to left in the order of their codes, each from leaf[1, j] to leaf[0, j]
    (2, m). Returns (value, cut), -1 if there is none, and the value of the left branch with all
    samples.
    """
    labels, min_rows = problem.labels, problem.min_rows
    code, order = _sort(problem, rows, f)
    sums, counts, values, total = sums.copy(), counts.copy(), values.copy(), values.sum()
    best, cut = -1.0, -1
    for j in range(len(order)):
        row = order[j]
        a, b = leaf[0, row], leaf[1, row]
        counts[a] += 1
        counts[b] -= 1
        for k in range(len(labels)):
            r = R[row, k]
            sums[a, k] += r
            sums[b, k] -= r
        gain = 0.0
        if counts[a] >= min_rows:
            new = _value(sums, a, labels, BRIER)
            gain = new - values[a]
            values[a] = new
        new = _value(sums, b, labels, BRIER) if counts[b] >= min_rows else 0.0
        total += gain + (new - values[b])
        values[b] = new
        if j + 1 < len(order):
            c, ahead = code[row], code[order[j + 1]]
            if c < ahead and total > best:
                best, cut = total, (c + ahead - 1) // 2
    return best, cut, total if len(order) else -1.0
