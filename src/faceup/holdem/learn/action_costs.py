"""What a mistake costs: how far the worst action of a decision is below the strategy's own play there, in dollars.

Bastani, Pu and Solar-Lezama (2018, "Verifiable reinforcement learning via policy extraction", Section 3) weight a state of a
tree's training by V(s) - min_a Q(s, a), where Q is what an action earns and V what the copied policy earns. Here Q is the value
of an action against the strategy itself, which also plays on after it, averaged over boards and over the hands of a group,
weighted by the opponent's hands that come there.
"""

from collections.abc import Callable, Sequence

import numpy as np
from numba import njit

from faceup.cards.cards import BOARD_CARDS
from faceup.holdem.betting.betting_tree import BettingTree, columns, decisions
from faceup.holdem.solve.action_values import action_values
from faceup.holdem.solve.groups import hole_groups
from faceup.holdem.solve.policy import TablePolicy, free_holes


@njit(cache=True)
def _add(start, end, parent, actor, group, free, value, others, sums):
    """Add to sums (2, n_groups, end - start) a board's dollars, and the weight of opponents, at nodes start..end - 1."""
    for node in range(start, end):
        above = parent[node]
        player = actor[above]
        for h in range(group.shape[0]):
            if free[h]:
                sums[0, group[h], node - start] += value[player, node, h]
                sums[1, group[h], node - start] += others[player, above, h]


def action_costs(
    tree: BettingTree, policy: TablePolicy, boards: Sequence[Sequence[int]], progress: Callable[[int], None] = lambda done: None
) -> tuple[np.ndarray, ...]:
    """Dollars that each action earns less than the policy's own play: four arrays (n_groups, width) float32, as its tables.

    Means over games that have come to the decision, on boards of five cards as dealt; below 0 where an action earns more, 0
    where no hand of a group comes. Raises ValueError without boards, and on boards of other than five cards.
    """
    if len(boards) == 0:
        raise ValueError("boards is empty: expected a board at least")
    sums = [np.zeros((2, *table.shape)) for table in policy.tables]
    for k, board in enumerate(np.asarray(boards).tolist()):
        found, free = action_values(tree, policy, policy, board), free_holes(board)
        for street, n_cards in enumerate(BOARD_CARDS):
            start, end = tree.street_start[street : street + 2]
            group = hole_groups(policy.groups, street, board[:n_cards])
            _add(start, end, tree.parent, tree.actor, group, free, found.value, found.others, sums[street])
        progress(k + 1)
    costs = []
    for street, (value, weight) in enumerate(sums):
        each = np.divide(value, weight, out=np.zeros_like(value), where=weight > 0)
        for node in decisions(tree, street).tolist():
            own = columns(tree, node)
            each[:, own] = (policy.tables[street][:, own] * each[:, own]).sum(axis=1, keepdims=True) - each[:, own]
        costs.append(each.astype(np.float32))
    return tuple(costs)


def worst_costs(tree: BettingTree, nodes: np.ndarray, costs: np.ndarray) -> np.ndarray:
    """What the worst action of each decision costs each group, in dollars of 0 or more, (n_groups, n_nodes).

    nodes: decisions of one street; costs (n_groups, width): what `action_costs` gives for it.
    """
    first = tree.first_child[nodes] - tree.street_start[tree.street[nodes[0]]]
    worst = costs[:, first]
    for i in range(1, int(tree.n_children[nodes].max())):
        last = np.minimum(i, tree.n_children[nodes] - 1)
        worst = np.maximum(worst, costs[:, first + last])
    return worst.clip(min=0)
