"""What a split of a node's rows earns: sweeps over each feature's thresholds.

Best of one level (`_best_leaf_split`), of all thresholds with the leaves below a split kept (`_sweep_leaves`), and of two levels
at once, exactly, where features have few codes (`_best_pair`, as Demirovic et al. 2022, MurTree, Section 4.3): sums by feature
and code tell for both sides what the best second split earns. That takes the square of the number of codes of all features.
"""

import numpy as np
from numba import njit

from faceup.trees.oct_moves import END, START, _crit

MOST_CODES = 600  # of all features together, where two levels are split at once
_FEW = 48  # rows that are sorted by insertion where their codes are far apart


@njit(cache=True, nogil=True)
def _n_rows(state, t):
    return state.nodes[t, END] - state.nodes[t, START]


@njit(cache=True, nogil=True)
def _fetch(problem, state, work, t):
    """Copy R of the rows of t to work.rows, where sweeps over each feature find them."""
    labels, start = problem.labels, state.nodes[t, START]
    for j in range(state.nodes[t, END] - start):
        row = state.perm[start + j]
        for k in range(len(labels)):
            work.rows[j * len(labels) + k] = problem.R[row * len(labels) + k]


@njit(cache=True, nogil=True)
def _sort(problem, state, work, t, f):
    """Fill work.code with the codes of the rows of t and work.order with its rows by code; False if all are one."""
    code, order, counts = work.code, work.order, work.counts
    start, m = state.nodes[t, START], state.nodes[t, END] - state.nodes[t, START]
    least, most = np.int32(1 << 30), np.int32(-1)
    for j in range(m):
        c = np.int32(problem.codes[f, state.perm[start + j]])
        code[j] = c
        least, most = min(least, c), max(most, c)
    if least >= most:
        return False
    if m <= _FEW and most - least > 8 * m:
        for j in range(m):
            i, c = j, code[j]
            while i > 0 and code[order[i - 1]] > c:
                order[i] = order[i - 1]
                i -= 1
            order[i] = j
        return True
    for k in range(most - least + 2):
        counts[k] = 0
    for j in range(m):
        counts[code[j] - least + 1] += 1
    for k in range(most - least):
        counts[k + 1] += counts[k]
    for j in range(m):
        c = code[j] - least
        order[counts[c]] = j
        counts[c] += 1
    return True


@njit(cache=True, nogil=True)
def _sweep_leaf(problem, work, m, crit):
    """Best cut of one leaf's m sorted rows: (what both halves earn, its code, the next code); -1 if there is none."""
    labels, order, code, rows = problem.labels, work.order, work.code, work.rows
    left, right = work.table[0], work.table[1]
    for k in range(len(labels)):
        left[k] = right[k] = 0.0
    for j in range(m):
        for k in range(len(labels)):
            right[k] += rows[j * len(labels) + k]
    best, cut, after = -1.0, -1, -1
    for j in range(m - problem.min_rows):
        row = order[j]
        for k in range(len(labels)):
            r = rows[row * len(labels) + k]
            left[k] += r
            right[k] -= r
        c, ahead = code[row], code[order[j + 1]]
        if c < ahead and j + 1 >= problem.min_rows:
            value = _crit(left, 0, labels, crit) + _crit(right, 0, labels, crit)
            if value > best:
                best, cut, after = value, c, ahead
    return best, cut, after


@njit(cache=True, nogil=True)
def _as_leaf(problem, work, m, crit):
    """What the m rows at hand earn in one leaf."""
    labels, table = problem.labels, work.table[0]
    for k in range(len(labels)):
        table[k] = 0.0
    for j in range(m):
        for k in range(len(labels)):
            table[k] += work.rows[j * len(labels) + k]
    return _crit(table, 0, labels, crit)


@njit(cache=True, nogil=True)
def _best_leaf_split(problem, state, work, t, crit, used):
    """Best split of t's rows, in work.rows, into two leaves: (what they earn, feature, cut)."""
    best, feature, cut = -1.0, -1, -1
    for f in range(len(problem.codes)):
        if used[f] and _sort(problem, state, work, t, f):
            value, low, high = _sweep_leaf(problem, work, _n_rows(state, t), crit)
            if value > best:
                best, feature, cut = value, f, (low + high - 1) // 2
    return best, feature, cut


@njit(cache=True, nogil=True)
def _sweep_leaves(problem, work, m, n_left, n):
    """Best cut with n_left leaves kept on the left and the others, up to n, on the right.

    Rows go over from right to left by code; each leaves one leaf of the right branch for one of the left.
    Returns as `_sweep_leaf`, and what the left branch would earn with all rows; that of the right one stands in
    work.earned[1].
    """
    labels, order, code, rows, min_rows, crit = problem.labels, work.order, work.code, work.rows, problem.min_rows, problem.crit
    table, earned, held, leaf_left, leaf_right = work.table[0], work.earned[0], work.held[0], work.leaf[0], work.leaf[1]
    total = 0.0
    for leaf in range(n):
        full = leaf >= n_left
        earned[leaf] = work.earned[1, leaf] if full else 0.0
        held[leaf] = work.held[1, leaf] if full else 0
        total += earned[leaf]
        for k in range(len(labels)):
            table[leaf * len(labels) + k] = work.table[1, leaf * len(labels) + k] if full else 0.0
    best, cut, after = -1.0, -1, -1
    for j in range(m):
        row = order[j]
        a, b = leaf_left[row], leaf_right[row]
        held[a] += 1
        held[b] -= 1
        for k in range(len(labels)):
            r = rows[row * len(labels) + k]
            table[a * len(labels) + k] += r
            table[b * len(labels) + k] -= r
        gain = 0.0
        if held[a] >= min_rows:
            new = _crit(table, a * len(labels), labels, crit)
            gain = new - earned[a]
            earned[a] = new
        new = _crit(table, b * len(labels), labels, crit) if held[b] >= min_rows else 0.0
        total += gain + (new - earned[b])
        earned[b] = new
        if j + 1 < m:
            c, ahead = code[row], code[order[j + 1]]
            if c < ahead and total > best:
                best, cut, after = total, c, ahead
    return best, cut, after, total


@njit(cache=True, nogil=True)
def _can_pair(problem, work):
    return len(problem.codes) * len(work.counts) <= MOST_CODES


@njit(cache=True, nogil=True)
def _best_pair(problem, state, work, t):
    """Best split of t's rows, in work.rows, if each half is then split in the best way: (what all earn, feature, cut)."""
    labels, codes = problem.labels, problem.codes
    m, start, n_codes = state.nodes[t, END] - state.nodes[t, START], state.nodes[t, START], len(work.counts)
    sums = np.zeros((2, len(codes) * n_codes * len(labels)))  # of the left half, and of all
    held = np.zeros((2, len(codes) * n_codes), dtype=np.int64)
    for j in range(m):
        _add(problem, state, work, j, start, n_codes, sums[1], held[1])
    best, feature, cut = -1.0, -1, -1
    for f in range(len(codes)):
        if not _sort(problem, state, work, t, f):
            continue
        sums[0], held[0] = 0.0, 0
        for j in range(m - problem.min_rows):
            _add(problem, state, work, work.order[j], start, n_codes, sums[0], held[0])
            low, high = work.code[work.order[j]], work.code[work.order[j + 1]]
            if low < high and j + 1 >= problem.min_rows:
                left = _best_second(problem, work, n_codes, sums, held, True)
                value = left + _best_second(problem, work, n_codes, sums, held, False)
                if value > best:
                    best, feature, cut = value, f, (low + high - 1) // 2
    return best, feature, cut


@njit(cache=True, nogil=True)
def _add(problem, state, work, j, start, n_codes, sums, held):
    """Add the j-th row at hand to the sums of its code in every feature."""
    labels, row = problem.labels, state.perm[start + j]
    for f in range(len(problem.codes)):
        cell = f * n_codes + problem.codes[f, row]
        held[cell] += 1
        for k in range(len(labels)):
            sums[cell * len(labels) + k] += work.rows[j * len(labels) + k]


@njit(cache=True, nogil=True)
def _best_second(problem, work, n_codes, sums, held, left):
    """The most that one half of the rows earns with one split at most: the left half, or what it leaves of all."""
    labels, low, high, best = problem.labels, work.table[0], work.table[1], -1.0
    for f in range(len(problem.codes)):
        for k in range(len(labels)):
            low[k] = high[k] = 0.0
        n_low, n_high = 0, 0
        for cell in range(f * n_codes, (f + 1) * n_codes):
            n_high += held[0, cell] if left else held[1, cell] - held[0, cell]
            for k in range(len(labels)):
                i = cell * len(labels) + k
                high[k] += sums[0, i] if left else sums[1, i] - sums[0, i]
        best = max(best, _crit(high, 0, labels, problem.crit))
        for cell in range(f * n_codes, (f + 1) * n_codes - 1):
            here = held[0, cell] if left else held[1, cell] - held[0, cell]
            if here == 0:
                continue
            n_low += here
            n_high -= here
            for k in range(len(labels)):
                i = cell * len(labels) + k
                r = sums[0, i] if left else sums[1, i] - sums[0, i]
                low[k] += r
                high[k] -= r
            if n_high < problem.min_rows:
                break
            if n_low >= problem.min_rows:
                best = max(best, _crit(low, 0, labels, problem.crit) + _crit(high, 0, labels, problem.crit))
    return best
