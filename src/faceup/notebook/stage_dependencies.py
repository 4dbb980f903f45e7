"""What each stage depends on, read off the imports of its notebook: of dvc.yaml and of the studies' own.

    python -m faceup.notebook.stage_dependencies             say where a dvc.yaml differs
    python -m faceup.notebook.stage_dependencies --write     mend it in place

A stage's modules are those that its notebook and the runner import, the modules that these import, and so on,
with the `__init__.py` of every package on the way. They are read from the syntax tree, nothing is imported.
A stage's parameters are the sections that its notebook names, and `seed` if it declares it. Every path is one from
the repository's root: a study's stage says `wdir: ../..`.
"""

import ast
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

from faceup.notebook.paths import ROOT
from faceup.notebook.run_notebook import declared, parameters_cell, read_source
from faceup.notebook.schema import SCHEMA
from faceup.notebook.source_code import closure, module_file
from faceup.notebook.storage import replacing

RUNNER = "faceup.notebook.run_notebook"
PIPELINE = ROOT / "dvc.yaml"
STUDIES = ROOT / "notebooks" / "studies" / "dvc.yaml"
STUDY_PARAMETERS = "notebooks/studies/params.yaml"


def imported_names(code: str, package: str = "") -> Iterator[str]:
    """Every dotted name that `code` may import, e.g. "a.b" and "a.b.c" for `from a.b import c`.

    `package` is the package that the code's own relative imports start from.
    """
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = package.split(".")[: len(package.split(".")) - node.level + 1] if node.level else []
            base = ".".join([*above, *([node.module] if node.module else [])])
            yield base
            yield from (f"{base}.{alias.name}" for alias in node.names)


def imported_files(code: str, package: str = "") -> set[Path]:
    """The files of this package that `code` imports directly, with the `__init__.py` of their packages."""
    files = set()
    for name in imported_names(code, package):
        parts = name.split(".")
        candidates = (".".join(parts[:i]) for i in range(1, len(parts) + 1))
        files |= {path for path in map(module_file, candidates) if path}
    return files


def notebook_code(path: Path) -> str:
    """The Python of a notebook, lines for IPython left out."""
    code = "\n".join(cell.source for cell in read_source(path).cells if cell.cell_type == "code")
    return "\n".join(line for line in code.splitlines() if not line.lstrip().startswith(("%", "!")))


def notebook_modules(path: Path) -> list[str]:
    """The files under src/ that running a notebook uses, as paths from the root, sorted."""
    files = imported_files(f"import {RUNNER}\n{notebook_code(path)}")
    return sorted(p.relative_to(ROOT).as_posix() for p in closure(files))


def notebook_parameters(path: Path) -> list[str | dict[str, list[str]]]:
    """What a stage's `params` name: `seed` if the notebook declares it, its sections, those of studies by their file."""
    nb = read_source(path)
    names = ["seed"] if "seed" in declared(parameters_cell(nb).source) else []
    names += nb.metadata.get("faceup", {}).get("sections", [])
    own = [name for name in names if name not in SCHEMA]
    return [name for name in names if name in SCHEMA] + ([{STUDY_PARAMETERS: own}] if own else [])


def expected_stage(stage: dict[str, Any]) -> dict[str, Any]:
    """The `cmd`, `deps` and `params` that a stage should have; its dependencies on data are its own."""
    name = str(stage["cmd"]).split()[-1]
    notebook = f"notebooks/{name}.ipynb"
    data = [dep for dep in stage["deps"] if not dep.startswith("src/") and dep != notebook]
    return {
        "cmd": f"python -m {RUNNER} {name}",
        "deps": [notebook, *data, *notebook_modules(ROOT / notebook)],
        "params": notebook_parameters(ROOT / notebook),
    }


def stages_of(pipeline: Path) -> dict[str, dict[str, Any]]:
    """The stages of a dvc.yaml, by name; none where there is no such file."""
    return yaml.safe_load(pipeline.read_text(encoding="utf-8"))["stages"] if pipeline.is_file() else {}


def differences() -> list[str]:
    """A line for each dependency or parameter too many or too few in a dvc.yaml; empty if all is right."""
    lines = []
    for stage_name, stage in [*stages_of(PIPELINE).items(), *stages_of(STUDIES).items()]:
        expected = expected_stage(stage)
        if stage["cmd"] != expected["cmd"]:
            lines.append(f"{stage_name}: cmd is {stage['cmd']!r}, expected {expected['cmd']!r}")
        for key in ("deps", "params"):
            have, want = stage.get(key, []), expected[key]
            lines += [f"{stage_name}: {key} lacks {x}" for x in want if x not in have]
            lines += [f"{stage_name}: {key} has {x}, which it does not use" for x in have if x not in want]
    return lines


def write(pipeline: Path) -> None:
    """Mend the `deps` and `params` of a dvc.yaml in place; comments and everything else stay."""
    from ruamel.yaml import YAML  # needed here only, and a tool of developers

    file = YAML()
    file.indent(mapping=2, sequence=4, offset=2)
    file.width = 1000
    content = file.load(pipeline.read_text(encoding="utf-8"))
    for stage in content["stages"].values():
        for key, value in expected_stage(stage).items():
            if not value:
                stage.pop(key, None)
            elif key in stage:
                stage[key] = value
            else:
                stage.insert(list(stage).index("deps") + 1, key, value)
    with replacing(pipeline) as temporary:
        file.dump(content, temporary)


def main(arguments: list[str]) -> int:
    """The command line; returns 1 while a dvc.yaml differs."""
    try:
        if arguments == ["--write"]:
            for pipeline in filter(Path.is_file, (PIPELINE, STUDIES)):
                write(pipeline)
        lines = differences()
    except ValueError as error:
        lines = [str(error)]
    print("\n".join(lines or ["dvc.yaml is right"]))
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
