"""Matches on the betting tree, and players to meet.

A deal is played twice, with seats exchanged: the same cards, also those that may be drawn, and the same random numbers for
mixed actions. What differs between two players is then all that is left, and a player wins nothing from itself. The same
deals serve all pairs. An interval comes from how deals differ.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numba import njit, prange

from faceup.discard.deals import NEVER, OWN, HandTables
from faceup.discard.rules import MBB_PER_CHIP
from faceup.discard.selfplay import PLAY, Layout, Numbers, Strategy, _deal, _make_scratch, _make_seen, _walk, both, make_layout
from faceup.discard.tree import PublicTree
from faceup.notebook.intervals import mean_ci95

_CHUNK = 500  # deals that are one thread's work


class Result(NamedTuple):
    """What the first of two players wins, both seats equally often, in mbb/g."""

    mbb: float
    ci95: float  # half-width
    deals: int


@njit(cache=True, parallel=True)
def _play(tree, layout, back, chances, policies, tables, seed, out):
    """out (n,): chips that the first player wins of each deal, mean of both seats; back: the layout with seats exchanged."""
    turned, numbers = (policies[1], policies[0]), Numbers(chances, chances)
    for chunk in prange((out.shape[0] + _CHUNK - 1) // _CHUNK):
        seen, scratch = _make_seen(), _make_scratch(tree.kind.shape[0])
        for i in range(chunk * _CHUNK, min(out.shape[0], (chunk + 1) * _CHUNK)):
            _deal(seed, 1, i, policies, tables, seen, scratch)
            won = _walk(tree, layout, numbers, seen, PLAY, -1, 0.0, scratch)
            _deal(seed, 1, i, turned, tables, seen, scratch)
            out[i] = (won - _walk(tree, back, numbers, seen, PLAY, -1, 0.0, scratch)) / 2


def play_deals(tree: PublicTree, tables: HandTables, first: Strategy, second: Strategy, deals: int, seed: int) -> np.ndarray:
    """What the first strategy wins from the second on each deal, mean of both seats, in mbb (deals,).

    The deals are others than those of self-play with the same seed. Raises ValueError below 2 deals.
    """
    if deals < 2:
        raise ValueError(f"deals is {deals}, expected at least 2")
    out, size = np.empty(deals), len(first.chances)
    layout, back = both(first.layout, second.layout, size), both(second.layout, first.layout, 0)
    back.base[0] += size
    chances, policies = np.append(first.chances, second.chances), (first.policy, second.policy)
    _play(tree, layout, back, chances, policies, tables, seed, out)
    return out * MBB_PER_CHIP


def play_pairs(
    tree: PublicTree,
    tables: HandTables,
    players: dict[str, Strategy],
    pairs: Sequence[tuple[str, str]],
    deals: int,
    seed: int,
    progress: Callable[[int], None] = lambda done: None,
) -> list[Result]:
    """What the first of each pair wins, by the same deals; progress: told how many pairs are done."""
    found = []
    for first, second in pairs:
        found.append(result(play_deals(tree, tables, players[first], players[second], deals, seed)))
        progress(len(found))
    return found


def result(won: np.ndarray) -> Result:
    """The mean of deals and its interval."""
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
