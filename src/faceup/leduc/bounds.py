"""The price of memory: how little any strategy can lose that sees no more than the cells of a sheet.

A sheet's holder forgets: all situations of a cell get one answer, whatever led there, in both seats. If the holder recalls the
cells met and the answers given, though not what the cells hide, its plans are a polytope (von Stengel 1996), and the least
exploitability is a linear program: nobody who forgets them loses less. For pure answers one choice for each cell is added, and
branch and bound raises the bound of a mixed integer program. x is the holder's plan of each sequence of cells and answers (see
`sequence_form`), v_i what a best response wins from infoset i on, u_p what it wins in seat p; r(s, x) is what the ends of the
responder's sequence s pay, i(s) the infoset of its last action, with u_p for v if s is empty:

    least (u_0 + u_1) / 2
    where  v_i(s) >= r(s, x) + sum of v_j over the infosets j that s leads to
           sum of x over the answers of a state = x of the sequence that leads to it;  x of the empty sequence = 1
           x of an answer <= z of the cell's answer;  sum of a cell's z = 1, z in {0, 1}                    (pure answers only)
"""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from numba import njit
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.sparse import coo_array

from faceup.games.sequence_form import _exploitability
from faceup.leduc.game import Leduc
from faceup.leduc.readable import ANSWERS, Card, _answer, answer_of_action, by_cell, chance_grid


class Bound(NamedTuple):
    """What a program tells of the least exploitability, in the rules' unit."""

    least: float  # nobody loses less
    found: float  # what the solver's best strategy loses, inf if it found none; `least` once the search has ended
    nodes: int  # of branch and bound, 0 for the linear program


States = dict[tuple[int, int, tuple[int, ...]], int]  # column that leads here, cell, legal answers -> column of the first answer


def recalled(leduc: Leduc, cells: np.ndarray) -> tuple[np.ndarray, States]:
    """What a holder knows who recalls its cells: the column of each sequence, (n_actions + 2,), and the states.

    Column 0 is the empty sequence; a state's answers have neighbouring columns.
    """
    form, answer = leduc.form, answer_of_action(leduc.game)
    column, states, n = np.zeros(len(answer) + 2, dtype=np.int64), States(), 1
    for i, cell in enumerate(cells):
        actions = slice(*form.first_action[i : i + 2])
        state = int(column[form.above[i]]), int(cell), tuple(sorted(answer[actions].tolist()))
        if state not in states:
            states[state] = n
            n += len(state[2])
        column[actions] = states[state] + np.searchsorted(state[2], answer[actions])
    return column, states


def least_exploitability(leduc: Leduc, cells: np.ndarray, pure_nodes: int = 0) -> Bound:
    """The bound of the linear program, or of the mixed integer one after at most so many nodes of branch and bound."""
    (column, states), form = recalled(leduc, cells), leduc.form
    n_infosets, n_x, n_cells = len(cells), 1 + sum(len(legal) for _, _, legal in states), int(cells.max()) + 1
    first_z = n_x + n_infosets + 2  # columns: x, v, u_0, u_1, z
    n = first_z + (len(ANSWERS) * n_cells if pure_nodes else 0)
    entries, limits = list[tuple[int, int, float]](), list[tuple[float, float]]()

    def constrain(terms: Iterable[tuple[int, float]], low: float, high: float) -> None:
        """One row: low <= sum of coefficient times column <= high."""
        entries.extend((len(limits), int(c), float(x)) for c, x in terms)
        limits.append((low, high))

    last = np.append(np.repeat(np.arange(n_infosets), np.diff(form.first_action)), n_infosets + np.arange(2))  # i(s)
    owner = np.append(leduc.game.owner, (0, 1))[last]
    for s in np.argsort(owner, kind="stable"):
        ends = slice(*form.start[owner[s]][s : s + 2])
        pays = zip(column[form.other[owner[s]][ends]], form.payoff[owner[s]][ends], strict=True)
        below = ((n_x + int(j), 1) for j in np.flatnonzero(form.above == s))
        constrain([*pays, *below, (n_x + last[s], -1)], -np.inf, 0)
    for (above, _, legal), first in states.items():
        constrain([(above, -1), *((first + k, 1) for k in range(len(legal)))], 0, 0)
    if pure_nodes:
        for cell in range(n_cells):
            constrain([(first_z + len(ANSWERS) * cell + a, 1) for a in range(len(ANSWERS))], 1, 1)
        for (_, cell, legal), first in states.items():
            for k, a in enumerate(legal):
                meant = [b for b in range(len(ANSWERS)) if b == a or a == 1 and b not in legal]  # else check or call
                chosen = ((first_z + len(ANSWERS) * cell + b, -1) for b in meant)
                constrain([(first + k, 1), *chosen], -np.inf, 0)
    low, high, cost = np.zeros(n), np.ones(n), np.zeros(n)
    low[0], low[n_x:first_z], high[n_x:first_z], cost[first_z - 2 : first_z] = 1, -np.inf, np.inf, 0.5
    rows, columns, coefficients = zip(*entries, strict=True)
    matrix = coo_array((coefficients, (rows, columns)), shape=(len(limits), n)).tocsc()
    limited = {"node_limit": pure_nodes or None, "mip_rel_gap": 0}
    rules = LinearConstraint(matrix, *np.transpose(limits))
    found = milp(cost, integrality=np.arange(n) >= first_z, bounds=Bounds(low, high), constraints=rules, options=limited)
    lost = np.inf if found.fun is None else float(found.fun)
    return Bound(float(found.mip_dual_bound), lost, int(found.mip_node_count)) if pure_nodes else Bound(max(lost, 0.0), lost, 0)


@njit(cache=True, nogil=True)
def _count_out(form, start, infosets, answer, grid, strategy, plan, worth, best):
    """The least that rows of the grid lose, one row a cell, and the number whose digits these rows are, cell 0 the last."""
    least, found = np.inf, 0
    for code in range(grid.shape[0] ** (start.shape[0] - 1)):
        rest = code
        for cell in range(start.shape[0] - 1):
            inside = infosets[start[cell] : start[cell + 1]]
            _answer(form.first_action, inside, answer, grid[rest % grid.shape[0]], 0.0, strategy)
            rest //= grid.shape[0]
        lost = _exploitability(form, strategy, plan, worth, best)
        if lost < least - 1e-12:
            least, found = lost, code
    return least, found


def best_pure_answers(leduc: Leduc, cells: np.ndarray) -> Card:
    """The least exploitable pure answers, by counting out all 3^n of them."""
    (start, infosets), n, grid = by_cell(cells), len(leduc.game.labels), chance_grid(1)
    scratch = np.zeros(n), np.zeros(n + 2), np.zeros(n + 2), np.zeros(n)
    lost, found = _count_out(leduc.form, start, infosets, answer_of_action(leduc.game), grid, *scratch)
    return Card(cells, grid[found // len(grid) ** np.arange(len(start) - 1) % len(grid)], float(lost))
