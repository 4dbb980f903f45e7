"""The pipeline as a whole: its shape, its sources, and the style that they keep."""

import ast
import importlib
import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import nbformat
import pytest
import smoke

from faceup.lab.environment import SOURCES, closure, imported, module_file
from faceup.lab.parameters import load_parameters, read_yaml
from faceup.lab.paths import NOTEBOOKS, ROOT, STUDIES
from faceup.lab.run import as_text, chosen, defaults, tagged

# every other package is a paper's, in the last room: papers do not import each other
ROOMS = {"lab": 1, "cards": 2, "games": 3, "trees": 4, "holdem": 5}
STAGES, STUDY_STAGES = (read_yaml(folder / "dvc.yaml")["stages"] for folder in (ROOT, STUDIES))
SOURCE_NOTEBOOKS = [*NOTEBOOKS.glob("*.ipynb"), *STUDIES.glob("*.ipynb")]


def notebook_of(stage: dict) -> str:
    """Its name, e.g. "30_leduc" or "studies/lbr"."""
    return stage["cmd"].split()[-1]


each_stage = pytest.mark.parametrize("stage", [*STAGES.values(), *STUDY_STAGES.values()], ids=notebook_of)
each_notebook = pytest.mark.parametrize("path", SOURCE_NOTEBOOKS, ids=lambda path: path.stem)


def code_of(path) -> ast.Module:
    """The code of a notebook's cells."""
    cells = nbformat.read(path, as_version=4).cells
    lines = (line for cell in cells if cell.cell_type == "code" for line in cell.source.splitlines())
    return ast.parse("\n".join(line for line in lines if not line.lstrip().startswith("%")))


@each_stage
def test_a_stage_depends_on_the_packages_that_its_notebook_uses(stage):
    notebook, (first, *deps) = notebook_of(stage), stage["deps"]
    files = closure(imported(code_of(NOTEBOOKS / f"{notebook}.ipynb")) | {module_file("faceup.lab.run")})
    packages = [ROOT / dep for dep in deps if dep.startswith("src/")]
    assert first == f"notebooks/{notebook}.ipynb"
    assert {package for file in files for package in packages if file.is_relative_to(package)} == {*packages}
    assert [file for file in files if not any(map(file.is_relative_to, packages))] == []


@pytest.mark.parametrize(
    ("edited", "stale"),
    [
        ("pages/explorer.py", {"explorer"}),
        ("pages/main.js", {"explorer"}),
        ("holdem/figures.py", set()),
        ("holdem/slumbot.py", set()),
    ],
)
def test_an_edit_of_what_draws_or_talks_makes_no_stage_stale_that_computes(edited, stale):
    file = Path("src/faceup", edited)
    unseen = any(file.match(line.lstrip("/")) for line in (ROOT / ".dvcignore").read_text().splitlines())
    seen_by = {name for name, stage in STAGES.items() if any(map(file.is_relative_to, stage["deps"]))}
    assert (ROOT / file).is_file() and (set() if unseen else seen_by) == stale


@each_stage
def test_a_stage_names_its_parameters_and_what_it_makes(stage):
    notebook, outs = notebook_of(stage), dict(smoke.outs_of(stage))
    nb = nbformat.read(NOTEBOOKS / f"{notebook}.ipynb", as_version=4)
    assert stage.get("params", []) == ["seed"] * ("seed" in defaults(nb)) + nb.metadata["faceup"]["sections"]
    assert stage["cmd"] == f"sh notebooks/run {notebook}" and f"reports/{notebook}.ipynb" in outs
    for path, options in outs.items():
        assert (options.get("cache") is False) == path.startswith("reports/"), f"{path}: reports/ is in git, data/ in DVC's cache"
        assert options.get("persist"), f"{path}: a stage that fails must leave the last good files"


def test_stages_stand_in_the_order_of_reading_and_need_no_later_one_and_no_study():
    *names, last = map(notebook_of, STAGES.values())
    assert names == sorted(names) and last == "00_overview"
    assert {f"{name}.ipynb" for name in (*names, last)} == {path.name for path in NOTEBOOKS.glob("*.ipynb")}
    maker = {path: place for place, stage in enumerate(STAGES.values()) for path, _ in smoke.outs_of(stage)}
    studied = {path: len(STAGES) for stage in STUDY_STAGES.values() for path, _ in smoke.outs_of(stage)}
    for place, stage in enumerate(STAGES.values()):
        assert all((studied | maker).get(dep, -1) < place for dep in stage["deps"]), notebook_of(stage)


def test_every_section_of_parameters_is_some_stages():
    given, sections = {name for stage in STAGES.values() for name in stage.get("params", [])}, load_parameters()
    assert {"seed", *(name for name, knobs in sections.items() if knobs)} <= given <= set(sections)


@pytest.mark.parametrize("path", sorted((SOURCES / "faceup").glob("*/*.py")), ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_imports_go_one_way_and_in_no_circle(path):
    files, own = imported(ast.parse(path.read_bytes())), path.parent.name
    above = {file.parent.name for file in files if ROOMS.get(file.parent.name, 6) >= ROOMS.get(own, 6)} - {own, "faceup"}
    assert not above, f"{own} imports {', '.join(sorted(above))}, expected only packages above it in CONTRIBUTING's table"
    assert path not in closure(files), f"{path} imports itself, by way of others"


@each_notebook
def test_all_that_a_notebook_imports_is_there(path):
    for node in ast.walk(code_of(path)):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("faceup"):
            module = importlib.import_module(node.module)
            missing = [a.name for a in node.names if not hasattr(module, a.name) and not module_file(f"{node.module}.{a.name}")]
            assert not missing, f"{node.module} has no {', '.join(missing)}"


@each_notebook
def test_notebook_sources_are_tidy_and_show_the_default_parameters(path):
    nb = nbformat.read(path, as_version=4)
    assert all(not cell.get("outputs") and not cell.get("execution_count") for cell in nb.cells)
    assert as_text(nb) == path.read_text(encoding="utf-8"), "to mend: python -m faceup.lab.run --strip"
    values = chosen(nb, load_parameters(), path.parent == STUDIES)
    assert defaults(nb) | values == defaults(nb), "its cell tagged `parameters` is not params.yaml's"
    for code in tagged(nb, "figure"):
        assert len(code.splitlines()) <= 25, f"{code}\n\nexpected 25 lines at most: what is no drawing goes before"


def test_figures_drawn_again_from_their_numbers_are_the_same_bytes(tmp_path):
    """All of the pipeline's in reports/, in a folder without data."""
    for name in ("notebooks", "reports/numbers"):
        shutil.copytree(ROOT / name, tmp_path / name)
    for name in ("params.yaml", "kinds.yaml"):
        shutil.copy(ROOT / name, tmp_path)
    around = os.environ | {"FACEUP_ROOT": str(tmp_path), "PYTHONPATH": str(SOURCES)}
    done = subprocess.run([sys.executable, "-m", "faceup.lab.run", "--figures"], env=around, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    numbers = ROOT / "reports" / "numbers"
    shown = [file for stage in numbers.iterdir() for file in (ROOT / "reports" / "figures" / stage.name).iterdir()]
    known = {file.relative_to(ROOT): file.read_bytes() for file in shown}
    drawn = {file.relative_to(tmp_path): file.read_bytes() for file in tmp_path.rglob("*.png")}
    assert len(drawn) == len([*numbers.rglob("*.json")])
    other = {str(name) for name in {*known, *drawn} if known.get(name) != drawn.get(name)}
    assert not other, f"{', '.join(other)} are other bytes, to mend: make figures, and git diff tells what has changed"


def test_no_path_of_a_machine_stands_in_a_tracked_file():
    machine = re.compile(rb"(?<![\w.~])/(?:work|root|home|Users|tmp)/\w")
    for name in smoke.tracked():  # or would be
        found = machine.search((ROOT / name).read_bytes())
        assert not found, f"{name} names {found.group().decode()}..., expected no path of a machine"


def test_the_lock_pins_every_direct_dependency():
    lock = [line for line in (ROOT / "requirements.lock").read_text().splitlines() if line[0] != "#"]
    pins = [re.fullmatch(r"([A-Za-z0-9._-]+)==[\w.]+( ; .+)?", line) for line in lock]  # no URL, no local version such as +cpu
    pinned = {pin and pin[1].lower() for pin in pins}
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    wanted = [*project["dependencies"], *project["optional-dependencies"]["test"]]
    assert {re.match(r"[A-Za-z0-9._-]+", line)[0].lower() for line in wanted} <= pinned and None not in pinned
    assert not [name for name in pinned if name.startswith(("nvidia", "triton", "cuda"))]
