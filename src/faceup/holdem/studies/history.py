"""What is told of the hand and of the betting, taken apart: alternatives that only the study of it needs.

**Waves.** A network fed a plain number learns a smooth curve first and steps last (Rahaman et al. 2019, "On the spectral bias of
neural networks"). Gorishniy, Rubachev & Babenko (2022, "On embeddings for numerical features in tabular deep learning") put sines
and cosines of the number beside it; here these are fixed octaves.

**Lines that look alike.** A model is told some numbers of the betting, and lines that share them are one to it. `played_alike` is
the table that plays them alike too, of all such the nearest: what it loses to the table is lost by what is told.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from faceup.cards.cards import BOARD_CARDS, HOLE_CARDS
from faceup.holdem.betting.betting_tree import BettingTree, decisions
from faceup.holdem.learn.action_costs import worst_costs
from faceup.holdem.learn.dataset import stakes
from faceup.holdem.learn.neural import Neural, fit_neural
from faceup.holdem.solve.policy import TablePolicy, free_holes, street_reach
from faceup.holdem.studies.shared import shared_columns
from faceup.trees.metrics import check_range, checked_features

EQUITY_OCTAVES = 10  # the finest wave of an equity is as long as two steps of 1/1024; equities of the river are 1/1980 apart
DECILE_OCTAVES = 5  # deciles of later equities: the table's cells for them are 1/10 wide


class PeriodicNeural(NamedTuple):
    """A network that is fed waves beside its features."""

    net: Neural
    n_bets: int  # of the features, the last ones, that are dollars and get no waves

    def predict(self, X: np.ndarray) -> np.ndarray:
        """Probabilities (n, n_labels) float32 of rows X (n, f), on one thread; raises ValueError on X of another width."""
        return self.net.predict(with_waves(X, self.n_bets))


def with_waves(X: np.ndarray, n_bets: int) -> np.ndarray:
    """Rows X (n, f) float32 with sines and cosines of the hand's numbers before them, (n, more) float32.

    The last n_bets features get none; the first, the equity, has EQUITY_OCTAVES, each other DECILE_OCTAVES. Octave k is of
    frequency 2^k, for numbers from 0 to 1. Raises ValueError on features that are not finite, and where n_bets leaves none.
    """
    X = checked_features(X)
    check_range("n_bets", n_bets, 0, X.shape[1] - 1)
    octaves = np.exp2(np.arange(EQUITY_OCTAVES), dtype=np.float32)
    turns = [X[:, :1] * octaves, *(X[:, [k]] * octaves[:DECILE_OCTAVES] for k in range(1, X.shape[1] - n_bets))]
    angle = np.float32(2 * np.pi) * np.concatenate([t % 1 for t in turns], axis=1)
    return np.concatenate([np.sin(angle), np.cos(angle), X], axis=1)


def fit_periodic(X: np.ndarray, P: np.ndarray, w: np.ndarray, *, n_bets: int, **settings) -> PeriodicNeural:
    """`fit_neural` on X with its waves; arguments, and errors, as there."""
    return PeriodicNeural(fit_neural(with_waves(X, n_bets), P, w, n_bets=n_bets, **settings), n_bets)


def group_stakes(
    tree: BettingTree,
    policy: TablePolicy,
    boards: Sequence[Sequence[int]],
    costs: Sequence[np.ndarray],
    progress: Callable[[int], None] = lambda done: None,
) -> tuple[np.ndarray, ...]:
    """What is at stake for each group of hands at the decision of each action: four (n_groups, width) float64, as its tables.

    Sums over boards (n, 5) as dealt of the chance that play comes there times what the worst action costs; costs: what
    `learn.action_costs` gives. Raises ValueError without boards.
    """
    if len(boards) == 0:
        raise ValueError("boards is empty: expected a board at least")
    at_stake = tuple(np.zeros(table.shape) for table in policy.tables)
    nodes = [decisions(tree, street) for street in range(len(policy.tables))]
    dearest = [worst_costs(tree, *pair) for pair in zip(nodes, costs, strict=True)]
    reach = np.zeros((2, len(tree.kind), len(HOLE_CARDS)), dtype=np.float32)  # used again for every board
    for k, board in enumerate(np.asarray(boards).tolist()):
        reach[:, 0] = free_holes(board)
        for street, n_cards in enumerate(BOARD_CARDS):
            table, group = policy.street(street, board[:n_cards])
            street_reach(tree, street, (table, group), reach)
            each = stakes(tree, nodes[street], reach, dearest[street][group].T)
            first = tree.first_child[nodes[street]] - tree.street_start[street]
            for row, start, n in zip(each, first.tolist(), tree.n_children[nodes[street]].tolist(), strict=True):
                at_stake[street][:, start : start + n] += np.bincount(group, row, len(table))[:, None]
        progress(k + 1)
    return at_stake


def played_alike(tree: BettingTree, policy: TablePolicy, at_stake: Sequence[np.ndarray], history: str) -> TablePolicy:
    """The policy with one mixture for each group of hands and all decisions that share what is told of the betting.

    at_stake: of `group_stakes`; where nothing is at stake, lines count alike. history: what is told, a key of
    `cards.features.HISTORIES`. Lines that look alike but offer other actions stay apart, so that a model of these features
    can only be told less. Raises ValueError on another history.
    """
    merged = []
    for street, table in enumerate(policy.tables):
        table = table.copy()
        for columns in shared_columns(tree, street, history):
            weight = at_stake[street][:, columns[:, 0]]
            weight = np.where(weight.sum(axis=1, keepdims=True) > 0, weight, 1)
            mean = (weight[:, :, None] * table[:, columns]).sum(axis=1) / weight.sum(axis=1, keepdims=True)
            table[:, columns] = mean[:, None, :]
        merged.append(table)
    return TablePolicy(tuple(merged), policy.groups)
