"""The stages of dvc.yaml and of the studies' own file, and what each depends on.

A stage is one notebook. It depends on packages of src/faceup, and on none that only draws. The runner holds it to them: it fails
where the kernel has loaded a module that lies in none of them, so that dvc.yaml cannot lie.
"""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import yaml

from faceup.notebook.paths import ROOT, STUDIES
from faceup.notebook.source_code import module_file

PIPELINE = ROOT / "dvc.yaml"
STUDY_PIPELINE = STUDIES / "dvc.yaml"
DRAWS = "faceup.holdem.show"  # an edit there makes no stage stale that computes


def stages_of(pipeline: Path) -> dict[str, dict[str, Any]]:
    """The stages of a dvc.yaml, by name; none where there is no such file."""
    return yaml.safe_load(pipeline.read_text(encoding="utf-8"))["stages"] if pipeline.is_file() else {}


def notebook_of(stage: dict[str, Any]) -> str:
    """The notebook that a stage runs, such as "11_selfplay" or "studies/NAME"."""
    return str(stage["cmd"]).split()[-1]


def stage_of(notebook: str) -> dict[str, Any] | None:
    """The stage that runs a notebook; None where there is none."""
    stages = [*stages_of(PIPELINE).values(), *stages_of(STUDY_PIPELINE).values()]
    return next((stage for stage in stages if notebook_of(stage) == notebook), None)


def outs_of(stage: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Path -> options of all that a stage makes, metrics too."""
    made: dict[str, dict[str, Any]] = {}
    for out in [*stage.get("outs", []), *stage.get("metrics", [])]:
        made |= out if isinstance(out, dict) else {out: {}}
    return made


def sections_of(stage: dict[str, Any]) -> list[str]:
    """The sections of parameters, and `seed`, that a stage depends on, those of the studies' own file too."""
    named = stage.get("params", [])
    return [name for given in named for name in ([given] if isinstance(given, str) else sum(given.values(), []))]


def undeclared(stage: dict[str, Any], modules: Iterable[str]) -> list[str]:
    """Of these modules, such as "faceup.cards.equity", those that lie in nothing that a stage depends on, sorted."""
    known = [dep.removeprefix("src/").removesuffix(".py").replace("/", ".") for dep in stage["deps"] if dep.startswith("src/")]
    known.append(DRAWS)
    inner = (name for name in modules if (file := module_file(name)) and file.name != "__init__.py")  # those hold no code
    return sorted(name for name in inner if not any(name == dep or name.startswith(f"{dep}.") for dep in known))


def remove_leftovers(notebook: str, since: float) -> None:
    """Remove what an earlier run of a stage of the pipeline has left in the folders that it makes, last written before `since`.

    Studies keep theirs: a stopped study goes on from its files.
    """
    stage = next((stage for stage in stages_of(PIPELINE).values() if notebook_of(stage) == notebook), None)
    folders = [ROOT / path for path in outs_of(stage or {}) if (ROOT / path).is_dir()]
    for file in (file for folder in folders for file in folder.rglob("*")):
        if file.is_file() and file.stat().st_mtime < since:
            file.unlink()
