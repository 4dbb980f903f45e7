"""The whole pipeline at toy size: python tests/smoke.py FOLDER (what `make smoke` runs, and the tests).

Copies the working tree, committed or not, into FOLDER, puts params/smoke.yaml there as params.yaml and runs
`dvc repro` in it, with the code of this repository, so that kernels are compiled once for the pipeline, this run and the tests.
Nothing outside FOLDER is written but compiled kernels.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
MADE = ("reports/", "dvc.lock", "notebooks/studies/dvc.lock")  # not copied: what FOLDER holds of these in the end, this run made
MARK = ".smoke"  # a file that says that FOLDER is ours to empty


def copy_tree(folder: Path) -> None:
    """Copy every file that git tracks or would track into `folder`, which is emptied first."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT, check=True, capture_output=True, text=True,
    ).stdout  # fmt: skip
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    (folder / MARK).touch()
    for name in filter(None, listed.split("\0")):
        if not name.startswith(MADE) and (ROOT / name).is_file():
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


def main(folder: Path) -> int:
    """Run it; returns DVC's exit status."""
    folder = folder.resolve()
    if folder.exists() and any(folder.iterdir()) and not (folder / MARK).is_file():
        sys.exit(f"{folder} holds other things, expected a new folder or one of an earlier run")
    copy_tree(folder)
    shutil.copy2(ROOT / "params" / "smoke.yaml", folder / "params.yaml")
    (folder / ".dvc" / "config.local").write_text("[core]\n    no_scm = true\n")
    status = subprocess.run([sys.executable, "-m", "dvc", "repro"], cwd=folder, env=environment(folder), check=False).returncode
    print(f"smoke: {'reports are in' if status == 0 else 'failed; see'} {folder / 'reports'}", flush=True)
    return status


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: python tests/smoke.py FOLDER")
    sys.exit(main(Path(sys.argv[1])))
