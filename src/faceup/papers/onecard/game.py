"""The one-card betting game of Ganzfried and Yusuf, "Computing human-understandable strategies"
(2017), Section 1.

Each player antes $0.50, so that the pot is $1, and is dealt one of ten different cards. Player one,
the bettor, bets b dollars, a multiple of 0.10 from 0 (a check) to 3; player two, the caller, calls
or folds. After a fold the bettor takes the pot; otherwise the higher card takes the pot and the
bets. The cards come from two distributions, one a player, which both players know; they define a
game.

Values are the bettor's, in dollars; the pot counts, the antes do not: winning an unbet pot is worth
1, losing it 0.
"""

import re
from collections.abc import Mapping

import numpy as np

CARDS = 10  # card i of 0..9 is the paper's i + 1; a higher one wins
SIZES = np.arange(31) / 10  # bets in dollars; the pot is 1, so also in pots


def random_games(n: int, generator: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Both players' distributions (n, 10) of n random games; the first k are the same for every
    n >= k.

    Points are uniform on the simplex of distributions: normalized exponentials (Algorithm 4).
    """
    points = -np.log1p(-generator.random((2 * n, CARDS)))  # 1 - u is never 0
    points /= points.sum(axis=1, keepdims=True)
    return points[::2].copy(), points[1::2].copy()


def joint_distribution(own: np.ndarray, other: np.ndarray) -> np.ndarray:
    """Probability (..., cards, cards) that the bettor holds i and the caller j: own[i] other[j] for
    i != j, normalized (Algorithm 5).

    own, other: independent distributions (..., cards) of the bettor's and the caller's card.
    """
    joint = own[..., :, None] * other[..., None, :]
    diagonal = np.arange(own.shape[-1])
    joint[..., diagonal, diagonal] = 0
    return joint / joint.sum(axis=(-2, -1), keepdims=True)


def _equally_likely(*cards: int) -> np.ndarray:
    """The distribution (10,) over these cards (numbered 1..10 as in the paper), each as likely."""
    return np.isin(np.arange(1, CARDS + 1), cards) / len(cards)


# The paper's Figure 1: (bettor's distribution, caller's).
EXAMPLES: Mapping[str, tuple[np.ndarray, np.ndarray]] = {
    "uniform": (_equally_likely(*range(1, 11)), _equally_likely(*range(1, 11))),
    "strong or weak": (_equally_likely(1, 10), _equally_likely(5)),
    "in between": (_equally_likely(5), _equally_likely(1, 10)),
}


def strategy_from_text(text: str) -> np.ndarray:
    """Parse a strategy (10, 31) in the paper's notation, e.g. "Card 1: Bet 0 pr. 0.25, 3 pr. 0.75;
    Card 2-10: Bet 3 pr. 1".

    Cards that are not named check. Raises ValueError if the text names no bet.
    """
    strategy = np.zeros((CARDS, len(SIZES)))
    for first, last, bets in re.findall(r"Card (\d+)(?:[-\u2013](\d+))?: Bet ([^;]*)", text):
        for size, probability in re.findall(r"([\d.]+) pr\. ([\d.]*\d)", bets):
            column = np.flatnonzero(np.isclose(SIZES, float(size)))[0]
            strategy[int(first) - 1 : int(last or first), column] = float(probability)
    if not strategy.any():
        raise ValueError(f"{text!r} names no bet, expected such as 'Card 1: Bet 0 pr. 1'")
    strategy[strategy.sum(axis=1) == 0, 0] = 1
    return strategy


def strategy_to_text(strategy: np.ndarray) -> list[str]:
    """A strategy (10, 31) in the paper's notation, a line a card, probabilities from 0.0005 up."""
    mixes = [
        [f"{SIZES[b]:g} pr. {row[b]:.3g}" for b in np.flatnonzero(row >= 0.0005)]
        for row in strategy
    ]
    return [f"Card {i}: Bet {', '.join(mix)}" for i, mix in enumerate(mixes, start=1)]
