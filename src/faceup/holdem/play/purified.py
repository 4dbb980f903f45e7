"""Strategies without their small probabilities: thresholding, and purification at its end (Ganzfried, Sandholm & Waugh 2012).

Actions below a threshold are dropped and the others share what is left; the likeliest always stays. At a threshold of 1 it is
all that stays: that is purification, also called argmax play.
"""

import numpy as np
from numba import njit

from faceup.holdem.betting.betting_tree import BettingTree, decisions
from faceup.holdem.solve.policy import ModelPolicy, Policy, StreetRows, TablePolicy
from faceup.lab.memo import Cache


@njit(cache=True)
def _threshold(nodes, first_child, n_children, start, least, rows):
    """Drop what is less likely than `least` at each decision, but the first of the likeliest, in place."""
    for h in range(rows.shape[0]):
        for k in range(nodes.shape[0]):
            first = first_child[nodes[k]] - start
            end = first + n_children[nodes[k]]
            best = first
            for c in range(first, end):
                if rows[h, c] > rows[h, best]:
                    best = c
            total = np.float32(0)
            for c in range(first, end):
                if rows[h, c] < least and c != best:
                    rows[h, c] = 0
                total += rows[h, c]
            for c in range(first, end):
                rows[h, c] /= total


def likely_rows(tree: BettingTree, street: int, rows: np.ndarray, least: float) -> np.ndarray:
    """A street's rows (n, width) without what is less likely than `least`; of equals the first is the likeliest."""
    out = rows.copy()
    _threshold(decisions(tree, street), tree.first_child, tree.n_children, tree.street_start[street], np.float32(least), out)
    return out


class LikelyModel:
    """Models without their small probabilities; what the models say on a board is asked once for both."""

    def __init__(self, drawn: ModelPolicy, least: float):
        """drawn: the models as they are."""
        self.drawn, self.least = drawn, least
        self._known = Cache()  # the last rows given and made, on each street

    def street(self, street: int, board: list[int], wanted: np.ndarray | None = None) -> StreetRows:
        """As in `ModelPolicy`."""
        rows, row_of_hole = self.drawn.street(street, board, wanted)
        known = self._known.get(street)
        if known is None or known[0] is not rows:
            known = self._known[street] = rows, likely_rows(self.drawn.tree, street, rows, self.least)
        return known[1], row_of_hole


def thresholded(tree: BettingTree, policy: Policy, least: float) -> TablePolicy | LikelyModel:
    """A policy that drops actions of probabilities below `least`.

    Raises ValueError unless it is a table or a model and 0 < least <= 1.
    """
    if not 0 < least <= 1:
        raise ValueError(f"least is {least}, expected more than 0 and at most 1")
    if isinstance(policy, ModelPolicy):
        return LikelyModel(policy, least)
    if isinstance(policy, TablePolicy):
        return TablePolicy(tuple(likely_rows(tree, s, table, least) for s, table in enumerate(policy.tables)), policy.groups)
    raise ValueError(f"policy is a {type(policy).__name__}, expected a table or a model")


def purified(tree: BettingTree, policy: Policy) -> TablePolicy | LikelyModel:
    """The policy that always takes the likeliest action. Raises ValueError on another kind of policy."""
    return thresholded(tree, policy, 1)
