"""The pipeline with the parameters of another profile, in a folder of its own: python -m faceup.notebook.profile strong

Copies the working tree into build/strong, params/strong.yaml there as params.yaml, and runs stages by `dvc repro`. A run that was
stopped goes on with the same command. The pipeline's own results stay as they are. In the end notebooks, metrics and agents are
copied to reports/strong; each names the commit that made it.
"""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

import nbformat

from faceup.notebook.paths import REPORTS, ROOT
from faceup.notebook.storage import write_json, write_text

STAGES = ("equity", "selfplay", "distill", "exploitability", "safe", "opponents", "matches", "strategy")
_WHOSE = "Tables and figures show this run, running text the numbers of the default profile."
_MADE = ("reports/", "dvc.lock", "notebooks/studies/dvc.lock")  # not copied: what is there in the end, the run made


def sources() -> list[str]:
    """Every file that git tracks or would track; in a folder that git does not know, all but what is made there."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    if (ROOT / ".git").exists():
        return subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout.split("\0")[:-1]
    known = [path for path in ROOT.iterdir() if path.name not in (".venv", "build", "data")]
    inner = [file for path in known if path.is_dir() for file in path.rglob("*") if "__pycache__" not in file.parts]
    return [str(path.relative_to(ROOT)) for path in [*known, *inner, ROOT / "data" / "published.yaml"]]


def copy_sources(folder: Path, parameters: str) -> None:
    """Copy the `sources` into `folder`, those parameters (a path in the repository) as params.yaml; what else is there stays."""
    for name in (name for name in sources() if not name.startswith(_MADE) and (ROOT / name).is_file()):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, folder / name)
    shutil.copy2(ROOT / parameters, folder / "params.yaml")
    (folder / ".dvc" / "config.local").write_text("[core]\n    no_scm = true\n")


def environment(folder: Path) -> dict[str, str]:
    """This Python and its tools first, the code of this repository, the temporary files of `folder`."""
    return os.environ | {
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": str(ROOT / "src"),
        "FACEUP_ROOT": str(folder),
        "DVC_SITE_CACHE_DIR": str(folder / "build" / "dvc"),
    }


def repro(folder: Path, stages: Iterable[str] = ()) -> subprocess.Popen:
    """`dvc repro` there of these stages alone, in this order; of all stages where none is named."""
    chosen = ["--single-item", *stages] if stages else []
    command = [sys.executable, "-m", "dvc", "--wait-for-lock", "repro", *chosen]
    return subprocess.Popen(command, cwd=folder, env=environment(folder))


def _commit() -> str:
    def git(*words: str) -> str:
        return subprocess.run(["git", *words], cwd=ROOT, check=True, capture_output=True, text=True).stdout.strip()

    edited = git("status", "--porcelain", "--", "src", "notebooks", "params")
    return git("rev-parse", "HEAD") + (" with changes that are not committed" if edited else "")


def publish(folder: Path, name: str, commit: str) -> Path:
    """Copy notebooks, metrics and agents that a run made to reports/NAME, with the commit in each; returns that folder."""
    made, place = folder / "reports", REPORTS / name
    for path in sorted(made.glob("metrics/*.json")):
        write_json(place / "metrics" / path.name, {"commit": commit} | json.loads(path.read_text(encoding="utf-8")))
    for path in sorted(made.glob("agents/*.json")):
        agent = json.loads(path.read_text(encoding="utf-8"))
        agent["provenance"]["commit"] = commit
        write_text(place / "agents" / path.name, json.dumps(agent, separators=(",", ":"), ensure_ascii=False) + "\n")
    for path in sorted(made.glob("*.ipynb")):
        nb = nbformat.read(path, as_version=4)
        nb.cells[0].source += f"\n\n*Made with params/{name}.yaml by commit {commit}. {_WHOSE}*"
        write_text(place / path.name, nbformat.writes(nb) + "\n")
    return place


def main(arguments: list[str]) -> int:
    """The command line; returns DVC's exit status."""
    if len(arguments) != 1 or not (ROOT / "params" / f"{arguments[0]}.yaml").is_file():
        known = ", ".join(sorted(path.stem for path in (ROOT / "params").glob("*.yaml")))
        print(f"usage: python -m faceup.notebook.profile NAME, one of {known}", file=sys.stderr)
        return 2
    (name,), commit = arguments, _commit()
    folder = Path(os.environ.get("FACEUP_CHECKPOINTS", ROOT / "build")).resolve() / name
    copy_sources(folder, f"params/{name}.yaml")
    status = repro(folder, STAGES).wait()
    print(f"{name}: {'reports are in ' + str(publish(folder, name, commit)) if status == 0 else 'failed'}", flush=True)
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
