"""CFR-BR on the river of a whole betting tree, with earlier streets as a given strategy plays them.

On each sampled board the opponent comes to the river with the hands that the given strategy brings there, and best-responds with
all cards from there on. Grouped play on the river is what is learnt; earlier streets stay as they are.
"""

from collections.abc import Callable, Sequence

import numpy as np
from numba import njit, prange

from faceup.cards.strength import N_RIVER_HOLES
from faceup.holdem.betting.betting_tree import MBB_PER_DOLLAR, BettingTree
from faceup.holdem.safe.infosets import Seen, equity_levels, make_infosets, strategy_rows
from faceup.holdem.safe.one_street import N_PAIRS
from faceup.holdem.safe.river import _learn, _meet, _prepare, _respond
from faceup.holdem.safe.subtrees import _hands_of, _scratch_of, make_scratch, make_subtrees, new_hands
from faceup.holdem.solve.policy import Policy, free_holes, street_reach
from faceup.holdem.solve.selfplay import sampled_board


@njit(cache=True, parallel=True)
def _river_iteration(f, cards, levels, of, time, reach, regrets, averages, place, hands, scratches, best, won):
    """One board: both players learn, each against best responses of its own, or nobody where time is 0.

    reach (2, subtrees, 1326); won (2,): what the best responders win from those who act by `regrets`.
    """
    for seat in prange(2):
        learner = np.int64(seat)
        s, own = _scratch_of(scratches, learner), _hands_of(hands, learner)
        _prepare(f, cards, learner, levels, of, regrets, place[learner], own, s)
        best[learner] = 0
        _respond(f, learner, own, reach[learner], s, np.int64(0), best[learner])
        won[1 - learner] = np.sum(best[learner].astype(np.float64) * reach[1 - learner])
        if time == 0:
            continue
        _meet(f, learner, own, reach[learner], reach[1 - learner], s, np.int64(0))
        _learn(f, learner, of, own, time, s, regrets, averages)


class SafeRiver:
    """CFR-BR on the river of a tree, below a strategy that plays the earlier streets."""

    def __init__(self, tree: BettingTree, trunk: Policy, n_levels: int, seed: int):
        """trunk: a policy of the whole tree; n_levels: equal levels of equity that the learner tells apart, 1 to 1,981."""
        self.made_from = (tree, trunk, n_levels, seed)
        self.tree, self.trunk, self.seed, self.levels = tree, trunk, seed, equity_levels(n_levels)
        self.infosets = make_infosets(tree, 3, n_levels)
        self.subtrees = make_subtrees(tree, self.infosets.situation, 3)
        self.regrets, self.averages = (np.zeros((self.infosets.n, len(tree.labels)), dtype=np.float32) for _ in range(2))
        self.iteration = 0
        self._hands, self._scratch = new_hands(2, n_levels), make_scratch(self.subtrees, min(n_levels, N_RIVER_HOLES))
        self._place = np.full((2, n_levels), -1, dtype=np.int32)
        self._best = np.zeros((2, len(self.subtrees.node), 1326), dtype=np.float32)
        self._reach = np.zeros((2, int(tree.street_start[3]), 1326), dtype=np.float32)

    def advance(self, iterations: int) -> None:
        """Learn on so many more boards, drawn from the seed and the iteration's number."""
        for _ in range(iterations):
            cards = sampled_board(self.seed, self.iteration)
            self.iteration += 1
            self._play(cards, self.regrets, self.iteration / 100)

    def leak(self, boards: np.ndarray, current: bool = False) -> np.ndarray:
        """What best responders win who know the average (or current) strategy and deviate on the river only, mbb/g a board.

        boards (n, 5); returns (n,). What the strategy wins from itself is 0 in the mean of both seats, and so are all-ins.
        """
        weights = self.regrets if current else self.averages
        return np.array([MBB_PER_DOLLAR * self._play(cards, weights, 0.0).mean() / N_PAIRS for cards in boards])

    def _play(self, cards: np.ndarray, weights: np.ndarray, time: float) -> np.ndarray:
        """One board; returns what the best responders win, (2,) dollars times pairs of hands."""
        self._reach[:, 0] = free_holes(cards.tolist())
        for street in range(3):
            shown = cards[: (0, 3, 4)[street]].tolist()
            street_reach(self.tree, street, self.trunk.street(street, shown), self._reach)
        won = np.zeros(2)
        _river_iteration(
            self.subtrees, cards, self.levels, self.infosets.of, np.float32(time), self._reach[:, self.subtrees.node], weights,
            self.averages, self._place, self._hands, self._scratch, self._best, won,
        )  # fmt: skip
        return won

    def river_table(self, current: bool = False) -> np.ndarray:
        """The average (or current) strategy as a river table, (1981, width) float32; uniform where nothing was learnt."""
        weights = self.regrets if current else self.averages
        return strategy_rows(self.tree, 3, Seen(self.levels, self.infosets), weights)


def learn_river(
    run: SafeRiver, stops: Sequence[int], unseen: np.ndarray, progress: Callable[[int], None] = lambda done: None
) -> tuple[np.ndarray, np.ndarray]:
    """Learn to each number of boards; the leak there on unseen boards (n, 5), and in the end the river table (1981, width).

    A step whose result can be stored; the leaks are (stops, n), mbb/g.
    """
    leaks = []
    for stop in stops:
        while run.iteration < stop:
            run.advance(min(10, stop - run.iteration))
            progress(run.iteration)
        leaks.append(run.leak(unseen))
    return np.array(leaks), run.river_table()
