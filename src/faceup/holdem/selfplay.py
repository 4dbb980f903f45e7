"""Discounted CFR self-play on hold'em by public chance sampling (paper 000, Section 2.3; Johanson et al. 2012).

An iteration draws one board, walks the whole betting tree with both players' 1,081 holes at once, and adds each action's
regret to the tables of the holes' groups. Both players are updated from the same strategies. Tables are discounted once an epoch
of iterations, as DCFR does once an iteration where nothing is sampled (Brown & Sandholm 2019): after epoch t positive regrets are
scaled by t^a / (t^a + 1), negative ones by t^b / (t^b + 1) and the average strategy by (t / (t + 1))^g. All groups are
scaled alike, whether the epoch's boards met them or not.

Before the river holes that share a group on each of these streets play alike, and are walked as one (`Kin` in
holdem/board); on the river all holes of one strength and one equity are one cell (`Cells`).

Boards come from the stream and the iteration's number alone, so that a run that was killed goes on from its checkpoint, to the
same bits. Average strategies that were asked for on the way (snapshots) lie beside it.
"""

import shutil
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numba import njit

from faceup.cards.cards import BOARD_CARDS
from faceup.cards.strength import N_RIVER_HOLES
from faceup.games.checkpoint import load_checkpoint, save_checkpoint
from faceup.holdem.board import (
    N_TILES,
    PADDED,
    TILE,
    BoardOrder,
    Cells,
    Kin,
    _down,
    _new_scratch,
    _replace_block,
    _up,
    board_order,
    make_cells,
    matched,
)
from faceup.holdem.groups import Groups, hole_groups
from faceup.holdem.layout import LANES, block_sizes, river_layout, shares, table_columns
from faceup.holdem.river import _new_river_scratch, _sweep_rivers
from faceup.holdem.rules import DECISION
from faceup.holdem.tree import BettingTree, columns
from faceup.lab.memo import digest
from faceup.lab.parallel import ALONE, on_threads
from faceup.lab.rng import Stream

_PREFLOP = np.zeros(1, dtype=np.int64), np.array([0, 1])  # the first part, as `_down_parts` takes it: it joins all others


class Discount(NamedTuple):
    """DCFR's three exponents, and how many iterations make an epoch."""

    alpha: float
    beta: float
    gamma: float
    epoch: int


class SelfPlayState(NamedTuple):
    """All that self-play has learnt: four tables each, (n_groups, width) float32; the river's in its own order of columns.

    That order, and with it the width, is `holdem/layout.table_columns`.
    """

    regrets: tuple[np.ndarray, ...]
    averages: tuple[np.ndarray, ...]
    iteration: int


class Met(NamedTuple):
    """What a board meets of the tables before the river, a street each."""

    strategy: tuple[np.ndarray, ...]  # (n_rows, width) float32 chances of the groups met
    rows: np.ndarray  # (3, n_tiles, TILE) uint32 each kin's row
    groups: np.ndarray  # (3, 1081) int32 the group that each row stands for
    n_groups: np.ndarray  # (3,) int64 how many are met


def new_state(tree: BettingTree, groups: Groups) -> SelfPlayState:
    """Nothing learnt yet."""
    widths = [*np.diff(tree.street_start)[:3], river_layout(tree)[1].begin[-1]]
    return SelfPlayState(_zeros(groups.n_groups, widths), _zeros(groups.n_groups, widths), 0)


def _zeros(n_rows: Iterable[int], widths: Iterable[int]) -> tuple[np.ndarray, ...]:
    """A table (n_rows, width) float32 for each street."""
    return tuple(np.zeros(shape, dtype=np.float32) for shape in zip(n_rows, widths, strict=True))


@njit(cache=True)
def _match_regrets(layout, part, street, regrets, groups, n_groups, s):
    """Regret matching: s[k] = strategy of group groups[k] at a part's decisions on one street; uniform where none is positive."""
    start = layout.street_start[street]
    for d in range(layout.decisions[part, 0], layout.decisions[part, 1]):
        if layout.street[d] != street:
            continue
        first, n = layout.first_child[d] - start, layout.n_children[d]
        for k in range(n_groups):
            regret, out = regrets[groups[k]], s[k]
            total = np.float32(0)
            for e in range(first, first + n):
                total += max(regret[e], np.float32(0))
            for e in range(first, first + n):
                out[e] = matched(regret[e], total, n)


@njit(cache=True)
def _learn(layout, part, street, groups, n_groups, s, gain, reach, regrets, averages):
    """Add one board's gains to a part's tables on one street, and clear them for the next."""
    start = layout.street_start[street]
    column = layout.own_columns[part, street, 0]
    for d in range(layout.decisions[part, 0], layout.decisions[part, 1]):
        if layout.street[d] != street:
            continue
        first, n = layout.first_child[d] - start, layout.n_children[d]
        for k in range(n_groups):
            g, weight = groups[k], reach[k, column]
            for e in range(first, first + n):
                regrets[g, e] += gain[k, e]
                averages[g, e] += weight * s[k, e]
                gain[k, e] = 0
            reach[k, column] = 0
        column += 1


@njit(cache=True)
def _number(keys, mark, numbers, distinct):
    """Number keys in order of appearance: distinct[numbers[i]] = keys[i]. Returns how many; mark is -1 before and after."""
    n = 0
    for i in range(keys.shape[0]):
        if mark[keys[i]] < 0:
            mark[keys[i]] = n
            distinct[n] = keys[i]
            n += 1
        numbers[i] = mark[keys[i]]
    for k in range(n):
        mark[distinct[k]] = -1
    return n


@njit(cache=True, nogil=True)
def _down_parts(share, layout, parts, starts, regrets, met, root_reach, ends, count, reach):
    """Reach of the ends and rivers of parts; each touches table entries of its own only."""
    for thread in range(share[0], starts.shape[0] - 1, share[1]):
        scratch = _new_scratch(layout, ends)
        for part in parts[starts[thread] : starts[thread + 1]]:
            for street in range(3):
                if layout.edges[part, street, 1] > layout.edges[part, street, 0]:
                    groups, n_groups = met.groups[street], met.n_groups[street]
                    _match_regrets(layout, part, street, regrets[street], groups, n_groups, met.strategy[street])
            _down(layout, part, met.strategy, met.rows, root_reach, scratch, count, reach)


@njit(cache=True, nogil=True)
def _all_ends(share, layout, sequence, starts, shapes, cells, holes, class_start, kin, ends, regrets, averages):
    """Values of all ends to both players, and a sweep of all rivers, LANES at a time."""
    for thread in range(share[0], starts.shape[0] - 1, share[1]):
        block = np.empty((2, PADDED, shapes.stake.shape[3]), np.float32)  # reach and values of the ends at hand
        river = _new_river_scratch(shapes)
        for b in sequence[starts[thread] : starts[thread + 1]]:
            column = b * LANES
            if column < layout.columns[0, 2]:
                for player in range(2):
                    stake = layout.stake[column : column + LANES, player].copy()
                    shown = column < layout.columns[0, 1]
                    _replace_block(ends, column, player, holes, class_start, kin, stake, shown, block)
            else:
                _sweep_rivers(shapes, cells, kin, b, ends, regrets, averages, river)


@njit(cache=True, nogil=True)
def _up_parts(share, layout, parts, starts, regrets, averages, met, root_value, ends, gain, reach):
    """Values of the decisions of parts before the river, and what is learnt there."""
    for thread in range(share[0], starts.shape[0] - 1, share[1]):
        scratch = _new_scratch(layout, ends)
        for part in parts[starts[thread] : starts[thread + 1]]:
            _up(layout, part, met.strategy, met.rows, root_value, scratch, gain)
            for street in range(3):
                if layout.edges[part, street, 1] > layout.edges[part, street, 0]:
                    _learn(
                        layout, part, street, met.groups[street], met.n_groups[street], met.strategy[street], gain[street],
                        reach[street], regrets[street], averages[street],
                    )  # fmt: skip


@njit(cache=True, nogil=True)
def _discount(share, regrets, averages, positive, negative, average):
    for g in range(share[0], regrets.shape[0], share[1]):
        for e in range(regrets.shape[1]):
            regrets[g, e] *= positive if regrets[g, e] > 0 else negative
            averages[g, e] *= average


class SelfPlay:
    """A run of self-play: `advance` it, read its `average`, keep its `state`."""

    def __init__(self, tree: BettingTree, groups: Groups, discount: Discount, stream: Stream, state: SelfPlayState | None = None):
        """Start anew, or go on from a state of the same tree and groups. The tree may begin on any street before the river."""
        self.tree, self.groups, self.discount, self.stream = tree, groups, discount, stream
        self.state = state or new_state(tree, groups)
        self.layout, self._shapes = river_layout(tree)
        self._blocks = shares(block_sizes(self._shapes))
        parts, starts = shares((self.layout.edges[1:, :, 1] - self.layout.edges[1:, :, 0]).sum(axis=1))
        self._parts = 1 + parts, starts
        self._ends = np.zeros((len(self.layout.stake), 2, N_TILES, TILE), dtype=np.float32)
        n_rows = [min(n, N_RIVER_HOLES) for n in groups.n_groups[:3]]
        self._strategy, self._gain = (_zeros(n_rows, np.diff(tree.street_start)[:3]) for _ in range(2))
        self._reach = _zeros(n_rows, np.bincount(self.layout.street, minlength=3))
        self._mark = np.full(max(*groups.n_groups, N_RIVER_HOLES**2), -1, dtype=np.int32)
        self._groups = np.zeros((3, N_RIVER_HOLES), dtype=np.int32)
        self._roots = np.zeros((2, 2, int(self.layout.root.max()) + 1, N_TILES, TILE), dtype=np.float32)

    def advance(self, iterations: int) -> None:
        """Play iterations."""
        for _ in range(iterations):
            self._iterate(self.stream(self.state.iteration).permutation(52)[:5])
            done = self.state.iteration + 1
            if done % self.discount.epoch == 0:
                self._end_epoch(done // self.discount.epoch)
            self.state = self.state._replace(iteration=done)

    def _iterate(self, cards: np.ndarray) -> None:
        """Play one board, and learn from it."""
        order = board_order(cards)
        met, kin, cells = self._locate(cards, order)
        regrets, averages = self.state.regrets, self.state.averages
        reach, value = self._roots
        at_root = reach[:, 0].reshape(2, PADDED)
        at_root[:] = 0
        at_root[:, kin.of_hole] = 1
        down = regrets, met, reach, self._ends, kin.count, self._reach
        _down_parts(ALONE, self.layout, *_PREFLOP, *down)
        on_threads(_down_parts, self.layout, *self._parts, *down)
        on_threads(
            _all_ends, self.layout, *self._blocks, self._shapes, cells, order.holes, order.class_start, kin, self._ends,
            regrets[3], averages[3],
        )  # fmt: skip
        up = regrets, averages, met, value, self._ends, self._gain, self._reach
        on_threads(_up_parts, self.layout, *self._parts, *up)
        _up_parts(ALONE, self.layout, *_PREFLOP, *up)

    def _locate(self, cards: np.ndarray, order: BoardOrder) -> tuple[Met, Kin, Cells]:
        """What a board meets, its kin, the river's cells."""
        *of_hole, equity = [hole_groups(self.groups, street, cards[:n]) for street, n in enumerate(BOARD_CARDS)]
        rows_of_hole = np.empty((3, N_RIVER_HOLES), dtype=np.int32)
        counts = [_number(of_hole[s][order.holes], self._mark, rows_of_hole[s], self._groups[s]) for s in range(3)]
        n, of_kin, distinct = counts[0], rows_of_hole[0], np.empty(N_RIVER_HOLES, dtype=np.int32)
        for s in (1, 2):
            keys, of_kin = of_kin * counts[s] + rows_of_hole[s], np.empty_like(of_kin)
            n = _number(keys, self._mark, of_kin, distinct)
        n_tiles = -(-n // TILE)
        kin = Kin(of_kin, np.bincount(of_kin, minlength=n_tiles * TILE).astype(np.float32).reshape(n_tiles, TILE))
        rows = np.zeros((3, *kin.count.shape), dtype=np.uint32)
        rows.reshape(3, -1)[:, kin.of_hole] = rows_of_hole
        return Met(self._strategy, rows, self._groups, np.array(counts, dtype=np.int64)), kin, make_cells(order, equity)

    def _end_epoch(self, t: int) -> None:
        alpha, beta, gamma, _ = self.discount
        positive, negative = t**alpha / (t**alpha + 1), t**beta / (t**beta + 1)
        factors = [np.float32(f) for f in (positive, negative, (t / (t + 1)) ** gamma)]
        for regrets, averages in zip(self.state.regrets, self.state.averages, strict=True):
            on_threads(_discount, regrets, averages, *factors)

    def average(self) -> tuple[np.ndarray, ...]:
        """The average strategy: four tables (n_groups, width) float32; uniform where a group was never reached."""
        return average_strategy(self.tree, self.in_tree_order(self.state.averages))

    def in_tree_order(self, tables: tuple[np.ndarray, ...]) -> tuple[np.ndarray, ...]:
        """Tables of a state with a column for each node of the tree, in its order."""
        *before, river = tables
        return (*before, river[:, table_columns(self.tree, self.layout, self._shapes)])


def average_strategy(tree: BettingTree, averages: tuple[np.ndarray, ...]) -> tuple[np.ndarray, ...]:
    """Normalise summed strategies at each decision; uniform where the sum is 0."""
    out = tuple(np.zeros_like(table) for table in averages)
    for node in np.flatnonzero(tree.kind == DECISION).tolist():
        street = tree.street[node]
        summed, chances = averages[street][:, columns(tree, node)], out[street][:, columns(tree, node)]
        total = summed.sum(axis=1, keepdims=True)
        np.divide(summed, total, out=chances, where=total > 0)
        chances[total[:, 0] <= 0] = np.float32(1 / tree.n_children[node])
    return out


Tables = tuple[np.ndarray, ...]  # one a street


class Run(NamedTuple):
    """What a run of self-play leaves: average strategies, four tables (n_groups, width) float32 each."""

    average: Tables
    snapshots: dict[int, Tables]  # by iteration


def _tables(arrays: dict[str, np.ndarray], kind: str) -> Tables:
    return tuple(arrays[f"{kind}_{street}"] for street in range(4))


def _named(kind: str, tables: Tables) -> dict[str, np.ndarray]:
    return {f"{kind}_{street}": table for street, table in enumerate(tables)}


def clear(folder: Path) -> None:
    """Remove a run's checkpoint and snapshots."""
    shutil.rmtree(folder, ignore_errors=True)


def train(
    tree: BettingTree,
    groups: Groups,
    discount: Discount,
    stream: Stream,
    iterations: int,
    folder: Path,
    every: int,
    snapshots: Sequence[int] = (),
    *,
    progress: Callable[[int], None] = lambda done: None,
) -> Run:
    """Self-play to an iteration, from the checkpoint in `folder` if there is one.

    every: iterations between checkpoints; progress: told the iteration now and then. The last checkpoint
    stays, so that what comes after self-play may fail without loss: `clear` the folder in the end.
    """
    play, newest = SelfPlay(tree, groups, discount, stream), folder / "checkpoint.npz"
    files = {iteration: folder / f"snapshot-{iteration:09d}.npz" for iteration in snapshots}
    owner, averages = digest(SelfPlay, tree, groups, discount, stream), {}
    if found := load_checkpoint(newest, owner, iterations):
        past = [iteration for iteration in files if iteration <= found["iteration"]]
        averages = {at: _tables(arrays, "average") for at in past if (arrays := load_checkpoint(files[at], owner, at))}
        if len(averages) == len(past):
            play.state = SelfPlayState(_tables(found, "regrets"), _tables(found, "averages"), int(found["iteration"]))
    for stop in sorted({iterations, *files, *range(every, iterations, every)}):
        progress(play.state.iteration)
        while play.state.iteration < stop:
            play.advance(min(-(-iterations // 100), stop - play.state.iteration))
            progress(play.state.iteration)
        if stop != play.state.iteration:
            continue  # passed before the checkpoint was written
        if stop in files:
            averages[stop] = play.average()
            save_checkpoint(files[stop], owner, stop, **_named("average", averages[stop]))
        if stop % every == 0 or stop == iterations:
            save_checkpoint(
                newest, owner, stop, **_named("regrets", play.state.regrets), **_named("averages", play.state.averages)
            )
    return Run(play.average(), averages)
