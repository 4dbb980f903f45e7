"""How often to call: the rule of Ganzfried and Chiswick (2019) for the caller, on the one-card game.

Facing a bet b into a pot of 1, the minimum defence frequency MDF = 1 / (1 + b) makes a bluff with a hand that never wins
break even. The range advantage RA is the bettor's chance to hold the better card before he bets. The rule:
call with min(MDF, MDF - 0.5 RA + 0.25) of one's distribution, from the top.
"""

import numpy as np

from faceup.onecard.game import CARDS, SIZES, joint_distribution
from faceup.onecard.solutions import Solutions, answers_to_calls, bets, called_share, calls_of

MDF = 1 / (1 + SIZES)


def range_advantage(own: np.ndarray, other: np.ndarray) -> np.ndarray:
    """The bettor's chance (n,) of the better card."""
    higher = np.tril(np.ones((CARDS, CARDS)), -1)
    return (joint_distribution(own, other) * higher).sum(axis=(1, 2))


def chiswick(own: np.ndarray, other: np.ndarray) -> np.ndarray:
    """Calling shares (n, 31) by Ganzfried and Chiswick's rule."""
    return np.clip(np.minimum(MDF, MDF - 0.5 * range_advantage(own, other)[:, None] + 0.25), 0, 1)


def terms(own: np.ndarray, other: np.ndarray, product: bool) -> np.ndarray:
    """What shares (n, 31) are fitted by: MDF, RA and 1 as in the paper (n, 31, 3); or MDF and MDF times RA (n, 31, 2)."""
    advantage = np.broadcast_to(range_advantage(own, other)[:, None], (len(own), len(SIZES)))
    mdf = np.broadcast_to(MDF, advantage.shape)
    columns = (mdf, mdf * advantage) if product else (mdf, advantage, np.ones_like(mdf))
    return np.stack(columns, axis=2)


def used(games: Solutions) -> np.ndarray:
    """Which sizes (n, 31) the bettor's equilibrium bets at all; there the calling share is no free choice."""
    return ((games.own[:, :, None] * bets(games)).sum(axis=1) > 1e-6) & (SIZES > 0)


def fit(games: Solutions, product: bool) -> np.ndarray:
    """Least-squares coefficients of `terms` for equilibrium calling shares, over the sizes in use."""
    rows, wanted = terms(games.own, games.other, product), called_share(games)
    chosen = used(games)
    return np.linalg.lstsq(rows[chosen], wanted[chosen], rcond=None)[0]


def mean_squared_error(share: np.ndarray, games: Solutions) -> float:
    """Of calling shares (n, 31) against the equilibria's, over the sizes in use."""
    return float(((share - called_share(games))[used(games)] ** 2).mean())


def caller_losses(share: np.ndarray, games: Solutions) -> np.ndarray:
    """What a best-responding bettor gains (n,) against top-down calling with these shares (n, 31), dollars."""
    calls = calls_of(games.other, np.clip(share, 0, 1))
    return answers_to_calls(games.own, games.other, calls) - games.value
