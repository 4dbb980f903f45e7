"""Matches on the betting tree, and players to meet.

A deal is a board and SIDES hands, each with the cards that it may draw. Every hand meets every other one, in both seats and
with the players exchanged: the same cards, and the same random numbers for mixed actions. What differs between two players is
then all that is left, and a player wins nothing from itself. The same deals serve all pairs of players. An interval comes from
how deals differ, and a match lasts until the interval is as narrow as asked.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numba import njit, prange

from faceup.discard.deals import NEVER, OWN, HandTables, _find_boards, _see, _shuffle, _start_random, _uniform
from faceup.discard.rules import MBB_PER_CHIP
from faceup.discard.selfplay import Layout, Strategy, _end_worth, both, make_layout
from faceup.discard.tree import N_TABLES, SWAP, PublicTree
from faceup.notebook.intervals import mean_ci95

SIDES = 6  # hands to a deal
_CHUNK = 50  # deals that are one thread's work
_BATCH = 2000  # deals between two looks at the interval


class Result(NamedTuple):
    """What the first of two players wins, both seats equally often, in mbb/g."""

    mbb: float
    ci95: float  # half-width
    deals: int


@njit(cache=True)
def _sampled(chances, entry, n, state):
    """An action, drawn by n weights from an entry on; all alike where none is above 0."""
    total = 0.0
    for a in range(n):
        total += chances[entry + a]
    u = _uniform(state)
    if total == 0.0:
        return int(u * n)
    u, taken = u * total, 0
    while taken < n - 1 and u >= chances[entry + taken]:
        u -= chances[entry + taken]
        taken += 1
    return taken


@njit(cache=True)
def _meet(tree, layout, chances, first, i, j, sides, state):
    """Play a hand; returns what player 0, who holds hand i, wins from the other, who holds j; first: which of the two he is."""
    rows, strengths, forced = sides
    node = 0
    while tree.n_actions[node] > 0:
        p, t = tree.player[node], tree.table[node]
        k, side = (first, i) if p == 0 else (1 - first, j)
        hand = tree.hands[node, p]
        taken = forced[k, side, t - 4, hand] if tree.kind[node] == SWAP else -1
        if taken < 0:
            entry = layout.base[p, t] + rows[k, side, t, hand] * layout.width[p, t] + layout.slot[p, node]
            taken = _sampled(chances, entry, tree.n_actions[node], state)
        node += 1
        for _ in range(taken):
            node = tree.end[node]
    return _end_worth(tree, strengths[first, i], strengths[1 - first, j], node)


@njit(cache=True, parallel=True)
def _play(tree, layout, back, chances, policies, tables, seed, start, out):
    """out (n,): chips that the first player wins of deals start, start + 1, ..; back: the layout with seats exchanged."""
    for chunk in prange((out.shape[0] + _CHUNK - 1) // _CHUNK):
        deck, where = np.arange(52), np.empty((3, 2), dtype=np.int64)
        seven, state = np.empty(7, dtype=np.int64), np.zeros(1, dtype=np.uint64)
        rows, forced = np.zeros((2, SIDES, N_TABLES, 4), dtype=np.int64), np.zeros((2, SIDES, 2, 4), dtype=np.int64)
        strengths = np.zeros((2, SIDES, 4), dtype=np.int64)
        sides = rows, strengths, forced
        for d in range(chunk * _CHUNK, min(out.shape[0], (chunk + 1) * _CHUNK)):
            deck[:] = np.arange(52)
            _start_random(state, seed, 1, start + d)
            _shuffle(deck, 9 + 4 * SIDES, state)
            _find_boards(deck[4:9], tables, where, seven)
            for k in range(2):
                for side in range(SIDES):
                    own = deck[9 + 4 * side : 13 + 4 * side]
                    _see(own, policies[k], tables, where, seven, rows[k, side], strengths[k, side], forced[k, side])
            total = 0.0
            for i in range(SIDES):
                for j in range(SIDES):
                    if i != j:
                        luck = state[0]
                        total += _meet(tree, layout, chances, 0, i, j, sides, state)
                        state[0] = luck
                        total -= _meet(tree, back, chances, 1, i, j, sides, state)
            out[d] = total / (2 * SIDES * (SIDES - 1))


def play_deals(
    tree: PublicTree, tables: HandTables, first: Strategy, second: Strategy, deals: int, seed: int, start: int = 0
) -> np.ndarray:
    """What the first strategy wins from the second on deals start, start + 1, .., means of all hands and seats, mbb (deals,).

    The deals are others than those of self-play with the same seed.
    """
    out = np.empty(deals)
    layouts, policies = both(first.layout, second.layout, len(first.chances)), (first.policy, second.policy)
    _play(tree, *layouts, np.append(first.chances, second.chances), policies, tables, seed, start, out)
    return out * MBB_PER_CHIP


def play_match(
    tree: PublicTree, tables: HandTables, first: Strategy, second: Strategy, width: float, deals: int, seed: int
) -> Result:
    """What the first strategy wins, known to half a 95 % interval of at most width mbb/g, or as `deals` deals tell it.

    Raises ValueError below 2 deals.
    """
    if deals < 2:
        raise ValueError(f"deals is {deals}, expected at least 2")
    won = np.empty(0)
    while len(won) < deals and (len(won) == 0 or mean_ci95(won)[1] > width):
        more = min(_BATCH, deals - len(won))
        won = np.append(won, play_deals(tree, tables, first, second, more, seed, len(won)))
    return Result(*mean_ci95(won), len(won))


def random_player(tree: PublicTree, n_rows: tuple[int, ...]) -> Strategy:
    """Takes every action of the tree equally often, swaps too, and throws the better card."""
    layout = make_layout(tree, n_rows, False)
    return Strategy(layout, np.zeros(int(layout.base[-1])), OWN)


def check_fold_player(tree: PublicTree, n_rows: tuple[int, ...]) -> Strategy:
    """Checks, folds to any bet, never swaps."""
    layout = make_layout(tree, n_rows, False)
    chances = np.zeros(int(layout.base[-1]))
    for _, _, starts in _decisions(tree, layout, n_rows):
        chances[starts] = 1  # fold comes first where it is legal, else checking
    return Strategy(layout, chances, NEVER)


def _decisions(tree: PublicTree, layout: Layout, n_rows: tuple[int, ...]) -> Iterator[tuple[int, int, np.ndarray]]:
    """(table, number of actions, where the numbers of all such decisions start, for every row)."""
    nodes = np.flatnonzero(tree.n_actions > 0)
    keys = np.unique(np.stack([tree.table[nodes], tree.n_actions[nodes], layout.slot[nodes]]), axis=1)
    for table in range(len(n_rows)):
        starts = layout.base[table] + layout.width[table] * np.arange(n_rows[table])
        for n in range(1, 1 + int(tree.n_actions.max())):
            slots = keys[2, (keys[0] == table) & (keys[1] == n)]
            yield table, n, (starts[:, None] + slots).ravel()


def thresholded(tree: PublicTree, n_rows: tuple[int, ...], strategy: Strategy, thresholds: Sequence[float]) -> Strategy:
    """The strategy without actions that it takes as seldom as a street's threshold or less, (4,); the rest is scaled up.

    Where no action is above it the likeliest stays. Raises ValueError unless there are four thresholds from 0 to 1.
    """
    if len(thresholds) != 4 or not all(0 <= t < 1 for t in thresholds):
        raise ValueError(f"thresholds is {thresholds!r}, expected four shares below 1")
    chances = np.zeros_like(strategy.chances)
    for table, n, starts in _decisions(tree, strategy.layout, n_rows):
        places = starts[:, None] + np.arange(n)
        weights = strategy.chances[places]
        total = weights.sum(axis=1, keepdims=True)
        shares = np.where(total > 0, weights / np.where(total > 0, total, 1), 1 / n)
        kept = np.where(shares > (*thresholds, *thresholds[1:3])[table], shares, 0)
        kept = np.where(kept.sum(axis=1, keepdims=True) > 0, kept, shares == shares.max(axis=1, keepdims=True))
        chances[places] = kept / kept.sum(axis=1, keepdims=True)
    return strategy._replace(chances=chances)
