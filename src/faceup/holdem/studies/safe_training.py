"""CFR-BR whose iterations count other weights than their numbers, for the study `safe_training`."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from faceup.holdem.betting.betting_tree import BettingTree
from faceup.holdem.safe.game import SafeGame, SafeState
from faceup.holdem.safe.one_street import Street, street_tree


class WeightedStreet(Street):
    """As `Street`, but what is learnt on the n-th board counts n^power."""

    def __init__(self, tree: BettingTree, n_levels: int, power: float):
        super().__init__(tree, n_levels)
        self.power = np.float32(power)

    def _steps(self, boards: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        boards, times = super()._steps(boards)
        return boards, times**self.power


class WeightedGame(SafeGame):
    """As `SafeGame`, but what is learnt on the n-th turn board counts n^power."""

    def __init__(self, power: float, *run: Any):
        """run: what `SafeGame` is made from."""
        super().__init__(*run)
        self.power = np.float32(power)
        self.made_from: Any = (*self.made_from, power)

    def _play(self, board: np.ndarray, rivers: np.ndarray, weights: tuple, time: np.float32) -> np.ndarray:
        return super()._play(board, rivers, weights, time**self.power if time else time)


def street_losses(n_levels: int, power: float, boards: np.ndarray, unseen: np.ndarray, passes: int) -> np.ndarray:
    """What best responders win on one river street from the average and from the current strategy, mbb/g.

    boards (n, 5): learnt from, so many times over; unseen (m, 5): judged on. Returns (2, passes, m).
    """
    street, lost = WeightedStreet(street_tree(3), n_levels, power), []
    for _ in range(passes):
        street.cfr_br(boards)
        lost.append([street.leak(unseen, current) for current in (False, True)])
    return np.array(lost).swapaxes(0, 1)


def game_losses(
    run: WeightedGame, stops: Sequence[int], unseen: np.ndarray, progress: Callable[[int], None] = lambda done: None
) -> tuple[SafeState, np.ndarray]:
    """What a run knows after the last of some numbers of turn boards, and its `leak` at each, (2, stops, m) as above.

    unseen (m, 4): judged on. A step whose result can be stored.
    """
    run.state, lost = run.new_state(), []
    for stop in stops:
        while run.state.iteration < stop:
            run.advance(1)
            progress(run.state.iteration)
        lost.append([run.leak(unseen, current) for current in (False, True)])
    return run.state, np.array(lost).swapaxes(0, 1)
