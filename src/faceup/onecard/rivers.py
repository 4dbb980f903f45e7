"""The one-card game on real rivers: hold'em's last bet, with 1,081 hands a player in the place of ten cards.

The big blind has checked the river. The button checks, or bets up to three pots in tenths of a pot; the big blind calls or
folds. Both hold what a strategy's play up to there leaves of their hands (their *ranges*). Two things are new: equal hands split
the pot, and hands that share a card are never dealt together. Values are the button's, in pots, as in `onecard/game`.

Let w(h) be the other player's weight of a hand h at a bet of b pots. What calling with a hand is worth more than folding, and
what being called is worth to the button, is

    T / 2 + (1/2 + b) A,    T = sum of w,  A = sum of w over weaker hands less that over stronger ones,

both over hands that share no card with it: all stand to win 1 + b, to split 1, or to lose b. `solve` is discounted CFR (Brown
and Sandholm 2019), players in turn; best responses to both averages say how far the value is from known.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numba import njit

from faceup.cards.cards import BOARD_CARDS, HOLE_CARDS, N_HOLES
from faceup.cards.features import STACK
from faceup.holdem.board import ALL, BoardOrder, board_order
from faceup.holdem.policy import Policy, compatible_weight, street_reach
from faceup.holdem.rules import DECISION
from faceup.holdem.tree import BettingTree
from faceup.onecard.game import SIZES
from faceup.onecard.rule_lists import RuleLine, play_cards, strengths
from faceup.onecard.solutions import calls_of

_N_SIZES = len(SIZES)
ALPHA, GAMMA = 1.5, 4  # of the discounts: of positive regrets (negative ones are halved), of the averages


class River(NamedTuple):
    """A river at which the button may bet; holes in order of strength, the weakest first."""

    node: int  # of the betting tree
    order: BoardOrder
    own: np.ndarray  # (1081,) the button's weight of each hole
    other: np.ndarray  # (1081,) the big blind's; own times other, over pairs that share no card, sums to 1


class Solved(NamedTuple):
    """An equilibrium of a river to within `most` - `least`."""

    least: float  # pots that the bets win at least
    most: float  # pots that the calls allow at most
    bets: np.ndarray  # (1081, 31) the button's probability of each size with each hole
    calls: np.ndarray  # (1081, 31) the big blind's probability to call each


def last_bets(tree: BettingTree) -> np.ndarray:
    """Nodes at which the button may bet a river that the big blind has checked, with three pots left to bet."""
    pot, river = tree.bets.sum(axis=(1, 2)), tree.bets[:, :, 3].sum(axis=1)
    asked = (tree.kind == DECISION) & (tree.street == 3) & (tree.actor == 0) & (river == 0)
    return np.flatnonzero(asked & (STACK - pot / 2 >= SIZES[-1] * pot))


def draw_river(tree: BettingTree, policy: Policy, board: Sequence[int], generator: np.random.Generator) -> River:
    """A river on a board of five cards as dealt, its betting line drawn as often as the policy comes to it in both seats."""
    board, order, nodes = [int(card) for card in board], board_order(np.array(board)), last_bets(tree)
    reach = np.ones((2, len(tree.kind), len(order.holes)), dtype=np.float32)
    for street, n_cards in enumerate(BOARD_CARDS):
        table, row_of_hole = policy.street(street, board[:n_cards])
        street_reach(tree, street, (table, row_of_hole[order.holes]), reach)
    own, other = reach[:, nodes].astype(np.float64)
    holes = np.zeros((len(nodes), N_HOLES))
    holes[:, order.holes] = other
    pairs = (own * compatible_weight(holes)[:, order.holes]).sum(axis=1)
    k = generator.choice(len(nodes), p=pairs / pairs.sum())
    return River(int(nodes[k]), order, own[k] / pairs[k], other[k])


def solve(river: River, iterations: int) -> Solved:
    """An equilibrium by so many iterations of discounted CFR."""
    bets, calls = np.zeros((2, len(river.own), _N_SIZES))
    met, checked = _if_checked(river)
    _learn(river.order, river.own, river.other, met, checked, iterations, bets, calls)
    return Solved(worst_case(river, bets), best_answer(river, calls), bets, calls)


def worst_case(river: River, bets: np.ndarray) -> float:
    """Pots that bets (1081, 31) are worth against a best response."""
    met, checked = _if_checked(river)
    mass = river.own[:, None] * bets
    gain = _called(river, mass)[:, 1:]
    kept = mass[:, 0] @ checked + met @ mass[:, 1:].sum(axis=1)
    return float(kept - river.other @ np.maximum(gain, 0).sum(axis=1))


def best_answer(river: River, calls: np.ndarray) -> float:
    """Pots that a best response to calls (1081, 31) is worth to the button."""
    met, checked = _if_checked(river)
    mass = river.other[:, None] * calls
    worth = met[:, None] - mass_met(river, mass) + _called(river, mass)
    worth[:, 0] = checked
    return float(river.own @ worth.max(axis=1))


def mass_met(river: River, mass: np.ndarray) -> np.ndarray:
    """Of a player's weights (1081, 31): those that share no card with each hole of the other's, (1081, 31)."""
    return _sums(river.order, mass)[0]


def _called(river: River, mass: np.ndarray) -> np.ndarray:
    total, ahead = _sums(river.order, mass)
    return total / 2 + (0.5 + SIZES) * ahead


def _if_checked(river: River) -> tuple[np.ndarray, np.ndarray]:
    """For each hole of the button's: the weight of hands that it can meet, and pots won by checking, times that weight."""
    total, ahead = _sums(river.order, river.other[:, None])
    return total[:, 0], (total[:, 0] + ahead[:, 0]) / 2


def ranks(river: River) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Both ranges by kinds of equal hands, as shares, and each kind's strength: (3, n_kinds), the weakest first.

    Strength is counted as a person can: the share of the other's range that is weaker, equal hands half, shared cards left out.
    """
    own, other = (np.add.reduceat(weights, river.order.class_start[:-1]) for weights in (river.own, river.other))
    own, other = own / own.sum(), other / other.sum()
    return own, other, strengths(other[None])[0]


def list_bets(river: River, lines: list[RuleLine], bluffs: float = 1.0) -> np.ndarray:
    """What a list bets, (1081, 31), with kinds of equal hands as its cards; bluffs: as in `play_cards`."""
    own, _, strength = ranks(river)
    return np.repeat(play_cards(lines, strength[None], own[None], bluffs)[0], np.diff(river.order.class_start), axis=0)


def share_calls(river: River, share: np.ndarray) -> np.ndarray:
    """The calls (1081, 31) of the strongest `share` (31,) of the big blind's range."""
    calls = calls_of(ranks(river)[1][None], share[None])[0]
    return np.repeat(calls, np.diff(river.order.class_start), axis=0)


def _sums(order: BoardOrder, mass: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    total, ahead = np.empty((2, *mass.shape))
    _meet(order, np.ascontiguousarray(mass), total, ahead)
    return total, ahead


@njit(cache=True, nogil=True)
def _add(holes, first, end, mass, seen):
    """Add holes' weights to the sums of their two cards and of all."""
    for i in range(first, end):
        a, b = HOLE_CARDS[holes[i], 0], HOLE_CARDS[holes[i], 1]
        for s in range(mass.shape[1]):
            seen[a, s] += mass[i, s]
            seen[b, s] += mass[i, s]
            seen[ALL, s] += mass[i, s]


@njit(cache=True, nogil=True)
def _meet(order, mass, total, ahead):
    """T and A of the module for each hole, (n, sizes), from weights (n, sizes): less those with a card of the hole's.

    seen[c] is first the weight of holes with card c; then twice that of weaker holes, plus once that of equal ones, less all.
    """
    holes, class_start = order
    seen = np.zeros((ALL + 1, mass.shape[1]))
    _add(holes, 0, len(holes), mass, seen)
    for i in range(len(holes)):
        a, b = HOLE_CARDS[holes[i], 0], HOLE_CARDS[holes[i], 1]
        for s in range(mass.shape[1]):  # the hole itself, which has both cards, is taken off twice
            total[i, s] = seen[ALL, s] - seen[a, s] - seen[b, s] + mass[i, s]
    seen *= -1
    for k in range(len(class_start) - 1):
        first, end = class_start[k], class_start[k + 1]
        _add(holes, first, end, mass, seen)
        for i in range(first, end):
            a, b = HOLE_CARDS[holes[i], 0], HOLE_CARDS[holes[i], 1]
            for s in range(mass.shape[1]):
                ahead[i, s] = seen[ALL, s] - seen[a, s] - seen[b, s]
        _add(holes, first, end, mass, seen)


@njit(cache=True, nogil=True)
def _learn(order, own, other, met, checked, iterations, bets, calls):
    """DCFR; met, checked: of `_if_checked`. bets and calls (n, 31), 0 at first, become the averages."""
    shape, n = bets.shape, len(own)
    mass, total, ahead = np.empty(shape), np.empty(shape), np.empty(shape)
    regret, played, worth = np.zeros(shape), np.full(shape, 1 / _N_SIZES), np.empty(_N_SIZES)
    calling, folding, called, counted = np.zeros(shape), np.zeros(shape), np.full(shape, 0.5), 0.0
    for t in range(1, iterations + 1):
        kept, weight = (t - 1.0) ** ALPHA / ((t - 1.0) ** ALPHA + 1), float(t) ** GAMMA
        counted += weight
        for i in range(n):
            mass[i] = other[i] * called[i]
        _meet(order, mass, total, ahead)
        for i in range(n):
            mean, positive = 0.0, 0.0
            for s in range(_N_SIZES):
                worth[s] = met[i] - total[i, s] / 2 + (0.5 + SIZES[s]) * ahead[i, s] if s else checked[i]
                mean += played[i, s] * worth[s]
            for s in range(_N_SIZES):
                regret[i, s] = regret[i, s] * (kept if regret[i, s] > 0 else 0.5) + worth[s] - mean
                positive += max(regret[i, s], 0.0)
            for s in range(_N_SIZES):
                played[i, s] = max(regret[i, s], 0.0) / positive if positive > 0 else 1 / _N_SIZES
                bets[i, s] += weight * played[i, s]
                mass[i, s] = own[i] * played[i, s]
        _meet(order, mass, total, ahead)
        for i in range(n):
            for s in range(1, _N_SIZES):
                gain = total[i, s] / 2 + (0.5 + SIZES[s]) * ahead[i, s]  # of calling, not folding
                mean = called[i, s] * gain
                calling[i, s] = calling[i, s] * (kept if calling[i, s] > 0 else 0.5) + gain - mean
                folding[i, s] = folding[i, s] * (kept if folding[i, s] > 0 else 0.5) - mean
                positive = max(calling[i, s], 0.0) + max(folding[i, s], 0.0)
                called[i, s] = max(calling[i, s], 0.0) / positive if positive > 0 else 0.5
                calls[i, s] += weight * called[i, s]
    bets /= counted
    calls /= counted
