"""The committed reports.

A user's own rerun may change digits of the NN on another make of processor. So these tests compare
what is committed with what is committed, never with local reports.
"""

import csv
import json
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


def test_the_readme_prints_what_the_agent_says(committed):
    agent = load_agent(committed / "reports/agents/oct.json")
    said = agent.explain(hole="8h7h", board="Kh3sJc9d2c", betting="b300c/kk/kk/k")
    assert said in (committed / "README.md").read_text(encoding="utf-8")


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


def test_figures_and_tables_are_shown_once_where_they_are_made(committed):
    """A figure that is open at the end of a cell is shown there, too, and a table that a function
    does not return nowhere.
    """
    for path in sorted((committed / "reports").rglob("*.ipynb")):
        for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
            source, outputs = "".join(cell["source"]), cell.get("outputs", [])
            pictures = sum("image/png" in output.get("data", {}) for output in outputs)
            assert pictures <= source.count("save("), f"{path.name}: {source}"
            table = (
                cell["cell_type"] == "code" and "show_table(" in source and ").data" not in source
            )
            assert outputs or not table, f"{path.name}: {source}"


UNITS = (
    "mbb",
    "bb",
    "dollars",
    "percent",
    "share",
    "nats",
    "brier",
    "_ci95",
    "equity",
    "distance",
    "boards",
    "millionths",
)
# `what`, `learner` name those of scores
NO_UNIT = ("paper", "ours", "alpha", "gamma", "epsilon", "loss", "loss_here")


def odd_columns(file: Path) -> list[str]:
    """Columns of a table that stand there twice, measure without a unit, are no plain word, or are
    an interval of nothing.
    """
    header, *rows = csv.reader(file.open(encoding="utf-8"))
    columns = list(zip(header, *rows, strict=True))
    measured = [
        name for name, *cells in columns if any(re.fullmatch(r"-?\d+\.\d+", cell) for cell in cells)
    ]
    odd = [name for name in measured if not name.endswith(UNITS) and name not in NO_UNIT]
    of = {name: header.count(name) == 1 and name.removesuffix("_ci95") in header for name in header}
    return (
        odd
        + [name for name in header if not of[name] or not re.fullmatch("[a-z0-9_]+", name)]
        + ["no rows"] * (not rows)
    )


def test_tables_name_each_column_once_with_its_unit(committed):
    """X_ci95 is half of X's 95 % interval. Those of studies, too."""
    files = sorted((committed / "reports").rglob("*.csv"))
    assert files and {file.name: odd for file in files if (odd := odd_columns(file))} == {}


def test_the_page_tells_the_matches_of_the_reports(committed):
    text = (committed / "reports/pages/explorer.html").read_text(encoding="utf-8")
    agents = json.loads(text.partition('id="data">')[2].partition("</script>")[0])["agents"]
    told = {
        agent["name"]: agent["facts"].get("blueprint", [None])[0]
        for agent in sorted(agents, key=lambda agent: agent["depth"])
    }
    metrics = json.loads((committed / "reports/metrics/agents.json").read_text(encoding="utf-8"))
    # of each the deepest
    found = [metrics[key] for key in ("cart", "oct", "oct_x", "retrained_oct_x")]
    assert [told[agent["name"]] for agent in found] == pytest.approx(
        [agent["blueprint"]["mbb"] for agent in found]
    )


DOCUMENTS = [
    "README.md",
    "CONTRIBUTING.md",
    "docs/README.md",
    "notebooks/studies/README.md",
    "reports/strong/README.md",
]


def test_links_of_documents_lead_to_files(committed):
    for file in DOCUMENTS:
        for link in re.findall(
            r"\]\((?!http|#)([^)#]+)", (committed / file).read_text(encoding="utf-8")
        ):
            assert (committed / file).parent.joinpath(link).exists(), f"{file} links {link}"
