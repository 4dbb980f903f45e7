"""Matches on the betting tree, and players to meet.

A deal is a board and SIDES hands, each with the cards that it may draw. Every hand meets every
other one, in both seats and with the players exchanged, with the same random numbers for mixed
actions: a player wins nothing from itself. The same deals serve all pairs of players, so that what
two of them win from a third is compared deal by deal, and deals make intervals.
"""

from collections.abc import Iterator, Sequence

import numpy as np
from numba import njit

from faceup.papers.discard.deals import (
    OWN,
    HandTables,
    _find_boards,
    _generator,
    _make_seen,
    _see,
    _shuffle,
    _uniform,
)
from faceup.papers.discard.selfplay import (
    Strategy,
    StrategyLayout,
    _end_worth,
    _pick,
    both,
    strategy_layout,
)
from faceup.papers.discard.tree import MBB_PER_CHIP, SWAP, PublicTree
from faceup.util.parallel import on_threads
from faceup.util.rng import Stream

SIDES = 6  # hands to a deal


@njit(cache=True)
def _meet(tree, layout, chances, seen, i, j, state):
    """Play a hand; returns what player 0, who sees side i, wins from the other, who sees j; the
    first SIDES are strategy 0's.
    """
    node = 0
    while tree.n_actions[node] > 0:
        p, t = tree.player[node], tree.table[node]
        side, hand = i if p == 0 else j, tree.hands[node, p]
        taken = seen.forced[side, t - 4, hand] if tree.kind[node] == SWAP else -1
        if taken < 0:
            k = side // SIDES
            entry = (
                layout.base[k, t]
                + seen.rows[side, t, hand] * layout.width[k, t]
                + layout.slot[k, node]
            )
            n, u = tree.n_actions[node], _uniform(state)
            total = chances[entry : entry + n].sum()
            taken = _pick(chances, entry, n, u * total) if total > 0.0 else int(u * n)
        node += 1
        for _ in range(taken):
            node = tree.end[node]
    return _end_worth(tree, seen.strengths[i], seen.strengths[j], node)


@njit(cache=True, nogil=True)
def _play(thread, tree, layout, chances, policies, tables, start, out):
    """out (n,): chips that the first player wins of each deal."""
    for d in range(thread[0], out.shape[0], thread[1]):
        deck, seen = np.arange(52), _make_seen(2 * SIDES)
        state, total = _generator(start, d), 0.0
        _shuffle(deck, 9 + 4 * SIDES, state)
        found = _find_boards(deck[4:9], tables)
        for side in range(2 * SIDES):
            own = 9 + 4 * (side % SIDES)
            _see(deck[own : own + 4], policies[side // SIDES], tables, found, seen, side)
        for i in range(SIDES):
            for j in range(SIDES):
                if i != j:
                    luck = state[0]
                    total += _meet(tree, layout, chances, seen, i, SIDES + j, state)
                    state[0] = luck
                    total -= _meet(tree, layout, chances, seen, SIDES + i, j, state)
        out[d] = total / (2 * SIDES * (SIDES - 1))


def deal_values(
    tree: PublicTree,
    tables: HandTables,
    first: Strategy,
    second: Strategy,
    deals: int,
    stream: Stream,
) -> np.ndarray:
    """What the first strategy wins from the second on each deal, mean of all hands and both seats,
    mbb (deals,).
    """
    out, policies, start = (
        np.empty(deals),
        (first.policy, second.policy),
        int(stream().integers(1 << 62)),
    )
    layout = both(first.layout, second.layout, len(first.chances))
    on_threads(
        _play, tree, layout, np.append(first.chances, second.chances), policies, tables, start, out
    )
    return out * MBB_PER_CHIP


def random_player(tree: PublicTree, n_rows: tuple[int, ...]) -> Strategy:
    """Takes every action of the tree equally often, swaps too, and throws the better card."""
    layout = strategy_layout(tree, n_rows, False)
    return Strategy(layout, np.zeros(int(layout.base[-1])), OWN)


def _decisions(tree: PublicTree, layout: StrategyLayout) -> Iterator[tuple[int, np.ndarray]]:
    """For each table and number n of actions, the table and where the numbers of all such decisions
    are, (.., n).
    """
    keys = np.unique(
        np.stack([tree.table, tree.n_actions, layout.slot])[:, tree.n_actions > 0], axis=1
    )
    for table, n in np.unique(keys[:2], axis=1).T:
        slots = keys[2, (keys[0] == table) & (keys[1] == n)]
        rows = np.arange(layout.base[table], layout.base[table + 1], layout.width[table])
        yield table, (rows[:, None] + slots).reshape(-1, 1) + np.arange(n)


def threshold_strategy(
    tree: PublicTree, strategy: Strategy, thresholds: Sequence[float]
) -> Strategy:
    """The strategy without actions that it takes as seldom as a street's threshold or less, (4,);
    the rest is scaled up.

    Where no action is above it the likeliest stays.
    """
    chances = np.zeros_like(strategy.chances)
    for table, places in _decisions(tree, strategy.layout):
        weights = strategy.chances[places]
        total = weights.sum(axis=1, keepdims=True)
        shares = np.where(total > 0, weights / np.where(total > 0, total, 1), 1 / places.shape[1])
        kept = np.where(shares > (*thresholds, *thresholds[1:3])[table], shares, 0)
        kept = np.where(
            kept.sum(axis=1, keepdims=True) > 0, kept, shares == shares.max(axis=1, keepdims=True)
        )
        chances[places] = kept / kept.sum(axis=1, keepdims=True)
    return strategy._replace(chances=chances)
