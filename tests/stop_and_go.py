"""Stop the pipeline at random moments, then let it end: no report is lost, and all has the bytes of an undisturbed run.

    python tests/stop_and_go.py SMOKE FOLDER [stops]

SMOKE: a folder in which tests/smoke.py has run. FOLDER: a new one, on the same disk. For each stop a stage is made stale,
`dvc repro` is begun, and stopped somewhere in the notebook that it runs: every other time by kill -9, else by Ctrl-C.
"""

import os
import random
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import yaml

from faceup.notebook.profile import environment


def git(folder: Path, *arguments: str) -> str:
    """What git says there."""
    command = ["git", "-c", "user.name=tests", "-c", "user.email=tests", *arguments]
    return subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True).stdout


def prepare(smoke: Path, folder: Path) -> None:
    """A repository of the smoke run's files, as hard links, which no stage writes into; reports and lock are committed."""
    others = shutil.ignore_patterns("build", "tmp", "dvc.lock", "__pycache__")
    shutil.copytree(smoke, folder, copy_function=os.link, ignore=others)
    shutil.copy2(smoke / "dvc.lock", folder)
    git(folder, "init", "--quiet")
    git(folder, "add", "dvc.lock", "reports")
    git(folder, "commit", "--quiet", "--message", "undisturbed")


def make_stale(folder: Path, stage: str) -> None:
    """Let `dvc repro` run this stage, from nothing: DVC forgets that it has run, and what its notebook has stored goes."""
    git(folder, "checkout", "--", "dvc.lock")
    lock = yaml.safe_load((folder / "dvc.lock").read_text())
    del lock["stages"][stage]
    (folder / "dvc.lock").write_text(yaml.safe_dump(lock, sort_keys=False))
    shutil.rmtree(folder / "build" / "stored", ignore_errors=True)


def run(folder: Path) -> subprocess.Popen:
    """`dvc repro` in a process group of its own."""
    command = [sys.executable, "-m", "dvc", "repro"]
    with open(folder / "log", "w") as log:
        return subprocess.Popen(command, cwd=folder, env=environment(folder), stdout=log, stderr=log, start_new_session=True)


def share_begun(log: str) -> float:
    """Of the notebook that runs, the share of cells that have begun."""
    at, of = (re.findall(r"cell (\d+)/(\d+)", log) or [(0, 1)])[-1]
    return int(at) / int(of)


def stop(folder: Path, how: signal.Signals, share: float, later: float) -> int:
    """Run, and stop it so many seconds after that share of a notebook; what it returned."""
    process = run(folder)
    while process.poll() is None and share_begun((folder / "log").read_text()) < share:
        time.sleep(0.1)
    try:
        return process.wait(later)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, how)
        return process.wait()


def main(smoke: Path, folder: Path, stops: int, seed: int = 0) -> str:
    """What went wrong; "" if nothing did."""
    signal.signal(signal.SIGINT, signal.default_int_handler)  # what a shell starts in the background is deaf to Ctrl-C
    prepare(smoke, folder)
    rng = random.Random(seed)
    stages = list(yaml.safe_load((folder / "dvc.lock").read_text())["stages"])
    order = [stage for _ in range(stops // len(stages) + 1) for stage in rng.sample(stages, len(stages))]
    for k, stage in enumerate(order[:stops]):
        make_stale(folder, stage)
        how, share = (signal.SIGKILL, signal.SIGINT)[k % 2], rng.random()
        ended = stop(folder, how, share, later=rng.uniform(0, 5)) == 0
        changed = git(folder, "status", "--porcelain", "reports").splitlines()
        said = "at the end" if ended else f"{how.name} after {share:.0%} of its cells"
        print(f"stop {k + 1}: {stage}, {said}; reports changed: {', '.join(changed) or 'none'}", flush=True)
        if any("D" in line[:2] for line in changed):
            return "\n".join(changed)
    time.sleep(3)  # a kernel ends a second after whoever started it
    if run(folder).wait():
        return (folder / "log").read_text()[-4000:]
    locks = git(folder, "show", "HEAD:dvc.lock"), (folder / "dvc.lock").read_text()
    before, after = (yaml.safe_load(text)["stages"] for text in locks)
    other = [stage for stage in stages if before[stage] != after.get(stage)]  # the lock holds the digests of data/, too
    return git(folder, "status", "--porcelain", "reports") + "".join(f"{stage} differs in dvc.lock\n" for stage in other)


if __name__ == "__main__":
    found = main(Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve(), int(sys.argv[3]) if len(sys.argv) > 3 else 20)
    sys.exit(found or 0)
