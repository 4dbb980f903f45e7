"""Trees of the representations: cut back as if grown so, measured as their parts say, the same on every run."""

import numpy as np

from faceup.notebook.intervals import mean_ci95
from faceup.onecard.bluff_pairs import bets, solve_games, worst_cases
from faceup.onecard.features import REPRESENTATIONS, fit_optimal_tree, fit_tree, inputs, output_distance, predicted, targets
from faceup.onecard.solved_games import random_games
from faceup.onecard.trees import grow, mean_loss, measure, optimise, part
from faceup.trees.trees import leaf_of, predict, truncate

GAMES = solve_games(*random_games(1, 0, 120))
TRAIN, TEST = part(GAMES, 0, 80), part(GAMES, 80)


def test_grown_once_and_cut_is_grown_to_that_depth():
    kind = REPRESENTATIONS[2]
    X, Y = inputs(kind, TRAIN.own, TRAIN.other), targets(kind, bets(TRAIN), np.random.default_rng(1))
    deep, shallow = (fit_tree(kind, X, Y, depth, seed=1) for depth in (8, 3))
    cut = truncate(deep, 3)
    assert (cut.feature == shallow.feature).all() and np.allclose(cut.value, shallow.value, atol=1e-6)


def test_measured_numbers_are_those_of_the_cut_tree():
    kinds = [REPRESENTATIONS[0], REPRESENTATIONS[8]]
    trees = grow(kinds, TRAIN, 6, seed=1)
    for kind, tree in zip(kinds, trees, strict=True):
        row = measure(kind, tree, TEST, [2, 6])[0]
        played = predicted(kind, truncate(tree, 2), inputs(kind, TEST.own, TEST.other))
        assert (row.depth, row.nodes) == (2, len(truncate(tree, 2).feature))
        assert row.distance == output_distance(played, bets(TEST)).mean()
        assert row.loss == (TEST.value - worst_cases(TEST.own, TEST.other, played)).mean() > 0


def test_trees_are_the_same_on_every_run():
    kinds = REPRESENTATIONS[:4]
    told = []
    first, again = grow(kinds, TRAIN, 5, 1, told.append), grow(kinds, TRAIN, 5, 1)
    assert told == [1, 2, 3, 4]
    for a, b in zip(first, again, strict=True):
        assert all((x == y).all() for x, y in zip(a, b, strict=True))


def test_equilibria_lose_nothing_and_intervals_cover():
    assert abs(mean_loss(bets(TEST), TEST)[0]) < 1e-9
    values = np.random.default_rng(1).normal(1, 2, (400, 100))
    means = [mean_ci95(row) for row in values]
    assert 0.9 < np.mean([abs(mean - 1) < ci95 for mean, ci95 in means]) < 0.99


def test_an_optimal_tree_fits_drawn_sizes_at_least_as_well_as_the_greedy_one():
    kind = REPRESENTATIONS[8]
    X, Y = inputs(kind, TRAIN.own, TRAIN.other), targets(kind, bets(TRAIN), np.random.default_rng(1))
    for depth in (2, 4):
        greedy = fit_tree(kind, X, Y, depth, seed=1)
        optimal = fit_optimal_tree(kind, X, Y, depth, min_rows=1, regrowths=3, seed=1)
        errors = [((predict(tree, X) - Y) ** 2).mean() for tree in (greedy, optimal)]
        assert errors[1] < errors[0] * (1 - 1e-4)


def test_every_leaf_of_an_optimal_tree_holds_the_mean_of_its_rows():
    kinds = [REPRESENTATIONS[0], REPRESENTATIONS[5], REPRESENTATIONS[9]]
    for kind, tree in zip(kinds, optimise(kinds, TRAIN, 3, min_rows=5, regrowths=1, seed=2), strict=True):
        X = inputs(kind, TRAIN.own, TRAIN.other)
        Y = targets(kind, bets(TRAIN), np.random.default_rng([2, kinds.index(kind)]))
        leaves = leaf_of(tree, X)
        assert len(np.unique(leaves)) == (tree.feature < 0).sum() > 2
        for leaf in np.unique(leaves):
            assert (leaves == leaf).sum() >= 5
            assert np.allclose(tree.value[leaf], Y[leaves == leaf].mean(axis=0), atol=1e-6)
        assert np.allclose(tree.value[0], Y.mean(axis=0), atol=1e-6)
