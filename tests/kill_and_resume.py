"""Kill self-play with SIGKILL at random moments and resume it: the final strategy must have the bytes of an undisturbed run.

    python tests/kill_and_resume.py [kills]          self-play in one process
    python tests/kill_and_resume.py [kills] ranks    in batches on 1, 2 or 4 processes, of which one is killed

The short versions are in tests/holdem/solve/test_checkpoint.py and tests/holdem/scale/test_selfplay_on_ranks.py. In one process
this file plays; on several plays the toy of the second.
"""

import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from faceup.notebook.source_code import SOURCES

TOY = Path(__file__).parent / "holdem" / "scale" / "toy_selfplay.py"
ENVIRONMENT = {"PYTHONPATH": str(SOURCES), "NUMBA_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
A_KILL = 100, 1500  # iterations in one process and on several, so many that no life of a run is its last by accident
PATIENCE = 0.3, 1  # seconds that a run lives at the most after a new checkpoint


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


def start(folder: Path, iterations: int, processes: int) -> subprocess.Popen:
    """Self-play in one process, for 0, or on processes of torchrun: in batches of 16 boards, with a checkpoint after each 160."""
    command = [__file__, "--play", folder, iterations]
    if processes:
        torchrun = ["-m", "torch.distributed.run", "--standalone", f"--nproc-per-node={processes}"]
        command = [*torchrun, TOY, folder, iterations, 16, 4, 160]
    with open(folder.with_suffix(".log"), "w") as log:
        return subprocess.Popen([sys.executable, *map(str, command)], env=os.environ | ENVIRONMENT, stderr=log)


def newest(folder: Path) -> str:
    """The name of the newest checkpoint; "" where there is none."""
    return max((path.name for path in folder.glob("checkpoint-*")), default="")


def kill(folder: Path, iterations: int, processes: int, rng: random.Random) -> None:
    """Start a run, and kill it or one of its processes a moment after a new checkpoint. RuntimeError if it had ended before."""
    before, run = newest(folder), start(folder, iterations, processes)
    while newest(folder) == before and run.poll() is None:
        time.sleep(0.01)
    time.sleep(rng.uniform(0, PATIENCE[processes > 0]))
    if run.poll() is not None:
        raise RuntimeError(f"the run had ended, expected a longer one: {folder.with_suffix('.log').read_text()}")
    workers = Path(f"/proc/{run.pid}/task/{run.pid}/children").read_text().split() if processes else [run.pid]
    os.kill(int(rng.choice(workers)), signal.SIGKILL)
    print(f"killed one of {max(processes, 1)} at {newest(folder)}, which returned {run.wait()}", flush=True)


def same_bytes(kills: int, on_ranks: bool = False, seed: int = 0) -> bool:
    """Whether a run killed so many times ends as one left alone."""
    iterations, rng = A_KILL[on_ranks] * (kills + 1), random.Random(seed)
    with tempfile.TemporaryDirectory() as name:
        alone, disturbed = Path(name) / "alone", Path(name) / "disturbed"
        for _ in range(kills):
            kill(disturbed, iterations, rng.choice([1, 2, 4]) if on_ranks else 0, rng)
        for folder, processes in ((alone, 1), (disturbed, 2)):
            if start(folder, iterations, processes if on_ranks else 0).wait():
                raise RuntimeError(f"self-play in {folder.name} failed: {folder.with_suffix('.log').read_text()}")
        return (alone / "strategy.npz").read_bytes() == (disturbed / "strategy.npz").read_bytes()


if __name__ == "__main__":
    if sys.argv[1:2] == ["--play"]:
        play(Path(sys.argv[2]), int(sys.argv[3]))
    else:
        kills = int(sys.argv[1]) if len(sys.argv) > 1 else 20
        print(f"{kills} kills:", "same bytes" if same_bytes(kills, "ranks" in sys.argv) else "OTHER BYTES")
