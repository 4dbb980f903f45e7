"""The joint distribution Pr[PO, OO, Win] of both players' odds and the result, in each round, by
exact enumeration.

Paper 003, Sections 4.3 and 5: odds are the chance to win at showdown, given the hole and the
visible board. Here they are the equity against a random hand, a tie counting one half (the paper
writes Pr[Win]), rounded down to one of `bins` equal intervals.

Each of the 134,459 river boards up to suits, with its multiplicity, is sorted by strength once. It
then serves the ten flops and five turn boards that it may have come from. Wins are counted as in
`cards.matchups`, without looking at pairs of holes.
"""

import numpy as np
from numba import njit

from faceup.cards.cards import (
    CLASS_OF_HOLE,
    N_CARDS,
    N_HOLES,
    PERMUTED_HOLES,
    canonical_boards,
    canonical_key,
)
from faceup.cards.equity import UNITS, StreetEquities, fill_river_equity
from faceup.cards.matchups import RUNOUTS_PREFLOP, add_wins, class_pairs
from faceup.cards.strength import N_RIVER_HOLES, river_order
from faceup.util.parallel import on_threads

LOSS, TIE, WIN = 0, 1, 2  # of the player whose odds come first
_CHUNKS = 16  # of boards, counted in parallel
_LANES = 8  # rows of counts are whole vectors
_MOST_STARTS = 161  # of the strength classes of a river board, and their end


def odds_bins(street: int, equity: np.ndarray, bins: int) -> np.ndarray:
    """The bin 0..bins - 1 of equities out of `UNITS[street]`, uint8; equity 1 is in the last."""
    return np.minimum(equity.astype(np.int64) * bins // UNITS[street], bins - 1).astype(np.uint8)


@njit(cache=True)
def _add_split(order, start, bin_of, weight, scratch, counts):
    """Add weight times the wins of one bin against another, counts[0], and times the pairs of holes
    without a common card, counts[1], on a river board.

    order (1081,), start (161,): of `river_order`; bin_of (1326,): bins of the holes in the round;
    scratch: int32 arrays (bins, width), (width,) and (52, width), as `add_wins` takes them; counts
    (2, bins, width) int64.
    """
    rows, below, with_card = scratch
    rows[:] = 0
    add_wins(order, start, bin_of, 1, rows, below, with_card)
    width = below.shape[0]
    for a in range(rows.shape[0]):
        shared = rows[a]
        for b in range(width):
            counts[0, a, b] += weight * shared[b]
            shared[b] = 0
        for c in range(N_CARDS):
            for b in range(width):
                shared[b] += with_card[c, a] * with_card[c, b]
        shared[a] -= below[a]  # a hole shares two cards with itself, and was subtracted twice
        for b in range(width):
            counts[1, a, b] += weight * (below[a] * below[b] - shared[b])


@njit(cache=True)
def _fill_bins(board, keys, table, out):
    """The bins of all holes on a real board (k,), out (1326,).

    keys (n_boards,), table (n_boards, 1326): canonical boards and the bins of their holes.
    """
    key, permutation = canonical_key(board, board.shape[0])
    source, moved = table[np.searchsorted(keys, key)], PERMUTED_HOLES[permutation]
    for h in range(out.shape[0]):
        out[h] = source[moved[h]]


@njit(cache=True, nogil=True)
def _count(thread, boards, weights, preflop, keys, flop, turn, bins, counts):
    """Add the counts of river boards (n, 5) with weights (n,), counts (n_chunks, 4, 2, bins, width)
    int64: wins and pairs in each round.

    preflop (1326,), flop, turn (n_boards, 1326): bins; keys: of flops and turn boards.
    """
    n_chunks, width = counts.shape[0], counts.shape[4]
    for chunk in range(thread[0], n_chunks, thread[1]):
        order, start = np.empty(N_RIVER_HOLES, np.int16), np.empty(_MOST_STARTS, np.int32)
        rows, below = np.empty((bins, width), np.int32), np.empty(width, np.int32)
        scratch = rows, below, np.empty((N_CARDS, width), np.int32)
        bin_of, equity = np.empty(N_HOLES, np.uint8), np.empty(N_HOLES, np.int32)
        rounds = counts[chunk]
        for b in range(chunk, boards.shape[0], n_chunks):
            board, weight = boards[b], weights[b]
            river_order(board, order, start)
            fill_river_equity(board, equity)
            _add_split(order, start, preflop, weight, scratch, rounds[0])
            for h in range(N_HOLES):
                bin_of[h] = min(bins * equity[h] // UNITS[3], bins - 1)
            _add_split(order, start, bin_of, weight, scratch, rounds[3])
            for x in range(5):  # the river card
                four = np.delete(board, x)
                _fill_bins(four, keys[1], turn, bin_of)
                _add_split(order, start, bin_of, weight, scratch, rounds[2])
                for y in range(x):  # turn and river cards in either order
                    _fill_bins(np.delete(four, y), keys[0], flop, bin_of)
                    _add_split(order, start, bin_of, weight, scratch, rounds[1])


def joint_odds(
    equities: tuple[StreetEquities, ...], bins: int, boards: np.ndarray | None = None
) -> np.ndarray:
    """Number of deals of each (own bin, opponent's bin, result) in each round, (4, bins, bins, 3)
    int64; result LOSS, TIE, WIN.

    A deal is two unordered holes and a board split by round: ten and five times as many on flop and
    turn. equities: preflop first; boards (n, 5): count on these alone, None for all.
    """
    known = canonical_boards(5)
    cards = (known.cards if boards is None else np.asarray(boards)).astype(np.int64)
    weights = known.multiplicity if boards is None else np.ones(len(cards), dtype=np.int64)
    preflop, flop, turn = (odds_bins(s, equities[s].equity, bins) for s in range(3))
    keys = canonical_boards(3).keys, canonical_boards(4).keys
    counts = np.zeros((_CHUNKS, 4, 2, bins, -(-bins // _LANES) * _LANES), dtype=np.int64)
    of_hole = preflop[0, CLASS_OF_HOLE]
    on_threads(_count, cards, weights, of_hole, keys, flop, turn, bins, counts)
    won, pairs = np.moveaxis(counts.sum(axis=0)[..., :bins], 1, 0)
    lost = won.swapaxes(1, 2)
    return np.stack([lost, pairs - won - lost, won], axis=3)


def mutual_information(counts: np.ndarray) -> float:
    """Mutual information in bits between the two sides of a table of counts (n, m)."""
    p = counts / counts.sum()
    independent = p.sum(axis=1, keepdims=True) * p.sum(axis=0, keepdims=True)
    return float((p[p > 0] * np.log2(p[p > 0] / independent[p > 0])).sum())


def class_outcomes(preflop_wins: np.ndarray) -> np.ndarray:
    """`joint_odds` before the flop by the 169 starting hands themselves, (169, 169, 3).

    preflop_wins (169, 169): of cards/matchups.
    """
    deals = class_pairs() * RUNOUTS_PREFLOP
    ties = deals - preflop_wins - preflop_wins.T
    return np.stack([preflop_wins.T, ties, preflop_wins], axis=2)
