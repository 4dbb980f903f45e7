"""Self-play in the representation: situations that a model cannot tell apart learn as one (paper 000, Section 2.3.3).

Several decisions look alike to a model; here they share their regrets and their average strategy. Kernels learn at every decision
by itself for a few iterations; then what was added to the tables of decisions that look alike is summed, and all go on from the
sum.
"""

from collections.abc import Sequence

import numpy as np

from faceup.holdem.betting.betting_tree import BettingTree
from faceup.holdem.solve.groups import Groups
from faceup.holdem.solve.layout import table_columns
from faceup.holdem.solve.policy import histories
from faceup.holdem.solve.selfplay import Discount, SelfPlay


def alike(tree: BettingTree, street: int, history: str) -> list[np.ndarray]:
    """Decisions of a street that share what is told of the betting and offer the same actions: a list of nodes (n,) each.

    history: what is told, a key of `cards.features.HISTORIES`; raises ValueError on another one.
    """
    lines = histories(tree, street, history)
    found: dict[tuple, list[int]] = {}
    for node, line in zip(lines.nodes.tolist(), lines.history.tolist(), strict=True):
        first = tree.first_child[node]
        offered = tuple(tree.label[first : first + tree.n_children[node]].tolist())
        found.setdefault((line, offered), []).append(node)
    return [np.array(nodes) for nodes in found.values()]


def shared_columns(tree: BettingTree, street: int, history: str) -> list[np.ndarray]:
    """Columns of a street's table, in the tree's order, that share what they learn: (decisions, actions) for each two or more."""
    groups = [nodes for nodes in alike(tree, street, history) if len(nodes) > 1]
    first = tree.first_child.astype(np.int64) - tree.street_start[street]
    return [first[nodes][:, None] + np.arange(tree.n_children[nodes[0]]) for nodes in groups]


class SharedSelfPlay(SelfPlay):
    """A run of self-play in which decisions that look alike share what they learn."""

    def __init__(self, tree: BettingTree, groups: Groups, discount: Discount, seed: int, history: str, share_every: int):
        """history: what is told of the betting, a key of `cards.features.HISTORIES`; share_every: iterations between sharing.

        Raises ValueError on another history, and unless share_every is a part of an epoch.
        """
        super().__init__(tree, groups, discount, seed)
        if share_every < 1 or discount.epoch % share_every:
            raise ValueError(f"share_every is {share_every}, expected a divisor of epoch {discount.epoch}")
        shared = [shared_columns(tree, street, history) for street in range(4)]
        in_state = table_columns(tree, self.layout, self._shapes)
        self._shared = [*shared[:3], [in_state[columns] for columns in shared[3]]]
        self._share_every = share_every
        self._keep()

    def _tables(self):
        """Each table with the columns that are shared in it."""
        both = self.state.regrets + self.state.averages
        return zip(both, self._shared * 2, strict=True)

    def _keep(self) -> None:
        """Remember what decisions that look alike hold in common."""
        self._common = [[table[:, columns[0]].copy() for columns in shared] for table, shared in self._tables()]

    def _iterate(self, cards: np.ndarray, into: Sequence[Sequence[np.ndarray]] | None = None) -> None:
        super()._iterate(cards, into)
        if (self.state.iteration + 1) % self._share_every == 0:  # add up what decisions that look alike have learnt since then
            for (table, shared), common in zip(self._tables(), self._common, strict=True):
                for columns, before in zip(shared, common, strict=True):
                    learnt = (table[:, columns] - before[:, None]).sum(axis=1)
                    table[:, columns] = (before + learnt)[:, None]
            self._keep()

    def _end_epoch(self, t: int) -> None:
        super()._end_epoch(t)
        self._keep()
