"""The whole pipeline at toy size: python tests/smoke.py FOLDER (what `make smoke` runs, and the tests).

Copies the working tree, committed or not, into FOLDER, puts params/smoke.yaml there as params.yaml and runs
`dvc repro` in it, with the code of this repository, so that kernels are compiled once for the pipeline, this run and the tests.
Compiling and starting notebooks keep one core busy, so that two stages run at a time. Nothing outside FOLDER is written but
compiled kernels.
"""

import os
import shutil
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

from faceup.notebook.paths import ROOT
from faceup.notebook.profile import copy_sources, repro

SIDE_BY_SIDE = (  # two lists of stages at a time, of which neither needs what the other makes; the rest comes last
    (("human_rules",), ("equity",)),
    (("leduc", "discard"), ("selfplay", "distill")),
    (("bayes", "opponents", "strategy", "selfplay_time"), ("exploitability", "safe")),
    (("matches",), ("explorer",)),
)
MARK = ".smoke"  # a file that says that FOLDER is ours to empty


def copy_tree(folder: Path) -> None:
    """Copy the repository into `folder`, which is emptied first, with the parameters of the smoke run."""
    shutil.rmtree(folder, ignore_errors=True)
    copy_sources(folder, "params/smoke.yaml")
    (folder / MARK).touch()


def copy_parameters(folder: Path) -> None:
    """Copy into `folder` the files that say which parameters there are, and their values; it has no studies."""
    for name in ("params", "notebooks/studies"):
        (folder / name).mkdir(parents=True)
    for name in ("params.yaml", "params/smoke.yaml"):
        shutil.copy2(ROOT / name, folder / name)
    (folder / "notebooks/studies/params.yaml").write_text("{}\n", encoding="utf-8")


def run_stages(folder: Path) -> int:
    """Run all stages there; returns DVC's exit status, of the first that failed."""
    for sides in (*SIDE_BY_SIDE, ((),)):
        runs = [repro(folder, stages) for stages in sides]
        failed = [status for run in runs if (status := run.wait())]
        if failed:
            return failed[0]
    return 0


def main(folder: Path) -> int:
    """Run it; returns DVC's exit status."""
    folder = folder.resolve()
    if folder.exists() and any(folder.iterdir()) and not (folder / MARK).is_file():
        sys.exit(f"{folder} holds other things, expected a new folder or one of an earlier run")
    copy_tree(folder)
    status = run_stages(folder)
    print(f"smoke: {'reports are in' if status == 0 else 'failed; see'} {folder / 'reports'}", flush=True)
    return status


def stop(run: subprocess.Popen) -> None:
    """End a process that leads a group, and the group: by Ctrl-C, so that a runner ends its kernel, and by force after 20 s."""
    with suppress(ProcessLookupError):
        for ended_by in (signal.SIGINT, signal.SIGKILL):
            os.killpg(run.pid, ended_by)
            for _ in range(200):
                time.sleep(0.1)
                run.poll()
                os.killpg(run.pid, 0)  # raises where nobody is left


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: python tests/smoke.py FOLDER")
    sys.exit(main(Path(sys.argv[1])))
