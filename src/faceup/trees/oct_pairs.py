"""The best two levels of splits, exactly, where features have few codes (as Demirovic et al. 2022, MurTree, Section 4.3).

One sweep over each feature moves rows from right to left; sums by feature and code tell for both sides what the best
second split earns. That takes the square of the number of codes of all features, so it is done where they are few.
"""

import numpy as np
from numba import njit

from faceup.trees.oct_moves import END, START, _crit, _sort

MOST_CODES = 600  # of all features together


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
