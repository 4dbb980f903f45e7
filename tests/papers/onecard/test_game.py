"""The one-card game: random distributions, the deal, and strategies as text."""

import numpy as np

from faceup.papers.onecard.game import (
    CARDS,
    SIZES,
    joint_distribution,
    random_games,
    strategy_from_text,
    strategy_to_text,
)


def test_random_distributions_are_uniform_on_the_simplex():
    """Each coordinate is Beta(1, n - 1): its mean is 1/n and P(x > t) = (1 - t)^(n - 1)."""
    few, games = (random_games(n, np.random.default_rng(1)) for n in (5, 10_000))
    # more games never change the first
    assert all((a == b[:5]).all() for a, b in zip(few, games, strict=True))
    points = np.concatenate(games)
    assert points.shape == (20_000, CARDS)
    assert (points >= 0).all()
    assert np.allclose(points.sum(axis=1), 1)
    assert np.allclose(points.mean(axis=0), 0.1, atol=0.003)
    assert np.allclose((points > 0.2).mean(axis=0), 0.8**9, atol=0.01)


def test_the_deal_multiplies_and_leaves_out_equal_cards():
    joint = joint_distribution(np.array([0.5, 0.3, 0.2]), np.array([0.2, 0.2, 0.6]))
    products = np.array([[0, 0.1, 0.3], [0.06, 0, 0.18], [0.04, 0.04, 0]])
    assert np.allclose(joint, products / products.sum())


def test_strategies_in_the_papers_notation():
    strategy = strategy_from_text("Card 1: Bet 0 pr. 0.25, 3 pr. 0.75; Card 3–6: Bet 0.1 pr. 1")
    assert strategy.shape == (CARDS, len(SIZES)) and np.allclose(strategy.sum(axis=1), 1)
    assert (strategy[0, 0], strategy[0, 30]) == (0.25, 0.75)
    assert (strategy[2:6, 1] == 1).all() and strategy[1, 0] == strategy[9, 0] == 1
    assert (strategy_from_text("; ".join(strategy_to_text(strategy))) == strategy).all()
