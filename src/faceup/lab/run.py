"""Run notebooks into reports/, so that the same code and parameters give the same bytes.

    python -m faceup.lab.run NAME         notebooks/NAME.ipynb -> reports/NAME.ipynb and its outputs
    python -m faceup.lab.run --figures    draw all figures from the numbers in reports/numbers
    python -m faceup.lab.run --readme     docs/README.in.md -> README.md, with numbers filled in

A notebook has one cell tagged `parameters`, of defaults, and names in its metadata the sections of
params.yaml that it reads: {"faceup": {"sections": ["selfplay"]}}. papermill gives it their values
in a cell of its own. Outputs go to build/run/NAME, and to their places when all cells are done: a
run that fails leaves nothing. Numbers in prose are filled in last (faceup.lab.prose). make and
notebooks/run call this in the environment of faceup.lab.environment.
"""

import ast
import os
import re
import shutil
import sys
import time
from functools import cache, partial
from pathlib import Path
from typing import Any

import nbformat
import papermill
from nbformat import NotebookNode

from faceup.lab.parameters import load_parameters
from faceup.lab.prose import NOTE, filled, read_metrics
from faceup.lab.stages import announcement, git, measure, stage_names
from faceup.util import paths
from faceup.util.files import write_text
from faceup.util.paths import NOTEBOOKS, ROOT, STUDIES

_params_yaml = cache(load_parameters)


def tagged(nb: NotebookNode, tag: str) -> list[NotebookNode]:
    """The code cells with a tag."""
    code = [cell for cell in nb.cells if cell.cell_type == "code"]
    return [cell for cell in code if tag in cell.metadata.get("tags", [])]


def parameters_of(path: Path) -> tuple[NotebookNode, dict[str, Any], dict[str, Any]]:
    """A notebook, its own values of parameters, and those of params.yaml.

    The latter are `seed` and names in its sections; a study may have parameters of its own. Raises
    ValueError for others.
    """
    nb, given = nbformat.read(path, as_version=4), _params_yaml()
    if not (cells := tagged(nb, "parameters")):
        raise ValueError(f"{path.name}: expected a cell tagged `parameters`")
    own = dict[str, Any]()
    exec(compile(cells[0].source, path.name, "exec"), {}, own)
    sections = [given[name] for name in nb.metadata["faceup"]["sections"]]
    values = {name: of[name] for of in (given, *sections) for name in own if name in of}
    if path.parent != STUDIES and (missing := own.keys() - values.keys()):
        raise ValueError(f"{path.name}: its sections lack the parameters {sorted(missing)}")
    return nb, own, values


def by_default(*others: Path) -> bool:
    """Whether params.yaml has the values that the notebooks of the pipeline, and others, show."""
    found = [parameters_of(path) for path in {*NOTEBOOKS.glob("*.ipynb"), *others}]
    return all(own | values == own for _, own, values in found)


def commit_of(name: str) -> str:
    """The last commit that changed the notebook, `src` or params.yaml, with a + if one is edited.

    "" where there is no git.
    """
    code = (f"notebooks/{name}.ipynb", "src", "params.yaml")
    log = git("log", "-1", "--format=%H", "--", *code)
    status = git("status", "--porcelain", "--", *code)
    return log[:10] + "+" * bool(log and status)


def as_text(nb: NotebookNode, commit: str) -> str:
    """A report's file without what two runs may differ in: ids, times, progress on stderr,
    addresses in memory.
    """
    made = {"commit": commit} if commit else {}
    nb.metadata = {
        "faceup": nb.metadata["faceup"] | made,
        "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
        "language_info": {"name": "python"},
    }
    for i, cell in enumerate(nb.cells):
        cell.id = f"cell-{i}"
        kept = {key: cell.metadata.get(key) for key in ("tags", "jupyter")}
        cell.metadata = {key: value for key, value in kept.items() if value}
        if cell.cell_type == "code":
            cell.outputs = [output for output in cell.outputs if output.get("name") != "stderr"]
    return re.sub(r"(?<=\w) at 0x[0-9a-f]+(?=>)", "", nbformat.writes(nb)) + "\n"


def run(name: str) -> None:
    """Execute a notebook with the values of params.yaml, and move its report and outputs to their
    places.
    """
    path, folder = NOTEBOOKS / f"{name}.ipynb", ROOT / "build" / "run" / name
    (nb, _, values), default, started = parameters_of(path), by_default(path), time.time()
    if (stage := name[3:]) in stage_names():  # not a study
        print(announcement(stage, default), flush=True)
    commit = commit_of(name)  # before it runs, for hours
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    os.environ["FACEUP_OUT"] = str(folder)
    nb = papermill.execute_notebook(
        nb, folder / "executed.ipynb", values, kernel_name="python3", language="python", cwd=ROOT,
        start_timeout=300, stderr_file=sys.stderr, shutdown_kernel="immediate",
        extra_arguments=["--log-level=CRITICAL"],
        coalesce_streams=True,  # the number of pieces that output comes in is random
    )  # fmt: skip
    for cell in nb.cells:
        if cell.cell_type == "markdown":
            read = partial(read_metrics, made=folder)
            cell.source = filled(cell.source, read, None if default else "–")
        elif "injected-parameters" in cell.metadata.get("tags", []):  # papermill shows them
            cell.metadata |= {"tags": ["injected-parameters", "hide-input"]}
            cell.metadata |= {"jupyter": {"source_hidden": True}}
    nb.cells = [nbformat.v4.new_markdown_cell(NOTE)] * (not default) + nb.cells
    for made in [*folder.glob("data/*"), *folder.glob("reports/*/*")]:
        place = ROOT / made.relative_to(folder)
        shutil.rmtree(place) if place.is_dir() else place.unlink(missing_ok=True)
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.move(made, place)
    write_text(ROOT / "reports" / f"{name}.ipynb", as_text(nb, commit))
    shutil.rmtree(folder)
    if stage in stage_names():
        measure(stage, time.time() - started)


def figures() -> None:
    """Run the imports, parameters and cells tagged `figure` of all notebooks; these read
    `load_numbers` and nothing else.
    """
    paths.OUT = ROOT
    for path in sorted(NOTEBOOKS.glob("*.ipynb")):
        nb, own, values = parameters_of(path)
        code = "\n".join(cell.source for cell in nb.cells if cell.cell_type == "code")
        lines = [x for x in ast.parse(code).body if isinstance(x, ast.Import | ast.ImportFrom)]
        space, cells = own | values, tagged(nb, "figure")
        for source in [*map(ast.unparse, lines if cells else []), *(c.source for c in cells)]:
            exec(compile(source, f"{path.name}, `{source.splitlines()[0]}`", "exec"), space)


def readme() -> None:
    """Write README.md from its template, which may also name reports/benchmarks.json; `{{include:
    FILE}}` stands for a file.
    """
    default, text = by_default(), (ROOT / "docs" / "README.in.md").read_text(encoding="utf-8")
    text = re.sub(r"\{\{include: (.*)\}\}\n", lambda at: (ROOT / at[1]).read_text(), text)
    text = filled(text, read_metrics, None if default else "–")
    write_text(ROOT / "README.md", text if default else f"{NOTE}\n\n{text}")


if __name__ == "__main__":
    try:
        commands = {"--figures": figures, "--readme": readme}
        commands.get(sys.argv[1], partial(run, sys.argv[1]))()
    except (ValueError, KeyError, OSError, SyntaxError) as error:
        sys.exit(f"{sys.argv[1]}: {error}")
