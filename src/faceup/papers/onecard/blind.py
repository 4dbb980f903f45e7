"""The best strategy of the one-card game that ignores both distributions: the yardstick of every
strategy that looks at them.

A blind strategy x (10, 31) is one table for all games; callers know the game and respond best. By
Algorithm 3 the bets of a size s lose, averaged over games, f_s(x_s), a convex and positively
homogeneous function of the ten chances x_s to bet it. So what its bets lose to the best response to
any x' is a lower bound, f_s(x_s) >= price_s(x') x_s, with equality at x' = x. Kelley's cutting
planes minimize the greatest of these bounds by a linear program, add the prices at its solution and
repeat. The program's optimum bounds the least loss from below, its solution's loss from above.
"""

import numpy as np
from scipy.optimize import linprog

from faceup.papers.onecard.game import CARDS, SIZES
from faceup.papers.onecard.solutions import Solutions


def best_blind(games: Solutions, gap: float) -> tuple[np.ndarray, float, float]:
    """The blind strategy (10, 31) of the least mean loss in `games`, up to `gap` dollars; its mean
    loss, and a bound that no blind strategy falls below in these games.
    """
    n = len(SIZES)
    strategy, cuts, least = np.full((CARDS, n), 1 / n), [], np.inf
    rows = np.hstack([np.kron(np.eye(CARDS), np.ones(n)), np.zeros((CARDS, n))])
    while True:
        price = prices(games, strategy)
        loss = float(games.value.mean() - 1 + (price * strategy).sum())
        if loss < least:
            best, least = strategy, loss
        slopes = (price[:, :, None] * np.eye(n)).reshape(-1, n).T
        cuts.append(np.hstack([slopes, -np.eye(n)]))
        # variables: x, then the greatest lower bound of each size
        costs = np.repeat([0, 1], [CARDS * n, n])
        found = linprog(costs, np.vstack(cuts), np.zeros(len(cuts) * n), rows, np.ones(CARDS))
        bound = float(games.value.mean() - 1 + found.fun)
        if least - bound <= gap:
            return best, least, bound
        strategy = found.x[: CARDS * n].reshape(CARDS, n)


def prices(games: Solutions, strategy: np.ndarray) -> np.ndarray:
    """What a bet loses (10, 31), beside the pot of 1, to callers who respond best to a blind
    strategy (10, 31): averaged over games, times the chance of its card, dollars.
    """
    bets = games.own[:, :, None] * strategy
    below = np.cumsum(bets, axis=1) - bets
    above = bets.sum(axis=1, keepdims=True) - bets - below
    calls = games.other[:, :, None] * ((1 + SIZES) * below > SIZES * above)
    weaker = np.cumsum(calls, axis=1) - calls
    stronger = calls.sum(axis=1, keepdims=True) - calls - weaker
    dealt = games.own / (1 - (games.own * games.other).sum(axis=1, keepdims=True))
    return (dealt[:, :, None] * ((1 + SIZES) * stronger - SIZES * weaker)).mean(axis=0)
