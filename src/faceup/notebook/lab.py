"""Where a notebook writes: in JupyterLab, one whose parameters were edited to build/lab, so that the pipeline's results stay.

A stage runs with the values of params.yaml, but in Lab the parameters cell runs as it stands. Where its values differ, DATA,
REPORTS and the folders in them are those of build/lab/NOTEBOOK. There every file is a link to that of the pipeline until the
notebook writes it: `storage` puts a new file in the place of a link, and never writes through one.
"""

import sys
from functools import lru_cache
from pathlib import Path
from typing import Any

from IPython import get_ipython

from faceup.notebook import paths
from faceup.notebook.parameters import load_parameters
from faceup.notebook.parameters_cell import declared_in, load_study_parameters
from faceup.notebook.paths import ROOT
from faceup.notebook.stages import PIPELINE, STUDY_PIPELINE, notebook_of, stages_of

_PLACES = {name: getattr(paths, name).relative_to(ROOT) for name in ("DATA", "REPORTS", "FIGURES", "TABLES", "METRICS", "AGENTS")}


@lru_cache(maxsize=1)
def _given(_changed: tuple[float, ...]) -> dict[str, dict[str, Any]]:
    """Notebook -> the values in the parameter files of all names in its parameters cell."""
    parameters, found = load_parameters() | load_study_parameters(), {}
    for notebook in (notebook_of(stage) for file in (PIPELINE, STUDY_PIPELINE) for stage in stages_of(file).values()):
        names, sections = declared_in(ROOT / "notebooks" / f"{notebook}.ipynb")
        known = {"seed": parameters["seed"]}
        for section in sections:
            known |= parameters[section]
        found[notebook] = {name: known[name] for name in names if name in known}
    return found


def edited(values: dict[str, Any]) -> tuple[str, list[str]]:
    """The notebook that these variables belong to ("" for none), and what differs from its parameters: "seed = 1, not 2"."""
    files = (PIPELINE, STUDY_PIPELINE, ROOT / "params.yaml", STUDY_PIPELINE.with_name("params.yaml"))
    given = _given(tuple(file.stat().st_mtime for file in files if file.is_file()))
    held = (notebook for notebook, knobs in given.items() if knobs.keys() <= values.keys())
    notebook = max(held, default="", key=lambda notebook: len(given[notebook]))
    knobs = sorted(given.get(notebook, {}).items())
    return notebook, [f"{knob} = {values[knob]!r}, not {value!r}" for knob, value in knobs if repr(values[knob]) != repr(value)]


def _link(folder: Path) -> None:
    """Give `folder` a link to every file of data/ and reports/ that it does not hold itself."""
    for file in (file for place in ("data", "reports") for file in (ROOT / place).rglob("*") if file.is_file()):
        link = folder / file.relative_to(ROOT)
        if not link.is_symlink() and not link.exists():
            link.parent.mkdir(parents=True, exist_ok=True)
            link.symlink_to(file)


def _use(folder: Path, values: dict[str, Any]) -> None:
    """Let all that is written from now on go below `folder`."""
    for space in (values, *(vars(module) for name, module in list(sys.modules.items()) if name.startswith("faceup."))):
        space |= {name: folder / place for name, place in _PLACES.items() if isinstance(space.get(name), Path)}


def watch() -> None:
    """Look at the parameters now and before each cell of this kernel; nothing where there is no kernel."""
    shell, said = get_ipython(), ""
    if shell is None:
        return

    def look(_cell: object = None) -> None:
        """Compare the kernel's variables with the parameters, and move what is written where they differ."""
        nonlocal said
        notebook, differing = edited(shell.user_ns)
        if (now := ", ".join(differing)) == said:
            return
        said, folder = now, ROOT / "build" / "lab" / notebook if differing else ROOT
        if differing:
            _link(folder)
            print(f"parameters differ from params.yaml ({now}): results go to {folder.relative_to(ROOT)}")
        else:
            print("parameters are those of params.yaml again: results go to data and reports")
        _use(folder, shell.user_ns)

    shell.events.register("pre_run_cell", look)
    look()
