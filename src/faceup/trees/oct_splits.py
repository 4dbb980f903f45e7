"""What leaves and splits earn, and the best split of a node's rows by sweeps over each feature's
thresholds.

A leaf earns `_crit` of S, the sum of its rows of R (labels), with R[i, k] = w_i P_ik:

- cost: max_k S_k, where R_ik is what label k is worth in row i: the leaf plays the best one;
- Brier: sum_k S_k^2 / W with W = sum_k S_k. Total weight less that is the weighted squared error
  (Gini impurity);
- log: sum_k S_k log(S_k K / W), the log-likelihood above that of guessing uniformly (entropy).

All are at least 0, and a leaf of too few rows earns 0. They are convex, so that no split lowers
them. The search's objective is their sum over leaves (Dunn 2018, Optimal Trees for Prediction and
Prescription, Chapter 2; paper 000, Section 2.4.2).

A split is the best into two leaves (`best_split`), or of all thresholds with the leaves below it
kept (`sweep_leaves`).
"""

import math
from typing import NamedTuple

import numpy as np
from numba import njit

COST, BRIER, LOG = range(3)
# rows that are sorted by comparison where their codes are far apart, by counting elsewhere
_FEW = 48


class Problem(NamedTuple):
    """What is to be split, and by which rules."""

    codes: np.ndarray  # (f, n) uint16
    R: np.ndarray  # (n, n_labels) float64
    keys: np.ndarray  # (n,) int64: random, so that the sum of a node's tells which rows it holds
    # 0, 1, ..: its length is known when a kernel is compiled, so that loops unroll
    labels: tuple[int, ...]
    crit: int
    min_rows: int
    max_depth: int
    eps: float  # gains up to this are rounding


@njit(cache=True, nogil=True, inline="always")
def _crit(table, leaf, labels, crit):
    """What a leaf earns whose sums are table[leaf]."""
    if crit == COST:
        best = table[leaf, 0]
        for k in range(1, len(labels)):
            best = max(best, table[leaf, k])
        return best
    weight, earned = 0.0, 0.0
    if crit == BRIER:
        for k in range(len(labels)):
            weight += table[leaf, k]
            earned += table[leaf, k] * table[leaf, k]
        return earned / weight if weight > 0 else 0.0
    for k in range(len(labels)):
        s = table[leaf, k]
        if s > 0:
            weight += s
            earned += s * math.log(s)
    return earned - weight * math.log(weight / len(labels)) if weight > 0 else 0.0


@njit(cache=True, nogil=True)
def value_as_leaf(problem, rows, crit):
    """What rows earn in one leaf."""
    labels, sums = problem.labels, np.zeros((1, len(problem.labels)))
    for row in rows:
        for k in range(len(labels)):
            sums[0, k] += problem.R[row, k]
    return _crit(sums, 0, labels, crit) if len(rows) >= problem.min_rows else 0.0


@njit(cache=True, nogil=True)
def _sort(problem, rows, f):
    """(Codes of rows by feature f, their places by code), no places where all have one code."""
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
    """Best cut of one leaf's rows, with their R, by feature f: (what both halves earn, the cut); -1
    if there is none.
    """
    code, order = _sort(problem, rows, f)
    # of the left half, of the right one
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
            value = _crit(sums, 0, labels, crit) + _crit(sums, 1, labels, crit)
            if value > best:
                best, cut = value, (c + ahead - 1) // 2
    return best, cut


@njit(cache=True, nogil=True)
def best_split(problem, rows, R, crit, used):
    """Best split of rows, with their R, into two leaves by a feature in use: (what they earn,
    feature, cut).
    """
    best, feature, cut = -1.0, -1, -1
    for f in range(len(used)):
        value, c = _sweep_leaf(problem, rows, R, f, crit) if used[f] else (-1.0, -1)
        if value > best:
            best, feature, cut = value, f, c
    return best, feature, cut


@njit(cache=True, nogil=True)
def leaf_sums(problem, R, leaf, n):
    """Sums, rows and earnings of n leaves, `leaf` (m,) the one that each row of R comes to."""
    labels = problem.labels
    sums, held, earned = np.zeros((n, len(labels))), np.zeros(n, dtype=np.int32), np.zeros(n)
    for j in range(len(R)):
        held[leaf[j]] += 1
        for k in range(len(labels)):
            sums[leaf[j], k] += R[j, k]
    for i in range(n):
        if held[i] >= problem.min_rows:
            earned[i] = _crit(sums, i, labels, problem.crit)
    return sums, held, earned


@njit(cache=True, nogil=True)
def sweep_leaves(problem, rows, R, f, leaf, sums, held, earned):
    """Best cut by feature f with the leaves of both branches kept, from sums, rows and earnings of
    leaves with all on the right.

    Rows go over from right to left by code; each leaves one leaf of the right branch for one of the
    left, as `leaf` tells. Returns as `_sweep_leaf`, and what the left branch would earn with all
    rows.
    """
    labels, min_rows, crit = problem.labels, problem.min_rows, problem.crit
    code, order = _sort(problem, rows, f)
    sums, held, earned, total = sums.copy(), held.copy(), earned.copy(), earned.sum()
    best, cut = -1.0, -1
    for j in range(len(order)):
        row = order[j]
        a, b = leaf[0, row], leaf[1, row]
        held[a] += 1
        held[b] -= 1
        for k in range(len(labels)):
            r = R[row, k]
            sums[a, k] += r
            sums[b, k] -= r
        gain = 0.0
        if held[a] >= min_rows:
            new = _crit(sums, a, labels, crit)
            gain = new - earned[a]
            earned[a] = new
        new = _crit(sums, b, labels, crit) if held[b] >= min_rows else 0.0
        total += gain + (new - earned[b])
        earned[b] = new
        if j + 1 < len(order):
            c, ahead = code[row], code[order[j + 1]]
            if c < ahead and total > best:
                best, cut = total, (c + ahead - 1) // 2
    return best, cut, total if len(order) else -1.0
