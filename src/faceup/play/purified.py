"""Purified strategies: always the likeliest action, for an agent that plays what it says most (Ganzfried et al. 2012)."""

import numpy as np
from numba import njit

from faceup.game.betting import DECISION, Tree
from faceup.solve.policy import ModelPolicy, TablePolicy


@njit(cache=True)
def _purify(nodes, first_child, n_children, start, rows):
    """Give the first of the likeliest actions of each decision all of its probability, in place."""
    for h in range(rows.shape[0]):
        for k in range(nodes.shape[0]):
            first = first_child[nodes[k]] - start
            best = first
            for c in range(first, first + n_children[nodes[k]]):
                if rows[h, c] > rows[h, best]:
                    best = c
            for c in range(first, first + n_children[nodes[k]]):
                rows[h, c] = 1 if c == best else 0


def pure_rows(tree: Tree, street: int, rows: np.ndarray) -> np.ndarray:
    """A street's rows (n, width) with each decision's likeliest action certain; of equals the first."""
    nodes = np.flatnonzero((tree.kind == DECISION) & (tree.street == street)).astype(np.int32)
    out = rows.copy()
    _purify(nodes, tree.first_child, tree.n_children, tree.street_start[street], out)
    return out


class PureModelPolicy(ModelPolicy):
    """Models of which only the likeliest legal action is played."""

    def rows_of(self, street: int, hands: np.ndarray) -> np.ndarray:
        """As in `ModelPolicy`, purified."""
        return pure_rows(self.tree, street, super().rows_of(street, hands))


def purified(tree: Tree, policy: TablePolicy | ModelPolicy) -> TablePolicy | ModelPolicy:
    """The policy that always takes the likeliest action. Raises ValueError on another kind of policy."""
    if isinstance(policy, ModelPolicy):
        return PureModelPolicy(tree, policy.predict, policy.tables, policy.history)
    if isinstance(policy, TablePolicy):
        return TablePolicy(tuple(pure_rows(tree, s, table) for s, table in enumerate(policy.tables)), policy.groups)
    raise ValueError(f"policy is a {type(policy).__name__}, expected a table or a model")
