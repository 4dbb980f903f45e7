"""What a result's code is: the modules of this package that compute it, and a digest of what they do.

Compiled kernels, checkpoints and stored results are named by such a digest, so that none of them outlives an edit of the code
that it came from, and none is lost to an edit elsewhere. Comments, docstrings and layout do not count.
"""

import hashlib
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from types import CodeType

SOURCES = Path(__file__).resolve().parents[2]  # src/


def module_file(module: str) -> Path | None:
    """The file of a module of this package, e.g. "faceup.cards.cards"; None if there is none."""
    path = SOURCES.joinpath(*module.split("."))
    return next((p for p in (path.with_suffix(".py"), path / "__init__.py") if p.is_file()), None)


def module_name(path: Path) -> str:
    """The dotted name of a file under src/."""
    return ".".join(path.relative_to(SOURCES).with_suffix("").parts).removesuffix(".__init__")


def codes(code: CodeType) -> Iterator[CodeType]:
    """Bytecode and that of everything defined in it."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from codes(constant)


@cache
def _compiled(path: Path) -> tuple[CodeType, ...]:
    """The bytecode of a file, docstrings left out: the module's own, then that of everything defined in it."""
    return tuple(codes(compile(path.read_bytes(), path.name, "exec", dont_inherit=True, optimize=2)))


def imported_files(names: Iterable[str]) -> set[Path]:
    """The files of this package that code using these names imports: "faceup.cards.cards", or "faceup.cards" and "cards"."""
    names = set(names)
    packages = {name for name in names if name == "faceup" or name.startswith("faceup.")}
    dotted = packages | {f"{package}.{name}" for package in packages for name in names if "." not in name}
    return {file for file in map(module_file, dotted) if file and file.name != "__init__.py"}


@cache
def imports_of(path: Path) -> frozenset[Path]:
    """The files of this package that a file under src/ imports directly, anywhere in it."""
    return frozenset(imported_files(name for code in _compiled(path) for name in code.co_names)) - {path}


def closure(files: Iterable[Path]) -> set[Path]:
    """The files themselves and all of this package that they import, directly or not."""
    found: set[Path] = set()
    waiting = set(files)
    while waiting:
        path = waiting.pop()
        found.add(path)
        waiting |= imports_of(path) - found
    return found


def _constant(value: object) -> str:
    if isinstance(value, CodeType):
        return value.co_name
    return repr(sorted(map(repr, value)) if isinstance(value, frozenset) else value)


@cache
def _file_digest(path: Path) -> str:
    digest = hashlib.sha256()
    for code in _compiled(path):
        said = [code.co_name, code.co_names, code.co_varnames, code.co_freevars, code.co_flags, code.co_argcount]
        said += [code.co_kwonlyargcount, code.co_exceptiontable, list(map(_constant, code.co_consts))]
        digest.update(repr(said).encode() + code.co_code)
    return digest.hexdigest()


@cache
def module_digests(*modules: str) -> dict[str, str]:
    """A digest of each of these modules and of all of this package that they import, by name, in order of the names.

    Raises ValueError for a module that this package does not have.
    """
    files = []
    for module in modules:
        if (path := module_file(module)) is None:
            raise ValueError(f"module {module!r} is unknown, expected one of this package such as faceup.cards.equity")
        files.append(path)
    return dict(sorted((module_name(path), _file_digest(path)) for path in closure(files)))


def code_digest(*modules: str) -> str:
    """One digest for all `module_digests`, e.g. code_digest("faceup.cards.equity"). Raises ValueError as it does."""
    return hashlib.sha256(repr(list(module_digests(*modules).items())).encode()).hexdigest()
