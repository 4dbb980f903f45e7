"""Self-play that may be killed at any moment: it goes on from its checkpoint, to the same bits.

A checkpoint holds the tables as they are; boards are drawn by the iteration's number, so that nothing else is needed.
Average strategies that were asked for on the way (snapshots) lie beside it.
"""

import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from faceup.games.checkpoint import load_checkpoint, save_checkpoint
from faceup.holdem.betting.betting_tree import BettingTree
from faceup.holdem.solve.groups import Groups
from faceup.holdem.solve.selfplay import Discount, SelfPlay, SelfPlayState
from faceup.lab.memo import digest
from faceup.lab.rng import Stream

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
