"""Matches on the betting tree, and strategies with thresholds.

A deal is a board and SIDES hands, each with the cards that it may draw. Every hand plays every
other one, in both seats and with the players exchanged, with the same random numbers for mixed
actions: a player wins nothing from itself. The same deals serve all pairs of players, so that two
players' winnings from a third are compared deal by deal, and deals make intervals.
"""

from collections.abc import Sequence

import numpy as np
from numba import njit

from faceup.holdem.rules import DECISION
from faceup.papers.discard.deals import (
    LEARNED,
    HandLookup,
    deal_sides,
    empty_view,
    uniform,
)
from faceup.papers.discard.selfplay import Strategy, end_value, number_place, pick, stack_layouts
from faceup.papers.discard.tree import MBB_PER_CHIP, SWAP, PublicTree
from faceup.util.parallel import on_threads
from faceup.util.rng import Stream

SIDES = 6  # hands a deal


@njit(cache=True)
def _play_hand(tree, layout, chances, policies, view, i, j, state):
    """Play a hand; returns the winnings of player 0, who has side i of the view, from player 1, who
    has side j.

    The first SIDES are strategy 0's. layout: of both strategies, a row each; chances (size,): their
    numbers; policies (2,): of swaps; state (1,): of the generator.
    """
    node = 0
    while tree.n_actions[node] > 0:
        p, s, n = tree.player[node], tree.street[node], tree.n_actions[node]
        side, hand = i if p == 0 else j, tree.hands[node, p]
        k, swap = side // SIDES, tree.kind[node] == SWAP
        taken = view.swaps[side, s, hand]
        if not swap or policies[k] == LEARNED:
            entry = number_place(layout, k, s, view.rows[side, s, hand], node)
            entry, u = entry + 2 * taken if swap else entry, uniform(state)
            total = chances[entry : entry + n].sum()
            taken = pick(chances, entry, n, u * total) if total > 0.0 else int(u * n)
        node += 1
        for _ in range(taken):
            node = tree.end[node]
    strengths = view.strengths[i, tree.hands[node, 0]], view.strengths[j, tree.hands[node, 1]]
    return end_value(tree.kind[node], tree.stake[node], strengths)


@njit(cache=True, nogil=True)
def _play(thread, tree, layout, chances, policies, lookup, start, out):
    """Chips that the first player wins of each deal, out (n,).

    layout, chances, policies: as `_play_hand` takes them; start: of the generator.
    """
    view, state = empty_view(2 * SIDES), np.zeros(1, dtype=np.uint64)
    by_side = np.repeat(np.array(policies), SIDES)
    for d in range(thread[0], out.shape[0], thread[1]):
        deal_sides(start, d, SIDES, by_side, lookup, view, state)
        total = 0.0
        for i in range(SIDES):
            for j in range(SIDES):
                if i != j:
                    before = state[0]
                    total += _play_hand(tree, layout, chances, policies, view, i, SIDES + j, state)
                    state[0] = before
                    total -= _play_hand(tree, layout, chances, policies, view, SIDES + i, j, state)
        out[d] = total / (2 * SIDES * (SIDES - 1))


def deal_values(
    tree: PublicTree,
    lookup: HandLookup,
    first: Strategy,
    second: Strategy,
    deals: int,
    stream: Stream,
) -> np.ndarray:
    """Winnings of the first strategy from the second on each deal, averaged over hands and seats,
    mbb (deals,).
    """
    out, policies = np.empty(deals), (first.policy, second.policy)
    layout = stack_layouts(first.layout, second.layout, len(first.chances))
    chances, start = np.append(first.chances, second.chances), int(stream().integers(1 << 62))
    on_threads(_play, tree, layout, chances, policies, lookup, start, out)
    return out * MBB_PER_CHIP


def threshold_strategy(
    tree: PublicTree, strategy: Strategy, thresholds: Sequence[float]
) -> Strategy:
    """The strategy without the bets whose probability is at most the street's threshold, (4,); the
    rest is scaled up. Where no action is above it, the most likely one stays.
    """
    layout, chances = strategy.layout, strategy.chances.copy()
    nodes = np.flatnonzero(tree.kind == DECISION)
    slots = np.stack([tree.street[nodes], layout.slot[nodes]])
    for node in nodes[np.unique(slots, axis=1, return_index=True)[1]]:
        street, n = tree.street[node], tree.n_actions[node]
        rows = np.arange(layout.base[street], layout.base[street + 1], layout.width[street])
        places = rows[:, None] + layout.slot[node] + np.arange(n)
        weights = strategy.chances[places]
        total = weights.sum(axis=1, keepdims=True)
        shares = np.where(total > 0, weights / np.where(total > 0, total, 1), 1 / n)
        kept = np.where(shares > thresholds[street], shares, 0)
        most_likely = shares == shares.max(axis=1, keepdims=True)
        kept = np.where(kept.sum(axis=1, keepdims=True) > 0, kept, most_likely)
        chances[places] = kept / kept.sum(axis=1, keepdims=True)
    return strategy._replace(chances=chances)
