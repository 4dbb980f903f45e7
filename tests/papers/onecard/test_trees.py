"""Representations, distances and trees by hand and by scipy; a tree predicts what it was fit to."""

from functools import partial

import numpy as np
import pytest
from scipy.stats import wasserstein_distance

from faceup.papers.onecard import trees
from faceup.papers.onecard.game import SIZES, random_games
from faceup.papers.onecard.solutions import (
    betting_strategies,
    solve_games,
    subset,
    worst_case_values,
)
from faceup.papers.onecard.trees import (
    REPRESENTATIONS,
    features,
    predicted_strategies,
    strategy_distance,
)
from faceup.trees.tree import truncate
from faceup.util.rng import rng

STREAM = partial(rng, 1, "test")
ALL = solve_games(*random_games(36, np.random.default_rng(1)))
GAMES, TRAIN, TEST = subset(ALL, 0, 20), subset(ALL, 0, 24), subset(ALL, 24)


def test_distances_of_strategies_are_the_earth_movers():
    x, y = betting_strategies(GAMES)[:2]
    expected = [wasserstein_distance(SIZES, SIZES, p, q) / 3 for p, q in zip(x, y, strict=True)]
    assert strategy_distance(x, y) == pytest.approx(np.mean(expected))
    check, all_in = (np.broadcast_to(row, (10, 31)) for row in np.eye(31)[[0, 30]])
    assert strategy_distance(check, all_in) == 1


@pytest.mark.parametrize("kind", REPRESENTATIONS, ids=lambda kind: kind.name)
def test_a_full_tree_predicts_its_training_strategies(kind):
    X, strategies = features(kind, GAMES.own, GAMES.other), betting_strategies(GAMES)
    Y = trees.targets(kind, strategies, np.random.default_rng(1))
    assert X.shape == ((200, 21) if kind.card else (20, 20)) and len(Y) == len(X)
    assert len(trees.feature_names(kind)) == X.shape[1]
    played = predicted_strategies(kind, trees.fit_tree(kind, X, Y, 30, STREAM()), X)
    assert played.shape == (20, 10, 31)
    if kind.sampled:
        assert (played.argmax(axis=2) == np.rint(Y * 10).reshape(20, 10)).all()
        assert (strategies[played == 1] > 0).all()  # a drawn size is one that is bet
    else:
        assert np.allclose(played, strategies, atol=1e-6)


def test_the_21st_number():
    card, rank = (features(REPRESENTATIONS[k], GAMES.own, GAMES.other)[:, 20] for k in (2, 4))
    assert card[:11].tolist() == [*range(1, 11), 1]
    assert np.allclose(rank[:10], np.cumsum(GAMES.other[0]))


def test_sizes_are_drawn_with_their_probabilities():
    strategies = np.broadcast_to(np.eye(31)[[0, 30]].mean(axis=0), (2000, 10, 31))
    drawn = trees.targets(REPRESENTATIONS[6], strategies, np.random.default_rng(1))
    assert set(np.unique(drawn)) == {0.0, 3.0} and abs(drawn.mean() - 1.5) < 0.05


def test_measured_numbers_are_those_of_the_cut_tree():
    kinds = [REPRESENTATIONS[0], REPRESENTATIONS[3], REPRESENTATIONS[8]]
    for kind in kinds:
        X, strategies = features(kind, TRAIN.own, TRAIN.other), betting_strategies(TRAIN)
        Y = trees.targets(kind, strategies, np.random.default_rng(1))
        tree = trees.fit_tree(kind, X, Y, 6, STREAM())
        depth, nodes, distance, loss, _ = trees.tree_errors(kind, tree, TEST, [2, 6])[0]
        played = predicted_strategies(kind, truncate(tree, 2), features(kind, TEST.own, TEST.other))
        assert (depth, nodes) == (2, len(truncate(tree, 2).feature))
        assert distance == pytest.approx(strategy_distance(played, betting_strategies(TEST)).mean())
        assert loss == pytest.approx(
            (TEST.value - worst_case_values(TEST.own, TEST.other, played)).mean()
        )
