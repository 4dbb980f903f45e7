"""The whole pipeline at toy size: python tests/smoke.py FOLDER (what `make smoke` runs).

Copies the working tree into FOLDER and runs the stages' commands there, with params/smoke.yaml and
this repository's code and compiled kernels. Compiling and starting notebooks keep one core busy, so
two stages run at a time. DVC, which would run one, looks at the end whether each has made what it
names. Nothing outside FOLDER is written but compiled kernels.
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from graphlib import TopologicalSorter
from pathlib import Path

from faceup.lab.parameters import read_yaml
from faceup.util.fingerprint import SOURCES
from faceup.util.paths import ROOT

MARK = ".smoke"  # a file that says that FOLDER is ours to empty
SIDE_BY_SIDE = 2  # stages
STUDIED = {  # of studies that README and the overview name
    f"reports/metrics/{study}.json"
    for study in ("bet_sizes", "causes", "controls", "gap", "inputs", "students", "unreadable")
}


def tracked() -> list[str]:
    """Files that git tracks, or would."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(
        command, cwd=ROOT, check=True, capture_output=True, text=True
    ).stdout.split("\0")[:-1]
    return [name for name in names if (ROOT / name).is_file()]


def copy_tree(folder: Path) -> None:
    """Copy the repository into `folder`, which is emptied first."""
    shutil.rmtree(folder, ignore_errors=True)
    for name in [
        name
        for name in tracked()
        if name in STUDIED or not name.startswith(("reports/", "dvc.lock"))
    ]:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, folder / name)
    (folder / ".dvc" / "config.local").write_text(
        "[core]\n    no_scm = true\n[cache]\n    type = hardlink\n"
    )
    (folder / MARK).touch()
    (kernels := ROOT / "build" / "numba").mkdir(parents=True, exist_ok=True)
    (folder / "build").mkdir()
    (folder / "build" / "numba").symlink_to(kernels)


def run(*command: str, folder: Path) -> None:
    """Run a command there, with the code and the compiled kernels of this checkout."""
    own = {
        "FACEUP_ROOT": str(folder),
        "PYTHONPATH": str(SOURCES),
        "DVC_SITE_CACHE_DIR": str(folder / "build" / "dvc"),
    }
    subprocess.run(command, cwd=folder, env=os.environ | own, check=True)


def outs_of(stage: dict) -> Iterator[tuple[str, dict]]:
    """What a stage makes: path and options."""
    return (made for out in [*stage["outs"], *stage.get("metrics", [])] for made in out.items())


def run_stages(folder: Path) -> None:
    """Run all stages, each once its inputs are made; of those that could begin, the first one."""
    stages = read_yaml(folder / "dvc.yaml")["stages"]
    maker = {path: name for name, stage in stages.items() for path, _ in outs_of(stage)}
    order = TopologicalSorter(
        {
            name: {maker[dep] for dep in stage["deps"] if dep in maker}
            for name, stage in stages.items()
        }
    )
    order.prepare()
    ready, running = set[str](), {}
    with ThreadPoolExecutor(SIDE_BY_SIDE) as pool:
        while order.is_active():
            ready.update(order.get_ready())
            for name in [name for name in stages if name in ready][: SIDE_BY_SIDE - len(running)]:
                ready.remove(name)
                running[pool.submit(run, "sh", "-c", stages[name]["cmd"], folder=folder)] = name
            for done in wait(running, return_when=FIRST_COMPLETED).done:
                done.result()  # its error, if it failed
                order.done(running.pop(done))


def main(folder: Path) -> None:
    """Run it; exits where a stage fails."""
    folder = folder.resolve()
    if folder.exists() and any(folder.iterdir()) and not (folder / MARK).is_file():
        sys.exit(f"{folder} holds other things, expected a new folder or one of an earlier run")
    copy_tree(folder)
    profile = ("params/smoke.yaml", "params.yaml")
    run(sys.executable, "-m", "faceup.lab.parameters", *profile, folder=folder)
    try:
        run_stages(folder)
        run(sys.executable, "-m", "dvc", "commit", "--force", folder=folder)
    except subprocess.CalledProcessError as error:
        sys.exit(f"smoke: `{error.cmd[-1]}` failed")
    print(f"smoke: reports are in {folder / 'reports'}", flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
