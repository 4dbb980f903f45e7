"""Kill self-play with SIGKILL at random moments and resume it: the final strategy must have the bytes of an undisturbed run.

    python tests/kill_and_resume.py [kills]

The short version in tests/holdem/solve/test_checkpoint.py kills twice. Self-play runs in a process of its own: this file again.
"""

import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

ITERATIONS_A_KILL = 60  # long enough that no life of a run is its last by accident
EVERY = 10


def play(folder: Path, iterations: int) -> None:
    """Self-play from the newest checkpoint on; says so at the first iteration that is done, and leaves strategy.npz."""
    from faceup.holdem.betting.betting_tree import build_tree, menu_from
    from faceup.holdem.solve.checkpoint import train
    from faceup.holdem.solve.groups import N_RIVER_GROUPS, Groups
    from faceup.holdem.solve.policy import TablePolicy
    from faceup.holdem.solve.selfplay import Discount
    from faceup.holdem.solve.strategy_file import save_strategy

    tree = build_tree(menu_from([[1], []], [[1], []], [[1], []], [[1], []]))
    ids = [(np.arange(1326)[None] * 7 + np.arange(n)[:, None]).astype(np.int32) % 50 for n in (1755, 16_432)]
    groups = Groups(*ids, (169, 50, 50, N_RIVER_GROUPS))

    def progress(done: int) -> None:
        print(done, flush=True)

    run = train(tree, groups, Discount(1.5, 0, 2, 10), 3, iterations, folder / "checkpoints", EVERY, [EVERY], progress)
    save_strategy(folder / "strategy.npz", TablePolicy(run.average, groups))


def start(folder: Path, iterations: int) -> subprocess.Popen:
    """A process that plays."""
    command = [sys.executable, __file__, "--play", str(folder), str(iterations)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def killed_at_random(folder: Path, iterations: int, rng: random.Random) -> bool:
    """Start a run and kill it a moment after its first sign of life; False if it had ended before."""
    process = start(folder, iterations)
    assert process.stdout
    process.stdout.readline()
    time.sleep(rng.uniform(0, 0.3))
    process.send_signal(signal.SIGKILL)
    process.stdout.close()
    return process.wait() == -signal.SIGKILL


def same_bytes(kills: int, seed: int = 0) -> bool:
    """Whether a run killed so many times ends as one left alone. Raises RuntimeError if it was over too soon to be killed."""
    iterations, rng = ITERATIONS_A_KILL * (kills + 1), random.Random(seed)
    with tempfile.TemporaryDirectory() as name:
        alone, disturbed = Path(name) / "alone", Path(name) / "disturbed"
        for k in range(kills):
            if not killed_at_random(disturbed, iterations, rng):
                raise RuntimeError(f"kill {k + 1} of {kills}: the run had ended, expected a longer one")
        for folder in (alone, disturbed):
            if start(folder, iterations).wait():
                raise RuntimeError(f"self-play in {folder.name} failed")
        return (alone / "strategy.npz").read_bytes() == (disturbed / "strategy.npz").read_bytes()


if __name__ == "__main__":
    if sys.argv[1:2] == ["--play"]:
        play(Path(sys.argv[2]), int(sys.argv[3]))
    else:
        kills = int(sys.argv[1]) if len(sys.argv) > 1 else 20
        print(f"{kills} kills:", "same bytes" if same_bytes(kills) else "OTHER BYTES")
