"""The committed reports, and the prose that tells their numbers.

A user's own rerun may change digits of the NN on another make of processor. So these tests compare what is committed with what is
committed, never with local reports.
"""

import csv
import json
import re
import subprocess
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from faceup.cards.cards import parse_cards
from faceup.holdem.agents import load_agent
from faceup.holdem.branches import bet_sizes, continuing
from faceup.holdem.policy import free_holes
from faceup.lab.parameters import read_yaml
from faceup.lab.paths import ROOT


@pytest.fixture(scope="module")
def committed(tmp_path_factory) -> Path:
    """A folder with all files as they are committed; the working tree where it is no checkout of git."""
    folder = tmp_path_factory.mktemp("committed")
    packed = subprocess.run(["git", "archive", "HEAD"], cwd=ROOT, capture_output=True)
    if packed.returncode:
        return ROOT
    subprocess.run(["tar", "-x"], cwd=folder, input=packed.stdout, check=True)
    return folder


def test_the_readme_is_short_has_the_verdicts_of_the_reports_and_prints_what_the_agent_says(committed):
    readme, table = ((committed / name).read_text(encoding="utf-8") for name in ("README.md", "reports/tables/verdicts.md"))
    assert table in readme, "to mend: copy reports/tables/verdicts.md into README.md"
    prose = re.sub(r"(?m)^.* \| .*$", "", re.sub(r"(?s)```.*?```", "", readme))
    assert len(prose.split()) <= 500  # outside code and tables
    first = re.sub(r"(?m)^\d\.|\[.*?\]\(.*?\)|bb/100| ± [\d.]+", "", readme.partition("\n| ")[0])  # before the first table
    assert len(re.findall(r"\d[\d,.]*", first)) <= 12
    agent = load_agent(committed / "reports/agents/oct.json")
    assert agent.explain(hole="8h7h", board="Kh3sJc9d2c", betting="b300c/kk/kk/k") in readme


@pytest.mark.parametrize("line", ["b300c/b600c/kk/", "b300c/kk/kk/k", "b300b900c/kk/b1800c/k"])
def test_our_features_agent_folds_no_less_to_a_larger_bet(committed, line):
    """On the river, from a tenth of the pot to all-in: no hand goes on 5 points more often against the next larger bet."""
    agent, board = load_agent(committed / "reports/agents/ours.json"), parse_cards("Kh8s3c7d2c")
    chances = continuing(agent, np.flatnonzero(free_holes(board))[::5], board, line, bet_sizes(line))
    assert np.diff(chances, axis=1).max() <= 0.05 and np.ptp(chances) == 1


def test_figures_and_tables_are_shown_once_where_they_are_made(committed):
    """A figure that is open at the end of a cell is shown there, too, and a table that a function does not return nowhere."""
    for path in sorted((committed / "reports").rglob("*.ipynb")):
        for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
            source, outputs = "".join(cell["source"]), cell.get("outputs", [])
            pictures = sum("image/png" in output.get("data", {}) for output in outputs)
            assert pictures <= source.count("save("), f"{path.name}: {source}"
            table = cell["cell_type"] == "code" and "show_table(" in source and ").data" not in source
            assert outputs or not table, f"{path.name}: {source}"


UNITS = ("mbb", "bb", "dollars", "percent", "share", "nats", "brier", "_ci95", "equity", "distance", "boards", "millionths")
NO_UNIT = ("paper", "ours", "alpha", "gamma", "epsilon", "loss", "loss_here")  # `what`, `learner` name those of scores


def odd_columns(file: Path) -> list[str]:
    """Columns of a table that stand there twice, measure without a unit, are no plain word, or are an interval of nothing."""
    header, *rows = csv.reader(file.open(encoding="utf-8"))
    columns = list(zip(header, *rows, strict=True))
    measured = [name for name, *cells in columns if any(re.fullmatch(r"-?\d+\.\d+", cell) for cell in cells)]
    odd = [name for name in measured if not name.endswith(UNITS) and name not in NO_UNIT]
    of = {name: header.count(name) == 1 and name.removesuffix("_ci95") in header for name in header}
    return odd + [name for name in header if not of[name] or not re.fullmatch("[a-z0-9_]+", name)] + ["no rows"] * (not rows)


def test_tables_name_each_column_once_with_its_unit(committed):
    """X_ci95 is half of X's 95 % interval. Those of studies, too."""
    files = sorted((committed / "reports").rglob("*.csv"))
    assert len(files) > 45 and {file.name: odd for file in files if (odd := odd_columns(file))} == {}


def test_the_page_tells_the_matches_of_the_reports(committed):
    text = (committed / "reports/pages/explorer.html").read_text(encoding="utf-8")
    agents = json.loads(text.partition('id="data">')[2].partition("</script>")[0])["agents"]
    told = {(agent["name"], agent["depth"]): agent["facts"].get("match") for agent in agents}
    for name, depth in (("CART paper", 15), ("OCT paper", 15), ("OCT ours", 15), ("safe OCT ours", 8)):
        whole = f"{name} {depth}" if name.startswith("safe") else name
        assert told[name, depth] == pytest.approx(at(committed, f"agents/agents/name={whole}/table/mbb")[0])


NUMBER = r"\d(?:[\d,]*\d)?(?:\.\d+)?"
PAIR = re.compile(rf"(?<![\d.,])(?=({NUMBER}) [±|] ({NUMBER}))")  # in tables an interval has a column beside its number
DOCUMENTS = ["README.md", "CONTRIBUTING.md", "docs/README.md", "notebooks/studies/README.md", "reports/strong/README.md"]
PROSE = [*DOCUMENTS, *(f"notebooks/{f.name}" for f in sorted((ROOT / "notebooks").glob("*.ipynb")))]
PROSE += ["notebooks/studies/defaults.ipynb", "data/claims.yaml"]


def is_one_of(number: tuple[float, float], pairs: Collection[tuple[str, str]]) -> bool:
    """Whether a number and its interval are written among pairs, with whatever digits; signs are words in prose."""
    return any(all(f"{abs(x):,.{len(t.partition('.')[2])}f}" == t for x, t in zip(number, pair, strict=True)) for pair in pairs)


def at(folder: Path, path: str) -> Any:
    """A number of the metrics: stage, then keys, places in lists, or what an entry of a list has, key=value;key=value."""
    strong, steps = path.startswith("strong/"), path.removeprefix("strong/").split("/")
    found = json.loads((folder / "reports" / ("strong/metrics" if strong else "metrics") / f"{steps[0]}.json").read_text())
    for step in steps[1:-1]:
        if isinstance(found, dict):
            found = found[step]
        elif "=" in step:
            wanted = dict(part.split("=") for part in step.split(";"))
            found = next(entry for entry in found if all(str(entry[key]) == value for key, value in wanted.items()))
        else:
            found = found[int(step)]
    value = steps[-1]
    interval = found.get(f"{value}_ci95", found.get("ci95"))
    return found[value] if interval is None else (found[value], interval)


ONE = "agents/agents/name="  # the one table of the main paper's agents
MATCH = tuple(f"{ONE}{name}/table/mbb" for name in ("OCT paper", "XGBoost paper", "OCT paper, argmax"))
STAND_IN = tuple(f"{ONE}{name}/stand_in/mbb" for name in ("table", "OCT paper, argmax", "XGBoost paper, argmax"))
ANSWERED = tuple(f"exploitability/main/name={name}/mbb" for name in ("OCT paper", "table"))
PURE = tuple(f"{ONE}{name}, argmax/pot_or_all_in/mbb" for name in ("OCT paper", "safe OCT paper"))
LEARNT = "opponent;learner=OCT", "both+seat;learner=OCT", "both+seat;learner=OCT, costs"
TOLD = tuple(f"history/trees/depth=15;history={learnt}/loses" for learnt in LEARNT)
WITH_COSTS = "history/answered/agent=OCT, costs;depth=15/more"
READING = tuple(f"matches/price_of_reading/features=paper;other=XGBoost;play=drawn/{of}mbb" for of in ("", "three/"))
HEADLINE = "safe/headline/mbb", "safe/headline/rich/mbb"
SAFE = "safe/headline/pot_or_all_in/mbb", "safe/headline/match/mbb", "safe/paper_tree/1/mbb"
ANY_SIZE = tuple(
    f"safe/lbr/agent={name};setting=56 bets, rounds 1-4/mbb" for name in ("OCT paper", "safe OCT paper", "safe OCT ours 8")
)
STRONG = tuple(f"strong/safe/{of}/mbb" for of in ("agents/0", "headline", "headline/rich", "headline/match", "headline/lbr"))
STRONG += tuple(f"strong/safe/on_36_flops/name=safe OCT ours 15;menu={menu}/mbb" for menu in ("pot_or_all_in", "all_sizes"))
RULES = tuple(f"human_rules/{of}/exploitability" for of in ("rule_lists/name=by heart, 3 lines", "baselines/always check"))
FORGIVING = tuple(f"human_rules/forgiving/{key}" for key in ("three_quarters", "no_mistake", "five_quarters"))
RIVERS = tuple(f"human_rules/rivers/lists/strategy={of}/loses_percent" for of in ("by heart, 3 lines", "always check"))
COSTS = tuple(
    f"agents/safety/{of}/mbb"
    for of in ("safe OCT paper/match", "safe OCT paper/twin", "safe OCT paper/pot_or_all_in", "safe OCT ours 8/match")
)
MET = "stand_in/table_wins", "mean/table_wins", "mean/gain_of_menu", "stand_in/lbr/56_1_4"
OPPONENTS = tuple(f"opponents/{of}/mbb" for of in MET)
SWAPS = tuple(f"discard/rule_costs/rule={name}/mbb" for name in ("rule by outs", "three lines", "tree"))
DISCARD = "discard/tell/mbb", "discard/rule/flop/lost_points", "discard/matches/first=paper;second=no thresholds/mbb"
NETWORK = tuple(f"bayes/matches/carried - {name}/mbb" for name in ("reserved", "active", "bluff", "self-play", "calling station"))
TYPES = "bayes/phase_map/ours/reserved - bluff/mbb", "bayes/fixed/reserved - self-play/mbb", "bayes/exploitability/mbb"
STATED = {  # file: numbers with intervals that it states
    "README.md": (MATCH[0], *READING, *ANSWERED, SAFE[2], ANY_SIZE[1], PURE[0], STAND_IN[1]),
    "reports/strong/README.md": STRONG,
    "notebooks/00_overview.ipynb": (*MATCH, *READING, *ANSWERED, *TOLD, WITH_COSTS, SAFE[0], SAFE[2], PURE[0]),
    "notebooks/11_selfplay.ipynb": ("selfplay/loss_to_final_mbb/-1/mbb", ANSWERED[1]),
    "notebooks/12_distill.ipynb": (f"{ONE}OCT ours/table/mbb",),
    "notebooks/13_exploitability.ipynb": (*ANSWERED, "exploitability/differences/-1/oct_table_mbb"),
    "notebooks/14_safe.ipynb": (*ANY_SIZE, *SAFE, "safe/paper_tree/0/mbb", "safe/agents/1/mbb", *HEADLINE),
    "notebooks/15_opponents.ipynb": OPPONENTS,
    "notebooks/16_matches.ipynb": (*MATCH, *COSTS, *PURE, *STAND_IN, *READING),
    "notebooks/17_strategy.ipynb": ("strategy/bluff/gain_dollars/mean",),
    "notebooks/18_selfplay_time.ipynb": ("selfplay_time/points/-1/CART/mbb",),
    "notebooks/20_human_rules.ipynb": (*RULES, *FORGIVING, *RIVERS),
    "notebooks/30_leduc.ipynb": ("leduc/sampled_cfr/rlcard/exploitability",),
    "notebooks/40_discard.ipynb": (*DISCARD, *SWAPS),
    "notebooks/50_bayes.ipynb": (*NETWORK, *TYPES),
}


@pytest.mark.parametrize("file", STATED)
def test_prose_states_the_numbers_of_the_reports(file, committed):
    pairs = PAIR.findall((committed / file).read_text(encoding="utf-8"))
    assert [path for path in STATED[file] if not is_one_of(at(committed, path), pairs)] == []


def test_prose_states_numbers_without_intervals(committed):
    text = {file: (committed / file).read_text(encoding="utf-8") for file in PROSE}
    small = min(tree["answers_chosen_anew"] for tree in at(committed, "leduc/readable") if tree["leaves"] < 42)
    for loses in (small, *{card["cells"]: card["exploitability"] for card in at(committed, "leduc/cards")}.values()):
        assert f"{loses:.3f}" in text["notebooks/30_leduc.ipynb"]
    for sheet in at(committed, "leduc/bounds"):
        assert f"{sheet['pure_bound']:.3f}" in text["notebooks/30_leduc.ipynb"] and sheet["how"] in ("counted out", "proved")
    assert f"{at(committed, 'equity/kings/equity_percent'):.3f} %" in text["notebooks/10_equity.ipynb"]
    assert f"folds {at(committed, 'safe/headline/folds')[0]:.0f} %" in text["notebooks/14_safe.ipynb"]


def intervals(value: object) -> Iterator[tuple[float, float]]:
    """Every number that has an interval beside it: x and x_ci95, or another key and ci95 (published: value and spread)."""
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else []
    numbers = {k: x for k, x in value.items() if isinstance(x, int | float)} if isinstance(value, dict) else {}
    for key in numbers.keys() & {"spread", "ci95", *(f"{name}_ci95" for name in numbers)}:
        of = [key.removesuffix("_ci95")] if "_" in key else [name for name in numbers if f"{name}_ci95" not in numbers]
        yield from ((abs(numbers[name]), numbers[key]) for name in of)
    for part in parts:
        yield from intervals(part)


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
    text = re.sub(r"```text.*?```", "", text, flags=re.S)  # what an example prints: a test runs it
    unknown = [pair for pair in PAIR.findall(text) if pair not in shown_pairs and not any(is_one_of(x, [pair]) for x in found)]
    assert unknown == []


def test_links_of_documents_lead_to_files(committed):
    for file in DOCUMENTS:
        for link in re.findall(r"\]\((?!http|#)([^)#]+)", (committed / file).read_text(encoding="utf-8")):
            assert (committed / file).parent.joinpath(link).exists(), f"{file} links {link}"
