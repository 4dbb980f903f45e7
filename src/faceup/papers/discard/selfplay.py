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
    entry: np.ndarray  # (n,) int64: where a learner's numbers for a node are, or -1
    reach: np.ndarray  # (n, 2) players' own reach
    chances: np.ndarray  # (n, MOST_ACTIONS); -1: not taken
    value: np.ndarray  # (n, MOST_ACTIONS) to player 0
    state: np.ndarray  # (1,) uint64 of the random generator


@njit(cache=True)
def _empty_walk(n):
    """A `WalkState` of n nodes."""
    visited, entry = np.empty(n, dtype=np.int32), np.empty(n, dtype=np.int64)
    chances, value = np.empty((n, MOST_ACTIONS)), np.empty((n, MOST_ACTIONS))
    return WalkState(visited, entry, np.empty((n, 2)), chances, value, np.zeros(1, dtype=np.uint64))


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
def _walk(tree, layout, regrets, averages, view, policies, who, weight, walk):
    """Walk all betting lines of a deal.

    Forward pass: reach, strategies and averages; backward pass: values and regrets of learners.
    tree: `PublicTree`; layout: of the learner and its opponent, a row each; regrets (size + size of
    the opponent,): of the learner, and behind them the opponent's strategy; averages (size,); view:
    `DealView` of two sides; policies (2,): of swaps, by seat; who (2,): learns, and whose average
    is summed, BOTH or a seat; walk: `WalkState`.
    """
    n, node, reach = 0, 0, walk.reach
    reach[0] = 1.0
    while node < tree.kind.shape[0]:
        above, action = tree.parent[node], tree.action[node]
        if node > 0:
            chance, q = walk.chances[above, action], tree.player[above]
            own, other = reach[above, q] * chance, reach[above, 1 - q]
            if chance < 0.0 or (own == 0.0 and other == 0.0):
                walk.value[above, action] = 0.0
                node = tree.end[node]
                continue
            reach[node, q], reach[node, 1 - q] = own, other
        if tree.n_actions[node] > 0:
            walk.visited[n] = node
            n += 1
            _decide(tree, layout, regrets, averages, view, policies, who, weight, walk, node)
        else:
            walk.value[above, action] = end_value(tree, view, 0, 1, node)
        node += 1
    for i in range(n - 1, -1, -1):
        node = walk.visited[i]
        value = 0.0
        for a in range(tree.n_actions[node]):
            value += max(walk.chances[node, a], 0.0) * walk.value[node, a]
        if walk.entry[node] >= 0:
            gain = weight * (1.0 - 2.0 * tree.player[node]) * reach[node, 1 - tree.player[node]]
            for a in range(tree.n_actions[node]):
                regrets[walk.entry[node] + a] += gain * (walk.value[node, a] - value)
        if node > 0:
            walk.value[tree.parent[node], tree.action[node]] = value


@njit(cache=True, inline="always")  # else each of many arrays would be passed at every node
def _decide(tree, layout, regrets, averages, view, policies, who, weight, walk, node):
    """The strategy at a decision, -1 where an action is never taken, so that it is not walked; and
    where its learner's numbers are, -1 where nobody learns. Arguments: as `_walk` takes them.
    """
    p, s, n, chances = (
        tree.player[node],
        tree.street[node],
        tree.n_actions[node],
        walk.chances[node],
    )
    hand = tree.hands[node, p]
    walk.entry[node], taken = -1, view.swaps[p, s, hand] if tree.kind[node] == SWAP else -1
    if taken < 0 or policies[p] == LEARNED:
        # the learner or the opponent; in self-play both have the same numbers
        entry = number_place(tree, layout, 0 if p == who[0] else 1, view, p, node)
        chances[:n] = regrets[entry : entry + n]
        match_regrets(chances, 0, n)
        if who[1] == BOTH or p == who[1]:
            for a in range(n):
                averages[entry + a] += weight * walk.reach[node, p] * chances[a]
        if who[0] == BOTH or p == who[0]:
            walk.entry[node] = entry
            return
        taken = pick(chances, 0, n, uniform(walk.state)) if taken >= 0 else -1
    for a in range(n):
        if taken >= 0:
            chances[a] = 1.0 if a == taken else -1.0
        elif chances[a] <= 0.0:
            chances[a] = -1.0


@njit(cache=True, inline="always")
def number_place(tree, layout, k, view, side, node):
    """Where strategy k of a layout has its numbers for a decision of the side's player; arguments:
    as `_walk` takes them.
    """
    s, hand = tree.street[node], tree.hands[node, tree.player[node]]
    place = layout.base[k, s] + view.rows[side, s, hand] * layout.width[k, s] + layout.slot[k, node]
    return place + 2 * view.swaps[side, s, hand] if tree.kind[node] == SWAP else place


@njit(cache=True, inline="always")
def end_value(tree, view, i, j, node):
    """Chips that player 0, who has side i of the view, wins at an end from player 1, who has side
    j.
    """
    if tree.kind[node] != SHOWDOWN:
        return tree.stake[node]
    own, other = view.strengths[i, tree.hands[node, 0]], view.strengths[j, tree.hands[node, 1]]
    return tree.stake[node] * (np.float64(own > other) - np.float64(own < other))


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
            for added in copies - total:  # by each replica in this epoch
                total += added
            copies[:] = total
        if first + EPOCH in stops:
            strategies.append(Strategy(own, averages.copy(), policy))
        progress(first + EPOCH)
    return tuple(strategies)
