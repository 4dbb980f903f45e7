"""Rows for distillation: features of a situation, the average strategy's probabilities, the row's
weight, what actions cost.

Situations are drawn from boards that the strategy plays against itself (paper 000, Section 2.4). A
situation's stake is the chance that play reaches it times the dollars at stake. Rows are drawn in
proportion to the square root of the stake, and carry the other half as their weight, so that rare
but costly lines are present without drowning the common ones. Preflop all are rows.

An action's cost is how far it is below the strategy's own play there, in dollars, where the
strategy itself also plays on after it, in the mean over boards and the hands of a group. The worst
one weights a state in Bastani, Pu and Solar-Lezama (2018, "Verifiable reinforcement learning via
policy extraction", Section 3): V(s) - min_a Q(s, a).
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numba import njit

from faceup.cards.cards import BOARD_CARDS, CLASS_OF_HOLE, HOLE_CARDS, HOLE_OF_CLASS, N_CLASSES
from faceup.cards.equity import StreetTable
from faceup.cards.features import BETTING_FEATURES, FEATURE_NAMES, betting_features, board_features
from faceup.holdem.action_values import action_values
from faceup.holdem.betting_lines import lower_probability
from faceup.holdem.board import compatible_weight, free_holes, preflop_reach, street_reach
from faceup.holdem.buckets import hole_buckets
from faceup.holdem.policy import Policy, StreetRows, TablePolicy
from faceup.holdem.rules import CALL
from faceup.holdem.tree import BettingTree, columns, decisions
from faceup.util.rng import Stream

NO_BOARD = -1
_FAINT = 1e-6  # share of the largest weight that a preflop row keeps where play never comes
_GOLDEN = (5**0.5 - 1) / 2  # multiples of it, modulo 1, cover 0 to 1 evenly
_BET_FACED = BETTING_FEATURES["all"].index("bet_faced")


@njit(cache=True)
def _add(start, end, parent, actor, group, free, value, others, sums):
    """Add to sums (2, n_buckets, end - start) a board's dollars, and the weight of opponents, at
    nodes start..end - 1.
    """
    for node in range(start, end):
        above = parent[node]
        player = actor[above]
        for h in range(group.shape[0]):
            if free[h]:
                sums[0, group[h], node - start] += value[player, node, h]
                sums[1, group[h], node - start] += others[player, above, h]


def action_costs(
    tree: BettingTree,
    policy: TablePolicy,
    boards: Sequence[Sequence[int]],
    progress: Callable[[int], None] = lambda done: None,
) -> tuple[np.ndarray, ...]:
    """Dollars that each action earns less than the policy's own play: four arrays (n_buckets, width)
    float32, as its tables.

    Means over games that have come to the decision, on boards of five cards as dealt; below 0 where
    an action earns more, 0 where no hand of a group comes.
    """
    sums = [np.zeros((2, *table.shape)) for table in policy.tables]
    for k, board in enumerate(np.asarray(boards).tolist()):
        found, free = action_values(tree, policy, policy, board), free_holes(board)
        for street, n_cards in enumerate(BOARD_CARDS):
            start, end = tree.street_start[street : street + 2]
            group = hole_buckets(policy.buckets, street, board[:n_cards])
            _add(
                start,
                end,
                tree.parent,
                tree.actor,
                group,
                free,
                found.value,
                found.others,
                sums[street],
            )
        progress(k + 1)
    costs = []
    for street, (value, weight) in enumerate(sums):
        each = np.divide(value, weight, out=np.zeros_like(value), where=weight > 0)
        for node in decisions(tree, street).tolist():
            own = columns(tree, node)
            each[:, own] = (policy.tables[street][:, own] * each[:, own]).sum(
                axis=1, keepdims=True
            ) - each[:, own]
        costs.append(each.astype(np.float32))
    return tuple(costs)


class TrainingSamples(NamedTuple):
    """Training rows of one round."""

    X: np.ndarray  # (n, n_features) float32: the hand's features, then those of the betting
    P: np.ndarray  # (n, n_labels) float32: probability of each action label, 0 where it is illegal
    w: np.ndarray  # (n,) float64: weights, mean 1
    board: np.ndarray  # (n,) int32: which of the boards, NO_BOARD where a row is of no single one
    # (n, n_labels) float32: dollars each label loses, an illegal one as calling; 0 where not asked
    # for
    costs: np.ndarray


def draw_samples(
    tree: BettingTree,
    policy: Policy,
    tables: tuple[StreetTable, ...],
    n_rows: tuple[int, int, int],
    boards: np.ndarray,
    stream: Stream,
    *,
    progress: Callable[[int], None] = lambda done: None,
    costs: Sequence[np.ndarray] | None = None,
    off_menu: int = 0,
) -> list[TrainingSamples]:
    """Rows of the four rounds, preflop first, that tell "all" of the betting
    (`cards.features.BETTING_FEATURES`).

    n_rows: how many on flop, turn and river, shared evenly over the boards; boards (n_boards, 5) as
    dealt. A board's rows depend on the stream, the board and its place. costs: of each action, by
    the policy's rows, as `action_costs` gives them; then the dollars at stake are what the worst
    action costs, else those in the pot. off_menu: of the rows that face a raise, each so many-th
    faces one of a size that the tree lacks (0: none), for models with "pot-relative" features,
    which show no other trace of that size. Raises ValueError where a street would get less than a
    row a board.
    """
    if min(n_rows) < len(boards):
        raise ValueError(f"n_rows is {n_rows} for {len(boards)} boards, expected a row for each")
    worst = (
        None
        if costs is None
        else [_worst_costs(tree, street, table) for street, table in enumerate(costs)]
    )
    drawing = _Drawing(tree, tables, costs, worst, off_menu)
    parts = [[drawing.preflop_rows(policy.street(0, []))], [], [], []]
    # used again for every board
    reach = np.zeros((2, len(tree.kind), len(HOLE_CARDS)), dtype=np.float32)
    for k, board in enumerate(np.asarray(boards).tolist()):
        generator = stream(k)
        played = [policy.street(street, board[:n]) for street, n in enumerate(BOARD_CARDS)]
        # a hole that only a later card blocks is met on other boards of the flop
        reach[:, 0] = free_holes(board)
        for street, rows in enumerate(played):
            street_reach(tree, street, rows, reach)
        for street in (1, 2, 3):
            points = np.arange(n := n_rows[street - 1] // len(boards)) + generator.random(n)
            parts[street].append(
                drawing.street_rows(street, played[street], board, reach, points / n, k)
            )
        progress(k + 1)
    joined = [TrainingSamples(*map(np.concatenate, zip(*rows, strict=True))) for rows in parts]
    return [rows._replace(w=rows.w / rows.w.mean()) for rows in joined]


def select_history(rounds: Sequence[TrainingSamples], history: str) -> list[TrainingSamples]:
    """Rows of the four rounds, preflop first, as `draw_samples` gives them, with the columns of
    another history.
    """
    told = [
        BETTING_FEATURES["all"].index(name) - len(BETTING_FEATURES["all"])
        for name in BETTING_FEATURES[history]
    ]
    kept = [[*range(len(names)), *told] for names in FEATURE_NAMES]
    return [
        rows._replace(X=np.ascontiguousarray(rows.X[:, columns]))
        for rows, columns in zip(rounds, kept, strict=True)
    ]


def cost_shares(rows: TrainingSamples) -> np.ndarray:
    """What each label costs in each row, as a share of the row's largest cost, (n, n_labels); 0
    where nothing is lost.

    For learners that count costs, on rows whose weights have that largest cost in them already. A
    gain counts as 1 at most. A label that the policy never takes, or may not, costs 1, so that no
    learner takes it for cheap.
    """
    largest = rows.costs.max(axis=1, keepdims=True)
    shares = np.divide(rows.costs, largest, out=np.zeros(rows.costs.shape), where=largest > 0)
    return np.where(rows.P > 0, np.clip(shares, -1, 1), 1)


def stakes(
    tree: BettingTree, nodes: np.ndarray, reach: np.ndarray, dollars: np.ndarray
) -> np.ndarray:
    """Chance that play comes to each node with each hole, times the dollars (n_nodes, 1326) at
    stake; up to a constant.

    Returns (n_nodes, 1326) float64; reach (2, n_nodes of the tree, 1326) of each player.
    """
    actor = tree.actor[nodes]
    own, other = reach[actor, nodes], reach[1 - actor, nodes]
    return own * compatible_weight(other) * dollars


class _Drawing(NamedTuple):
    """What rows of all streets are drawn from."""

    tree: BettingTree
    tables: tuple[StreetTable, ...]
    # of each street, (n_rows, width) as `action_costs` gives them
    costs: Sequence[np.ndarray] | None
    worst: Sequence[np.ndarray] | None  # of each street, as `_worst_costs` gives them
    off_menu: int

    def stakes(self, street: int, played: StreetRows, reach: np.ndarray) -> np.ndarray:
        """`stakes` of all decisions of a street, in dollars of the pot or of the worst action."""
        tree, nodes = self.tree, decisions(self.tree, street)
        dollars = (
            self.worst[street][:, played[1]]
            if self.worst
            else tree.bets[nodes].sum(axis=(1, 2))[:, None]
        )
        return stakes(tree, nodes, reach, dollars)

    def street_rows(
        self,
        street: int,
        played: StreetRows,
        board: list[int],
        reach: np.ndarray,
        points: np.ndarray,
        k: int,
    ) -> TrainingSamples:
        """Rows of board k, at points (n,) from 0 to 1 of the total of what is drawn by."""
        draw = np.sqrt(self.stakes(street, played, reach)).ravel()
        upto = draw.cumsum()
        picks = np.searchsorted(
            upto, np.minimum(points * upto[-1], np.nextafter(upto[-1], 0)), side="right"
        )
        node, hole = decisions(self.tree, street)[picks // len(HOLE_CARDS)], picks % len(HOLE_CARDS)
        # stake / chance of the draw: comparable from board to board
        weight = draw[picks] * upto[-1]
        return self.rows(street, played, board[: BOARD_CARDS[street]], node, hole, weight, k)

    def preflop_rows(self, played: StreetRows) -> TrainingSamples:
        """All starting hands at all preflop decisions, weighted by stake."""
        nodes = decisions(self.tree, 0)
        stake = self.stakes(0, played, preflop_reach(self.tree, played))
        by_class = np.stack(
            [np.bincount(CLASS_OF_HOLE, weights=s, minlength=N_CLASSES) for s in stake]
        )
        node, hole = np.repeat(nodes, N_CLASSES), np.tile(HOLE_OF_CLASS, len(nodes))
        return self.rows(
            0, played, [], node, hole, by_class.ravel() + _FAINT * by_class.max(), NO_BOARD
        )

    def rows(
        self,
        street: int,
        played: StreetRows,
        board: list[int],
        node: np.ndarray,
        hole: np.ndarray,
        w: np.ndarray,
        k: int,
    ) -> TrainingSamples:
        """Rows of nodes (n,) with holes (n,) on a street's board, the k-th, of weights w (n,)."""
        group = played[1][hole]
        hands = board_features(street, self.tables[street], board)[hole]
        told = betting_features(self.tree.bets[node], self.tree.actor[node], "all")
        taught = self._taught(street, played[0], group, node)
        if self.off_menu:
            at = np.flatnonzero(self.tree.label[node] > CALL)[:: self.off_menu]
            told[at, _BET_FACED], taught[:, at] = self._off_menu(
                street, played[0], group[at], node[at]
            )
        return TrainingSamples(
            np.concatenate([hands, told], axis=1),
            taught[0],
            w,
            np.full(len(node), k, dtype=np.int32),
            taught[1],
        )

    def _taught(
        self, street: int, table: np.ndarray, group: np.ndarray, node: np.ndarray
    ) -> np.ndarray:
        """Probabilities, and costs, of all labels at each (row of the table, node), (2, n,
        n_labels) float32.

        An illegal label has probability 0 and costs what calling does.
        """
        p = np.nan_to_num(_by_label(self.tree, street, table, group, node))
        p /= p.sum(axis=1, keepdims=True)
        if self.costs is None:
            return np.stack([p, np.zeros_like(p)])
        lost = _by_label(self.tree, street, self.costs[street], group, node)
        return np.stack([p, np.where(np.isnan(lost), lost[:, [CALL]], lost)])

    def _off_menu(
        self, street: int, table: np.ndarray, group: np.ndarray, node: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Other sizes (n,) for the raises that nodes (n,) face, and what is `_taught` there: of
        both neighbours, mixed.

        In turn a raise becomes smaller and, where the tree has a larger one, larger, so that sizes
        are met in the pots in which their neighbours are. They are spread evenly on a scale of pots
        after the raise is called. A bet of nothing is one that is called. Chances are those of a
        table that reads the size; costs change along a straight line, as what a call wins.
        """
        tree, turn = self.tree, np.arange(len(node))
        after = np.minimum(node + 1, len(tree.parent) - 1)
        high = node + ((tree.parent[after] == tree.parent[node]) & (turn % 2 == 1))
        low = high - 1  # children are neighbours, by size
        real = tree.label[low] > CALL
        raises = np.stack([high, np.where(real, low, high)])
        most, least = (
            betting_features(tree.bets[r], tree.actor[r], "all")[:, _BET_FACED].astype(np.float64)
            for r in raises
        )
        least[~real] = 0
        size = (1 + least) * ((1 + most) / (1 + least)) ** (turn * _GOLDEN % 1) - 1
        smaller = [lower_probability(*sizes) for sizes in zip(size, least, most, strict=True)]
        # of the lower neighbour
        share = np.array([smaller, (most - size) / (most - least)], dtype=np.float32)[:, :, None]
        above = self._taught(street, table, group, high)
        below = np.zeros_like(above)
        below[0, :, CALL] = 1
        below[:, real] = self._taught(street, table, group[real], low[real])
        return size, share * below + (1 - share) * above


def _worst_costs(tree: BettingTree, street: int, costs: np.ndarray) -> np.ndarray:
    """What the worst action of each decision costs each row, in dollars of 0 or more, (n_decisions,
    n_rows).
    """
    return np.stack(
        [costs[:, columns(tree, node)].max(axis=1) for node in decisions(tree, street)]
    ).clip(min=0)


def _by_label(
    tree: BettingTree, street: int, table: np.ndarray, rows: np.ndarray, node: np.ndarray
) -> np.ndarray:
    """A street's table at each (row, node) by label, (n, n_labels) float32, NaN where a label is
    illegal.
    """
    out = np.full((len(node), len(tree.labels)), np.nan, dtype=np.float32)
    start = tree.street_start[street]
    for i in range(int(tree.n_children.max())):
        has = np.flatnonzero(i < tree.n_children[node])
        child = tree.first_child[node[has]] + i
        out[has, tree.label[child]] = table[rows[has], child - start]
    return out
