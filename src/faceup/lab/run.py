"""Run notebooks into reports/, so that the same code and parameters give the same bytes.

    python -m faceup.lab.run NAME         notebooks/NAME.ipynb -> reports/NAME.ipynb and what it makes; NAME may be studies/lbr
    python -m faceup.lab.run --strip      tidy the sources: no outputs, fixed ids
    python -m faceup.lab.run --figures    draw the figures of all notebooks from the numbers in reports/numbers
    python -m faceup.lab.run --readme     docs/README.in.md -> README.md, numbers of reports/metrics filled in (faceup.lab.prose)

A notebook has one cell tagged `parameters`, of defaults, and names in its metadata the sections of
params.yaml that it reads: {"faceup": {"sections": ["selfplay"]}}. papermill gives it their values
in a cell of its own. What a run makes goes to build/run/NAME, and to its place when all cells are
done: a run that fails leaves nothing. Numbers in its prose are filled in, those of earlier stages
before it runs and its own afterwards. The bytes are the same everywhere in the surrounding of
faceup.lab.environment, by which make and notebooks/run call this.
"""

import ast
import os
import re
import shutil
import subprocess
import sys
from itertools import pairwise
from typing import Any

import nbformat
import papermill
from nbclient.exceptions import DeadKernelError
from nbformat import NotebookNode

from faceup.lab.graph import stages_behind
from faceup.lab.parameters import load_parameters
from faceup.lab.prose import NOTE, UNKNOWN, fill, filled, metrics_of
from faceup.lab.stages import BUDGET, measured_minutes, timed
from faceup.util import paths
from faceup.util.files import write_text
from faceup.util.paths import NOTEBOOKS, ROOT, STUDIES


def tagged(nb: NotebookNode, tag: str) -> list[str]:
    """The sources of the code cells with a tag."""
    return [
        cell.source
        for cell in nb.cells
        if cell.cell_type == "code" and tag in cell.metadata.get("tags", [])
    ]


def defaults(nb: NotebookNode) -> dict[str, Any]:
    """Name -> value of the lines `name = value` of the cell tagged `parameters`. ValueError for
    other lines, or cells.
    """
    try:
        (source,) = tagged(nb, "parameters")
        return {line.targets[0].id: ast.literal_eval(line.value) for line in ast.parse(source).body}  # type: ignore[attr-defined]
    except (ValueError, AttributeError, SyntaxError) as error:
        raise ValueError(
            f"expected one cell tagged `parameters`, of lines `name = value` ({error})"
        ) from error


def chosen(nb: NotebookNode, parameters: dict[str, Any], study: bool = False) -> dict[str, Any]:
    """Values of the notebook's parameters in its sections, or `seed`: of each in one, but a study
    has others, with defaults.
    """
    homes = [parameters[name] for name in nb.metadata["faceup"]["sections"]] + [
        {"seed": parameters["seed"]}
    ]
    found = {name: [home[name] for home in homes if name in home] for name in defaults(nb)}
    for name in [
        name for name, values in found.items() if len(values) > 1 or not values and not study
    ]:
        raise ValueError(
            f"parameter {name} stands in {len(found[name])} of the notebook's sections, expected in one"
        )
    return {name: values[0] for name, values in found.items() if values}


def by_default(*names: str) -> bool:
    """Whether the parameters of these notebooks are those that their own cells show; what is no
    notebook has none.
    """
    parameters, paths = load_parameters(), [NOTEBOOKS / f"{name}.ipynb" for name in names]
    try:
        found = [
            (nbformat.read(path, as_version=4), path.parent == STUDIES)
            for path in paths
            if path.is_file()
        ]
        return all(
            defaults(nb) | chosen(nb, parameters, study) == defaults(nb) for nb, study in found
        )
    # a notebook and params.yaml that do not fit: its own run says so
    except (ValueError, KeyError):
        return False


def commit_of(files: list[str]) -> str:
    """The last commit that changed one of these files, with a + if one is edited; "" where there is
    no git.
    """
    git = ["git", "--no-optional-locks"] if shutil.which("git") else ["true"]
    asked = (["log", "-1", "--format=%H"], ["status", "--porcelain"])
    runs = [
        subprocess.run([*git, *words, "--", *files], cwd=ROOT, capture_output=True, text=True)
        for words in asked
    ]
    return runs[0].stdout[:10] + "+" * bool(runs[0].stdout and runs[1].stdout)


def as_text(nb: NotebookNode, **made: str) -> str:
    """A notebook's file, without what two runs may differ in: ids, times, progress on stderr,
    addresses in memory.
    """
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    known = {
        "faceup": nb.metadata.get("faceup", {}) | made,
        "kernelspec": kernel,
        "language_info": {"name": "python"},
    }
    nb.metadata, nb.nbformat_minor = nbformat.from_dict(known), 5
    for i, cell in enumerate(nb.cells):
        cell.id, tags = f"cell-{i}", cell.metadata.get("tags")
        cell.metadata = nbformat.from_dict({"tags": tags} if tags else {})
        outputs = [output for output in cell.get("outputs", []) if output.get("name") != "stderr"]
        for one, other in pairwise(outputs):
            # in how many pieces it comes is a matter of luck
            if one.get("name") == other.get("name") == "stdout":
                one.text, other.text = "", one.text + other.text
        if cell.cell_type == "code":
            cell.outputs = [output for output in outputs if output.get("text") != ""]
    return re.sub(r"(?<=\w) at 0x[0-9a-f]+(?=>)", "", nbformat.writes(nb)) + "\n"


def run(name: str) -> None:
    """Execute a notebook with the values of params.yaml, and move its report and all that it makes
    to their places.
    """
    nb, folder = (
        nbformat.read(NOTEBOOKS / f"{name}.ipynb", as_version=4),
        ROOT / "build" / "run" / name,
    )
    values, stages = chosen(nb, load_parameters(), name.startswith("studies/")), stages_behind(name)
    deps, outs = (stages[0].deps, stages[0].outs) if stages else ([], [])
    others = not by_default(name, *(stage.name for stage in stages))
    commit = commit_of(
        [dep for dep in deps or [f"notebooks/{name}.ipynb"] if not dep.startswith("reports/")]
    )
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    os.environ |= {"FACEUP_OUT": str(folder)} | ({UNKNOWN: "–"} if others else {})
    if stages:
        fill(nb, name, folder)
    try:
        nb = papermill.execute_notebook(
            nb, folder / "executed.ipynb", values, kernel_name="python3", language="python", cwd=ROOT, start_timeout=300,
            stderr_file=sys.stderr, shutdown_kernel="immediate", extra_arguments=["--log-level=CRITICAL"],
        )  # fmt: skip
    except DeadKernelError as error:
        free = os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 10**9
        raise RuntimeError(
            f"killed, as where memory runs out: {free} GB are free; CONTRIBUTING.md has what it takes"
        ) from error
    except papermill.PapermillExecutionError as error:
        cell = f"cell {error.exec_count} `{error.source.strip().splitlines()[0]}`"
        raise RuntimeError(
            f"{cell}: {error.ename}: {error.evalue} (see build/run/{name}/executed.ipynb)"
        ) from error
    fill(nb, name, folder)
    nb.cells = [nbformat.v4.new_markdown_cell(NOTE)] * others + nb.cells
    write_text(
        folder / "reports" / f"{name}.ipynb", as_text(nb, **({"commit": commit} if commit else {}))
    )
    made = [
        file.relative_to(folder)
        for place in ("data", "reports")
        for file in (folder / place).rglob("*")
        if file.is_file()
    ]
    outs = outs or [file.as_posix() for file in made]
    wrong = [
        f"it makes {file}, which its stage does not name"
        for file in made
        if not any(map(file.is_relative_to, outs))
    ]
    wrong += [
        f"it does not make {out}, which its stage names"
        for out in outs
        if not (folder / out).exists()
    ]
    if wrong:
        raise RuntimeError(wrong[0])
    for place in [ROOT / out for out in outs]:
        shutil.rmtree(place) if place.is_dir() else place.unlink(missing_ok=True)
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.move(folder / place.relative_to(ROOT), place)
    shutil.rmtree(folder)


def figures() -> None:
    """Run the imports, parameters and cells tagged `figure` of all notebooks, which read
    `load_numbers` and nothing else.
    """
    from faceup.lab.pictures import use_style

    paths.OUT, parameters = ROOT, load_parameters()
    for path in sorted(NOTEBOOKS.glob("*.ipynb")):
        nb = nbformat.read(path, as_version=4)
        space, cells = defaults(nb) | chosen(nb, parameters), tagged(nb, "figure")
        code = ast.parse(
            "\n".join(cell.source for cell in nb.cells if cell.cell_type == "code" and cells)
        )
        use_style()
        for cell in [
            ast.unparse(line) for line in code.body if isinstance(line, ast.Import | ast.ImportFrom)
        ] + cells:
            try:
                exec(compile(cell, path.name, "exec"), space)
            except Exception as error:
                raise RuntimeError(
                    f"{path.name}, `{cell.splitlines()[0]}`: {type(error).__name__}: {error}"
                ) from error


def strip() -> None:
    """Rewrite the notebooks that are not tidy, and name them."""
    for path in sorted([*NOTEBOOKS.glob("*.ipynb"), *STUDIES.glob("*.ipynb")]):
        nb = nbformat.read(path, as_version=4)
        for cell in [cell for cell in nb.cells if cell.cell_type == "code"]:
            cell.outputs, cell.execution_count = [], None
        if (text := as_text(nb)) != path.read_text(encoding="utf-8"):
            write_text(path, text)
            print(f"stripped {path.relative_to(ROOT)}")


def readme() -> None:
    """Write README.md from its template, which may also name reports/benchmarks.json; `{{include:
    FILE}}` stands for a file.
    """
    stages, template = (
        stages_behind("--readme"),
        (ROOT / "docs" / "README.in.md").read_text(encoding="utf-8"),
    )
    if not by_default(*(stage.name for stage in stages)):
        os.environ[UNKNOWN], template = "–", f"{NOTE}\n\n{template}"
    text = re.sub(
        r"\{\{include: (.*)\}\}\n",
        lambda file: (ROOT / file[1]).read_text(encoding="utf-8"),
        template,
    )
    read = metrics_of("--readme", ROOT)
    # what no run has measured yet is a dash
    times = {"minutes": dict.fromkeys(BUDGET, "–") | measured_minutes()}
    write_text(
        ROOT / "README.md", filled(text, lambda name: times if name == "benchmarks" else read(name))
    )


if __name__ == "__main__":
    try:
        commands = {"--strip": strip, "--figures": figures, "--readme": readme}
        commands.get(sys.argv[1], lambda: timed(run, by_default, sys.argv[1]))()
    except (ValueError, KeyError, RuntimeError, OSError) as stopped:
        sys.exit(f"{sys.argv[1]}: {stopped}")
