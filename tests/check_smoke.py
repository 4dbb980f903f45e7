"""What the pipeline leaves at toy size: `make smoke` checks it when all stages have run."""

import json
import os
from itertools import product
from pathlib import Path

import nbformat
import pytest
from test_reports import odd_columns

from faceup.lab.parameters import load_parameters
from faceup.lab.paths import ROOT

SMOKE = Path(os.environ["SMOKE"])  # the folder in which `make smoke` has run the whole pipeline with params/smoke.yaml


def metrics(stage):
    """What a stage has measured."""
    return json.loads((SMOKE / "reports" / "metrics" / f"{stage}.json").read_text())


@pytest.mark.parametrize("name", [path.stem for path in sorted((ROOT / "notebooks").glob("*.ipynb"))])
def test_reports_ran_to_the_end_without_error(name):
    nb = nbformat.read(SMOKE / "reports" / f"{name}.ipynb", as_version=4)
    code = [cell for cell in nb.cells if cell.cell_type == "code" and cell.source.strip()]
    assert [cell.execution_count for cell in code] == list(range(1, len(code) + 1))
    assert not [output for cell in code for output in cell.outputs if output.output_type == "error"]
    assert str(SMOKE) not in nbformat.writes(nb)


def test_tables_name_each_column_once_with_its_unit():
    files = sorted((SMOKE / "reports" / "tables").glob("*.csv"))
    assert len(files) > 20 and {file.name: odd for file in files if (odd := odd_columns(file))} == {}


def test_optimal_trees_fit_no_worse_than_greedy_ones():
    """By rounds and depths on the rows trained on, and neither goes below what the features allow."""
    found = metrics("distill")["depths"]
    assert len({(entry["round"], entry["depth"]) for entry in found}) == len(found) >= 8
    for entry in found:
        assert entry["floor"] - 1e-6 <= entry["oct_loss"] <= 1.01 * entry["cart_loss"], entry


def test_exploitability_is_of_one_piece():
    """Folding and moving all-in lose what is known; leaks of later streets are parts of those of earlier ones."""
    found, safe = metrics("exploitability"), metrics("safe")
    for measured in found["known"].values():
        assert measured["mbb"] == pytest.approx(measured["known"], rel=1e-3)
    assert {agent["name"] for agent in found["main"]} == {"table", "CART", "OCT"}
    assert {agent["name"] for agent in safe["agents"]} == {"safe table", "safe OCT"}
    assert len({row["flops"] for row in [*found["sweep"], *safe["agents"]]}) == 1  # all agents meet the same
    assert len({hand["line"] for hand in safe["hands"]}) == 3
    for agent in [*found["sweep"], *safe["agents"]]:
        flop, turn, river = (agent["from_street"][street] for street in ("flop", "turn", "river"))
        assert flop >= turn >= river >= 0
    for worst in ([leak["mbb"] for leak in agent["worst"]] for agent in found["main"]):
        assert worst == sorted(worst, reverse=True)


def test_every_pair_has_met_once_and_all_that_learned_as_argmax_too():
    """With a result and an interval each, the stand-in among them; and what safety costs is a result of these matches."""
    found, learned = metrics("matches"), ("table", "CART", "OCT", "XGBoost", "NN", "XGBoost, ours", "NN, ours")
    met = {frozenset((pair["first"], pair["second"])): pair for pair in found["pairs"]}
    names = frozenset().union(*met)
    opponents, n = {"stand-in", "large bettor", "small bettor"}, len(names)
    assert {*learned, *opponents} <= names and len(met) == len(found["pairs"]) == n * (n - 1) // 2 - 3  # not each other
    for pair in met.values():
        assert pair["ci95"] >= 0 and pair["boards"] >= 2 and pair["holes"] == (20 if pair["boards"] == 3 else 1081), pair
    assert {*found["argmax"]} == {*learned}  # no safe agent
    for name, played in found["argmax"].items():
        cures = {"gain_of_argmax_against_three", "gain_of_threshold_against_three"}
        assert {"table", "stand_in", "gain_of_argmax_against_three"} <= {*played} <= {"table", "stand_in"} | cures, name
    argmax = [frozenset((pair["first"], pair["second"])) for pair in found["argmax_pairs"]]
    assert len({*argmax}) == len(argmax) == 36  # eight agents and the stand-in
    assert {name: cost["of"] for name, cost in found["safety"].items()} == {"safe table": "table", "safe OCT": "ours"}
    for name, cost in found["safety"].items():  # what each loses to the agent that it replaces
        assert cost["loses"]["mbb"] == met[frozenset((cost["of"], name))]["mbb"]


def test_local_best_responses_meet_every_agent():
    """Each agent in each setting, and the settings tell agents apart."""
    found = metrics("safe")["lbr"]
    agents = ("table", "OCT", "OCT, new answers", "our OCT, taught", "safe OCT", "with other sizes")
    settings = ("56 bets, rounds 1-4", "56 bets, rounds 3-4", "fcpa, rounds 3-4")
    assert [(row["agent"], row["setting"]) for row in found] == [*product(agents, settings)]
    assert len({row["mbb"] for row in found}) > len(agents)


def test_strategy_reads_every_agent():
    """Shares add up, the stand-in's too, and the branches are of their rounds."""
    found = metrics("strategy")
    assert {"CART", "OCT", "XGBoost", "NN"} <= set(found["opening_percent"])
    actions, opening = ("fold", "call", "raise", "all_in"), found["opening_percent"].values()
    shares = [[opens[f"{action}_percent"] for action in actions] for opens in opening]
    assert 0 < found["bluff"]["hands_on_example_board"] <= 1081
    assert found["logic"]["weaker"]["action"] != found["logic"]["stronger"]["action"]
    players = [one["opening_percent"] for name, one in metrics("opponents").items() if name != "mean"]
    assert len(players) == 3 and players[0]["call"] == 0 < players[1]["call"]  # who never limps, and who may
    shares += [of.values() for of in (*found["asked_percent"].values(), *players)]
    assert [sum(share) for share in shares] == pytest.approx([100] * len(shares), abs=0.01)


def test_sheets_of_leduc_have_bounds():
    """More cells bound no more; nothing that was found is below; and the page has an answer in all situations."""
    found = metrics("leduc")["bounds"]
    assert [sheet["cells"] for sheet in found] == [12, 24, 42, 72]
    recall = [sheet["any_answers_bound"] for sheet in found]
    assert recall == sorted(recall, reverse=True)
    for sheet in found:
        assert sheet["any_answers_bound"] <= sheet["pure_bound"] + 1e-6 <= sheet["pure_found"] + 2e-6
        assert sheet["any_answers_bound"] <= min(one["exploitability"] for one in sheet["found"])
    file = SMOKE / "reports" / "pages" / "leduc.json"
    rows = json.loads(file.read_text(encoding="utf-8"))["situations"]
    assert len(rows) == 288 and file.stat().st_size < 400_000
    assert [row for row in rows if abs(sum(row["sheet"]) - 1) > 1e-5] == []


def test_explorer_is_one_page():
    """It holds all trees at each depth, and its size is told; so are those of the small games' pages."""
    for name, size in metrics("explorer")["small_page_bytes"].items():
        assert (SMOKE / "reports" / "pages" / f"{name}.html").stat().st_size == size < 400_000
    text = (SMOKE / "reports" / "pages" / "explorer.html").read_text(encoding="utf-8")
    assert len(text.encode()) == metrics("explorer")["page_bytes"] < 4e6
    data = json.loads(text.partition('id="data">')[2].partition("</script>")[0])
    knobs = load_parameters(SMOKE / "params.yaml")
    taught, own, safe = knobs["distill"]["depths"], knobs["distill"]["own_depths"], knobs["safe"]["tree_depths"]
    depths = {"CART": taught, "safe OCT": safe, "ours": own, "OCT": taught}
    assert [(agent["name"], agent["depth"]) for agent in data["agents"]] == [(n, d) for n in depths for d in depths[n]]
