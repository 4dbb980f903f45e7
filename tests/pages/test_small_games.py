"""The rules and values of the pages of Leduc and of the one-card game are Python's."""

import re
from functools import partial

import numpy as np
import pytest
from questions import data_of, run

from faceup.pages.explorer import SCRIPTS, source
from faceup.papers.leduc.agents import action_values
from faceup.papers.leduc.game import RLCARD, build
from faceup.papers.onecard.calling import bluff_catching_shares
from faceup.papers.onecard.game import SIZES
from faceup.papers.onecard.rule_lists import BALANCE, STRONG, RuleLine, list_strategies
from faceup.papers.onecard.solutions import best_response_values, calling_strategies
from faceup.util.paths import ROOT

LEDUC, DATA = build(RLCARD), data_of("leduc")
EVEN = [
    row | {"sheet": [1 / len(row["actions"])] * len(row["actions"])} for row in DATA["situations"]
]
OPPONENTS = {
    name: f"strategiesOf(given.situations).{name}" for name in ("sheet", "equilibrium", "answer")
}
# takes all actions alike, so that all lines are met
OPPONENTS["even"] = "strategiesOf(given.even).sheet"
VALUES = """
const name = s => s.card + (s.public ?? "") + ":" + s.line;
const rank = card => card === null ? null : RANKS.indexOf(card);
const valuesOf = (opponent, s) => actionValues(opponent, rank(s.card), rank(s.public), s.line);
const found = opponent => given.situations.map(s => [opponent[name(s)], valuesOf(opponent, s)]);
"""


@pytest.mark.parametrize("opponent", OPPONENTS)
def test_leducs_action_values_are_pythons(opponent):
    """Of every action in all 288 situations; against two opponents the notebook's, too."""
    found = run(f"found({OPPONENTS[opponent]})", DATA | {"even": EVEN}, VALUES, ["leduc_rules"])
    shares = [
        [played[a] for a in row["actions"]]
        for (played, _), row in zip(found, DATA["situations"], strict=True)
    ]
    assert list(map(sum, shares)) == pytest.approx([1] * 288, abs=1e-4)
    expected = action_values(LEDUC, np.concatenate(shares))
    n = LEDUC.game.first_action
    told = f"value_against_{opponent}"
    for i, ((_, values), row) in enumerate(zip(found, DATA["situations"], strict=True)):
        wanted = expected[n[i] : n[i + 1]]
        assert (values is None) == bool(np.isnan(wanted[0])), row
        if values is not None:
            assert sorted(values) == sorted(row["actions"])
            assert [values[a] for a in row["actions"]] == pytest.approx(
                wanted.tolist(), abs=1e-4
            ), row
            if told in row:
                assert [values[a] for a in row["actions"]] == pytest.approx(row[told], abs=1e-3), (
                    row
                )
    assert sum(values is not None for _, values in found) > (287 if opponent == "even" else 100)


ONE_CARD = data_of("one_card")
GAMES = {
    key: np.array([game[key] for game in ONE_CARD["games"]])
    for key in ("own", "other", "value", "called")
}
ASK = (
    "const { sizes } = given.game, callers = given.games.map(g => callsOf(g.other, SHARE, sizes));"
)
in_one_card = partial(run, given=ONE_CARD, names=["one_card_rules"])


def lines_of(entry: dict) -> list[RuleLine]:
    """A list as Python has it."""
    of = {"strong": STRONG, "balance": BALANCE}
    return [RuleLine(of[x["kind"]], x["threshold"], round(10 * x["size"])) for x in entry["rules"]]


@pytest.mark.parametrize(("share", "weakest"), [("g.called", None), ("pocketShare(g, 0.15)", 0.15)])
def test_what_a_bet_is_worth_is_pythons(share, weakest):
    """The best bets against the equilibrium's calls win the game's value, as its own bets do."""
    code = "given.games.map((g, k) => g.own.map((_, i) => betValues(g, callers[k], sizes, i)))"
    values = in_one_card(code, before=ASK.replace("SHARE", share))
    own, other = GAMES["own"], GAMES["other"]
    met = own * (1 - other)  # how likely each card is, once the same one is ruled out
    found = (met / met.sum(axis=1, keepdims=True) * np.max(values, axis=2)).sum(axis=1)
    if weakest is None:
        assert found == pytest.approx(GAMES["value"], abs=3e-5)
        games = zip(ONE_CARD["games"], values, strict=True)
        costs = [
            max(worth[i]) - worth[i][s]
            for game, worth in games
            for i, s, *_ in game["bets"]
            if game["own"][i] > 1e-4
        ]
        assert len(costs) > 4000 and max(costs) < 1e-3
        return
    calls = calling_strategies(other, bluff_catching_shares(own, other, weakest))
    calls[:, :, 0] = 1  # a check is shown down
    assert found == pytest.approx(best_response_values(own, other, calls), abs=3e-5)


def test_rule_lists_bet_as_python_says():
    assert ONE_CARD["game"]["sizes"] == SIZES.tolist()
    code = "given.lists.map(l => given.games.map(g => ruleShares(l.rules, g, given.game.sizes)))"
    for one, found in zip(ONE_CARD["lists"], in_one_card(code), strict=True):
        if any(line["kind"] == "weak" for line in one["rules"]):
            continue  # a kind of line of earlier reports
        expected = list_strategies(lines_of(one), GAMES["own"], GAMES["other"])
        np.testing.assert_allclose(found, expected, atol=1e-3, err_msg=one["name"])


def test_the_number_that_is_shown_meets_the_rules_that_the_card_meets():
    code = """given.lists.flatMap(l => given.games.flatMap(g => strengths(g.other).flatMap(s => {
      const shown = percentBeaten(s) / 100;
      return l.rules.map(({ kind, threshold: t }) =>
        kind === "strong" ? shown >= t === s >= t : shown <= t === s <= t);
    })))"""
    found = in_one_card(code)
    assert len(found) > 40_000 and all(found)


@pytest.mark.parametrize("name", SCRIPTS)
def test_pages_link_to_each_other_and_to_notebooks(name):
    """And the site's pages to its notebooks, by the recipe of `make site`."""
    page = source(f"{name}.html")
    assert all(f'href="{other}.html"' in page for other in SCRIPTS if other != name)
    notebooks = re.findall(r'href="\.\./(\w+)\.ipynb"', page)
    assert notebooks and all((ROOT / f"notebooks/{one}.ipynb").exists() for one in notebooks)
    recipe = (ROOT / "Makefile").read_text(encoding="utf-8")
    scripts = re.findall(r"sed (?:-i )?'s\|(.*?)\|(.*?)\|g' build/site/pages", recipe)
    for old, new in scripts:
        page = re.sub(old.replace(r"\(", "(").replace(r"\)", ")"), new, page)
    assert len(scripts) == 2 and all(f'href="{one}.html"' in page for one in notebooks)


@pytest.mark.parametrize("name", SCRIPTS)
def test_notebooks_link_back(name):
    texts = (path.read_text(encoding="utf-8") for path in (ROOT / "notebooks").glob("*.ipynb"))
    assert any(f"(../reports/pages/{name}.html" in text for text in texts)
