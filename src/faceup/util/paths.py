"""Where things are. All hangs on ROOT, so that a notebook works from JupyterLab, the runner and a
test.
"""

import os
from pathlib import Path

# elsewhere installed, a package serves the working directory
_CHECKOUT = Path(__file__).resolve().parents[3]
ROOT = Path(
    os.environ.get("FACEUP_ROOT")
    or (_CHECKOUT if (_CHECKOUT / "notebooks").is_dir() else Path.cwd())
).resolve()
NOTEBOOKS, STUDIES = ROOT / "notebooks", ROOT / "notebooks" / "studies"
DATA, REPORTS = ROOT / "data", ROOT / "reports"  # what finished stages have left, to be read
METRICS, AGENTS = REPORTS / "metrics", REPORTS / "agents"
# what a notebook makes goes to OUT/data and OUT/reports: in a folder of the run, which the runner
# names, else in build/lab
OUT = Path(os.environ.get("FACEUP_OUT") or ROOT / "build" / "lab")
