"""The paper's discard rule, by outs (Section 3), and what is looked up of a hand before a swap.

The author's bot, as its slides have it, in our reading:

1. Two cards that make a pocket pair, two pair, a straight or a flush with the board are kept if no swap has a higher equity
   against a random hand (`faceup.discard.swaps`).
2. Else, if one card alone pairs the board or makes a straight or a flush with it, the other is thrown. If both do, both are
   kept.
3. Else outs are counted. Throwing a card: those that would pair the other card or the board, the unseen cards of a suit of
   which the rest holds four, and the unseen cards of each rank that completes a straight. Outs that do two of these count
   twice. Keeping both: with a flush draw 11 less the board's cards of the suit; with ranks that complete a straight 4 for
   one, 8 for more. The most outs win. A tie keeps both cards, else the high one.

The rule decides on a board's canonical form, so that renamed suits change nothing.
"""

from typing import NamedTuple

import numpy as np
from numba import njit, prange

from faceup.cards.cards import (
    HOLE_CARDS,
    N_HOLES,
    PERMUTED_HOLES,
    SUIT_PERMUTATIONS,
    canonical,
    canonical_boards,
    card_text,
    hole_index,
    parse_hand,
)
from faceup.cards.strength import STRAIGHT
from faceup.discard.swaps import KEEP, THROW_HIGH, THROW_LOW, equities, swap_sums

NAMES = ("keep", "throw the high card", "throw the low card")


@njit(cache=True)
def _seen(cards, n, ranks, suits):
    """Count n cards by rank (13,) and suit (4,); returns the mask of their ranks."""
    ranks[:], suits[:] = 0, 0
    mask = 0
    for i in range(n):
        ranks[cards[i] >> 2] += 1
        suits[cards[i] & 3] += 1
        mask |= 1 << (cards[i] >> 2)
    return mask


@njit(cache=True)
def _outs(cards, n, thrown, ranks, suits):
    """Outs of n cards, the board and one kept, when `thrown` is dead; ranks and suits are scratch."""
    mask = _seen(cards, n, ranks, suits)
    outs = 0
    for r in range(13):
        left = 4 - ranks[r] - (thrown >> 2 == r)
        if mask >> r & 1 or STRAIGHT[mask | 1 << r]:
            outs += left
    for s in range(4):
        if suits[s] >= 4:
            outs += 13 - suits[s] - (thrown & 3 == s)
    return outs


@njit(cache=True)
def _draws(cards, n, ranks, suits):
    """Outs of keeping both cards: cards[n], cards[n + 1] beside a board of n."""
    mask = _seen(cards, n + 2, ranks, suits)
    suit = cards[n] & 3
    outs = 13 - suits[suit] if suit == cards[n + 1] & 3 and suits[suit] >= 4 else 0
    completing = 0
    for r in range(13):
        completing += STRAIGHT[mask | 1 << r] > 0
    if STRAIGHT[mask] == 0 and completing > 0:
        outs += 4 if completing == 1 else 8
    return outs


@njit(cache=True)
def _makes(cards, n, ranks, suits):
    """Whether n cards hold a straight or a flush."""
    return STRAIGHT[_seen(cards, n, ranks, suits)] > 0 or suits.max() >= 5


@njit(cache=True)
def _rule(cards, n, high, low, keep_is_best, ranks, suits):
    """The rule's choice on a board of n cards, cards[:n]; the places behind are scratch."""
    _seen(cards, n, ranks, suits)
    pairs_high, pairs_low = ranks[high >> 2] > 0, ranks[low >> 2] > 0
    cards[n] = high
    alone_high = pairs_high or _makes(cards, n + 1, ranks, suits)
    outs_high = _outs(cards, n + 1, low, ranks, suits)
    cards[n + 1] = low
    made = high >> 2 == low >> 2 or (pairs_high and pairs_low) or _makes(cards, n + 2, ranks, suits)
    outs_both = _draws(cards, n, ranks, suits)
    cards[n] = low
    alone_low = pairs_low or _makes(cards, n + 1, ranks, suits)
    outs_low = _outs(cards, n + 1, high, ranks, suits)
    if (made and keep_is_best) or (alone_high and alone_low):
        return KEEP
    if alone_high or alone_low:
        return THROW_LOW if alone_high else THROW_HIGH
    if outs_both >= outs_high and outs_both >= outs_low:
        return KEEP
    return THROW_LOW if outs_high >= outs_low else THROW_HIGH


@njit(cache=True, parallel=True)
def _rule_table(boards, equity, out):
    for b in prange(boards.shape[0]):
        n = boards.shape[1]
        cards, ranks, suits = np.zeros(n + 2, dtype=np.int64), np.zeros(13, dtype=np.int64), np.zeros(4, dtype=np.int64)
        cards[:n] = boards[b]
        for h in range(N_HOLES):
            best = equity[b, h, 0] >= max(equity[b, h, 1], equity[b, h, 2])
            out[b, h] = _rule(cards, n, np.int64(HOLE_CARDS[h, 0]), np.int64(HOLE_CARDS[h, 1]), best, ranks, suits)


def rule_choices(boards: np.ndarray, equity: np.ndarray) -> np.ndarray:
    """The rule's choice with every hole on canonical boards (n, 3) or (n, 4), (n, 1326) uint8; blocked holes mean nothing.

    equity (n, 1326, 3): of `swaps.equities`, what the rule asks for pairs, straights and flushes.
    """
    out = np.empty(equity.shape[:2], dtype=np.uint8)
    _rule_table(np.ascontiguousarray(boards, dtype=np.int64), equity, out)
    return out


def best_choices(equity: np.ndarray) -> np.ndarray:
    """The choice of the highest equity, (n, 1326) uint8; ties keep, else keep the high card. equity (n, 1326, 3)."""
    swap = np.where(equity[..., 2] >= equity[..., 1], THROW_LOW, THROW_HIGH)
    return np.where(equity[..., 0] >= equity[..., 1:].max(axis=-1), KEEP, swap).astype(np.uint8)


def lookup(table: np.ndarray, hole: str, board: str) -> str:
    """A choice in words from a table (n_boards, 1326) of choices on all flops or turn boards: "keep", or "throw 2c".

    Raises ValueError on a hand that is none, and on boards of another street than the table's.
    """
    private, public = parse_hand(hole, board)
    if len(public) not in (3, 4) or len(table) != len(canonical_boards(len(public)).keys):
        raise ValueError(f"board {board!r}: has {len(public)} cards, expected those of the table of {len(table):,} boards")
    number, permutation = canonical(public)
    moved = [4 * (c // 4) + int(SUIT_PERMUTATIONS[permutation, c % 4]) for c in private]
    choice = int(table[number, PERMUTED_HOLES[permutation, hole_index(*private)]])
    if choice == KEEP:
        return "keep"
    thrown = private[moved.index(max(moved) if choice == THROW_HIGH else min(moved))]
    return f"throw {card_text(thrown)}"


@njit(cache=True)
def _add_range(board, choices, weights):
    """Add what hands (1326,) an opponent holds after his choices, each that he keeps as often as all that he may draw to one."""
    used = np.int64(0)
    for card in board:
        used |= np.int64(1) << np.int64(card)
    unseen = 50 - board.shape[0]
    for h in range(N_HOLES):
        high, low = np.int64(HOLE_CARDS[h, 0]), np.int64(HOLE_CARDS[h, 1])
        if (used >> high | used >> low) & 1:
            continue
        if choices[h] == KEEP:
            weights[h] += unseen
            continue
        kept = low if choices[h] == THROW_HIGH else high
        for card in range(52):
            if not used >> card & 1 and card != high and card != low:
                a, b = (card, kept) if card > kept else (kept, card)
                weights[a * (a - 1) // 2 + b] += 1


def ranges_after(boards: np.ndarray, choices: np.ndarray) -> np.ndarray:
    """How often an opponent holds each hand once he has swapped, (n, 1326) int64, from choices (n, 1326) on boards (n, k).

    The player's own cards are not taken out of what the opponent held and drew, only out of what he has.
    """
    weights = np.zeros(choices.shape, dtype=np.int64)
    for board, row, out in zip(boards, choices, weights, strict=True):
        _add_range(board, row, out)
    return weights


class Refined(NamedTuple):
    """The best swap against an opponent who swaps by the rule, as means over hands; gains and losses are shares of the pot."""

    same: float  # how often it is the best swap against one who keeps his cards
    gain: float  # what it wins more than that one
    rule_lost: float  # what it wins more than the rule


def against_rule(boards: np.ndarray, rule: np.ndarray, best: np.ndarray) -> Refined:
    """What changes where the opponent swaps by the rule; boards (n, k), rule and best (n, 1326) choices on them."""
    found = equities(swap_sums(boards, ranges_after(boards, rule)))
    free, after = found[..., 0] > 0, best_choices(found)

    def lost(choices: np.ndarray) -> float:
        """Equity lost by other choices than the best."""
        took = np.take_along_axis(found, choices[..., None].astype(np.int64), axis=2)[..., 0]
        return float((found.max(axis=2) - took)[free].mean())

    return Refined(float((after == best)[free].mean()), lost(best), lost(rule))
