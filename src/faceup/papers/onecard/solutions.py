"""Fast equilibria of the one-card game where cards are dealt independently but for being different
(Algorithm 5).

Then player two's best response to what is bet at a size is to call with its cards from some
threshold up. Between two thresholds player one's loss is linear, and the strategies at size b > 0
on which it is linear are mixtures of lone cards and of *bluff pairs*: a bluff `low` and a value bet
`high`, at least two cards apart, bet with probabilities (dealing included) in the ratio b to 1 + b,
which leaves every card between them indifferent between calling and folding. A lone card does
better to check. So player one's program is one of ten rows,

    minimise cost @ weight  subject to  sum of weights that use card i = own[i],  weight >= 0,

over ten checks and 30 x 36 pairs; a primal simplex method on it starts at "always check" and needs
some dozens of pivots. Its duals are the prices of player one's cards, and player two's calls follow
from them: facing b it calls with the top max(price) / (1 + b) of its distribution.

One equilibrium of many is taken: of all equilibria those of the least mean bet, of these the one
that bluffs largest with its weakest cards (least sum of bet times card). A card that is never dealt
checks. Every solution is certified: what its strategy is worth against a best response and what
player two's calls allow at most differ by less than GAP.
"""

from typing import NamedTuple

import numpy as np
from numba import njit
from scipy.linalg import block_diag
from scipy.optimize import linprog

from faceup.papers.onecard.game import CARDS, SIZES, joint_distribution
from faceup.util.parallel import on_threads

GAP = 1e-9  # dollars
_SIZES = len(SIZES)
_HIGHER = np.tril(np.ones((CARDS, CARDS)), -1)  # [i, j]: player one's i beats j
_TIED = 1e-11  # reduced costs below this are 0
_PATIENCE = 500  # pivots by the steepest price; after that Bland's rule, which cannot cycle
_LIMIT = 20_000

# Columns: ten checks, then pairs. A pair's masses are b / (1 + 2b) on `low` and (1 + b) / (1 + 2b)
# on `high`.
_pairs = [
    (low, high, b)
    for low in range(CARDS)
    for high in range(low + 2, CARDS)
    for b in range(1, _SIZES)
]
_LOW, _HIGH, _SIZE = np.array([(i, i, 0) for i in range(CARDS)] + _pairs, dtype=np.int16).T.copy()
_BET = SIZES[_SIZE]
# a check is its own column: all of it on one card
_LOW_SHARE = np.where(_BET > 0, _BET / (1 + 2 * _BET), 1.0)
_HIGH_SHARE = 1 - _LOW_SHARE
N_COLUMNS = len(_LOW)
# What is minimised among equilibria, one after the other: the mean bet, then the sum of bet times
# card.
_TIES = np.stack([_BET, _BET * (_LOW_SHARE * _LOW + _HIGH_SHARE * _HIGH)])


class Solutions(NamedTuple):
    """Equilibria of n games, as the columns that are in use. Strategies: `bets` and `calls`."""

    own: np.ndarray  # (n, 10) player one's distribution
    other: np.ndarray  # (n, 10) player two's
    value: np.ndarray  # (n,) dollars to player one
    column: np.ndarray  # (n, 10) int16: checks and pairs in use, ascending
    weight: np.ndarray  # (n, 10) probability of each; they sum to 1
    # (n, 10) dollars that a card of player one loses against player two's calls, unnormalised
    price: np.ndarray


def part(games: Solutions, first: int, last: int | None = None) -> Solutions:
    """Games first to last - 1."""
    return Solutions(*(array[first:last] for array in games))


def solve_games(own: np.ndarray, other: np.ndarray) -> Solutions:
    """Equilibria of games given by both distributions (n, 10). Raises RuntimeError if a solution
    fails its certificate.
    """
    n = len(own)
    column, weight = np.empty((n, CARDS), dtype=np.int16), np.empty((n, CARDS))
    price, value = np.empty((n, CARDS)), np.empty(n)
    on_threads(_solve_all, own, other, column, weight, price, value)
    solutions = Solutions(own, other, value, column, weight, price)
    most = answers_to_calls(own, other, calls_of(other, called_share(solutions)))
    gap = np.abs(most - worst_cases(own, other, bets(solutions)))
    if not (gap < GAP).all():
        raise RuntimeError(
            f"game {int(np.nanargmax(gap))} is solved to {np.nanmax(gap)} only, expected {GAP}"
        )
    return solutions


def bets(solutions: Solutions) -> np.ndarray:
    """Player one's strategies (n, 10, 31): probability of each size with each card."""
    n = len(solutions.value)
    masses, game = np.zeros((n, CARDS, _SIZES)), np.arange(n)[:, None]
    used, size = solutions.column, _SIZE[solutions.column]
    np.add.at(masses, (game, _LOW[used], size), solutions.weight * _LOW_SHARE[used])
    np.add.at(masses, (game, _HIGH[used], size), solutions.weight * _HIGH_SHARE[used])
    masses[:, :, 0] += masses.sum(axis=2) == 0  # a card that is never dealt checks
    return masses / masses.sum(axis=2, keepdims=True)


def called_share(solutions: Solutions) -> np.ndarray:
    """Share (n, 31) of its distribution, from the top, with which player two calls each size: the
    least that suffices.
    """
    return np.maximum(solutions.price.max(axis=1), 0)[:, None] / (1 + SIZES)


def calls_of(other: np.ndarray, share: np.ndarray) -> np.ndarray:
    """Probability (n, 10, sizes) to call with each card, where the top `share` (n, sizes) of
    `other` (n, 10) calls.
    """
    above = 1 - np.cumsum(other, axis=1)[:, :, None]
    mass = other[:, :, None]
    part = np.clip((share[:, None, :] - above) / np.where(mass > 0, mass, 1), 0, 1)
    return np.where(mass > 0, part, share[:, None, :] > above)


def answers_to_calls(own: np.ndarray, other: np.ndarray, calls: np.ndarray) -> np.ndarray:
    """What player one's best response to calls (n, 10, 31) is worth in each game (n,), dollars."""
    called = joint_distribution(own, other)
    pot = called.sum(axis=2)
    wins, losses = (called * _HIGHER) @ calls, (called * _HIGHER.T) @ calls
    return (pot[:, :, None] + wins * SIZES - losses * (1 + SIZES)).max(axis=2).sum(axis=1)


def worst_cases(own: np.ndarray, other: np.ndarray, strategies: np.ndarray) -> np.ndarray:
    """What strategies (n, 10, 31) are worth against best responses (n,), dollars: Algorithm 3 for
    many games.

    Only player two's best threshold is looked for, which is a best response where cards are
    independent.
    """
    values = np.empty(len(own))
    on_threads(_worst_cases, own, other, np.ascontiguousarray(strategies, dtype=np.float64), values)
    return values


def sure_win(own: np.ndarray, other: np.ndarray, kept: np.ndarray) -> float:
    """The most that player one is sure to win in a game (10,), dollars, if cards play as kept (10,
    31) says, or well where NaN.

    The linear program of Section 1: of a bet each card of player two leaves the less of what its
    fold and its call leave.
    """
    joint, n = joint_distribution(own, other), CARDS * (_SIZES - 1)
    called = [(np.where(_HIGHER > 0, 1 + bet, -bet) * joint).T for bet in SIZES[1:]]
    at_most = [
        np.hstack([np.zeros((n, CARDS)), -block_diag(*of), np.eye(n)])
        for of in ([joint.T] * len(called), called)
    ]
    # its chances add up to 1
    each_card = np.hstack([np.tile(np.eye(CARDS), _SIZES), np.zeros((CARDS, n))])
    # of checks, bets, and what bets leave
    gains = np.concatenate([(joint * _HIGHER).sum(axis=1), np.zeros(n), np.ones(n)])
    bounds = [
        *zip(np.nan_to_num(kept.T.ravel()), np.nan_to_num(kept.T.ravel(), nan=1), strict=True),
        *[(None, None)] * n,
    ]
    return -linprog(
        -gains, np.vstack(at_most), np.zeros(2 * n), each_card, np.ones(CARDS), bounds
    ).fun


@njit(cache=True, nogil=True)
def _worst_cases(thread, own, other, strategies, values):
    for g in range(thread[0], len(values), thread[1]):
        values[g] = _worst_case(own[g], other[g], strategies[g])


@njit(cache=True, nogil=True)
def _worst_case(own, other, strategy):
    total, lost, bet = 1 - own @ other, 0.0, own @ strategy
    for s in range(_SIZES):
        b, below, mass = SIZES[s], 0.0, bet[s]
        for j in range(CARDS) if mass > 0 else range(0):
            here = own[j] * strategy[j, s]
            # of calling with j instead of folding
            gain = (1 + b) * below - b * (mass - below - here)
            if gain > 0:
                lost += other[j] * gain
            below += here
    return 1 - lost / total


@njit(cache=True, nogil=True)
def _reduced(k, cost, price):
    """What a column costs more than the prices of the cards that it uses."""
    return cost[k] - _LOW_SHARE[k] * price[_LOW[k]] - _HIGH_SHARE[k] * price[_HIGH[k]]


@njit(cache=True, nogil=True)
def _entering(basis, inverse, cost, allowed, bland, price):
    """Fill in prices; the column to bring in: of the least reduced cost, or the first below zero;
    -1 at the optimum.
    """
    price[:] = 0.0
    for r in range(CARDS):
        price += cost[basis[r]] * inverse[r]
    best, least = -1, -_TIED
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
    """Bring a column into the basis for the one that first falls to zero."""
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
def _solve_one(own, other, basis, weight, price):
    """Simplex method from "always check", once for the loss and once for each rule that breaks
    ties.
    """
    inverse, cost, tie_price = np.eye(CARDS), np.empty(N_COLUMNS), np.empty(CARDS)
    allowed = np.ones(N_COLUMNS, dtype=np.bool_)
    basis[:], weight[:] = np.arange(CARDS), own
    # what is lost to a best response by playing this column alone, per unit of its mass
    for k in range(N_COLUMNS):
        above = 0.0
        for j in range(_HIGH[k] + 1, CARDS):
            above += other[j]
        cost[k] = (
            above if _BET[k] == 0 else (1 + _BET[k]) * (_LOW_SHARE[k] * other[_HIGH[k]] + above)
        )
    for level in range(3):
        p = price if level == 0 else tie_price
        if level > 0:
            cost[:] = _TIES[level - 1]
        for count in range(_LIMIT):
            entering = _entering(basis, inverse, cost, allowed, count > _PATIENCE, p)
            if entering < 0:
                break
            _pivot(entering, basis, weight, inverse)
        for k in range(N_COLUMNS):  # the optimal face: columns that cost nothing more
            allowed[k] = allowed[k] and _reduced(k, cost, p) < _TIED


@njit(cache=True, nogil=True)
def _solve_all(thread, own, other, column, weight, price, value):
    for g in range(thread[0], len(value), thread[1]):
        basis = np.empty(CARDS, dtype=np.int64)
        masses = np.empty(CARDS)
        _solve_one(own[g], other[g], basis, masses, price[g])
        order = np.argsort(basis)
        total, lost = 1.0, 0.0
        for r in range(CARDS):
            column[g, r] = basis[order[r]]
            weight[g, r] = max(masses[order[r]], 0.0)
            total -= own[g, r] * other[g, r]
            lost += own[g, r] * price[g, r]
        value[g] = 1 - lost / total
