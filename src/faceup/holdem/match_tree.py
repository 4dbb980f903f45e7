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
from typing import NamedTuple

import numpy as np
from numba import njit

from faceup.cards.cards import BOARD_CARDS, N_HOLES
from faceup.holdem.agents import AgentPolicy
from faceup.holdem.lines import legal_action, read_action
from faceup.holdem.match import Table, play_boards
from faceup.holdem.policy import ModelPolicy, Policy, StreetRows, call_row
from faceup.holdem.rules import CALL, DECISION, FOLD, MBB_PER_DOLLAR, BettingState, Menu
from faceup.holdem.tree import BettingTree, action_to, build_tree, children, decisions, states_of
from faceup.lab.parallel import on_threads
from faceup.lab.rng import Stream

TILE = 32  # holes that are read together
_ENDED = -1  # a reading in which the own tree's players are all-in and the real ones are not


class StreetReadings(NamedTuple):
    """How one seat's agent reads a street of a match tree, on which w nodes are reached: edges lead from reading to reading."""

    source: np.ndarray  # (n_edges,) int32 reading: a node of the match tree and one of the agent's own
    target: np.ndarray  # (n_edges,) int32 reading, greater than the source
    chance: np.ndarray  # (n_edges,) float32 of being read so; 1 for the agent's own actions
    column: np.ndarray  # (n_edges,) int32 column of the own tree's street rows, -1 where the opponent acts or it must call
    reached: np.ndarray  # (n_edges,) int32 node of the match tree at the target, counted from the street's first
    begin: np.ndarray  # (n_begin,) int32 readings at which the street begins
    end: np.ndarray  # (n_end,) int32 readings at which the next street begins
    own: np.ndarray  # (w,) bool: whether the seat's own action leads to a node
    calls: np.ndarray  # (w,) float32: 1 where it is a call
    first: np.ndarray  # (n,) int32 first node below each decision of the seat, counted likewise
    n_children: np.ndarray  # (n,) int8 how many there are


def read_tree(match: BettingTree, own: BettingTree, seat: int) -> list[StreetReadings]:
    """All readings of a match tree by an agent of its own tree in a seat (0 the small blind), street by street."""
    states, number, queue = states_of(match), {(0, 0): 0}, [(0, 0)]
    edges: list[list[tuple]] = [[], [], [], []]
    for node, at in queue:  # grows while it is walked
        if match.kind[node] != DECISION:
            continue
        state = states[node]
        assert state is not None  # a decision has one
        for child, after, chance, column in _steps(match, own, node, at, state, state.actor == seat):
            key, start = (child, after), match.street_start[state.street]
            if key not in number:
                number[key] = len(queue)
                queue.append(key)
            edges[state.street].append((number[node, at], number[key], chance, column, child - start))
    begins, made = [np.zeros(0, dtype=np.int32)], list[StreetReadings]()
    for street in range(3, -1, -1):
        sources, targets, chances, columns, reached = zip(*edges[street], strict=True)
        a, b, d, e = (np.array(values, dtype=np.int32) for values in (sources, targets, columns, reached))
        begins.append(np.setdiff1d(a, b))
        start, end = match.street_start[street : street + 2].tolist()
        nodes, own_action = decisions(match, street, seat), match.actor[match.parent[start:end]] == seat
        places = begins[-1], begins[-2], own_action, call_row(match, street)[0], match.first_child[nodes] - start
        made.insert(0, StreetReadings(a, b, np.array(chances, dtype=np.float32), d, e, *places, match.n_children[nodes]))
    return made


def _steps(
    match: BettingTree, own: BettingTree, node: int, at: int, state: BettingState, acts: bool
) -> list[tuple[int, int, float, int]]:
    """Where a reading leads: (child of the match tree, own node, chance, column) as in `StreetReadings`; acts: the agent does."""
    if at == _ENDED:
        return [(c, _ENDED, 1.0, -1) for c in children(match, node) if not acts or match.label[c] == CALL]
    if acts:
        actions = {c: legal_action(own.labels[own.label[c]], state) for c in children(own, at)}
        start = int(own.street_start[state.street])
        found = [(_child_of(match, node, action), c, 1.0, c - start) for c, action in actions.items()]
    else:
        read = {c: read_action(own, at, state, *action_to(match, c)) for c in children(match, node)}
        found = [(c, after, chance, -1) for c, chances in read.items() for after, chance in chances]
    return [(child, after if own.kind[after] == DECISION else _ENDED, p, column) for child, after, p, column in found]


def _child_of(match: BettingTree, node: int, action: tuple[str, int]) -> int:
    """The child that an action leads to; among raises the one of the nearest amount."""
    below = children(match, node)
    if action[0] != "raise":
        return next(c for c in below if match.label[c] == (FOLD if action[0] == "fold" else CALL))
    actor, street = int(match.actor[node]), int(match.street[node])
    raises = [c for c in below if match.label[c] > CALL]
    return min(raises, key=lambda c: abs(int(match.bets[c, actor, street]) - action[1]))


@njit(cache=True, nogil=True)
def _follow(share, street, table, row_of_hole, before, after, out):
    """Carry the weights of readings over a street's edges, and write what the agent does in each hole, out (1326, w).

    before (n_tiles, n_begin, TILE), after (n_tiles, n_end, TILE), row_of_hole (n_tiles, TILE): TILE holes are read together.
    """
    for tile in range(share[0], before.shape[0], share[1]):
        here, rows = np.zeros((street.target.max() + 1, TILE), dtype=np.float32), row_of_hole[tile]
        answer, step = np.zeros((out.shape[1], TILE), dtype=np.float32), np.empty(TILE, dtype=np.float32)
        width = step.shape[0]  # TILE, but not known to the compiler: it then vectorises the loops instead of unrolling them
        for k in range(street.begin.shape[0]):
            here[street.begin[k]] = before[tile, k]
        for e in range(street.source.shape[0]):
            source, target, column, node = street.source[e], street.target[e], street.column[e], street.reached[e]
            for j in range(width):
                step[j] = here[source, j] * street.chance[e]
            if column >= 0:
                for j in range(width):
                    step[j] *= table[rows[j], column]
            for j in range(width):
                here[target, j] += step[j]
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
    for k in range(street.first.shape[0]):
        first, end = street.first[k], street.first[k] + street.n_children[k]
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

    def street(self, street: int, board: list[int], wanted: np.ndarray | None = None) -> StreetRows:
        """A row for each hole; it follows from what the policy does on earlier streets, too."""
        n_tiles = -(-N_HOLES // TILE)
        weight, rows = np.ones((n_tiles, 1, TILE), dtype=np.float32), np.zeros((n_tiles, TILE), dtype=np.int32)
        for at, n in zip(self.readings[: street + 1], BOARD_CARDS, strict=False):
            table, rows.ravel()[:N_HOLES] = self.policy.street(BOARD_CARDS.index(n), board[:n])
            before, weight = weight, np.empty((n_tiles, len(at.end), TILE), dtype=np.float32)
            out = np.empty((N_HOLES, len(at.own)), dtype=np.float32)
            on_threads(_follow, at, table, rows, before, weight, out)
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
