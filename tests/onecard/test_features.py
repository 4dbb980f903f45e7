"""Representations and distances: by hand, against scipy, and that a tree gives back what it learned."""

import numpy as np
import pytest
from scipy.stats import wasserstein_distance

from faceup.onecard.bluff_pairs import bets, solve_games
from faceup.onecard.features import (
    OWN_RANK,
    REPRESENTATIONS,
    fit_tree,
    input_distance,
    input_names,
    inputs,
    nearest,
    output_distance,
    predicted,
    remembered,
    targets,
)
from faceup.onecard.game import SIZES
from faceup.onecard.solved_games import random_games

GAMES = solve_games(*random_games(1, 0, 60))


def test_distances_are_the_earth_movers():
    (a, b), (c, d) = random_games(1, 0, 2), random_games(1, 1, 2)
    cards = np.arange(10)
    expected = [wasserstein_distance(cards, cards, a[0], c[0]) / 9, wasserstein_distance(cards, cards, b[0], d[0]) / 9]
    assert input_distance((a, b), (c, d))[0] == pytest.approx(np.mean(expected))
    x, y = bets(GAMES)[:2]
    expected = [wasserstein_distance(SIZES, SIZES, p, q) / 3 for p, q in zip(x, y, strict=True)]
    assert output_distance(x, y) == pytest.approx(np.mean(expected))


def test_the_largest_distance_is_one():
    low, high = np.eye(10)[:1], np.eye(10)[9:]
    assert input_distance((low, low), (high, high))[0] == 1
    check, all_in = (np.broadcast_to(row, (10, 31)) for row in np.eye(31)[[0, 30]])
    assert output_distance(check, all_in) == 1


@pytest.mark.parametrize("kind", [*REPRESENTATIONS, OWN_RANK], ids=lambda kind: kind.name)
def test_a_full_tree_plays_what_it_learned(kind):
    X, strategies = inputs(kind, GAMES.own, GAMES.other), bets(GAMES)
    Y = targets(kind, strategies, np.random.default_rng(1))
    assert X.shape == ((600, 21) if kind.card else (60, 20)) and len(Y) == len(X)
    assert len(input_names(kind)) == X.shape[1]
    played = predicted(kind, fit_tree(kind, X, Y, 30, seed=1), X)
    assert played.shape == (60, 10, 31)
    if kind.sampled:
        assert (played.argmax(axis=2) == np.rint(Y * 10).reshape(60, 10)).all()
        assert (strategies[played == 1] > 0).all()  # a drawn size is one that is bet
    else:
        assert np.allclose(played, strategies, atol=1e-6)


def test_the_21st_number():
    kinds = (REPRESENTATIONS[2], REPRESENTATIONS[4], OWN_RANK)
    card, rank, own_rank = (inputs(kind, GAMES.own, GAMES.other)[:, 20] for kind in kinds)
    assert card[:11].tolist() == [*range(1, 11), 1]
    assert np.allclose(rank[:10], np.cumsum(GAMES.other[0]))
    assert np.allclose(own_rank[:10], np.cumsum(GAMES.own[0]))


def test_sizes_are_drawn_with_their_probabilities():
    strategies = np.broadcast_to(np.eye(31)[[0, 30]].mean(axis=0), (2000, 10, 31))
    drawn = targets(REPRESENTATIONS[6], strategies, np.random.default_rng(1))
    assert set(np.unique(drawn)) == {0.0, 3.0} and abs(drawn.mean() - 1.5) < 0.05


def test_the_nearest_game_is_oneself_and_neighbours_are_averaged():
    pair = (GAMES.own, GAMES.other)
    found = nearest(pair, pair, 3)
    assert (found[:, 0] == np.arange(60)).all()
    distances = input_distance(tuple(x[:, None] for x in pair), tuple(x[None] for x in pair))
    assert (found == np.argsort(distances, axis=1)[:, :3]).all()
    strategies = bets(GAMES)
    assert np.allclose(remembered(strategies, found)[7], strategies[found[7]].mean(axis=0))
