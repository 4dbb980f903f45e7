"""Self-play in batches of boards, shared out over processes; on one it needs no torchrun.

A batch of boards is played from one strategy; a batch of 1 is what solve/selfplay does. The bytes are the same on any number of
processes (scale/sums). Batches may grow: small ones while the strategy still changes fast, large ones when much has been learnt.
They begin at multiples of their size; one ends early where the run ends or a snapshot is taken. Discounts that are due within a
batch come at its end. Rank 0 alone writes files, and plays alone while batches are too small to be shared out.
"""

import fcntl
import hashlib
import os
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import IO

import numpy as np

from faceup.holdem.betting.betting_tree import BettingTree
from faceup.holdem.scale.sums import Batch, Sums, Tables, checked, fits
from faceup.holdem.solve.checkpoint import Run, _named, _read_snapshot, _say_size, _write, fingerprint, load, save
from faceup.holdem.solve.checkpoint import train as train_one_by_one
from faceup.holdem.solve.groups import Groups
from faceup.holdem.solve.selfplay import Discount, SelfPlay, SelfPlayState, new_state, sampled_board
from faceup.notebook.progress import note
from faceup.notebook.ranks import Ranks, all_threads
from faceup.notebook.source_code import code_digest
from faceup.notebook.stored import reusing

SINGLE = Batch(1, 1)
PART = 32  # boards: fewer cost time to add up (16: 12 % of all, 32: 5 %), more need larger batches for as many processes
_CODE = code_digest("faceup.holdem.scale.selfplay")


class BatchPlay(SelfPlay):
    """Self-play in batches. Averages are whole after `sums.gather` only."""

    def __init__(self, tree: BettingTree, groups: Groups, discount: Discount, seed: int, batch: Batch, ranks: Ranks):
        """Nothing learnt yet. Raises ValueError where the batch cannot be shared out among so many ranks."""
        super().__init__(tree, groups, discount, seed)
        self.batch = batch.boards
        self.sums = Sums(self.state.regrets, self.state.averages, batch, ranks)
        self.state = SelfPlayState(self.sums.known, self.sums.kept, 0)

    def go_on_from(self, state: SelfPlayState | None) -> None:
        """Begin on all ranks with what rank 0 has learnt before, None for nothing; other ranks' states do not count."""
        state = state or self.state
        iteration = np.array([state.iteration])
        self.sums.ranks.broadcast(iteration)
        self.sums.set(state.regrets, state.averages)
        self.state = self.state._replace(iteration=int(iteration[0]))

    def advance(self, iterations: int) -> None:
        """Play so many boards."""
        if self.batch == 1:
            return super().advance(iterations)
        end, epoch = self.state.iteration + iterations, self.discount.epoch
        while (first := self.state.iteration) < end:
            done = min(end, first - first % self.batch + self.batch)
            self.sums.add(first, done, self._play)
            self.state = self.state._replace(iteration=done)
            for t in range(first // epoch + 1, done // epoch + 1):
                self._end_epoch(t)

    def _play(self, iteration: int, sums: Tables) -> None:
        """What a board adds goes to other tables than those that it is played from."""
        self._iterate(sampled_board(self.seed, iteration), (sums[:4], sums[4:]))


def _claim(folder: Path) -> IO:
    """Keep other runs out of a folder until the file that is returned is closed. Raises OSError where one is there."""
    folder.mkdir(parents=True, exist_ok=True)
    file = open(folder / "lock", "w")
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise OSError(f"{folder}: another run writes there, expected a folder of its own") from None
    return file


def growth(boards: int, most: int, behind: int) -> list[tuple[int, int]]:
    """Batches of a run of so many boards, and the board up to which each size is played.

    A batch is the largest power of two, `most` at most, with at least `behind` times as many boards played before it; at first it
    is 1. So it doubles each time that the boards played have doubled. With behind 0 all batches have `most` boards.
    """
    found = [(1, min(boards, 2 * behind))] if behind else [(most, boards)]
    while found[-1][1] < boards:
        batch = 2 * found[-1][0]
        found.append((batch, boards) if batch >= most else (batch, min(boards, 2 * behind * batch)))
    return found if most > 1 else [(1, boards)]


def _stops(iterations: int, snapshots: Sequence[int], every: int) -> list[int]:
    """Boards at which a snapshot or the run ends, ascending; raises ValueError on such as never come."""
    stops = sorted({*snapshots, iterations})
    if every < 1 or stops[0] < 1 or stops[-1] > iterations:
        raise ValueError(f"every is {every}, snapshots is {list(snapshots)}, expected from 1 on, and from 1 to {iterations}")
    return stops


def _play_to(
    end: int, play: BatchPlay, stops: Sequence[int], every: int, leave: Callable[[SelfPlayState, bool], None]
) -> None:  # fmt: skip
    """Play to a board; leave(state, whole) after each batch, with averages that are whole where a checkpoint is due."""
    while (first := play.state.iteration) < end:
        stop = min(end, next(stop for stop in stops if stop > first))
        done = min(stop, first - first % play.batch + play.batch)
        play.advance(done - first)
        if whole := done == stop or done // every > first // every:
            play.sums.gather()
        leave(play.state, whole)


def _owner(same_run: tuple, sizes: list[tuple[int, int]], stops: list[int], ranks: Ranks) -> str:
    """The name of the run, by all that decides its bits. Raises ValueError where rank 0 has another."""
    cut = [stop for stop in stops if stop % next(size for size, end in sizes if stop <= end)]  # ends of batches decide the bits
    owner = hashlib.sha256(repr((*same_run, cut)).encode()).hexdigest()
    if ranks.told(owner) != owner:
        raise ValueError("its code, libraries or parameters are not those of rank 0, expected the same")
    return owner


def train(
    tree: BettingTree, groups: Groups, discount: Discount, seed: int, iterations: int, folder: str | os.PathLike, every: int,
    snapshots: Sequence[int] = (), progress: Callable[[int], None] = lambda done: None, batch: Batch = SINGLE, behind: int = 0,
    ranks: Ranks | None = None,
) -> Run | None:  # fmt: skip
    """As `train` of solve/checkpoint, called on all ranks. Rank 0 returns the run, uses the folder, and tells the progress.

    every: boards between checkpoints; each is written at the end of a batch. behind: as in `growth`. Raises ValueError and
    OSError as that one does, and unless batch and part are powers of two, where another run uses the folder or a rank has other
    code; ConnectionError if one is lost.
    """
    folder, ranks = Path(folder), ranks or Ranks()
    first_rank = ranks.rank == 0
    if batch.boards == 1:
        knobs = tree, groups, discount, seed, iterations, folder, every, snapshots, progress
        with all_threads():
            return train_one_by_one(*knobs) if first_rank else None
    batch, stops = checked(batch, 1), _stops(iterations, snapshots, every)
    if first_rank and not fits(batch, ranks.size):
        note(f"batches of {batch.boards} boards are too small for {ranks.size} processes: the first one plays alone")
    sizes = growth(iterations, batch.boards, behind)
    owner = _owner((fingerprint(tree, groups, discount, seed), _CODE, tuple(batch), behind), sizes, stops, ranks)

    def leave(state: SelfPlayState, whole: bool) -> None:
        """Rank 0 writes the files that are due, and tells the progress."""
        if not first_rank:
            return
        if state.iteration in snapshots:
            _write(folder / f"snapshot-{state.iteration:09d}.npz", owner, _named("average", state.averages))
        if whole:
            save(folder, state, owner)
        progress(state.iteration)

    with _claim(folder) if first_rank else nullcontext():
        state = None
        if first_rank:
            _say_size(tree, groups, iterations, len(snapshots))
            state = (load(folder, owner, iterations, snapshots) if reusing() else None) or new_state(tree, groups)
            if state.iteration == 0:
                save(folder, state, owner)  # so that an unwritable folder is an error before work starts
        begin = int(ranks.told(str(state.iteration if state else "")))
        for size, end in sizes:
            alone = not fits(Batch(size, batch.part), ranks.size)
            if begin >= end or (alone and not first_rank):
                continue
            play = BatchPlay(tree, groups, discount, seed, Batch(size, batch.part), Ranks() if alone else ranks)
            play.go_on_from(state)
            with all_threads() if alone else nullcontext():
                _play_to(end, play, stops, every, leave)
            state = play.state
    if not first_rank or state is None:
        return None
    average = SelfPlay(tree, groups, discount, seed).average
    return Run(average(state.averages), {i: average(_read_snapshot(folder, i, owner)) for i in snapshots})
