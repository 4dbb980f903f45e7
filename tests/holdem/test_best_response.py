"""Best responses with real cards against values found another way."""

from itertools import permutations

import numpy as np
import pytest
from games import PUSH, SMALL, RandomPolicy, exploitability, node_reach, node_values, preflop_edges

from faceup.cards.cards import (
    CLASS_OF_HOLE,
    HOLE_CARDS,
    SUIT_PERMUTATIONS,
    canonical_boards,
    fixing_permutations,
    folded_cards,
    parse_cards,
)
from faceup.holdem.agents import AgentPolicy
from faceup.holdem.best_response import Exploitability, FlopValues, Responder, difference, sample_flops
from faceup.holdem.match import Table
from faceup.holdem.policy import Agent, FixedPolicy, class_reach, river_equities
from faceup.holdem.rules import BettingState, menu_from
from faceup.holdem.tree import build_tree, children, columns, decisions
from faceup.lab.stats import student_95

SYMMETRIC = [0, 1, 2]  # three twos: three suits may be renamed, so that few turns and rivers are left to play
IDENTITY = np.flatnonzero((SUIT_PERMUTATIONS == np.arange(4)).all(axis=1))
FLOPS = np.array([[0, 1, 2], [48, 49, 50], [24, 25, 26], [36, 37, 38]])


@pytest.fixture(scope="module")
def learnt():
    """A random policy that treats suits alike, a responder to it, and what a symmetric flop is worth to that."""
    victim = RandomPolicy(PUSH, 5, n_rows=1)
    responder = Responder(PUSH, victim)
    return victim, responder, responder.flop(SYMMETRIC)[0]


def small_flop(*menus):
    """What a symmetric flop of the small tree is worth to responders to a random policy."""
    return Responder(SMALL, RandomPolicy(SMALL, 7, n_rows=1), menus=menus).flop(SYMMETRIC)[0].values


def test_always_fold_loses_750():
    """Half the hands it folds the small blind to nothing, half the big blind to a raise."""
    found = exploitability(PUSH, FixedPolicy(PUSH, 0), FLOPS)
    assert found.mbb == pytest.approx(750, abs=1e-3)
    assert found.ci95 == pytest.approx(0, abs=1e-3)
    assert found.seats == pytest.approx((1000, 500), abs=1e-3)


def test_always_call_pays_for_every_good_river():
    """Against always-call wait for the river, then go all-in where equity is above a half: from the equities alone."""
    responder = Responder(PUSH, FixedPolicy(PUSH, 1))
    flop, expected = responder.flop(SYMMETRIC)[0], np.zeros(1326)
    for later in permutations(range(3, 52), 2):
        board = [*SYMMETRIC, *later]
        edge = 2 * river_equities(board) / 1980 - 1
        free = ~np.isin(HOLE_CARDS, board).any(axis=1)
        expected += free * 990 * np.maximum(20_000 * edge, 100 * edge) / (45 * 44)
    by_class = np.bincount(CLASS_OF_HOLE, weights=expected, minlength=169)
    limped = [i for i, node in enumerate(responder._frontier[0]) if PUSH.kind[node] == 0][0]
    for player in range(2):
        np.testing.assert_allclose(flop.values[0, player, limped], by_class, rtol=1e-4, atol=100)
    assert flop.pairs.sum() == 1176 * 1081


@pytest.mark.parametrize("player", [0, 1])
def test_best_response_played_out_earns_what_was_computed(learnt, player):
    """Its choices on a flop, played on random turns and rivers against the strategy, river choices by the slow oracle."""
    victim, responder, flop = learnt
    preflop = responder._preflop(player, flop.values[0, player], flop.pairs, responder._allowed[0])[0]
    at_flop, reach = responder._flop_nodes(SYMMETRIC)[0][0, player], responder._start(SYMMETRIC)
    rng = np.random.default_rng(1)
    won = []
    for _ in range(20):
        board = [*SYMMETRIC, *(3 + rng.permutation(49)[:2]).tolist()]
        at_turn = responder._turn_nodes(SYMMETRIC, board[3], IDENTITY, reach.copy())[0][0, player]
        at_river = np.zeros((len(PUSH.kind), 1326))
        holes, values = node_values(PUSH, [victim, victim], board, best=player)
        at_river[:, holes] = values[player]
        answer = PlayedOut([preflop[:, CLASS_OF_HOLE], at_flop, at_turn, at_river], player)
        paid = Table(PUSH, [answer, victim]).play(board)
        won.append(paid[0, 1] if player == 0 else -paid[1, 0])
    spread = np.std(won, ddof=1) / np.sqrt(len(won))
    computed = preflop[0].sum() / flop.pairs.sum()
    assert abs(np.mean(won) - computed) < 3 * spread
    assert spread < computed / 5


class PlayedOut:
    """A best responder's choices as a policy: 1 for the action after which its values, on each street of nodes, are largest."""

    def __init__(self, values: list[np.ndarray], player: int):
        self._values, self._player = values, player

    def street(self, street, board, wanted=None):
        start, end = PUSH.street_start[street : street + 2]
        rows = np.zeros((1326, end - start), dtype=np.float32)
        for node in decisions(PUSH, street, self._player):
            best = self._values[street][children(PUSH, node)].argmax(axis=0)
            rows[np.arange(1326), columns(PUSH, node).start + best] = 1
        return rows, np.arange(1326, dtype=np.int32)


TURN_ON = build_tree(menu_from([[]], [[]], [[1], []], [[1], []]), BettingState(2, 1, ((300, 0, 0, 0), (300, 0, 0, 0)), 0, 100, 0))


class OwnRivers(RandomPolicy):
    """On each river card another table, in which most hands have a row of their own."""

    def __init__(self):
        super().__init__(TURN_ON, 8)
        self.rivers = [RandomPolicy(TURN_ON, card, n_rows=1326) for card in range(52)]

    def street(self, street, board, wanted=None):
        return (self.rivers[board[4]] if street == 3 else super()).street(street, board)


def test_values_and_leaks_on_a_turn_against_brute_force():
    """Two sizes; every river of a turn board by plain numpy, the responder's turn choices made over all of them."""
    board, victim = [0, 1, 2, 4], OwnRivers()
    responder = Responder(TURN_ON, victim)
    (value,), (leaks,) = responder._turn_nodes(board[:3], board[3], IDENTITY, responder._start(board[:3]))
    expected, expected_leaks = slow_turn(TURN_ON, victim, board)
    roots = decisions(TURN_ON, 2)
    for player in range(2):
        np.testing.assert_allclose(value[player, roots], expected[player, roots], rtol=2e-4, atol=200)
    both = np.concatenate([roots, decisions(TURN_ON, 3)])
    np.testing.assert_allclose(leaks[both].sum(axis=1), expected_leaks[both], rtol=2e-3, atol=2000)


def slow_turn(tree, victim, board):
    """Values (2, n_nodes, 1326) of turn decisions to best responders, and leaks (n_nodes,) of turn and river."""
    n = len(tree.kind)
    total, leaks = np.zeros((2, n, 1326)), np.zeros(n)
    for river in (c for c in range(52) if c not in board):
        complete = [*board, river]
        holes, values = node_values(tree, [victim, victim], complete, best=(0, 1))
        reach = node_reach(tree, [victim, victim], complete, holes)
        for player, own in enumerate(reach):
            total[player][:, holes] += values[player] / 44
            for node in decisions(tree, 3, player):
                below = children(tree, node)
                gain = own[node] * values[player, node] - (own[below] * values[player, below]).sum(axis=0)
                leaks[node] += gain.sum() / 44
    free = np.flatnonzero(~np.isin(HOLE_CARDS, board).any(axis=1))
    own = node_reach(tree, [victim, victim], [*board, 51], free)
    for node in decisions(tree, 2)[::-1]:
        below = children(tree, node)
        who = tree.actor[node]
        total[who, node], total[1 - who, node] = total[who, below].max(axis=0), total[1 - who, below].sum(axis=0)
        gain = own[who, node] * total[who, node, free] - (own[who, below] * total[who, below][:, free]).sum(axis=0)
        leaks[node] = gain.sum()
    return total, leaks


class Timid(Agent):
    """Calls; on the river it folds to a bet half the time with one ace on the board, always with two."""

    def answers(self, holes, board, betting):
        fold = min(sum(card // 4 == 12 for card in board), 2) / 2 if len(board) == 5 else 0
        return np.tile([fold, 1 - fold, 0], (len(holes), 1))


def test_an_agent_is_answered_on_every_board_as_it_plays_there():
    """Its rows on a river with an ace are not those that it had on one without."""
    flops = np.array([parse_cards(text) for text in ("7h8d2s", "AhKd2s", "AhAd7s")])
    responder = Responder(PUSH, AgentPolicy(PUSH, Timid(menu_from([[]], [[]], [[]], [[]]))))
    assert responder.summarise([responder.flop(flop)[0] for flop in flops]).mbb == pytest.approx(49_443.9, abs=0.05)


def test_leaks_add_up_to_what_is_won(learnt):
    """On one flop: what a best responder wins, both seats, is what it wins over the strategy's own choices at each decision."""
    victim, responder, flop = learnt
    from_flop_on = (class_reach(PUSH, victim)[:, responder._frontier[0]] * flop.values).sum()
    assert flop.leaks.sum() == pytest.approx(from_flop_on, rel=1e-3)
    assert (flop.leaks >= -1).all()


def test_fewer_sizes_win_less_and_the_policy_keeps_its_own():
    """All menus are answered at once, each as if it were alone."""
    more, less, pots = small_flop(None, [], [1])
    assert (less <= more + 1).all() and less.sum() < more.sum()
    np.testing.assert_array_equal(pots, more)
    np.testing.assert_array_equal(small_flop([])[0], less)


def test_folding_suits_keeps_every_card():
    """63,193 flops and turns stand for all: 49 turns to each flop, and (tried on 40 flops) 48 rivers to each turn."""
    n_turns = 0
    for k, flop in enumerate(canonical_boards(3).cards.astype(int).tolist()):
        fixed = fixing_permutations(flop, np.arange(24))
        turns = folded_cards(flop, fixed)
        n_turns += len(turns)
        assert sum(len(images) for _, images in turns) == 49
        for turn, _ in turns[:3] if k % 45 == 0 else ():
            rivers = folded_cards([*flop, turn], fixing_permutations([turn], fixed))
            assert sum(len(images) for _, images in rivers) == 48
    assert n_turns == 63_193


def test_folding_suits_changes_nothing(monkeypatch):
    policy = RandomPolicy(PUSH, 4, n_rows=1)
    folded = Responder(PUSH, policy).flop([0, 4, 8])[0]
    monkeypatch.setattr("faceup.holdem.best_response.fixing_permutations", lambda cards, among: IDENTITY)
    plain = Responder(PUSH, policy).flop([0, 4, 8])[0]
    np.testing.assert_allclose(folded.values, plain.values, rtol=1e-4, atol=50)


def test_sample_of_flops_is_even():
    flops = sample_flops(22_100, np.random.default_rng(1))
    ids, counts = np.unique(flops, axis=0, return_counts=True)
    assert len(ids) == 1755 and counts.sum() == 22_100
    assert sorted(counts) == sorted(canonical_boards(3).multiplicity)


def test_with_each_flop_left_out_the_others_choose_and_are_valued(learnt):
    """A true delete-one jackknife: what is left is estimated as if the flop had never been drawn."""
    _, responder, flop = learnt
    rng = np.random.default_rng(2)

    def noisy(array):
        """Other values on each flop, so that choices differ."""
        return array + rng.normal(size=array.shape) * np.abs(array).mean()

    flops = [FlopValues(noisy(flop.values), noisy(flop.values[0]), noisy(flop.leaks), flop.pairs) for _ in range(5)]
    found = responder.summarise(flops)
    for k, without in enumerate(found.without):
        assert without == pytest.approx(responder.summarise(flops[:k] + flops[k + 1 :]).mbb, rel=1e-9)
    assert found.ci95 == pytest.approx(student_95(5) * 2 * np.std(found.without))


def test_differences_on_the_same_flops():
    """A constant apart on every flop is certain; an interval of a mean is Student's t; to itself there is no difference."""
    left_out = np.array([[(20.0, 10.0, 60.0)[k] for k in range(3) if k != j] for j in range(3)]).mean(axis=1)
    one = Exploitability(30.0, 0.0, (0.0, 0.0), 3, (), (), tuple(left_out))
    less = one._replace(mbb=25.0, without=tuple(left_out - 5))
    assert difference(one, less) == pytest.approx((5, 0))
    assert difference(one, one) == (0, 0)
    none = one._replace(mbb=0.0, without=(0.0, 0.0, 0.0))
    assert difference(one, none) == pytest.approx((30, 4.302653 * np.std([20, 10, 60], ddof=1) / np.sqrt(3)))


def test_always_all_in_is_known_exactly(all_in_wins):
    """With the exact values of preflop all-ins a handful of flops measure what the equities of 169 hands give."""
    found = exploitability(PUSH, FixedPolicy(PUSH, len(PUSH.labels) - 1), FLOPS, preflop_wins=all_in_wins)
    called = 20_000 * preflop_edges(all_in_wins)
    known = 10 * np.mean([np.maximum(called, -blind).mean() for blind in (50, 100)])
    assert known == pytest.approx(15_661, abs=1)
    assert found.mbb == pytest.approx(known, rel=1e-4)
    assert found.ci95 < 1
