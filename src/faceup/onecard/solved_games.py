"""Random one-card games with their equilibria, solved in blocks that are kept: a stopped run goes on where it was.

Block k holds games 1000 k to 1000 k + 999 and is dealt by a generator of its own, so that more games never change the first
ones. Each block is one file, written whole or not at all and marked with what made it; one that is damaged or of another
seed or code is solved again. About 0.35 kB a game: distributions, the ten columns in use, their weights and prices.
"""

import hashlib
import os
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np

from faceup.notebook.storage import load_npz, save_npz
from faceup.onecard import bluff_pairs
from faceup.onecard import game as onecard
from faceup.onecard.bluff_pairs import Solutions, solve_games
from faceup.onecard.game import random_distributions

BLOCK = 1000  # games
SEARCH, UNSEEN = 1_000_000, 1_000_001  # tags of games apart: to search rules on, and to judge them on
# An edited solver must not be mixed with what the old one found.
_CODE = hashlib.sha256(b"".join(Path(str(m.__file__)).read_bytes() for m in (onecard, bluff_pairs))).hexdigest()


def solved_games(
    folder: str | os.PathLike,
    games: int,
    seed: int,
    progress: Callable[[int], None] = lambda done: None,
) -> Solutions:
    """The first `games` random games of a seed, those in `folder` read, the others solved and written there.

    progress: told the number of games done. Raises ValueError unless there is a game to solve, or if there are so many
    that they would meet those set apart.
    """
    if not 1 <= games <= SEARCH * BLOCK:
        raise ValueError(f"games is {games}: expected 1 to {SEARCH * BLOCK}")
    blocks = []
    for block in range(-(-games // BLOCK)):
        blocks.append(_block(Path(folder) / f"block-{block:05d}.npz", block, seed))
        progress(min((block + 1) * BLOCK, games))
    return Solutions(*(np.concatenate(arrays)[:games] for arrays in zip(*blocks, strict=True)))


def random_games(seed: int, tag: int, n: int = BLOCK) -> tuple[np.ndarray, np.ndarray]:
    """Both players' distributions (n, 10) of random games; every (seed, tag) has its own."""
    rng = np.random.default_rng([seed, tag])
    return random_distributions(rng, n), random_distributions(rng, n)


def _block(path: Path, block: int, seed: int) -> Solutions:
    made_by = f"{seed} {block} {_CODE}"
    if path.is_file():
        try:
            return _read(path, made_by)
        except Exception as error:  # zipfile and numpy raise a dozen kinds for damaged bytes
            print(f"{path.name} is solved again: {error}", file=sys.stderr)
    solutions = solve_games(*random_games(seed, block))
    save_npz(path, made_by=np.array(made_by), **solutions._asdict())
    return solutions


def _read(path: Path, made_by: str) -> Solutions:
    arrays = load_npz(path)
    if str(arrays.pop("made_by", "")) != made_by:
        raise ValueError("it is of another seed or other code")
    return Solutions(**arrays)
