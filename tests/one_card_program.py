"""Betting once into a pot of 1, as in the one-card game (Ganzfried and Yusuf, Section 1): linear
program and best responses.

A game is what folding and calling leave to the bettor, two arrays (i, j, b) for his card, hers and
the size: what he wins of the pot and the bet, times the probability of the deal.
"""

import numpy as np
from scipy.optimize import linprog
from scipy.sparse import csr_array

# HiGHS's own 1e-7 leaves errors of 1e-8 in a value. 1e-10 is the tightest that it takes.
TIGHT = {"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10}


def minimize(costs, **constraints):
    """scipy's `linprog` by HiGHS, to an optimum."""
    result = linprog(costs, method="highs", options=TIGHT, **constraints)
    assert result.status == 0, result.message
    return result


def one_card_game(joint, sizes):
    """The game of a joint distribution of both cards, of which the higher one wins."""
    higher = np.tril(np.ones(joint.shape))[:, :, None] > 0
    return np.repeat(joint[:, :, None], len(sizes), axis=2), joint[:, :, None] * np.where(
        higher, 1 + sizes, -sizes
    )


def program(folded, called):
    """The bettor's program as `minimize` takes it, its value negated; its dual values are her
    calls.

    He bets size b with card i with probability x[i, b]; v[j, b] is what she leaves him when she
    holds j and faces b, no more than folding leaves and no more than calling leaves. Variables x[i,
    b], then v[j, b]; rows v - folding's <= 0, then v - calling's <= 0, (j, b) each.
    """
    n, _, k = folded.shape
    cells = n * k
    fold, call = (
        np.einsum("ijb,bc->jbic", left, np.eye(k)).reshape(cells, cells)
        for left in (folded, called)
    )
    return {
        "costs": np.append(np.zeros(cells), -np.ones(cells)),
        "A_ub": csr_array(np.block([[-fold, np.eye(cells)], [-call, np.eye(cells)]])),
        "b_ub": np.zeros(2 * cells),
        "A_eq": csr_array(np.hstack([np.kron(np.eye(n), np.ones(k)), np.zeros((n, cells))])),
        "b_eq": np.ones(n),
        "bounds": [(0, None)] * cells + [(None, None)] * cells,
    }


def program_of_one(joint, sizes):
    """The paper's program for a joint distribution of both cards."""
    return program(*one_card_game(joint, sizes))


def value_of(folded, called):
    """The game's value to the bettor."""
    return -minimize(**program(folded, called)).fun


def worst_case(folded, called, bets):
    """Values of bets (i, b) if she calls where it leaves him less than a fold (Algorithm 3)."""
    return np.minimum(*(np.einsum("ijb,ib->jb", left, bets) for left in (folded, called))).sum()


def best_answer(folded, called, calls):
    """What his best response to calls (j, b) is worth."""
    return (
        (np.einsum("ijb,jb->ib", folded, 1 - calls) + np.einsum("ijb,jb->ib", called, calls))
        .max(axis=1)
        .sum()
    )
