"""A calling rule for the one-card game, from an exact property of its equilibria.

Facing a bet b into a pot of 1, the minimum defense frequency MDF = 1 / (1 + b) makes a bluff with a
hand that never wins break even. In an equilibrium let card i sometimes bluff b and sometimes check,
and let every card that calls beat it. Let c be the share of the caller's distribution that calls
and a the share above i (both grow by the same factor f where the caller cannot hold i). The bluff
wins (1 - f c) - b f c, the check 1 - f a; both are equal, hence

    c = a / (1 + b) = a MDF.

Cards that do not beat the bluff do not count; of the others, the bluff-catchers, MDF call.
"""

import numpy as np

from faceup.papers.onecard.game import SIZES
from faceup.papers.onecard.solutions import Solutions, best_response_values, calling_strategies

MDF = 1 / (1 + SIZES)


def bluff_catching_shares(own: np.ndarray, other: np.ndarray, weakest: float) -> np.ndarray:
    """Calling shares (n, 31): MDF times the share of the caller's cards above the best bluff.

    The best bluff is estimated as the card at which the `weakest` share of the bettor's
    distribution ends. own, other: the bettor's and the caller's distributions (n, 10).
    """
    bluff = np.minimum((np.cumsum(own, axis=1) < weakest - 1e-12).sum(axis=1), own.shape[1] - 1)
    above = 1 - np.cumsum(other, axis=1)
    return np.maximum(above[np.arange(len(own)), bluff], 0)[:, None] * MDF


def caller_losses(shares: np.ndarray, games: Solutions) -> np.ndarray:
    """What a best-responding bettor gains (n,) over the game's value against a caller who calls
    with the top `shares` (n, 31) of its cards, dollars.
    """
    calls = calling_strategies(games.other, np.clip(shares, 0, 1))
    return best_response_values(games.own, games.other, calls) - games.value
