"""Agents of different bet sizes on one tree, a *match tree*, so that boards are still summed
exactly.

On a match tree each seat's decisions offer that seat's own sizes, in real dollars. A model that
reads dollars stands on it as it is. A table agent has a tree of its own: each line of the match
tree it *reads* as a line of its own tree, where an opponent's size that it does not know is taken
for a smaller or a larger one by the pseudo-harmonic mapping. A line may so have several readings,
and what the agent does there depends on which one it drew earlier in the hand. For each hole the
chances of the readings follow from the agent's own play up to there, so that the agent is again one
probability for each action: nothing is left to a draw.
"""

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numba import njit

from faceup.cards.cards import BOARD_CARDS, N_HOLES
from faceup.holdem.betting_lines import legal_action, read_action
from faceup.holdem.board import free_holes
from faceup.holdem.match import Match, play_boards
from faceup.holdem.policy import DollarPolicy, Policy, StreetRows, TablePolicy, always_call_row
from faceup.holdem.rules import CALL, DECISION, MBB_PER_DOLLAR, START, BettingState, Menu, act
from faceup.holdem.strategy_file import load_strategy, save_strategy
from faceup.holdem.tree import BettingTree, action_to, build_tree, children, decisions
from faceup.util.files import load_json, write_json
from faceup.util.rng import Stream

_SEATS = "small_blind", "big_blind"
_ENDED = -1  # a reading in which the own tree's players are all-in and the real ones are not


class StreetReadings(NamedTuple):
    """How one seat's agent reads a street; a reading is a node of the match tree, taken for a node
    of the agent's own tree.
    """

    chance: np.ndarray  # (n_edges,) float32 of being read so; 1 for the agent's own actions
    # (n_edges,) int32 reading; no edge comes before those that lead to its source
    source: np.ndarray
    target: np.ndarray  # (n_edges,) int32 reading
    # (n_edges,) int32 column of the own tree's street rows, -1 where the opponent acts or it must
    # call
    column: np.ndarray
    # (n_edges,) int32 column of the match tree's street rows, -1 where the opponent acts
    action: np.ndarray
    begin: np.ndarray  # (n_begin,) int32 readings at which the street begins
    end: np.ndarray  # (n_end,) int32 readings at which the next street begins
    # (n,) int32 first column of each of the seat's decisions in the match tree's street rows
    first: np.ndarray
    last: np.ndarray  # (n,) int32 and the column behind its last one


def read_tree(match: BettingTree, own: BettingTree, seat: int) -> list[StreetReadings]:
    """All readings of a match tree by an agent of its own tree in a seat (0 the small blind),
    street by street.
    """
    number: dict[tuple[int, int], int] = {(0, 0): 0}
    queue: list[tuple[int, int, BettingState | None]] = [(0, 0, START)]
    edges: list[list[tuple]] = [[], [], [], []]
    for node, at, state in queue:  # grows while it is walked
        if state is None:
            continue
        acts, start = state.actor == seat, int(match.street_start[state.street])
        for child, after, chance, column in _steps(match, own, node, at, state, acts):
            if (child, after) not in number:
                number[child, after] = len(queue)
                queue.append((child, after, act(state, *action_to(match, child))[0]))
            action = child - start if acts else -1
            edges[state.street].append(
                (number[node, at], number[child, after], chance, column, action)
            )
    found, end = list[StreetReadings](), np.zeros(0)
    for street in range(3, -1, -1):
        source, target, chances, columns, actions = zip(*edges[street], strict=True)
        begin, nodes = np.setdiff1d(source, target), decisions(match, street, seat)
        first = match.first_child[nodes] - match.street_start[street]
        numbers = (
            source,
            target,
            columns,
            actions,
            begin,
            end,
            first,
            first + match.n_children[nodes],
        )
        found.insert(
            0,
            StreetReadings(
                np.array(chances, np.float32), *(np.array(x, np.int32) for x in numbers)
            ),
        )
        end = begin
    return found


def _steps(
    match: BettingTree, own: BettingTree, node: int, at: int, state: BettingState, acts: bool
) -> list[tuple[int, int, float, int]]:
    """Where a reading leads: (child of the match tree, own node, chance, column), as in
    `StreetReadings`.

    acts: whether the agent is to act, else its opponent.
    """
    if at == _ENDED:
        return [
            (c, _ENDED, 1.0, -1)
            for c in children(match, node)
            if not acts or match.label[c] == CALL
        ]
    if acts:
        actions = {c: legal_action(own.labels[own.label[c]], state) for c in children(own, at)}
        start = int(own.street_start[state.street])
        found = [
            (_child_of(match, node, action), c, 1.0, c - start) for c, action in actions.items()
        ]
    else:
        read = {c: read_action(own, at, state, *action_to(match, c)) for c in children(match, node)}
        found = [(c, after, chance, -1) for c, chances in read.items() for after, chance in chances]
    return [
        (child, after if own.kind[after] == DECISION else _ENDED, p, column)
        for child, after, p, column in found
    ]


def _child_of(match: BettingTree, node: int, action: tuple[str, int]) -> int:
    """The child that an action leads to; among raises the one of the nearest amount."""
    below = {c: action_to(match, c) for c in children(match, node)}
    return min(below, key=lambda c: (below[c][0] != action[0], abs(below[c][1] - action[1])))


@njit(cache=True, nogil=True)
def _follow(street, table, row_of_hole, before, after, out):
    """Carry each hole's weights of readings over a street's edges, and write what the agent does,
    out (n_holes, width).

    before (n_holes, n_begin), after (n_holes, n_end); out has calls at first: they stay where the
    agent's play never comes.
    """
    weight, taken = (
        np.zeros(street.target.max() + 1, dtype=np.float32),
        np.zeros(out.shape[1], dtype=np.float32),
    )
    for h in range(out.shape[0]):
        weight[:], taken[:] = 0, 0
        weight[street.begin] = before[h]
        for e in range(street.source.shape[0]):
            step = weight[street.source[e]] * street.chance[e]
            if street.column[e] >= 0:
                step *= table[row_of_hole[h], street.column[e]]
            weight[street.target[e]] += step
            if street.action[e] >= 0:
                taken[street.action[e]] += step
        after[h] = weight[street.end]
        for k in range(street.first.shape[0]):
            total = np.float32(0)
            for c in range(street.first[k], street.last[k]):
                total += taken[c]
            if total > 0:
                for c in range(street.first[k], street.last[k]):
                    out[h, c] = taken[c] / total


class TranslatedPolicy:
    """A policy of its own tree as one of a match tree, in one seat; at the other seat's decisions
    it calls.
    """

    def __init__(self, match: BettingTree, own: BettingTree, policy: Policy, seat: int):
        """policy: answers for the tree `own`; seat: 0 the small blind, 1 the big blind."""
        self.policy, self.readings = policy, read_tree(match, own, seat)
        self._calls = [always_call_row(match, street) for street in range(4)]

    def street(self, street: int, board: list[int], wanted: np.ndarray | None = None) -> StreetRows:
        """A row for each wanted hole; it follows from what the policy does on earlier streets, too."""
        holes, row = (
            np.flatnonzero(free_holes(board) if wanted is None else wanted),
            np.zeros(N_HOLES, dtype=np.int32),
        )
        weight = np.ones((len(holes), 1), dtype=np.float32)
        for k, at in enumerate(self.readings[: street + 1]):
            table, row_of_hole = self.policy.street(k, board[: BOARD_CARDS[k]], wanted)
            before, weight = weight, np.empty((len(holes), len(at.end)), dtype=np.float32)
            out = np.repeat(self._calls[k], len(holes), axis=0)
            _follow(at, table, row_of_hole[holes], before, weight, out)
        row[holes] = np.arange(len(holes))
        return out, row


def on_match_tree(match: BettingTree, own: BettingTree, policy: Policy, seat: int) -> Policy:
    """A policy of its own tree on a match tree: as it is where it reads dollars or the trees are
    the same.
    """
    if isinstance(policy, DollarPolicy):
        return policy.on(match, seat)
    same = (
        match.labels == own.labels
        and np.array_equal(match.bets, own.bets)
        and np.array_equal(match.label, own.label)
    )
    return policy if same else TranslatedPolicy(match, own, policy, seat)


class Opponent(NamedTuple):
    """Who sits in both seats with bets of its own, and knows a tree for each: the other seat's bets
    there are what it expects.
    """

    menu: Menu  # of its own bets
    expects: Menu  # of the other player's
    policies: tuple[Policy, Policy]  # as small blind, as big blind


def seat_trees(menu: Menu, expects: Menu) -> tuple[BettingTree, BettingTree]:
    """Trees of a player's two seats, small blind first; menus as in `Opponent`. Others may limp,
    whatever the player does.
    """
    return build_tree(menu, big_blind_menu=expects), build_tree(
        expects | {"limps": True}, big_blind_menu=menu
    )


def save_opponent(folder: Path, player: Opponent) -> None:
    """Write a player of table policies: its menus, and a strategy for each seat."""
    for name, policy in zip(_SEATS, player.policies, strict=True):
        assert isinstance(policy, TablePolicy)
        save_strategy(folder / f"{name}.npz", policy)
    write_json(folder / "menus.json", {"menu": player.menu, "expects": player.expects})


def load_opponent(folder: Path) -> Opponent:
    """Read what `save_opponent` wrote."""
    menus = load_json(folder / "menus.json")
    small, big = (
        load_strategy(folder / f"{n}.npz", t)
        for n, t in zip(_SEATS, seat_trees(**menus), strict=True)
    )
    return Opponent(**menus, policies=(small, big))


def play_opponent(
    menu: Menu,
    agents: Sequence[Policy],
    opponent: Opponent,
    boards: Sequence[Sequence[int]],
    progress: Callable[[int], None] = lambda done: None,
    preflop_wins: np.ndarray | None = None,
    subset: tuple[int, Stream] | None = None,
) -> np.ndarray:
    """mbb/g that each agent wins from the opponent on each board, exactly, in both seats,
    (n_agents, n_boards).

    menu: of the agents, each of which is a policy of its tree. preflop_wins: as in `Match`; subset:
    as in `play_boards`: all agents meet the same holes, in both seats.
    """
    n, won = len(agents), np.zeros((len(agents), len(boards)))
    own, theirs = build_tree(menu), seat_trees(opponent.menu, opponent.expects)
    for seat in range(2):
        menus = (menu, opponent.menu) if seat == 0 else (opponent.menu, menu)
        match = build_tree(menus[0], big_blind_menu=menus[1])
        seated = [on_match_tree(match, own, agent, seat) for agent in agents]
        wanted = np.zeros((n + 1, n + 1), dtype=bool)
        wanted[(slice(n), n) if seat == 0 else (n, slice(n))] = True
        other = on_match_tree(match, theirs[1 - seat], opponent.policies[1 - seat], 1 - seat)
        table = Match(match, [*seated, other], wanted, preflop_wins)
        later = partial(lambda before, done: progress(before + done), seat * len(boards))
        values = play_boards(table, boards, subset, later)
        won += MBB_PER_DOLLAR / 2 * (values[:, :n, n].T if seat == 0 else -values[:, n, :n].T)
    return won
