"""Where things are. All hangs on ROOT, so that a notebook works from JupyterLab, the runner and a test."""

import os
from pathlib import Path

_MARKS = ("params.yaml", "dvc.yaml", "notebooks")  # notebooks/studies has the first two, any project may have one of them


def find_root() -> Path:
    """The repository's root.

    That is FACEUP_ROOT if set, else the nearest folder at or above the working directory that holds params.yaml, dvc.yaml
    and notebooks/, else the checkout that this file belongs to. Raises FileNotFoundError, saying what was found.
    """
    if named := os.environ.get("FACEUP_ROOT"):
        if not (Path(named) / "params.yaml").is_file():
            raise FileNotFoundError(f"FACEUP_ROOT is {named}, expected a folder that holds params.yaml")
        return Path(named).resolve()
    here = Path.cwd()
    places = [here, *here.parents, Path(__file__).resolve().parents[3]]
    held = {folder: [mark for mark in _MARKS if (folder / mark).exists()] for folder in places}
    for folder, marks in held.items():
        if len(marks) == len(_MARKS):
            return folder
    found = "; ".join(f"{folder} holds {' and '.join(marks)} alone" for folder, marks in held.items() if marks)
    wanted = f"expected {', '.join(_MARKS)} at or above {here}, or FACEUP_ROOT set to the repository"
    raise FileNotFoundError(f"no repository of faceup: {found or 'nothing of one was found'}; {wanted}")


ROOT = find_root()
NOTEBOOKS = ROOT / "notebooks"
STUDIES = NOTEBOOKS / "studies"
DATA = ROOT / "data"
REPORTS = ROOT / "reports"
FIGURES = REPORTS / "figures"
TABLES = REPORTS / "tables"
METRICS = REPORTS / "metrics"
AGENTS = REPORTS / "agents"
