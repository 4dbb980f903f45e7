"""Self-play on many processes, by torchrun; on one it needs none.

    torchrun --nproc-per-node=4 -m faceup.holdem.scale.selfplay params.yaml build/selfplay --batch 64

plays the sections `betting` and `selfplay` of a profile and leaves strategy.npz, snapshots and checkpoints in the folder. A batch
of boards is played from one strategy; a batch of 1 is what solve/selfplay does. The bytes are the same on any number of processes
(scale/sums). Batches begin at multiples of their size; one ends early where the run ends or a snapshot is taken. Discounts that
are due within a batch come at its end. Rank 0 alone writes files.
"""

import argparse
import fcntl
import hashlib
import os
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import IO

import numpy as np

from faceup.cards.equity import load_tables
from faceup.holdem.betting.betting_tree import BettingTree, build_tree, menu_from
from faceup.holdem.scale.ranks import Ranks, joined
from faceup.holdem.scale.sums import Batch, Sums, Tables, checked
from faceup.holdem.solve.checkpoint import Run, _named, _read_snapshot, _say_size, _write, fingerprint, load, save
from faceup.holdem.solve.groups import Grid, Groups, make_groups
from faceup.holdem.solve.policy import TablePolicy
from faceup.holdem.solve.selfplay import Discount, SelfPlay, SelfPlayState, sampled_board
from faceup.holdem.solve.strategy_file import save_strategy
from faceup.notebook.parameters import load_parameters
from faceup.notebook.paths import DATA
from faceup.notebook.progress import Progress
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


def train(
    tree: BettingTree, groups: Groups, discount: Discount, seed: int, iterations: int, folder: str | os.PathLike, every: int,
    snapshots: Sequence[int] = (), progress: Callable[[int], None] = lambda done: None, batch: Batch = SINGLE,
    ranks: Ranks | None = None,
) -> Run | None:  # fmt: skip
    """As `train` of solve/checkpoint, called on all ranks. Rank 0 returns the run, uses the folder, and tells the progress.

    every: boards between checkpoints; each is written at the end of a batch. Raises ValueError and OSError as that one does, and
    where the batch does not fit the ranks, another run uses the folder or a rank has other code; ConnectionError if one is lost.
    """
    folder, ranks = Path(folder), ranks or Ranks()
    batch, stops, first_rank = checked(batch, ranks.size), sorted({*snapshots, iterations}), ranks.rank == 0
    if every < 1 or stops[0] < 1 or stops[-1] > iterations:
        raise ValueError(f"every is {every}, snapshots is {list(snapshots)}, expected from 1 on, and from 1 to {iterations}")
    cut = [stop for stop in stops if stop % batch.boards]  # where a batch ends early decides the bits
    same_run = fingerprint(tree, groups, discount, seed), _CODE, tuple(batch), cut
    owner = hashlib.sha256(repr(same_run).encode()).hexdigest()
    told = np.frombuffer(owner.encode(), dtype=np.uint8).copy()
    ranks.broadcast(told)
    if told.tobytes() != owner.encode():
        raise ValueError("its code, libraries or parameters are not those of rank 0, expected the same")
    with _claim(folder) if first_rank else nullcontext():
        if first_rank:
            _say_size(tree, groups, iterations, len(snapshots))
        play = BatchPlay(tree, groups, discount, seed, batch, ranks)
        play.go_on_from(load(folder, owner, iterations, snapshots) if first_rank and reusing() else None)
        if first_rank and play.state.iteration == 0:
            save(folder, play.state, owner)  # so that an unwritable folder is an error before work starts
        while (first := play.state.iteration) < iterations:
            stop = next(stop for stop in stops if stop > first)
            done = min(stop, first - first % batch.boards + batch.boards)
            play.advance(done - first)
            if whole := done == stop or done // every > first // every:
                play.sums.gather()
            if first_rank and done in snapshots:
                _write(folder / f"snapshot-{done:09d}.npz", owner, _named("average", play.state.averages))
            if first_rank and whole:
                save(folder, play.state, owner)
            if first_rank:
                progress(done)
        return Run(play.average(), {i: play.average(_read_snapshot(folder, i, owner)) for i in snapshots}) if first_rank else None


def main(arguments: Sequence[str] | None = None) -> None:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m faceup.holdem.scale.selfplay", description="Self-play on many processes.")
    parser.add_argument("profile", type=Path, help="a file such as params.yaml")
    parser.add_argument("folder", type=Path, help="for the strategies and checkpoints; a stopped run goes on from these")
    parser.add_argument("--batch", type=int, default=1, help="boards that are played from one strategy, a power of two (1)")
    parser.add_argument("--part", type=int, default=PART, help=f"boards that one process plays at least ({PART})")
    parser.add_argument("--equity", type=Path, default=DATA / "equity", help="what the stage equity makes (data/equity)")
    given = parser.parse_args(arguments)
    with joined() as ranks:
        parameters = load_parameters(given.profile)
        knobs, tree = parameters["selfplay"], build_tree(menu_from(**parameters["betting"]))
        cells = [[knobs[f"{street}_{key}"] for key in ("equity_cells", "decile_cells", "deciles")] for street in ("flop", "turn")]
        tables, grids = load_tables(given.equity), [Grid(a, b, tuple(c)) for a, b, c in cells]
        groups = make_groups(tables[1], tables[2], *grids)
        run = train(
            tree, groups, Discount(*(knobs[name] for name in Discount._fields)), parameters["seed"], knobs["iterations"],
            given.folder / "checkpoints", knobs["checkpoint_every"], knobs["snapshots"],
            Progress("self-play, boards", knobs["iterations"]), Batch(given.batch, given.part), ranks,
        )  # fmt: skip
        if run:
            for name, average in [("", run.average), *((f"_{i}", average) for i, average in run.snapshots.items())]:
                save_strategy(given.folder / f"strategy{name}.npz", TablePolicy(average, groups))


if __name__ == "__main__":
    main()
