"""A discard rule that a person can hold: a decision tree taught the best swap from a few things that one sees at the table.

A row is a hand on a flop or a turn board; its answers are keep, throw the high card, throw the low card, and each costs
equity. CART learns the best answers weighted by what mistakes cost there, the optimal tree the costs themselves.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from faceup.cards.cards import HOLE_CARDS, N_HOLES, canonical_boards
from faceup.cards.strength import STRAIGHT
from faceup.discard.groups import sampled_hands
from faceup.discard.outs import COMPLETING, N_RANKS
from faceup.discard.swaps import KEEP, THROW_HIGH, THROW_LOW
from faceup.trees.tree import DecisionTree

SWAP_FEATURES = (
    "on the turn", "pocket pair", "the high card pairs the board", "the low card pairs the board", "straight or flush is made",
    "cards of the high card's suit", "cards of the low card's suit", "ranks that complete a straight with both",
    "ranks that complete one with the high card", "ranks that complete one with the low card", "overcards to the board",
    "rank of the high card", "rank of the low card",
)  # fmt: skip
_HOLES_A_BOARD = 20


class SwapRows(NamedTuple):
    """Hands before a swap, as often as they are dealt."""

    street: np.ndarray  # (n,) 1 flop, 2 turn
    board: np.ndarray  # (n,) number among the canonical boards
    hole: np.ndarray  # (n,)
    features: np.ndarray  # (n, 13) float32, as SWAP_FEATURES
    equity: np.ndarray  # (n, 3) of each choice


def features_of(boards: np.ndarray, holes: np.ndarray) -> np.ndarray:
    """What a person sees, (n, 13) float32; boards (n, 3) or (n, 4), holes (n,): numbers 0..1325."""
    cards, board = HOLE_CARDS[holes].astype(np.int64), boards.astype(np.int64)
    ranks, suits, of_board = cards // 4, cards % 4, board // 4
    pairs = (ranks[:, :, None] == of_board[:, None, :]).any(axis=2)
    flush = (suits[:, :, None] == np.concatenate([suits, board % 4], axis=1)[:, None]).sum(axis=2)  # of either card's suit
    masks = np.bitwise_or.reduce(1 << of_board, axis=1)
    kept = [masks | 1 << ranks[:, 0] | 1 << ranks[:, 1], masks | 1 << ranks[:, 0], masks | 1 << ranks[:, 1]]
    straights = [N_RANKS[COMPLETING[mask]] for mask in kept]
    made = (STRAIGHT[kept[0]] > 0) | (flush.max(axis=1) >= 5)
    over = (ranks > of_board.max(axis=1)[:, None]).sum(axis=1)
    columns = (
        np.full(len(holes), boards.shape[1] == 4), ranks[:, 0] == ranks[:, 1], pairs[:, 0], pairs[:, 1], made, flush[:, 0],
        flush[:, 1], *straights, over, ranks[:, 0] + 2, ranks[:, 1] + 2,
    )  # fmt: skip
    return np.stack(columns, axis=1).astype(np.float32)


def sample_rows(equity: tuple[np.ndarray, np.ndarray], n_boards: int, generator: np.random.Generator) -> SwapRows:
    """20 hands on each of n_boards flops and as many turn boards; equity: of `swaps.equities` on both streets."""
    parts = []
    for street, values in enumerate(equity, start=1):
        picked, holes = sampled_hands(street + 2, n_boards, _HOLES_A_BOARD, generator)
        board, hole = np.repeat(picked, _HOLES_A_BOARD), holes.ravel()
        seen = features_of(canonical_boards(street + 2).cards[board], hole)
        parts.append((np.full(len(hole), street), board, hole, seen, values[board, hole]))
    return SwapRows(*map(np.concatenate, zip(*parts, strict=True)))


def three_lines(features: np.ndarray) -> np.ndarray:
    """What a rule of three lines chooses for rows of `features_of`, (n,) uint8.

    Keep a pocket pair, two pair, a straight or a flush; else, if one card pairs the board, throw the other; else the low card.
    """
    pocket, high, low, made = (features[:, k] > 0 for k in range(1, 5))
    return np.where(pocket | made | (high & low), KEEP, np.where(low, THROW_HIGH, THROW_LOW)).astype(np.uint8)


def by_tree(tree: DecisionTree, features: np.ndarray) -> np.ndarray:
    """What a tree chooses for rows of `features_of`, (n,) uint8."""
    return tree.predict(features).argmax(axis=1).astype(np.uint8)


def on_all_boards(n_cards: int, rules: Sequence[Callable[[np.ndarray], np.ndarray]]) -> np.ndarray:
    """What rules of `features_of` choose on all flops or turn boards, (n_rules, n_boards, 1326); blocked holes mean nothing."""
    boards = canonical_boards(n_cards).cards
    out = np.empty((len(rules), len(boards), N_HOLES), dtype=np.uint8)
    for first in range(0, len(boards), 128):  # boards at once, for the memory that their features take
        part = boards[first : first + 128]
        rows = features_of(np.repeat(part, N_HOLES, axis=0), np.tile(np.arange(N_HOLES), len(part)))
        out[:, first : first + 128] = [rule(rows).reshape(-1, N_HOLES) for rule in rules]
    return out


def costs(equity: np.ndarray) -> np.ndarray:
    """Equity that each choice loses to the best one, (n, 3)."""
    return (equity.max(axis=1, keepdims=True) - equity).astype(np.float64)


def best_swaps(cost: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """From `costs`: the best choice (n, 3), 1 for it, and as its weight (n,) what the next best one costs, never 0."""
    return np.eye(3)[cost.argmin(axis=1)], np.sort(cost, axis=1)[:, 1] + 1e-6
