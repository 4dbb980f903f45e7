"""Discounted CFR self-play on hold'em by public chance sampling (paper 000, Section 2.3; Johanson
et al. 2012).

An iteration draws one board, walks the whole betting tree with both players' 1,081 holes at once,
and adds each action's regret to the tables of the holes' buckets. Both players are updated from the
same strategies. Tables are discounted once an epoch of iterations, as DCFR does once an iteration
where nothing is sampled (Brown & Sandholm 2019): after epoch t positive regrets are scaled by t^a /
(t^a + 1), negative ones by t^b / (t^b + 1) and the average strategy by (t / (t + 1))^g. All buckets
are scaled, whether they occurred on the epoch's boards or not.

Before the river, holes that share a bucket on each street have one strategy and are traversed as
one, a joint bucket: some 400 where there are 1,081 holes. River subgames of one shape are swept
side by side (`cfr_river`). Boards come from the stream and the iteration's number alone, so that a
run that was killed goes on from its checkpoint, to the same bits.
"""

import shutil
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numba import njit

from faceup.cards.cards import BOARD_CARDS, N_CARDS
from faceup.cards.strength import N_RIVER_HOLES
from faceup.games.checkpoint import load_checkpoint, save_checkpoint
from faceup.holdem.betting_tree import BettingTree, decision_nodes
from faceup.holdem.board import RiverGroups, board_order, make_river_groups
from faceup.holdem.buckets import Buckets, hole_buckets
from faceup.holdem.cfr_river import sweep_subgames
from faceup.holdem.policy import TablePolicy
from faceup.holdem.regret_matching import matching_probability
from faceup.holdem.river_subgames import RiverSubgames, make_river_subgames
from faceup.holdem.showdown import add_end_values, ends_of
from faceup.util.memo import digest, memo
from faceup.util.parallel import on_threads
from faceup.util.progress import Progress
from faceup.util.rng import Stream

# one a street, (n_buckets, width) float32: a column for each node, as in a policy's
Tables = tuple[np.ndarray, ...]
BOTH = -1  # players


class Discount(NamedTuple):
    """DCFR's three exponents, and how many iterations make an epoch."""

    alpha: float
    beta: float
    gamma: float
    epoch: int


class StreetDecisions(NamedTuple):
    """The n decisions of a street, parents before children."""

    node: np.ndarray  # (n,) int32
    actor: np.ndarray  # (n,) int8
    first: np.ndarray  # (n,) int32 the first node below
    end: np.ndarray  # (n,) int32 after the last one
    label: np.ndarray  # (nodes of the tree,) int8 of the action that leads to a node
    first_node: int  # that an action of the street leads to: column 0 of its tables


def street_decisions(tree: BettingTree, street: int) -> StreetDecisions:
    """A street's decisions as kernels take them."""
    node = decision_nodes(tree, street)
    first, first_node = tree.first_child[node], int(tree.street_start[street])
    end = first + tree.n_children[node]
    return StreetDecisions(node, tree.actor[node], first, end, tree.label, first_node)


class JointBuckets(NamedTuple):
    """Holes of a board that share a bucket on each street before the river."""

    of_hole: np.ndarray  # (1081,) int64 by place in the order of strength
    size: np.ndarray  # (n,) int64 how many holes each has
    bucket_index: np.ndarray  # (3, n) int64 index of its bucket on each street in `buckets`
    buckets: tuple[np.ndarray, ...]  # three of (n_found,) int32: the buckets found on the board


def _joint_buckets(buckets: list[np.ndarray]) -> JointBuckets:
    """buckets: three of (1081,), each hole's."""
    found, indices = zip(*(np.unique(each, return_inverse=True) for each in buckets), strict=True)
    key = np.ravel_multi_index(indices, [N_RIVER_HOLES] * 3)
    _, one, of_hole, size = np.unique(
        key, return_index=True, return_inverse=True, return_counts=True
    )
    return JointBuckets(of_hole, size, np.stack(indices)[:, one], found)


@njit(cache=True)
def _match_regrets(street, player, regrets, buckets, probability):
    """Regret matching of a player, or of BOTH, on a street: probability (n_found, width) with each
    of buckets (n_found,), from regrets (n_buckets, width); 1 where the other player acts.
    """
    for d in range(street.node.shape[0]):
        first, end = street.first[d] - street.first_node, street.end[d] - street.first_node
        for k in range(buckets.shape[0]):
            regret, out, total = regrets[buckets[k]], probability[k], np.float32(0)
            if player != BOTH and street.actor[d] != player:
                out[first:end] = 1
                continue
            for e in range(first, end):
                total += max(regret[e], np.float32(0))
            for e in range(first, end):
                out[e] = matching_probability(regret[e], total, end - first)


@njit(cache=True, nogil=True)
def _forward(thread, streets, joint, regrets, probability, reach):
    """Each player's strategy on a board, and its reach of all nodes with each joint bucket.

    streets: three `StreetDecisions`; regrets: three of (n_buckets, width) float32. Fills
    probability, three of (2, n_found, width) float32, and reach (2, n_joint, n_nodes) float32.
    """
    for player in range(thread[0], 2, thread[1]):
        for n in range(3):
            _match_regrets(streets[n], player, regrets[n], joint.buckets[n], probability[n][player])
        for k in range(joint.size.shape[0]):
            r = reach[player, k]
            r[0] = 1
            for n in range(3):
                street, strategy = streets[n], probability[n][player, joint.bucket_index[n, k]]
                for d in range(street.node.shape[0]):
                    above = r[street.node[d]]
                    for c in range(street.first[d], street.end[d]):
                        r[c] = above * strategy[c - street.first_node]


@njit(cache=True, nogil=True)
def _backward(thread, streets, joint, probability, reach, value, regrets, strategy_sums):
    """Fill values of decisions, (2, n_joint, n_nodes) float32, from those of ends and rivers; add
    what buckets learn from their holes to regrets and strategy_sums. Shapes as in `_forward`.

    Values are summed over the holes of a joint bucket. An action's regret is its value less that of
    its decision; the average strategy is weighed by the actor's own reach.
    """
    for player in range(thread[0], 2, thread[1]):
        for k in range(joint.size.shape[0]):
            v, r, size = value[player, k], reach[player, k], np.float32(joint.size[k])
            for n in range(2, -1, -1):
                street, index = streets[n], joint.bucket_index[n, k]
                bucket, strategy, first_node = (
                    joint.buckets[n][index],
                    probability[n][player, index],
                    street.first_node,
                )
                regret, strategy_sum = regrets[n][bucket], strategy_sums[n][bucket]
                for d in range(street.node.shape[0] - 1, -1, -1):
                    here = np.float32(0)
                    for c in range(street.first[d], street.end[d]):
                        here += strategy[c - first_node] * v[c]
                    v[street.node[d]] = here
                    if street.actor[d] == player:
                        for c in range(street.first[d], street.end[d]):
                            regret[c - first_node] += v[c] - here
                            strategy_sum[c - first_node] += size * r[c]


@njit(cache=True, nogil=True)
def _fill_ends(thread, ends, order, joint, reach, value):
    """Values of ends before the river to each player with each joint bucket; reach, value (2,
    n_joint, n_nodes) float32.
    """
    for player in range(thread[0], 2, thread[1]):
        opposing = reach[1 - player][:, ends.node]
        won, stake = np.zeros_like(opposing), ends.stake[:, player].copy()
        add_end_values(order, joint.of_hole, ends.n_folds, stake, opposing, won)
        for k in range(won.shape[0]):
            for e in range(won.shape[1]):
                value[player, k, ends.node[e]] = won[k, e]


@njit(cache=True, nogil=True)
def _discount(thread, regrets, strategy_sums, positive, negative, sums_factor):
    """Scale a street's tables (n_buckets, width) float32 by float32 factors."""
    for g in range(thread[0], regrets.shape[0], thread[1]):
        for e in range(regrets.shape[1]):
            regrets[g, e] *= positive if regrets[g, e] > 0 else negative
            strategy_sums[g, e] *= sums_factor


class SelfPlay:
    """A run of self-play: `advance` it, read its `average`. Its state is `regrets`, `strategy_sums`
    and `iteration`.
    """

    def __init__(self, tree: BettingTree, buckets: Buckets, discount: Discount, stream: Stream):
        """The tree may begin on any street before the river."""
        self.tree, self.buckets, self.discount, self.stream = tree, buckets, discount, stream
        shapes = list(zip(buckets.n_buckets, np.diff(tree.street_start), strict=True))
        n_nodes = int(tree.street_start[3])
        self.regrets, self.strategy_sums = (
            tuple(np.zeros(shape, dtype=np.float32) for shape in shapes) for _ in range(2)
        )
        self.iteration = 0
        self._streets = tuple(street_decisions(tree, street) for street in range(3))
        self._ends = ends_of(tree, 0, n_nodes)
        self._rivers = [some for some in make_river_subgames(tree) if len(some.decision)]
        self._probability = tuple(
            np.zeros((2, min(n, N_RIVER_HOLES), width), dtype=np.float32) for n, width in shapes[:3]
        )
        self._reach, self._value = np.zeros((2, 2, N_RIVER_HOLES, n_nodes), dtype=np.float32)

    def advance(self, iterations: int) -> None:
        """Play iterations."""
        for _ in range(iterations):
            self.step(self.stream(self.iteration).permutation(N_CARDS)[:5])
            self.iteration += 1
            if self.iteration % self.discount.epoch == 0:
                self._end_epoch(self.iteration // self.discount.epoch)

    def step(self, board: np.ndarray) -> None:
        """Play all hands of one board (five cards), and learn from it."""
        order = board_order(board)
        *before, river = [
            hole_buckets(self.buckets, street, board[:n]) for street, n in enumerate(BOARD_CARDS)
        ]
        groups = make_river_groups(order, river)
        joint = _joint_buckets([of_hole[order.holes] for of_hole in before])
        reach, value = (array[:, : len(joint.size)] for array in (self._reach, self._value))
        regrets, strategy_sums, probability = (
            self.regrets[:3],
            self.strategy_sums[:3],
            self._probability,
        )
        on_threads(_forward, self._streets, joint, regrets, probability, reach)
        on_threads(_fill_ends, self._ends, order, joint, reach, value)
        on_threads(self._sweep_rivers, iter(self._rivers), groups, joint, reach, value)
        on_threads(
            _backward, self._streets, joint, probability, reach, value, regrets, strategy_sums
        )

    def _sweep_rivers(
        self,
        _: tuple[int, int],
        rest: Iterator[RiverSubgames],
        groups: RiverGroups,
        joint: JointBuckets,
        reach: np.ndarray,
        value: np.ndarray,
    ) -> None:
        """Sweep the rivers; each thread takes the next subgames that are left."""
        tables = self.regrets[3], self.strategy_sums[3]
        for subgames in rest:
            sweep_subgames(subgames, groups, joint.of_hole, reach, value, *tables)

    def _end_epoch(self, t: int) -> None:
        alpha, beta, gamma, _ = self.discount
        positive, negative = t**alpha / (t**alpha + 1), t**beta / (t**beta + 1)
        factors = [np.float32(f) for f in (positive, negative, (t / (t + 1)) ** gamma)]
        for regrets, strategy_sums in zip(self.regrets, self.strategy_sums, strict=True):
            on_threads(_discount, regrets, strategy_sums, *factors)

    def average(self) -> Tables:
        """The average strategy, four tables (n_buckets, width) float32; uniform where a bucket was
        never reached.
        """
        found = tuple(np.zeros_like(table) for table in self.strategy_sums)
        for n, (sums, probability) in enumerate(zip(self.strategy_sums, found, strict=True)):
            buckets = np.arange(len(sums))
            _match_regrets(street_decisions(self.tree, n), BOTH, sums, buckets, probability)
        return found


def _tables(arrays: dict[str, np.ndarray], kind: str) -> Tables:
    return tuple(arrays[f"{kind}_{street}"] for street in range(4))


def clear(folder: Path) -> None:
    """Remove a run's checkpoint."""
    shutil.rmtree(folder, ignore_errors=True)


def train(
    tree: BettingTree,
    buckets: Buckets,
    discount: Discount,
    stream: Stream,
    iterations: int,
    folder: Path,
    checkpoint_every: int,
    snapshots: Sequence[int] = (),
    *,
    progress: Callable[[int], None] = lambda done: None,
) -> dict[int, Tables]:
    """The average strategies of self-play at `snapshots` and in the end, by iteration; from this
    run's checkpoint in `folder` if there is one.

    checkpoint_every: iterations between checkpoints; progress is called with the iteration. The
    last checkpoint stays, so that what comes after self-play may fail without loss: `clear` the
    folder in the end.
    """
    play, path = SelfPlay(tree, buckets, discount, stream), folder / "checkpoint.npz"
    owner = digest(SelfPlay, tree, buckets, discount, stream, tuple(snapshots))
    averages: dict[int, Tables] = {}
    if found := load_checkpoint(path, owner, iterations):
        play.regrets, play.strategy_sums = (
            _tables(found, kind) for kind in ("regrets", "strategy_sums")
        )
        play.iteration = int(found["iteration"])
        averages = {at: _tables(found, f"average_{at}") for at in snapshots if at <= play.iteration}
    while play.iteration < iterations:
        play.advance(1)
        if play.iteration in snapshots:
            averages[play.iteration] = play.average()
        if play.iteration % checkpoint_every == 0 or play.iteration == iterations:
            kinds = {"regrets": play.regrets, "strategy_sums": play.strategy_sums}
            kinds |= {f"average_{at}": tables for at, tables in averages.items()}
            arrays = {
                f"{kind}_{street}": table
                for kind, tables in kinds.items()
                for street, table in enumerate(tables)
            }
            save_checkpoint(path, owner, play.iteration, **arrays)
        progress(play.iteration)
    return averages | {iterations: play.average()}


def train_blueprint(
    tree: BettingTree,
    buckets: Buckets,
    discount: Discount,
    stream: Stream,
    iterations: int,
    folder: Path,
    checkpoint_every: int,
    snapshots: Sequence[int] = (),
    name: str = "self-play",
) -> dict[int, TablePolicy]:
    """The blueprint, by its number of iterations, and before it the average strategies at
    `snapshots`; stored by `memo`.

    Arguments as of `train`; name: for a line of progress.
    """
    given = tree, buckets, discount, stream, iterations
    progress = Progress(f"{name}, iterations", iterations)
    checkpoints = {"folder": folder, "checkpoint_every": checkpoint_every}
    averages = memo(train, *given, snapshots=snapshots, progress=progress, apart_from=checkpoints)
    return {at: TablePolicy(average, buckets) for at, average in averages.items()}
