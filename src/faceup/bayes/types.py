"""Types of players at all limits: which beats which, and what a best response wins from one.

A type is the amateur with shifted limits (paper 003, Section 4.4). Of a deal it sees its odds in FINE bins on four rounds, and a
round's betting is a table over both current strategies, so a game is four look-ups. A best response comes from
`holdem.best_response`, with fast rivers: a type has five strategies, and river rounds differ in the pot alone. For each strategy,
the weight of holes beaten less that of holes that win, and the weight of all, give the value of every end.
"""

import numpy as np
from numba import njit

from faceup.bayes.enumeration import odds_bins
from faceup.bayes.model import make_round
from faceup.bayes.strategies import AMATEUR, FINE, Moves, strategy_of_bin
from faceup.cards.cards import CLASS_OF_HOLE, HOLE_CARDS, PERMUTED_HOLES, canonical
from faceup.cards.equity import StreetTable
from faceup.holdem.best_response import Responder, frontier
from faceup.holdem.board import ALL, _order
from faceup.holdem.groups import river_equities
from faceup.holdem.policy import StreetRows
from faceup.holdem.rules import MBB_PER_DOLLAR
from faceup.holdem.tree import LIMIT_BETS
from faceup.lab.parallel import on_threads
from faceup.lab.stats import student_95

_CHUNKS = 16  # parts of the deals that are played side by side
_LANES = 32  # river rounds that a kernel plays side by side


@njit(cache=True, nogil=True)
def _play(share, odds, winner, picks, ends, sums, squares):
    """Add what i wins from j as dealer and as big blind, with the cards where they are, in dollars.

    picks (n, FINE): strategies by bin; ends (4, 8, 8, 3): dollars that dealer and other put in by the strategies of both, and who
    folds: 1 the dealer, 2 the other; sums, squares (n_chunks, n, n) int64.
    """
    n = picks.shape[0]
    strategy, won = np.empty((2, 4, n), dtype=np.int64), np.empty((n, n), dtype=np.int64)
    for chunk in range(share[0], sums.shape[0], share[1]):
        for deal in range(chunk, odds.shape[0], sums.shape[0]):
            for player in range(2):
                for street in range(4):
                    for i in range(n):
                        strategy[player, street, i] = picks[i, odds[deal, player, street]]
            for i in range(n):
                for j in range(n):
                    dealer, other, folder, street = 0, 0, 0, 0
                    while street < 4 and folder == 0:
                        a, b = strategy[0, street, i], strategy[1, street, j]
                        dealer += ends[street, a, b, 0]
                        other += ends[street, a, b, 1]
                        folder = ends[street, a, b, 2]
                        street += 1
                    won[i, j] = -dealer if folder == 1 else other if folder == 2 else winner[deal] * dealer
            gained = won - won.T
            sums[chunk] += gained
            squares[chunk] += gained**2


def play_shifts(moves: Moves, odds: np.ndarray, winner: np.ndarray, shifts: np.ndarray) -> np.ndarray:
    """mbb/g that each shift's type wins from each other's, and half of its 95 % interval, (n, n, 2).

    Each deal is played twice with the seats exchanged. odds (n_deals, 2, 4) uint8: FINE bins of small and big blind by round;
    winner (n_deals,) int8: 1 the small blind, -1 the big blind, 0 a tie; shifts (n,): multiples of 1/FINE.
    """
    n, played, picks = len(shifts), len(winner), np.array([strategy_of_bin(shift) for shift in shifts])
    rounds = [make_round(moves, street, 0, 0) for street in range(4)]
    places = [r.ends[(r.own[:, None, r.ends] * r.theirs[:, r.ends]).argmax(axis=2)] for r in rounds]
    ends = np.array([np.dstack([r.put[place], r.folder[place]]) for r, place in zip(rounds, places, strict=True)])
    sums, squares = np.zeros((2, _CHUNKS, n, n), dtype=np.int64)
    on_threads(_play, odds, winner, picks, ends, sums, squares)
    mean = sums.sum(axis=0) / played
    error = student_95(played) * np.sqrt((squares.sum(axis=0) / played - mean**2) / (played - 1))
    return np.stack([mean, error], axis=2) * MBB_PER_DOLLAR / 2


@njit(cache=True)
def _add_holes(holes, strategy, weight, seen):
    """Add holes' weights to the sums of their two cards and of all, by strategy: seen (53, 5, n_rounds)."""
    for h in holes:
        for card in (np.int64(HOLE_CARDS[h, 0]), np.int64(HOLE_CARDS[h, 1]), ALL):
            for e in range(weight.shape[1]):
                seen[card, strategy[h], e] += weight[h, e]


@njit(cache=True)
def _best_river(bet, first, pot, d, n, value):
    """Dollars that a hole of the responder wins in rounds with these pots, when the type acts first or second.

    d, n (5, n_rounds): by strategy (0/0, 0/1, 1/2, 2/3, 3/4), holes of the type that it beats less those that beat it, and all.
    """
    for e in range(pot.shape[0]):
        p = pot[e]
        reraised = max(-(p + 2 * bet) * n[4, e], max((p + 3 * bet) * d[4, e], (p + 4 * bet) * d[4, e]))  # fold, call, cap
        raises = (p + 2 * bet) * (d[2, e] + d[3, e]) + reraised
        calls = (p + bet) * (d[2, e] + d[3, e] + d[4, e])
        faces = max(-p * (n[2, e] + n[3, e] + n[4, e]), max(calls, raises))  # the type has bet
        checked, folded = p * (d[0, e] + d[1, e]), p * n[0, e]
        if first:
            value[e] = faces + max(checked, folded + (p + bet) * d[1, e])
        else:  # 2/3 and 3/4 raise a bet, and call the third
            two = d[3, e] + d[4, e]
            raised = max(-(p + bet) * (n[3, e] + n[4, e]), max((p + 2 * bet) * two, (p + 3 * bet) * two))
            value[e] = max(faces + checked, folded + (p + bet) * (d[1, e] + d[2, e]) + raised)


@njit(cache=True, nogil=True)
def _rivers(share, boards, images, strategy, bet, first, pot, weight, total):
    """Add to total (1326, n_rounds) what rounds are worth to each hole of the responder, over boards and their images.

    strategy (n_boards, 1326): of AMATEUR; weight (1326, n_rounds): the type's holes; the rest as in `_best_river`.
    """
    for start in range(share[0] * _LANES, pot.shape[0], share[1] * _LANES):
        lanes = slice(start, start + _LANES)
        theirs, pots = weight[:, lanes].copy(), pot[lanes].copy()
        d, n, value = np.empty((5, len(pots)), np.float32), np.empty((5, len(pots)), np.float32), np.empty_like(pots)
        every, seen = np.empty((53, 5, len(pots)), np.float32), np.empty((53, 5, len(pots)), np.float32)
        for b in range(boards.shape[0]):
            holes, classes = _order(boards[b])
            every[:] = 0
            _add_holes(holes, strategy[b], theirs, every)
            seen[:] = -every  # weaker holes count 2 - 1, equal ones 1 - 1, stronger ones 0 - 1
            for c in range(classes.shape[0] - 1):
                alike = holes[classes[c] : classes[c + 1]]
                _add_holes(alike, strategy[b], theirs, seen)
                for h in alike:
                    x, y = HOLE_CARDS[h, 0], HOLE_CARDS[h, 1]
                    for k in range(5):
                        for e in range(pots.shape[0]):
                            d[k, e] = seen[ALL, k, e] - seen[x, k, e] - seen[y, k, e]
                            n[k, e] = every[ALL, k, e] - every[x, k, e] - every[y, k, e]
                    n[strategy[b, h]] += theirs[h]  # the hole itself was taken off twice
                    _best_river(bet, first, pots, d, n, value)
                    for image in images[b]:
                        if image >= 0:
                            total[PERMUTED_HOLES[image, h], lanes] += value
                _add_holes(alike, strategy[b], theirs, seen)


class OddsPolicy:
    """A type as a `holdem.policy.Policy`, with a row of certain actions for each of FINE bins of odds, and its rivers."""

    def __init__(self, moves: Moves, tables: tuple[StreetTable, ...], shift: float):
        """tables: of cards/equity; shift: of the limits."""
        picks, start, self.tree = strategy_of_bin(shift), moves.tree.street_start, moves.tree
        self.equities, self.strategy = [table.equity for table in tables[:3]], np.searchsorted(AMATEUR, picks)
        nodes = [np.arange(start[street], start[street + 1]) for street in range(4)]
        self.tables = [(moves.after[picks][:, moves.tree.parent[of]] == of).astype(np.float32) for of in nodes]

    def street(self, street: int, board: list[int], wanted: np.ndarray | None = None) -> StreetRows:
        """All rows, and each hole's bin."""
        row, permutation = canonical(board) if street in (1, 2) else (0, 0)
        places = PERMUTED_HOLES[permutation] if street else CLASS_OF_HOLE
        equity = river_equities(board) if street == 3 else self.equities[street][row][places]
        return self.tables[street], odds_bins(street, equity, FINE).astype(np.int32)

    def add(self, rivers: tuple, table: np.ndarray, reach: np.ndarray, value: np.ndarray, leaks: np.ndarray) -> None:
        """Sum best responses over rivers as `holdem.river_response.RiverResponder` does, but for the leaks."""
        boards, images, bins = rivers
        for seat in range(2):
            roots = frontier(self.tree, 2)
            roots = roots[reach[seat, roots].any(axis=1)]
            pot, weight = self.tree.bets[roots, 0].sum(axis=1).astype(np.float32), np.ascontiguousarray(reach[seat, roots].T)
            bet, total = np.float32(LIMIT_BETS[3]), np.zeros_like(weight)
            on_threads(_rivers, boards, images, self.strategy[bins], bet, seat == 1, pot, weight, total)
            value[0, 1 - seat, roots] += total.T


def type_responder(policy: OddsPolicy, preflop_wins: np.ndarray) -> Responder:
    """Best responses to a type; preflop_wins: of cards/matchups."""
    responder = Responder(policy.tree, policy, preflop_wins)
    responder._rivers = policy  # type: ignore[assignment]
    return responder
