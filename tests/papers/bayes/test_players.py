"""Players of batches of hands against the rules hand by hand and pokerkit; beliefs; matches."""

from functools import partial

import numpy as np
import pytest
from pokerkit_table import PokerkitTable

from faceup.cards.cards import BOARD_CARDS, CLASS_OF_HOLE, hole_index
from faceup.holdem.buckets import Buckets
from faceup.holdem.policy import FixedPolicy
from faceup.holdem.rules import CALL, DECISION, FOLD, FOLD_END, START, act
from faceup.papers.bayes.deals import deal_hands, dollars, play_deals
from faceup.papers.bayes.enumeration import odds_bins
from faceup.papers.bayes.model import Evaluator, make_model
from faceup.papers.bayes.players import (
    CARRIED,
    FIXED,
    BlueprintSeat,
    MeuSeat,
    OddsSeat,
    deal_bins,
    play_matches,
    play_pairs,
)
from faceup.papers.bayes.strategies import FINE
from faceup.util.rng import rng

STREAM = partial(rng, 1, "test")

SHIFTS = {"reserved": 0.1, "active": -0.1, "bluff": -0.3}


@pytest.fixture(scope="module")
def evaluator(counts, moves):
    return Evaluator(make_model(counts, 10, tuple(SHIFTS.values()), 0.02), moves)


def ended(odds, shifts):
    """Dollars put in and who folded (-1: nobody), by the rules, from both players' odds."""
    state = START
    while state is not None:
        own, other = (state.bets[p][state.street] for p in (state.actor, 1 - state.actor))
        limits = [limit + shifts[state.actor] for limit in (0.2, 0.4, 0.6, 0.8)]
        rank = sum(odds[state.actor][state.street] >= limit - 1e-12 for limit in limits)
        raise_to, call_to = ((0, 0), (0, 1), (1, 2), (2, 3), (3, 4))[rank]
        size = 100 if state.street < 2 else 200
        level = max(own, other) // size
        if level < raise_to:
            state, kind = act(state, "raise", max(own, other) + size)
        elif own == other or level <= call_to:
            put = [
                sum(b) + (max(own, other) - own) * (p == state.actor)
                for p, b in enumerate(state.bets)
            ]
            state, kind = act(state, "call")
        else:
            return [sum(b) for b in state.bets], state.actor
    return put, -1


def test_types_play_by_the_rules(moves, equities, hole_equities):
    """Each deal has types of its own."""
    deals = deal_hands(equities, 400, np.random.default_rng(1))
    shifts = np.random.default_rng(0).choice([0, *SHIFTS.values()], (2, 400))
    seats = tuple(OddsSeat(moves, equities, s) for s in shifts)
    ends = play_deals(moves.tree, seats, deals, np.random.default_rng(2))
    for k, end in enumerate(ends):
        odds = np.zeros((2, 4))
        for player in range(2):
            assert deals.holes[k, player] == hole_index(
                *deals.cards[k, 2 * player : 2 * player + 2]
            )
            for street in range(4):
                board = deals.cards[k, 4 : 4 + BOARD_CARDS[street]]
                equity = hole_equities(street, board.tolist())[deals.holes[k, player]]
                assert (
                    odds_bins(street, equity, FINE)
                    == deal_bins(equities, deals, player, FINE)[street, k]
                )
                odds[player, street] = odds_bins(street, equity, FINE) / FINE
        put, folder = ended(odds, shifts[:, k])
        assert moves.tree.bets[end].sum(axis=1).tolist() == put
        assert (moves.tree.actor[end] if moves.tree.kind[end] == FOLD_END else -1) == folder


def test_chips_are_those_of_the_rules_engine(moves, equities):
    """Always-call against always-raise: each hand again in pokerkit's fixed-limit hold'em."""
    tree, deals = moves.tree, deal_hands(equities, 40, np.random.default_rng(3))
    seats = tuple(
        BlueprintSeat(moves, FixedPolicy(tree, label).tables) for label in (CALL, CALL + 1)
    )
    won = dollars(tree, deals, play_deals(tree, seats, deals, np.random.default_rng(4)))
    for i, cards in enumerate(deals.cards.tolist()):
        hand = PokerkitTable(cards, limit=True)
        while not hand.over:
            hand.act(*(("raise", hand.raises[0]) if hand.actor and hand.raises[0] else ("call",)))
        assert won[i] == hand.payoffs[0]
    assert (won > 0).any() and (won < 0).any()


def test_a_table_is_drawn_as_it_says(moves, equities):
    """A table that calls with pairs and mostly raises with all else preflop, then calls."""
    tree = moves.tree
    n_buckets, pairs = (169, 1, 1, 1981), np.arange(169) % 14 == 0
    rows = [
        np.repeat(row, n, axis=0)
        for row, n in zip(FixedPolicy(tree, CALL).tables, n_buckets, strict=True)
    ]
    rows[0][~pairs, :3] = [0, 0.25, 0.75]
    buckets = Buckets(
        np.zeros((1755, 1326), dtype=np.int32), np.zeros((16432, 1326), dtype=np.int32), n_buckets
    )
    seat = BlueprintSeat(moves, rows, buckets)
    deals = deal_hands(equities, 4000, np.random.default_rng(4))
    act, u = seat.start(deals, 0), np.random.default_rng(1).random(4000)
    drawn = tree.label[act(0, np.arange(4000), np.zeros(4000, dtype=np.int64), u)]
    paired = pairs[CLASS_OF_HOLE[deals.holes[:, 0]]]
    assert (drawn[paired] == 1).all()
    assert (drawn[~paired] == 2).mean() == pytest.approx(0.75, abs=0.03)
    ends = play_deals(tree, (seat, seat), deals, np.random.default_rng(5))
    assert (tree.kind[ends] != DECISION).all() and (tree.kind[ends] != FOLD_END).all()


def test_beliefs_after_a_hand_are_products_of_its_rounds(evaluator, moves, equities):
    """Prior times each round's likelihood: by cards after a showdown, else by the odds."""
    deals, tree = deal_hands(equities, 300, np.random.default_rng(6)), moves.tree
    prior = np.tile([0.5, 0.3, 0.2], (300, 1))
    player = MeuSeat(evaluator, equities, True, prior)
    ends = play_deals(
        tree, (OddsSeat(moves, equities, np.array([-0.1])), player), deals, np.random.default_rng(7)
    )
    found = player.belief_after(deals, 1, ends)
    own, theirs = deal_bins(equities, deals, 1, 10), deal_bins(equities, deals, 0, 10).astype(int)
    for k, end in enumerate(ends):
        weights, at = prior[k].copy(), end
        for street in range(tree.street[end], -1, -1):
            place = moves.place[at]
            by_odds = evaluator.by_own_odds[street, 1, place, own[street, k]]
            by_cards = evaluator.by_odds[street, 1, place, theirs[street, k]]
            weights *= by_odds if tree.kind[end] == FOLD_END else by_cards
            while at > 0 and tree.street[tree.parent[at]] == street:
                # up to where the round began, which is where the one before ended
                at = tree.parent[at]
        np.testing.assert_allclose(found[k], weights / weights.sum(), atol=1e-12)


def test_a_carried_belief_finds_the_type(evaluator, moves, equities):
    fixed = play_matches(
        evaluator, equities, OddsSeat(moves, equities, np.array([0.1])), FIXED, 30, 4, STREAM
    )
    # a fixed one learns nothing
    assert fixed.types == pytest.approx(np.full(fixed.types.shape, 1 / 3))
    for k, shift in enumerate(SHIFTS.values()):
        seat = OddsSeat(moves, equities, np.array([shift]))
        match = play_matches(evaluator, equities, seat, CARRIED, 40, 12, STREAM)
        assert match.types[0].mean(axis=(0, 1)).tolist() == pytest.approx([1 / 3] * 3)
        assert match.types[-1, :, :, k].mean() > 0.9


def test_pairs(moves, equities):
    """Always-fold loses 500 as dealer, 1,000 as big blind; swapping players turns signs."""
    fold, push = (
        BlueprintSeat(moves, FixedPolicy(moves.tree, label).tables) for label in (FOLD, CALL + 1)
    )
    types = [OddsSeat(moves, equities, np.array([s])) for s in (0.1, -0.3)]
    seats = [push, fold, *types]
    found = play_pairs(moves, equities, seats, 5000, STREAM)
    assert found[0, 1].tolist() == [750, 0] and np.isnan(found[0, 0]).all()
    np.testing.assert_allclose(
        play_pairs(moves, equities, seats[::-1], 5000, STREAM)[::-1, ::-1], found, atol=1e-9
    )
    assert found[2, 3, 0] == -found[3, 2, 0] and 0 < found[2, 3, 1] < 150
