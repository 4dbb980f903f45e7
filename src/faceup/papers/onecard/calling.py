"""How often to call: the rule of Ganzfried and Chiswick (2019) for the caller, on the one-card
game.

Facing a bet b into a pot of 1, the minimum defence frequency MDF = 1 / (1 + b) makes a bluff with a
hand that never wins break even. The range advantage RA is the bettor's chance to hold the better
card before betting. The rule: call with min(MDF, MDF - 0.5 RA + 0.25) of the caller's distribution,
from the top.

What an equilibrium does: let card i sometimes bluff b and sometimes check, and let all that calls
beat it. Let c be the share of the caller's distribution that calls, a the share above i; a card i
that the caller cannot hold makes both larger by one factor f. The bluff is worth (1 - f c) - b f c
and the check 1 - f a, so c = a / (1 + b) = a MDF for every such size. Hence the pocket card of
`beating_bluffs`: cards that do not beat a bluff do not count, and of the others MDF call.
"""

import numpy as np

from faceup.papers.onecard.game import CARDS, SIZES, joint_distribution
from faceup.papers.onecard.solutions import Solutions, answers_to_calls, calls_of

MDF = 1 / (1 + SIZES)


def range_advantage(own: np.ndarray, other: np.ndarray) -> np.ndarray:
    """The bettor's chance (n,) of the better card."""
    higher = np.tril(np.ones((CARDS, CARDS)), -1)
    return (joint_distribution(own, other) * higher).sum(axis=(1, 2))


def chiswick(own: np.ndarray, other: np.ndarray) -> np.ndarray:
    """Calling shares (n, 31) by Ganzfried and Chiswick's rule."""
    return np.clip(np.minimum(MDF, MDF - 0.5 * range_advantage(own, other)[:, None] + 0.25), 0, 1)


def beating_bluffs(own: np.ndarray, other: np.ndarray, weakest: float) -> np.ndarray:
    """Calling shares (n, 31) of the pocket card: MDF times the share of the caller's cards above
    the bettor's best bluff.

    For the best bluff stands the card at which the weakest so much of the bettor's distribution
    ends.
    """
    bluff = np.minimum((np.cumsum(own, axis=1) < weakest - 1e-12).sum(axis=1), own.shape[1] - 1)
    above = 1 - np.cumsum(other, axis=1)
    return np.maximum(above[np.arange(len(own)), bluff], 0)[:, None] * MDF


def caller_losses(share: np.ndarray, games: Solutions) -> np.ndarray:
    """What a best-responding bettor gains (n,) against top-down calling with these shares (n, 31),
    dollars.
    """
    calls = calls_of(games.other, np.clip(share, 0, 1))
    return answers_to_calls(games.own, games.other, calls) - games.value
