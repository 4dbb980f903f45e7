"""How little any sheet can lose: lower bounds on the exploitability of whoever sees cells only.

A sheet has one answer for all situations of a cell, whatever has led there. Let x be the plan of
each sequence of cells and answers of a player who also recalls the cells met and the answers given
(von Stengel 1996), z the probabilities of a cell's answers, v_i what a best response wins from
infoset i on and u_p what it wins in seat p. Of a sheet, x of an answer is x of the sequence that
leads to it times z; the program keeps that it is at most z (McCormick's relaxation), so that no
sheet of these cells loses less than

    minimize (u_0 + u_1) / 2
    subject to  v_i(s) >= r(s) x + sum of v_j over the infosets j that s leads to
                sum of x over the answers of a state = x of the sequence that leads to it
                x of an answer <= z of it,  sum of a cell's z = 1

where r(s) x is what the ends of the responder's sequence s pay, i(s) the infoset of its last
action, or u_p in place of v if s is empty; of check or call, z includes what is illegal. With z of
0 or 1 only, the bound is that of pure sheets.
"""

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.sparse import csr_array, hstack, kron, lil_array

from faceup.games.extensive_game import action_infoset
from faceup.papers.leduc.cheat_sheet import answer_of_action
from faceup.papers.leduc.game import Leduc


def least_exploitability(leduc: Leduc, cells: np.ndarray, pure: bool = False) -> float:
    """A lower bound on the exploitability of sheets of cells (n_infosets,), in the rules' unit;
    pure: of sheets with one fixed answer in each cell. Holds up to HiGHS' tolerance, 1e-6.

    Raises RuntimeError if HiGHS finds no optimum.
    """
    form, answer, states, width = leduc.form, answer_of_action(leduc), {}, 1
    column = np.zeros(len(answer) + 2, dtype=np.int64)  # x of each sequence; 0 is the empty one
    for i, cell in enumerate(cells.tolist()):
        actions = slice(*form.first_action[i : i + 2])
        state = int(column[form.above[i]]), cell, tuple(sorted(answer[actions].tolist()))
        if state not in states:
            states[state] = width
            width += len(state[2])
        column[actions] = states[state] + np.searchsorted(state[2], answer[actions])
    # columns: x, v and u, z; rows of a best response: one for each sequence
    n, k, n_z = len(column), len(cells) + 2, 3 * (int(cells.max()) + 1)
    last = np.append(np.repeat(np.arange(k - 2), np.diff(form.first_action)), (k - 2, k - 1))
    pays = sum(
        csr_array((form.payoff[p], column[form.other[p]], form.start[p]), shape=(n, width))
        for p in range(2)
    )
    leads = csr_array((np.ones(k - 2), (form.above, np.arange(k - 2))), (n, k)) - csr_array(
        (np.ones(n), (np.arange(n), last)), (n, k)
    )
    flow, link = lil_array((len(states), width)), lil_array((width, width + k + n_z))
    for row, ((above, cell, legal), first) in enumerate(states.items()):
        flow[row, above] = -1
        for own, a in enumerate(legal, start=first):
            flow[row, own] = link[own, own] = 1
            for b in (b for b in range(3) if b == a or b not in legal and a == 1):
                link[own, width + k + 3 * cell + b] = -1
    kind = np.repeat([0, 1, 2, 3], [width, k - 2, 2, n_z])  # x, v, u, z
    low, high = np.where(kind % 3, -np.inf, 0.0), np.where(kind % 3, np.inf, 1.0)
    low[0] = 1
    # what is illegal throughout a cell is never its answer
    high[kind == 3] = np.isin(np.arange(n_z), 3 * cells[action_infoset(leduc.game)] + answer)
    found = milp(
        (kind == 2) / 2,
        integrality=pure * (kind == 3),
        bounds=Bounds(low, high),
        constraints=[
            LinearConstraint(hstack([pays, leads, csr_array((n, n_z))]), -np.inf, 0),
            LinearConstraint(hstack([flow, csr_array((len(states), k + n_z))]), 0, 0),
            LinearConstraint(link.tocsr(), -np.inf, 0),
            LinearConstraint(
                hstack([csr_array((n_z // 3, width + k)), kron(np.eye(n_z // 3), np.ones((1, 3)))]),
                1,
                1,
            ),
        ],
    )
    if found.status != 0:
        raise RuntimeError(f"HiGHS finds no optimum: {found.message}")
    return float(max(found.mip_dual_bound if pure else found.fun, 0.0))
