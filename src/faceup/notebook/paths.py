"""Where things are. All hangs on ROOT, so that a notebook works from JupyterLab, the runner and a test."""

import os
from pathlib import Path


def find_root() -> Path:
    """The repository's root.

    That is FACEUP_ROOT if set, else the nearest folder at or above the working directory that holds
    params.yaml, else the checkout that this file belongs to.
    """
    named = os.environ.get("FACEUP_ROOT")
    if named:
        return Path(named).resolve()
    here = Path.cwd()
    for folder in (here, *here.parents):
        if (folder / "params.yaml").is_file():
            return folder
    return Path(__file__).resolve().parents[3]


ROOT = find_root()
DATA = ROOT / "data"
REPORTS = ROOT / "reports"
FIGURES = REPORTS / "figures"
TABLES = REPORTS / "tables"
METRICS = REPORTS / "metrics"
AGENTS = REPORTS / "agents"
