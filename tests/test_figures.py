"""Every figure is drawn from numbers that are committed, by a cell tagged `figure` that needs nothing else."""

import ast
import builtins
from symtable import SymbolTable, symtable

import nbformat
import pytest

from faceup.lab.paths import ROOT
from faceup.lab.run import defaults, tagged

NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
MOST_LINES = 25


def names(code: str) -> tuple[set[str], set[str]]:
    """What a cell reads and does not assign, and what it assigns."""

    def used(table: SymbolTable) -> set[str]:
        inner = set().union(*map(used, table.get_children()))
        return inner | {s.get_name() for s in table.get_symbols() if s.is_referenced() and (s.is_global() or table is top)}

    top = symtable(code, "cell", "exec")
    assigned = {s.get_name() for s in top.get_symbols() if s.is_assigned() or s.is_imported()}
    return used(top) - assigned - {*dir(builtins)}, assigned


def calls(code: str, function: str) -> list[str]:
    """The names that a cell gives to `save`, `numbers` or `load_numbers`."""
    found = [node for node in ast.walk(ast.parse(code)) if isinstance(node, ast.Call)]
    asked = [node.args[function == "save"] for node in found if isinstance(node.func, ast.Name) and node.func.id == function]
    return [ast.literal_eval(argument) for argument in asked]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_figure_has_a_short_cell_that_reads_its_numbers_and_nothing_else(path):
    nb = nbformat.read(path, as_version=4)
    cells, figures = [cell.source for cell in nb.cells if cell.cell_type == "code"], tagged(nb, "figure")
    lines = [line for code in cells for line in ast.parse(code).body if isinstance(line, ast.Import | ast.ImportFrom)]
    known = {alias.asname or alias.name for line in lines for alias in line.names} | {*defaults(nb)}
    drawn = set()  # names that a figure was the last to assign
    for code in cells:
        where, saved = f"{path.name}, `{code.splitlines()[0]}`", calls(code, "save")
        reads, assigned = names(code)
        if code not in figures:
            assert not saved, f"{where}: saves {saved[0]}, to mend: tag the cell `figure`"
            taken = f"{where}: reads {', '.join(reads & drawn)} of a cell tagged `figure`, to mend: another name there"
            assert not reads & drawn, taken
            drawn -= assigned
            continue
        drawn |= assigned
        assert saved == calls(code, "load_numbers"), f"{where}: draws {saved}, expected load_numbers and save of the same name"
        n = len(code.splitlines())
        assert n <= MOST_LINES, f"{where}: has {n} lines, expected {MOST_LINES}: what is no drawing goes to a cell before"
        unknown = f"{where}: reads {', '.join(reads - known)}, expected imports, parameters and what `numbers` has saved"
        assert not reads - known, unknown


def test_numbers_are_saved_for_the_figures_and_for_nothing_else():
    cells = [cell.source for path in NOTEBOOKS for cell in nbformat.read(path, as_version=4).cells if cell.cell_type == "code"]
    saved, read = ([name for code in cells for name in calls(code, function)] for function in ("numbers", "load_numbers"))
    assert sorted(saved) == sorted(read), "each name in one cell with `numbers` and in one with `load_numbers`"
    folder = ROOT / "reports" / "numbers"
    left_over = {file.relative_to(folder).with_suffix("").as_posix() for file in folder.rglob("*.json")} - {*read}
    assert not left_over, f"reports/numbers: no figure reads {', '.join(sorted(left_over))}, to mend: delete, or run its stage"
