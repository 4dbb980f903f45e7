"""What the pipeline leaves at toy size: `make smoke` checks it when all stages have run."""

import json
import os
from pathlib import Path

import nbformat
import pytest
from smoke import STUDIED, outs_of

from faceup.lab.parameters import load_parameters, read_yaml
from faceup.lab.prose import NOTE
from faceup.util.paths import ROOT

# the folder in which `make smoke` has run the whole pipeline with params/smoke.yaml
SMOKE = Path(os.environ["SMOKE"])


def metrics(stage):
    """What a stage has measured."""
    return json.loads((SMOKE / "reports" / "metrics" / f"{stage}.json").read_text())


@pytest.mark.parametrize(
    "name", [path.stem for path in sorted((ROOT / "notebooks").glob("*.ipynb"))]
)
def test_reports_ran_to_the_end_without_error(name):
    nb = nbformat.read(SMOKE / "reports" / f"{name}.ipynb", as_version=4)
    code = [cell for cell in nb.cells if cell.cell_type == "code" and cell.source.strip()]
    assert [cell.execution_count for cell in code] == list(range(1, len(code) + 1))
    assert not [output for cell in code for output in cell.outputs if output.output_type == "error"]
    assert str(SMOKE) not in nbformat.writes(nb)
    assert not [
        cell.source for cell in nb.cells if cell.cell_type == "markdown" and "{{" in cell.source
    ]


def test_stages_name_all_that_they_make():
    outs = [
        path
        for stage in read_yaml(ROOT / "dvc.yaml")["stages"].values()
        for path, _ in outs_of(stage)
    ]
    made = [
        file
        for place in ("data", "reports")
        for file in (SMOKE / place).rglob("*")
        if file.is_file()
    ]
    others = {"data/published.yaml", "data/claims.yaml", "data/.gitignore", STUDIED}
    relative = [file.relative_to(SMOKE) for file in made]
    assert not [
        x for x in relative if str(x) not in others and not any(map(x.is_relative_to, outs))
    ]


def test_the_readme_has_the_numbers_of_this_run():
    text = (SMOKE / "README.md").read_text(encoding="utf-8")
    assert text.startswith(NOTE) and "{{" not in text


def test_optimal_trees_fit_no_worse_than_greedy_ones():
    """By rounds and depths on the rows trained on, and neither goes below what the features allow."""
    found = metrics("distill")["depths"]
    assert len({(entry["round"], entry["depth"]) for entry in found}) == len(found) >= 8
    for entry in found:
        assert 0 <= entry["oct_loss"] <= 1.01 * entry["cart_loss"], entry


def test_exploitability_is_of_one_piece():
    """Folding and moving all-in lose what is known; with more sizes a best response wins no less."""
    found = metrics("exploitability")
    for measured in found["known"].values():
        assert measured["mbb"] == pytest.approx(measured["known"], rel=1e-3)
    assert {*found["agents"]} == {"blueprint", "cart", "oct"} and {*found["depths"]} == {
        "cart",
        "oct",
    }
    knobs = load_parameters(SMOKE / "params.yaml")
    for agent in found["agents"].values():
        assert (
            agent["br_pot"]["flops"]
            == agent["br_blueprint"]["flops"]
            == knobs["evaluation"]["flops"]
        )
        assert agent["br_blueprint"]["in_sample"] > 0.9 * agent["br_pot"]["in_sample"]
    for of in found["depths"].values():
        assert [int(depth) for depth in of] == knobs["exploitability"]["depths"]


def test_retrained_trees_are_measured_as_before_and_at_every_known_share():
    found, shares = (
        metrics("robust"),
        load_parameters(SMOKE / "params.yaml")["robust"]["frontier_shares"],
    )
    assert [*found["agents"]] == [
        "blueprint",
        "oct",
        "retrained_oct",
        "oct_x_twin",
        "retrained_oct_x",
    ]
    for name, *two in (("oct", "oct", "retrained_oct"), ("oct_x", "oct_x_twin", "retrained_oct_x")):
        before, after = (found["agents"][key] for key in two)
        assert before["leaves"] == after["leaves"]
        for bound in ("br_pot", "br_blueprint"):
            assert found["saved"][name][bound]["mbb"] == pytest.approx(
                before[bound]["mbb"] - after[bound]["mbb"], abs=1e-5
            )
    assert [point["known_share"] for point in found["frontier"]] == shares
    local = [
        agent[bound]["mbb"]
        for agent in found["agents"].values()
        for bound in ("lbr_56", "lbr_fcpa")
    ]
    assert len({*local}) == len(local)  # bets and agents tell


def test_every_pair_has_met_once_and_every_agent_has_its_numbers():
    """Each match has a result and an interval; what nobody measured stays empty."""
    found, agents = metrics("matches"), metrics("agents")
    met = {frozenset((pair["first"], pair["second"])): pair for pair in found["pairs"]}
    assert len(met) == len(found["pairs"])
    for pair in met.values():
        assert (
            pair["ci95"] >= 0
            and pair["holes"] in {3: [20], 4: [20, 1081], 5: [1081]}[pair["boards"]]
        ), pair
    matches, bounds = (
        {"blueprint", "slumbot_substitute", "bot_75", "bot_33", "mean_of_three"},
        {"br_pot", "br_blueprint", "lbr_56", "lbr_fcpa"},
    )
    for key, agent in agents.items():
        empty = (
            bounds
            if key.startswith(("xgboost", "mlp")) or key == "cart_argmax"
            else {"blueprint"}
            if key == "blueprint"
            else set()
        )
        empty = empty | ({"bot_75", "bot_33", "mean_of_three"} if key.startswith("mlp") else set())
        assert {one for one in matches | bounds if agent[one] is None} == empty, key
        if key != "blueprint":
            assert abs(agent["blueprint"]["mbb"]) == abs(met[frozenset((key, "blueprint"))]["mbb"])
    for key, twin in (("oct", "oct_argmax"), ("oct", "retrained_oct"), ("cart", "cart_argmax")):
        assert agents[key]["leaves"] == agents[twin]["leaves"]
    table = found["table1"]
    assert len(table) == 5 and all(
        table[a][b]["mbb"] == -table[b][a]["mbb"] for a in table for b in table[a]
    )
    assert {*found["gap"]} == {"paper", "extended"} and {*found["robustness"]} == {
        "retrained_oct",
        "retrained_oct_x",
    }


def test_strategy_reads_every_agent():
    """Shares add up, those of the opponents, too, and the two answers of a question differ."""
    found = metrics("strategy")
    assert [*found["opening_percent"]] == ["blueprint", "cart", "oct", "xgboost", "mlp"]
    actions, opening = ("fold", "call", "raise", "all_in"), found["opening_percent"].values()
    shares = [[opens[f"{action}_percent"] for action in actions] for opens in opening]
    assert found["logic"]["weaker"]["action"] != found["logic"]["stronger"]["action"]
    opponents = metrics("opponents")
    assert [*opponents] == ["slumbot_substitute", "bot_75", "bot_33"]
    players = [one["opening_percent"] for one in opponents.values()]
    assert players[0]["call"] == 0 < players[1]["call"]  # who never limps, and who may
    asked = [rounds for of in found["asked_percent"].values() for rounds in of.values()]
    shares += [of.values() for of in (*asked, *players)]
    assert [sum(share) for share in shares] == pytest.approx([100] * len(shares), abs=0.01)


def test_finer_chances_on_a_sheet_of_leduc_lose_no_more():
    """Four sheets; a search in halves or quarters begins where whole actions are allowed, too, but
    is local.
    """
    found = metrics("leduc")["sheets"]
    assert [*found] == ["12", "24", "42", "72"] and all(
        {"pure", "halves", "quarters"} <= {*sheet} for sheet in found.values()
    )
    assert 0 < found["72"]["quarters"] <= found["12"]["pure"] + 1e-9


def test_explorer_is_one_page():
    """It holds all trees at each depth, and its size is told; so are those of the small games'
    pages.
    """
    for name, size in metrics("explorer")["small_page_bytes"].items():
        assert (SMOKE / "reports" / "pages" / f"{name}.html").stat().st_size == size < 400_000
    text = (SMOKE / "reports" / "pages" / "explorer.html").read_text(encoding="utf-8")
    assert len(text.encode()) == metrics("explorer")["page_bytes"] < 4e6
    data = json.loads(text.partition('id="data">')[2].partition("</script>")[0])
    knobs = load_parameters(SMOKE / "params.yaml")
    depths = {
        "CART": knobs["distill"]["depths"],
        "OCT-X": knobs["distill"]["x_depths"],
        "OCT": knobs["distill"]["depths"],
    }
    agents = [(agent["name"], agent["depth"]) for agent in data["agents"]]
    assert [agent for agent in agents if agent[0] in depths] == [
        (name, depth) for name in depths for depth in depths[name]
    ]
    assert {name for name, _ in agents} - {*depths} == {"retrained OCT", "retrained OCT-X"}
