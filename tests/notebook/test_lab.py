"""A parameters cell that was edited in JupyterLab does not overwrite what the pipeline has made."""

import ast
import json
import os
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
import smoke

from faceup.notebook import lab
from faceup.notebook.paths import ROOT
from faceup.notebook.stages import PIPELINE, STUDY_PIPELINE, notebook_of, stages_of
from faceup.notebook.storage import write_text

STAGE = {"deps": [], "cmd": "python -m faceup.notebook.run_notebook 99_small"}
IMPORTS = """from faceup.notebook.paths import DATA, METRICS
from faceup.notebook.storage import load_json, write_json
from faceup.notebook.tables import save_table, show_table
"""
RESULTS = """write_json(DATA / "equity" / "table.json", [walk_board])
write_json(METRICS / "small.json", [walk_board, load_json(DATA / "other.json")])
save_table("small", ["board"], [[walk_board]])
"""
CELLS = """
from IPython.core.interactiveshell import InteractiveShell
shell = InteractiveShell.instance()
for cell in {cells!r}:
    shell.run_cell(cell).raise_error()
"""


HELD = ("data/equity/table.json", "reports/metrics/small.json", "reports/tables/small.csv")


@pytest.fixture
def repository(tmp_path) -> Path:
    """A pipeline of one notebook with one parameter, and results of it and of another stage."""
    smoke.copy_parameters(tmp_path)
    (tmp_path / "dvc.yaml").write_text(json.dumps({"stages": {"small": STAGE}}))
    cells = [nbformat.v4.new_code_cell("walk_board = ''", metadata={"tags": ["parameters"]})]
    nb = nbformat.v4.new_notebook(metadata={"faceup": {"sections": ["strategy"]}}, cells=cells)
    nbformat.write(nb, tmp_path / "notebooks" / "99_small.ipynb")
    for name in (*HELD, "data/other.json"):
        write_text(tmp_path / name, '"of the pipeline"\n')
    return tmp_path


def run_cells(root: Path, *cells: str) -> str:
    """What the cells print that a user of Lab runs one after another in one kernel."""
    surroundings = os.environ | {"FACEUP_ROOT": str(root), "IPYTHONDIR": str(root / "build" / "ipython")}
    command = [sys.executable, "-c", CELLS.format(cells=cells)]
    done = subprocess.run(command, env=surroundings, capture_output=True, text=True, cwd=root)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


GIVEN, OTHER = "walk_board = 'Kh3sJc9d2c'", "walk_board = 'AhKhQh2c3c'"


@pytest.mark.parametrize(
    "cells",
    [(OTHER, IMPORTS + RESULTS), (GIVEN, IMPORTS, OTHER, RESULTS), (GIVEN, IMPORTS, OTHER, IMPORTS + RESULTS)],
    ids=["before the imports", "after them", "and imported again"],
)
def test_edited_parameters_write_to_a_folder_of_their_own(repository, cells):
    said = run_cells(repository, *cells)
    line = "parameters differ from params.yaml (walk_board = 'AhKhQh2c3c', not 'Kh3sJc9d2c'): results go to build/lab/99_small"
    assert said.splitlines() == [line]
    assert [(repository / name).read_text() for name in HELD] == ['"of the pipeline"\n'] * 3
    table, metrics, small = ((repository / "build" / "lab" / "99_small" / name).read_text() for name in HELD)
    assert (json.loads(table), json.loads(metrics)) == (["AhKhQh2c3c"], ["AhKhQh2c3c", "of the pipeline"])
    assert small == "board\nAhKhQh2c3c\n"


def test_parameters_as_they_are_write_where_the_stage_does_and_say_nothing(repository):
    assert run_cells(repository, GIVEN, IMPORTS + RESULTS) == ""
    assert json.loads((repository / "data/equity/table.json").read_text()) == ["Kh3sJc9d2c"]
    assert not (repository / "build" / "lab").exists()


def test_parameters_set_back_write_where_the_stage_does_again(repository):
    said = run_cells(repository, OTHER, IMPORTS + RESULTS, GIVEN, RESULTS)
    assert said.splitlines()[1:] == ["parameters are those of params.yaml again: results go to data and reports"]
    assert json.loads((repository / "data/equity/table.json").read_text()) == ["Kh3sJc9d2c"]


def variables(notebook: str) -> tuple[set[str], set[str]]:
    """The variables of a notebook's parameters cell, and those of all its other cells."""
    names: tuple[set[str], set[str]] = set(), set()
    for cell in nbformat.read(ROOT / "notebooks" / f"{notebook}.ipynb", as_version=4).cells:
        if cell.cell_type == "code":
            code = "\n".join(line for line in cell.source.splitlines() if not line.startswith("%"))
            nodes = (node for node in ast.walk(ast.parse(code)) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store))
            names["parameters" not in cell.metadata.get("tags", [])].update(node.id for node in nodes)
    return names


@pytest.mark.parametrize("notebook", [notebook_of(s) for file in (PIPELINE, STUDY_PIPELINE) for s in stages_of(file).values()])
def test_a_notebook_is_known_by_its_variables_and_gives_no_parameter_another_value(notebook):
    parameters, others = variables(notebook)
    assert not parameters & others, "another name, please: this one is a parameter"
    known, differing = lab.edited(dict.fromkeys(parameters | others))
    assert (known == notebook or not parameters) and len(differing) == len(parameters)
