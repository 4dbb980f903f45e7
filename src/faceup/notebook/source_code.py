"""What a result's code is: the modules of this package that compute it, a digest of what they do, and versions of libraries.

Compiled kernels, checkpoints and stored results are named by such a digest, so that none of them outlives an edit of the code
that it came from, and none is lost to an edit elsewhere. Comments, docstrings and layout do not count.

The package imports this module before all others: it notes how the files lie when a process begins. What is edited later is
not the code that runs, so that it gets a digest of its own, which no other process has.
"""

import ast
import hashlib
import os
import platform
from collections.abc import Iterable
from functools import cache
from importlib.metadata import distributions
from pathlib import Path

from faceup.notebook.progress import note

SOURCES = Path(__file__).resolve().parents[2]  # src/
LIBRARIES = ("numpy", "numba", "scipy", "scikit-learn", "xgboost-cpu", "xgboost", "torch")
# In every process, whoever starts it: torch and numpy take one path through their kernels on all processors that have AVX2.
os.environ.update(ATEN_CPU_CAPABILITY="avx2", MKL_CBWR="AVX2", ONEDNN_MAX_CPU_ISA="AVX2")
if (_cpu := Path("/proc/cpuinfo")).is_file() and " avx2 " in _cpu.read_text(encoding="utf-8"):
    os.environ["OPENBLAS_CORETYPE"] = "Haswell"


def _stamp(path: Path) -> tuple[int, int] | None:
    return ((found := path.stat()).st_mtime_ns, found.st_size) if path.is_file() else None


def _stamps() -> dict[Path, tuple[int, int] | None]:
    return {path: _stamp(path) for path in (SOURCES / "faceup").rglob("*.py")}


_AT_START = _stamps()
_THIS_PROCESS = os.urandom(16).hex()


def module_file(module: str) -> Path | None:
    """The file of a module of this package, e.g. "faceup.cards.cards"; None if there is none."""
    path = SOURCES.joinpath(*module.split("."))
    return next((p for p in (path.with_suffix(".py"), path / "__init__.py") if p.is_file()), None)


def module_name(path: Path) -> str:
    """The dotted name of a file under src/."""
    return ".".join(path.relative_to(SOURCES).with_suffix("").parts).removesuffix(".__init__")


def edited(modules: Iterable[str]) -> list[str]:
    """Of these modules those whose files are no longer as they were when this process began, sorted."""
    now = _stamps()
    changed = {module_name(path) for path in now.keys() | _AT_START if now.get(path) != _AT_START.get(path)}
    return sorted(changed.intersection(modules))


def imported_files(code: ast.AST) -> set[Path]:
    """The files of this package that code imports directly, anywhere in it."""
    names = set()
    for node in ast.walk(code):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):  # never a relative one: ruff refuses them
            names |= {node.module or "", *(f"{node.module}.{alias.name}" for alias in node.names)}
    return {file for file in map(module_file, names) if file and file.name != "__init__.py"}


class _WithoutTexts(ast.NodeTransformer):
    """Docstrings, and whatever else stands there and does nothing, go."""

    def visit_Expr(self, node: ast.Expr) -> ast.Expr | None:
        return None if isinstance(node.value, ast.Constant) else node


@cache
def _read(path: Path) -> tuple[str, frozenset[Path]]:
    """A digest of what a file under src/ does, and the files that it imports."""
    code = _WithoutTexts().visit(ast.parse(path.read_bytes()))
    said = ast.dump(code)
    if _stamp(path) != _AT_START.get(path):
        note(f"{module_name(path)} was edited after this process had begun: nothing that it computes is kept for others")
        said += _THIS_PROCESS
    return hashlib.sha256(said.encode()).hexdigest(), frozenset(imported_files(code)) - {path}


def imports_of(path: Path) -> frozenset[Path]:
    """The files of this package that a file under src/ imports directly, anywhere in it."""
    return _read(path)[1]


def closure(files: Iterable[Path]) -> set[Path]:
    """The files themselves and all of this package that they import, directly or not."""
    found: set[Path] = set()
    waiting = set(files)
    while waiting:
        path = waiting.pop()
        found.add(path)
        waiting |= imports_of(path) - found
    return found


@cache
def versions() -> str:
    """Python's version and those of the libraries that compute."""
    found = {name: [one.version for one in distributions(name=name)] for name in LIBRARIES}
    return repr((platform.python_version(), found))


@cache
def module_digests(*modules: str) -> dict[str, str]:
    """A digest of each of these modules and of all of this package that they import, by name, and of `versions`, by "libraries".

    Raises ValueError for a module that this package does not have.
    """
    files = []
    for module in modules:
        if (path := module_file(module)) is None:
            raise ValueError(f"module {module!r} is unknown, expected one of this package such as faceup.cards.equity")
        files.append(path)
    return dict(sorted((module_name(path), _read(path)[0]) for path in closure(files))) | {"libraries": versions()}


def code_digest(*modules: str) -> str:
    """One digest for all `module_digests`, e.g. code_digest("faceup.cards.equity"). Raises ValueError as it does."""
    return hashlib.sha256(repr(list(module_digests(*modules).items())).encode()).hexdigest()
