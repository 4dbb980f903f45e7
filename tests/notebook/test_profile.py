"""Runs with another profile's parameters: what is copied, what stays, what is published."""

import json

import nbformat
import pytest

from faceup.notebook import profile
from faceup.notebook.stages import PIPELINE, outs_of, stages_of
from faceup.notebook.storage import write_text

SOURCES = {"Makefile", "src/faceup/a.py", "data/published.yaml", ".dvc/config", "params.yaml", "params/strong.yaml"}


@pytest.fixture
def repository(tmp_path, monkeypatch):
    """A folder that git does not know, with a profile."""
    for name in (*SOURCES, "build/x", ".venv/y.py", "data/equity/z", "src/faceup/__pycache__/a.pyc"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(name)
    monkeypatch.setattr(profile, "ROOT", tmp_path)
    monkeypatch.setattr(profile, "REPORTS", tmp_path / "reports")
    return tmp_path


def test_sources_are_found_where_git_knows_nothing(repository):
    assert {name for name in profile.sources() if (repository / name).is_file()} == SOURCES


def test_a_second_copy_renews_the_sources_and_keeps_what_the_run_made(repository):
    folder = repository / "build" / "strong"
    profile.copy_sources(folder, "params/strong.yaml")
    (folder / "dvc.lock").write_text("made there")
    (repository / "src/faceup/a.py").write_text("edited")
    profile.copy_sources(folder, "params/strong.yaml")
    assert (folder / "src/faceup/a.py").read_text() == "edited"
    assert (folder / "params.yaml").read_text() == "params/strong.yaml" and (folder / "dvc.lock").read_text() == "made there"


def test_what_is_published_names_its_commit(repository):
    made = repository / "build" / "strong" / "reports"
    write_text(made / "metrics" / "safe.json", '{"mbb": 1.5}')
    write_text(made / "agents" / "oct.json", '{"provenance": {"seed": 1}, "labels": ["fold"]}')
    nbformat.write(nbformat.v4.new_notebook(cells=[nbformat.v4.new_markdown_cell("# Title")]), made / "14_safe.ipynb")
    place = profile.publish(made.parent, "strong", "abc")
    assert json.loads((place / "metrics" / "safe.json").read_text()) == {"commit": "abc", "mbb": 1.5}
    assert json.loads((place / "agents" / "oct.json").read_text())["provenance"] == {"seed": 1, "commit": "abc"}
    assert "by commit abc" in nbformat.read(place / "14_safe.ipynb", as_version=4).cells[0].source


def test_an_unknown_profile_is_refused_by_name(repository, capsys):
    assert profile.main(["weak"]) == 2
    assert "one of strong" in capsys.readouterr().err


def test_a_profile_makes_all_that_its_stages_read():
    stages = stages_of(PIPELINE)
    made = {out for name in profile.STAGES for out in outs_of(stages[name])}
    read = {dep for name in profile.STAGES for dep in stages[name]["deps"] if dep.startswith(("reports/", "data/"))}
    assert read - made == {"data/published.yaml"}
