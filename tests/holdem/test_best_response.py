"""Best responses with real cards against values found another way."""

from itertools import permutations

import numpy as np
import pytest
from games import PUSH, SMALL, RandomPolicy, node_values, preflop_edges
from numpy.testing import assert_allclose, assert_array_equal

from faceup.cards.cards import (
    CLASS_OF_HOLE,
    HOLE_CARDS,
    SUIT_PERMUTATIONS,
    canonical_boards,
    cards_up_to_suits,
    fixing_permutations,
)
from faceup.holdem.best_response import FlopValues, Responder, next_street_nodes, turn_weights
from faceup.holdem.betting_tree import build_tree, children, decision_nodes
from faceup.holdem.exploitability import (
    Exploitability,
    FlopSample,
    difference,
    exploitability,
    sample_flops,
    summarize,
)
from faceup.holdem.policy import FixedPolicy, river_equities
from faceup.holdem.rules import DECISION, FOLD, FOLD_END, BettingState, menu_from
from faceup.holdem.showdown import free_holes
from faceup.util.stats import student_95

# three twos: three suits may be renamed, so that few turns and rivers are left to play
SYMMETRIC = [0, 1, 2]
IDENTITY = np.flatnonzero((SUIT_PERMUTATIONS == np.arange(4)).all(axis=1))
FLOPS = np.array([[0, 1, 2], [48, 49, 50], [24, 25, 26], [36, 37, 38]])


@pytest.fixture(scope="module")
def answered(all_in_wins):
    """The responder to a random policy that treats suits alike, and its values on a flop."""
    responder = Responder(PUSH, RandomPolicy(PUSH, 5, n_rows=1), all_in_wins)
    return responder, responder.flop(SYMMETRIC)


def test_always_all_in_is_known_exactly(all_in_wins):
    """By the equities of 169 hands, on a few flops."""
    sample, push = FlopSample(FLOPS, None), FixedPolicy(PUSH, len(PUSH.labels) - 1)
    (found,) = exploitability(PUSH, push, sample, all_in_wins)
    called = 20_000 * preflop_edges(all_in_wins)
    known = 10 * np.mean([np.maximum(called, -blind).mean() for blind in (50, 100)])
    assert known == pytest.approx(15_661, abs=1)
    assert found.mbb == pytest.approx(known, rel=1e-4)
    assert found.ci95 < 1


def test_always_call_pays_for_every_good_river(all_in_wins):
    """The best response checks to the river, then goes all-in where equity is above a half."""
    flop = Responder(PUSH, FixedPolicy(PUSH, 1), all_in_wins).flop(SYMMETRIC)
    expected = np.zeros(1326)
    for later in permutations(range(3, 52), 2):
        board = [*SYMMETRIC, *later]
        edge = 2 * river_equities(board) / 1980 - 1
        expected += free_holes(board) * 990 * np.maximum(20_000 * edge, 100 * edge) / (45 * 44)
    by_class = np.bincount(CLASS_OF_HOLE, weights=expected, minlength=169)
    limped = [i for i, node in enumerate(next_street_nodes(PUSH, 0)) if PUSH.kind[node] == DECISION]
    for player in range(2):
        assert_allclose(flop.values[0, player, limped], by_class[None], rtol=1e-4, atol=100)
    assert flop.pairs.sum() == 1176 * 1081


# trees that begin on the flop and on the turn with $300 from each player in the pot
BEGUN = [BettingState(street, 1, ((300, 0, 0, 0), (300, 0, 0, 0)), 0, 100, 0) for street in (1, 2)]
FLOP_ON = build_tree(menu_from([[]], [[]], [[]], [[]]), BEGUN[0])
TURN_ON = build_tree(menu_from([[]], [[]], [[1], []], [[1], []]), BEGUN[1])


def climb(tree, node, value) -> None:
    """Fill a decision's values: the best action's to the actor, the sum to the other player."""
    who, below = tree.actor[node], children(tree, node)
    value[who, node] = value[who, below].max(axis=0)
    value[1 - who, node] = value[1 - who, below].sum(axis=0)


def test_a_flop_is_worth_the_mean_of_all_its_turns_and_the_best_of_its_actions(all_in_wins):
    """All 49 turn cards and 48 rivers one by one: folding suits changes nothing."""
    tree, flop = FLOP_ON, [0, 4, 8]
    responder = Responder(tree, RandomPolicy(tree, 5, n_rows=1), all_in_wins)
    reach, free = responder._forward(flop), free_holes(flop)
    apart = np.array([free_holes(pair) for pair in HOLE_CARDS])
    turns = [card for card in range(52) if card not in flop]
    expected = sum(responder._turn(flop, card, IDENTITY, reach)[0] for card in turns) / 45
    for node in np.flatnonzero((tree.kind == FOLD_END) & (tree.street == 1)):
        for player, sign in ((tree.actor[node], -1), (1 - tree.actor[node], 1)):
            lost, others = tree.bets[node, tree.actor[node]].sum(), apart @ reach[1 - player, node]
            expected[player, node] = sign * lost * others * free
    for node in decision_nodes(tree, 1)[::-1]:
        climb(tree, node, expected)
    nodes = [*decision_nodes(tree, 1), *next_street_nodes(tree, 1)]
    assert_allclose(responder._flop(flop)[0][:, nodes], expected[:, nodes], rtol=1e-4, atol=50)


class OwnRivers(RandomPolicy):
    """On each river card another table, in which most hands have a row of their own."""

    def __init__(self):
        super().__init__(TURN_ON, 8)
        self.rivers = [RandomPolicy(TURN_ON, card, n_rows=1326) for card in range(52)]

    def street_rows(self, street, board, wanted=None):
        return (self.rivers[board[4]] if street == 3 else super()).street_rows(street, board)


def test_values_on_a_turn_against_brute_force(all_in_wins):
    """Two sizes; every river by plain numpy, the responder's turn choices made over all of them."""
    tree, board, policy = TURN_ON, [0, 1, 2, 4], OwnRivers()
    turns = decision_nodes(tree, 2)
    expected = np.zeros((2, len(tree.kind), 1326))
    for river in (c for c in range(52) if c not in board):
        holes, values = node_values(tree, [policy] * 2, [*board, river], best=(0, 1))
        expected[:, :, holes] += values / 44
    for node in turns[::-1]:
        climb(tree, node, expected)
    responder = Responder(tree, policy, all_in_wins)
    (value,) = responder._turn(board[:3], board[3], IDENTITY, responder._forward(board[:3]))
    assert_allclose(value[:, turns], expected[:, turns], rtol=2e-4, atol=200)


def test_fewer_sizes_win_less_and_the_policy_keeps_its_own(all_in_wins):
    victim = RandomPolicy(SMALL, 7, n_rows=1)
    found = Responder(SMALL, victim, all_in_wins, [None, [], [1]]).flop(SYMMETRIC)
    more, less, pots = found.values
    assert (less <= more + 1).all() and less.sum() < more.sum()
    assert_array_equal(pots, more)
    alone = Responder(SMALL, victim, all_in_wins, [[]]).flop(SYMMETRIC)
    assert_array_equal(alone.values[0], less)
    for sizes in (1, "1", [[1]], [None], [3], [True]):
        with pytest.raises(ValueError, match=r"sizes: .*, expected some of the tree's .'raise_1'"):
            Responder(SMALL, victim, all_in_wins, [sizes])


def test_folding_suits_keeps_every_card():
    """63,193 flops and turns stand for all: 49 turns to each flop."""
    flops = canonical_boards(3).cards.astype(int).tolist()
    turns = [
        [
            len(images)
            for _, images in cards_up_to_suits(flop, fixing_permutations(flop, np.arange(24)))
        ]
        for flop in flops
    ]
    assert {sum(of_flop) for of_flop in turns} == {49} and sum(map(len, turns)) == 63_193


def test_all_turn_cards_given_are_all_turn_cards_and_a_sample_weighs_each_alike(all_in_wins):
    responder = Responder(PUSH, RandomPolicy(PUSH, 5, n_rows=1), all_in_wins)
    every = [card for card in range(52) if card not in SYMMETRIC]
    for one, other in zip(responder.flop(SYMMETRIC), responder.flop(SYMMETRIC, every), strict=True):
        assert_array_equal(one, other)
    flop = [0, 4, 8]
    fixed, mean = fixing_permutations(flop, np.arange(24)), np.zeros(52)
    for card in (card for card in range(52) if card not in flop):  # one turn card, each in turn
        weights = turn_weights(flop, fixed, [card])
        assert sum(weight * len(images) for _, images, weight in weights) == pytest.approx(49)
        for turn, images, weight in weights:
            mean[[4 * (turn // 4) + SUIT_PERMUTATIONS[p, turn % 4] for p in images]] += weight / 49
    assert mean == pytest.approx((~np.isin(np.arange(52), flop)).astype(float))
    # a heart or a club or a spade of a diamond flop is one kind
    assert len(turn_weights(flop, fixed, [16, 17, 18, 18])) == 2


def test_a_hole_that_blocks_turn_cards_is_worth_as_much_as_the_others(all_in_wins):
    """A bet after two checks wins the big blind, 100 dollars, from each of 1,081 holes."""
    responder, flop = Responder(PUSH, FixedPolicy(PUSH, FOLD), all_in_wins), [0, 4, 8]
    value = responder._flop(flop, [51, 50, 13])
    checked = [
        node
        for node in next_street_nodes(PUSH, 1)
        if PUSH.kind[node] == DECISION and PUSH.bets[node].sum() == 200
    ]
    assert_allclose(value[0, 0, checked][:, free_holes(flop)], 100 * 1081, rtol=1e-5)


def test_sample_of_flops_is_even():
    ids, counts = np.unique(
        sample_flops(22_100, np.random.default_rng(1)), axis=0, return_counts=True
    )
    assert len(ids) == 1755 and sorted(counts) == sorted(canonical_boards(3).multiplicity)


def test_with_each_flop_left_out_the_others_choose_and_are_valued(answered):
    """A true delete-one jackknife: the rest is estimated as if the flop had not been drawn."""
    (responder, flop), rng = answered, np.random.default_rng(2)

    def noisy(array):
        """Other values on each flop, so that choices differ."""
        return array + rng.normal(size=array.shape) * np.abs(array).mean()

    flops = [FlopValues(noisy(flop.values), noisy(flop.values[0]), flop.pairs) for _ in range(5)]
    found = summarize(responder, flops)
    for k, without in enumerate(found.jackknife_replicates):
        alone = summarize(responder, flops[:k] + flops[k + 1 :])
        assert without == pytest.approx(alone.seats, rel=1e-9)
    assert found.ci95 == pytest.approx(
        student_95(5) * 2 * np.std(np.mean(found.jackknife_replicates, axis=1))
    )
    # the choices before the flop saw the flops that value them
    assert found.in_sample > found.mbb + 1


def test_a_choice_made_in_sample_is_that_of_the_mean_flop(answered):
    """Equal flops leave nothing to overfit; else the action that is best on the sum is taken."""
    (responder, flop), rng = answered, np.random.default_rng(3)
    flop = flop._replace(control_variate=0 * flop.control_variate)
    assert summarize(responder, [flop] * 3).in_sample == pytest.approx(
        summarize(responder, [flop] * 3).mbb, rel=1e-9
    )
    flops = [
        flop._replace(values=flop.values * rng.uniform(0.2, 2, flop.values.shape)) for _ in range(4)
    ]
    mean = flop._replace(values=np.mean([one.values for one in flops], axis=0))
    assert summarize(responder, flops).in_sample == pytest.approx(
        summarize(responder, [mean] * 4).mbb, rel=1e-9
    )


def test_differences_on_the_same_flops():
    """A constant apart on every flop is certain; an interval is Student's t."""
    left_out = np.array(
        [[(20.0, 10.0, 60.0)[k] for k in range(3) if k != j] for j in range(3)]
    ).mean(axis=1)
    replicates = tuple((x, x) for x in left_out)
    one = Exploitability(30.0, 0.0, (30.0, 30.0), 3, 0.0, replicates, (0.0, 0.0))
    less = one._replace(
        mbb=25.0, seats=(20.0, 30.0), jackknife_replicates=tuple((x - 10, x) for x in left_out)
    )
    none = one._replace(mbb=0.0, seats=(0.0, 0.0), jackknife_replicates=((0.0, 0.0),) * 3)
    assert difference(one, less) == pytest.approx((5, 0)) and difference(one, one) == (0, 0)
    assert difference(one, none) == pytest.approx(
        (30, 4.302653 * np.std([20, 10, 60], ddof=1) / np.sqrt(3))
    )
