"""The committed reports.

A user's own rerun may change digits of the NN on another make of processor. So these tests compare
what is committed with what is committed, never with local reports.
"""

import re
import subprocess
from pathlib import Path

import numpy as np
import pytest

from faceup.cards.cards import parse_cards
from faceup.holdem.agents import load_agent
from faceup.holdem.betting_lines import longer, state_after
from faceup.holdem.board import free_holes
from faceup.holdem.rules import legal_raises, pot_and_call
from faceup.util.paths import ROOT


@pytest.fixture(scope="module")
def committed(tmp_path_factory) -> Path:
    """A folder with all files as they are committed; the working tree where it is no checkout of
    git.
    """
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


@pytest.mark.parametrize("line", ["b300c/b600c/kk/", "b300c/kk/kk/k", "b300b900c/kk/b1800c/k"])
def test_oct_x_folds_no_less_to_a_larger_bet(committed, line):
    """On the river, from a tenth of the pot to all-in: no hand folds 5 points less often to the
    next larger bet.
    """
    agent, board = load_agent(committed / "reports/agents/oct_x.json"), parse_cards("Kh8s3c7d2c")
    holes, state = np.flatnonzero(free_holes(board))[::5], state_after(line)
    (pot, _), (least, most) = pot_and_call(state), legal_raises(state)
    folds = []
    for bet in np.unique(np.geomspace(max(least, pot / 10), most, 25).round()).astype(int):
        after = longer(line, state, ("raise", int(bet)))
        fold = list(agent.legal(after)).index("fold")
        folds.append(agent.probabilities(holes, board, after)[:, fold])
    assert np.diff(folds, axis=0).min() >= -0.05 and np.ptp(folds) == 1


def test_links_of_documents_lead_to_files(committed):
    folders = ("docs", "notebooks/studies", "reports/strong")
    for file in ("README.md", "CONTRIBUTING.md", *(f"{folder}/README.md" for folder in folders)):
        text = (committed / file).read_text(encoding="utf-8")
        for link in re.findall(r"\]\((?!http|#)([^)#]+)", text):
            assert (committed / file).parent.joinpath(link).exists(), f"{file} links {link}"
