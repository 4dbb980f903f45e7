"""Local best responses: known strategies by hand, one decision by hand, and never more than a best response wins."""

import numpy as np
import pytest
from games import PUSH, RandomPolicy, exploitability, pair_outcomes, preflop_edges

from faceup.cards.cards import CLASS_OF_HOLE, HOLE_CARDS
from faceup.cards.matchups import RUNOUTS_PREFLOP
from faceup.holdem.agents import PolicyAgent
from faceup.holdem.best_response import sample_flops
from faceup.holdem.local_response import SETTINGS, LocalResponder, Lookahead, Showdowns, _Board, local_best_responses
from faceup.holdem.match import random_boards
from faceup.holdem.policy import Agent, FixedPolicy, compatible_weight
from faceup.holdem.rules import FOLD, START, menu_from

BOARDS = random_boards(6, np.random.default_rng(5)).tolist()
ALL_IN_FIRST, CALLS = Lookahead((0,), (), True), SETTINGS["fc, rounds 1-4"]


def fixed(label):
    return PolicyAgent(PUSH, FixedPolicy(PUSH, label))


def bound(strategy, setting, wins):
    """What one local best responder wins on the boards."""
    return local_best_responses({"": LocalResponder(strategy, setting)}, BOARDS, wins)[""]


def test_edges_on_river_and_turn_against_phevaluator(all_in_wins):
    """One river; and a turn as the mean over its rivers, each pair of holes over the 44 that both leave."""
    board = BOARDS[0]
    found = Showdowns(board, all_in_wins)
    weights = np.random.default_rng(0).random((2, 1326))
    holes, outcome = pair_outcomes(board)
    on_board = np.zeros_like(weights)
    on_board[:, holes] = weights[:, holes]
    np.testing.assert_allclose(found.edges(3, on_board)[:, holes], on_board[:, holes] @ np.nan_to_num(outcome).T, atol=1e-9)
    turn_free = ~np.isin(HOLE_CARDS, board[:4]).any(axis=1)
    expected = np.zeros_like(weights)
    for river in (c for c in range(52) if c not in board[:4]):
        holes, outcome = pair_outcomes([*board[:4], river])
        expected[:, holes] += weights[:, holes] @ np.nan_to_num(outcome).T / 44
    np.testing.assert_allclose(found.edges(2, weights * turn_free)[:, turn_free], expected[:, turn_free], atol=2e-3)


def test_edges_before_the_flop_are_the_equities(all_in_wins):
    edge = Showdowns(BOARDS[0], all_in_wins).edges(0, np.ones((1, 1326)))[0] / 1225
    np.testing.assert_allclose(edge, preflop_edges(all_in_wins), atol=1e-12)


def test_flop_edges_are_means_of_turn_edges(all_in_wins):
    """A pair's edge on the flop is the mean over the 45 turns that both leave."""
    flop = BOARDS[1][:3]
    one = np.zeros((1, 1326))
    one[0, villain := 700] = 1
    total = np.zeros(1326)
    for turn in (c for c in range(52) if c not in flop and c not in HOLE_CARDS[villain]):
        river = next(c for c in range(52) if c not in (*flop, turn, *HOLE_CARDS[villain]))
        free = ~(HOLE_CARDS == turn).any(axis=1)
        total += free * Showdowns([*flop, turn, river], all_in_wins).edges(2, one)[0]
    apart = (compatible_weight(one)[0] > 0) & ~np.isin(HOLE_CARDS, flop).any(axis=1)
    found = Showdowns(BOARDS[1], all_in_wins).edges(1, one)[0]
    np.testing.assert_allclose(found[apart], total[apart] / 45, atol=1e-4)


def test_always_fold_loses_the_blinds(all_in_wins):
    """With a raise at the start it wins 100 or 50 each time; calls only, it wins the big blind's 50 and checks the rest down."""
    found = bound(fixed(FOLD), ALL_IN_FIRST, all_in_wins)
    assert found.mbb == pytest.approx(750) and found.ci95 == pytest.approx(0, abs=1e-9)
    calling = LocalResponder(fixed(FOLD), CALLS)
    for board in BOARDS:  # limps as small blind, and all is checked: on one board all holes against all are even
        assert calling.play(Showdowns(board, all_in_wins)) == pytest.approx((0, 50), abs=1e-6)


def test_always_call_by_hand(all_in_wins):
    """All-in where equity is above a half, from the 169 equities; the other hands are checked down for a blind each."""
    responder = LocalResponder(fixed(1), ALL_IN_FIRST)
    edge = preflop_edges(all_in_wins)
    for board in BOARDS[:3]:
        holes, outcome = pair_outcomes(board)
        down = np.nansum(outcome, axis=1)[edge[holes] <= 0].sum() * 100 / (1081 * 990)
        expected = 20_000 * np.maximum(edge, 0).mean() + down
        assert responder.play(Showdowns(board, all_in_wins)) == pytest.approx((expected, expected), rel=1e-6)


def test_calls_alone_win_nothing_from_always_call(all_in_wins):
    assert bound(fixed(1), CALLS, all_in_wins).mbb == pytest.approx(0, abs=1e-6)


def test_one_decision_by_hand(all_in_wins):
    """Preflop against a strategy that folds half of its hands to a raise: the formula of Lisy & Bowling, hand by hand."""
    responder = _Board(
        HalfFolds(menu_from([[]], [[]], [[]], [[]])), Lookahead((0,), (1,), True), Showdowns(BOARDS[0], all_in_wins)
    )
    worth = responder.worth(START, [("", np.ones(1326))], [300, 20_000])
    combos = np.bincount(CLASS_OF_HOLE)
    table = (all_in_wins - all_in_wins.T) / RUNOUTS_PREFLOP
    for hole in (0, 77, 1325):
        k = CLASS_OF_HOLE[hole]
        stays = np.arange(169) % 2 == 0
        apart = np.bincount(CLASS_OF_HOLE, weights=~np.isin(HOLE_CARDS, HOLE_CARDS[hole]).any(axis=1), minlength=169)
        equity, left = table[k] / combos[k], apart[stays].sum()
        wp = 0.5 + equity.sum() / (2 * 1225)
        wp_after = 0.5 + equity[stays].sum() / (2 * left)
        fp = 1 - left / 1225
        assert worth[0, hole] / 1225 == pytest.approx(wp * 150 - (1 - wp) * 50)
        for row, a in ((1, 200), (2, 19_900)):
            expected = fp * 150 + (1 - fp) * (wp_after * (150 + a) - (1 - wp_after) * (50 + a))
            assert worth[row, hole] / 1225 == pytest.approx(expected)


class HalfFolds(Agent):
    """Folds every other starting hand to a raise, else checks and calls."""

    def legal(self, betting):
        return {"fold": 0, "call": 0}

    def answers(self, holes, board, betting):
        folds = CLASS_OF_HOLE[holes] % 2 == 1
        return np.stack([folds, 1.0 - folds, 0 * folds], axis=1)


def test_never_more_than_a_best_response(all_in_wins):
    """On the responder's own tree a local best response wins at most what a best response wins, intervals apart."""
    victim = RandomPolicy(PUSH, 2, n_rows=1)
    best = exploitability(PUSH, victim, sample_flops(4, np.random.default_rng(3)), preflop_wins=all_in_wins)
    local = bound(PolicyAgent(PUSH, victim), Lookahead((0, 1, 2, 3), (), True), all_in_wins)
    assert 0 < local.mbb - local.ci95 < best.mbb + best.ci95


def test_subsets_of_holes_win_together_what_all_holes_win(all_in_wins):
    responder = LocalResponder(PolicyAgent(PUSH, RandomPolicy(PUSH, 2, n_rows=1)), SETTINGS["fcpa, rounds 3-4"])
    showdowns, free = Showdowns(BOARDS[2], all_in_wins), np.flatnonzero(~np.isin(HOLE_CARDS, BOARDS[2]).any(axis=1))
    parts = [free[start::4] for start in range(4)]
    won = [responder.play(showdowns, part) for part in parts]
    mean = np.average(won, axis=0, weights=[len(part) for part in parts])
    np.testing.assert_allclose(mean, responder.play(showdowns, free), rtol=1e-9)
