"""The committed reports: made by the committed code, and told in the README.

A user's own rerun may change digits of the NN on another make of processor. So these tests compare what is committed with what is
committed, and the code with the lock, but never with local data or local reports.
"""

import hashlib
import json
import os
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest
import yaml

from faceup.notebook import scoreboard
from faceup.notebook.parameters import load_parameters
from faceup.notebook.paths import ROOT
from faceup.notebook.stages import PIPELINE, outs_of, stages_of

STAGES = stages_of(PIPELINE)
SCOREBOARD, MATCHES = "reports/tables/scoreboard.csv", "reports/metrics/head_to_head.json"
never_run = pytest.mark.skipif(not (ROOT / "dvc.lock").exists(), reason="the pipeline has never been run here")


@pytest.fixture(scope="module")
def committed(tmp_path_factory) -> Path:
    """A folder with all files as they are committed; the working tree where it is no checkout of git."""
    folder = tmp_path_factory.mktemp("committed")
    packed = subprocess.run(["git", "archive", "HEAD"], cwd=ROOT, capture_output=True)
    if packed.returncode:
        return ROOT
    subprocess.run(["tar", "-x"], cwd=folder, input=packed.stdout, check=True)
    return folder


def md5_of(path: Path) -> str:
    """The digest that DVC gives a file, or a folder."""
    if path.is_file():
        return hashlib.md5(path.read_bytes()).hexdigest()
    files = [file for file in path.rglob("*") if file.is_file() and "__pycache__" not in file.parts]
    held = sorted((file.relative_to(path).as_posix(), md5_of(file)) for file in files)
    listed = json.dumps([{"md5": digest, "relpath": name} for name, digest in held], sort_keys=True)
    return hashlib.md5(listed.encode()).hexdigest() + ".dir"


@cache
def lock_of(folder: Path) -> dict:
    """The stages in the dvc.lock of a folder."""
    return yaml.load((folder / "dvc.lock").read_text(encoding="utf-8"), Loader=yaml.CSafeLoader)["stages"]


def locked(folder: Path, stage: str, kind: str) -> dict[str, str]:
    """Path -> digest of a stage's `deps` or `outs` in the dvc.lock of a folder; empty for a stage that never ran."""
    return {entry["path"]: entry["md5"] for entry in lock_of(folder).get(stage, {}).get(kind, [])}


@never_run
@pytest.mark.parametrize("name", STAGES)
def test_the_reports_are_of_this_code(name):
    """The lock has the command, parameters and code of today, and between stages the data that were made."""
    stage, deps = STAGES[name], locked(ROOT, name, "deps")
    mend = "differs from what the reports were made with, to mend: make repro"
    assert sorted(deps) == sorted(stage["deps"]), f"deps {mend}"
    made = {path: digest for other in STAGES for path, digest in locked(ROOT, other, "outs").items()}
    for path, digest in deps.items():
        assert digest == (made[path] if path in made else md5_of(ROOT / path)), f"{path} {mend}"
    lock = lock_of(ROOT)[name]
    given, parameters = lock.get("params", {}).get("params.yaml", {}), load_parameters()
    assert (lock["cmd"], given) == (stage["cmd"], {key: parameters[key] for key in stage.get("params", [])}), f"{name} {mend}"


@never_run
@pytest.mark.parametrize("name", STAGES)
def test_the_committed_reports_are_those_of_the_lock(name, committed):
    outs = locked(committed, name, "outs")
    assert sorted(outs) == sorted(outs_of(STAGES[name]))
    for path, digest in outs.items():
        if path.startswith("reports/"):
            assert md5_of(committed / path) == digest, f"{path} is committed in another version than dvc.lock"


def test_the_readme_has_the_scoreboard_of_the_reports(committed):
    """Of the committed ones; before a commit, the local ones will do."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    tables = [scoreboard.markdown(folder / SCOREBOARD) for folder in (committed, ROOT)]
    assert readme in [scoreboard.replaced(readme, table) for table in tables], "to mend: python -m faceup.notebook.scoreboard"


@never_run
@pytest.mark.skipif("FACEUP_RERUN" in os.environ, reason="this is the copy")
@pytest.mark.parametrize("left", [["dvc.lock", SCOREBOARD, MATCHES], ["dvc.lock"]], ids=["all", "without its reports"])
def test_a_rerun_with_other_digits_of_the_nn_leaves_these_tests_green(left, tmp_path):
    """In a copy with other numbers of the NN, as another processor gives them: all of it, or a part after `git checkout`."""
    subprocess.run(["git", "clone", "--quiet", str(ROOT), str(tmp_path)], check=True)
    lock = (tmp_path / "dvc.lock").read_text(encoding="utf-8")
    for name, old, new in ((SCOREBOARD, "NN against XGBoost", "NN against XGBoost, again"), (MATCHES, '"mbb": ', '"mbb": 1')):
        path = tmp_path / name
        before, text = md5_of(path), path.read_text(encoding="utf-8")
        assert old in text and before in lock
        path.write_text(text.replace(old, new, 1), encoding="utf-8")
        lock = lock.replace(before, md5_of(path))
    (tmp_path / "dvc.lock").write_text(lock, encoding="utf-8")
    restored = {"dvc.lock", SCOREBOARD, MATCHES} - set(left)
    subprocess.run(["git", "checkout", "--quiet", "HEAD", "--", *restored, "params.yaml"], cwd=tmp_path, check=True)
    surroundings = os.environ | {"FACEUP_ROOT": str(tmp_path), "FACEUP_RERUN": "1"}
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(Path(__file__))]
    done = subprocess.run(command, env=surroundings, cwd=Path(__file__).parents[1], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
