"""Exact equilibria of the one-card game, by a linear program of ten rows a game.

Cards are dealt independently, except that they differ (Algorithm 5). The caller's best response to
the bets of a size is then to call with its cards from some threshold up. Between two thresholds the
caller's loss is linear. For b > 0 the bettor's strategies on which it is linear are mixtures of
single cards and of *bluff pairs*: a bluff `low` and a value bet `high`, at least two cards apart,
bet with probabilities (of the deal, too) in the ratio b to 1 + b, which leaves every card between
them indifferent between calling and folding. A single card does better to check. The bettor's
program is therefore

    minimize cost @ weight  subject to  sum of weights that use card i = own[i],  weight >= 0,

over ten checks and 30 x 36 pairs. A primal simplex method starts at "always check" and needs a few
dozen pivots. Its duals are shadow prices of the bettor's cards, and they give the caller's
strategy: facing b, call with the top max(price) / (1 + b) of the distribution.

Of many equilibria one is chosen: that with the least mean of bet times card, in which the weakest
cards make the largest bluffs; or, `reversed_ties`, that with the greatest, in which they make the
smallest. (The mean bet itself is the same in both.) A card that is never dealt checks.
Every solution is certified: the value of the bettor's strategy against a best response and the most
that the caller's strategy allows differ by less than GAP.
"""

from typing import NamedTuple

import numpy as np
from numba import njit

from faceup.papers.onecard.game import CARDS, SIZES, joint_distribution
from faceup.util.parallel import on_threads
from faceup.util.stats import mean_ci95

GAP = 1e-9  # dollars
_SIZES = len(SIZES)
_HIGHER = np.tril(np.ones((CARDS, CARDS)), -1)  # [i, j]: the bettor's i beats the caller's j
_TOLERANCE = 1e-11  # reduced costs below this are 0
_PATIENCE = 500  # pivots by the steepest price; after that Bland's rule, which cannot cycle
_LIMIT = 20_000  # pivots

# Columns of the program: ten checks, then pairs. A pair's masses are b / (1 + 2b) on `low` and
# (1 + b) / (1 + 2b) on `high`; a check has all its mass on one card.
_pairs = [
    (low, high, b)
    for low in range(CARDS)
    for high in range(low + 2, CARDS)
    for b in range(1, _SIZES)
]
_LOW, _HIGH, _SIZE = np.array([(i, i, 0) for i in range(CARDS)] + _pairs, dtype=np.int16).T.copy()
_BET = SIZES[_SIZE]
_LOW_SHARE = np.where(_BET > 0, _BET / (1 + 2 * _BET), 1.0)
_HIGH_SHARE = 1 - _LOW_SHARE
N_COLUMNS = len(_LOW)
_TIE_COST = _BET * (_LOW_SHARE * _LOW + _HIGH_SHARE * _HIGH)  # bet times card


class Solutions(NamedTuple):
    """Equilibria of n games as basic solutions of the program; `betting_strategies` and
    `calling_shares` give the strategies.
    """

    own: np.ndarray  # (n, 10) the bettor's distribution
    other: np.ndarray  # (n, 10) the caller's
    value: np.ndarray  # (n,) dollars to the bettor
    column: np.ndarray  # (n, 10) int16: checks and pairs in the basis, ascending
    weight: np.ndarray  # (n, 10) probability of each; they sum to 1
    # (n, 10) shadow price of a card of the bettor: dollars lost to the caller's best response,
    # before division by the probability that the two cards differ
    price: np.ndarray


def subset(games: Solutions, first: int, last: int | None = None) -> Solutions:
    """Games first to last - 1."""
    return Solutions(*(array[first:last] for array in games))


def solve_games(own: np.ndarray, other: np.ndarray, reversed_ties: bool = False) -> Solutions:
    """Equilibria of games given by both distributions (n, 10), chosen as the module says. Raises
    RuntimeError if a solution fails its certificate.
    """
    column = np.empty(own.shape, dtype=np.int16)
    weight, price = np.empty((2, *own.shape))
    tie_cost = -_TIE_COST if reversed_ties else _TIE_COST
    on_threads(_solve_all, own, other, tie_cost, column, weight, price)
    order = np.argsort(column, axis=1)
    column = np.take_along_axis(column, order, axis=1)
    weight = np.maximum(np.take_along_axis(weight, order, axis=1), 0)
    value = 1 - (own * price).sum(axis=1) / (1 - (own * other).sum(axis=1))
    solutions = Solutions(own, other, value, column, weight, price)
    calls = calling_strategies(other, calling_shares(solutions))
    upper = best_response_values(own, other, calls)
    gap = np.abs(upper - worst_case_values(own, other, betting_strategies(solutions)))
    if not (gap < GAP).all():
        raise RuntimeError(
            f"game {int(np.nanargmax(gap))} is solved to {np.nanmax(gap)} only, expected {GAP}"
        )
    return solutions


def betting_strategies(solutions: Solutions) -> np.ndarray:
    """The bettor's strategies (n, 10, 31): probability of each size with each card."""
    n = len(solutions.value)
    masses, game = np.zeros((n, CARDS, _SIZES)), np.arange(n)[:, None]
    used, size = solutions.column, _SIZE[solutions.column]
    np.add.at(masses, (game, _LOW[used], size), solutions.weight * _LOW_SHARE[used])
    np.add.at(masses, (game, _HIGH[used], size), solutions.weight * _HIGH_SHARE[used])
    masses[:, :, 0] += masses.sum(axis=2) == 0  # a card that is never dealt checks
    return masses / masses.sum(axis=2, keepdims=True)


def calling_shares(solutions: Solutions) -> np.ndarray:
    """Share (n, 31) of its distribution, from the top, with which the caller calls each size in
    equilibrium: the least that suffices.
    """
    return np.maximum(solutions.price.max(axis=1), 0)[:, None] / (1 + SIZES)


def calling_strategies(other: np.ndarray, shares: np.ndarray) -> np.ndarray:
    """Probability (n, 10, sizes) to call with each card, where the top `shares` (n, sizes) of the
    caller's distribution `other` (n, 10) call.
    """
    above = 1 - np.cumsum(other, axis=1)[:, :, None]
    mass = other[:, :, None]
    called = np.clip((shares[:, None, :] - above) / np.where(mass > 0, mass, 1), 0, 1)
    return np.where(mass > 0, called, shares[:, None, :] > above)


def best_response_values(own: np.ndarray, other: np.ndarray, calls: np.ndarray) -> np.ndarray:
    """Value (n,) of the bettor's best response to calling strategies (n, 10, 31), dollars."""
    called = joint_distribution(own, other)
    pot = called.sum(axis=2)
    wins, losses = (called * _HIGHER) @ calls, (called * _HIGHER.T) @ calls
    return (pot[:, :, None] + wins * SIZES - losses * (1 + SIZES)).max(axis=2).sum(axis=1)


def worst_case_values(own: np.ndarray, other: np.ndarray, strategies: np.ndarray) -> np.ndarray:
    """Values (n,) of betting strategies (n, 10, 31) against a best response, dollars (Algorithm 3).

    With card c the caller calls b where (1 + b) P(lower card bets b) > b P(higher card bets b).
    """
    values = np.empty(len(own))
    strategies = np.ascontiguousarray(strategies, dtype=np.float64)
    on_threads(_worst_case_values, own, other, strategies, values)
    return values


def mean_loss(strategies: np.ndarray, games: Solutions) -> tuple[float, float]:
    """One-sided exploitability of strategies (n, 10, 31), value - worst case, in dollars: mean over
    games and half-width of its 95 % interval.
    """
    return mean_ci95(games.value - worst_case_values(games.own, games.other, strategies))


@njit(cache=True, nogil=True)
def _worst_case_values(thread, own, other, strategies, values):
    for g in range(thread[0], len(values), thread[1]):
        values[g] = worst_case_value(own[g], other[g], strategies[g])


@njit(cache=True, nogil=True)
def worst_case_value(own, other, strategy):
    """`worst_case_values` of one game, for kernels: own, other (10,), strategy (10, 31)."""
    total, lost, bet = 1 - own @ other, 0.0, own @ strategy
    for s in range(_SIZES):
        b, below, mass = SIZES[s], 0.0, bet[s]
        for j in range(CARDS) if mass > 0 else range(0):
            here = own[j] * strategy[j, s]
            # of calling with j over folding
            gain = (1 + b) * below - b * (mass - below - here)
            if gain > 0:
                lost += other[j] * gain
            below += here
    return 1 - lost / total


@njit(cache=True, nogil=True)
def _reduced(k, cost, price):
    """Reduced cost of column k: its cost less the prices of the cards that it uses."""
    return cost[k] - _LOW_SHARE[k] * price[_LOW[k]] - _HIGH_SHARE[k] * price[_HIGH[k]]


@njit(cache=True, nogil=True)
def _entering(basis, inverse, cost, allowed, bland, price):
    """Fill price (10,); return the entering column: that of the least reduced cost, by Bland's rule
    the first below zero, or -1 at the optimum.
    """
    price[:] = 0.0
    for r in range(CARDS):
        price += cost[basis[r]] * inverse[r]
    best, least = -1, -_TOLERANCE
    for k in range(N_COLUMNS):
        if not allowed[k]:
            continue
        reduced = _reduced(k, cost, price)
        if reduced < least:
            best, least = k, reduced
            if bland:
                break
    return best


@njit(cache=True, nogil=True)
def _pivot(entering, basis, weight, inverse):
    """Replace the basic column that first falls to zero by the entering one; basis, weight (10,)
    and inverse (10, 10) change in place.
    """
    direction = (
        _LOW_SHARE[entering] * inverse[:, _LOW[entering]]
        + _HIGH_SHARE[entering] * inverse[:, _HIGH[entering]]
    )
    row, step = -1, np.inf
    for r in range(CARDS):
        if direction[r] > 1e-10:
            ratio = max(weight[r], 0.0) / direction[r]
            if ratio < step or (ratio == step and basis[r] < basis[row]):
                row, step = r, ratio
    inverse[row] /= direction[row]
    for r in range(CARDS):
        weight[r] -= step * direction[r]
        if r != row:
            inverse[r] -= direction[r] * inverse[row]
    basis[row], weight[row] = entering, step


@njit(cache=True, nogil=True)
def _solve_one(own, other, tie_cost, basis, weight, price):
    """Simplex method from "always check", for the loss and then for the tie-breaking cost
    (N_COLUMNS,) on the optimal face; fills basis, weight and price (10,).
    """
    inverse, cost, tie_price = np.eye(CARDS), np.empty(N_COLUMNS), np.empty(CARDS)
    allowed = np.ones(N_COLUMNS, dtype=np.bool_)
    basis[:], weight[:] = np.arange(CARDS), own
    # the loss to a best response if this column alone is played, per unit of its mass
    for k in range(N_COLUMNS):
        above = 0.0
        for j in range(_HIGH[k] + 1, CARDS):
            above += other[j]
        cost[k] = (
            above if _BET[k] == 0 else (1 + _BET[k]) * (_LOW_SHARE[k] * other[_HIGH[k]] + above)
        )
    for p in (price, tie_price):
        for count in range(_LIMIT):
            entering = _entering(basis, inverse, cost, allowed, count > _PATIENCE, p)
            if entering < 0:
                break
            _pivot(entering, basis, weight, inverse)
        for k in range(N_COLUMNS):  # the optimal face: columns of reduced cost 0
            allowed[k] = allowed[k] and _reduced(k, cost, p) < _TOLERANCE
        cost[:] = tie_cost


@njit(cache=True, nogil=True)
def _solve_all(thread, own, other, tie_cost, column, weight, price):
    for g in range(thread[0], len(own), thread[1]):
        _solve_one(own[g], other[g], tie_cost, column[g], weight[g], price[g])
