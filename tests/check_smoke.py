"""What the pipeline leaves at toy size: `make smoke` checks it when all stages have run."""

import csv
import json
import os
import re
import shutil
import subprocess
import sys
from itertools import product

import nbformat
import pytest

from faceup.lab.environment import SOURCES
from faceup.lab.paths import ROOT


@pytest.fixture
def metrics(smoke):
    """Reads what a stage has measured."""
    return lambda stage: json.loads((smoke / "reports" / "metrics" / f"{stage}.json").read_text())


@pytest.mark.parametrize("name", [path.stem for path in sorted((ROOT / "notebooks").glob("*.ipynb"))])
def test_smoke_reports_ran_to_the_end_without_error(smoke, name):
    nb = nbformat.read(smoke / "reports" / f"{name}.ipynb", as_version=4)
    code = [cell for cell in nb.cells if cell.cell_type == "code" and cell.source.strip()]
    assert [cell.execution_count for cell in code] == list(range(1, len(code) + 1))
    assert not [output for cell in code for output in cell.outputs if output.output_type == "error"]
    assert str(smoke) not in nbformat.writes(nb)


UNITS = ("mbb", "bb", "dollars", "percent", "share", "nats", "brier", "ci95", "equity")
NO_UNIT = ("paper", "ours", "distance", "alpha", "gamma", "epsilon")  # `what` names that of a score


def test_smoke_tables_name_the_unit_of_every_measured_column(smoke):
    files = sorted((smoke / "reports" / "tables").glob("*.csv"))
    assert len(files) > 20
    for file in files:
        header, *rows = csv.reader(file.open(encoding="utf-8"))
        measured = [
            name for name, *cells in zip(header, *rows, strict=True) if any(re.fullmatch(r"-?\d+\.\d+", x) for x in cells)
        ]
        assert rows and [name for name in measured if not name.endswith(UNITS) and name not in NO_UNIT] == [], file.name


def test_smoke_optimal_trees_fit_no_worse_than_greedy_ones(metrics):
    """By rounds and depths on the rows trained on, and neither goes below what the features allow."""
    found = metrics("distill")["depths"]
    assert len({(entry["round"], entry["depth"]) for entry in found}) == len(found) >= 8
    for entry in found:
        assert entry["floor"] - 1e-6 <= entry["oct_loss"] <= 1.01 * entry["cart_loss"], entry


def test_smoke_every_pair_has_met_once(metrics):
    """With a result and an interval each; the stand-in among them."""
    pairs = metrics("matches")["pairs"]
    names = {pair[key] for pair in pairs for key in ("first", "second")}
    met = {frozenset((pair["first"], pair["second"])) for pair in pairs}
    assert len(met) == len(pairs) == len(names) * (len(names) - 1) // 2 and "stand-in" in names
    for pair in pairs:
        assert pair["ci95"] >= 0 and pair["boards"] >= 2 and pair["holes"] == (20 if pair["boards"] == 3 else 1081), pair


def test_smoke_exploitability_is_of_one_piece(metrics):
    """Folding and moving all-in lose what is known; leaks of later streets are parts of those of earlier ones."""
    found = metrics("exploitability")
    for measured in found["known"].values():
        assert measured["mbb"] == pytest.approx(measured["known"], rel=1e-3)
    assert {agent["name"] for agent in found["main"]} == {"table", "CART", "OCT"}
    safe = metrics("safe")
    assert {agent["name"] for agent in safe["agents"]} == {"safe table", "safe OCT"}
    assert len({row["flops"] for row in [*found["sweep"], *safe["agents"]]}) == 1  # all agents meet the same
    assert len({hand["line"] for hand in safe["hands"]}) == 3
    for agent in [*found["sweep"], *safe["agents"]]:
        flop, turn, river = (agent["from_street"][street] for street in ("flop", "turn", "river"))
        assert flop >= turn >= river >= 0
    for worst in ([leak["mbb"] for leak in agent["worst"]] for agent in found["main"]):
        assert worst == sorted(worst, reverse=True)


def test_smoke_all_that_learned_play_argmax_as_well_and_safety_is_priced_for_drawn_actions(metrics):
    """Against each other, the table and the stand-in."""
    found = metrics("matches")
    assert set(found["argmax"]) == {"table", "CART", "OCT", "XGBoost", "NN"}  # no safe agent
    for name, played in found["argmax"].items():
        cures = {"gain_of_argmax_against_stand_in"} | ({"gain_of_threshold_against_stand_in"} & set(played))
        assert set(played) == {"table", "stand_in"} | cures, name
    met = {frozenset((pair["first"], pair["second"])) for pair in found["argmax_pairs"]}
    assert len(met) == len(found["argmax_pairs"]) == 15  # five agents and the stand-in
    assert {name: cost["of"] for name, cost in found["safety"].items()} == {"safe table": "table", "safe OCT": "ours"}
    for name, cost in found["safety"].items():  # what each loses to the agent that it replaces
        pair = next(p for p in found["pairs"] if (p["first"], p["second"]) == (cost["of"], name))
        assert cost["loses"]["mbb"] == pair["mbb"]


def test_smoke_local_best_responses_meet_every_agent(metrics):
    """Each agent in each setting, and the settings tell agents apart."""
    found = metrics("safe")["lbr"]
    agents = ("table", "safe table", "OCT", "our OCT, taught", "safe OCT")
    settings = ("56 bets, rounds 1-4", "56 bets, rounds 3-4", "fcpa, rounds 3-4")
    assert [(row["agent"], row["setting"]) for row in found] == [*product(agents, settings)]
    assert len({row["mbb"] for row in found}) > len(agents)


def test_smoke_strategy_reads_every_agent(metrics):
    """Shares add up, the stand-in's too, and the branches are of their rounds."""
    found = metrics("strategy")
    assert {"CART", "OCT", "XGBoost", "NN"} <= set(found["opening_percent"])
    actions, opening = ("fold", "call", "raise", "all_in"), found["opening_percent"].values()
    shares = [[opens[f"{action}_percent"] for action in actions] for opens in opening]
    assert 0 < found["bluff"]["hands_on_example_board"] <= 1081
    assert found["logic"]["weaker"]["action"] != found["logic"]["stronger"]["action"]
    shares += [of.values() for of in (*found["asked_percent"].values(), *metrics("stand_in")["first_in_percent"].values())]
    assert [sum(share) for share in shares] == pytest.approx([100] * len(shares), abs=0.01)


def test_smoke_explorer_is_one_page(smoke, metrics):
    """It holds all trees at each depth, and its size is told."""
    size = metrics("explorer")["page_bytes"]
    text = (smoke / "reports" / "pages" / "explorer.html").read_text(encoding="utf-8")
    assert len(text.encode()) == size < 12e6
    data = json.loads(text.partition('id="data">')[2].partition("</script>")[0])
    depths = {"CART": (1, 3, 15), "safe OCT": (3, 15), "ours": (3, 15), "OCT": (1, 3, 15)}
    assert [(agent["name"], agent["depth"]) for agent in data["agents"]] == [(n, d) for n in depths for d in depths[n]]


def test_figures_drawn_again_from_their_numbers_are_the_same_bytes(smoke, tmp_path):
    """Of what is in reports/, else of the smoke run; in a folder without data."""
    root = ROOT if (ROOT / "reports" / "numbers").is_dir() else smoke
    for name in ("notebooks", "reports/numbers"):
        shutil.copytree(root / name, tmp_path / name)
    for name in ("params.yaml", "kinds.yaml"):
        shutil.copy(root / name, tmp_path)
    around = os.environ | {"FACEUP_ROOT": str(tmp_path), "PYTHONPATH": str(SOURCES)}
    done = subprocess.run([sys.executable, "-m", "faceup.lab.run", "--figures"], env=around, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    drawn = sorted(str(file.relative_to(tmp_path)) for file in tmp_path.rglob("*.png"))
    assert len(drawn) == len([*(root / "reports" / "numbers").rglob("*.json")])
    other = [file for file in drawn if (root / file).read_bytes() != (tmp_path / file).read_bytes()]
    assert not other, f"{', '.join(other)} are other bytes, to mend: make figures, and git diff tells what has changed"
