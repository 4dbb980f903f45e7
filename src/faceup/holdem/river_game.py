"""Training on the river alone: self-play or CFR-BR on levels of equity, below a given strategy for earlier streets.

The game is the river of a whole betting tree, or a tree that begins on the river. On each board both players come to the river
with the hands that the given strategy brings there. A learner sees the level of its equity; a best response sees all cards.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from faceup.holdem.board import N_PAIRS
from faceup.holdem.infosets import equity_levels, strategy_rows
from faceup.holdem.policy import FixedPolicy, Policy
from faceup.holdem.rules import MBB_PER_DOLLAR, BettingState, menu_from, menu_labels, offered
from faceup.holdem.safe_river import Opponents, beginnings, best_responses, reach_before_river, rows_before_river, train_rivers
from faceup.holdem.subtrees import Beginnings, make_rivers, new_player
from faceup.holdem.tree import BettingTree, _grow
from faceup.lab.rng import Stream


def street_tree(street: int) -> BettingTree:
    """Betting from a street on, with $300 from each player in the pot, bets of the pot and all-in, at most two a street."""
    menu, bets = menu_from(*[[[1.0]]] * 4), ((300, 0, 0, 0), (300, 0, 0, 0))
    labels = menu_labels(menu)

    def offers(state: BettingState) -> list[tuple[int, str, int]]:
        """What the menu offers, without a third bet or raise."""
        return [choice for choice in offered(state, menu, labels) if choice[1] != "raise" or state.raises < 2]

    return _grow(labels, offers, BettingState(street, 1, bets, 0, 100, 0))


class RiverGame:
    """The river of a betting tree, and what has been learnt there."""

    def __init__(self, tree: BettingTree, n_levels: int, trunk: Policy | None = None):
        """n_levels: equal levels of equity that a learner tells apart, 1 to 1,981; trunk: how both play before the river."""
        self.tree, self.trunk = tree, trunk or FixedPolicy(tree, None)
        self.infosets, self._rivers = equity_levels(tree, n_levels), make_rivers(tree)
        self.regrets, self.averages = (np.zeros((self.infosets.n, len(tree.labels)), dtype=np.float32) for _ in range(2))
        self._learner, self._other = (new_player(self._rivers, self.infosets, self.regrets) for _ in range(2))
        self.iteration = 0

    def advance(self, boards: np.ndarray, opponent: str = "best") -> None:
        """Learn on boards (n, 5), one after the other; the k-th of all counts k times.

        opponent "self": self-play, each meets the other as it plays now. opponent "best": CFR-BR, each meets a best response.
        """
        for board in boards:
            self.iteration += 1
            reach = self._reach(board)
            own, nobody = reach.betting, np.zeros_like(reach.betting)
            if opponent == "best":
                best_responses(self._rivers, board[None], self._learner, reach)
            best, other = (own, nobody) if opponent == "best" else (nobody, own)
            opponents = Opponents(best, other, reach.all_ins, self._other)
            _, regrets, averages = train_rivers(self._rivers, board[None], self._learner, opponents, self.iteration / 100, reach)
            self.regrets += regrets
            self.averages += averages

    def exploitability(self, boards: np.ndarray) -> np.ndarray:
        """What best responses to the average strategy win that deviate on the river only, mbb/g a board.

        boards (n, 5); returns (n,). What the strategy wins from itself is 0 in the mean of both seats, and so are all-ins.
        """
        average, won = self._learner._replace(weights=self.averages), []
        for board in boards:
            reach = self._reach(board)
            best = best_responses(self._rivers, board[None], average, reach).betting
            won.append(MBB_PER_DOLLAR * (best.astype(np.float64) * reach.betting).sum() / 2 / N_PAIRS)
        return np.array(won)

    def table(self) -> np.ndarray:
        """The average strategy as a river table, (1981, width) float32; uniform where nothing was learnt."""
        return strategy_rows(self.tree, 3, self.infosets, self.averages)[self.infosets.row]

    def _reach(self, board: np.ndarray) -> Beginnings:
        return beginnings(self._rivers, reach_before_river(self.tree, board, rows_before_river(self.trunk, board)))


class Learnt(NamedTuple):
    """What a training on one street gives."""

    exploitability: np.ndarray  # (passes, n_unseen) mbb/g after each pass, on boards that it has not seen
    opening: np.ndarray  # (levels, labels) how often each level takes each action as the first to act


def train_street(n_levels: int, opponent: str, boards: np.ndarray, unseen: np.ndarray, passes: int) -> Learnt:
    """Train a game of the river alone on boards (n, 5), so many times over; opponent: as in `RiverGame.advance`."""
    game, lost = RiverGame(street_tree(3), n_levels), []
    for _ in range(passes):
        game.advance(boards, opponent)
        lost.append(game.exploitability(unseen))
    first = game.averages[game.infosets.of[:, 0]].astype(np.float64)
    return Learnt(np.array(lost), first / np.maximum(first.sum(axis=1, keepdims=True), 1e-30))


def learn_river(
    tree: BettingTree, trunk: Policy, n_levels: int, stream: Stream, stops: Sequence[int], unseen: np.ndarray,
    progress: Callable[[int], None] = lambda done: None,
) -> tuple[np.ndarray, np.ndarray]:  # fmt: skip
    """Train the river below a trunk by CFR-BR to each number of boards: a step whose result can be stored.

    Returns the exploitabilities there on unseen boards (n, 5), mbb/g, (stops, n); and in the end the river table (1981, width).
    """
    game, lost = RiverGame(tree, n_levels, trunk), []
    for stop in stops:
        while game.iteration < stop:
            game.advance(stream(game.iteration).permutation(52)[None, :5])
            progress(game.iteration)
        lost.append(game.exploitability(unseen))
    return np.array(lost), game.table()
