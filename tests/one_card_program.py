"""The one-card game as the paper has it (Ganzfried and Yusuf, Section 1): player one's linear program, and Algorithm 3."""

import numpy as np
from scipy.optimize import linprog
from scipy.sparse import csr_array

# HiGHS's own 1e-7 leaves errors of 1e-8 in a value. 1e-10 is the tightest that it takes.
TIGHT = {"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10}


def minimise(costs: np.ndarray, **constraints):
    """scipy's `linprog` by HiGHS, to an optimum."""
    result = linprog(costs, method="highs", options=TIGHT, **constraints)
    assert result.status == 0, result.message
    return result


def program_of_one(joint: np.ndarray, sizes: np.ndarray) -> dict:
    """Player one's program as `minimise` takes it, its value negated; its dual values are calls by player two.

    Bet size b with card i with probability x[i, b]; v[j, b] is what player two leaves him when she holds j and faces b, no more
    than folding leaves and no more than calling leaves. Variables x[i, b], then v[j, b]; rows v - folding's <= 0, then
    v - calling's <= 0, (j, b) each.
    """
    n, k = len(joint), len(sizes)
    cells = n * k
    fold = np.kron(joint.T, np.eye(k))  # rows (j, b), columns (i, b)
    bet = np.kron(joint.T, np.diag(sizes))
    higher = np.kron(np.triu(np.ones((n, n))), np.eye(k)) > 0  # i >= j; i == j is dealt with probability 0
    call = np.where(higher, fold + bet, -bet)
    rows = np.block([[-fold, np.eye(cells)], [-call, np.eye(cells)]])
    return {
        "costs": np.concatenate([np.zeros(cells), -np.ones(cells)]),
        "A_ub": csr_array(rows),
        "b_ub": np.zeros(2 * cells),
        "A_eq": csr_array(np.hstack([np.kron(np.eye(n), np.ones(k)), np.zeros((n, cells))])),
        "b_eq": np.ones(n),
        "bounds": [(0, None)] * cells + [(None, None)] * cells,
    }


def value_of(joint: np.ndarray, sizes: np.ndarray) -> float:
    """The game's value to player one."""
    return -minimise(**program_of_one(joint, sizes)).fun


def worst_case(joint: np.ndarray, bets: np.ndarray, sizes: np.ndarray) -> float:
    """What a strategy (cards, sizes) of player one is worth against a best response (Algorithm 3).

    For each card j of hers and each size, player two calls if that leaves him less than the pot does.
    """
    worse = np.tril(joint, -1).T @ bets  # hers is worse: (j, b), summed over i > j
    better = np.triu(joint, 1).T @ bets
    return float(np.minimum(worse + better, worse * (1 + sizes) - better * sizes).sum())
