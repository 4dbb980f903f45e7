"""Hands dealt in batches and played action by action: thousands of them walk a betting tree at
once.
"""

from collections.abc import Callable
from typing import NamedTuple, Protocol

import numpy as np
from numba import njit

from faceup.cards.cards import (
    BOARD_CARDS,
    CLASS_OF_HOLE,
    PERMUTED_HOLES,
    canonical_boards,
    canonical_key,
)
from faceup.cards.equity import StreetEquities
from faceup.cards.strength import hand_strength
from faceup.holdem.betting_lines import payoffs
from faceup.holdem.betting_tree import BettingTree
from faceup.holdem.rules import DECISION, FOLD_END
from faceup.util.parallel import on_threads


class Deals(NamedTuple):
    """n deals: cards, and their places in the street tables."""

    # (n, 9) int64: two cards of the small blind, two of the big blind, five of the board
    cards: np.ndarray
    holes: np.ndarray  # (n, 2) int64
    boards: np.ndarray  # (4, n) int64 row of the board in each street's table
    columns: np.ndarray  # (4, n, 2) int64 column of each player's hole there
    river: np.ndarray  # (n, 2) int64 river equity out of UNITS[3]
    strengths: np.ndarray  # (n, 2) int64 of the seven cards


@njit(cache=True, nogil=True)
def _look_up(thread, cards, keys, boards, columns, strengths):
    """Fill in boards (4, n), columns (4, n, 2) behind the flop, which hold the holes at first, and
    strengths (n, 2) of `Deals`.

    cards (n, 9); keys: of flops, turn and river boards.
    """
    for i in range(thread[0], cards.shape[0], thread[1]):
        for street in range(1, 4):
            key, permutation = canonical_key(cards[i, 4:], 2 + street)
            boards[street, i] = np.searchsorted(keys[street - 1], key)
            for player in range(2):
                columns[street, i, player] = PERMUTED_HOLES[permutation, columns[street, i, player]]
        seven = np.empty(7, dtype=np.int64)
        seven[2:] = cards[i, 4:]
        for player in range(2):
            seven[:2] = cards[i, 2 * player : 2 * player + 2]
            strengths[i, player] = hand_strength(seven, 7)


def deal_hands(
    equities: tuple[StreetEquities, ...], n: int, generator: np.random.Generator
) -> Deals:
    """n random deals; equities: of cards/equity, preflop first."""
    cards = generator.random((n, 52)).argsort(axis=1, kind="stable")[:, :9].copy()
    pairs = np.sort(cards[:, :4].reshape(-1, 2, 2), axis=2)
    holes = pairs[:, :, 1] * (pairs[:, :, 1] - 1) // 2 + pairs[:, :, 0]
    boards, columns = np.zeros((4, n), dtype=np.int64), np.repeat(holes[None], 4, axis=0)
    strengths = np.empty_like(holes)
    columns[0] = CLASS_OF_HOLE[holes]
    keys = tuple(canonical_boards(k).keys for k in BOARD_CARDS[1:])
    on_threads(_look_up, cards, keys, boards, columns, strengths)
    river = equities[3].equity[boards[3][:, None], columns[3]].astype(np.int64)
    return Deals(cards, holes, boards, columns, river, strengths)


# (street, hands, nodes, u) -> the nodes that a seat's actions lead to; hands (m,): their indices;
# nodes (m,): where they are; u (m,): uniform in [0, 1)
Act = Callable[[int, np.ndarray, np.ndarray, np.ndarray], np.ndarray]


class Seat(Protocol):
    """A player of batches of hands from one seat of a betting tree."""

    def start(self, deals: Deals, player: int) -> Act:
        """The play of new hands; player: the seat, 0 the small blind."""


def sampled_columns(chances: np.ndarray, u: np.ndarray) -> np.ndarray:
    """A sampled column of each row (n,), by chances (n, k) up to a factor; u (n,): uniform in [0,
    1).
    """
    sums = np.cumsum(chances, axis=1, dtype=np.float64)
    below = 1 - 1e-12  # else rounding may sample a column without chance
    return (sums <= below * u[:, None] * sums[:, -1:]).sum(axis=1)


def play_deals(
    tree: BettingTree, seats: tuple[Seat, Seat], deals: Deals, generator: np.random.Generator
) -> np.ndarray:
    """The node at which each deal ends, (n,) int64; generator: of the seats' sampled actions."""
    acts = [seat.start(deals, player) for player, seat in enumerate(seats)]
    nodes = np.zeros(len(deals.cards), dtype=np.int64)
    for street in range(4):
        while len(
            hands := np.flatnonzero((tree.kind[nodes] == DECISION) & (tree.street[nodes] == street))
        ):
            actors = tree.actor[nodes[hands]]
            for actor, act in enumerate(acts):
                mine = hands[actors == actor]
                if len(mine):
                    nodes[mine] = act(street, mine, nodes[mine], generator.random(len(mine)))
    return nodes


def dollars(tree: BettingTree, deals: Deals, nodes: np.ndarray) -> np.ndarray:
    """Dollars that the small blind wins in deals that ended at nodes (n,), (n,) int64."""
    folded = np.where(tree.kind[nodes] == FOLD_END, tree.actor[nodes], -1)
    return payoffs(tree.bets[nodes].sum(axis=2), folded, deals.strengths)[:, 0]
