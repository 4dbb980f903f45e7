"""The method in plain numpy: against hands of another evaluator and numbers by hand; and the fast engines against it."""

from functools import partial

import numpy as np
import pytest
from games import BOARD, PUSH, SMALL, pair_outcomes

from faceup.holdem import reference
from faceup.holdem.groups import N_RIVER_GROUPS, Groups, hole_groups
from faceup.holdem.match import random_boards
from faceup.holdem.policy import river_equities
from faceup.holdem.safe import SafeGame, equity_levels, river_tree
from faceup.holdem.selfplay import Discount, SelfPlay
from faceup.holdem.tree import children, columns
from faceup.lab.rng import rng

IDS = [((7 * np.arange(1326)[None] + np.arange(n)[:, None]) % 5).astype(np.int32) for n in (1755, 16_432)]
GROUPS = Groups(*IDS, (169, 5, 5, N_RIVER_GROUPS))
BOARDS = random_boards(3, rng(1, "test"))
LEVELS = 9


def test_a_deal_is_what_another_evaluator_says():
    dealt, (holes, outcome) = reference.deal(BOARD), pair_outcomes(BOARD)
    assert (dealt.holes == holes).all() and (dealt.apart == ~np.isnan(outcome)).all()
    assert (dealt.beats == np.nan_to_num(outcome)).all()


def test_regret_matching_by_hand():
    np.testing.assert_allclose(reference.match(np.array([[3, -2, 1], [-1, 0, -1]])), [[0.75, 0, 0.25], [1 / 3] * 3])


def test_best_responses_to_who_always_folds_or_calls_by_hand():
    """And from who always calls, with each hand, what the best of its three ways to play wins."""
    dealt = reference.deal(BOARD)
    nodes, n = np.arange(len(PUSH.kind)), len(dealt.holes)
    folds = np.repeat((PUSH.label == np.where(np.isin(nodes, children(PUSH, 0)), 0, 1))[:, None], n, axis=1) * 1.0
    value = reference.values(PUSH, dealt, folds, best=[1])
    assert value[1, 0].sum() == pytest.approx(50 * dealt.apart.sum())
    calls = np.repeat((PUSH.label == 1)[:, None], n, axis=1) * 1.0
    met, edge = dealt.apart.sum(axis=1), dealt.beats.sum(axis=1)
    best = np.max([20_000 * edge, 100 * edge, -50 * met], axis=0)  # all-in, check to the end, fold
    np.testing.assert_allclose(reference.values(PUSH, dealt, calls, best=[0])[0, 0], best)
    answer = reference.best_response(PUSH, dealt, calls, 0)
    np.testing.assert_allclose(reference.values(PUSH, dealt, answer)[0, 0], best)


def empty(tree, n_rows):
    return [np.zeros(shape) for shape in zip(n_rows, np.diff(tree.street_start), strict=True)]


def test_self_play_is_the_references():
    """Regrets and summed strategies after each of two boards, with a discount between."""
    run = SelfPlay(SMALL, GROUPS, Discount(1.5, 0.5, 2, 1), stream := partial(rng, 5, "test"))
    regrets, averages = empty(SMALL, GROUPS.n_groups), empty(SMALL, GROUPS.n_groups)
    for k in range(2):
        board = stream(k).permutation(52)[:5].tolist()
        dealt = reference.deal(board)
        rows = np.array([hole_groups(GROUPS, street, board[: (0, 3, 4, 5)[street]])[dealt.holes] for street in range(4)])
        reference.step(SMALL, dealt, rows, regrets, averages)
        reference.discount(regrets, averages, k + 1, 1.5, 0.5, 2)
        run.advance(1)
        for fast, plain in ((run.state.regrets, regrets), (run.state.averages, averages)):
            for found, wanted in zip(run.in_tree_order(fast), plain, strict=True):
                np.testing.assert_allclose(found, wanted, rtol=1e-3, atol=1e-4 * np.abs(wanted).max())


@pytest.mark.parametrize("opponent", ["self", "best"])
def test_a_river_street_is_the_references(opponent):
    """Self-play and CFR-BR on levels of equity, board by board; and what a best response wins from the average."""
    fast = SafeGame(equity_levels(LEVELS), np.zeros((169, 169)), 3)
    state, tree, river = fast.start(), fast.tree, fast.learner.street(3, [])
    regrets, averages = empty(tree, (1, 1, 1, LEVELS)), empty(tree, (1, 1, 1, LEVELS))
    for k, board in enumerate(BOARDS):
        dealt = reference.deal(board)
        rows = np.zeros((4, len(dealt.holes)), dtype=int)
        rows[3] = river.row[river_equities(board)[dealt.holes]]
        reference.step(tree, dealt, rows, regrets, averages, opponent, weight=(k + 1) / 100)
        state = fast.train(state, BOARDS[k : k + 1], opponent)
        for node in reference.decisions(tree):
            infosets, labels = river.of[:, river.situation[node]], tree.label[children(tree, node)]
            for found, wanted in ((state.regrets, regrets), (state.averages, averages)):
                plain = wanted[3][:, columns(tree, node)]
                np.testing.assert_allclose(found[3][infosets][:, labels], plain, rtol=1e-3, atol=1e-4 * np.abs(plain).max())
    won = reference.exploitability(tree, dealt, reference.chances(tree, reference.strategy(tree, averages), rows))
    assert fast.exploitability(state, BOARDS[2:])[0] == pytest.approx(won, rel=1e-4)


def test_training_against_best_responses_loses_less_to_them():
    """On the boards trained on, with each equity a level: CFR-BR ends below self-play, and below where it began."""
    tree, lost = river_tree(), {}

    def rows_on(board, holes):
        return np.array([np.zeros(len(holes), dtype=int)] * 3 + [river_equities(board)[holes] * LEVELS // 1981])

    for opponent in ("self", "best"):
        learnt = reference.train(tree, [BOARDS[0]] * 12, rows_on, (1, 1, 1, LEVELS), opponent)
        dealt = reference.deal(BOARDS[0])
        lost[opponent] = reference.exploitability(tree, dealt, reference.chances(tree, learnt, rows_on(BOARDS[0], dealt.holes)))
    assert lost["best"] < lost["self"]
