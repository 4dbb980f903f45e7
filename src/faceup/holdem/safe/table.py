"""CFR-BR on the river of a whole betting tree, with earlier streets as a given strategy plays them.

On each sampled board the opponent comes to the river with the hands that the given strategy brings there, and best-responds with
all cards from there on. Grouped play on the river is what is learnt; earlier streets stay as they are.
"""

from collections.abc import Callable, Sequence

import numpy as np

from faceup.cards.cards import BOARD_CARDS
from faceup.holdem.betting.betting_tree import BettingTree
from faceup.holdem.safe.infosets import Seen, strategy_rows
from faceup.holdem.safe.one_street import Street
from faceup.holdem.solve.policy import Policy, free_holes, street_reach
from faceup.lab.rng import Stream


class SafeRiver(Street):
    """CFR-BR on the river of a tree, below a strategy that plays the earlier streets.

    `advance` and `leak` are for it; what else it has of `Street` is for a street alone.
    """

    def __init__(self, tree: BettingTree, trunk: Policy, n_levels: int, stream: Stream):
        """trunk: a policy of the whole tree; n_levels: as in `Street`."""
        super().__init__(tree, n_levels)
        self.trunk, self.stream = trunk, stream

    def advance(self, iterations: int) -> None:
        """Learn on so many more boards, each drawn by its number."""
        for _ in range(iterations):
            cards = self.stream(self.iteration).permutation(52)[:5]
            self.iteration += 1
            self._play(cards, self.regrets, self.iteration / 100)

    def _reach(self, cards: np.ndarray) -> np.ndarray:
        reach = np.zeros((2, int(self.tree.street_start[3]), 1326), dtype=np.float32)
        reach[:, 0] = free_holes(cards.tolist())
        for street in range(3):
            street_reach(self.tree, street, self.trunk.street(street, cards[: BOARD_CARDS[street]].tolist()), reach)
        return np.ascontiguousarray(reach[:, self.subtrees.node])  # in another order the kernels would be compiled again

    def river_table(self) -> np.ndarray:
        """The average strategy as a river table, (1981, width) float32; uniform where nothing was learnt."""
        return strategy_rows(self.tree, 3, Seen(self.levels, self.infosets), self.averages)


def learn_river(
    tree: BettingTree,
    trunk: Policy,
    n_levels: int,
    stream: Stream,
    stops: Sequence[int],
    unseen: np.ndarray,
    progress: Callable[[int], None] = lambda done: None,
) -> tuple[np.ndarray, np.ndarray]:
    """Learn as a `SafeRiver` to each number of boards: a step whose result can be stored.

    Returns the leaks there on unseen boards (n, 5), mbb/g, (stops, n); and in the end the river table (1981, width).
    """
    run, leaks = SafeRiver(tree, trunk, n_levels, stream), []
    for stop in stops:
        while run.iteration < stop:
            run.advance(min(10, stop - run.iteration))
            progress(run.iteration)
        leaks.append(run.leak(unseen))
    return np.array(leaks), run.river_table()
