"""What the pipeline leaves at toy size: `make smoke` checks it when all stages have run."""

import json
import os
from itertools import product
from pathlib import Path

import nbformat
import pytest

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
    assert {agent["name"] for agent in found["main"]} == {"table", "CART paper", "OCT paper"}
    assert {agent["name"] for agent in safe["agents"]} == {"safe table", "safe OCT ours"}
    assert len({row["flops"] for row in [*found["sweep"], *safe["agents"]]}) == 1  # all agents meet the same
    assert len({hand["line"] for hand in safe["hands"]}) == 3
    for agent in [*found["sweep"], *safe["agents"]]:
        flop, turn, river = (agent["from_street"][street] for street in ("flop", "turn", "river"))
        assert flop >= turn >= river >= 0
    for worst in ([leak["mbb"] for leak in agent["worst"]] for agent in found["main"]):
        assert worst == sorted(worst, reverse=True)


def test_every_pair_has_met_once_and_the_one_table_has_every_agent():
    """Drawn agents among each other, and argmax ones: each with a result and an interval; what nobody answered stays empty."""
    found, table = metrics("matches"), {agent["name"]: agent for agent in metrics("agents")["agents"]}
    met = {frozenset((pair["first"], pair["second"])): pair for pair in found["pairs"]}
    names, opponents = frozenset().union(*met), {"stand-in", "large bettor", "small bettor"}
    assert opponents <= names and len(met) == len(found["pairs"]) == len(names) * (len(names) - 1) // 2 - 3  # not each other
    for pair in met.values():
        assert pair["ci95"] >= 0 and pair["boards"] >= 2 and pair["holes"] == (20 if pair["boards"] == 3 else 1081), pair
    assert names - opponents <= {*table} and {f"{name}, argmax" for name in ("OCT paper", "OCT ours", "CART paper")} <= {*table}
    for name, agent in table.items():
        unread = name.startswith(("XGBoost", "NN")) or name == "table, argmax"
        cells = {key: agent[key] for key in ("stand_in", "mean_of_three", "pot_or_all_in", "all_sizes", "lbr", "table")}
        empty = {"pot_or_all_in", "all_sizes", "lbr"} if unread else {"table"} if name == "table" else set()
        assert {key for key, cell in cells.items() if cell is None} == empty, name
        assert unread or agent["all_sizes"]["mbb"] > agent["pot_or_all_in"]["mbb"] - agent["pot_or_all_in"]["ci95"]
        if name in names - {"table"}:
            pair = met[frozenset(("table", name))]
            assert abs(agent["table"]["mbb"]) == abs(pair["mbb"])
    for name, twin in metrics("agents")["safety"].items():  # the same questions, other answers
        assert table[name]["leaves"] == table[twin["of"]]["leaves"]
    largest = max(row["mbb"] for row in metrics("agents")["lbr"] if row["agent"] == "OCT paper")
    assert table["OCT paper"]["lbr"]["mbb"] == largest


def test_local_best_responses_meet_every_agent():
    """Each agent in each setting, and the settings tell agents apart."""
    found, depth = metrics("safe")["lbr"], load_parameters(SMOKE / "params.yaml")["safe"]["tree_depth"]
    agents = ("table", "OCT paper", "safe OCT paper", f"OCT ours {depth}", f"safe OCT ours {depth}")
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
    """More cells bound no more, and nothing that was found is below."""
    found = metrics("leduc")["bounds"]
    assert [sheet["cells"] for sheet in found] == [12, 24, 42, 72]
    recall = [sheet["any_answers_bound"] for sheet in found]
    assert recall == sorted(recall, reverse=True)
    for sheet in found:
        assert sheet["any_answers_bound"] <= sheet["pure_bound"] + 1e-6 <= sheet["pure_found"] + 2e-6
        assert sheet["any_answers_bound"] <= min(one["exploitability"] for one in sheet["found"])


def test_explorer_is_one_page():
    """It holds all trees at each depth, and its size is told; so are those of the small games' pages."""
    for name, size in metrics("explorer")["small_page_bytes"].items():
        assert (SMOKE / "reports" / "pages" / f"{name}.html").stat().st_size == size < 400_000
    text = (SMOKE / "reports" / "pages" / "explorer.html").read_text(encoding="utf-8")
    assert len(text.encode()) == metrics("explorer")["page_bytes"] < 4e6
    data = json.loads(text.partition('id="data">')[2].partition("</script>")[0])
    knobs = load_parameters(SMOKE / "params.yaml")
    taught, own, safe = knobs["distill"]["depths"], knobs["distill"]["own_depths"], knobs["safe"]["tree_depths"]
    depths = {"CART paper": taught, "safe OCT ours": safe, "OCT ours": own, "OCT paper": taught}
    assert [(agent["name"], agent["depth"]) for agent in data["agents"]] == [(n, d) for n in depths for d in depths[n]]
