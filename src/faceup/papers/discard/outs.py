"""The paper's discard rule, by outs (Section 3), and the best swap beside it.

The author's bot, according to its slides, in our reading: 1. Two cards that make a pocket pair, two
pair, a straight or a flush with the board are kept if no swap has a higher equity against a random
hand (`swaps.equities`). 2. Else, if one card alone pairs the board or makes a straight or a flush
with it, the other is thrown. If both do, both are kept. 3. Else outs are counted. Throwing a card:
those that would pair the other card or the board, the unseen cards of a suit of which the rest
holds four, and the unseen cards of each rank that completes a straight. Outs that do two of these
count twice. Keeping both: with a flush draw 11 less the board's cards of the suit; with ranks that
complete a straight 4 for one, 8 for more. The most outs win. A tie keeps both cards, else the high
one.
"""

import numpy as np
from numba import njit

from faceup.cards.cards import HOLE_CARDS, N_HOLES
from faceup.cards.strength import STRAIGHT
from faceup.papers.discard.swaps import KEEP, THROW_HIGH, THROW_LOW
from faceup.util.parallel import on_threads

SWAP_NAMES = ("keep", "throw the high card", "throw the low card")
_SUIT_SIZE = 13
_RANKS = 1 << np.arange(13)
# (8192,) masks of the ranks that complete a straight, by the mask of ranks held
COMPLETING = (STRAIGHT[np.arange(1 << 13)[:, None] | _RANKS] > 0) @ _RANKS
N_RANKS = (np.arange(1 << 13)[:, None] & _RANKS > 0).sum(axis=1)  # (8192,) ranks in a mask


@njit(cache=True)
def _outs(mask, suits, n, kept, thrown):
    """Outs of keeping one card and throwing another.

    mask: the ranks of the board; suits (4,): its cards of each suit; n: its cards.
    """
    mask |= 1 << (kept >> 2)
    wanted = mask | COMPLETING[mask]
    outs = 4 * N_RANKS[wanted] - (n + 1) - (wanted >> (thrown >> 2) & 1)
    for s in range(4):
        held = suits[s] + (kept & 3 == s)
        outs += _SUIT_SIZE - held - (thrown & 3 == s) if held >= 4 else 0
    return outs


@njit(cache=True)
def _outs_of_both(mask, suits, high, low):
    """Outs of keeping both cards; mask, suits: as `_outs` takes them."""
    mask |= 1 << (high >> 2) | 1 << (low >> 2)
    held, completing = suits[high & 3] + 2, N_RANKS[COMPLETING[mask]]
    outs = _SUIT_SIZE - held if high & 3 == low & 3 and held >= 4 else 0
    return outs + (0 if STRAIGHT[mask] > 0 or completing == 0 else 4 if completing == 1 else 8)


@njit(cache=True)
def _makes(mask, suits, first, second):
    """Whether a board makes a straight or a flush with two cards, or with one given twice."""
    together = 2 if first != second and first & 3 == second & 3 else 1
    flush = suits[first & 3] + together >= 5 or suits[second & 3] + together >= 5
    return flush or STRAIGHT[mask | 1 << (first >> 2) | 1 << (second >> 2)] > 0


@njit(cache=True)
def _rule(mask, suits, n, high, low, keep_is_best):
    """The rule's choice with two cards; mask, suits, n: as `_outs` takes them."""
    pairs_high, pairs_low = mask >> (high >> 2) & 1 > 0, mask >> (low >> 2) & 1 > 0
    alone_high = pairs_high or _makes(mask, suits, high, high)
    alone_low = pairs_low or _makes(mask, suits, low, low)
    made = high >> 2 == low >> 2 or (pairs_high and pairs_low) or _makes(mask, suits, high, low)
    if (made and keep_is_best) or (alone_high and alone_low):
        return KEEP
    if alone_high or alone_low:
        return THROW_LOW if alone_high else THROW_HIGH
    outs_high, outs_low = _outs(mask, suits, n, high, low), _outs(mask, suits, n, low, high)
    if _outs_of_both(mask, suits, high, low) >= max(outs_high, outs_low):
        return KEEP
    return THROW_LOW if outs_high >= outs_low else THROW_HIGH


@njit(cache=True, nogil=True)
def _fill_choices(thread, masks, suits, n, equity, out):
    """The rule's choices on boards, out (n_boards, 1326) uint8.

    masks (n_boards,), suits (n_boards, 4), n: as `_outs` takes them; equity (n_boards, 1326, 3).
    """
    for b in range(thread[0], masks.shape[0], thread[1]):
        for h in range(N_HOLES):
            best = equity[b, h, KEEP] >= max(equity[b, h, THROW_HIGH], equity[b, h, THROW_LOW])
            high, low = np.int64(HOLE_CARDS[h, 0]), np.int64(HOLE_CARDS[h, 1])
            out[b, h] = _rule(masks[b], suits[b], n, high, low, best)


def rule_choices(boards: np.ndarray, equity: np.ndarray) -> np.ndarray:
    """The rule's choice with every hole on canonical boards (n, 3) or (n, 4), (n, 1326) uint8;
    those of blocked holes have no meaning.

    equity (n, 1326, 3): of `swaps.equities`, for the rule's first step.
    """
    cards, out = boards.astype(np.int64), np.empty(equity.shape[:2], dtype=np.uint8)
    masks = np.bitwise_or.reduce(1 << cards // 4, axis=1)
    suits = (cards[:, :, None] % 4 == np.arange(4)).sum(axis=1)
    on_threads(_fill_choices, masks, suits, boards.shape[1], equity, out)
    return out


def best_choices(equity: np.ndarray) -> np.ndarray:
    """The choice of the highest equity, (n, 1326) uint8; ties keep, else keep the high card.

    equity (n, 1326, 3): of `swaps.equities`.
    """
    swap = better_throws(equity)
    return np.where(equity[..., KEEP] >= equity[..., THROW_HIGH:].max(axis=-1), KEEP, swap)


def better_throws(equity: np.ndarray) -> np.ndarray:
    """The better card to throw, THROW_HIGH or THROW_LOW, (n, 1326) uint8; a tie throws the low one.

    equity (n, 1326, 3): of `swaps.equities`.
    """
    is_low = equity[..., THROW_LOW] >= equity[..., THROW_HIGH]
    return np.where(is_low, THROW_LOW, THROW_HIGH).astype(np.uint8)
