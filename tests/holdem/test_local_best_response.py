"""Local best responses by hand, and never more than a best response wins."""

import numpy as np
import pytest
from games import PUSH, RandomPolicy, pair_outcomes, preflop_edges
from pokerkit import parse_range

from faceup.cards.cards import CLASS_OF_HOLE, HOLE_CARDS, hole_index, parse_cards
from faceup.cards.matchups import RUNOUTS_PREFLOP
from faceup.holdem.agents import FunctionAgent, PolicyAgent
from faceup.holdem.exploitability import FlopSample, exploitability, sample_flops
from faceup.holdem.local_best_response import (
    LBR_SETTINGS,
    LocalResponder,
    Lookahead,
    Showdowns,
    lbr_on_boards,
)
from faceup.holdem.match import random_boards
from faceup.holdem.policy import FixedPolicy
from faceup.holdem.rules import CALL, FOLD, START, menu_from
from faceup.holdem.showdown import compatible_weight, free_holes

BOARDS = random_boards(6, np.random.default_rng(5)).tolist()
ALL_IN_FIRST = Lookahead((0,), ())


def test_edges_against_phevaluator_and_the_equities_of_starting_hands(all_in_wins):
    """One river, and a turn: a pair of holes has the mean over the 44 rivers that both leave."""
    board = BOARDS[0]
    found = Showdowns(board, all_in_wins)
    weights = np.random.default_rng(0).random((2, 1326))
    expected, turn_free = np.zeros_like(weights), free_holes(board[:4])
    for river in (c for c in range(52) if c not in board[:4]):
        holes, outcome = pair_outcomes([*board[:4], river])
        edges = weights[:, holes] @ np.nan_to_num(outcome).T
        expected[:, holes] += edges / 44
        if river == board[4]:
            np.testing.assert_allclose(
                found.net_wins(3, weights * free_holes(board))[:, holes], edges, atol=2e-3
            )
    np.testing.assert_allclose(
        found.net_wins(2, weights * turn_free)[:, turn_free], expected[:, turn_free], atol=2e-3
    )
    before_the_flop = found.net_wins(0, np.ones((1, 1326)))[0] / 1225
    np.testing.assert_allclose(before_the_flop, preflop_edges(all_in_wins), atol=1e-12)


RANGES = (
    "88+ A8s+ A5s:.5 A4s:.5 A3s:.5 A2s:.5 AJo+ ATo:.75 K9s+ KQo KJo:.75 KTo:.25 Q9s+ "
    "QJo:.5 J8s+ JTo:.25 T8s+ T7s:.45 97s+ 96s:.45 87s 86s:.75 85s:.45 75s+:.75 74s:.45 "
    "65s:.75 64s:.5 63s:.45 54s:.75 53s:.5 52s:.45 43s:.5 42s:.45 32s:.45",
    "AA:.25 99-22 AJs ATs A9s A8s A7s A6s A5s A4s A3s A2s AQo AJo ATo A9o A8o K2s+ K9o+ "
    "Q2s+ Q9o+ J6s+ J9o+ T6s+ T9o 96s+ 95s:.5 98o 86s+ 85s:.5 75s+ 74s:.5 64s+ 63s:.5 54s "
    "53s:.5 43s",
)


def test_the_equity_of_two_ranges_on_a_flop_is_that_of_piosolver(all_in_wins):
    """`solve_pio_preset_normal` of b-inary/postflop-solver, "verified by PioSOLVER Free"."""
    flop, weights = parse_cards("QsJh2h"), np.zeros((2, 1326))
    for text, own in zip(RANGES, weights, strict=True):
        for hands, _, weight in (part.partition(":") for part in text.split()):
            for hole in parse_range(hands):
                own[hole_index(*parse_cards("".join(map(repr, hole))))] = float(weight or 1)
    mine, theirs = weights * free_holes(flop)
    edge = Showdowns([*flop, 0, 1], all_in_wins).net_wins(1, theirs[None])[0]
    assert (1 + mine @ edge / (mine @ compatible_weight(theirs[None])[0])) / 2 == pytest.approx(
        0.55347, abs=1e-5
    )


def test_always_fold_and_always_call_by_hand(all_in_wins):
    """The responder raises at the start, and wins 100 or 50 each time from who folds.

    From who calls: all-in where equity is above a half, from the 169 equities; the other hands are
    checked down for a blind each.
    """
    folds, calls = (PolicyAgent(PUSH, FixedPolicy(PUSH, label)) for label in (FOLD, CALL))
    found = lbr_on_boards(folds, {"": ALL_IN_FIRST}, BOARDS, all_in_wins)[""]
    assert found.mbb == pytest.approx(750) and found.ci95 == pytest.approx(0, abs=1e-9)
    edge = preflop_edges(all_in_wins)
    for board in BOARDS[:3]:
        holes, outcome = pair_outcomes(board)
        down = np.nansum(outcome, axis=1)[edge[holes] <= 0].sum() * 100 / (1081 * 990)
        expected = 20_000 * np.maximum(edge, 0).mean() + down
        responder = LocalResponder(calls, ALL_IN_FIRST, Showdowns(board, all_in_wins))
        assert responder.play() == pytest.approx((expected, expected), rel=1e-6)
        # all-in with every hand above a half, in both seats
        assert responder.bets.tolist() == [[2 * 1326 * (edge > 0).sum()], [0], [0], [0]]


def half_folds(hole: str, board: str, betting: str) -> dict[str, float]:
    """Folds every other starting hand to a raise, else checks and calls."""
    return {"fold" if CLASS_OF_HOLE[hole_index(*parse_cards(hole))] % 2 else "call": 1}


def test_one_decision_by_hand(all_in_wins):
    """The formula of Lisy & Bowling before the flop, where half of the hands fold to a raise."""
    agent = FunctionAgent(half_folds, menu_from([[]], [[]], [[]], [[]]))
    responder = LocalResponder(agent, Lookahead((0,), (1,)), Showdowns(BOARDS[0], all_in_wins))
    worth = responder.action_values(START, [("", np.ones(1326))], [300, 20_000])
    table, stays = (all_in_wins - all_in_wins.T) / RUNOUTS_PREFLOP, np.arange(169) % 2 == 0
    for hole in (0, 77, 1325):
        k = CLASS_OF_HOLE[hole]
        apart = np.bincount(
            CLASS_OF_HOLE, weights=~np.isin(HOLE_CARDS, HOLE_CARDS[hole]).any(axis=1), minlength=169
        )
        equity, left = table[k] / np.bincount(CLASS_OF_HOLE)[k], apart[stays].sum()
        wp = 0.5 + equity.sum() / (2 * 1225)
        wp_after = 0.5 + equity[stays].sum() / (2 * left)
        fp = 1 - left / 1225
        assert worth[0, hole] / 1225 == pytest.approx(wp * 150 - (1 - wp) * 50)
        for row, a in ((1, 200), (2, 19_900)):
            expected = fp * 150 + (1 - fp) * (wp_after * (150 + a) - (1 - wp_after) * (50 + a))
            assert worth[row, hole] / 1225 == pytest.approx(expected)


def test_never_more_than_a_best_response_and_subsets_of_holes_win_together_what_all_win(
    all_in_wins,
):
    """On the responder's own tree, intervals apart."""
    victim = RandomPolicy(PUSH, 2, n_rows=1)
    asked = PolicyAgent(PUSH, victim)
    sample = FlopSample(sample_flops(4, np.random.default_rng(3)), None)
    (best,) = exploitability(PUSH, victim, sample, all_in_wins)
    local = lbr_on_boards(asked, {"": Lookahead((0, 1, 2, 3), ())}, BOARDS, all_in_wins)[""]
    assert 0 < local.mbb - local.ci95 < best.mbb + best.ci95
    free = np.flatnonzero(free_holes(BOARDS[2]))
    parts = [free, *(free[start::4] for start in range(4))]
    whole, *won = [
        LocalResponder(asked, LBR_SETTINGS["fcpa"], Showdowns(BOARDS[2], all_in_wins, part)).play()
        for part in parts
    ]
    np.testing.assert_allclose(
        np.average(won, axis=0, weights=[*map(len, parts[1:])]), whole, rtol=1e-6
    )
