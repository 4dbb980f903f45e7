"""Training samples for distillation: features of a decision with a hand on a board, the
blueprint's action probabilities, a weight, and the cost of each action.

Decisions are sampled from boards that the strategy plays against itself (paper 000, Section 2.4).
The importance s of a decision with a hand is the probability that play reaches it times the dollars
at stake there. Samples are drawn with probability q in proportion to sqrt(s) and weighted by s / q,
so that rare but costly lines are present without dominating. Before the flop all are samples.

The cost of an action is V(s) - Q(s, a) in dollars, where V is the value of the strategy's own play,
averaged over boards and over the hands of a bucket; the strategy itself also plays on after the
action. V(s) - min_a Q(s, a) is the weight of a state in Bastani, Pu and Solar-Lezama (2018,
"Verifiable reinforcement learning via policy extraction", Section 3).
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numba import njit

from faceup.cards.cards import BOARD_CARDS, CLASS_OF_HOLE, HOLE_CARDS, HOLE_OF_CLASS, N_CLASSES
from faceup.cards.equity import StreetEquities
from faceup.cards.features import BETTING_FEATURES, FEATURE_NAMES, betting_features, board_features
from faceup.holdem.action_values import action_values
from faceup.holdem.bet_translation import pseudo_harmonic
from faceup.holdem.betting_tree import BettingTree, columns, decision_nodes
from faceup.holdem.buckets import hole_buckets
from faceup.holdem.policy import Policy, StreetRows, TablePolicy
from faceup.holdem.reach import fill_street_reach, preflop_reach
from faceup.holdem.rules import CALL
from faceup.holdem.showdown import compatible_weight, free_holes
from faceup.util.rng import Stream

NO_BOARD = -1
_FAINT = 1e-6  # least weight of a preflop sample, as a share of the largest
_GOLDEN = (5**0.5 - 1) / 2  # its multiples modulo 1 cover 0 to 1 evenly
_BET_FACED = BETTING_FEATURES["all"].index("bet_faced")


@njit(cache=True)
def _add_by_bucket(start, end, parent, actor, bucket, free, value, opposing_reach, sums):
    """Add one board's values and opposing reach at nodes start..end - 1 to sums.

    parent, actor (n_nodes,); bucket, free (1326,); value, opposing_reach (2, n_nodes, 1326) as in
    `ActionValues`; sums (2, n_buckets, end - start).
    """
    for node in range(start, end):
        above = parent[node]
        player = actor[above]
        for h in range(bucket.shape[0]):
            if free[h]:
                sums[0, bucket[h], node - start] += value[player, node, h]
                sums[1, bucket[h], node - start] += opposing_reach[player, above, h]


def action_costs(
    tree: BettingTree,
    policy: TablePolicy,
    boards: Sequence[Sequence[int]],
    progress: Callable[[int], None] = lambda done: None,
) -> tuple[np.ndarray, ...]:
    """Dollars that each action loses against the policy's own play: four arrays (n_buckets, width)
    float32, columns as in the policy's tables.

    Averaged over games that reach the decision, on boards of five cards as dealt; negative where an
    action is better, 0 for buckets without a hand there.
    """
    sums = [np.zeros((2, *table.shape)) for table in policy.tables]
    for k, board in enumerate(np.asarray(boards).tolist()):
        values, free = action_values(tree, policy, policy, board), free_holes(board)
        for street, n_cards in enumerate(BOARD_CARDS):
            nodes = tree.street_start[street : street + 2]
            bucket = hole_buckets(policy.buckets, street, board[:n_cards])
            by_hole = bucket, free, values.value, values.opposing_reach
            _add_by_bucket(*nodes, tree.parent, tree.actor, *by_hole, sums[street])
        progress(k + 1)
    costs = []
    for street, (value, reach) in enumerate(sums):
        mean = np.divide(value, reach, out=np.zeros_like(value), where=reach > 0)
        for node in decision_nodes(tree, street).tolist():
            at = columns(tree, node)
            own_play = policy.tables[street][:, at] * mean[:, at]
            mean[:, at] = own_play.sum(axis=1, keepdims=True) - mean[:, at]
        costs.append(mean.astype(np.float32))
    return tuple(costs)


class TrainingSamples(NamedTuple):
    """Training samples of one street."""

    X: np.ndarray  # (n, n_features) float32: features of the hand, then of the betting
    P: np.ndarray  # (n, n_labels) float32: probability of each action label, 0 if illegal
    w: np.ndarray  # (n,) float64: weights, mean 1
    board: np.ndarray  # (n,) int32: number of the board, NO_BOARD before the flop
    # (n, n_labels) float32: dollars that each label loses, an illegal one as calling
    costs: np.ndarray
    node: np.ndarray  # (n,) int32: decision of the tree
    hole: np.ndarray  # (n,) int32


def draw_samples(
    tree: BettingTree,
    policy: Policy,
    equities: tuple[StreetEquities, ...],
    n_samples: tuple[int, int, int],
    boards: np.ndarray,
    stream: Stream,
    *,
    progress: Callable[[int], None] = lambda done: None,
    costs: Sequence[np.ndarray],
    off_menu: int = 0,
) -> list[TrainingSamples]:
    """Samples of the four streets, preflop first, with "all" betting features
    (`cards.features.BETTING_FEATURES`).

    n_samples: on flop, turn and river, divided evenly among the boards, at least one each; boards
    (n_boards, 5) as dealt. A board's samples depend on the stream, the board and its number. costs:
    of each action, from `action_costs`; the dollars at stake are the largest. off_menu: every
    off_menu-th sample that faces a raise faces one of a size that the tree lacks (0: none), for
    models with "pot-relative" features.
    """
    largest = [_largest_costs(tree, street, table) for street, table in enumerate(costs)]
    sampler = _Sampler(tree, equities, costs, largest, off_menu)
    parts = [[sampler.preflop(policy.street_rows(0, []))], [], [], []]
    # reused for every board
    reach = np.zeros((2, len(tree.kind), len(HOLE_CARDS)), dtype=np.float32)
    for k, board in enumerate(np.asarray(boards).tolist()):
        generator = stream(k)
        played = [policy.street_rows(street, board[:n]) for street, n in enumerate(BOARD_CARDS)]
        # holes that only a later card blocks belong to other boards of the same flop
        reach[:, 0] = free_holes(board)
        for street, rows in enumerate(played):
            fill_street_reach(tree, street, rows, reach)
        for street in (1, 2, 3):
            n = n_samples[street - 1] // len(boards)
            points = (np.arange(n) + generator.random(n)) / n
            parts[street].append(sampler.draw(street, played[street], board, reach, points, k))
        progress(k + 1)
    joined = [TrainingSamples(*map(np.concatenate, zip(*part, strict=True))) for part in parts]
    return [samples._replace(w=samples.w / samples.w.mean()) for samples in joined]


def select_features(streets: Sequence[TrainingSamples], feature_set: str) -> list[TrainingSamples]:
    """The samples of `draw_samples` with the betting features BETTING_FEATURES[feature_set]."""
    names = BETTING_FEATURES["all"]
    betting = [names.index(name) - len(names) for name in BETTING_FEATURES[feature_set]]
    kept = [[*range(len(hand)), *betting] for hand in FEATURE_NAMES]
    return [
        samples._replace(X=np.ascontiguousarray(samples.X[:, columns]))
        for samples, columns in zip(streets, kept, strict=True)
    ]


def cost_shares(samples: TrainingSamples) -> np.ndarray:
    """The cost of each label as a share of the sample's largest cost, (n, n_labels); 0 where no
    label costs anything.

    For learners with a cost term, since the weights hold the largest cost already. Shares are at
    least -1. A label that the policy never takes, or may not take, costs 1.
    """
    largest = samples.costs.max(axis=1, keepdims=True)
    shares = np.divide(samples.costs, largest, out=np.zeros(samples.costs.shape), where=largest > 0)
    return np.where(samples.P > 0, np.clip(shares, -1, 1), 1)


def importance(
    tree: BettingTree, nodes: np.ndarray, reach: np.ndarray, dollars: np.ndarray
) -> np.ndarray:
    """The probability that play reaches each node with each hole, up to a constant, times dollars
    (n_nodes, 1326) at stake; (n_nodes, 1326) float64.

    reach (2, nodes of the tree, 1326): of each player.
    """
    actor = tree.actor[nodes]
    return reach[actor, nodes] * compatible_weight(reach[1 - actor, nodes]) * dollars


class _Sampler(NamedTuple):
    """The game and the costs that samples of all streets are drawn from."""

    tree: BettingTree
    equities: tuple[StreetEquities, ...]
    costs: Sequence[np.ndarray]  # of each street, from `action_costs`
    largest: Sequence[np.ndarray]  # of each street, from `_largest_costs`
    off_menu: int

    def importance(self, street: int, played: StreetRows, reach: np.ndarray) -> np.ndarray:
        """`importance` of all decisions of a street, by the largest cost."""
        dollars = self.largest[street][:, played[1]]
        return importance(self.tree, decision_nodes(self.tree, street), reach, dollars)

    def draw(
        self,
        street: int,
        played: StreetRows,
        board: list[int],
        reach: np.ndarray,
        points: np.ndarray,
        k: int,
    ) -> TrainingSamples:
        """Samples of board k at points (n,) in [0, 1) of the cumulative distribution."""
        density = np.sqrt(self.importance(street, played, reach)).ravel()
        total = density.cumsum()
        target = np.minimum(points * total[-1], np.nextafter(total[-1], 0))
        picks = np.searchsorted(total, target, side="right")
        node, hole = (
            decision_nodes(self.tree, street)[picks // len(HOLE_CARDS)],
            picks % len(HOLE_CARDS),
        )
        # importance / probability: comparable from board to board
        weight = density[picks] * total[-1]
        return self.samples(street, played, board[: BOARD_CARDS[street]], node, hole, weight, k)

    def preflop(self, played: StreetRows) -> TrainingSamples:
        """All starting hands at all preflop decisions, weighted by importance."""
        nodes = decision_nodes(self.tree, 0)
        by_hole = self.importance(0, played, preflop_reach(self.tree, played))
        by_class = np.stack(
            [np.bincount(CLASS_OF_HOLE, weights=s, minlength=N_CLASSES) for s in by_hole]
        )
        node, hole = np.repeat(nodes, N_CLASSES), np.tile(HOLE_OF_CLASS, len(nodes))
        weight = by_class.ravel() + _FAINT * by_class.max()
        return self.samples(0, played, [], node, hole, weight, NO_BOARD)

    def samples(
        self,
        street: int,
        played: StreetRows,
        board: list[int],
        node: np.ndarray,
        hole: np.ndarray,
        w: np.ndarray,
        k: int,
    ) -> TrainingSamples:
        """Samples at nodes (n,) with holes (n,) on a street of board k, of weights w (n,)."""
        table, row_of_hole = played
        row = row_of_hole[hole]
        hand = board_features(street, self.equities[street], board)[hole]
        betting = betting_features(self.tree.bets[node], self.tree.actor[node], "all")
        targets = self._targets(street, table, row, node)
        if self.off_menu:
            at = np.flatnonzero(self.tree.label[node] > CALL)[:: self.off_menu]
            size, mixed = self._off_menu_targets(street, table, row[at], node[at])
            betting[at, _BET_FACED], targets[:, at] = size, mixed
        X, number = np.concatenate([hand, betting], axis=1), np.full(len(node), k, dtype=np.int32)
        drawn = node.astype(np.int32), hole.astype(np.int32)
        return TrainingSamples(X, targets[0], w, number, targets[1], *drawn)

    def _targets(
        self, street: int, table: np.ndarray, row: np.ndarray, node: np.ndarray
    ) -> np.ndarray:
        """Probabilities and costs of all labels at each (row of the table, node), (2, n, n_labels)
        float32.

        An illegal label has probability 0 and the cost of calling.
        """
        p = np.nan_to_num(_by_label(self.tree, street, table, row, node))
        p /= p.sum(axis=1, keepdims=True)
        lost = _by_label(self.tree, street, self.costs[street], row, node)
        return np.stack([p, np.where(np.isnan(lost), lost[:, [CALL]], lost)])

    def _off_menu_targets(
        self, street: int, table: np.ndarray, row: np.ndarray, node: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Other sizes (n,), in pots, for the raises that nodes (n,) face, and `_targets` there:
        mixtures of those of the two neighboring sizes.

        Raises become alternately smaller and, if the tree has a larger one, larger, so that sizes
        occur in the pots of their neighbors. They are spread evenly on a logarithmic scale of the
        pot after a call. The neighbor below the smallest raise is a bet of 0, which is called.
        Probabilities follow the pseudo-harmonic mapping; costs are interpolated linearly, as the
        winnings of a call.
        """
        tree, number = self.tree, np.arange(len(node))
        after = np.minimum(node + 1, len(tree.parent) - 1)
        high = node + ((tree.parent[after] == tree.parent[node]) & (number % 2 == 1))
        low = high - 1  # children are ordered by size
        real = tree.label[low] > CALL
        most, least = (
            betting_features(tree.bets[raised], tree.actor[raised], "all")[:, _BET_FACED].astype(
                np.float64
            )
            for raised in (high, np.where(real, low, high))
        )
        least[~real] = 0
        size = (1 + least) * ((1 + most) / (1 + least)) ** (number * _GOLDEN % 1) - 1
        read_low = [pseudo_harmonic(*sizes) for sizes in zip(size, least, most, strict=True)]
        # of the lower neighbor
        share = np.array([read_low, (most - size) / (most - least)], dtype=np.float32)[:, :, None]
        above = self._targets(street, table, row, high)
        below = np.zeros_like(above)
        below[0, :, CALL] = 1
        below[:, real] = self._targets(street, table, row[real], low[real])
        return size, share * below + (1 - share) * above


def _largest_costs(tree: BettingTree, street: int, costs: np.ndarray) -> np.ndarray:
    """The largest cost of each decision in each row, at least 0, in dollars, (n_decisions,
    n_rows).
    """
    nodes = decision_nodes(tree, street)
    return np.stack([costs[:, columns(tree, node)].max(axis=1) for node in nodes]).clip(min=0)


def _by_label(
    tree: BettingTree, street: int, table: np.ndarray, row: np.ndarray, node: np.ndarray
) -> np.ndarray:
    """A street's table at each (row, node) by label, (n, n_labels) float32, NaN for illegal
    labels.
    """
    out = np.full((len(node), len(tree.labels)), np.nan, dtype=np.float32)
    start = tree.street_start[street]
    for i in range(int(tree.n_children.max())):
        has = np.flatnonzero(i < tree.n_children[node])
        child = tree.first_child[node[has]] + i
        out[has, tree.label[child]] = table[row[has], child - start]
    return out
