"""Play and winnings of branches, against brute force over pairs of hands."""

import numpy as np
import pytest
from games import BOARD, SMALL, RandomPolicy, node_reach, node_values, pair_outcomes, random_models
from random_trees import SMALL as SMALL_TREE

from faceup.cards.features import board_features
from faceup.holdem.betting_tree import children, decision_nodes
from faceup.holdem.policy import ModelPolicy
from faceup.holdem.rules import CALL
from faceup.papers.hunl import branches
from faceup.papers.hunl.branches import BranchSums, branch_sums, ratio
from faceup.trees.tree import DecisionTree, add_up, leaf_of
from faceup.util.stats import student_95

N = len(SMALL.labels)
THEIRS = RandomPolicy(SMALL, 4)
RIVER = decision_nodes(SMALL, 3)
STARTS = [int(node) for node in RIVER if SMALL.street[SMALL.parent[node]] < 3]


@pytest.fixture(scope="module")
def policy(equities):
    """Random trees that first ask for an equity above a half."""
    made = random_models(SMALL.labels, 25)
    for tree in made:
        tree.feature[0], tree.threshold[0] = 0, 0.5
    return ModelPolicy(SMALL, made, equities)


def test_sums_equal_brute_force(policy, equities):
    """On one board against a random policy."""
    seen, (holes, outcome) = branch_sums(policy, THEIRS, [BOARD]), pair_outcomes(BOARD)
    possible = ~np.isnan(outcome)
    street, model = 2, policy.models[2]
    hands = board_features(street, equities[street], BOARD[:4])[holes]
    # as in `BranchSums`
    found, equity = np.zeros((5, len(model.feature), N)), np.zeros(len(model.feature))
    for player, seats in enumerate(((policy, THEIRS), (THEIRS, policy))):
        reach, value = node_reach(SMALL, seats, BOARD, holes), node_values(SMALL, seats, BOARD)[1]
        own, others = reach[player], possible @ reach[1 - player].T / possible.sum() / 2
        for node in decision_nodes(SMALL, street, player):
            bets = np.tile(SMALL.bets[node, 1 - player], (len(holes), 1))
            leaf = leaf_of(model, np.concatenate([hands, bets], axis=1))
            called = next(c for c in children(SMALL, node) if SMALL.label[c] == CALL)
            np.add.at(equity, leaf, own[node] * others[:, node] * hands[:, 0])
            for c in children(SMALL, node):
                more = (value[player, c] - value[player, called]) / possible.sum() / 2
                np.add.at(found[0, :, SMALL.label[c]], leaf, own[node] * others[:, node])
                np.add.at(found[1, :, SMALL.label[c]], leaf, own[node] * more)
                np.add.at(found[2, :, SMALL.label[c]], leaf, own[c] * others[:, node])
                np.add.at(found[3, :, SMALL.label[c]], leaf, own[c] * more)
                for answer in children(SMALL, c):
                    if SMALL.actor[c] != player and SMALL.labels[SMALL.label[answer]] == "fold":
                        np.add.at(found[4, :, SMALL.label[c]], leaf, own[c] * others[:, answer])
    for array, expected in zip(seen[street], [*found, equity], strict=False):
        add_up(model.left, model.right, expected)
        np.testing.assert_allclose(
            array[0], expected, rtol=1e-2, atol=1e-3 * np.abs(expected).max()
        )
    strength, bins = seen[street].by_equity, (np.arange(branches.N_BINS) + 0.5) / branches.N_BINS
    np.testing.assert_allclose(strength.sum(axis=1), seen[street].probability[0])
    assert (
        np.abs(strength @ bins - seen[street].equity[0])
        <= 0.5001 / branches.N_BINS * seen[street].probability[0]
    ).all()


def planted() -> tuple[DecisionTree, BranchSums]:
    """Four leaves: 3 bluffs and gains, 4 bluffs and loses, 5 folds weak, 6 calls strong hands."""
    below = np.array([[1, 3, 5, -1, -1, -1, -1], [2, 4, 6, -1, -1, -1, -1]], dtype=np.int32)
    feature = np.array([1, 0, 0, -1, -1, -1, -1], dtype=np.int32)
    thresholds, values = np.zeros(7, dtype=np.float32), np.full((7, 3), 1 / 3, dtype=np.float32)
    tree = DecisionTree(feature, thresholds, *below, values, np.ones(7))
    n = 20
    legal = np.full((n, 7, 3), 0.1)
    share, each, equity = np.zeros((7, 3)), np.zeros((7, 3)), np.zeros(7)
    share[3:] = [[0, 0.2, 0.8], [0, 0.4, 0.6], [0.9, 0.1, 0], [0.1, 0.9, 0]]
    each[3:] = [[0, 0, 50], [0, 0, -50], [30, 0, -90], [-70, 0, -20]]
    equity[3:] = [0.2, 0.2, 0.3, 0.8]
    noise = np.random.default_rng(0).normal(scale=5, size=(n, 1, 3)) * [1, 0, 1]
    gain = legal * each + legal * noise
    sums = [legal, gain, legal * share, gain * share, 0 * legal, 0.1 * np.tile(equity, (n, 1))]
    for array in sums:
        add_up(tree.left, tree.right, array.swapaxes(0, 1))
    return tree, BranchSums(*sums, np.zeros((7, branches.N_BINS)))


def test_a_planted_bluff_is_found():
    tree, seen = planted()
    n_met, earned, node = branches.best_bluff(seen, tree, deepest=2, least=0.5, equity=0.35)
    assert (node, n_met) == (3, 2), "4 bets but loses by it"
    assert earned == pytest.approx(0.1 * 0.8 * 50, rel=0.1)
    assert branches.best_bluff(seen, tree, deepest=2, least=0.9, equity=0.35)[::2] == (1, 3)
    assert branches.best_bluff(seen, tree, deepest=1, least=0.5, equity=0.35)[2] == 1
    assert branches.best_bluff(seen, tree, deepest=2, least=0.5, equity=0.1) is None
    assert branches.bet_gain(seen, 3).mean == pytest.approx(50, abs=5)
    assert branches.advantage(seen, 6, 1, 0).mean == pytest.approx(70, abs=5)


def test_ratio_has_the_interval_of_a_mean_where_counts_are_equal():
    total = np.random.default_rng(1).normal(size=40)
    mean, ci95 = ratio(total, np.ones(40))
    assert mean == pytest.approx(total.mean())
    assert ci95 == pytest.approx(student_95(40) * total.std(ddof=1) / np.sqrt(40))
    assert ratio(np.full(3, 2.0), np.full(3, 4.0)) == (0.5, 0)
    assert np.isnan(ratio(np.zeros(3), np.zeros(3))).all()
    count = np.zeros((30, 3))
    count[:2, 0], count[:10, 1] = 1, 1  # on two boards, on ten, on none
    _, ci95 = ratio(np.random.default_rng(2).normal(size=(30, 3)) * count, count)
    assert np.isinf(ci95[0]) and 0 < ci95[1] < np.inf and np.isnan(ci95[2])


def test_questions_and_error_by_hand():
    legal = np.zeros((20, 5, 3))
    legal[:, [1, 3, 4], CALL] = 0.3, 0.15, 0.05  # leaves after one, two and two questions
    seen, asked = BranchSums(*[legal] * 5, legal[..., 0], legal), np.array([True, False])
    at_leaf, everywhere, more = branches.asked_more(seen, SMALL_TREE, asked, np.arange(5) == 3)
    assert (at_leaf.mean, everywhere.mean) == pytest.approx((1 / 2, 0.2 / 0.7))
    assert more == pytest.approx((1 / 2 - 0.2 / 0.7, 0))
    errors = [1.5 + 0.5 * 0.992 - 2 * 0.625, 3 + 2 * 0.625 - 5 * 0.46]  # w |v|^2, by feature
    found = branches.error_reduction(SMALL_TREE, 2)
    np.testing.assert_allclose(found, 100 * np.array(errors) / sum(errors), rtol=1e-4)
