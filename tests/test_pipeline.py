"""The pipeline as a whole: its shape, its sources, their style, random streams."""

import ast
import importlib
import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections import defaultdict
from pathlib import Path

import nbformat
import pytest
import smoke

from faceup.lab.parameters import load_parameters, read_yaml
from faceup.lab.run import parameters_of
from faceup.util.fingerprint import SOURCES, closure, imported, module_file
from faceup.util.paths import NOTEBOOKS, ROOT, STUDIES

# what each package may import, beside itself
ARROWS = {"util": "", "cards": "util", "games": "util", "trees": "util cards"}
ARROWS |= {
    "holdem": "util cards games trees",
    "lab": "util",
    "pages": "util cards games trees holdem",
}
PAPER = "util cards games trees holdem"
STAGES, STUDY_STAGES = (read_yaml(folder / "dvc.yaml")["stages"] for folder in (ROOT, STUDIES))
README = STAGES.pop("readme")  # the one stage without a notebook


def notebook_of(stage: dict) -> str:
    """Its name, e.g. "30_leduc" or "studies/lbr"."""
    return stage["cmd"].split()[-1]


def code_of(path) -> ast.Module:
    """The code of a notebook's cells."""
    cells = nbformat.read(path, as_version=4).cells
    lines = (
        line for cell in cells if cell.cell_type == "code" for line in cell.source.splitlines()
    )
    return ast.parse("\n".join(line for line in lines if not line.lstrip().startswith("%")))


@pytest.mark.parametrize("stage", [*STAGES.values(), *STUDY_STAGES.values()], ids=notebook_of)
def test_a_stage_names_its_packages_its_parameters_and_what_it_makes(stage):
    notebook, (first, *deps), outs = notebook_of(stage), stage["deps"], dict(smoke.outs_of(stage))
    path = NOTEBOOKS / f"{notebook}.ipynb"
    files = closure(imported(code_of(path)) | {module_file("faceup.lab.run")})
    packages = [ROOT / dep for dep in deps if dep.startswith("src/")]
    assert first == f"notebooks/{notebook}.ipynb"
    assert {package for file in files for package in packages if file.is_relative_to(package)} == {
        *packages
    }
    assert [file for file in files if not any(map(file.is_relative_to, packages))] == []
    nb, own, _ = parameters_of(path)
    assert stage.get("params", []) == ["seed"] * ("seed" in own) + nb.metadata["faceup"]["sections"]
    assert stage["cmd"] == f"sh notebooks/run {notebook}" and f"reports/{notebook}.ipynb" in outs
    for out, options in outs.items():
        assert (options.get("cache") is False) == out.startswith("reports/"), (
            f"{out}: reports/ is in git, data/ in DVC's cache"
        )
        assert options.get("persist"), f"{out}: a stage that fails must leave the last good files"


def test_an_edit_of_what_draws_or_talks_makes_no_stage_stale_that_computes():
    pages = {"pages/explorer.py": {"explorer"}, "pages/main.js": {"explorer"}}
    for edited, stale in (
        pages
        | {"holdem/figures.py": set(), "papers/hunl/slumbot.py": set(), "lab/stages.py": set()}
    ).items():
        file = Path("src/faceup", edited)
        unseen = any(
            file.match(line.lstrip("/")) for line in (ROOT / ".dvcignore").read_text().splitlines()
        )
        seen_by = {
            name for name, stage in STAGES.items() if any(map(file.is_relative_to, stage["deps"]))
        }
        assert (ROOT / file).is_file() and (set() if unseen else seen_by) == stale, edited


def test_stages_are_in_order_need_no_later_one_and_no_study_and_use_all_parameters():
    *names, last = map(notebook_of, STAGES.values())
    assert names == sorted(names) and last == "00_overview"
    assert {f"{name}.ipynb" for name in (*names, last)} == {
        path.name for path in NOTEBOOKS.glob("*.ipynb")
    }
    maker = {
        path: place
        for place, stage in enumerate(STAGES.values())
        for path, _ in smoke.outs_of(stage)
    }
    studied = {
        path: len(STAGES) for stage in STUDY_STAGES.values() for path, _ in smoke.outs_of(stage)
    }
    for place, stage in enumerate(STAGES.values()):
        # the overview judges claims by studies, too
        deps = {*stage["deps"]} - (smoke.STUDIED if notebook_of(stage) == last else set())
        assert all((studied | maker).get(dep, -1) < place for dep in deps), notebook_of(stage)
    assert {dep for dep in README["deps"] if dep.startswith("reports/")} <= {*maker} | smoke.STUDIED
    given = {name for stage in STAGES.values() for name in stage.get("params", [])}
    sections = load_parameters()
    filled = {name for name, parameters in sections.items() if parameters}
    assert {"seed", *filled} <= given <= set(sections)


def test_imports_go_one_way_and_in_no_circle():
    for path in sorted((SOURCES / "faceup").rglob("*/*.py")):
        package, paper = path.relative_to(SOURCES / "faceup").parts[:2]
        own = f"papers/{paper}" if package == "papers" else package
        allowed = {own, *ARROWS.get(own, PAPER).split()}
        for file in imported(ast.parse(path.read_bytes())):
            parts = file.relative_to(SOURCES / "faceup").parts
            found = "/".join(parts[:2]) if parts[0] == "papers" else parts[0]
            assert found in allowed, f"{path} imports {file}, expected one of {sorted(allowed)}"
        others = closure(imported(ast.parse(path.read_bytes())))
        assert path not in others, f"{path} imports itself, by way of others"


@pytest.mark.parametrize(
    "path", [*NOTEBOOKS.glob("*.ipynb"), *STUDIES.glob("*.ipynb")], ids=lambda path: path.stem
)
def test_notebook_sources_are_tidy_show_the_default_parameters_and_import_what_is_there(path):
    nb = nbformat.read(path, as_version=4)
    for node in ast.walk(code_of(path)):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("faceup"):
            module = importlib.import_module(node.module)
            missing = [
                a.name
                for a in node.names
                if not hasattr(module, a.name) and not module_file(f"{node.module}.{a.name}")
            ]
            assert not missing, f"{node.module} has no {', '.join(missing)}"
    outputs = [cell for cell in nb.cells if cell.get("outputs") or cell.get("execution_count")]
    assert not outputs, f"to mend: jupyter nbconvert --clear-output --inplace {path}"
    _, own, values = parameters_of(path)
    assert own | values == own, "its cell tagged `parameters` is not params.yaml's"


def named_metrics(text):
    """Metrics that the numbers of a text come from."""
    return {found.strip() for found in re.findall(r"\{\{([^{}.:]*)\.", text)}


def metrics_behind(stages, stage):
    """Metrics of a stage and of those that it depends on, directly or not."""
    made = {Path(path).stem for path, _ in smoke.outs_of(stage) if "/metrics/" in path}
    for other in stages:
        pairs = [(f"{dep}/", f"{out}/") for dep in stage["deps"] for out, _ in smoke.outs_of(other)]
        if any(dep.startswith(out) or out.startswith(dep) for dep, out in pairs):
            made |= metrics_behind(stages, other)
    return made


def test_prose_has_numbers_of_stages_behind_it_alone():
    pipeline, all_stages = [*STAGES.values()], [*STAGES.values(), *STUDY_STAGES.values()]
    for stage in all_stages:
        path = NOTEBOOKS / f"{notebook_of(stage)}.ipynb"
        cells = nbformat.read(path, as_version=4).cells
        text = "".join(cell.source for cell in cells if cell.cell_type == "markdown")
        stages = pipeline if stage in pipeline else all_stages
        assert named_metrics(text) <= metrics_behind(stages, stage), path.name
    template = (ROOT / "docs" / "README.in.md").read_text(encoding="utf-8")
    assert named_metrics(template) - {"benchmarks"} <= metrics_behind(all_stages, README)


@pytest.mark.parametrize("path", NOTEBOOKS.glob("**/*.ipynb"), ids=lambda path: path.stem)
def test_a_notebook_has_at_most_450_lines_of_code(path):
    """700 where it holds all of a small paper."""
    nb = nbformat.read(path, as_version=4)
    lines = "\n".join(cell.source for cell in nb.cells if cell.cell_type == "code").splitlines()
    small_papers = ("20_human_rules", "30_leduc", "40_discard", "50_bayes")
    assert sum(map(bool, lines)) <= (700 if path.stem in small_papers else 450)


def test_figures_are_drawn_from_their_numbers_alone(tmp_path):
    """All of the pipeline's in reports/, in a folder without data."""
    for name in ("notebooks", "reports/numbers"):
        shutil.copytree(ROOT / name, tmp_path / name)
    for name in ("params.yaml", "params.schema.yaml"):
        shutil.copy(ROOT / name, tmp_path)
    around = os.environ | {"FACEUP_ROOT": str(tmp_path), "PYTHONPATH": str(SOURCES)}
    command = [sys.executable, "-m", "faceup.lab.run", "--figures"]
    done = subprocess.run(command, env=around, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    numbers = ROOT / "reports" / "numbers"
    shown = [
        file
        for stage in numbers.iterdir()
        for file in (ROOT / "reports" / "figures" / stage.name).iterdir()
    ]
    assert {file.relative_to(tmp_path) for file in tmp_path.rglob("*.png")} == {
        file.relative_to(ROOT) for file in shown
    }


def test_no_path_of_a_machine_stands_in_a_tracked_file():
    machine = re.compile(rb"(?<![\w.~])/(?:work|root|home|Users|tmp)/\w")
    for name in smoke.tracked():  # or would be
        found = machine.search((ROOT / name).read_bytes())
        assert not found, f"{name} names {found.group().decode()}..., expected no path of a machine"


def test_the_lock_pins_every_direct_dependency():
    lock = [
        line for line in (ROOT / "requirements.lock").read_text().splitlines() if line[0] != "#"
    ]
    # no URL, no local version such as +cpu
    pins = [re.fullmatch(r"([A-Za-z0-9._-]+)==[\w.]+( ; .+)?", line) for line in lock]
    pinned = {pin and pin[1].lower() for pin in pins}
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = [
        line
        for name, of in project["optional-dependencies"].items()
        if name != "browser"
        for line in of
    ]
    wanted = project["dependencies"] + extras
    assert {re.match(r"[A-Za-z0-9._-]+", line)[0].lower() for line in wanted} <= pinned
    assert None not in pinned
    assert not [name for name in pinned if name.startswith(("nvidia", "triton", "cuda"))]


# --- streams of random numbers

# by robust and matches, so that differences are paired; by distill and selfplay_time, for its costs
SHARED = {"matches/boards", "distill/boards"}
MAKER = re.compile(r"(?m:^\s*(?:import|from) random\b)|np\.random\.(?!Generator)\w+")


def sources():
    """Name and syntax tree of each module, and of each notebook of the pipeline."""
    yield from ((path.stem, ast.parse(path.read_text())) for path in (ROOT / "src").rglob("*.py"))
    yield from ((path.stem, code_of(path)) for path in NOTEBOOKS.glob("*.ipynb"))


def words_of(node):
    """The words of a stream in rng(seed, words) or partial(rng, seed, words), else ""."""
    match node:
        case ast.Call(ast.Name("rng"), [_, words, *_]) | ast.Call(
            ast.Name("partial"), [ast.Name("rng"), _, words]
        ):
            return "".join(
                part.value if isinstance(part, ast.Constant) else "{}"
                for part in getattr(words, "values", [words])
            )
    return ""


def test_each_stream_is_used_in_one_place_and_nothing_else_makes_generators():
    places, found = defaultdict(list), [*sources()]
    for name, tree in found:
        for words in filter(None, map(words_of, ast.walk(tree))):
            places[words].append(name)
    assert {words for words, names in places.items() if len(names) > 1} == SHARED
    makers = {(name, maker) for name, tree in found for maker in MAKER.findall(ast.unparse(tree))}
    assert makers == {("rng", "np.random.default_rng")}
