"""The joint distribution Pr[PO, OO, Win] of the two players' odds and the result, in each round, by
exact enumeration.

Paper 003, Sections 4.3 and 5: odds are the chance to win at showdown, given the hole and the
visible board. Here they are the equity against a random hand, a tie counting one half (the paper
writes Pr[Win]), rounded down to one of `bins` equal intervals.

Each of the 134,459 river boards up to suits, with its multiplicity, is sorted by strength once. It
then serves the ten flops and five turn boards that it may have come from. Wins are counted as in
`cards.matchups`: no pair of holes is looked at.
"""

import numpy as np
from numba import njit

from faceup.cards.cards import (
    CLASS_OF_HOLE,
    HOLE_CARDS,
    N_CLASSES,
    N_HOLES,
    PERMUTED_HOLES,
    canonical_boards,
    canonical_key,
)
from faceup.cards.equity import UNITS, StreetTable, fill_river_equity
from faceup.cards.matchups import RUNOUTS_PREFLOP, add_wins
from faceup.cards.strength import N_RIVER_HOLES, river_order
from faceup.util.parallel import on_threads

LOSS, TIE, WIN = 0, 1, 2  # of the player whose odds come first
_CHUNKS = 16  # of boards, counted side by side


def odds_bins(street: int, equity: np.ndarray, bins: int) -> np.ndarray:
    """The bin 0..bins - 1 of equities out of `UNITS[street]`, uint8; the equity 1 is in the last."""
    return np.minimum(equity.astype(np.int64) * bins // UNITS[street], bins - 1).astype(np.uint8)


@njit(cache=True)
def _add_split(order, start, bin_of, weight, rows, below, with_card, wins, pairs):
    """Add weight times the wins, and the pairs that can meet, of one river board by the bins of its
    holes.

    bin_of (1326,): bins of the holes when the round was played. wins, pairs (bins, width) int64: of
    the first bin against the second; rows (bins, width), below (width,), with_card (52, width)
    int32 are scratch.
    """
    rows[:] = 0
    add_wins(order, start, bin_of, 1, rows, below, with_card)
    width = below.shape[0]
    for a in range(rows.shape[0]):
        shared = rows[a]
        for b in range(width):
            wins[a, b] += weight * shared[b]
            shared[b] = 0
        for c in range(52):
            for b in range(width):
                shared[b] += with_card[c, a] * with_card[c, b]
        shared[a] -= below[a]  # a hole shares two cards with itself, and was taken off twice
        for b in range(width):
            pairs[a, b] += weight * (below[a] * below[b] - shared[b])


@njit(cache=True)
def _holes_bins(board, keys, table, out):
    """The bins of all holes on a real board, out (1326,), from a table of the boards up to suits
    with these keys.
    """
    key, permutation = canonical_key(board, board.shape[0])
    source, moved = table[np.searchsorted(keys, key)], PERMUTED_HOLES[permutation]
    for h in range(out.shape[0]):
        out[h] = source[moved[h]]


@njit(cache=True, nogil=True)
def _count(thread, boards, weights, preflop, flop_keys, flop, turn_keys, turn, bins, wins, pairs):
    """wins, pairs (n_chunks, 4, bins, width) int64, zero at first; preflop (1326,), flop, turn
    (n_boards, 1326): bins.
    """
    n_chunks, width = wins.shape[0], wins.shape[3]
    for chunk in range(thread[0], n_chunks, thread[1]):
        order, start = np.empty(N_RIVER_HOLES, dtype=np.int16), np.empty(161, dtype=np.int32)
        rows, below = np.empty((bins, width), dtype=np.int32), np.empty(width, dtype=np.int32)
        with_card, bin_of = np.empty((52, width), dtype=np.int32), np.empty(N_HOLES, dtype=np.uint8)
        equity = np.empty(N_HOLES, dtype=np.int32)
        for b in range(chunk, boards.shape[0], n_chunks):
            board, weight = boards[b], weights[b]
            river_order(board, order, start)
            fill_river_equity(board, equity)
            _add_split(
                order,
                start,
                preflop,
                weight,
                rows,
                below,
                with_card,
                wins[chunk, 0],
                pairs[chunk, 0],
            )
            for h in range(N_HOLES):
                bin_of[h] = min(bins * equity[h] // UNITS[3], bins - 1)
            _add_split(
                order,
                start,
                bin_of,
                weight,
                rows,
                below,
                with_card,
                wins[chunk, 3],
                pairs[chunk, 3],
            )
            for x in range(5):  # the river card
                four = np.delete(board, x)
                _holes_bins(four, turn_keys, turn, bin_of)
                _add_split(
                    order,
                    start,
                    bin_of,
                    weight,
                    rows,
                    below,
                    with_card,
                    wins[chunk, 2],
                    pairs[chunk, 2],
                )
                for y in range(x):  # turn and river cards in either order
                    _holes_bins(np.delete(four, y), flop_keys, flop, bin_of)
                    _add_split(
                        order,
                        start,
                        bin_of,
                        weight,
                        rows,
                        below,
                        with_card,
                        wins[chunk, 1],
                        pairs[chunk, 1],
                    )


def joint_odds(
    tables: tuple[StreetTable, ...], bins: int, boards: np.ndarray | None = None
) -> np.ndarray:
    """How many deals have each (own bin, opponent's bin, result) in each round, (4, bins, bins, 3)
    int64; result LOSS, TIE, WIN.

    A deal is two unordered holes and a board split by round: ten and five times as many on flop and
    turn. tables: equities, preflop first; boards (n, 5): count on these alone, None for all.
    """
    known = canonical_boards(5)
    cards = (known.cards if boards is None else np.asarray(boards)).astype(np.int64)
    weights = known.multiplicity if boards is None else np.ones(len(cards), dtype=np.int64)
    preflop, flop, turn = (odds_bins(s, tables[s].equity, bins) for s in range(3))
    wins, pairs = np.zeros((2, _CHUNKS, 4, bins, -(-bins // 8) * 8), dtype=np.int64)
    keys = canonical_boards(3).keys, canonical_boards(4).keys
    on_threads(
        _count,
        cards,
        weights,
        preflop[0, CLASS_OF_HOLE],
        keys[0],
        flop,
        keys[1],
        turn,
        bins,
        wins,
        pairs,
    )
    won, met = wins.sum(axis=0)[..., :bins], pairs.sum(axis=0)[..., :bins]
    lost = won.swapaxes(1, 2)
    return np.stack([lost, met - won - lost, won], axis=3)


def information(counts: np.ndarray) -> float:
    """Mutual information in bits between the two sides of a table of counts (n, m)."""
    p = counts / counts.sum()
    apart = p.sum(axis=1, keepdims=True) * p.sum(axis=0, keepdims=True)
    return float((p[p > 0] * np.log2(p[p > 0] / apart[p > 0])).sum())


def class_outcomes(preflop_wins: np.ndarray) -> np.ndarray:
    """`joint_odds` before the flop by the 169 starting hands themselves, (169, 169, 3);
    preflop_wins: of cards/matchups.
    """
    of_class = np.eye(N_CLASSES, dtype=np.int64)[CLASS_OF_HOLE]
    disjoint = ~(HOLE_CARDS[:, None, :, None] == HOLE_CARDS[None, :, None, :]).any(axis=(2, 3))
    met = of_class.T @ disjoint @ of_class * RUNOUTS_PREFLOP
    return np.stack([preflop_wins.T, met - preflop_wins - preflop_wins.T, preflop_wins], axis=2)
