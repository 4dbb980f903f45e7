"""Stakes against the dollars of a match's own sweep, the mean that alike lines are played by against any other, and waves."""

from collections import defaultdict

import numpy as np
import pytest
from random_tables import random_table

from faceup.cards.features import betting_features
from faceup.holdem.betting.betting_tree import CALL, build_tree, children, columns, decisions, menu_from
from faceup.holdem.learn.action_costs import action_costs
from faceup.holdem.learn.dataset import NO_BOARD, all_river_rows
from faceup.holdem.learn.neural import fit_neural
from faceup.holdem.solve.action_values import action_values
from faceup.holdem.solve.groups import hole_groups
from faceup.holdem.studies.history import DECILE_OCTAVES, EQUITY_OCTAVES, fit_periodic, group_stakes, played_alike, with_waves
from faceup.trees.metrics import log_loss

BOARDS = np.array([[44, 7, 38, 20, 33], [0, 5, 10, 15, 51]])
TREE = build_tree(menu_from([[]], [[1], []], [[1], []], [[]]))
HISTORIES = ("opponent", "both", "both+seat")  # each told more than the one before
NODES = [decisions(TREE, street) for street in range(4)]


@pytest.fixture(scope="module")
def policy(groups):
    return random_table(TREE, groups, 1)


@pytest.fixture(scope="module")
def costs(policy):
    return action_costs(TREE, policy, BOARDS)


@pytest.fixture(scope="module")
def at_stake(policy, costs):
    return group_stakes(TREE, policy, BOARDS, costs)


def told(node, history):
    """What a model is told at a decision, and what it may do there."""
    actions = TREE.label[children(TREE, node)]
    return (*betting_features(TREE.bets[[node]], TREE.actor[[node]], history)[0].tolist(), *actions.tolist())


@pytest.mark.parametrize("street", range(4))
def test_stakes_are_the_chance_to_come_times_the_dearest_action(policy, costs, at_stake, street):
    """Chances by the sweep that values actions, which knows nothing of rows."""
    plays = [action_values(TREE, policy, policy, board) for board in BOARDS.tolist()]
    groups = [hole_groups(policy.groups, street, board[: (0, 3, 4, 5)[street]]) for board in BOARDS.tolist()]
    for node in NODES[street]:
        wanted, seat = np.zeros(len(policy.tables[street])), TREE.actor[node]
        for play, group in zip(plays, groups, strict=True):
            np.add.at(wanted, group, play.own[seat, node].astype(np.float64) * play.others[seat, node])
        wanted *= costs[street][:, columns(TREE, node)].max(axis=1).clip(min=0)
        found = at_stake[street][:, columns(TREE, node)]
        assert (found == found[:, :1]).all()
        np.testing.assert_allclose(found[:, 0], wanted, rtol=1e-3, atol=1e-5 * wanted.max())


@pytest.mark.parametrize("history", HISTORIES)
def test_alike_lines_get_the_nearest_common_mixture(policy, at_stake, history):
    """One mixture for what looks alike, no other has a lower weighted squared distance, and lines like no other stay."""
    merged, n_shared = played_alike(TREE, policy, at_stake, history), 0
    for street, nodes in enumerate(NODES):
        seen = {}
        for node in nodes:
            seen.setdefault(told(node, history), []).append(node)
        for same in seen.values():
            each, mine = (np.stack([t[street][:, columns(TREE, node)] for node in same]) for t in (policy.tables, merged.tables))
            weight = np.stack([at_stake[street][:, columns(TREE, node).start] for node in same])
            assert (mine == mine[0]).all()
            assert np.array_equal(mine, each) or len(same) > 1
            gradient = (weight[:, :, None] * (mine - each)).sum(axis=0)
            assert np.abs(gradient).max() <= 1e-5 * weight.max()
            n_shared += len(same) > 1
    assert n_shared > 0


@pytest.mark.parametrize("history", HISTORIES)
def test_all_river_rows_are_the_tables_own(policy, costs, at_stake, history):
    """By a walk over all decisions and equities: weights and losses add up, probabilities are means of what looks alike."""
    weight, taught, lost = defaultdict(float), defaultdict(float), defaultdict(float)
    for node in NODES[3]:
        label = TREE.label[children(TREE, node)]
        seen = betting_features(TREE.bets[[node]], TREE.actor[[node]], history)[0].tolist()
        for level in np.flatnonzero(at_stake[3][:, columns(TREE, node).start]):
            key, stake, cost = (level, *seen), at_stake[3][level, columns(TREE, node).start], costs[3][level, columns(TREE, node)]
            p, loss = np.zeros(len(TREE.labels)), np.full(len(TREE.labels), cost[label == CALL][0])
            p[label], loss[label] = policy.tables[3][level, columns(TREE, node)], cost
            coming = stake / cost.max()  # the chance that play comes there, times what the dearest action costs, is at stake
            weight[key], taught[key], lost[key] = weight[key] + stake, taught[key] + stake * p, lost[key] + coming * loss
    rows = all_river_rows(TREE, policy, at_stake[3], costs[3], history)
    scale = np.mean(list(weight.values()))
    assert len(rows.X) == len(weight) and (rows.board == NO_BOARD).all()
    for x, p, w, cost in zip(rows.X, rows.P, rows.w, rows.costs, strict=True):
        key = (round(float(x[0]) * 1980), *x[1:].tolist())
        assert w == pytest.approx(weight[key] / scale)
        np.testing.assert_allclose(p, taught[key] / weight[key], atol=1e-5)
        np.testing.assert_allclose(w * cost, lost[key] / scale, rtol=1e-4, atol=1e-4 * w)


def test_bad_arguments_are_named(tables, policy, costs, at_stake):
    with pytest.raises(ValueError, match="boards is empty"):
        group_stakes(TREE, policy, BOARDS[:0], costs)
    with pytest.raises(ValueError, match="history is 'mine', expected one of"):
        played_alike(TREE, policy, at_stake, "mine")
    with pytest.raises(ValueError, match="at_stake is 0 everywhere"):
        all_river_rows(TREE, policy, 0 * at_stake[3], costs[3])


SETTINGS = {"layers": 2, "width": 64, "epochs": 30, "batch": 128, "learning_rate": 3e-3, "seed": 1, "n_bets": 1}


def stepped_rows(n: int):
    """Equities in 0..1 and a bet; the answer is one of two, and jumps at every 25th of the equity."""
    rng = np.random.default_rng(3)
    X = np.stack([rng.random(n), 100.0 * rng.integers(0, 3, n)], axis=1).astype(np.float32)
    first = np.random.default_rng(4).random(25)[(25 * X[:, 0]).astype(int)] < 0.5
    return X, np.where(first[:, None], [0.9, 0.1], [0.1, 0.9]), np.ones(n)


def test_waves_are_sines_and_cosines_of_octaves_before_the_features():
    X = np.array([[0.3, 0.7, 500], [1.0, 0.0, 0]], dtype=np.float32)
    found, n = with_waves(X, n_bets=1), EQUITY_OCTAVES + DECILE_OCTAVES
    assert found.shape == (2, 2 * n + 3) and found.dtype == np.float32
    angle = [2 * np.pi * 2.0**k * X[:, f].astype(np.float64) for f, m in ((0, 10), (1, 5)) for k in range(m)]
    np.testing.assert_allclose(found[:, :n], np.sin(angle).T, atol=2e-4)
    np.testing.assert_allclose(found[:, n : 2 * n], np.cos(angle).T, atol=2e-4)
    assert (found[:, 2 * n :] == X).all()
    waves = with_waves(np.arange(1981, dtype=np.float32)[:, None] / np.float32(1980), n_bets=0)
    assert np.abs(np.diff(waves[:, :-1], axis=0)).max(axis=1).min() > 0.5  # equities of the river are multiples of 1/1980


def test_steps_are_learnt_with_waves():
    """Both networks see the same rows as long; the plain one leaves most of the steps."""
    (X, unseen), (P, targets), (w, weights) = (np.split(rows, [3000]) for rows in stepped_rows(4000))
    models = [fit(X, P, w, **SETTINGS) for fit in (fit_neural, fit_periodic)]
    plain, waves = (log_loss(targets, model.predict(unseen), weights) for model in models)
    floor = log_loss(targets, targets, weights)
    assert waves - floor < 0.5 * (plain - floor)


def test_bad_waves_are_named():
    X, P, w = stepped_rows(20)
    with pytest.raises(ValueError, match="n_bets is 2: expected 0 to 1"):
        with_waves(X, 2)
    with pytest.raises(ValueError, match="X is nan at"):
        fit_periodic(np.where(X > 0, np.nan, X), P, w, **SETTINGS)
    model = fit_periodic(X, P, w, **SETTINGS | {"epochs": 1})
    with pytest.raises(ValueError, match="features: expected"):
        model.predict(X[:, [0, 0, 1]])
