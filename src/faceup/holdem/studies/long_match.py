"""Matches of hands really played that take long: in blocks, each kept in a file, so that a stopped match goes on."""

import hashlib
import os
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from faceup.cards.equity import StreetTable
from faceup.holdem.play.aivat import scored_match
from faceup.holdem.play.match_tree import Sides
from faceup.holdem.solve.policy import Policy, TablePolicy
from faceup.notebook.source_code import code_digest
from faceup.notebook.storage import load_npy, save_npy


def digest(paths: Sequence[str | os.PathLike], *settings: object) -> str:
    """A name for what decides a match's bits: the code that plays it, the files of both players, and the settings."""
    found = hashlib.sha256(repr((code_digest("faceup.holdem.play.aivat"), *settings)).encode())
    for path in paths:
        found.update(hashlib.sha256(Path(path).read_bytes()).digest())
    return found.hexdigest()[:16]


def long_match(
    folder: str | os.PathLike,
    name: str,
    sides: Sides,
    agent: TablePolicy,
    opponent: Policy,
    tables: tuple[StreetTable, ...],
    games: int,
    block: int,
    seed: int,
    progress: Callable[[int], None] = lambda done: None,
) -> np.ndarray:
    """What AIVAT makes of a table agent's hands, mbb/g, (about games // 2, 2), as in `scored_match`, in blocks of games.

    folder, name: blocks lie in files of that name, which should say who plays what (`digest`); those that are there are taken
    as they are. Block k is dealt by the seed plus k. Raises ValueError unless a block is 2 games or more, and games at least one.
    """
    if not 2 <= block <= games:
        raise ValueError(f"block is {block}, expected from 2 to the {games} games")
    blocks = []
    for k in range(-(-games // block)):
        path = Path(folder) / f"{name}-{block}-{seed}-{k:05d}.npy"
        if not path.is_file():
            save_npy(path, scored_match(sides, agent, opponent, tables, block, seed + k)[1])
        blocks.append(load_npy(path))
        progress(min((k + 1) * block, games))
    return np.concatenate(blocks)
