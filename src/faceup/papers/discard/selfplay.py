"""Self-play by counterfactual regret minimization, with sampled cards.

Chance sampling, as in the paper: an iteration deals once and walks all betting lines for both
players (Zinkevich et al. 2007). A responder learns in the same way against a fixed strategy.
Where swaps are learned, one player learns at a time: both of its choices are walked, and one choice
of the other is sampled. Its average strategy is summed where it does not learn, in which it reaches
each infoset as often as it plays there. Iteration t has weight t^gamma, in regrets and average: 0
is CFR, 1 is linear CFR.

Iterations are shared out to two replicas, which start an epoch from the same numbers; then what
both have added is summed. So the result is the same on one thread and on two.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numba import njit

from faceup.games.cfr import match_regrets
from faceup.holdem.rules import SHOWDOWN
from faceup.papers.discard.deals import (
    LEARNED,
    HandLookup,
    deal_sides,
    empty_view,
    uniform,
)
from faceup.papers.discard.tree import MOST_ACTIONS, NO_SWAPS, SWAP, PublicTree
from faceup.util.parallel import on_threads
from faceup.util.rng import Stream

REPLICAS = 2
EPOCH = 5000  # iterations of both replicas together
BOTH = -1  # players; else the one in a seat, 0 or 1


class StrategyLayout(NamedTuple):
    """Where a strategy keeps its numbers: for a row and a node, from base[street] + row *
    width[street] + slot[node] on.
    """

    slot: np.ndarray  # (n,) int32
    width: np.ndarray  # (4,) int64
    base: np.ndarray  # (5,) int64


def strategy_layout(tree: PublicTree, n_rows: tuple[int, ...], sees: int) -> StrategyLayout:
    """The layout of strategies; n_rows: by street; sees: as in `PublicTree.slot`."""
    slot, width = np.ascontiguousarray(tree.slot[:, sees]), tree.width[sees]
    return StrategyLayout(slot, width, np.append(0, np.cumsum(width * np.array(n_rows))))


def stack_layouts(first: StrategyLayout, second: StrategyLayout, offset: int) -> StrategyLayout:
    """The layouts of two strategies, a row each; the second one's numbers begin at an offset."""
    slot, width, base = (np.stack(pair) for pair in zip(first, second, strict=True))
    base[1] += offset
    return StrategyLayout(slot, width, base)


class WalkState(NamedTuple):
    """State of a walk through n nodes."""

    visited: np.ndarray  # (n,) int32
    entries: np.ndarray  # (n,) int64: where a learner's numbers for a node are, or -1
    reach: np.ndarray  # (n, 2) players' own reach
    chances: np.ndarray  # (n * MOST_ACTIONS,); -1: not taken
    value: np.ndarray  # (n, MOST_ACTIONS) to player 0
    state: np.ndarray  # (1,) uint64 of the random generator


@njit(cache=True)
def _empty_walk(n):
    """A `WalkState` of n nodes."""
    visited, entries = np.empty(n, dtype=np.int32), np.empty(n, dtype=np.int64)
    chances, value = np.empty(n * MOST_ACTIONS), np.empty((n, MOST_ACTIONS))
    reach, state = np.empty((n, 2)), np.zeros(1, dtype=np.uint64)
    return WalkState(visited, entries, reach, chances, value, state)


@njit(cache=True)
def pick(chances, entry, n, u):
    """The one of n actions that u, from 0 to the sum of their chances, falls on; chances (size,)
    from an entry on.
    """
    taken = 0
    while taken < n - 1 and u >= chances[entry + taken]:
        u -= chances[entry + taken]
        taken += 1
    return taken


@njit(cache=True)
def number_place(layout, k, street, row, node):
    """Where strategy k of a layout has a row's numbers for a node; of a swap, those for advice 1
    are 2 places behind.
    """
    return layout.base[k, street] + row * layout.width[k, street] + layout.slot[k, node]


@njit(cache=True)
def _walk_down(tree, layout, regrets, averages, view, policies, who, weight, walk):
    """Walk all betting lines of a deal: strategies, players' reach, averages and values of ends;
    returns how many nodes were visited.

    Arguments: as `_walk` takes them.
    """
    # Unpacked once: taking arrays out of tuples at each node would count references to them, which
    # took most of the time.
    kind, player, street, n_actions = tree.kind, tree.player, tree.street, tree.n_actions
    parent, action, end = tree.parent, tree.action, tree.end
    hands, stake = tree.hands, tree.stake
    rows, strengths, swaps = view
    visited, entries, reach, chances, value, state = walk
    n, node = 0, 0
    reach[0] = 1.0
    while node < kind.shape[0]:
        above, action_above = parent[node], action[node]
        if node > 0:
            chance, q = chances[MOST_ACTIONS * above + action_above], player[above]
            own, other = reach[above, q] * chance, reach[above, 1 - q]
            if chance < 0.0 or (own == 0.0 and other == 0.0):
                value[above, action_above] = 0.0
                node = end[node]
                continue
            reach[node, q], reach[node, 1 - q] = own, other
        if n_actions[node] == 0:
            both = strengths[0, hands[node, 0]], strengths[1, hands[node, 1]]
            value[above, action_above] = end_value(kind[node], stake[node], both)
            node += 1
            continue
        visited[n] = node
        n += 1
        p, s, size, swap = player[node], street[node], n_actions[node], kind[node] == SWAP
        hand, at = hands[node, p], MOST_ACTIONS * node
        entries[node] = -1
        taken = swaps[p, s, hand] if swap else -1  # the action that is always taken, -1: none
        if not swap or policies[p] == LEARNED:
            # the learner or the opponent; in self-play both have the same numbers
            k = 0 if p == who[0] else 1
            entry = number_place(layout, k, s, rows[p, s, hand], node)
            entry += 2 * taken if swap else 0
            for a in range(size):
                chances[at + a] = regrets[entry + a]
            match_regrets(chances, at, at + size)
            if who[1] == BOTH or p == who[1]:
                for a in range(size):
                    averages[entry + a] += weight * reach[node, p] * chances[at + a]
            if who[0] == BOTH or p == who[0]:
                entries[node] = entry
                node += 1
                continue
            if swap:
                taken = pick(chances, at, size, uniform(state))
        for a in range(at, at + size):
            if taken >= 0:
                chances[a] = 1.0 if a == at + taken else -1.0
            elif chances[a] <= 0.0:
                chances[a] = -1.0
        node += 1
    return n


@njit(cache=True)
def _walk(tree, layout, regrets, averages, view, policies, who, weight, walk):
    """Walk all betting lines of a deal, down and up again: values and regrets of learners.

    tree: `PublicTree`; layout: of the learner and its opponent, a row each; regrets (size + size of
    the opponent,): of the learner, and behind them the opponent's strategy; averages (size,); view:
    `DealView` of two sides; policies (2,): of swaps, by seat; who (2,): learns, and whose average
    is summed, BOTH or a seat; walk: `WalkState`.
    """
    n = _walk_down(tree, layout, regrets, averages, view, policies, who, weight, walk)
    player, parent, action, n_actions = tree.player, tree.parent, tree.action, tree.n_actions
    visited, entries, reach, chances, value, _ = walk
    for i in range(n - 1, -1, -1):
        node = visited[i]
        mean, entry, p = 0.0, entries[node], player[node]
        for a in range(n_actions[node]):
            mean += max(chances[MOST_ACTIONS * node + a], 0.0) * value[node, a]
        if entry >= 0:
            gain = weight * (1.0 - 2.0 * p) * reach[node, 1 - p]
            for a in range(n_actions[node]):
                regrets[entry + a] += gain * (value[node, a] - mean)
        if node > 0:
            value[parent[node], action[node]] = mean


@njit(cache=True)
def end_value(kind, stake, strengths):
    """Chips that player 0 wins at an end of this kind and stake; strengths (2,): of the hands."""
    if kind != SHOWDOWN:
        return stake
    own, other = strengths
    return stake * (np.float64(own > other) - np.float64(own < other))


@njit(cache=True, nogil=True)
def _epoch(
    thread, tree, layout, regrets, averages, policies, lookup, responds, start, first, gamma
):
    """Run an epoch from iteration `first` on.

    layout, regrets (REPLICAS, ..), averages (REPLICAS, ..): as `_walk` takes them; policies (2,):
    of swaps, of the learner and of its opponent; responds: to a fixed opponent; start: of the
    generator of deals. One who learns alone changes seats at each iteration of a replica.
    """
    alone = responds or policies[0] == LEARNED
    for replica in range(thread[0], REPLICAS, thread[1]):
        view, walk = empty_view(2), _empty_walk(tree.kind.shape[0])
        for t in range(first + replica, first + EPOCH, REPLICAS):
            weight, seat = np.float64(t + 1) ** gamma, t // REPLICAS % 2 if alone else 0
            by_seat = policies[seat], policies[1 - seat]
            deal_sides(start, t, 2, by_seat, lookup, view, walk.state)
            who = (seat, seat if responds else 1 - seat) if alone else (BOTH, BOTH)
            _walk(
                tree, layout, regrets[replica], averages[replica], view, by_seat, who, weight, walk
            )


class Strategy(NamedTuple):
    """A fixed strategy."""

    layout: StrategyLayout
    # (size,) weights of actions, up to a common factor; uniform where all are 0
    chances: np.ndarray
    policy: int  # of swaps: see `deals`


def self_play(
    tree: PublicTree,
    lookup: HandLookup,
    n_rows: tuple[int, ...],
    policy: int,
    stream: Stream,
    stops: Sequence[int],
    *,
    sees: int = NO_SWAPS,
    gamma: float = 0.0,
    opponent: Strategy | None = None,
    progress: Callable[[int], None] = lambda done: None,
) -> tuple[Strategy, ...]:
    """The average strategies of self-play, or of responding to an opponent in both seats, after
    each of `stops` iterations: rising multiples of EPOCH.

    policy: of the learners' swaps; sees: the swaps that their infosets distinguish; gamma:
    iteration t has weight t^gamma.
    """
    own, strategies = strategy_layout(tree, n_rows, sees), []
    # in self-play the opponent's numbers are the learner's
    other = opponent or Strategy(own, np.zeros(0), policy)
    size, start = int(own.base[-1]), int(stream().integers(1 << 62))
    layout = stack_layouts(own, other.layout, size if opponent else 0)
    regrets, averages = np.zeros(size), np.zeros(size)
    regret_copies = np.stack([np.append(regrets, other.chances)] * REPLICAS)
    average_copies = np.stack([averages] * REPLICAS)
    for first in range(0, stops[-1], EPOCH):
        on_threads(
            _epoch, tree, layout, regret_copies, average_copies, (policy, other.policy), lookup,
            bool(opponent), start, first, float(gamma),
        )  # fmt: skip
        for total, copies in ((regrets, regret_copies[:, :size]), (averages, average_copies)):
            copies -= total  # in place: what each replica has added in this epoch
            for added in copies:
                total += added
            copies[:] = total
        if first + EPOCH in stops:
            strategies.append(Strategy(own, averages.copy(), policy))
        progress(first + EPOCH)
    return tuple(strategies)
