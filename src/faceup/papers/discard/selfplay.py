"""Self-play by counterfactual regret minimisation, with sampled cards.

Chance sampling, as the paper had it: an iteration deals once and walks all betting lines for both
players (Zinkevich et al. 2007). A responder learns in the same way against a player whose chances
are fixed. Iteration t counts t^gamma, in regrets and average: 0 is CFR, 1 is linear CFR.

Iterations are shared out to two replicas, which go on from the same tables for an epoch; then what
both have added is added up. So the result is the same on one thread and on two.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numba import njit

from faceup.games.cfr import match_regrets
from faceup.holdem.rules import SHOWDOWN
from faceup.papers.discard.deals import (
    HandTables,
    _find_boards,
    _generator,
    _make_seen,
    _see,
    _shuffle,
)
from faceup.papers.discard.tree import MOST_ACTIONS, SWAP, PublicTree
from faceup.util.parallel import on_threads
from faceup.util.rng import Stream

REPLICAS = 2
EPOCH = 5000  # iterations of both replicas together
BOTH = -1  # players learn; else the one in a seat, 0 or 1


class StrategyLayout(NamedTuple):
    """Where a strategy keeps its numbers: for a row and a node, at base[table] + row * width[table]
    + slot[node].
    """

    slot: np.ndarray  # (n,) int32
    width: np.ndarray  # (N_TABLES,) int64
    base: np.ndarray  # (N_TABLES + 1,) int64


def strategy_layout(tree: PublicTree, n_rows: tuple[int, ...], reads: bool) -> StrategyLayout:
    """The layout of strategies with n_rows rows a table, which see the opponent's swaps or not."""
    slot, width = np.ascontiguousarray(tree.slot[:, int(reads)]), tree.width[int(reads)]
    return StrategyLayout(slot, width, np.append(0, np.cumsum(width * np.array(n_rows))))


def both(first: StrategyLayout, second: StrategyLayout, offset: int) -> StrategyLayout:
    """The layouts of two strategies, a row each, when the second one's numbers begin at an offset."""
    slot, width, base = (np.stack(pair) for pair in zip(first, second, strict=True))
    base[1] += offset
    return StrategyLayout(slot, width, base)


class WalkState(NamedTuple):
    """Of a walk through n nodes."""

    visited: np.ndarray  # (n,) int32
    entry: np.ndarray  # (n,) int64: where a learner's numbers for a node are, or -1
    reach: np.ndarray  # (n, 2) players' own reach
    chances: np.ndarray  # (n, MOST_ACTIONS); -1: not taken
    worth: np.ndarray  # (n, MOST_ACTIONS) to player 0
    state: np.ndarray  # (1,) uint64 of the random generator


@njit(cache=True)
def _make_scratch(n):
    chances, worth, state = (
        np.empty((n, MOST_ACTIONS)),
        np.empty((n, MOST_ACTIONS)),
        np.zeros(1, dtype=np.uint64),
    )
    return WalkState(
        np.empty(n, dtype=np.int32),
        np.empty(n, dtype=np.int64),
        np.empty((n, 2)),
        chances,
        worth,
        state,
    )


@njit(cache=True)
def _pick(chances, entry, n, u):
    """The one of n actions that u, from 0 to the sum of their chances from an entry on, falls on."""
    taken = 0
    while taken < n - 1 and u >= chances[entry + taken]:
        u -= chances[entry + taken]
        taken += 1
    return taken


@njit(cache=True)
def _walk(tree, layout, regrets, averages, seen, learner, weight, scratch):
    """Walk a deal; returns what player 0 wins. Learners learn on the way back; the other has fixed
    chances among the regrets.
    """
    n, node, reach = 0, 0, scratch.reach
    reach[0] = 1.0
    while node < tree.kind.shape[0]:
        up, action = tree.parent[node], tree.action[node]
        if node > 0:
            step, q = scratch.chances[up, action], tree.player[up]
            mine, theirs = reach[up, q] * step, reach[up, 1 - q]
            if step < 0.0 or (mine == 0.0 and theirs == 0.0):
                scratch.worth[up, action] = 0.0
                node = tree.end[node]
                continue
            reach[node, q], reach[node, 1 - q] = mine, theirs
        if tree.n_actions[node] > 0:
            scratch.visited[n] = node
            n += 1
            _decide(tree, layout, regrets, seen, learner, scratch, node)
        else:
            scratch.worth[up, action] = _end_worth(tree, seen.strengths[0], seen.strengths[1], node)
        node += 1
    value = 0.0
    for i in range(n - 1, -1, -1):
        node = scratch.visited[i]
        value = 0.0
        for a in range(tree.n_actions[node]):
            value += max(scratch.chances[node, a], 0.0) * scratch.worth[node, a]
        if scratch.entry[node] >= 0:
            _learn(tree, regrets, averages, weight, scratch, node, value)
        if node > 0:
            scratch.worth[tree.parent[node], tree.action[node]] = value
    return value


@njit(cache=True, inline="always")  # each of many arrays would be handed over at every node
def _decide(tree, layout, regrets, seen, learner, scratch, node):
    """Chances of a decision's actions; what is never taken is not walked. Notes where to learn, or
    -1.
    """
    p, t, n, chances = (
        tree.player[node],
        tree.table[node],
        tree.n_actions[node],
        scratch.chances[node],
    )
    hand = tree.hands[node, p]
    taken = seen.forced[p, t - 4, hand] if tree.kind[node] == SWAP else -1
    scratch.entry[node] = -1
    if taken < 0:
        # the learner or the rival; in self-play both have the same numbers
        who = 0 if p == learner else 1
        entry = (
            layout.base[who, t]
            + seen.rows[p, t, hand] * layout.width[who, t]
            + layout.slot[who, node]
        )
        chances[:n] = regrets[entry : entry + n]
        match_regrets(chances, 0, n)
        if learner == BOTH or p == learner:
            scratch.entry[node] = entry
            return
        for a in range(n):
            chances[a] = chances[a] if chances[a] > 0.0 else -1.0
        return
    for a in range(n):
        chances[a] = 1.0 if a == taken else -1.0


@njit(cache=True, inline="always")
def _end_worth(tree, first, second, node):
    """Chips that player 0 wins at an end; strengths (4,) of both players' hands."""
    if tree.kind[node] != SHOWDOWN:
        return tree.stake[node]
    mine, other = first[tree.hands[node, 0]], second[tree.hands[node, 1]]
    return tree.stake[node] * (np.float64(mine > other) - np.float64(mine < other))


@njit(cache=True, inline="always")
def _learn(tree, regrets, averages, weight, scratch, node, value):
    """Add a decision's regrets, and its strategy to the average."""
    p, entry = tree.player[node], scratch.entry[node]
    gain, share = (
        weight * (1.0 - 2.0 * p) * scratch.reach[node, 1 - p],
        weight * scratch.reach[node, p],
    )
    for a in range(tree.n_actions[node]):
        regrets[entry + a] += gain * (scratch.worth[node, a] - value)
        averages[entry + a] += share * scratch.chances[node, a]


@njit(cache=True)
def _deal(start, number, first, second, tables, seen, state):
    """Deal to players of two policies and let them look; what is random later in the iteration goes
    on from there.
    """
    deck, state[:] = np.arange(52), _generator(start, number)
    _shuffle(deck, 13, state)  # two holes, a board, four cards to draw
    found = _find_boards(deck[4:9], tables)
    for p in range(2):
        own = np.append(deck[2 * p : 2 * p + 2], deck[9 + 2 * p : 11 + 2 * p])
        _see(own, second if p else first, tables, found, seen, p)
    return deck


@njit(cache=True, nogil=True)
def _epoch(
    thread, tree, layout, regrets, averages, policies, tables, responds, start, first, gamma
):
    """An epoch from an iteration on, by tables (REPLICAS, size). A responder changes seats at each
    iteration of a replica.
    """
    for replica in range(thread[0], REPLICAS, thread[1]):
        seen, scratch = _make_seen(2), _make_scratch(tree.kind.shape[0])
        for t in range(first + replica, first + EPOCH, REPLICAS):
            weight, seat = np.float64(t + 1) ** gamma, t // REPLICAS % 2 if responds else 0
            _deal(start, t, policies[seat], policies[1 - seat], tables, seen, scratch.state)
            learner = seat if responds else BOTH
            _walk(tree, layout, regrets[replica], averages[replica], seen, learner, weight, scratch)


class Strategy(NamedTuple):
    """A player that does not learn any more."""

    layout: StrategyLayout
    # (size,) weights of actions, as they are or with a common factor; uniform where all are 0
    chances: np.ndarray
    policy: int  # who decides about swaps: see `deals`


class Setting(NamedTuple):
    """Of self-play."""

    policy: int  # of both players; OWN: swaps are learnt
    reads: bool  # whether a player's infosets tell if the opponent has swapped
    gamma: float


def self_play(
    tree: PublicTree, tables: HandTables, n_rows: tuple[int, ...], setting: Setting, stream: Stream, stops: Sequence[int], *,
    opponent: Strategy | None = None, progress: Callable[[int], None] = lambda done: None,
) -> tuple[Strategy, ...]:  # fmt: skip
    """The average strategies of self-play, or of responding to an opponent in both seats.

    stops: after how many iterations each, rising multiples of EPOCH.
    """
    own, learnt = strategy_layout(tree, n_rows, setting.reads), []
    # in self-play its numbers are the learner's
    rival = opponent or Strategy(own, np.zeros(0), setting.policy)
    size, deals = int(own.base[-1]), int(stream().integers(1 << 62))
    layout, policies = (
        both(own, rival.layout, size if opponent else 0),
        (setting.policy, rival.policy),
    )
    regrets, averages = np.zeros(size), np.zeros(size)
    replicas = (
        np.stack([np.append(regrets, rival.chances)] * REPLICAS),
        np.stack([averages] * REPLICAS),
    )
    for first in range(0, stops[-1], EPOCH):
        on_threads(
            _epoch,
            tree,
            layout,
            *replicas,
            policies,
            tables,
            bool(opponent),
            deals,
            first,
            float(setting.gamma),
        )
        for total, copies in ((regrets, replicas[0][:, :size]), (averages, replicas[1])):
            for added in copies - total:  # by each replica in this epoch
                total += added
            copies[:] = total
        if first + EPOCH in stops:
            learnt.append(Strategy(own, averages.copy(), setting.policy))
        progress(first + EPOCH)
    return tuple(learnt)
