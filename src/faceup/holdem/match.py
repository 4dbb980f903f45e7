"""Matches between agents on one betting tree, exact on each board (paper 000, Section 3).

On a board all pairs of holes and all betting lines are summed at once, in both seats: of the four
sources of variance (deal, board, mixed actions, seat) only the board is sampled. A pair's result is
a mean over boards, and its interval follows from their differences. Hands that end before the flop,
which have the largest pots, need no board at all. Slow models (boosted trees, neural networks) can
be matched on a random subset of each board's holes.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np

from faceup.cards.cards import BOARD_CARDS, N_HOLES
from faceup.cards.matchups import RUNOUTS_PREFLOP, class_pairs, net_wins
from faceup.holdem.betting_tree import BettingTree
from faceup.holdem.board import board_order
from faceup.holdem.policy import Policy
from faceup.holdem.reach import class_reach, fill_street_reach
from faceup.holdem.river_subgames import stakes_at
from faceup.holdem.rules import DECISION, MBB_PER_DOLLAR, SHOWDOWN
from faceup.holdem.showdown import compatible_weight, end_values, ends_of, free_holes
from faceup.util.memo import memo
from faceup.util.parallel import parallel
from faceup.util.progress import Progress
from faceup.util.rng import Stream
from faceup.util.stats import mean_ci95


class Result(NamedTuple):
    """Winnings of the first agent of a pair from the second, in mbb/g."""

    mbb: float
    ci95: float  # half-width
    boards: int

    def __neg__(self) -> "Result":
        return self._replace(mbb=-self.mbb)


class Match:
    """Exact expected winnings between policies of one tree on given boards."""

    def __init__(
        self,
        tree: BettingTree,
        policies: Sequence[Policy],
        pairings: np.ndarray | None = None,
        preflop_wins: np.ndarray | None = None,
    ):
        """pairings (n, n) bool: which policies play each other, small blind first (None: all).

        preflop_wins (169, 169): of cards/matchups, to sum hands that end before the flop over all
        deals and leave them out of the boards (None: they are played on each board); the policies
        must then treat all suits equally.
        """
        n, first = len(policies), 0 if preflop_wins is None else int(tree.street_start[1])
        self.tree, self.policies = tree, list(policies)
        self.pairings = np.ones((n, n), dtype=bool) if pairings is None else pairings
        self.ends, self.preflop_value = ends_of(tree, first), np.zeros((n, n))
        if preflop_wins is not None:
            self.preflop_value = preflop_values(tree, self.policies, preflop_wins)

    def play(self, board: Sequence[int], subset: np.ndarray | None = None) -> np.ndarray:
        """Dollars a game that policy i as small blind wins from j as big blind, averaged over all
        pairs of holes: (n, n) float64, 0 where they do not play each other.

        board: five cards as dealt; subset (1326,) bool: the holes that the players may hold (None:
        all), of which two at least can be dealt together.
        """
        board = [int(c) for c in board]
        order = board_order(np.array(board))
        held = free_holes(board) if subset is None else free_holes(board) & subset
        n_deals = compatible_weight(held[None].astype(np.float32))[0] @ held
        reach = np.zeros((2, len(self.tree.kind), len(order.holes)), dtype=np.float32)
        shape = len(self.ends.node), len(self.policies), len(order.holes)
        # reach of each end as small blind; its value for a small blind against the policy
        reach_of_end, value = np.zeros((2, *shape), dtype=np.float32)
        for i, policy in enumerate(self.policies):
            reach[:, 0] = held[order.holes]
            for street, n_cards in enumerate(BOARD_CARDS):
                table, row_of_hole = policy.street_rows(street, board[:n_cards], subset)
                fill_street_reach(self.tree, street, (table, row_of_hole[order.holes]), reach)
            reach_of_end[:, i] = reach[0, self.ends.node]
            if self.pairings[:, i].any():
                value[:, i] = end_values(self.ends, order, 0, reach[1, self.ends.node])
        won = np.matmul(reach_of_end, value.transpose(0, 2, 1)).sum(axis=0, dtype=np.float64)
        return np.where(self.pairings, won / n_deals + self.preflop_value, 0)


def preflop_values(
    tree: BettingTree, policies: Sequence[Policy], preflop_wins: np.ndarray
) -> np.ndarray:
    """Dollars a game that policy i as small blind wins from j in hands that end before the flop,
    exactly: (n, n) float64.

    preflop_wins (169, 169): of cards/matchups. The policies must treat all suits equally.
    """
    ends = np.flatnonzero(tree.kind[: tree.street_start[1]] != DECISION)
    reach = np.array([class_reach(tree, policy.street_rows(0, []))[:, ends] for policy in policies])
    pairs, ahead = class_pairs(), net_wins(preflop_wins, RUNOUTS_PREFLOP)
    won = np.zeros((len(policies), len(policies)))
    for k, (end, stake) in enumerate(zip(ends, stakes_at(tree, ends)[:, 0], strict=True)):
        payoff = ahead if tree.kind[end] == SHOWDOWN else pairs
        won += stake * (reach[:, 0, k] @ payoff @ reach[:, 1, k].T)
    return won / pairs.sum()


def play_boards(
    match: Match,
    boards: Sequence[Sequence[int]],
    subset: tuple[int, Stream] | None = None,
    progress: Callable[[int], None] = lambda done: None,
) -> np.ndarray:
    """`Match.play` on many boards in parallel, (n_boards, n, n).

    subset: the number of random holes on each board, and their stream.
    """
    play = partial(_play_board, match, subset)
    return np.array(parallel(play, list(enumerate(boards)), progress))


def _play_board(
    match: Match, subset: tuple[int, Stream] | None, numbered: tuple[int, Sequence[int]]
) -> np.ndarray:
    k, board = numbered
    if subset is None:
        return match.play(board)
    holes = random_holes(board, subset[0], subset[1](k))
    return match.play(board, np.isin(np.arange(N_HOLES), holes))


def random_holes(board: Sequence[int], n: int, generator: np.random.Generator) -> np.ndarray:
    """n different holes of those that a board leaves, (n,)."""
    return generator.choice(np.flatnonzero(free_holes(board)), n, replace=False)


def play_against(
    tree: BettingTree,
    opponent: Policy,
    policies: Sequence[Policy],
    boards: Sequence[Sequence[int]],
    preflop_wins: np.ndarray | None = None,
    name: str = "matches",
) -> np.ndarray:
    """mbb/g that each policy wins from an opponent on each board, both seats equally often:
    (n_policies, n_boards); stored by `memo`.

    preflop_wins: as in `Match`; name: of the matches, for a line of progress.
    """
    pairings = np.zeros((1 + len(policies), 1 + len(policies)), dtype=bool)
    pairings[0, 1:] = pairings[1:, 0] = True
    match = Match(tree, [opponent, *policies], pairings, preflop_wins)
    values = memo(play_boards, match, boards, progress=Progress(f"{name}, boards", len(boards)))
    return MBB_PER_DOLLAR * (values[:, 1:, 0] - values[:, 0, 1:]).T / 2


def random_boards(n: int, generator: np.random.Generator) -> np.ndarray:
    """n boards of five cards as dealt, (n, 5); the first ones are the same for any n."""
    return np.array([generator.permutation(52)[:5] for _ in range(n)])


def result(values: np.ndarray, i: int, j: int) -> Result:
    """Winnings of policy i from policy j, both seats equally often; values (n_boards, n, n): of
    `play_boards`.
    """
    return mean_result(MBB_PER_DOLLAR * (values[:, i, j] - values[:, j, i]) / 2)


def mean_result(per_board: np.ndarray) -> Result:
    """A pair's result from its mbb/g on each of several independent boards (or deals)."""
    return Result(*mean_ci95(per_board), len(per_board))
