"""Every file of the repository that a stage reads, damaged: its reader names it in an error. DVC guards what stages make."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from faceup.notebook import published, run_notebook
from faceup.notebook.parameters import load_parameters
from faceup.notebook.parameters_cell import study_sections
from faceup.notebook.paths import ROOT
from faceup.notebook.stages import PIPELINE, outs_of, stages_of

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
