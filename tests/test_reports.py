"""The committed reports, and the prose that tells their numbers.

A user's own rerun may change digits of the NN on another make of processor. So these tests compare what is committed with what is
committed, never with local reports.
"""

import json
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from faceup.cards.cards import parse_cards
from faceup.cards.features import feature_names
from faceup.holdem.learn.bet_sizes import bet_sizes, continuing, largest_rises
from faceup.holdem.play.agents import load_agent
from faceup.holdem.solve.policy import free_holes
from faceup.lab.parameters import read_yaml
from faceup.lab.paths import ROOT
from faceup.lab.tables import plus_minus
from faceup.trees.text import tree_text
from faceup.trees.tree import truncate

SCOREBOARD = "reports/tables/scoreboard.md"
never_run = pytest.mark.skipif(not (ROOT / "dvc.lock").exists(), reason="the pipeline has never been run here")


@pytest.fixture(scope="module")
def committed(tmp_path_factory) -> Path:
    """A folder with all files as they are committed; the working tree where it is no checkout of git."""
    folder = tmp_path_factory.mktemp("committed")
    packed = subprocess.run(["git", "archive", "HEAD"], cwd=ROOT, capture_output=True)
    if packed.returncode:
        return ROOT
    subprocess.run(["tar", "-x"], cwd=folder, input=packed.stdout, check=True)
    return folder


def test_the_readme_is_short_and_has_the_scoreboard_of_the_reports(committed):
    readme, table = ((committed / name).read_text(encoding="utf-8") for name in ("README.md", SCOREBOARD))
    assert table in readme, f"to mend: copy {SCOREBOARD} into README.md"
    assert len((ROOT / "README.md").read_text(encoding="utf-8").split()) <= 1000  # as `wc -w` counts


def test_the_readme_prints_what_the_agent_says(committed):
    readme, agent = (committed / "README.md").read_text(encoding="utf-8"), load_agent(committed / "reports/agents/oct.json")
    river = tree_text(truncate(agent.trees[3], 3), feature_names(3, agent.history), agent.labels)
    assert f"```text\n{river.strip()}\n```" in readme
    assert agent.explain(hole="8h7h", board="Kh3sJc9d2c", betting="b300c/kk/kk/k") in readme


@pytest.mark.parametrize("line", ["b300c/b600c/kk/", "b300c/kk/kk/k", "b300b900c/kk/b1800c/k"])
def test_our_features_agent_folds_no_less_to_a_larger_bet(committed, line):
    """On the river, from a tenth of the pot to all-in: no hand goes on 5 points more often against the next larger bet."""
    agent, board = load_agent(committed / "reports/agents/ours.json"), parse_cards("Kh8s3c7d2c")
    chances = continuing(agent, np.flatnonzero(free_holes(board))[::5], board, line, bet_sizes(line))
    assert largest_rises(chances).max() <= 0.05 and np.ptp(chances) == 1


@never_run
def test_a_figure_is_shown_once_where_it_is_saved(committed):
    """A figure that is still open at the end of a cell is shown there, too, half finished."""
    for path in sorted((committed / "reports").rglob("*.ipynb")):
        for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
            source, outputs = "".join(cell["source"]), cell.get("outputs", [])
            pictures = sum("image/png" in output.get("data", {}) for output in outputs)
            assert pictures <= source.count("save("), f"{path.name}: {source}"


def shown(found: dict, value: str = "mbb", interval: str = "ci95") -> str:
    """A measured number and its interval as prose has them."""
    return plus_minus(found[value], found[interval], sign=False)


def stated(folder: Path) -> dict[str, str]:
    """Numbers that prose states by hand, as the reports in a folder have them."""
    read = {path.stem: json.loads(path.read_text(encoding="utf-8")) for path in (folder / "reports" / "metrics").glob("*.json")}

    def match(first: str, second: str) -> dict:
        pair = next(p for p in read["matches"]["pairs"] if {p["first"], p["second"]} == {first, second})
        return pair if pair["first"] == first else pair | {"mbb": -pair["mbb"]}

    safe, history = read["safe"], read["history"]
    strong = json.loads((folder / "reports/strong/metrics/safe.json").read_text(encoding="utf-8"))
    grown = {(tree["history"], tree["learner"]): tree for tree in history["trees"] if tree["depth"] == 15}
    answered = {(a["agent"], a["depth"]): a for a in history["answered"]}["OCT, costs", 15]
    met = {n: match(n, "stand-in") for n in ("table", "OCT", "XGBoost")}
    small = [tree["answers_chosen_anew"] for tree in read["leduc"]["readable"] if tree["leaves"] < 42]
    return {
        **{f"{n} loses": shown(match("table", n)) for n in ("OCT", "XGBoost")},
        **{f"{agent['name']} answered": shown(agent) for agent in read["exploitability"]["main"]},
        "told less": shown(grown["opponent", "OCT"], "loses"),
        "told bets and seat": shown(grown["both+seat", "OCT"], "loses"),
        "told more": shown(grown["both+seat", "OCT, costs"], "loses"),
        **{f"{n} and the stand-in": shown(found | {"mbb": abs(found["mbb"])}) for n, found in met.items()},
        "costs answered more": shown(answered, "more", "more_ci95"),
        **{
            f"card of {card['cells']}": f"{card['exploitability']:.3f}" for card in read["leduc"]["cards"]
        },  # the last is the best
        "small tree": f"{min(small):.3f}",
        "kings": f"{read['equity']['kings']['equity_percent']:.3f} %",
        "safer": shown(safe["table"], "after", "after_ci95"),
        "safe OCT": shown(safe["trees"][-1]),
        "own tree taught": f"{safe['trees'][-1]['before']:,.0f}",
        "solved OCT": shown(safe["paper_tree"]),
        "middle safe tree": shown(safe["trees"][1]),
        **{f"{row['agent']} and {row['setting']}": shown(row) for row in safe["lbr"]},
        **{f"{name} costs": shown(found["loses"]) for name, found in read["matches"]["safety"].items()},
        "strong table": shown(strong["table"], "after", "after_ci95"),
        "strong OCT": shown(strong["paper_tree"]),
        "strong tree": shown(strong["trees"][-1]),
        "strong middle tree": shown({tree["depth"]: tree for tree in strong["trees"]}[8]),
        "safe folds": f"folds {safe['table']['folds']:.0f} %",
    }


MATCH, ANSWERED = ("OCT loses", "XGBoost loses"), ("OCT answered", "table answered")
STRONG = ("strong table", "strong OCT", "strong tree", "strong middle tree")
SAFE, SAFE_TREES = ("safer", "safe OCT", "middle safe tree"), ("solved OCT", "own tree taught")
ANY_SIZE = ("OCT and 56 bets, rounds 1-4", "safe OCT and 56 bets, rounds 1-4")
STAND_IN = ("table and the stand-in", "OCT and the stand-in", "XGBoost and the stand-in")
TOLD = ("told less", "told bets and seat", "told more")
STATED = {  # file: numbers that it states
    "README.md": (*MATCH, *ANSWERED, *TOLD, *STAND_IN, *ANY_SIZE, *SAFE[::2], "safe table costs", "safe folds", *STRONG[::3]),
    "reports/strong/README.md": STRONG,
    "notebooks/00_overview.ipynb": (*MATCH, *ANSWERED, *TOLD, "costs answered more", *SAFE, *STRONG[::3]),
    "notebooks/10_equity.ipynb": ("kings",),
    "notebooks/13_exploitability.ipynb": ANSWERED,
    "notebooks/14_safe.ipynb": (*ANSWERED, *ANY_SIZE, *SAFE, *SAFE_TREES, "safe table costs", *STRONG[:3:2]),
    "notebooks/16_matches.ipynb": (*MATCH, "safe table costs", "safe OCT costs"),
    "notebooks/30_leduc.ipynb": ("card of 42", "card of 72", "small tree"),
}


@never_run
@pytest.mark.parametrize("file", STATED)
def test_prose_states_the_numbers_of_the_reports(file, committed):
    text, numbers = (committed / file).read_text(encoding="utf-8"), stated(committed)
    assert [numbers[name] for name in STATED[file] if numbers[name] not in text] == []


NUMBER = r"\d(?:[\d,]*\d)?(?:\.\d+)?"
PAIR = re.compile(rf"(?<![\d.,])(?=({NUMBER}) [±|] ({NUMBER}))")  # in tables an interval has a column beside its number
PROSE = ["README.md", "reports/strong/README.md", *(f"notebooks/{f.name}" for f in sorted((ROOT / "notebooks").glob("*.ipynb")))]


def intervals(value: object) -> Iterator[tuple[float, float]]:
    """Every number that has an interval beside it: x and x_ci95, or another key and ci95 (published: value and spread)."""
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else []
    numbers = {k: x for k, x in value.items() if isinstance(x, int | float)} if isinstance(value, dict) else {}
    for key in numbers.keys() & {"spread", "ci95", *(f"{name}_ci95" for name in numbers)}:
        of = [key.removesuffix("_ci95")] if "_" in key else [name for name in numbers if f"{name}_ci95" not in numbers]
        yield from ((abs(numbers[name]), numbers[key]) for name in of)
    for part in parts:
        yield from intervals(part)


@never_run
@pytest.mark.parametrize("file", PROSE)
def test_every_interval_in_prose_was_measured(file, committed):
    """It is in a metric, of this run, a study or the strong profile, or in what a report shows; or a paper printed it."""
    found, shown_pairs = [*intervals(read_yaml(committed / "data/published.yaml"))], set()
    for path in (committed / "reports").rglob("metrics/*.json"):
        found += intervals(json.loads(path.read_text(encoding="utf-8")))
    for path in (committed / "reports").rglob("*.ipynb"):
        cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
        shown_pairs |= {pair for cell in cells for pair in PAIR.findall(json.dumps(cell.get("outputs", []), ensure_ascii=False))}
    text = (committed / file).read_text(encoding="utf-8").replace("|", "")

    def measured(pair: tuple[str, str]) -> bool:
        texts = [(f"{x:,.{len(pair[0].partition('.')[2])}f}", f"{c:,.{len(pair[1].partition('.')[2])}f}") for x, c in found]
        return pair in shown_pairs or pair in texts

    assert [" ± ".join(pair) for pair in PAIR.findall(text) if not measured(pair)] == []
