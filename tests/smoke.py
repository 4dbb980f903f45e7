"""The whole pipeline at toy size: python tests/smoke.py FOLDER (what `make smoke` runs, and the tests).

Copies the working tree, committed or not, into FOLDER, puts params/smoke.yaml there as params.yaml and runs
`dvc repro` in it, with the code of this repository, so that kernels are compiled once for the pipeline, this run and the tests.
Most of the time goes into compiling, so that two stages run at a time. Nothing outside FOLDER is written but compiled kernels.
"""

import os
import shutil
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
MADE = ("reports/", "dvc.lock", "notebooks/studies/dvc.lock")  # not copied: what FOLDER holds of these in the end, this run made
SIDE_BY_SIDE = (  # two lists of stages at a time, of which neither needs what the other makes; the rest comes last
    (
        ("human_rules", "leduc", "discard"),
        ("equity", "selfplay", "distill", "stand_in", "head_to_head", "selfplay_time", "strategy"),
    ),
    (("bayes", "safe"), ("exploitability",)),
)
MARK = ".smoke"  # a file that says that FOLDER is ours to empty


def sources() -> list[str]:
    """Every file that git tracks or would track; in a folder that git does not know, all but what is made there."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    if (ROOT / ".git").exists():
        return subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout.split("\0")[:-1]
    known = [path for path in ROOT.iterdir() if path.name not in (".venv", "build", "data")]
    inner = [file for path in known if path.is_dir() for file in path.rglob("*") if "__pycache__" not in file.parts]
    return [str(path.relative_to(ROOT)) for path in [*known, *inner, ROOT / "data" / "published.yaml"]]


def copy_tree(folder: Path) -> None:
    """Copy the `sources` into `folder`, which is emptied first."""
    listed = sources()  # before the folder is made, which may lie here
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    (folder / MARK).touch()
    for name in listed:
        if not name.startswith(MADE) and (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, folder / name)


def copy_parameters(folder: Path) -> None:
    """Copy into `folder` the files that say which parameters there are, and their values."""
    studies = (path.relative_to(ROOT) for path in (ROOT / "notebooks" / "studies").glob("*.ipynb"))
    for name in ("params.yaml", "params/smoke.yaml", "notebooks/studies/params.yaml", *studies):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, folder / name)


def environment(folder: Path) -> dict[str, str]:
    """This Python and its tools first, the code of this repository, the temporary files of `folder`."""
    return os.environ | {
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": str(ROOT / "src"),
        "FACEUP_ROOT": str(folder),
        "DVC_SITE_CACHE_DIR": str(folder / "build" / "dvc"),
    }


def repro(folder: Path, stages: tuple[str, ...]) -> subprocess.Popen:
    """`dvc repro` of these stages alone, in this order; of all stages where none is named."""
    chosen = ["--single-item", *stages] if stages else []
    command = [sys.executable, "-m", "dvc", "--wait-for-lock", "repro", *chosen]
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
    shutil.copy2(ROOT / "params" / "smoke.yaml", folder / "params.yaml")
    (folder / ".dvc" / "config.local").write_text("[core]\n    no_scm = true\n")
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
