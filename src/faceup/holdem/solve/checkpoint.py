"""Self-play that may be killed at any moment: it goes on from its newest sound checkpoint, to the same bits.

A checkpoint holds the tables as they are; boards follow from the seed and the iteration's number, so that
nothing else is needed. The two newest are kept. Each file is written whole or not at all, with checksums and with the
fingerprint of its run (tree, groups, discount, seed, every module that self-play depends on, and versions of libraries):
what was damaged or belongs to another run is refused, and an older one is used. With FACEUP_REUSE=0 in the environment all are.
Average strategies that were asked for on the way (snapshots) lie beside the checkpoints, as the sums that they are made of.
"""

import hashlib
import json
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from faceup.holdem.betting.betting_tree import BettingTree
from faceup.holdem.solve.groups import Groups
from faceup.holdem.solve.selfplay import Discount, SelfPlay, SelfPlayState
from faceup.notebook.progress import note
from faceup.notebook.source_code import module_digests
from faceup.notebook.storage import load_npz, save_npz
from faceup.notebook.stored import described, reusing

GENERATIONS = 2
SECONDS_A_NODE = 6e-6  # and an iteration, on two cores of a Xeon at 2.5 GHz: 16 ms on a tree of 2,794 nodes
Tables = tuple[np.ndarray, ...]  # one a street
# Edited code must not go on from what the old learnt.
_CODE = module_digests("faceup.holdem.solve.selfplay")


class Run(NamedTuple):
    """What a run of self-play leaves: average strategies, four tables (n_groups, width) float32 each."""

    average: Tables
    snapshots: dict[int, Tables]  # by iteration


def fingerprint(tree: BettingTree, groups: Groups, discount: Discount, seed: int) -> str:
    """A digest of all that decides a run's bits but how long it is."""
    return hashlib.sha256(f"{_CODE} {described((tree, groups, discount, seed))}".encode()).hexdigest()


def _write(path: Path, owner: str, arrays: dict[str, np.ndarray]) -> None:
    """Write arrays with the fingerprint of their run and its code; the zip has checksums. Raises OSError naming the file."""
    try:
        save_npz(path, **arrays, fingerprint=np.array(owner), code=np.array(json.dumps(_CODE)))
    except OSError as error:
        why = error.strerror or error
        raise OSError(f"{path}: cannot be written ({why}), expected a folder with room for it") from error


def _read(path: Path, owner: str) -> dict[str, np.ndarray]:
    """Arrays written by `_write`. Raises ValueError where they are damaged or of another run."""
    try:
        arrays = load_npz(path)
    except Exception as error:  # zipfile and numpy raise a dozen kinds for damaged bytes
        raise ValueError(f"it cannot be read ({type(error).__name__})") from error
    code = json.loads(str(arrays.pop("code", "{}")))
    if str(arrays.pop("fingerprint", "")) != owner:
        changed = sorted(name for name in code | _CODE if code.get(name) != _CODE.get(name))
        raise ValueError(f"it is of other code ({', '.join(changed)} changed)" if changed else "it is of other parameters")
    return arrays


def _tables(arrays: dict[str, np.ndarray], kind: str) -> Tables:
    return tuple(arrays[f"{kind}_{street}"] for street in range(4))


def _named(kind: str, tables: Tables) -> dict[str, np.ndarray]:
    return {f"{kind}_{street}": table for street, table in enumerate(tables)}


def _checkpoints(folder: Path) -> list[Path]:
    return sorted(folder.glob("checkpoint-*.npz"))  # as many digits in each: oldest first


def save(folder: str | os.PathLike, state: SelfPlayState, owner: str) -> None:
    """Write a checkpoint and remove all others but the one before it. Raises OSError naming the file.

    owner: the run's `fingerprint`.
    """
    path = Path(folder) / f"checkpoint-{state.iteration:09d}.npz"
    arrays = _named("regrets", state.regrets) | _named("averages", state.averages)
    _write(path, owner, arrays | {"iteration": np.array(state.iteration)})
    earlier = [other for other in _checkpoints(path.parent) if other < path]
    for other in set(_checkpoints(path.parent)) - {path, *earlier[1 - GENERATIONS :]}:
        other.unlink(missing_ok=True)  # older ones, and later ones, which this run has refused


def load(folder: str | os.PathLike, owner: str, most: int | None = None, snapshots: Sequence[int] = ()) -> SelfPlayState | None:
    """The newest sound checkpoint of a run, None where there is none; others are named on stderr.

    owner: the run's `fingerprint`, which decides its shapes too; most: the iteration that the run shall end at; snapshots:
    iterations whose average strategies must lie beside a checkpoint that is past them.
    """
    for path in reversed(_checkpoints(Path(folder))):
        try:
            return _sound_state(path, owner, most, snapshots)
        except ValueError as why:
            note(f"{path.name} is refused: {why}. An older one is used, if any.")
    return None


def _sound_state(path: Path, owner: str, most: int | None, snapshots: Sequence[int]) -> SelfPlayState:
    """What a checkpoint holds. Raises ValueError that says why `load` must refuse it."""
    arrays = _read(path, owner)
    state = SelfPlayState(_tables(arrays, "regrets"), _tables(arrays, "averages"), int(arrays["iteration"]))
    if most is not None and state.iteration > most:
        raise ValueError(f"it is past iteration {most}")
    for iteration in snapshots:
        if iteration <= state.iteration:
            _read_snapshot(path.parent, iteration, owner)
    return state


def _read_snapshot(folder: Path, iteration: int, owner: str) -> Tables:
    path = folder / f"snapshot-{iteration:09d}.npz"
    try:
        return _tables(_read(path, owner), "average")
    except ValueError as error:
        raise ValueError(f"{path.name} beside it is missing or unsound: {error}") from error


def clear(folder: str | os.PathLike) -> None:
    """Remove checkpoints and snapshots, and the folder where nothing else is in it."""
    folder = Path(folder)
    for pattern in ("checkpoint-*.npz", "snapshot-*.npz", ".writing-*.npz"):
        for path in folder.glob(pattern):
            path.unlink(missing_ok=True)
    if folder.is_dir() and not any(folder.iterdir()):
        folder.rmdir()


def train(
    tree: BettingTree,
    groups: Groups,
    discount: Discount,
    seed: int,
    iterations: int,
    folder: str | os.PathLike,
    every: int,
    snapshots: Sequence[int] = (),
    progress: Callable[[int], None] = lambda done: None,
) -> Run:
    """Self-play to an iteration, from the newest checkpoint in `folder` if there is one.

    every: iterations between checkpoints; progress: told the iteration now and then. The last checkpoint
    stays, so that what comes after self-play may fail without loss: `clear` the folder in the end. A line says how large
    the run is. Raises ValueError on unusable numbers, and tables beyond the machine's memory, before work starts, OSError where
    a checkpoint cannot be written.
    """
    for name, number in (("iterations", iterations), ("every", every)):
        if number < 1:
            raise ValueError(f"{name} is {number}, expected at least 1")
    if any(not 0 < i < iterations for i in snapshots):
        raise ValueError(f"snapshots is {list(snapshots)}, expected iterations from 1 to {iterations - 1}")
    _say_size(tree, groups, iterations, len(snapshots))
    owner, folder = fingerprint(tree, groups, discount, seed), Path(folder)
    play = SelfPlay(tree, groups, discount, seed)
    if reusing():
        play.state = load(folder, owner, iterations, snapshots) or play.state
    if play.state.iteration == 0:
        save(folder, play.state, owner)  # so that an unwritable folder is an error before work starts
    for stop in sorted({iterations, *snapshots, *range(every, iterations, every)}):
        progress(play.state.iteration)
        while play.state.iteration < stop:
            play.advance(min(-(-iterations // 100), stop - play.state.iteration))
            progress(play.state.iteration)
        if stop != play.state.iteration:
            continue  # passed before the checkpoint was written
        if stop in snapshots:
            _write(folder / f"snapshot-{stop:09d}.npz", owner, _named("average", play.state.averages))
        if stop % every == 0 or stop == iterations:
            save(folder, play.state, owner)
    return Run(play.average(), {i: play.average(_read_snapshot(folder, i, owner)) for i in snapshots})


def _say_size(tree: BettingTree, groups: Groups, iterations: int, n_snapshots: int) -> None:
    entries = sum(n * width for n, width in zip(groups.n_groups, np.diff(tree.street_start).tolist(), strict=True))
    size, most = 4 * (3 + n_snapshots) * entries, os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    minutes = iterations * len(tree.kind) * SECONDS_A_NODE / 60
    said = f"self-play on {len(tree.kind):,} nodes: {size / 1e9:.2f} GB of tables, about {minutes:,.1f} minutes on two cores"
    if size > most:
        raise ValueError(f"{said}, expected at most this machine's {most / 1e9:.2f} GB: take fewer sizes, groups or snapshots")
    note(said)
