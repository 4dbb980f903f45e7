"""The one surrounding of every run: what fixes the last bits of a sum, and keeps a user's own
settings out of reports.

    python -m faceup.lab.environment COMMAND...    runs a command in it, as make, notebooks/run and workers do

`import faceup` sets nothing. The digest of code is here, too, for compiled kernels and stored
results: numba by itself looks at a kernel's own file alone, not at the kernels and constants that
it takes from others.
"""

import ast
import hashlib
import os
import shutil
import sys
import time
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from faceup.util.paths import ROOT

SOURCES = Path(__file__).resolve().parents[2]  # src/
KERNELS, SETTINGS = ROOT / "build" / "numba", ROOT / "build" / "settings"
STARTED = time.time()
# One path through libraries on all processors with AVX2, and one order of sums. Results are stored
# by these, too.
LIBRARIES = {
    "ATEN_CPU_CAPABILITY": "avx2",
    "MKL_CBWR": "AVX2",
    "ONEDNN_MAX_CPU_ISA": "AVX2",
    "OPENBLAS_CORETYPE": "Haswell",
}
LIBRARIES |= {f"{library}_NUM_THREADS": "1" for library in ("OMP", "OPENBLAS", "MKL")}
DROPPED = (
    "PYTHON",
    "IPYTHON",
    "JUPYTER",
    "MPL",
    "MATPLOTLIB",
    "NUMBA_",
    "NPY_",
    "OMP_",
    "MKL_",
    "KMP_",
    "LC_",
    "LANG",
)
KEPT = ("NUMBA_DISABLE_JIT", "NUMBA_NUM_THREADS")  # of those


def module_file(module: str) -> Path | None:
    """The file of a module of this package, e.g. "faceup.util.paths"; None for a package, and if
    there is none.
    """
    path = SOURCES.joinpath(*module.split(".")).with_suffix(".py")
    return path if path.is_file() else None


def imported(code: ast.AST) -> set[Path]:
    """The package's files that code imports directly, anywhere in it; by full names, as ruff
    demands.
    """
    names = set[str]()
    for node in ast.walk(code):
        if isinstance(node, ast.Import | ast.ImportFrom):
            module = getattr(node, "module", "")
            names |= {module, *(f"{module}.{alias.name}".lstrip(".") for alias in node.names)}
    return {file for file in map(module_file, names) if file}


@cache
def _read(path: Path) -> tuple[str, set[Path]]:
    """A digest of what a file does, comments and docstrings aside, and the files that it imports."""
    code = ast.parse(path.read_bytes())
    for node in ast.walk(code):
        if isinstance(node, ast.Module | ast.FunctionDef | ast.ClassDef) and ast.get_docstring(
            node
        ):
            del node.body[0]
    # then it is not the code that runs: no other process has its digest
    edited = path.stat().st_mtime > STARTED
    said = ast.dump(code) + (os.urandom(16).hex() if edited else "")
    return hashlib.sha256(said.encode()).hexdigest(), imported(code)


def closure(files: Iterable[Path]) -> set[Path]:
    """The files, and all of this package that they import, directly or not."""
    found, waiting = set[Path](), set(files)
    while waiting:
        found.add(path := waiting.pop())
        waiting |= _read(path)[1] - found
    return found


def code_digest(files: Iterable[Path]) -> str:
    """A digest of what these files and all that they import do."""
    said = sorted((path.relative_to(SOURCES).as_posix(), _read(path)[0]) for path in closure(files))
    return hashlib.sha256(repr(said).encode()).hexdigest()


def variables() -> dict[str, str]:
    """What every run sets, and every worker."""
    kernels = [path for path in (SOURCES / "faceup").rglob("*.py") if b"njit" in path.read_bytes()]
    fixed = LIBRARIES | {
        "NUMBA_CACHE_DIR": str(KERNELS / code_digest(kernels)[:16]),
        "PYTHONHASHSEED": "0",
        "PYTHONNOUSERSITE": "1",
        "PYTHONPATH": f"{SETTINGS}{os.pathsep}{SOURCES}",  # where empty modules come first
        "MPLBACKEND": "module://matplotlib_inline.backend_inline",
        "MPLCONFIGDIR": str(SETTINGS / "matplotlib"),
        "IPYTHONDIR": str(SETTINGS / "ipython"),
        **{
            f"JUPYTER_{name}_DIR": str(SETTINGS / "jupyter" / name.lower())
            for name in ("CONFIG", "DATA", "RUNTIME")
        },
        "JUPYTER_PREFER_ENV_PATH": "1",  # the kernel of this Python
        "LC_ALL": "C.UTF-8",
        "TZ": "UTC",
        "COLUMNS": "110",
    }
    has_avx2 = (cpu := Path("/proc/cpuinfo")).is_file() and " avx2 " in cpu.read_text(
        encoding="utf-8"
    )
    return {name: value for name, value in fixed.items() if has_avx2 or name != "OPENBLAS_CORETYPE"}


def surroundings() -> dict[str, str]:
    """All variables of a run: this process's without a user's settings, and `variables`, whose
    folders are made.
    """
    own = {
        name: value
        for name, value in os.environ.items()
        if name in KEPT or not name.startswith(DROPPED)
    }
    found = own | variables()
    for folder in (SETTINGS, now := Path(found["NUMBA_CACHE_DIR"])):
        folder.mkdir(parents=True, exist_ok=True)
    # no start-up file of a user's; no grammar that takes 1.4 seconds to read
    for empty in ("sitecustomize", "rfc3987_syntax"):
        (SETTINGS / f"{empty}.py").touch()
    os.utime(now)
    # branches may take turns
    for old in sorted(KERNELS.iterdir(), key=lambda folder: folder.stat().st_mtime)[:-4]:
        shutil.rmtree(old, ignore_errors=True)
    return found


if __name__ == "__main__":
    os.execvpe(sys.argv[1], sys.argv[1:], surroundings())
