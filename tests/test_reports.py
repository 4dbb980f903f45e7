"""The committed reports.

A user's own rerun may change digits of the NN on another make of processor. So these tests compare
what is committed with what is committed, never with local reports.
"""

import re
import subprocess
from pathlib import Path

import pytest
from formulas import KNOWN, formulas, prose_in_formulas

from faceup.holdem.agents import load_agent
from faceup.util.paths import ROOT


@pytest.fixture(scope="module")
def committed(tmp_path_factory) -> Path:
    """All files as committed; the working tree where it is no checkout of git."""
    folder = tmp_path_factory.mktemp("committed")
    packed = subprocess.run(["git", "archive", "HEAD"], cwd=ROOT, capture_output=True)
    if packed.returncode:
        return ROOT
    subprocess.run(["tar", "-x"], cwd=folder, input=packed.stdout, check=True)
    return folder


def test_the_readme_prints_the_answer_of_the_agent(committed):
    agent = load_agent(committed / "reports/agents/oct.json")
    text = agent.explain(hole="8h7h", board="Kh3sJc9d2c", betting="b300c/kk/kk/k")
    assert text in (committed / "README.md").read_text(encoding="utf-8")


def test_links_of_documents_lead_to_files(committed):
    folders = ("docs", "notebooks/studies", "reports/strong")
    for file in ("README.md", "CONTRIBUTING.md", *(f"{folder}/README.md" for folder in folders)):
        text = (committed / file).read_text(encoding="utf-8")
        for link in re.findall(r"\]\((?!http|#)([^)#]+)", text):
            assert (committed / file).parent.joinpath(link).exists(), f"{file} links {link}"


@pytest.mark.parametrize(("text", "expected"), KNOWN.items())
def test_formulas_in_texts(text, expected):
    assert bool(formulas(text)) is expected


def test_no_report_shows_prose_as_a_formula(committed):
    found = {path.stem: prose_in_formulas(path) for path in committed.glob("reports/**/*.ipynb")}
    assert found and not any(found.values()), found
