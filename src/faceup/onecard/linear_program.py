"""The one-card game as a linear program, for any joint distribution of cards, and best responses to a strategy.

It is the dual of the paper's program (Ganzfried and Yusuf, Section 1, after Koller, Megiddo and von Stengel), written down from
player two's side: call size b with card j with probability y[j, b]; u[i] is the most that player one gets with i. Tests hold both
to each other.

HiGHS takes about 20 ms a game; `faceup.onecard.solutions` solves the paper's random games some hundred times faster and
is tested against this.
"""

import numpy as np
from scipy.optimize import OptimizeResult, linprog
from scipy.sparse import csr_array

from faceup.onecard.game import SIZES

# HiGHS's own 1e-7 leaves errors of 1e-8 in a value. 1e-10 is the tightest that it takes.
_TIGHT = {"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10}


def minimise(costs: np.ndarray, **constraints: np.ndarray | csr_array | list) -> OptimizeResult:
    """scipy's `linprog` by HiGHS; raises ValueError where it finds no optimum, e.g. for an infeasible program."""
    result = linprog(costs, method="highs", options=_TIGHT, **constraints)
    if result.status != 0:
        raise ValueError(f"the linear program has no optimum: {result.message} Expected a feasible and bounded one")
    return result


def solve_for_two(joint: np.ndarray) -> tuple[float, np.ndarray]:
    """The game's value (to player one) and calls (cards, 31) by player two's own program."""
    n, k = len(joint), len(SIZES)
    higher = np.tril(np.ones((n, n)), -1)[:, :, None] > 0  # (i, j, b): what calling instead of folding costs her
    gain = joint[:, :, None] * np.where(higher, SIZES, -SIZES - 1)
    rows = np.einsum("ijb,bc->ibjc", gain, np.eye(k)).reshape(n * k, n * k)  # rows (i, b), columns (j, b)
    rows = np.hstack([rows, -np.repeat(np.eye(n), k, axis=0)])
    rights = -np.repeat(joint.sum(axis=1), k)  # all of the pot where she folds
    costs = np.concatenate([np.zeros(n * k), np.ones(n)])
    bounds = [(0, 1)] * (n * k) + [(None, None)] * n
    result = minimise(costs, A_ub=csr_array(rows), b_ub=rights, bounds=bounds)
    return float(result.fun), result.x[: n * k].reshape(n, k)


def worst_case(joint: np.ndarray, bets: np.ndarray) -> float:
    """What a strategy (cards, 31) of player one is worth against a best response, dollars (Algorithm 3).

    For each card j of hers and each size, player two calls if that leaves him less than the pot does.
    """
    worse = np.tril(joint, -1).T @ bets  # hers is worse: (j, b), summed over i > j
    better = np.triu(joint, 1).T @ bets
    called = worse * (1 + SIZES) - better * SIZES
    return float(np.minimum(worse + better, called).sum())
