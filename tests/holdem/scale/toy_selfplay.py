"""Self-play of a toy game on all ranks: torchrun .. toy_selfplay.py FOLDER ITERATIONS BATCH PART EVERY [SNAPSHOT ..].

Rank 0 leaves strategy.npz, and the bytes that it sent in a file `sent`. With FACEUP_DIE=RANK:BOARD that rank kills itself, once,
when it has played so many boards; FACEUP_BEHIND: see `growth`.
"""

import os
import signal
import sys
from pathlib import Path

import numpy as np

from faceup.holdem.betting.betting_tree import build_tree, menu_from
from faceup.holdem.scale.selfplay import BatchPlay, train
from faceup.holdem.scale.sums import Batch
from faceup.holdem.solve.groups import N_RIVER_GROUPS, Groups
from faceup.holdem.solve.policy import TablePolicy
from faceup.holdem.solve.selfplay import Discount
from faceup.holdem.solve.strategy_file import save_strategy
from faceup.notebook.ranks import Ranks, joined

TREE = build_tree(menu_from([[]], [[]], [[]], [[]]))  # all-in is the only raise
IDS = [((7 * np.arange(1326)[None] + np.arange(n)[:, None]) % 5).astype(np.int32) for n in (1755, 16_432)]
GROUPS, DISCOUNT, SEED = Groups(*IDS, (169, 5, 5, N_RIVER_GROUPS)), Discount(1.5, 0, 2, 10), 7


class Mortal(BatchPlay):
    """Dies once."""

    def advance(self, iterations: int) -> None:
        rank, _, board = os.environ.get("FACEUP_DIE", "").partition(":")
        first_life = os.environ.get("TORCHELASTIC_RESTART_COUNT", "0") == "0"
        if board and first_life and self.sums.ranks.rank == int(rank) and self.state.iteration >= int(board):
            os.kill(os.getpid(), signal.SIGKILL)
        super().advance(iterations)


def play(folder: Path, iterations: int, batch: Batch, every: int, snapshots: list[int], ranks: Ranks, behind: int = 0) -> None:
    """Self-play from the newest checkpoint on."""
    shared = {"batch": batch, "behind": behind, "ranks": ranks}
    run = train(TREE, GROUPS, DISCOUNT, SEED, iterations, folder, every, snapshots, **shared)  # type: ignore[arg-type]
    if run:
        save_strategy(folder / "strategy.npz", TablePolicy(run.average, GROUPS))
        (folder / "sent").write_text(str(ranks.sent))


if __name__ == "__main__":
    from faceup.holdem.scale import selfplay

    selfplay.BatchPlay = Mortal  # type: ignore[misc]
    iterations, boards, part, every, *snapshots = map(int, sys.argv[2:])
    with joined() as ranks:
        behind = int(os.environ.get("FACEUP_BEHIND", 0))
        play(Path(sys.argv[1]), iterations, Batch(boards, part), every, snapshots, ranks, behind)
