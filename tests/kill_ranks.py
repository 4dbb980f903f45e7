"""Kill processes of self-play with SIGKILL at random moments and resume it with other numbers of them: the same bytes.

    python tests/kill_ranks.py [kills]

The short version in tests/holdem/scale/test_selfplay_on_ranks.py kills once. The game is its toy.
"""

import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from faceup.notebook.source_code import SOURCES

PROGRAM = Path(__file__).parent / "holdem" / "scale" / "toy_selfplay.py"
ENVIRONMENT = {"PYTHONPATH": str(SOURCES), "NUMBA_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
BOARDS_A_KILL = 1500  # some seconds, so that few lives end by themselves


def start(folder: Path, processes: int, boards: int) -> subprocess.Popen:
    """Self-play in batches of 16 boards, with a checkpoint after each 160."""
    command = [sys.executable, "-m", "torch.distributed.run", "--standalone", f"--nproc-per-node={processes}"]
    numbers = map(str, (boards, 16, 4, 160))
    with open(folder.with_suffix(".log"), "w") as log:
        return subprocess.Popen([*command, str(PROGRAM), str(folder), *numbers], env=os.environ | ENVIRONMENT, stderr=log)


def newest(folder: Path) -> str:
    """The name of the newest checkpoint; "" where there is none."""
    return max((path.name for path in folder.glob("checkpoint-*")), default="")


def killed(folder: Path, processes: int, boards: int, rng: random.Random) -> str:
    """Start a run, kill one of its processes after its first checkpoint; which process, and at which checkpoint."""
    before, torchrun = newest(folder), start(folder, processes, boards)
    while newest(folder) == before and torchrun.poll() is None:
        time.sleep(0.05)
    time.sleep(rng.uniform(0, 1))
    workers = Path(f"/proc/{torchrun.pid}/task/{torchrun.pid}/children").read_text().split() if torchrun.poll() is None else []
    if len(workers) != processes:
        torchrun.wait()
        return "had ended"
    k = rng.randrange(processes)
    os.kill(int(workers[k]), signal.SIGKILL)
    return f"process {k} of {processes} at {newest(folder)}, torchrun returned {torchrun.wait()}"


def same_bytes(kills: int, seed: int = 0) -> bool:
    """Whether a run killed so many times, and then ended on two processes, ends as one left alone."""
    boards, rng = BOARDS_A_KILL * kills, random.Random(seed)
    with tempfile.TemporaryDirectory() as name:
        alone, disturbed = Path(name) / "alone", Path(name) / "disturbed"
        for k in range(kills):
            print(f"kill {k + 1}: {killed(disturbed, rng.choice([1, 2, 4]), boards, rng)}", flush=True)
        for folder, processes in ((alone, 1), (disturbed, 2)):
            if start(folder, processes, boards).wait():
                raise RuntimeError(f"self-play in {folder.name} failed: {folder.with_suffix('.log').read_text()}")
        return (alone / "strategy.npz").read_bytes() == (disturbed / "strategy.npz").read_bytes()


if __name__ == "__main__":
    kills = int(sys.argv[1]) if len(sys.argv) > 1 else 20
    print(f"{kills} kills:", "same bytes" if same_bytes(kills) else "OTHER BYTES")
