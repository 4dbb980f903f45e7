"""The one-card betting game of Ganzfried and Yusuf, "Computing human-understandable strategies"
(2017).

Each player antes $0.50, so that the pot is $1, and is dealt one of ten different cards. Player one
bets a multiple of $0.10 from 0 (a check) to 3; player two calls or folds. After a fold player one
takes the pot; else the higher card takes the pot and the bet. Cards come from any two
distributions, known to both: that is what a game is here.

Values are player one's, in dollars, the pot counted and the ante not: winning an unbet pot is worth
1, losing it 0.
"""

import re
from collections.abc import Mapping

import numpy as np

CARDS = 10  # card i of 0..9 is the paper's i + 1; a higher one wins
SIZES = np.arange(31) / 10  # dollars, which is pots


def random_games(n: int, generator: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Both players' distributions (n, 10) of n random games; the first ones are the same for any n.

    Points are uniform on the simplex of distributions: normalised exponentials (Algorithm 4).
    """
    points = -np.log1p(-generator.random((2 * n, CARDS)))  # 1 - u is never 0
    points /= points.sum(axis=1, keepdims=True)
    return points[::2].copy(), points[1::2].copy()


def joint_distribution(own: np.ndarray, other: np.ndarray) -> np.ndarray:
    """Probability (..., cards, cards) that player one holds i and player two j: products, i != j
    (Algorithm 5).

    own, other: distributions (..., cards) of both players' cards, drawn without knowledge of each
    other.
    """
    joint = own[..., :, None] * other[..., None, :]
    diagonal = np.arange(own.shape[-1])
    joint[..., diagonal, diagonal] = 0
    return joint / joint.sum(axis=(-2, -1), keepdims=True)


def _point(*cards: int) -> np.ndarray:
    """The distribution that deals the paper's cards 1..10 named here alike."""
    return np.isin(np.arange(1, CARDS + 1), cards) / len(cards)


# The paper's Figure 1: (player one's distribution, player two's).
EXAMPLES: Mapping[str, tuple[np.ndarray, np.ndarray]] = {
    "uniform": (_point(*range(1, 11)), _point(*range(1, 11))),
    "strong or weak": (_point(1, 10), _point(5)),
    "in between": (_point(5), _point(1, 10)),
}


def strategy_from_text(text: str) -> np.ndarray:
    """A strategy (10, 31) written as in the paper, e.g. "Card 1: Bet 0 pr. 0.25, 3 pr. 0.75; Card
    2-10: Bet 3 pr. 1".

    Cards that are not named check. Raises ValueError for a text that names no bet.
    """
    strategy = np.zeros((CARDS, len(SIZES)))
    for first, last, bets in re.findall(r"Card (\d+)(?:[-\u2013](\d+))?: Bet ([^;]*)", text):
        for size, chance in re.findall(r"([\d.]+) pr\. ([\d.]*\d)", bets):
            column = np.flatnonzero(np.isclose(SIZES, float(size)))[0]
            strategy[int(first) - 1 : int(last or first), column] = float(chance)
    if not strategy.any():
        raise ValueError(f"{text!r} names no bet, expected such as 'Card 1: Bet 0 pr. 1'")
    strategy[strategy.sum(axis=1) == 0, 0] = 1
    return strategy


def text_of(strategy: np.ndarray) -> list[str]:
    """A strategy (10, 31) as the paper writes it, a line a card, probabilities from 0.0005 up."""
    mixes = [
        [f"{SIZES[b]:g} pr. {row[b]:.3g}" for b in np.flatnonzero(row >= 0.0005)]
        for row in strategy
    ]
    return [f"Card {i}: Bet {', '.join(mix)}" for i, mix in enumerate(mixes, start=1)]
