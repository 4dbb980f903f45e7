"""Agents against each other on one betting tree, exactly on each board (paper 000, Section 3).

On a board all pairs of holes and all betting lines are summed at once, in both seats: of the four sources of luck (deal,
board, mixed actions, seat) only the board is left to sampling. A pair's result is then a mean over boards, and its interval
comes from how the boards differ. Hands that end before the flop, which have the largest pots, need no board at all. Models that
are dear to ask (boosted trees, neural nets) can be matched on a random subset of the holes of each board.

`habits` sums in the same way which lines one strategy takes, and with which hands.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from faceup.cards.cards import BOARD_CARDS, CLASS_OF_HOLE, HOLE_CARDS, N_CLASSES, STREETS
from faceup.cards.equity import StreetTable
from faceup.cards.features import board_features
from faceup.cards.matchups import RUNOUTS_PREFLOP, edges
from faceup.holdem.best_response import Exploitability
from faceup.holdem.board import BoardOrder, board_order, end_values, ends_of
from faceup.holdem.layout import stakes_at
from faceup.holdem.policy import Policy, class_reach, compatible_weight, free_holes, street_reach
from faceup.holdem.rules import DECISION, MBB_PER_DOLLAR, SHOWDOWN
from faceup.holdem.tree import BettingTree
from faceup.lab.parallel import on_threads, parallel
from faceup.lab.rng import Stream
from faceup.lab.stats import mean_ci95

FIFTHS = 5  # of the hands that a board leaves, by equity
_N_PAIRS = 1326 * 1225  # ordered pairs of holes without a common card


class Result(NamedTuple):
    """What the first agent of a pair wins from the second, in mbb/g."""

    mbb: float
    ci95: float  # half-width
    boards: int


class Table:
    """Seats for policies on one tree: plays boards exactly."""

    def __init__(
        self,
        tree: BettingTree,
        policies: Sequence[Policy],
        wanted: np.ndarray | None = None,
        preflop_wins: np.ndarray | None = None,
    ):
        """All policies answer for the same tree; wanted (n, n) bool: pairs to play, small blind first (None: all).

        preflop_wins (169, 169): of cards/matchups, so that hands that end before the flop are summed over all deals and left out
        of the boards (None: they are played on each board); the policies must then treat suits alike.
        """
        n = len(policies)
        self.tree, self.policies = tree, list(policies)
        self.wanted = np.ones((n, n), dtype=bool) if wanted is None else np.asarray(wanted, dtype=bool)
        if self.wanted.shape != (n, n):
            raise ValueError(f"wanted has shape {self.wanted.shape}, expected {(n, n)}")
        self.ends = ends_of(tree, 0 if preflop_wins is None else int(tree.street_start[1]))
        self.before = np.zeros((n, n)) if preflop_wins is None else preflop_values(tree, self.policies, preflop_wins)

    def play(self, board: Sequence[int], subset: np.ndarray | None = None) -> np.ndarray:
        """Dollars a game that policy i as small blind wins from j as big blind, (n, n) float64, over all pairs of holes.

        Pairs that are not wanted stay 0. With `preflop_wins` only what comes after the flop is the board's.
        board: five cards as dealt; subset (1326,) bool: the holes that the players may hold (None: all).
        Raises ValueError where fewer than two holes of the subset can meet.
        """
        board = [int(c) for c in board]
        order = board_order(np.array(board))
        held = np.ones(len(order.holes), dtype=np.float32) if subset is None else subset[order.holes].astype(np.float32)
        pairs = _count_pairs(order.holes, held)
        shape = len(self.ends.node), len(self.policies), len(held)
        own, worth = np.zeros(shape, dtype=np.float32), np.zeros(shape, dtype=np.float32)
        rows = [[policy.street(street, board[:n], subset) for street, n in enumerate(BOARD_CARDS)] for policy in self.policies]
        on_threads(self._sweep, rows, order, held, own, worth)
        won = np.matmul(own, worth.transpose(0, 2, 1)).sum(axis=0, dtype=np.float64) / pairs
        return np.where(self.wanted, won + self.before, 0)

    def _sweep(
        self, share: tuple[int, int], rows, order: BoardOrder, held: np.ndarray, own: np.ndarray, worth: np.ndarray
    ) -> None:
        """Policies' own reach of the ends as small blind, and what the ends are worth to a small blind who meets them."""
        reach = np.zeros((2, len(self.tree.kind), len(held)), dtype=np.float32)
        for i in range(share[0], len(rows), share[1]):
            reach[:, 0] = held
            for street, (table, row_of_hole) in enumerate(rows[i]):
                street_reach(self.tree, street, (table, row_of_hole[order.holes]), reach)
            if self.wanted[i].any():
                own[:, i] = reach[0, self.ends.node]
            if self.wanted[:, i].any():
                worth[:, i] = end_values(self.ends, order, 0, reach[1, self.ends.node])


def first_against_all(n: int) -> np.ndarray:
    """The pairs of the first of n policies with the others, in both seats, (n, n) bool: what `Table` plays."""
    wanted = np.zeros((n, n), dtype=bool)
    wanted[0] = wanted[:, 0] = True
    return wanted


def preflop_values(tree: BettingTree, policies: Sequence[Policy], preflop_wins: np.ndarray) -> np.ndarray:
    """Dollars a game that policy i as small blind wins from j by hands that end before the flop, exactly, (n, n) float64.

    preflop_wins (169, 169): of cards/matchups. The policies must treat suits alike.
    """
    ends = np.flatnonzero(tree.kind[: tree.street_start[1]] != DECISION)
    reach = np.array([class_reach(tree, policy)[:, ends] for policy in policies])
    of_class = np.eye(N_CLASSES)[CLASS_OF_HOLE]
    disjoint = ~(HOLE_CARDS[:, None, :, None] == HOLE_CARDS[None, :, None, :]).any(axis=(2, 3))
    met, ahead = of_class.T @ disjoint @ of_class, edges(preflop_wins, RUNOUTS_PREFLOP)
    won = np.zeros((len(policies), len(policies)))
    for k, (end, stake) in enumerate(zip(ends, stakes_at(tree, ends)[:, 0], strict=True)):
        won += stake * (reach[:, 0, k] @ (ahead if tree.kind[end] == SHOWDOWN else met) @ reach[:, 1, k].T)
    return won / _N_PAIRS


def _count_pairs(holes: np.ndarray, weights: np.ndarray) -> float:
    """Ordered pairs of holes without a common card, by weight. Raises ValueError where there are none."""
    cards = np.bincount(HOLE_CARDS[holes].ravel(), weights.repeat(2))
    pairs = float(weights.sum() ** 2 - (cards**2).sum() + (weights**2).sum())
    if pairs == 0:
        raise ValueError("subset: no two of its holes can be dealt together on this board, expected some")
    return pairs


def play_boards(
    table: Table,
    boards: Sequence[Sequence[int]],
    subset: tuple[int, Stream] | None = None,
    progress: Callable[[int], None] = lambda done: None,
) -> np.ndarray:
    """`Table.play` on many boards, shared out, (n_boards, n, n).

    subset: how many random holes a board, and the stream that draws them.
    """
    return np.array(parallel(partial(_play_board, table, subset), list(enumerate(boards)), progress))


def _play_board(table: Table, subset: tuple[int, Stream] | None, numbered: tuple[int, Sequence[int]]) -> np.ndarray:
    k, board = numbered
    return table.play(board, subset and _random_subset(board, subset[0], subset[1](k)))


def _random_subset(board: Sequence[int], size: int, generator: np.random.Generator) -> np.ndarray:
    """So many holes of those that a board leaves, (1326,) bool. Raises ValueError on a size below 2 or above their number."""
    free = np.flatnonzero(free_holes(list(board)))
    if not 2 <= size <= len(free):
        raise ValueError(f"subset is {size}, expected from 2 to {len(free)}")
    subset = np.zeros(len(HOLE_CARDS), dtype=bool)
    subset[generator.choice(free, size, replace=False)] = True
    return subset


def random_boards(n: int, generator: np.random.Generator) -> np.ndarray:
    """n boards of five cards as dealt, (n, 5); the first ones are the same for any n."""
    return np.array([generator.permutation(52)[:5] for _ in range(n)])


def result(values: np.ndarray, i: int, j: int) -> Result:
    """What policy i wins from policy j, both seats equally often, from `play_boards`' values (n_boards, n, n)."""
    return mean_result(MBB_PER_DOLLAR * (values[:, i, j] - values[:, j, i]) / 2)


def mean_result(per_board: np.ndarray) -> Result:
    """A pair's result from one number in mbb/g for each board (or each deal), drawn independently."""
    return Result(*mean_ci95(per_board), len(per_board))


def agent_row(
    name: str, found: Exploitability, depth: int | None = None, leaves: int | None = None, match: Result | None = None
) -> dict[str, Any]:
    """An agent's numbers for metrics: what best responses win from it, and its match against the table if there is one."""
    shown: dict[str, Any] = {"name": name, "depth": depth, "leaves": leaves, "mbb": found.mbb, "ci95": found.ci95}
    shown |= {"seats": list(found.seats), "flops": found.flops}
    shown |= {"match_mbb": match and match.mbb, "match_ci95": match and match.ci95}
    from_street, interval = (dict(zip(STREETS[1:], x[1:], strict=True)) for x in (found.later, found.later_ci95))
    return shown | {"from_street": from_street, "from_street_ci95": interval}


# --- betting lines --------------------------------------------------------------------------------------------


class Habits(NamedTuple):
    """How often play comes to each node of a tree, the strategy in both seats, by the strength of the hand that acts there."""

    reach: np.ndarray  # (n_nodes, FIFTHS) float64 chance that a game comes to a decision with such hands, the weakest first
    taken: np.ndarray  # (n_nodes, FIFTHS) float64 that it comes there by the action leading to a node, by the hand that took it


def habits(tree: BettingTree, policy: Policy, tables: tuple[StreetTable, ...], boards: Sequence[Sequence[int]]) -> Habits:
    """Over boards (n, 5) as dealt, all pairs of hands and all lines at once.

    A hand's fifth is its place among all hands that the board leaves, by equity on the street it acts on.
    Raises ValueError without boards.
    """
    if len(boards) == 0:
        raise ValueError("boards: none given, expected one at least")
    nodes = np.flatnonzero(tree.kind == DECISION)
    above, after = tree.parent[1:], 1 + np.arange(len(tree.kind) - 1)
    found = Habits(*np.zeros((2, len(tree.kind), FIFTHS)))
    reach = np.zeros((2, len(tree.kind), len(HOLE_CARDS)), dtype=np.float32)
    others = np.zeros((len(tree.kind), len(HOLE_CARDS)))
    for board in boards:
        free = free_holes(list(board))
        reach[:, 0] = free
        bins = []
        for street in range(4):
            shown = [int(c) for c in board[: BOARD_CARDS[street]]]
            street_reach(tree, street, policy.street(street, shown), reach)
            order = np.flatnonzero(free)[board_features(street, tables[street], shown)[free, 0].argsort(kind="stable")]
            bins.append(np.zeros(len(HOLE_CARDS), dtype=np.int64))
            bins[street][order] = np.arange(len(order)) * FIFTHS // len(order)
        others[nodes] = compatible_weight(reach[1 - tree.actor[nodes], nodes])
        of_node = np.stack(bins)[tree.street]  # (n_nodes, 1326)
        here = reach[tree.actor[nodes], nodes] * others[nodes]
        _add(found.reach, nodes, of_node[nodes], here)
        _add(found.taken, after, of_node[above], reach[tree.actor[above], after] * others[above])
    total = found.reach[0].sum()
    return Habits(found.reach / total, found.taken / total)


def _add(sums: np.ndarray, nodes: np.ndarray, bins: np.ndarray, weights: np.ndarray) -> None:
    """Add each node's weights of holes (n, 1326) to its bins."""
    for node, own, weight in zip(nodes, bins, weights, strict=True):
        sums[node] += np.bincount(own, weights=weight, minlength=sums.shape[1])
