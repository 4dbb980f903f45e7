"""Every file that a stage reads, damaged: its reader names it in an error, and DVC makes again what a stage has made."""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from faceup.cards.equity import load_tables
from faceup.cards.matchups import load_preflop_wins
from faceup.holdem.betting.betting_tree import build_tree, menu_from
from faceup.holdem.learn.boosted import Boosted
from faceup.holdem.learn.neural import Neural
from faceup.holdem.play.agents import load_agent
from faceup.holdem.solve.strategy_file import load_strategy
from faceup.notebook import published, run_notebook
from faceup.notebook.parameters import load_parameters
from faceup.notebook.parameters_cell import study_sections
from faceup.notebook.paths import ROOT
from faceup.notebook.profile import environment
from faceup.notebook.stages import PIPELINE, outs_of, stages_of
from faceup.notebook.storage import load_json

STAGES = stages_of(PIPELINE)
MADE = {path: name for name, stage in STAGES.items() for path in outs_of(stage)}
READ = sorted({dep for stage in STAGES.values() for dep in stage["deps"] if not dep.startswith("src/")})
SOURCES = [dep for dep in READ if dep not in MADE] + ["params.yaml", "notebooks/studies/params.yaml"]
DAMAGE: dict[str, Callable[[bytes, bytes], bytes]] = {
    "truncated": lambda content, _: content[: len(content) // 2],
    "emptied": lambda content, _: b"",
    "flipped": lambda content, _: b"%b%c%b" % (content[: (k := len(content) // 2)], content[k] ^ 0x80, content[k + 1 :]),
    "swapped": lambda _, neighbour: neighbour,
}


def read_strategy(path: Path) -> object:
    """As the notebooks do, with the sizes of the smoke run."""
    prefix, sizes = ("stand_in_", "stand_in_betting") if "stand_in" in path.parts else ("", "betting")
    given = load_parameters(ROOT / "params" / "smoke.yaml")[sizes]
    menu = menu_from(*(given[f"{prefix}{street}_sizes"] for street in ("preflop", "flop", "turn", "river")))
    return load_strategy(path, build_tree(menu))


READERS: dict[str, Callable[[Path], object]] = {
    r"data/equity/preflop_wins.npy": lambda path: load_preflop_wins(path.parent),
    r"data/equity/\w+.npy": lambda path: load_tables(path.parent),
    r"data/(selfplay|stand_in|safe)/\w+.npz": read_strategy,
    r"data/distill/boosted_\w+.json": Boosted.load,
    r"data/distill/neural_\w+.safetensors": Neural.load,
    r"(data/distill|data/safe|reports/agents)/\w+.json": load_agent,
    r"reports/metrics/\w+.json": load_json,
}


# --- files of the repository --------------------------------------------------------------------------------


def read_source(path: Path, monkeypatch) -> object:
    """Up to the first cell of a notebook, or all of another file."""
    if path.suffix == ".ipynb":
        monkeypatch.setattr(run_notebook, "NOTEBOOKS", path.parent)
        monkeypatch.setattr(run_notebook, "ROOT", path.parents[1])
        monkeypatch.setattr(run_notebook, "SURROUNDINGS", {})
        monkeypatch.setattr(run_notebook, "_execute", lambda nb, name: pytest.fail(f"{name} was begun"))
        return run_notebook.run(path.stem)
    if path.name == "published.yaml":
        monkeypatch.setattr(published, "_FILE", path)
        return published.published("interpretable_poker")
    return load_parameters(path, study_sections() if "studies" in path.parts else None)


@pytest.mark.parametrize("damage", DAMAGE)
@pytest.mark.parametrize("name", SOURCES)
def test_a_damaged_source_is_named_before_work_starts(name, damage, tmp_path, monkeypatch):
    other = SOURCES[(SOURCES.index(name) + 1) % len(SOURCES)]
    path = tmp_path / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(DAMAGE[damage]((ROOT / name).read_bytes(), (ROOT / other).read_bytes()))
    with pytest.raises(ValueError, match=re.escape(path.name)):
        read_source(path, monkeypatch)


# --- files that a stage has made ----------------------------------------------------------------------------


@pytest.fixture(scope="module")
def copy(smoke, tmp_path_factory) -> Path:
    """Hard links to all files of the smoke run. Damaged ones are replaced, never written into."""
    folder = tmp_path_factory.mktemp("damaged") / "copy"
    shutil.copytree(smoke, folder, copy_function=os.link, ignore=shutil.ignore_patterns("build"))
    return folder


def made_files(folder: Path) -> list[str]:
    """All files that a stage has made and another reads."""
    places = (folder / dep for dep in READ if dep in MADE)
    files = (file for place in places for file in (place.rglob("*") if place.is_dir() else [place]))
    return sorted(file.relative_to(folder).as_posix() for file in files if file.is_file())


def neighbour_of(name: str, names: list[str]) -> str:
    """Another file, of the same folder if it has one."""
    beside = [other for other in names if Path(other).parent == Path(name).parent]
    return beside[(beside.index(name) + 1) % len(beside)] if len(beside) > 1 else names[names.index(name) - 1]


def damaged(smoke: Path, folder: Path, name: str, neighbour: str, damage: str) -> None:
    """Put a damaged file in the place of one."""
    (folder / name).unlink()
    if damage == "swapped":
        os.link(smoke / neighbour, folder / name)
    else:
        (folder / name).write_bytes(DAMAGE[damage]((smoke / name).read_bytes(), b""))


def restored(smoke: Path, folder: Path, name: str) -> None:
    (folder / name).unlink()
    os.link(smoke / name, folder / name)


def reader_of(name: str) -> tuple[str, Callable[[Path], object]]:
    """Who reads such a file, and the kind of files that he takes."""
    return next((kind, reader) for kind, reader in READERS.items() if re.fullmatch(kind, name))


@pytest.mark.parametrize("damage", DAMAGE)
def test_a_reader_names_a_damaged_file_of_the_smoke_run(smoke, copy, damage):
    """DVC alone tells apart two files of one kind that were swapped, and a weight of a network from another number."""
    names = made_files(copy)
    for name in names:
        kind, read = reader_of(name)
        neighbour = neighbour_of(name, names)
        alike = damage == "swapped" and "equity" not in kind and (reader_of(neighbour)[0] == kind or read is load_json)
        if alike or (damage == "flipped" and kind.endswith("safetensors")):
            continue
        damaged(smoke, copy, name, neighbour, damage)
        with pytest.raises(ValueError, match=re.escape(Path(name).name)):
            read(copy / name)
        restored(smoke, copy, name)
        read(copy / name)


@pytest.mark.parametrize("damage", DAMAGE)
def test_a_damaged_file_of_the_smoke_run_is_made_again(smoke, copy, damage):
    """DVC says that what its stage has made is modified, so that `dvc repro` runs that stage."""
    names = made_files(copy)
    for name in names:
        damaged(smoke, copy, name, neighbour_of(name, names), damage)
    command = [sys.executable, "-m", "dvc", "status", "--json"]
    done = subprocess.run(command, cwd=copy, env=environment(copy), capture_output=True, text=True)
    for name in names:
        restored(smoke, copy, name)
    told = {stage: {} for stage in STAGES}
    for stage, changes in json.loads(done.stdout).items():
        for change in changes:
            told[stage] |= change.get("changed outs", {}) if isinstance(change, dict) else {}
    kept = [path for path in MADE if path in READ and told[MADE[path]].get(path) != "modified"]
    assert not kept, done.stdout
