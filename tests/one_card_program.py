"""The one-card game as the paper has it (Ganzfried and Yusuf, Section 1): player one's linear program."""

import numpy as np
from scipy.sparse import csr_array


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
