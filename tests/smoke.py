"""The whole pipeline at toy size: python tests/smoke.py FOLDER (what `make smoke` runs, and the tests).

Copies the working tree, committed or not, into FOLDER, puts params/smoke.yaml there as params.yaml and runs
`dvc repro` in it, with the code of this repository, so that kernels are compiled once for the pipeline, this run and the tests.
Compiling and starting notebooks keep one core busy, so that two stages run at a time. Nothing outside FOLDER is written but
compiled kernels.
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

from faceup.lab.environment import SOURCES
from faceup.lab.paths import ROOT

SIDE_BY_SIDE = (  # two lists of stages at a time, of which neither needs what the other makes; the rest comes last
    (("human_rules",), ("equity",)),
    (("leduc", "discard"), ("selfplay", "distill")),
    (("bayes", "opponents", "selfplay_time"), ("exploitability", "safe")),
    (("matches",), ("strategy", "explorer")),
)
MARK = ".smoke"  # a file that says that FOLDER is ours to empty


def tracked() -> list[str]:
    """Files that git tracks, or would."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout.split("\0")[:-1]
    return [name for name in names if (ROOT / name).is_file()]


def copy_tree(folder: Path) -> None:
    """Copy the repository into `folder`, which is emptied first, with the parameters of the smoke run."""
    shutil.rmtree(folder, ignore_errors=True)
    for name in [name for name in tracked() if not name.startswith(("reports/", "dvc.lock"))]:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, folder / name)
    shutil.copy2(ROOT / "params/smoke.yaml", folder / "params.yaml")
    (folder / ".dvc" / "config.local").write_text("[core]\n    no_scm = true\n")
    (folder / MARK).touch()


def environment(folder: Path) -> dict[str, str]:
    """This Python and its tools first, and the kernels that this checkout has compiled: the code is the same."""
    own = {"FACEUP_ROOT": str(folder), "PYTHONPATH": str(SOURCES), "DVC_SITE_CACHE_DIR": str(folder / "build" / "dvc")}
    own["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    (folder / "build").mkdir(exist_ok=True)
    if not (folder / "build" / "numba").exists():
        (ROOT / "build" / "numba").mkdir(parents=True, exist_ok=True)
        (folder / "build" / "numba").symlink_to(ROOT / "build" / "numba")
    return os.environ | own


def repro(folder: Path, stages: Iterable[str] = ()) -> subprocess.Popen:
    """`dvc repro` there of these stages alone, in this order; of all stages where none is named."""
    command = [sys.executable, "-m", "dvc", "--wait-for-lock", "repro", *(["--single-item", *stages] if stages else [])]
    return subprocess.Popen(command, cwd=folder, env=environment(folder))


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


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: python tests/smoke.py FOLDER")
    sys.exit(main(Path(sys.argv[1])))
