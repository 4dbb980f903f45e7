"""The parameters cell of a notebook: what it names, and where its values come from."""

import ast
import json
from functools import cache
from pathlib import Path
from typing import Any

from faceup.notebook.parameters import load_parameters, pipeline_sections
from faceup.notebook.paths import STUDIES


def parameters_cell(nb: dict[str, Any]) -> dict[str, Any]:
    """The one cell tagged `parameters` of a notebook; raises ValueError if there is none or more than one."""
    cells = [cell for cell in nb["cells"] if "parameters" in cell["metadata"].get("tags", [])]
    if len(cells) != 1 or cells[0]["cell_type"] != "code":
        raise ValueError(f"{len(cells)} cells are tagged `parameters`, expected one, of code")
    return cells[0]


def declared(source: str) -> dict[str, ast.expr]:
    """Name -> value of each line `name = value` of a parameters cell; ValueError for any other line."""
    values = {}
    for line in ast.parse(source).body:
        match line:
            case (
                ast.Assign(targets=[ast.Name(id=name)], value=value)
                | ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value)
            ):
                values[name] = value
            case _:
                raise ValueError(f"the parameters cell holds `{ast.unparse(line)}`, expected `name = value`")
    return values


def declared_in(path: Path) -> tuple[list[str], list[str]]:
    """The names in the parameters cell of a notebook's file, and the sections of parameters that it reads."""
    nb = json.loads(path.read_text(encoding="utf-8"))
    return list(declared("".join(parameters_cell(nb)["source"]))), nb["metadata"]["faceup"]["sections"]


@cache
def study_sections() -> dict[str, list[str]]:
    """The sections of the studies' file, one a study: what its parameters cell names and no other section has."""
    found = {}
    for path in sorted(STUDIES.glob("*.ipynb")):
        names, sections = declared_in(path)
        others = {"seed", *(knob for name in sections for knob in pipeline_sections().get(name, []))}
        found[path.stem] = [name for name in names if name not in others]
    return found


def load_study_parameters() -> dict[str, Any]:
    """All parameters of notebooks/studies/params.yaml; ValueError as `load_parameters`."""
    return load_parameters(STUDIES / "params.yaml", study_sections())


def parameters_of(path: Path) -> dict[str, Any]:
    """What a notebook may be given: the sections of params.yaml and, for a study, those of the studies' file."""
    return load_parameters() | (load_study_parameters() if path.parent.name == STUDIES.name else {})


def chosen_values(nb: dict[str, Any], parameters: dict[str, Any]) -> dict[str, Any]:
    """The value in `parameters` of each name that the notebook declares.

    Raises ValueError for a name that none of the notebook's sections has, or two, and for an unknown section.
    """
    sections = nb["metadata"].get("faceup", {}).get("sections", [])
    for name in sections:
        if not isinstance(parameters.get(name), dict):
            raise ValueError(f"metadata faceup.sections holds {name!r}, expected a section of params.yaml")
    values = {}
    for name in declared("".join(parameters_cell(nb)["source"])):
        homes = [parameters[s] for s in sections if name in parameters[s]]
        homes += [parameters] if name == "seed" else []
        if len(homes) != 1:
            said = f"parameter {name} stands in {len(homes)} of the notebook's sections"
            raise ValueError(f"{said}, expected in one of {', '.join(sections) or '(none)'}, or seed")
        values[name] = homes[0][name]
    return values


def _literal(value: Any) -> str:
    """A value of params.yaml as Python source, as ruff would quote it."""
    if isinstance(value, list):
        return f"[{', '.join(map(_literal, value))}]"
    return json.dumps(value, ensure_ascii=False) if isinstance(value, str) else repr(value)


def fill(source: str, values: dict[str, Any]) -> str:
    """The source of a parameters cell with the values replaced, all else kept."""
    lines = source.encode().splitlines(keepends=True)  # bytes: ast counts columns in UTF-8
    for name, node in reversed(declared(source).items()):
        assert node.end_lineno is not None  # `ast.parse` always sets it
        before, after = lines[node.lineno - 1][: node.col_offset], lines[node.end_lineno - 1][node.end_col_offset :]
        lines[node.lineno - 1 : node.end_lineno] = [before + _literal(values[name]).encode() + after]
    return b"".join(lines).decode()
