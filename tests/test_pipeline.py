"""The pipeline as a whole: its shape and sources, reports of the committed code, a run at toy size."""

import ast
import json
import math
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import nbformat
import pytest
import yaml

from faceup.notebook.paths import ROOT
from faceup.notebook.run_notebook import cleaned, declared, parameters_cell, parameters_of
from faceup.notebook.schema import SCHEMA, STUDIES, Rule
from faceup.notebook.source_code import SOURCES, closure, codes, imported_files, imports_of, module_name
from faceup.notebook.stages import PIPELINE, notebook_of, outs_of, stages_of, undeclared
from faceup.notebook.stages import STUDIES as STUDY_PIPELINE

ROOMS = {"notebook": 1, "cards": 2, "games": 3, "trees": 4, "holdem": 5, "leduc": 6, "onecard": 6}
STAGES = stages_of(PIPELINE)
STUDY_STAGES = stages_of(STUDY_PIPELINE)
STUDY_PARAMETERS = "notebooks/studies/params.yaml"
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
STUDY_NOTEBOOKS = sorted((ROOT / "notebooks" / "studies").glob("*.ipynb"))
MODULES = sorted((SOURCES / "faceup").rglob("*.py"))


def name_of(path: Path) -> str:
    """How a file is called in a test's name."""
    return path.relative_to(ROOT).as_posix()


def python(*arguments: str) -> subprocess.CompletedProcess:
    """Run this Python in the repository."""
    return subprocess.run([sys.executable, *arguments], cwd=ROOT, capture_output=True, text=True)


def tracked_files() -> list[Path]:
    """Every file that git tracks or would track."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    return [ROOT / name for name in listed.split("\0") if name and (ROOT / name).is_file()]


# --- shape --------------------------------------------------------------------------------------------------


def modules_of(notebook: str) -> set[str]:
    """The modules of this package that a notebook's cells, and the runner, import directly or not."""
    nb = nbformat.read(ROOT / "notebooks" / f"{notebook}.ipynb", as_version=4)
    lines = (line for cell in nb.cells if cell.cell_type == "code" for line in cell.source.splitlines())
    code = "\n".join(["import faceup.notebook.run_notebook", *(line for line in lines if not line.lstrip().startswith("%"))])
    return set(
        map(
            module_name,
            closure(imported_files(name for part in codes(compile(code, notebook, "exec")) for name in part.co_names)),
        )
    )


@pytest.mark.parametrize("stage", [*STAGES.values(), *STUDY_STAGES.values()], ids=notebook_of)
def test_a_stage_depends_on_the_packages_that_its_notebook_uses(stage):
    notebook = notebook_of(stage)
    modules = modules_of(notebook)
    assert stage["deps"][0] == f"notebooks/{notebook}.ipynb" and not undeclared(stage, modules)
    used = {"src/" + name.rpartition(".")[0].replace(".", "/") for name in modules}
    assert {dep for dep in stage["deps"] if dep.startswith("src/")} == used


@pytest.mark.parametrize("stage", [*STAGES.values(), *STUDY_STAGES.values()], ids=notebook_of)
def test_a_stage_has_the_parameters_that_its_notebook_names(stage):
    nb = nbformat.read(ROOT / "notebooks" / f"{notebook_of(stage)}.ipynb", as_version=4)
    names = ["seed"] if "seed" in declared(parameters_cell(nb).source) else []
    names += nb.metadata["faceup"]["sections"]
    own = [name for name in names if name not in SCHEMA]
    assert stage.get("params", []) == [name for name in names if name in SCHEMA] + ([{STUDY_PARAMETERS: own}] if own else [])


@pytest.mark.parametrize(
    ("stages", "notebooks"), [(STAGES, NOTEBOOKS), (STUDY_STAGES, STUDY_NOTEBOOKS)], ids=["pipeline", "studies"]
)
def test_every_notebook_has_a_stage_and_its_report_is_in_git(stages, notebooks):
    named = {notebook_of(stage): (key, stage) for key, stage in stages.items()}
    names = [path.relative_to(ROOT / "notebooks").with_suffix("").as_posix() for path in notebooks]
    assert sorted(named) == names
    for name, (key, stage) in named.items():
        assert f"reports/{name}.ipynb" in outs_of(stage)
        for path, options in outs_of(stage).items():
            in_git = options.get("cache") is False
            assert in_git == path.startswith("reports/"), f"{path}: reports/ is in git, data/ in DVC's cache"
            assert options.get("persist"), f"{path}: a stage that fails must leave the last good files"
            assert not path.startswith("reports/figures/") or path == f"reports/figures/{key}"
        assert all(path.startswith("reports/metrics/") for out in stage.get("metrics", []) for path in out)


def test_studies_stand_aside():
    """Their paths are from the root, and nothing that they make is another stage's or what the pipeline uses."""
    assert all(stage["wdir"] == "../.." for stage in STUDY_STAGES.values())
    made = [path for stage in [*STAGES.values(), *STUDY_STAGES.values()] for path in outs_of(stage)]
    assert len(made) == len(set(made))
    studied = {path for stage in STUDY_STAGES.values() for path in outs_of(stage)}
    assert not [path for stage in STAGES.values() for path in stage["deps"] if path in studied]


def test_every_section_of_parameters_is_some_stages():
    given = [name for stage in STAGES.values() for name in stage.get("params", [])]
    with_knobs = {name for name, rules in SCHEMA.items() if isinstance(rules, Rule) or rules}
    assert with_knobs <= set(given) <= set(SCHEMA)
    of_studies = [name for stage in STUDY_STAGES.values() for name in stage.get("params", []) if isinstance(name, dict)]
    assert {name for names in of_studies for name in names[STUDY_PARAMETERS]} == set(STUDIES)
    assert not set(SCHEMA) & set(STUDIES)


def room(path: Path) -> str:
    """The package that a module lives in, e.g. "cards"; "faceup" for the package itself."""
    parts = path.relative_to(SOURCES / "faceup").parts
    return parts[0] if len(parts) > 1 else "faceup"


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_imports_go_one_way(path):
    own, used = room(path), {room(file) for file in imports_of(path)} - {room(path), "faceup"}
    above = [other for other in used if own != "faceup" and ROOMS[other] >= ROOMS[own]]
    assert not above, f"{own} imports {', '.join(sorted(above))}, expected only packages above it in DESIGN's table"


def test_no_circles():
    for path in MODULES:
        assert path not in closure(imports_of(path)), f"{name_of(path)} imports itself, by way of others"


# --- sources ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", [*NOTEBOOKS, *STUDY_NOTEBOOKS], ids=name_of)
def test_notebook_sources_are_clean_and_show_the_default_parameters(path):
    nb = nbformat.read(path, as_version=4)
    assert all(not cell.get("outputs") for cell in nb.cells)
    assert sum("parameters" in cell.metadata.get("tags", []) for cell in nb.cells) == 1
    text = nbformat.writes(cleaned(nb, parameters_of(path))) + "\n"
    assert text == path.read_text(), "to mend: python -m faceup.notebook.run_notebook --clean"


@pytest.mark.parametrize("arguments", [("check", "."), ("format", "--check", ".")], ids=lambda a: a[0])
def test_ruff(arguments):
    done = python("-m", "ruff", *arguments)
    assert done.returncode == 0, done.stdout + done.stderr


def test_no_path_of_a_machine_stands_in_a_tracked_file():
    machine = re.compile(rb"(?<![\w.~])/(?:work|root|home|Users|tmp)/\w")
    for path in tracked_files():
        found = machine.search(path.read_bytes())
        assert not found, f"{name_of(path)} names {found.group().decode()}..., expected no path of a machine"


def test_the_lock_pins_every_direct_dependency():
    lock = [line for line in (ROOT / "requirements.lock").read_text().splitlines() if line[0] != "#"]
    pin = re.compile(r"([A-Za-z0-9._-]+)==[\w.]+( ; .+)?")  # no URL, and no local version such as +cpu
    wrong = [line for line in lock if not pin.fullmatch(line)]
    assert not wrong
    pinned = {pin.fullmatch(line)[1].lower() for line in lock}
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    wanted = [*project["dependencies"], *project["optional-dependencies"]["test"]]
    assert {re.match(r"[A-Za-z0-9._-]+", line)[0].lower() for line in wanted} <= pinned
    assert not [name for name in pinned if name.startswith(("nvidia", "triton", "cuda"))]


# --- the committed reports ----------------------------------------------------------------------------------


@pytest.mark.skipif(not (ROOT / "dvc.lock").exists(), reason="the pipeline has never been run here")
def test_the_committed_reports_are_of_this_code():
    done = python("-m", "dvc", "repro", "--dry", "--allow-missing")
    news = [line for line in done.stdout.splitlines() if not line.endswith("didn't change, skipping")]
    assert done.returncode == 0 and news == ["Data and pipelines are up to date."], done.stdout + done.stderr
    locked = yaml.safe_load((ROOT / "dvc.lock").read_text())["stages"]
    assert sorted(locked) == sorted(STAGES)
    # a missing data file is what --allow-missing allows; a report has to be there
    made = [path for stage in STAGES.values() for path in outs_of(stage) if path.startswith("reports/")]
    assert not [path for path in made if not (ROOT / path).exists()]


# --- at toy size --------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def smoke(tmp_path_factory) -> Path:
    """A folder in which the whole pipeline has run with params/smoke.yaml, as `make smoke` does."""
    folder = tmp_path_factory.mktemp("smoke")
    done = python("tests/smoke.py", str(folder))
    assert done.returncode == 0, (done.stdout + done.stderr)[-4000:]
    return folder


def numbers(value: object, where: str) -> dict[str, float]:
    """Every number in a JSON value, by its place."""
    if isinstance(value, dict | list):
        items = value.items() if isinstance(value, dict) else enumerate(value)
        return {place: x for key, item in items for place, x in numbers(item, f"{where}.{key}").items()}
    return {where: value} if isinstance(value, int | float) else {}


@pytest.mark.slow
def test_smoke_every_stage_leaves_its_files(smoke):
    missing = [path for stage in STAGES.values() for path in outs_of(stage) if not (smoke / path).exists()]
    assert not missing


@pytest.mark.slow
@pytest.mark.parametrize("name", [path.stem for path in NOTEBOOKS])
def test_smoke_reports_ran_to_the_end_without_error(smoke, name):
    nb = nbformat.read(smoke / "reports" / f"{name}.ipynb", as_version=4)
    code = [cell for cell in nb.cells if cell.cell_type == "code" and cell.source.strip()]
    assert [cell.execution_count for cell in code] == list(range(1, len(code) + 1))
    assert not [output for cell in code for output in cell.outputs if output.output_type == "error"]
    ast.parse(code[0].source)
    assert str(smoke) not in nbformat.writes(nb)


@pytest.mark.slow
def test_smoke_optimal_trees_fit_no_worse_than_greedy_ones(smoke):
    """By rounds and depths on the rows trained on, and neither goes below what the features allow."""
    found = json.loads((smoke / "reports" / "metrics" / "distill.json").read_text())["depths"]
    assert len({(entry["round"], entry["depth"]) for entry in found}) == len(found) >= 8
    for entry in found:
        assert entry["floor"] - 1e-6 <= entry["oct_loss"] <= 1.01 * entry["cart_loss"], entry


@pytest.mark.slow
def test_smoke_metrics_are_finite_numbers(smoke):
    paths = sorted((smoke / "reports" / "metrics").glob("*.json"))
    assert paths, "expected reports/metrics/*.json"
    for path in paths:
        found = numbers(json.loads(path.read_text()), path.name)
        assert found, f"{path.name} holds no number"
        assert not {place: x for place, x in found.items() if not math.isfinite(x)}


@pytest.mark.slow
def test_smoke_every_pair_has_met_once(smoke):
    """With a result, an interval and a hand's spread each; the stand-in among them."""
    pairs = json.loads((smoke / "reports" / "metrics" / "head_to_head.json").read_text())["pairs"]
    names = {pair[key] for pair in pairs for key in ("first", "second")}
    met = {frozenset((pair["first"], pair["second"])) for pair in pairs}
    assert len(met) == len(pairs) == len(names) * (len(names) - 1) // 2 and "stand-in" in names
    for pair in pairs:
        assert pair["ci95"] >= 0 and pair["games"] >= 4 and (pair["how"] == "AIVAT") == (pair["boards"] is None), pair
        assert pair["sd_hand"] > 0, pair  # blinds at least change hands


@pytest.mark.slow
def test_smoke_all_that_learned_play_argmax_as_well(smoke):
    """Against each other, the table and the stand-in; hands against the stand-in are scored with less luck."""
    found = json.loads((smoke / "reports" / "metrics" / "head_to_head.json").read_text())
    assert set(found["argmax"]) == {"table", "CART", "OCT", "XGBoost", "NN"}
    for name, played in found["argmax"].items():
        cures = {"gain_of_argmax_against_stand_in"} | ({"gain_of_threshold_against_stand_in"} & set(played))
        assert set(played) == {"table", "stand_in"} | cures, name
    met = {frozenset((pair["first"], pair["second"])) for pair in found["argmax_pairs"]}
    assert len(met) == len(found["argmax_pairs"]) == 15  # five agents and the stand-in
    scored = [pair for pair in found["pairs"] if pair["second"] == "stand-in"]
    assert len(scored) == 8 and all(pair["sd_scored"] > 0 for pair in scored)


@pytest.mark.slow
def test_smoke_the_stand_in_opens_with_every_hand_in_some_way(smoke):
    opening = json.loads((smoke / "reports" / "metrics" / "stand_in.json").read_text())["first_in_percent"]
    assert all(sum(shares.values()) == pytest.approx(100, abs=1e-3) for shares in opening.values())


@pytest.mark.slow
def test_smoke_exploitability_is_of_one_piece(smoke):
    """Folding and moving all-in lose what is known; leaks of later streets are parts of those of earlier ones."""
    found = json.loads((smoke / "reports" / "metrics" / "exploitability.json").read_text())
    for measured in found["known"].values():
        assert measured["mbb"] == pytest.approx(measured["known"], rel=1e-3)
    assert {agent["name"] for agent in found["main"]} == {"table", "CART", "OCT"}
    for agent in found["main"]:
        flop, turn, river = (agent["from_street"][street] for street in ("flop", "turn", "river"))
        assert flop >= turn >= river >= 0
        assert set(agent["lbr"]) == {"fc, rounds 1-4", "fcpa, rounds 3-4"}
        assert [leak["mbb"] for leak in agent["worst"]] == sorted((leak["mbb"] for leak in agent["worst"]), reverse=True)


@pytest.mark.slow
def test_smoke_strategy_reads_every_agent(smoke):
    """Shares add up, the branches are of their rounds, and the pages hold the agents' files."""
    found = json.loads((smoke / "reports" / "metrics" / "strategy.json").read_text())
    assert {"CART", "OCT", "XGBoost", "NN"} <= set(found["opening_percent"])
    for opens in found["opening_percent"].values():
        total = sum(opens[f"{action}_percent"] for action in ("fold", "call", "raise", "all_in"))
        assert total == pytest.approx(100, abs=0.01)
        assert 0 <= opens["hands_mostly_folded"] <= 169
    assert 0 < found["bluff"]["hands_on_example_board"] <= 1081
    assert found["logic"]["weaker"]["action"] != found["logic"]["stronger"]["action"]
    for asked in found["asked_percent"].values():
        assert sum(asked.values()) == pytest.approx(100, abs=0.01)
    for name, size in found["page_bytes"].items():
        agent, page = (smoke / "reports" / place / name.lower() for place in ("agents", "pages"))
        assert agent.with_suffix(".json").stat().st_size < size == page.with_suffix(".html").stat().st_size < 5e6
