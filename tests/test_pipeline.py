"""The pipeline as a whole: its shape, its sources, and the style that they keep."""

import ast
import importlib
import re
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
from faceup.lab.run import as_text, chosen, defaults

# every other package is a paper's, in the last room: papers do not import each other
ROOMS = {"lab": 1, "cards": 2, "games": 3, "trees": 4, "holdem": 5}
STAGES, STUDY_STAGES = (read_yaml(folder / "dvc.yaml")["stages"] for folder in (ROOT, STUDIES))
SOURCE_NOTEBOOKS = sorted([*NOTEBOOKS.glob("*.ipynb"), *STUDIES.glob("*.ipynb")])
MODULES = sorted((SOURCES / "faceup").rglob("*.py"))


def name_of(path: Path) -> str:
    """How a file is called in a test's name."""
    return path.relative_to(ROOT).as_posix()


def notebook_of(stage: dict) -> str:
    """Its name, e.g. "30_leduc" or "studies/lbr"."""
    return stage["cmd"].split()[-1]


def outs_of(stage: dict) -> dict[str, dict]:
    """What a stage makes, path -> options."""
    return {path: options for out in [*stage["outs"], *stage.get("metrics", [])] for path, options in out.items()}


# --- shape --------------------------------------------------------------------------------------------------


def code_of(path: Path) -> ast.Module:
    """The code of a notebook's cells."""
    cells = nbformat.read(path, as_version=4).cells
    lines = (line for cell in cells if cell.cell_type == "code" for line in cell.source.splitlines())
    return ast.parse("\n".join(line for line in lines if not line.lstrip().startswith("%")))


def files_of(notebook: str) -> set[str]:
    """The files of this package that a notebook's cells, and the runner, import directly or not."""
    files = imported(code_of(NOTEBOOKS / f"{notebook}.ipynb")) | {module_file("faceup.lab.run")}
    return {name_of(file) for file in closure(files)}


def lies_in(file: str, place: str) -> bool:
    """Whether a path is a place, or in the folder of that name."""
    return f"{file}/".startswith(f"{place}/")


@pytest.mark.parametrize("stage", [*STAGES.values(), *STUDY_STAGES.values()], ids=notebook_of)
def test_a_stage_depends_on_the_packages_that_its_notebook_uses(stage):
    notebook = notebook_of(stage)
    files, (first, *deps) = files_of(notebook), stage["deps"]
    missing = [file for file in files if not any(lies_in(file, dep) for dep in deps)]
    assert first == f"notebooks/{notebook}.ipynb" and missing == []
    assert not [dep for dep in deps if dep.startswith("src/") and not any(lies_in(file, dep) for file in files)]


@pytest.mark.parametrize(
    ("edited", "stale"),
    [
        ("pages/explorer.py", {"explorer"}),
        ("pages/main.js", {"explorer"}),
        ("holdem/figures.py", set()),
        ("holdem/slumbot.py", set()),
        ("lab/pictures.py", set()),
        ("trees/figures.py", set()),
    ],
)
def test_an_edit_of_what_draws_or_talks_makes_no_stage_stale_that_computes(edited, stale):
    file = f"src/faceup/{edited}"
    if any(Path(file).match(line.lstrip("/")) for line in (ROOT / ".dvcignore").read_text().splitlines()):
        assert (ROOT / file).is_file() and not stale
    else:
        assert {name for name, stage in STAGES.items() if any(lies_in(file, dep) for dep in stage["deps"])} == stale


def test_stages_stand_in_the_order_of_reading_and_need_only_earlier_ones():
    *names, last = map(notebook_of, STAGES.values())
    assert names == sorted(names) and last == "00_overview"
    maker = {path: place for place, stage in enumerate(STAGES.values()) for path in outs_of(stage)}
    for place, (name, stage) in enumerate(STAGES.items()):
        assert all(maker.get(dep, -1) < place for dep in stage["deps"]), name
    assert {f"{notebook_of(stage)}.ipynb" for stage in STAGES.values()} == {path.name for path in NOTEBOOKS.glob("*.ipynb")}


@pytest.mark.parametrize(("key", "stage"), [*STAGES.items(), *STUDY_STAGES.items()], ids=str)
def test_a_stage_names_its_parameters_and_what_it_makes(key, stage):
    notebook = notebook_of(stage)
    nb = nbformat.read(NOTEBOOKS / f"{notebook}.ipynb", as_version=4)
    assert stage.get("params", []) == ["seed"] * ("seed" in defaults(nb)) + nb.metadata["faceup"]["sections"]
    assert stage["cmd"] == f"sh notebooks/run {notebook}" and f"reports/{notebook}.ipynb" in outs_of(stage)
    for path, options in outs_of(stage).items():
        assert (options.get("cache") is False) == path.startswith("reports/"), f"{path}: reports/ is in git, data/ in DVC's cache"
        assert options.get("persist"), f"{path}: a stage that fails must leave the last good files"
        assert not path.startswith("reports/figures/") or path in (f"reports/figures/{key}", "reports/figures/stand_in")
    assert all(path.startswith("reports/metrics/") for out in stage.get("metrics", []) for path in out)


def test_studies_stand_aside():
    """Their paths are from the root, and nothing that they make is another stage's or what the pipeline uses."""
    assert all(stage["wdir"] == "../.." for stage in STUDY_STAGES.values())
    made = [path for stage in [*STAGES.values(), *STUDY_STAGES.values()] for path in outs_of(stage)]
    assert len(made) == len(set(made))
    studied = {path for stage in STUDY_STAGES.values() for path in outs_of(stage)}
    assert not [path for stage in STAGES.values() for path in stage["deps"] if path in studied]


def test_every_section_of_parameters_is_some_stages():
    given, sections = {name for stage in STAGES.values() for name in stage.get("params", [])}, load_parameters()
    assert {"seed", *(name for name, knobs in sections.items() if knobs)} <= given <= set(sections)


def room(path: Path) -> str:
    """The package that a module lives in, e.g. "cards"; "faceup" for the package itself."""
    parts = path.relative_to(SOURCES / "faceup").parts
    return parts[0] if len(parts) > 1 else "faceup"


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_imports_go_one_way_and_in_no_circle(path):
    files = imported(ast.parse(path.read_bytes()))
    own, used = room(path), {room(file) for file in files} - {room(path), "faceup"}
    above = [other for other in used if own != "faceup" and ROOMS.get(other, 6) >= ROOMS.get(own, 6)]
    assert not above, f"{own} imports {', '.join(sorted(above))}, expected only packages above it in CONTRIBUTING's table"
    assert path not in closure(files), f"{name_of(path)} imports itself, by way of others"


@pytest.mark.parametrize("path", SOURCE_NOTEBOOKS, ids=name_of)
def test_all_that_a_notebook_imports_is_there(path):
    for node in ast.walk(code_of(path)):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("faceup"):
            module = importlib.import_module(node.module)
            missing = [a.name for a in node.names if not hasattr(module, a.name) and not module_file(f"{node.module}.{a.name}")]
            assert not missing, f"{node.module} has no {', '.join(missing)}"


# --- sources ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", SOURCE_NOTEBOOKS, ids=name_of)
def test_notebook_sources_are_tidy_and_show_the_default_parameters(path):
    nb = nbformat.read(path, as_version=4)
    assert all(not cell.get("outputs") and not cell.get("execution_count") for cell in nb.cells)
    assert as_text(nb) == path.read_text(encoding="utf-8"), "to mend: python -m faceup.lab.run --strip"
    values = chosen(nb, load_parameters(), path.parent == STUDIES)
    assert defaults(nb) | values == defaults(nb), "its cell tagged `parameters` is not params.yaml's"


@pytest.mark.parametrize("arguments", [("check", "."), ("format", "--check", ".")], ids=lambda a: a[0])
def test_ruff(arguments):
    done = subprocess.run([sys.executable, "-m", "ruff", *arguments], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_no_path_of_a_machine_stands_in_a_tracked_file():
    machine = re.compile(rb"(?<![\w.~])/(?:work|root|home|Users|tmp)/\w")
    for name in smoke.tracked():  # or would be
        found = machine.search((ROOT / name).read_bytes())
        assert not found, f"{name} names {found.group().decode()}..., expected no path of a machine"


def test_the_lock_pins_every_direct_dependency():
    lock = [line for line in (ROOT / "requirements.lock").read_text().splitlines() if line[0] != "#"]
    pins = [re.fullmatch(r"([A-Za-z0-9._-]+)==[\w.]+( ; .+)?", line) for line in lock]  # no URL, no local version such as +cpu
    assert all(pins), [line for line, pin in zip(lock, pins, strict=True) if not pin]
    pinned = {pin[1].lower() for pin in pins}
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    wanted = [*project["dependencies"], *project["optional-dependencies"]["test"]]
    assert {re.match(r"[A-Za-z0-9._-]+", line)[0].lower() for line in wanted} <= pinned
    assert not [name for name in pinned if name.startswith(("nvidia", "triton", "cuda"))]
