"""Stop the pipeline at random moments, then let it end: no report is lost, and all has the bytes of an undisturbed run.

    python tests/stop_and_go.py SMOKE FOLDER [stops]

SMOKE: a folder in which tests/smoke.py has run. FOLDER: a new one; every other stop is kill -9, the rest are Ctrl-C.
"""

import os
import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

from smoke import ROOT, environment

LONGEST = 40  # seconds until a stop: DVC needs two to start, a stage of the smoke run about thirty


def git(folder: Path, *arguments: str) -> str:
    """What git says there."""
    command = ["git", "-c", "user.name=tests", "-c", "user.email=tests", *arguments]
    return subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True).stdout


def prepare(smoke: Path, folder: Path) -> None:
    """A repository with the reports of a smoke run committed, in which every stage is still to run."""
    shutil.copytree(smoke, folder, ignore=shutil.ignore_patterns("build", "cache", "tmp", "data", "__pycache__"))
    git(folder, "init", "--quiet")
    git(folder, "add", "dvc.lock", "reports")
    git(folder, "commit", "--quiet", "--message", "undisturbed")
    forget(folder)


def forget(folder: Path) -> None:
    """Leave nothing of what a run has made but its reports."""
    published = (ROOT / "data" / "published.yaml").read_bytes()
    for made in ("data", "build"):
        shutil.rmtree(folder / made, ignore_errors=True)
    (folder / "dvc.lock").unlink(missing_ok=True)
    (folder / "data").mkdir()
    (folder / "data" / "published.yaml").write_bytes(published)


def run(folder: Path) -> subprocess.Popen:
    """`dvc repro` in a process group of its own."""
    command = [sys.executable, "-m", "dvc", "repro"]
    with open(folder / "log", "a") as log:
        return subprocess.Popen(command, cwd=folder, env=environment(folder), stdout=log, stderr=log, start_new_session=True)


def stop(folder: Path, how: signal.Signals, after: float) -> int:
    """Run, and stop it after so many seconds; what it returned."""
    process = run(folder)
    try:
        return process.wait(after)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, how)
        return process.wait()


def main(smoke: Path, folder: Path, stops: int, seed: int = 0) -> str:
    """What went wrong; "" if nothing did."""
    prepare(smoke, folder)
    rng = random.Random(seed)
    for k in range(stops):
        how, after = (signal.SIGKILL, signal.SIGINT)[k % 2], rng.uniform(2, LONGEST)
        ended = stop(folder, how, after) == 0
        deleted = [line for line in git(folder, "status", "--porcelain", "reports").splitlines() if "D" in line[:2]]
        print(
            f"stop {k + 1}: {'at the end' if ended else how.name} after {after:.0f} s, {len(deleted)} reports deleted", flush=True
        )
        if deleted:
            return "\n".join(deleted)
        if ended:
            forget(folder)
    time.sleep(3)  # a kernel ends a second after whoever started it
    if run(folder).wait():
        return (folder / "log").read_text()[-4000:]
    return git(folder, "status", "--porcelain", "reports", "dvc.lock")  # the lock holds the digests of data/


if __name__ == "__main__":
    found = main(Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve(), int(sys.argv[3]) if len(sys.argv) > 3 else 20)
    sys.exit(found or 0)
