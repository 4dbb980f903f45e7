"""Agents against each other on one betting tree, exactly on each board (paper 000, Section 3).

On a board all pairs of holes and all betting lines are summed at once, in both seats: of the four
sources of luck (deal, board, mixed actions, seat) only the board is left to sampling. A pair's
result is then a mean over boards, and its interval comes from how the boards differ. Hands that end
before the flop, which have the largest pots, need no board at all. Models that are slow to ask
(boosted trees, neural nets) can be matched on a random subset of the holes of each board.

`line_frequencies` sums in the same way which lines one strategy takes, and with which hands.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np

from faceup.cards.cards import BOARD_CARDS, N_HOLES
from faceup.cards.equity import StreetTable
from faceup.cards.features import board_features
from faceup.cards.matchups import RUNOUTS_PREFLOP, class_pairs, net_wins
from faceup.holdem.board import (
    board_order,
    class_reach,
    compatible_weight,
    end_values,
    ends_of,
    free_holes,
    street_reach,
)
from faceup.holdem.policy import Policy
from faceup.holdem.river_subgames import stakes_at
from faceup.holdem.rules import DECISION, MBB_PER_DOLLAR, SHOWDOWN
from faceup.holdem.tree import BettingTree, children, decisions
from faceup.util.memo import memo
from faceup.util.parallel import parallel
from faceup.util.progress import Progress
from faceup.util.rng import Stream
from faceup.util.stats import mean_ci95

FIFTHS = 5  # of the hands that a board leaves, by equity


class Result(NamedTuple):
    """What the first agent of a pair wins from the second, in mbb/g."""

    mbb: float
    ci95: float  # half-width
    boards: int

    def __neg__(self) -> "Result":
        return self._replace(mbb=-self.mbb)


class Match:
    """Seats for policies on one tree: plays boards exactly."""

    def __init__(
        self,
        tree: BettingTree,
        policies: Sequence[Policy],
        wanted: np.ndarray | None = None,
        preflop_wins: np.ndarray | None = None,
    ):
        """All policies answer for the same tree; wanted (n, n) bool: pairs to play, small blind
        first (None: all).

        preflop_wins (169, 169): of cards/matchups, so that hands that end before the flop are
        summed over all deals and left out of the boards (None: they are played on each board); the
        policies must then treat suits alike.
        """
        n = len(policies)
        self.tree, self.policies = tree, list(policies)
        self.wanted = np.ones((n, n), dtype=bool) if wanted is None else wanted
        self.ends = ends_of(tree, 0 if preflop_wins is None else int(tree.street_start[1]))
        self.before = (
            np.zeros((n, n))
            if preflop_wins is None
            else preflop_values(tree, self.policies, preflop_wins)
        )

    def play(self, board: Sequence[int], subset: np.ndarray | None = None) -> np.ndarray:
        """Dollars a game that policy i as small blind wins from j as big blind, (n, n) float64,
        over all pairs of holes.

        Pairs that are not wanted stay 0. With `preflop_wins` only what comes after the flop is the
        board's. board: five cards as dealt; subset (1326,) bool: the holes that the players may
        hold (None: all). Raises ValueError where fewer than two holes of the subset can meet.
        """
        board = [int(c) for c in board]
        order = board_order(np.array(board))
        held = free_holes(board) if subset is None else free_holes(board) & subset
        pairs = compatible_weight(held[None].astype(np.float32))[0] @ held
        if not pairs:
            raise ValueError(
                "subset: no two of its holes can be dealt together on this board, expected some"
            )
        reach = np.zeros((2, len(self.tree.kind), len(order.holes)), dtype=np.float32)
        own, worth = np.zeros(
            (2, len(self.ends.node), len(self.policies), len(order.holes)), dtype=np.float32
        )
        for i, policy in enumerate(self.policies):
            reach[:, 0] = held[order.holes]
            for street, n_cards in enumerate(BOARD_CARDS):
                table, row_of_hole = policy.street(street, board[:n_cards], subset)
                street_reach(self.tree, street, (table, row_of_hole[order.holes]), reach)
            own[:, i] = reach[0, self.ends.node]  # as small blind
            # what an end is worth to a small blind who meets the policy there
            if self.wanted[:, i].any():
                worth[:, i] = end_values(self.ends, order, 0, reach[1, self.ends.node])
        won = np.matmul(own, worth.transpose(0, 2, 1)).sum(axis=0, dtype=np.float64) / pairs
        return np.where(self.wanted, won + self.before, 0)


def preflop_values(
    tree: BettingTree, policies: Sequence[Policy], preflop_wins: np.ndarray
) -> np.ndarray:
    """Dollars a game that policy i as small blind wins from j by hands that end before the flop,
    exactly, (n, n) float64.

    preflop_wins (169, 169): of cards/matchups. The policies must treat suits alike.
    """
    ends = np.flatnonzero(tree.kind[: tree.street_start[1]] != DECISION)
    reach = np.array([class_reach(tree, policy.street(0, []))[:, ends] for policy in policies])
    pairs, ahead = class_pairs(), net_wins(preflop_wins, RUNOUTS_PREFLOP)
    won = np.zeros((len(policies), len(policies)))
    for k, (end, stake) in enumerate(zip(ends, stakes_at(tree, ends)[:, 0], strict=True)):
        won += stake * (
            reach[:, 0, k] @ (ahead if tree.kind[end] == SHOWDOWN else pairs) @ reach[:, 1, k].T
        )
    return won / pairs.sum()


def play_boards(
    table: Match,
    boards: Sequence[Sequence[int]],
    subset: tuple[int, Stream] | None = None,
    progress: Callable[[int], None] = lambda done: None,
) -> np.ndarray:
    """`Match.play` on many boards, shared out, (n_boards, n, n).

    subset: how many random holes a board, and the stream that draws them.
    """
    return np.array(
        parallel(partial(_play_board, table, subset), list(enumerate(boards)), progress)
    )


def play_against(
    tree: BettingTree,
    opponent: Policy,
    policies: Sequence[Policy],
    boards: Sequence[Sequence[int]],
    preflop_wins: np.ndarray | None = None,
    name: str = "matches",
) -> np.ndarray:
    """mbb/g that each policy wins from an opponent on each board, both seats equally often,
    (n_policies, n_boards); stored by `memo`.

    preflop_wins: as of `Match`; name: of the matches, for a line of progress.
    """
    wanted = np.zeros((1 + len(policies), 1 + len(policies)), dtype=bool)
    wanted[0, 1:] = wanted[1:, 0] = True
    match = Match(tree, [opponent, *policies], wanted, preflop_wins)
    values = memo(play_boards, match, boards, progress=Progress(f"{name}, boards", len(boards)))
    return MBB_PER_DOLLAR * (values[:, 1:, 0] - values[:, 0, 1:]).T / 2


def _play_board(
    table: Match, subset: tuple[int, Stream] | None, numbered: tuple[int, Sequence[int]]
) -> np.ndarray:
    k, board = numbered
    return table.play(board, subset and random_subset(board, subset[0], subset[1](k)))


def random_subset(board: Sequence[int], size: int, generator: np.random.Generator) -> np.ndarray:
    """So many holes of those that a board leaves, (1326,) bool."""
    subset = np.zeros(N_HOLES, dtype=bool)
    subset[generator.choice(np.flatnonzero(free_holes(list(board))), size, replace=False)] = True
    return subset


def random_boards(n: int, generator: np.random.Generator) -> np.ndarray:
    """n boards of five cards as dealt, (n, 5); the first ones are the same for any n."""
    return np.array([generator.permutation(52)[:5] for _ in range(n)])


def result(values: np.ndarray, i: int, j: int) -> Result:
    """What policy i wins from policy j, both seats equally often, from `play_boards`' values
    (n_boards, n, n).
    """
    return mean_result(MBB_PER_DOLLAR * (values[:, i, j] - values[:, j, i]) / 2)


def mean_result(per_board: np.ndarray) -> Result:
    """A pair's result from one number in mbb/g for each board (or each deal), drawn independently."""
    return Result(*mean_ci95(per_board), len(per_board))


def line_frequencies(
    tree: BettingTree,
    policy: Policy,
    tables: tuple[StreetTable, ...],
    boards: Sequence[Sequence[int]],
) -> np.ndarray:
    """How often a game comes to each node by the action leading to it, by the hand that took it,
    (n_nodes, FIFTHS) float64.

    The strategy is in both seats; over boards (n, 5) as dealt, all pairs of hands and all lines at
    once. A hand's fifth is its place among all hands that the board leaves, the weakest first, by
    equity on the street it acts on.
    """
    taken = np.zeros((len(tree.kind), FIFTHS))
    reach, others = (
        np.zeros((2, len(taken), N_HOLES), dtype=np.float32),
        np.zeros((len(taken), N_HOLES)),
    )
    for board in boards:
        reach[:, 0] = held = free_holes(list(board))
        free = np.flatnonzero(held)
        for street, n_cards in enumerate(BOARD_CARDS):
            shown = [int(c) for c in board[:n_cards]]
            street_reach(tree, street, policy.street(street, shown), reach)
            order = board_features(street, tables[street], shown)[free, 0].argsort(kind="stable")
            fifth = np.zeros((N_HOLES, FIFTHS))
            fifth[free[order], np.arange(len(free)) * FIFTHS // len(free)] = 1
            nodes, after = (
                decisions(tree, street),
                np.arange(*tree.street_start[street : street + 2]),
            )
            others[nodes] = compatible_weight(reach[1 - tree.actor[nodes], nodes])
            above = tree.parent[after]
            taken[after] += (reach[tree.actor[above], after] * others[above]) @ fifth
    return taken / taken[children(tree, 0)].sum()
