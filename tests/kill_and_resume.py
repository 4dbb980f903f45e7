"""Kill self-play with SIGKILL at random moments and resume it: the final strategy must have the bytes of an undisturbed run.

    python tests/kill_and_resume.py [kills]

The short version is in tests/holdem/solve/test_checkpoint.py.
"""

import os
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from faceup.notebook.source_code import SOURCES

ENVIRONMENT = {"PYTHONPATH": str(SOURCES), "NUMBA_NUM_THREADS": "1"}
A_KILL = 100  # iterations, so many that no life of a run is its last by accident
PATIENCE = 0.3  # seconds that a run lives at the most after a new checkpoint


def play(folder: Path, iterations: int) -> None:
    """Self-play from the newest checkpoint on, with one after each 10 iterations; leaves strategy.npz."""
    from faceup.holdem.betting.betting_tree import build_tree, menu_from
    from faceup.holdem.solve.checkpoint import train
    from faceup.holdem.solve.groups import N_RIVER_GROUPS, Groups
    from faceup.holdem.solve.policy import TablePolicy
    from faceup.holdem.solve.selfplay import Discount
    from faceup.holdem.solve.strategy_file import save_strategy

    tree = build_tree(menu_from([[1], []], [[1], []], [[1], []], [[1], []]))
    ids = [(np.arange(1326)[None] * 7 + np.arange(n)[:, None]).astype(np.int32) % 50 for n in (1755, 16_432)]
    groups = Groups(*ids, (169, 50, 50, N_RIVER_GROUPS))
    run = train(tree, groups, Discount(1.5, 0, 2, 10), 3, iterations, folder, 10, [10])
    save_strategy(folder / "strategy.npz", TablePolicy(run.average, groups))


def start(folder: Path, iterations: int) -> subprocess.Popen:
    """Self-play in a process of its own."""
    command = [sys.executable, __file__, "--play", str(folder), str(iterations)]
    with open(folder.with_suffix(".log"), "w") as log:
        return subprocess.Popen(command, env=os.environ | ENVIRONMENT, stderr=log)


def newest(folder: Path) -> str:
    """The name of the newest checkpoint; "" where there is none."""
    return max((path.name for path in folder.glob("checkpoint-*")), default="")


def kill(folder: Path, iterations: int, rng: random.Random) -> None:
    """Start a run, and kill it a moment after a new checkpoint. RuntimeError if it had ended before."""
    before, run = newest(folder), start(folder, iterations)
    while newest(folder) == before and run.poll() is None:
        time.sleep(0.01)
    time.sleep(rng.uniform(0, PATIENCE))
    if run.poll() is not None:
        raise RuntimeError(f"the run had ended, expected a longer one: {folder.with_suffix('.log').read_text()}")
    run.kill()
    print(f"killed at {newest(folder)}, which returned {run.wait()}", flush=True)


def same_bytes(kills: int, seed: int = 0) -> bool:
    """Whether a run killed so many times ends as one left alone."""
    iterations, rng = A_KILL * (kills + 1), random.Random(seed)
    with tempfile.TemporaryDirectory() as name:
        alone, disturbed = Path(name) / "alone", Path(name) / "disturbed"
        for _ in range(kills):
            kill(disturbed, iterations, rng)
        for folder in (alone, disturbed):
            if start(folder, iterations).wait():
                raise RuntimeError(f"self-play in {folder.name} failed: {folder.with_suffix('.log').read_text()}")
        return (alone / "strategy.npz").read_bytes() == (disturbed / "strategy.npz").read_bytes()


if __name__ == "__main__":
    if sys.argv[1:2] == ["--play"]:
        play(Path(sys.argv[2]), int(sys.argv[3]))
    else:
        kills = int(sys.argv[1]) if len(sys.argv) > 1 else 20
        print(f"{kills} kills:", "same bytes" if same_bytes(kills) else "OTHER BYTES")
