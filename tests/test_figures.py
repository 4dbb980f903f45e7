"""Every figure is drawn by a short cell tagged `figure`, from numbers that are saved; `make smoke` draws all from these alone."""

import ast

import nbformat
import pytest

from faceup.lab.paths import ROOT
from faceup.lab.run import tagged

NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
MOST_LINES = 25


def calls(code: str, function: str) -> list[str]:
    """The names that a cell gives to `save`, `numbers` or `load_numbers`."""
    found = [node for node in ast.walk(ast.parse(code)) if isinstance(node, ast.Call)]
    asked = [node.args[function == "save"] for node in found if isinstance(node.func, ast.Name) and node.func.id == function]
    return [ast.literal_eval(argument) for argument in asked]


def cells(path) -> tuple[list[str], list[str]]:
    """Code of a notebook's cells: of all, and of those that draw a figure."""
    nb = nbformat.read(path, as_version=4)
    return [cell.source for cell in nb.cells if cell.cell_type == "code"], tagged(nb, "figure")


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_figure_has_a_short_cell_of_its_own_that_loads_its_numbers(path):
    every, figures = cells(path)
    assert not [code for code in every if calls(code, "save") and code not in figures], "to mend: tag the cell `figure`"
    for code in figures:
        assert calls(code, "save") == calls(code, "load_numbers"), f"{code}\n\nexpected load_numbers and save of the same name"
        assert len(code.splitlines()) <= MOST_LINES, f"{code}\n\nexpected {MOST_LINES} lines: what is no drawing goes before"


def test_numbers_are_saved_for_the_figures_and_for_nothing_else():
    every = [code for path in NOTEBOOKS for code in cells(path)[0]]
    saved, read = ([name for code in every for name in calls(code, function)] for function in ("numbers", "load_numbers"))
    assert sorted(saved) == sorted(read), "each name in one cell with `numbers` and in one with `load_numbers`"
    folder = ROOT / "reports" / "numbers"
    left_over = {file.relative_to(folder).with_suffix("").as_posix() for file in folder.rglob("*.json")} - {*read}
    assert not left_over, f"reports/numbers: no figure reads {', '.join(sorted(left_over))}, to mend: delete, or run its stage"
