"""What the pipeline leaves at toy size: `make smoke` checks it when all stages have run."""

import json
import os
from pathlib import Path

import nbformat
import pytest
from formulas import prose_in_formulas
from smoke import STUDIED, outs_of

from faceup.cards.cards import STREETS
from faceup.lab.parameters import load_parameters, read_yaml
from faceup.lab.prose import NOTE
from faceup.trees.agent_file import load_agent_file
from faceup.trees.tree import depth, n_leaves
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
    assert prose_in_formulas(SMOKE / "reports" / f"{name}.ipynb") == []


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
    kept = ("published.yaml", "claims.yaml", "slumbot2019_small.npz", ".gitignore")
    others = {f"data/{name}" for name in kept} | STUDIED
    relative = [file.relative_to(SMOKE) for file in made]
    assert not [
        x for x in relative if str(x) not in others and not any(map(x.is_relative_to, outs))
    ]


def test_the_readme_has_the_numbers_of_this_run():
    text = (SMOKE / "README.md").read_text(encoding="utf-8")
    assert text.startswith(NOTE) and "{{" not in text


def test_trees_are_pruned_from_their_depth():
    """In metrics and in files, by rounds and depths."""
    found = metrics("distill")["depths"]
    assert len({(entry["round"], entry["depth"]) for entry in found}) == len(found) >= 8
    for entry in found:
        for key in ("cart", "oct"):
            agent = load_agent_file(SMOKE / f"data/distill/{key}_{entry['depth']}.json")
            pruned = agent.trees[STREETS.index(entry["round"])]
            assert n_leaves(pruned) == entry[f"{key}_leaves"] and depth(pruned) <= entry["depth"]


def test_best_responses_win_known_amounts_and_no_less_with_more_sizes():
    found, parameters = metrics("exploitability"), load_parameters(SMOKE / "params.yaml")
    for measured in found["known"].values():
        assert measured["mbb"] == pytest.approx(measured["known"], rel=1e-3)
    for agent in found["agents"].values():
        assert agent["br_pot"]["flops"] == parameters["evaluation"]["flops"]
        assert agent["br_blueprint"]["in_sample"] > 0.9 * agent["br_pot"]["in_sample"]
    for of in found["depths"].values():
        assert [int(depth) for depth in of] == parameters["exploitability"]["depths"]


def test_retrained_trees_keep_their_questions():
    found = metrics("robust")
    for key, judges in found["saved"].items():
        before, after = found["agents"][key], found["agents"][f"retrained_{key}"]
        assert before["leaves"] == after["leaves"]
        for judge in judges.keys() - {"match_cost"}:
            saved = before[judge]["mbb"] - after[judge]["mbb"]
            assert judges[judge]["mbb"] == pytest.approx(saved, abs=1e-5)


def test_matches_are_zero_sum_and_stand_once():
    found, agents = metrics("matches"), metrics("agents")
    pairs = {frozenset((pair["first"], pair["second"])): pair for pair in found["pairs"]}
    assert len(pairs) == len(found["pairs"]) and all(pair["ci95"] >= 0 for pair in pairs.values())
    for key in agents.keys() - {"blueprint"}:
        pair = pairs[frozenset((key, "blueprint"))]
        assert abs(agents[key]["blueprint"]["mbb"]) == abs(pair["mbb"])
    table = found["table1"]
    assert all(table[a][b]["mbb"] == -table[b][a]["mbb"] for a in table for b in table[a])


def test_the_explorer_is_one_page_with_all_trees():
    for name, size in metrics("explorer")["small_page_bytes"].items():
        assert (SMOKE / "reports" / "pages" / f"{name}.html").stat().st_size == size < 400_000
    text = (SMOKE / "reports" / "pages" / "explorer.html").read_text(encoding="utf-8")
    assert len(text.encode()) == metrics("explorer")["page_bytes"] < 4e6
    data = json.loads(text.partition('id="data">')[2].partition("</script>")[0])
    distill = load_parameters(SMOKE / "params.yaml")["distill"]
    depths = {"CART": distill["depths"], "OCT-X": distill["x_depths"], "OCT": distill["depths"]}
    agents = [(agent["name"], agent["depth"]) for agent in data["agents"]]
    trees = [(name, depth) for name in depths for depth in depths[name]]
    assert [agent for agent in agents if agent[0] in depths] == trees
    assert {name for name, _ in agents} - {*depths} == {"retrained OCT", "retrained OCT-X"}
