"""CFR-BR and self-play on one river street against a plain oracle, and against exploitabilities that were measured elsewhere."""

import numba
import numpy as np
import pytest
from games import node_values, pair_outcomes

from faceup.holdem.betting.betting_tree import DECISION, line_text
from faceup.holdem.safe.one_street import N_PAIRS, Street, equity_levels, random_boards, street_tree
from faceup.holdem.solve.policy import river_equities

TREE = street_tree(3)
BOARDS = random_boards(2, seed=5)


class Levels:
    """A policy of the oracle from a strategy (levels, nodes), by equity level."""

    def __init__(self, street, table):
        self.street_of, self.table = street, table

    def street(self, street, board, wanted=None):
        return self.table, self.street_of.levels[river_equities(board)]


class ByHole:
    """A policy of the oracle with a row a hole, (1326, nodes)."""

    def __init__(self, table):
        self.table = table

    def street(self, street, board, wanted=None):
        return self.table, np.arange(1326)


def started(n_levels, seed=1):
    """A street with random regrets and averages."""
    street, rng = Street(TREE, n_levels), np.random.default_rng(seed)
    street.regrets[:] = rng.normal(size=street.regrets.shape)
    street.averages[:] = rng.random(street.averages.shape)
    return street


def matched(street, weights):
    """The strategy (levels, nodes after the root) that is proportional to positive weights (infosets, labels)."""
    n = int(street.levels.max()) + 1
    table = np.zeros((n, len(TREE.kind) - 1), dtype=np.float64)
    nodes = np.flatnonzero(TREE.kind == DECISION)
    for number, node in enumerate(nodes):
        below = np.arange(TREE.first_child[node], TREE.first_child[node] + TREE.n_children[node])
        rows = np.maximum(weights[street.infosets.of[:, number]][:, TREE.label[below]], 0)
        total = rows.sum(axis=1, keepdims=True)
        table[:, below - 1] = np.where(total > 0, rows / np.where(total > 0, total, 1), 1 / len(below))
    return table


def best_policy(board, policy, player):
    """A best response of a player to a policy, as a policy: argmax of the oracle's values."""
    holes, value = node_values(TREE, [policy, policy], board, best=player)
    table = np.zeros((1326, len(TREE.kind) - 1))
    for node in np.flatnonzero(TREE.kind == DECISION):
        below = np.arange(TREE.first_child[node], TREE.first_child[node] + TREE.n_children[node])
        table[holes, below[value[player, below].argmax(axis=0)] - 1] = 1
    return ByHole(table)


def regrets_of(street, board, policies, player):
    """What one board adds to a player's regrets, (infosets, labels), by the oracle."""
    holes, value = node_values(TREE, policies, board)
    level, out = street.levels[river_equities(board)][holes], np.zeros(street.regrets.shape)
    for number, node in enumerate(np.flatnonzero(TREE.kind == DECISION)):
        for child in range(TREE.first_child[node], TREE.first_child[node] + TREE.n_children[node]):
            if TREE.actor[node] == player:
                gain = value[player, child] - value[player, node]
                np.add.at(out[:, TREE.label[child]], street.infosets.of[level, number], gain)
    return out


# --- known values -------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize(("n_levels", "most"), [(10, 210), (40, 110)])
def test_levels_made_safe(n_levels, most):
    """Four passes over 3,000 boards, judged on 200 unseen ones: CFR-BR stays below `most`, self-play loses over twice as much."""
    learnt, unseen = random_boards(3000, seed=1), random_boards(200, seed=2)
    old, new = Street(TREE, n_levels), Street(TREE, n_levels)
    for _ in range(4):
        old.self_play(learnt)
        new.cfr_br(learnt)
    assert new.exploitability(unseen).mean() < min(most, old.exploitability(unseen).mean() / 2)


def test_the_street():
    """Ten decisions, and in the turn's tree 56; no line has three raises."""
    assert (TREE.kind == DECISION).sum() == 10
    two = street_tree(2)
    assert (two.kind == DECISION).sum() == 56
    for tree in (TREE, two):
        lines = [line_text(tree, node).split("/") for node in range(len(tree.kind))]
        assert all(line.count("raise_1") + line.count("all_in") <= 2 for streets in lines for line in streets)


# --- against the oracle -------------------------------------------------------------------------------------


@pytest.mark.parametrize("n_levels", [7, 1981])
def test_exploitability(n_levels):
    street = started(n_levels)
    policy = Levels(street, matched(street, street.averages))
    for board, found in zip(BOARDS, street.exploitability(BOARDS), strict=True):
        won = [node_values(TREE, [policy, policy], board.tolist(), best=p)[1][p, 0].sum() for p in range(2)]
        assert found == pytest.approx(10 * np.mean(won) / N_PAIRS, rel=1e-4)
    assert (~np.isnan(pair_outcomes(BOARDS[0].tolist())[1])).sum() == N_PAIRS


@pytest.mark.parametrize("method", ["self_play", "cfr_br"])
def test_regrets_and_averages(method):
    street, board = started(7), BOARDS[0].tolist()
    policy = Levels(street, matched(street, street.regrets))
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


# --- properties ---------------------------------------------------------------------------------------------


def test_threads_and_pauses_change_no_bit():
    boards, found = random_boards(6, seed=9), []
    for threads, parts in ((1, (6,)), (2, (6,)), (2, (2, 4))):
        numba.set_num_threads(min(threads, numba.config.NUMBA_NUM_THREADS))
        street, done = started(40), 0
        for n in parts:
            street.cfr_br(boards[done : done + n])
            done += n
        found.append((street.regrets.tobytes(), street.averages.tobytes()))
    numba.set_num_threads(numba.config.NUMBA_NUM_THREADS)
    assert found[0] == found[1] == found[2]


@pytest.mark.parametrize("n_levels", [0, 1982])
def test_bad_levels_are_named(n_levels):
    with pytest.raises(ValueError, match=str(n_levels)):
        equity_levels(n_levels)
