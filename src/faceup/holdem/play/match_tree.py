"""Agents of different bet sizes on one tree, a *match tree*, so that boards are still summed exactly.

On a match tree each seat's decisions offer that seat's own sizes, in real dollars. A model that reads dollars stands on it as
it is. A table agent has a tree of its own: each line of the match tree it *reads* as a line of its own tree, where an
opponent's size that it does not know is taken for a smaller or a larger one by the pseudo-harmonic mapping. A line may so have
several readings, and what the agent does there depends on which one it drew earlier in the hand. For each hole the chances of
the readings follow from the agent's own play up to there, so that the agent is again one probability for each action: nothing
is left to a draw.
"""

from collections.abc import Callable, Sequence
from functools import partial
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numba import njit

from faceup.cards.cards import BOARD_CARDS, N_HOLES
from faceup.holdem.betting.betting_tree import (
    CALL,
    DECISION,
    FOLD,
    MBB_PER_DOLLAR,
    BettingState,
    BettingTree,
    Menu,
    action_to,
    build_tree,
    children,
    decisions,
    states_of,
)
from faceup.holdem.betting.translation import legal_action, read_action
from faceup.holdem.play.agents import AgentPolicy
from faceup.holdem.play.match import Table, play_boards
from faceup.holdem.solve.board import TILE
from faceup.holdem.solve.policy import ModelPolicy, Policy, StreetRows, call_row
from faceup.lab.parallel import on_threads
from faceup.lab.rng import Stream

Steps = list[tuple[int, int, float, int]]  # (child of the match tree, own node, chance, column) as in `Readings`
_ENDED = -1  # a reading in which the own tree's players are all-in and the real ones are not


class Readings(NamedTuple):
    """How one seat's agent reads a match tree; edges lead from reading to reading, those of a street are neighbours."""

    node: np.ndarray  # (n,) int32 node of the match tree; the first reading is its root
    own: np.ndarray  # (n,) int32 node of the agent's own tree, _ENDED behind its end
    source: np.ndarray  # (n_edges,) int32 reading
    target: np.ndarray  # (n_edges,) int32 reading
    chance: np.ndarray  # (n_edges,) float32 of being read so; 1 for the agent's own actions
    column: np.ndarray  # (n_edges,) int32 column of the own tree's street rows, -1 where the opponent acts or it must call
    street_start: np.ndarray  # (5,) int32 edges of actions on street s are street_start[s]..street_start[s + 1]


def read_tree(match: BettingTree, own: BettingTree, seat: int) -> Readings:
    """All readings of a match tree by an agent of its own tree in a seat (0 the small blind)."""
    states, number, queue = states_of(match), {(0, 0): 0}, [(0, 0)]
    edges: list[list[tuple]] = [[], [], [], []]
    for node, at in queue:  # grows while it is walked
        if match.kind[node] != DECISION:
            continue
        state = states[node]
        assert state is not None  # a decision has one
        steps = _own_steps if state.actor == seat else _their_steps
        for child, after, chance, column in steps(match, own, node, at, state):
            key = (child, after)
            if key not in number:
                number[key] = len(queue)
                queue.append(key)
            edges[state.street].append((number[node, at], number[key], chance, column))
    nodes, owns = zip(*queue, strict=True)
    source, target, chances, columns = zip(*sum(edges, []), strict=True)
    starts = np.cumsum([0, *map(len, edges)])
    a, b, c, d, e, f = (np.array(values, dtype=np.int32) for values in (nodes, owns, source, target, columns, starts))
    return Readings(a, b, c, d, np.array(chances, dtype=np.float32), e, f)


def _own_steps(match: BettingTree, own: BettingTree, node: int, at: int, state: BettingState) -> Steps:
    """One for each action that the agent's tree offers."""
    if at == _ENDED:
        return [(_child_of(match, node, ("call", 0)), _ENDED, 1.0, -1)]
    start = int(own.street_start[state.street])
    steps = []
    for c in children(own, at):
        child = _child_of(match, node, legal_action(own.labels[own.label[c]], state))
        steps.append((child, c if own.kind[c] == DECISION else _ENDED, 1.0, c - start))
    return steps


def _child_of(match: BettingTree, node: int, action: tuple[str, int]) -> int:
    """The child that an action leads to; among raises the one of the nearest amount."""
    below = children(match, node)
    if action[0] != "raise":
        return next(c for c in below if match.label[c] == (FOLD if action[0] == "fold" else CALL))
    actor, street = int(match.actor[node]), int(match.street[node])
    raises = [c for c in below if match.label[c] > CALL]
    return min(raises, key=lambda c: abs(int(match.bets[c, actor, street]) - action[1]))


def _their_steps(match: BettingTree, own: BettingTree, node: int, at: int, state: BettingState) -> Steps:
    """One for each way in which the opponent's actions are read."""
    steps = []
    for c in children(match, node):
        read = [(_ENDED, 1.0)] if at == _ENDED else read_action(own, at, state, *action_to(match, c))
        for after, chance in read:
            steps.append((c, after if after != _ENDED and own.kind[after] == DECISION else _ENDED, chance, -1))
    return steps


class _Street(NamedTuple):
    """What is read of one street of a match tree: w nodes, from number `start` on, that its actions lead to."""

    first: int  # edge of the readings
    last: int
    begin: np.ndarray  # (n_begin,) readings at which the street begins
    end: np.ndarray  # (n_end,) readings at which the next street does
    start: int
    calls: np.ndarray  # (w,) float32: 1 where the action is a call
    own: np.ndarray  # (w,) bool: whether it is the seat's own
    nodes: np.ndarray  # (n,) first node below each decision of the seat, less `start`
    n_children: np.ndarray  # (n,) how many there are


def _streets(match: BettingTree, readings: Readings, seat: int) -> list[_Street]:
    begins, made = [], []
    for first, last in pairwise(readings.street_start.tolist()):
        begins.append(np.setdiff1d(readings.source[first:last], readings.target[first:last]))
    for street, (first, last) in enumerate(pairwise(readings.street_start.tolist())):
        start, end = match.street_start[street : street + 2].tolist()
        nodes, above = decisions(match, street, seat), match.parent[start:end]
        following = begins[street + 1] if street < 3 else begins[0][:0]
        shape = match.first_child[nodes] - start, match.n_children[nodes]
        own = match.actor[above] == seat
        made.append(_Street(first, last, begins[street], following, start, call_row(match, street)[0], own, *shape))
    return made


@njit(cache=True, nogil=True)
def _follow(share, street, readings, table, row_of_hole, before, after, out):
    """Carry the readings' weights over a street's edges, and write what the agent does in each hole, out (1326, w).

    before (n_tiles, n_begin, TILE), after (n_tiles, n_end, TILE), row_of_hole (n_tiles, TILE): TILE holes are read together.
    """
    for tile in range(share[0], before.shape[0], share[1]):
        here, rows = np.zeros((readings.node.shape[0], TILE), dtype=np.float32), row_of_hole[tile]
        answer, step = np.zeros((out.shape[1], TILE), dtype=np.float32), np.empty(TILE, dtype=np.float32)
        width = step.shape[0]  # TILE, but not known to the compiler: it then vectorises the loops instead of unrolling them
        for k in range(street.begin.shape[0]):
            here[street.begin[k]] = before[tile, k]
        for e in range(street.first, street.last):
            source, target, column = readings.source[e], readings.target[e], readings.column[e]
            for j in range(width):
                step[j] = here[source, j] * readings.chance[e]
            if column >= 0:
                for j in range(width):
                    step[j] *= table[rows[j], column]
            for j in range(width):
                here[target, j] += step[j]
            node = readings.node[target] - street.start
            if street.own[node]:
                for j in range(width):
                    answer[node, j] += step[j]
        for k in range(street.end.shape[0]):
            after[tile, k] = here[street.end[k]]
        _normalise(street, answer)
        for c in range(out.shape[1]):
            for h in range(tile * TILE, min((tile + 1) * TILE, out.shape[0])):
                out[h, c] = answer[c, h - tile * TILE] if street.own[c] else street.calls[c]


@njit(cache=True)
def _normalise(street, answer):
    """Make each decision's numbers, answer (w, TILE), sum to 1; a decision that the agent's play never reaches calls."""
    total = np.empty(answer.shape[1], dtype=np.float32)
    for k in range(street.nodes.shape[0]):
        first, end = street.nodes[k], street.nodes[k] + street.n_children[k]
        total[:] = 0
        for c in range(first, end):
            for j in range(total.shape[0]):
                total[j] += answer[c, j]
        for c in range(first, end):
            for j in range(total.shape[0]):
                answer[c, j] = answer[c, j] / total[j] if total[j] > 0 else street.calls[c]


class TranslatedPolicy:
    """A policy of its own tree as one of a match tree, in one seat; at the other seat's decisions it calls."""

    def __init__(self, match: BettingTree, own: BettingTree, policy: Policy, seat: int):
        """policy: answers for the tree `own`; seat: 0 the small blind, 1 the big blind."""
        self.policy, self.readings = policy, read_tree(match, own, seat)
        self._streets = _streets(match, self.readings, seat)

    def street(self, street: int, board: list[int], wanted: np.ndarray | None = None) -> StreetRows:
        """A row for each hole; it follows from what the policy does on earlier streets, too."""
        n_tiles = -(-N_HOLES // TILE)
        weight, rows = np.ones((n_tiles, 1, TILE), dtype=np.float32), np.zeros((n_tiles, TILE), dtype=np.int32)
        for at, n in zip(self._streets[: street + 1], BOARD_CARDS, strict=False):
            table, rows.ravel()[:N_HOLES] = self.policy.street(BOARD_CARDS.index(n), board[:n])
            before, weight = weight, np.empty((n_tiles, len(at.end), TILE), dtype=np.float32)
            out = np.empty((N_HOLES, len(at.own)), dtype=np.float32)
            on_threads(_follow, at, self.readings, table, rows, before, weight, out)
        return out, np.arange(N_HOLES, dtype=np.int32)


def on_match_tree(match: BettingTree, own: BettingTree, policies: Sequence[Policy], seat: int) -> list[Policy]:
    """Policies of their own tree on a match tree: models and agents read dollars, any other translates what it does not know."""
    return [
        policy.on(match, seat) if isinstance(policy, ModelPolicy | AgentPolicy) else TranslatedPolicy(match, own, policy, seat)
        for policy in policies
    ]


class Sides(NamedTuple):
    """Two sides with menus of their own: all agents of the first meet the one of the second, in both seats."""

    trees: tuple[BettingTree, BettingTree]  # match trees: the first side as small blind, then as big blind
    own: tuple[BettingTree, BettingTree]  # each side's own tree


def make_sides(first: Menu, second: Menu) -> Sides:
    """Match trees of two menus. Raises ValueError on an unusable menu."""
    trees = build_tree(first, big_blind_menu=second), build_tree(second, big_blind_menu=first)
    return Sides(trees, (build_tree(first), build_tree(second)))


def play_sides(
    sides: Sides,
    agents: Sequence[Policy],
    opponent: Policy,
    boards: Sequence[Sequence[int]],
    progress: Callable[[int], None] = lambda done: None,
    preflop_wins: np.ndarray | None = None,
    subset: tuple[int, Stream] | None = None,
) -> np.ndarray:
    """mbb/g that each agent (of the first side's tree) wins from the opponent on each board, exactly, (n_agents, n_boards).

    preflop_wins: as in `Table`; subset: as in `play_boards`: all agents meet the same holes, in both seats.
    """
    n, won = len(agents), np.zeros((len(agents), len(boards)))
    for seat, match in enumerate(sides.trees):
        seated = on_match_tree(match, sides.own[0], agents, seat) + on_match_tree(match, sides.own[1], [opponent], 1 - seat)
        wanted = np.zeros((n + 1, n + 1), dtype=bool)
        wanted[(slice(n), n) if seat == 0 else (n, slice(n))] = True
        table = Table(match, seated, wanted, preflop_wins)
        later = partial(lambda before, done: progress(before + done), seat * len(boards))
        values = play_boards(table, boards, subset, later)
        won += MBB_PER_DOLLAR / 2 * (values[:, :n, n].T if seat == 0 else -values[:, n, :n].T)
    return won
