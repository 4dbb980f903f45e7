"""CFR-BR and self-play on one river street against a plain oracle, and against exploitabilities that were measured elsewhere."""

from typing import NamedTuple

import numba
import numpy as np
import pytest
from games import node_values, pair_outcomes, threads

from faceup.holdem.betting.betting_tree import DECISION, children, decisions, line_text
from faceup.holdem.play.match import random_boards
from faceup.holdem.safe.infosets import Seen, strategy_rows
from faceup.holdem.safe.one_street import N_PAIRS, Street, equity_levels, street_tree
from faceup.holdem.solve.policy import river_equities

TREE = street_tree(3)
BOARDS = random_boards(2, np.random.default_rng(5))


class Rows(NamedTuple):
    """A policy of the oracle, by hole (1326, nodes) or by equity (1981, nodes)."""

    table: np.ndarray

    def street(self, street, board, wanted=None):
        return self.table, np.arange(1326) if len(self.table) == 1326 else river_equities(board)


def started(n_levels, seed=1):
    street, rng = Street(TREE, n_levels), np.random.default_rng(seed)
    street.regrets[:] = rng.normal(size=street.regrets.shape)
    street.averages[:] = rng.random(street.averages.shape)
    return street


def matched(street, weights):
    return Rows(strategy_rows(TREE, 3, Seen(street.levels, street.infosets), weights))


def best_policy(board, policy, player):
    """A best response of a player to a policy, as a policy: argmax of the oracle's values."""
    holes, value = node_values(TREE, [policy, policy], board, best=player)
    table = np.zeros((1326, len(TREE.kind) - 1))
    for node in decisions(TREE, 3):
        table[holes, TREE.first_child[node] - 1 + value[player, children(TREE, node)].argmax(axis=0)] = 1
    return Rows(table)


def regrets_of(street, board, policies, player):
    """What one board adds to a player's regrets, (infosets, labels), by the oracle."""
    holes, value = node_values(TREE, policies, board)
    level, out = street.levels[river_equities(board)][holes], np.zeros(street.regrets.shape)
    for number, node in enumerate(decisions(TREE, 3)):
        if TREE.actor[node] == player:
            for child in children(TREE, node):
                gain = value[player, child] - value[player, node]
                np.add.at(out[:, TREE.label[child]], street.infosets.of[level, number], gain)
    return out


def test_strategies_are_in_proportion_to_positive_weights():
    """Of the legal actions; uniform where there are none."""
    street = started(5)
    street.regrets[street.infosets.of[2]] = -1
    table = matched(street, street.regrets).table
    assert table.shape == (1981, len(TREE.kind) - 1)
    for number, node in enumerate(decisions(TREE, 3)):
        below = np.array(children(TREE, node))
        for equity in (0, 990, 1980):
            own = np.maximum(street.regrets[street.infosets.of[street.levels[equity], number], TREE.label[below]], 0)
            expected = own / own.sum() if own.sum() > 0 else np.full(len(below), 1 / len(below))
            np.testing.assert_allclose(table[equity, below - 1], expected, rtol=1e-5)


@pytest.mark.slow
@pytest.mark.parametrize(("n_levels", "most"), [(10, 210), (40, 110)])
def test_levels_made_safe(n_levels, most):
    """Four passes over 3,000 boards, judged on 200 unseen ones: CFR-BR stays below `most`, self-play loses over twice as much."""
    learnt, unseen = random_boards(3000, np.random.default_rng(1)), random_boards(200, np.random.default_rng(2))
    old, new = Street(TREE, n_levels), Street(TREE, n_levels)
    for _ in range(4):
        old.self_play(learnt)
        new.cfr_br(learnt)
    assert new.leak(unseen).mean() < min(most, old.leak(unseen).mean() / 2)


def test_the_street():
    """Ten decisions, and in the turn's tree 56; no line has three raises."""
    assert (TREE.kind == DECISION).sum() == 10
    two = street_tree(2)
    assert (two.kind == DECISION).sum() == 56
    for tree in (TREE, two):
        lines = [line_text(tree, node).split("/") for node in range(len(tree.kind))]
        assert all(line.count("raise_1") + line.count("all_in") <= 2 for streets in lines for line in streets)


@pytest.mark.parametrize("n_levels", [7, 1981])
def test_exploitability(n_levels):
    street = started(n_levels)
    policy = matched(street, street.averages)
    for board, found in zip(BOARDS, street.leak(BOARDS), strict=True):
        won = [node_values(TREE, [policy, policy], board.tolist(), best=p)[1][p, 0].sum() for p in range(2)]
        assert found == pytest.approx(10 * np.mean(won) / N_PAIRS, rel=1e-4)
    assert (~np.isnan(pair_outcomes(BOARDS[0].tolist())[1])).sum() == N_PAIRS


@pytest.mark.parametrize("method", ["self_play", "cfr_br"])
def test_regrets_and_averages(method):
    street, board = started(7), BOARDS[0].tolist()
    policy = matched(street, street.regrets)
    regrets, averages = street.regrets.copy(), street.averages.copy()
    getattr(street, method)(BOARDS[:1])
    for player in range(2):
        other = best_policy(board, policy, 1 - player) if method == "cfr_br" else policy
        regrets += 1e-3 * regrets_of(street, board, [policy, other] if player == 0 else [other, policy], player)
    np.testing.assert_allclose(street.regrets, regrets, rtol=1e-3, atol=5)  # sums of float32 up to 3e4
    at_root, left = street.infosets.of[:, 0], pair_outcomes(board)[0]
    met = np.bincount(street.levels[river_equities(board)][left], minlength=len(at_root))  # each hand counts once there
    added = (street.averages - averages)[at_root].sum(axis=1)
    np.testing.assert_allclose(added, 1e-3 * met, rtol=1e-2, atol=1e-5)


def test_threads_and_pauses_change_no_bit():
    boards, found = random_boards(6, np.random.default_rng(9)), []
    for n, parts in ((1, [boards]), (2, [boards]), (2, [boards[:2], boards[2:]])):
        street = started(40)
        with threads(min(n, numba.config.NUMBA_NUM_THREADS)):
            for part in parts:
                street.cfr_br(part)
        found.append((street.regrets.tobytes(), street.averages.tobytes()))
    assert found[0] == found[1] == found[2]


@pytest.mark.parametrize("n_levels", [0, 1982])
def test_bad_levels_are_named(n_levels):
    with pytest.raises(ValueError, match=f"n_levels is {n_levels}"):
        equity_levels(n_levels)
