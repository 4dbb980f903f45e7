"""Process environment of reproducible runs: it fixes the last bits of sums and keeps a user's own
settings out of reports.

    python -m faceup.lab.environment COMMAND...    run a command in it, as make and notebooks/run do

`import faceup` sets nothing.
"""

import os
import sys
from pathlib import Path

from faceup.util.fingerprint import LIBRARIES, SOURCES, code_digest
from faceup.util.paths import ROOT

KERNELS, SETTINGS = ROOT / "build" / "numba", ROOT / "build" / "settings"
DROPPED = (
    "PYTHON", "IPYTHON", "JUPYTER", "MPL", "MATPLOTLIB", "NUMBA_", "NPY_", "OMP_", "MKL_", "KMP_",
    "LC_", "LANG",
)  # fmt: skip
KEPT = ("NUMBA_DISABLE_JIT", "NUMBA_NUM_THREADS")  # of those


def variables() -> dict[str, str]:
    """Variables that every run sets."""
    kernels = [path for path in (SOURCES / "faceup").rglob("*.py") if b"njit" in path.read_bytes()]
    folders = {f"JUPYTER_{name}_DIR": name.lower() for name in ("CONFIG", "DATA", "RUNTIME")}
    folders |= {"MPLCONFIGDIR": "matplotlib", "IPYTHONDIR": "ipython"}
    fixed = LIBRARIES | {
        "NUMBA_CACHE_DIR": str(KERNELS / code_digest(*kernels)[:16]),
        "PYTHONHASHSEED": "0",
        "PYTHONNOUSERSITE": "1",
        "PYTHONPATH": f"{SETTINGS}{os.pathsep}{SOURCES}",  # an empty module comes first
        "MPLBACKEND": "module://matplotlib_inline.backend_inline",
        "JUPYTER_PREFER_ENV_PATH": "1",  # the kernel of this Python
        "LC_ALL": "C.UTF-8",
        "TZ": "UTC",
        "COLUMNS": "110",
    }
    cpu = Path("/proc/cpuinfo")
    if not (cpu.is_file() and " avx2 " in cpu.read_text(encoding="utf-8")):
        del fixed["OPENBLAS_CORETYPE"]
    return fixed | {name: str(SETTINGS / folder) for name, folder in folders.items()}


def environment() -> dict[str, str]:
    """This process's variables without a user's settings, and `variables`."""
    own = {k: v for k, v in os.environ.items() if k in KEPT or not k.startswith(DROPPED)}
    found = own | variables()
    SETTINGS.mkdir(parents=True, exist_ok=True)
    (SETTINGS / "rfc3987_syntax.py").touch()  # a grammar that jsonschema reads for a second
    return found


if __name__ == "__main__":
    os.execvpe(sys.argv[1], sys.argv[1:], environment())
