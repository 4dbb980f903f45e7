"""The one-card game: random distributions, the deal, strategies as text, and what is refused."""

import numpy as np
import pytest

from faceup.onecard.game import CARDS, SIZES, checked_joint, joint_distribution, random_distributions, strategy_from_text, text_of


def test_random_distributions_are_uniform_on_the_simplex():
    """Uniform on the simplex: each coordinate is Beta(1, n - 1), so its mean is 1/n and P(x > t) = (1 - t)^(n - 1)."""
    points = random_distributions(np.random.default_rng(1), 20_000)
    assert points.shape == (20_000, CARDS) and (points >= 0).all()
    assert np.allclose(points.sum(axis=1), 1)
    assert np.allclose(points.mean(axis=0), 0.1, atol=0.003)
    assert np.allclose((points > 0.2).mean(axis=0), 0.8**9, atol=0.01)


def test_the_deal_multiplies_and_leaves_out_equal_cards():
    joint = joint_distribution(np.array([0.5, 0.3, 0.2]), np.array([0.2, 0.2, 0.6]))
    products = np.array([[0, 0.1, 0.3], [0.06, 0, 0.18], [0.04, 0.04, 0]])
    assert np.allclose(joint, products / products.sum())


@pytest.mark.parametrize(
    ("own", "other", "said"),
    [
        ([0.5, 0.6, -0.1], [0.2, 0.2, 0.6], "own holds -0.1: expected probabilities of 0 or more"),
        ([0.5, 0.3, 0.3], [0.2, 0.2, 0.6], "own sums to 1.1: expected 1"),
        ([0.5, 0.3, 0.2], [0.2, np.nan, 0.6], "other holds nan: expected probabilities"),
        ([1.0], [1.0], "own has shape .* expected a deck of at least 2 cards"),
        ([0.5, 0.5], [0.2, 0.2, 0.6], "expected the same"),
        ([0.0, 1.0, 0.0], [0.0, 1.0, 0.0], "always dealt the same card"),
    ],
)
def test_what_is_no_game_is_refused(own, other, said):
    with pytest.raises(ValueError, match=said):
        joint_distribution(np.array(own), np.array(other))


def test_what_is_no_deal_is_refused():
    with pytest.raises(ValueError, match="deals both players the same card"):
        checked_joint(np.full((2, 2), 0.25))
    with pytest.raises(ValueError, match=r"expected \(cards, cards\)"):
        checked_joint(np.full((2, 3), 1 / 6))


def test_strategies_are_read_as_the_paper_prints_them():
    strategy = strategy_from_text("Card 1: Bet 0 pr. 0.25, 3 pr. 0.75; Card 3–6: Bet 0.1 pr. 1")
    assert strategy.shape == (CARDS, len(SIZES)) and np.allclose(strategy.sum(axis=1), 1)
    assert (strategy[0, 0], strategy[0, 30]) == (0.25, 0.75)
    assert (strategy[2:6, 1] == 1).all() and strategy[1, 0] == strategy[9, 0] == 1
    assert (strategy_from_text("; ".join(text_of(strategy))) == strategy).all()


@pytest.mark.parametrize("text", ["", "Card 1: Bet 0.15 pr. 1", "Card 1: Bet 3.1 pr. 1", "Card 11: Bet 1 pr. 1"])
def test_a_text_that_is_no_strategy_is_refused(text):
    with pytest.raises(ValueError, match="expected"):
        strategy_from_text(text)
