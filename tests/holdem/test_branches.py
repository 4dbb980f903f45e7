"""What branches and lines do and earn, against brute force over pairs of hands, and branches found where they were hidden."""

import numpy as np
import pytest
from games import BOARD, SMALL, RandomPolicy, node_reach, node_values, pair_outcomes
from random_tables import random_models

from faceup.cards.cards import BOARD_CARDS
from faceup.cards.features import board_features
from faceup.holdem import branches
from faceup.holdem.branches import BranchSums, branch_sums, followers, ratio
from faceup.holdem.match import habits
from faceup.holdem.policy import ModelPolicy, free_holes
from faceup.holdem.rules import CALL, DECISION
from faceup.holdem.tree import children, decisions
from faceup.lab.stats import student_95
from faceup.trees.tree import DecisionTree, leaf_of

N = len(SMALL.labels)


@pytest.fixture(scope="module")
def models():
    """Random trees that first ask for an equity above a half."""
    made = random_models(SMALL.labels, 25)
    for tree in made:
        tree.feature[0], tree.threshold[0] = 0, 0.5
    return made


@pytest.fixture(scope="module")
def seen(models, tables):
    """One board against a random policy."""
    return branch_sums(ModelPolicy(SMALL, models, tables), RandomPolicy(SMALL, 4), [BOARD])


def test_sums_equal_brute_force(models, tables, seen):
    policy, theirs = ModelPolicy(SMALL, models, tables), RandomPolicy(SMALL, 4)
    holes, outcome = pair_outcomes(BOARD)
    possible = ~np.isnan(outcome)
    street, model = 2, models[2]
    hands = board_features(street, tables[street], BOARD[:4])[holes]
    chance, gain, taken = (np.zeros((len(model.feature), N)) for _ in range(3))
    for player, seats in enumerate(((policy, theirs), (theirs, policy))):
        reach, value = node_reach(SMALL, seats, BOARD, holes), node_values(SMALL, seats, BOARD)[1]
        own, others = reach[player], possible @ reach[1 - player].T / possible.sum() / 2
        for node in decisions(SMALL, street, player):
            bets = np.tile(SMALL.bets[node, 1 - player], (len(holes), 1))
            leaf = leaf_of(model, np.concatenate([hands, bets], axis=1))
            called = next(c for c in children(SMALL, node) if SMALL.label[c] == CALL)
            for c in children(SMALL, node):
                more = own[node] * (value[player, c] - value[player, called]) / possible.sum() / 2
                np.add.at(chance[:, SMALL.label[c]], leaf, own[node] * others[:, node])
                np.add.at(gain[:, SMALL.label[c]], leaf, more)
                np.add.at(taken[:, SMALL.label[c]], leaf, own[c] * others[:, node])
    leaves = np.flatnonzero(model.feature < 0)
    np.testing.assert_allclose(seen[2].legal[0, leaves], chance[leaves], rtol=1e-3, atol=1e-8)
    np.testing.assert_allclose(seen[2].gain[0, leaves], gain[leaves], rtol=1e-2, atol=1e-3)
    np.testing.assert_allclose(seen[2].taken[0, leaves], taken[leaves], rtol=1e-3, atol=1e-8)
    np.testing.assert_allclose(seen[2].legal[0, 0], chance.sum(axis=0), rtol=1e-3)


def test_every_branch_holds_what_its_answers_hold(models, seen):
    for model, s in zip(models, seen, strict=True):
        for node in np.flatnonzero(model.feature >= 0):
            for array in (s.chance, s.equity, s.legal, s.gain, s.taken, s.earned, s.folded):
                np.testing.assert_allclose(array[:, node], array[:, model.left[node]] + array[:, model.right[node]])
        np.testing.assert_allclose(s.strength.sum(axis=1), s.chance.sum(axis=0))
        np.testing.assert_allclose(s.taken.sum(axis=2), s.chance, atol=1e-7)
        met = s.chance[0] > 0
        np.testing.assert_allclose(branches.shares(s)[met].sum(axis=1), 1, atol=1e-4)
        assert (s.folded <= s.taken + 1e-9).all()
        assert not branches.gains(s, 0).mean[CALL]


def test_followers_are_the_hands_that_the_branch_takes(models, tables):
    policy, theirs = ModelPolicy(SMALL, models, tables), RandomPolicy(SMALL, 4)
    hands = board_features(1, tables[1], BOARD[:3])
    for branch, least, most in ((0, -1, 1), (int(models[1].left[0]), -1, 0.5), (int(models[1].right[0]), 0.5, 1)):
        found = followers(policy, theirs, BOARD, 1, branch)
        assert SMALL.street[found.line] == 1 and (np.diff(found.equity) >= 0).all()
        np.testing.assert_array_equal(found.equity, hands[found.holes, 0])
        there = np.flatnonzero(free_holes(BOARD) & (hands[:, 0] > least) & (hands[:, 0] <= most))
        assert sorted(found.holes) == there.tolist()


def planted() -> tuple[DecisionTree, BranchSums]:
    """Five leaves: 3 bluffs and gains, 4 bluffs and loses, 5 folds weak hands and 6 calls with strong ones, 2's other answer."""
    below = np.array([[1, 3, 5, -1, -1, -1, -1], [2, 4, 6, -1, -1, -1, -1]], dtype=np.int32)
    feature = np.array([1, 0, 0, -1, -1, -1, -1], dtype=np.int32)
    tree = DecisionTree(feature, np.zeros(7, dtype=np.float32), *below, np.full((7, 3), 1 / 3, dtype=np.float32), np.ones(7))
    n = 20
    chance = np.full((n, 7), 0.1)
    legal = np.repeat(chance[:, :, None], 3, axis=2)
    share, each, equity = np.zeros((7, 3)), np.zeros((7, 3)), np.zeros(7)
    share[3:] = [[0, 0.2, 0.8], [0, 0.4, 0.6], [0.9, 0.1, 0], [0.1, 0.9, 0]]
    each[3:] = [[0, 0, 50], [0, 0, -50], [30, 0, -90], [-70, 0, -20]]
    equity[3:] = [0.2, 0.2, 0.3, 0.8]
    gain = legal * each + legal * np.random.default_rng(0).normal(scale=5, size=(n, 1, 3)) * [1, 0, 1]
    sums = [chance, chance * equity, legal, gain, legal * share, gain * share, 0 * legal]
    for array in sums:
        for node in (2, 1, 0):
            array[:, node] = array[:, tree.left[node]] + array[:, tree.right[node]]
    return tree, BranchSums(*sums, np.zeros((7, branches.N_BINS)))


def test_planted_bluffs_and_questions_are_found():
    tree, seen = planted()
    found = branches.bluffs(seen, tree, deepest=2, least=0.5, equity=0.35)
    assert (found.nodes[0], found.met[0], found.conditions) == (3, 2, 2)
    assert 6 not in found.nodes, "its hands are strong"
    assert found.met[list(found.nodes).index(4)] == 1, "it bets but loses by it"
    assert branches.bluffs(seen, tree, deepest=1, least=0.5, equity=0.35).nodes.tolist() == [1]
    asked = branches.questions(seen, tree, ["equity", "opponent_bet_flop"], deepest=2, least=0.6)
    assert asked.nodes.tolist() == [2] and asked.met.tolist() == [4]
    assert found.earned[0] == pytest.approx(0.1 * 0.8 * 50, rel=0.1)
    assert branches.best([found, asked]) == (1, 2), "it meets more conditions"
    assert branches.bet_gain(seen, 3).mean == pytest.approx(50, abs=5)
    assert branches.advantage(seen, 5, 0, 1).mean == pytest.approx(30, abs=5)
    assert branches.advantage(seen, 6, 1, 0).mean == pytest.approx(70, abs=5)


def test_ratio_has_the_interval_of_a_mean_where_counts_are_alike():
    total = np.random.default_rng(1).normal(size=40)
    mean, ci95 = ratio(total, np.ones(40))
    assert mean == pytest.approx(total.mean())
    assert ci95 == pytest.approx(student_95(40) * total.std(ddof=1) / np.sqrt(40))
    assert ratio(np.zeros(3), np.zeros(3)).as_dict() == {"mean": None, "ci95": None}
    assert ratio(np.full(3, 2.0), np.full(3, 4.0)).as_dict() == {"mean": 0.5, "ci95": 0.0}


def test_habits_equal_brute_force(tables):
    """Also by fifths of the hands, which are by equity on the street."""
    policy, (holes, outcome) = RandomPolicy(SMALL, 3), pair_outcomes(BOARD)
    found, possible = habits(SMALL, policy, tables, [BOARD]), ~np.isnan(outcome)
    reach = node_reach(SMALL, (policy, policy), BOARD, holes)
    for node in np.flatnonzero(SMALL.kind == DECISION):
        street, actor = SMALL.street[node], SMALL.actor[node]
        equity = board_features(street, tables[street], BOARD[: BOARD_CARDS[street]])[holes, 0]
        fifth = equity.argsort(kind="stable").argsort() * 5 // len(holes)
        others = possible @ reach[1 - actor, node] / possible.sum()
        assert found.reach[node] == pytest.approx(np.bincount(fifth, reach[actor, node] * others), rel=1e-4)
        for c in children(SMALL, node):
            assert found.taken[c] == pytest.approx(np.bincount(fifth, reach[actor, c] * others), rel=1e-4)
