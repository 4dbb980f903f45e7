"""Match trees: agents with different bet sizes on one tree, so that boards are still summed
exactly.

On a match tree each seat's decisions offer that seat's own sizes, in real dollars. A model that
reads dollars plays on it directly. A table policy has a tree of its own: each line of the match
tree has one or more *readings* as a line of that tree, since an unknown size of the opponent is
read as a smaller or a larger one by the pseudo-harmonic mapping. The policy's action depends on the
reading drawn earlier in the hand. For each hole the probabilities of the readings follow from the
policy's own play up to there, which makes it again one probability for each action: nothing is left
to sampling.
"""

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numba import njit

from faceup.cards.cards import BOARD_CARDS, N_HOLES
from faceup.holdem.agents import AgentPolicy
from faceup.holdem.bet_translation import translate_action
from faceup.holdem.betting_lines import legal_action
from faceup.holdem.betting_tree import BettingTree, action_to, build_tree, children, decision_nodes
from faceup.holdem.match import Match, play_boards
from faceup.holdem.policy import (
    ModelPolicy,
    Policy,
    StreetRows,
    TablePolicy,
    decision_columns,
    fixed_row,
)
from faceup.holdem.rules import CALL, DECISION, MBB_PER_DOLLAR, START, BettingState, Menu, act
from faceup.holdem.showdown import free_holes
from faceup.holdem.strategy_file import load_strategy, save_strategy
from faceup.util.files import load_json, write_json
from faceup.util.rng import Stream

_SEATS = "small_blind", "big_blind"
_ENDED = -1  # the own node of readings where the own tree's players are all-in, the real ones not


class StreetReadings(NamedTuple):
    """One seat's readings of a street: pairs of a node of the match tree and one of the own tree.

    Edges stand in an order in which those that lead to a reading precede those that leave it.
    """

    chance: np.ndarray  # (n_edges,) float32 probability of the edge; 1 for the agent's own actions
    source: np.ndarray  # (n_edges,) int32 reading
    target: np.ndarray  # (n_edges,) int32 reading
    # (n_edges,) int32 column of the own tree's street rows; -1 at the opponent's and forced calls
    column: np.ndarray
    # (n_edges,) int32 column of the match tree's street rows; -1 at the opponent's
    action: np.ndarray
    begin: np.ndarray  # (n_begin,) int32 readings at which the street begins
    end: np.ndarray  # (n_end,) int32 readings at which the next street begins
    # (n,) int32 columns of the seat's decisions in the match tree's street rows: first, and after
    # the last one
    first_column: np.ndarray
    end_column: np.ndarray


def street_readings(match_tree: BettingTree, own: BettingTree, seat: int) -> list[StreetReadings]:
    """All readings of a match tree by a policy of its own tree in a seat (0 the small blind), one
    record a street.
    """
    number: dict[tuple[int, int], int] = {(0, 0): 0}
    queue: list[tuple[int, int, BettingState | None]] = [(0, 0, START)]
    edges: list[list[tuple]] = [[], [], [], []]
    for node, at, state in queue:  # grows while it is walked
        if state is None:
            continue
        acts, start = state.actor == seat, int(match_tree.street_start[state.street])
        for child, after, chance, column in _steps(match_tree, own, node, at, state, acts):
            if (child, after) not in number:
                number[child, after] = len(queue)
                queue.append((child, after, act(state, *action_to(match_tree, child))[0]))
            source, target = number[node, at], number[child, after]
            action = child - start if acts else -1
            edges[state.street].append((source, target, chance, column, action))
    found, end = list[StreetReadings](), np.zeros(0)
    for street in range(3, -1, -1):
        sources, targets, chances, own_columns, actions = zip(*edges[street], strict=True)
        begin = np.setdiff1d(sources, targets)
        spans = decision_columns(match_tree, decision_nodes(match_tree, street, seat))
        numbers = sources, targets, own_columns, actions, begin, end, *spans
        whole = (np.array(x, np.int32) for x in numbers)
        found.insert(0, StreetReadings(np.array(chances, np.float32), *whole))
        end = begin
    return found


def _steps(
    match_tree: BettingTree, own: BettingTree, node: int, at: int, state: BettingState, acts: bool
) -> list[tuple[int, int, float, int]]:
    """The edges that leave a reading: (child of the match tree, own node, chance, column), as in
    `StreetReadings`.

    node: of the match tree; at: of the agent's own tree, how it reads the betting there; acts:
    whether the agent is to act, else its opponent.
    """
    below = children(match_tree, node)
    if at == _ENDED:
        return [(c, _ENDED, 1.0, -1) for c in below if not acts or match_tree.label[c] == CALL]
    found = []
    if acts:
        start = int(own.street_start[state.street])
        for c in children(own, at):
            action = legal_action(own.labels[own.label[c]], state)
            found.append((_child_of(match_tree, node, action), c, 1.0, c - start))
    else:
        for c in below:
            readings = translate_action(own, at, state, *action_to(match_tree, c))
            found += [(c, after, chance, -1) for after, chance in readings]
    return [
        (child, after if own.kind[after] == DECISION else _ENDED, chance, column)
        for child, after, chance, column in found
    ]


def _child_of(match_tree: BettingTree, node: int, action: tuple[str, int]) -> int:
    """The child that an action leads to; among raises the one of the nearest amount."""
    below = {c: action_to(match_tree, c) for c in children(match_tree, node)}
    return min(below, key=lambda c: (below[c][0] != action[0], abs(below[c][1] - action[1])))


@njit(cache=True, nogil=True)
def _follow_readings(street, table, row_of_hole, before, after, out):
    """Carry each hole's weights of readings over a street's edges, and write the agent's action
    probabilities to out (n_holes, width).

    before (n_holes, n_begin), after (n_holes, n_end); out holds calls: they stay where the agent
    never gets.
    """
    weight = np.zeros(street.target.max() + 1, dtype=np.float32)
    taken = np.zeros(out.shape[1], dtype=np.float32)
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
        for k in range(street.first_column.shape[0]):
            total = np.float32(0)
            for c in range(street.first_column[k], street.end_column[k]):
                total += taken[c]
            if total > 0:
                for c in range(street.first_column[k], street.end_column[k]):
                    out[h, c] = taken[c] / total


class TranslatedPolicy:
    """A policy of its own tree in one seat of a match tree; it calls at the other's decisions."""

    def __init__(self, match_tree: BettingTree, own: BettingTree, policy: Policy, seat: int):
        """policy: of the tree `own`; seat: 0 the small blind, 1 the big blind."""
        self.policy, self.readings = policy, street_readings(match_tree, own, seat)
        self._calls = [fixed_row(match_tree, street) for street in range(4)]

    def street_rows(
        self, street: int, board: list[int], wanted_holes: np.ndarray | None = None
    ) -> StreetRows:
        """A row for each wanted hole, which depends on the policy's actions on earlier streets."""
        holes = np.flatnonzero(free_holes(board) if wanted_holes is None else wanted_holes)
        weight = np.ones((len(holes), 1), dtype=np.float32)
        for k, at in enumerate(self.readings[: street + 1]):
            table, row_of_hole = self.policy.street_rows(k, board[: BOARD_CARDS[k]], wanted_holes)
            before, weight = weight, np.empty((len(holes), len(at.end)), dtype=np.float32)
            out = np.repeat(self._calls[k], len(holes), axis=0)
            _follow_readings(at, table, row_of_hole[holes], before, weight, out)
        row = np.zeros(N_HOLES, dtype=np.int32)
        row[holes] = np.arange(len(holes))
        return out, row


def on_match_tree(match_tree: BettingTree, own: BettingTree, policy: Policy, seat: int) -> Policy:
    """A policy of its own tree on a match tree: translated unless it reads dollars or the trees
    are equal.
    """
    if isinstance(policy, ModelPolicy | AgentPolicy):
        return policy.on(match_tree, seat)
    pairs = (match_tree.bets, own.bets), (match_tree.label, own.label)
    same = match_tree.labels == own.labels and all(np.array_equal(*pair) for pair in pairs)
    return policy if same else TranslatedPolicy(match_tree, own, policy, seat)


class Opponent(NamedTuple):
    """A player with bet sizes of its own and a blueprint for each seat, on the seat's own tree."""

    menu: Menu  # of its own bets
    expects: Menu  # the other player's bets on its trees
    policies: tuple[TablePolicy, TablePolicy]  # as small blind, as big blind


def seat_trees(menu: Menu, expects: Menu) -> tuple[BettingTree, BettingTree]:
    """The trees of an opponent's two seats, small blind first; menus as in `Opponent`.

    The other player may always limp.
    """
    limping = expects | {"limps": True}
    return build_tree(menu, big_blind_menu=expects), build_tree(limping, big_blind_menu=menu)


def save_opponent(folder: Path, opponent: Opponent) -> None:
    """Write an opponent: its menus, and a strategy for each seat."""
    for name, policy in zip(_SEATS, opponent.policies, strict=True):
        save_strategy(folder / f"{name}.npz", policy)
    write_json(folder / "menus.json", {"menu": opponent.menu, "expects": opponent.expects})


def load_opponent(folder: Path) -> Opponent:
    """Read what `save_opponent` wrote."""
    menus = load_json(folder / "menus.json")
    trees = zip(_SEATS, seat_trees(**menus), strict=True)
    small, big = (load_strategy(folder / f"{name}.npz", tree) for name, tree in trees)
    return Opponent(**menus, policies=(small, big))


def play_opponent(
    menu: Menu,
    policies: Sequence[Policy],
    opponent: Opponent,
    boards: Sequence[Sequence[int]],
    progress: Callable[[int], None] = lambda done: None,
    preflop_wins: np.ndarray | None = None,
    subset: tuple[int, Stream] | None = None,
) -> np.ndarray:
    """mbb/g that each policy wins from the opponent on each board, exactly, both seats equally
    often: (n_policies, n_boards).

    menu: of the policies' tree; preflop_wins: as in `Match`; subset: as in `play_boards`, the same
    holes for all policies and seats.
    """
    n, won = len(policies), np.zeros((len(policies), len(boards)))
    own, theirs = build_tree(menu), seat_trees(opponent.menu, opponent.expects)
    for seat in range(2):
        menus = (menu, opponent.menu) if seat == 0 else (opponent.menu, menu)
        tree = build_tree(menus[0], big_blind_menu=menus[1])
        seated = [on_match_tree(tree, own, policy, seat) for policy in policies]
        against = on_match_tree(tree, theirs[1 - seat], opponent.policies[1 - seat], 1 - seat)
        pairings = np.zeros((n + 1, n + 1), dtype=bool)
        pairings[(slice(n), n) if seat == 0 else (n, slice(n))] = True
        match = Match(tree, [*seated, against], pairings, preflop_wins)
        later = partial(lambda before, done: progress(before + done), seat * len(boards))
        values = play_boards(match, boards, subset, later)
        won += MBB_PER_DOLLAR / 2 * (values[:, :n, n].T if seat == 0 else -values[:, n, :n].T)
    return won
