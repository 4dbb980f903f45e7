"""AIVAT on games that can be listed: unbiased whatever it guesses, and nearly without spread between equilibria."""

import numpy as np
import pytest

from faceup.game.flat_game import action_infoset, against, uniform
from faceup.game.leduc import KUHN, LITERATURE, RLCARD, build
from faceup.play.variance import aivat, expected_values, make_lines, payoffs_of, spread
from faceup.solve.cfr import solve
from faceup.solve.flat_form import value

GAMES = {"Kuhn": KUHN, "Leduc": LITERATURE, "RLCard's Leduc": RLCARD}


@pytest.fixture(scope="module", params=GAMES)
def leduc(request):
    return build(GAMES[request.param])


def random_strategy(game, seed):
    """Random probabilities, some actions never taken."""
    rng = np.random.default_rng(seed)
    weights = rng.exponential(size=len(game.labels)) * (rng.random(len(game.labels)) < 0.8)
    weights[game.first_action[:-1]] += 1e-3
    return weights / np.bincount(action_infoset(game), weights=weights)[action_infoset(game)]


def test_plain_results_are_the_games(leduc):
    strategy = random_strategy(leduc.game, 1)
    plain = spread(leduc, strategy, payoffs_of(leduc))
    assert plain.mean == pytest.approx(value(leduc.game, strategy), abs=1e-12)
    roots = expected_values(leduc, strategy)[:, 0]
    assert leduc.game.chance[make_lines(leduc).nodes[:, 0]] @ roots == pytest.approx(plain.mean, abs=1e-12)


@pytest.mark.parametrize("known", [0, 1])
def test_unbiased_for_any_opponent_and_any_values(leduc, known):
    """The mean over all deals and lines is the game's value, though AIVAT knows one strategy only and guesses nonsense."""
    rng, game = np.random.default_rng(2), leduc.game
    for seed in range(4):
        mine, theirs = random_strategy(game, 10 + seed), random_strategy(game, 20 + seed)
        both = against(game, mine, theirs) if known == 0 else against(game, theirs, mine)
        true = value(game, both)
        for guess in (0, 1, rng.normal(size=make_lines(leduc).nodes.shape) * 5):
            estimates = aivat(leduc, mine, known, guess * expected_values(leduc, mine))
            assert spread(leduc, both, estimates).mean == pytest.approx(true, abs=1e-10)


@pytest.mark.parametrize("known", [0, 1])
def test_a_strategy_that_is_not_the_one_played_is_found_out(leduc, known):
    """The test above can fail: another strategy than the one played gives a bias."""
    played, claimed = random_strategy(leduc.game, 3), random_strategy(leduc.game, 4)
    estimates = aivat(leduc, claimed, known, expected_values(leduc, claimed))
    assert abs(spread(leduc, played, estimates).mean - value(leduc.game, played)) > 1e-3


@pytest.mark.parametrize("known", [0, 1])
def test_imaginary_observations_alone_never_add_spread(leduc, known):
    """With values of 0 the estimate is a conditional mean of the result."""
    strategy = random_strategy(leduc.game, 5)
    estimates = aivat(leduc, strategy, known, np.zeros(make_lines(leduc).nodes.shape))
    assert spread(leduc, strategy, estimates).sd < spread(leduc, strategy, payoffs_of(leduc)).sd


def test_between_equilibria_hardly_any_luck_is_left():
    """Published for Leduc: 3.513 -> 0.0064 chips. One side is known; the values are those of self-play."""
    leduc = build(LITERATURE)
    strategy = solve(leduc.game, 20_000)
    values, plain = expected_values(leduc, strategy), spread(leduc, strategy, payoffs_of(leduc))
    assert plain.mean == pytest.approx(-0.085606424078, abs=1e-5)
    for known in (0, 1):
        left = spread(leduc, strategy, aivat(leduc, strategy, known, values))
        assert left.mean == pytest.approx(plain.mean, abs=1e-9)
        assert plain.sd > 100 * left.sd


def test_better_values_take_out_more():
    leduc = build(LITERATURE)
    strategy = solve(leduc.game, 200)
    spreads = [
        spread(leduc, strategy, aivat(leduc, strategy, 0, expected_values(leduc, s))).sd for s in (uniform(leduc.game), strategy)
    ]
    assert spreads[1] < spreads[0] < spread(leduc, strategy, payoffs_of(leduc)).sd


def test_bad_arguments_are_named():
    leduc = build(KUHN)
    values = np.zeros(make_lines(leduc).nodes.shape)
    with pytest.raises(ValueError, match="known is 2"):
        aivat(leduc, uniform(leduc.game), 2, values)
    with pytest.raises(ValueError, match="values have shape"):
        aivat(leduc, uniform(leduc.game), 0, values[:, 1:])
