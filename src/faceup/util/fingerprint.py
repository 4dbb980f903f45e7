"""What decides a result besides its arguments: code, library versions, processor, and the paths
that libraries choose.

Compiled kernels and stored results carry these digests. (numba alone looks at a kernel's own file,
not at the kernels and constants that it takes from others.)
"""

import ast
import hashlib
import os
import sys
import time
from collections.abc import Iterable
from functools import cache
from importlib.metadata import distributions
from pathlib import Path

SOURCES = Path(__file__).resolve().parents[2]  # src/
STARTED = time.time()
# One path through libraries on all processors with AVX2, and one order of sums.
LIBRARIES = {
    "ATEN_CPU_CAPABILITY": "avx2",
    "MKL_CBWR": "AVX2",
    "ONEDNN_MAX_CPU_ISA": "AVX2",
    "OPENBLAS_CORETYPE": "Haswell",
    **{f"{library}_NUM_THREADS": "1" for library in ("OMP", "OPENBLAS", "MKL")},
}


def module_file(module: str) -> Path | None:
    """The file of a module of this package, such as "faceup.util.paths"; None if there is none."""
    path = SOURCES.joinpath(*module.split(".")).with_suffix(".py")
    return path if path.is_file() else None


def imported(code: ast.AST) -> set[Path]:
    """The package's files that code imports directly, anywhere, by `from faceup... import`."""
    found = [node for node in ast.walk(code) if isinstance(node, ast.ImportFrom)]
    names = {f"{node.module}.{alias.name}" for node in found for alias in node.names}
    return {path for path in map(module_file, names | {str(n.module) for n in found}) if path}


@cache
def _read(path: Path) -> tuple[str, set[Path]]:
    """A file's code as text without comments and docstrings, and the files that it imports."""
    code = ast.parse(path.read_bytes())
    for node in ast.walk(code):
        if isinstance(node, ast.Module | ast.FunctionDef | ast.ClassDef):
            del node.body[: ast.get_docstring(node) is not None]
    # edited since this process began: not the code that runs, and no other process has its digest
    edited = os.urandom(16).hex() if path.stat().st_mtime > STARTED else ""
    return ast.dump(code) + edited, imported(code)


def closure(files: Iterable[Path]) -> set[Path]:
    """The files, and all of this package that they import, directly or not."""
    found, waiting = set[Path](), set(files)
    while waiting:
        found.add(path := waiting.pop())
        waiting |= _read(path)[1] - found
    return found


@cache
def code_digest(*files: Path) -> str:
    """A digest of the code of files and of all that they import."""
    texts = sorted(
        (path.relative_to(SOURCES).as_posix(), _read(path)[0]) for path in closure(files)
    )
    return hashlib.sha256(repr(texts).encode()).hexdigest()


@cache
def platform_digest() -> str:
    """A digest of versions, of the processor, and of what chooses a path through libraries."""
    from llvmlite import binding

    names = ("numpy", "numba", "scipy", "scikit-learn", "xgboost-cpu", "xgboost", "torch")
    versions = [one.version for name in names for one in distributions(name=name)]
    processor = [binding.get_host_cpu_name(), binding.get_host_cpu_features().flatten()]
    chosen = [os.environ.get(name) for name in (*LIBRARIES, "NUMBA_DISABLE_JIT")]
    return hashlib.sha256(repr([sys.version, versions, processor, chosen]).encode()).hexdigest()
