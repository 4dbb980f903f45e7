"""The rules and values of the pages of Leduc and of the one-card game are Python's; node runs the scripts."""

import re

import numpy as np
import pytest
from questions import data_of, node, run

from faceup.lab.paths import ROOT
from faceup.leduc.agents import action_values
from faceup.leduc.game import RLCARD, build, legal, winnings
from faceup.onecard.calling import beating_bluffs
from faceup.onecard.game import SIZES
from faceup.onecard.rule_lists import BALANCE, STRONG, WEAK, RuleLine, play
from faceup.onecard.solutions import answers_to_calls, calls_of
from faceup.pages.explorer import SMALL, source, write_small

LEDUC, DATA = build(RLCARD), data_of("leduc")
LINES = "strategiesOf(given.situations)"
CARDS = "given.situations.map(s => [RANKS.indexOf(s.card), s.public === null ? null : RANKS.indexOf(s.public), s.line])"
SITUATIONS = [("/".join(s.state.line), s.own, s.public) for s in LEDUC.situations]


def strategy_of(name: str) -> np.ndarray:
    """One of the page's opponents (n_actions,), in the order of the game's actions."""
    shares = run(
        f"given.situations.map(s => {LINES}.{name}[s.card + (s.public ?? '') + ':' + s.line])", DATA, "", ["leduc_rules"]
    )
    return np.concatenate([[found[a] for a in row["actions"]] for found, row in zip(shares, DATA["situations"], strict=True)])


def test_leducs_rules_are_pythons():
    """In all 288 situations: who acts, and what he may do; and who wins what at the end of each line, with all cards."""
    assert [(row["line"], row["card"]) for row in DATA["situations"]] == [(line, "JQK"[own]) for line, own, _ in SITUATIONS]
    told = run(f"{CARDS}.map(([, , line]) => [replay(line).state.player, legal(replay(line).state)])", DATA, "", ["leduc_rules"])
    for (player, actions), seen in zip(told, LEDUC.situations, strict=True):
        assert player == seen.state.player and actions == list(legal(RLCARD, seen.state))
    ends = run(
        """(() => { const found = [], walk = state => state.over
            ? found.push([state, [0, 1, 2].map(a => [0, 1, 2].map(b => [0, 1, 2].map(c => winnings(state, 0, a, b, c))))])
            : legal(state).forEach(action => walk(next(state, action))); walk(START); return found; })()""",
        names=["leduc_rules"],
    )
    assert len(ends) == 61
    for state, won in ends:
        python = LEDUC.situations[0].state._replace(folded=state["folded"], chips=tuple(map(tuple, state["chips"])), over=True)
        for deal in LEDUC.deals:
            assert won[deal[0]][deal[1]][deal[2]] == winnings(RLCARD, python, deal), (state, deal)


@pytest.mark.parametrize("opponent", ["sheet", "equilibrium", "answer"])
def test_leducs_action_values_are_pythons(opponent):
    """Of every action in all 288 situations, against each opponent of the page; two of them the notebook tells, too."""
    expected, n = action_values(LEDUC, strategy_of(opponent)), LEDUC.game.first_action
    found = run(
        f"{CARDS}.map(([own, shown, line]) => actionValues({LINES}.{opponent}, own, shown, line))", DATA, "", ["leduc_rules"]
    )
    for i, (values, row) in enumerate(zip(found, DATA["situations"], strict=True)):
        wanted = expected[n[i] : n[i + 1]]
        assert (values is None) == bool(np.isnan(wanted[0])), row
        if values is not None:
            assert [values[a] for a in row["actions"]] == pytest.approx(wanted.tolist(), abs=1e-4), row
            if opponent != "answer":
                assert [values[a] for a in row["actions"]] == pytest.approx(row[f"value_against_{opponent}"], abs=1e-3), row
    assert sum(values is not None for values in found) > 100


ONE_CARD = data_of("one_card")
GAMES = {key: np.array([game[key] for game in ONE_CARD["games"]]) for key in ("own", "other", "value", "called")}
ASK = "const { sizes } = given.game, callers = given.games.map(g => callsOf(g.other, SHARE, sizes));"


def lines_of(entry: dict) -> list[RuleLine]:
    """A list as Python has it; only those that forgive say how many bluffs they make, in the others bluffs are in balance."""
    of = {"strong": STRONG, "weak": WEAK, "balance": BALANCE}
    count = 20 if entry["name"].startswith("forgiving") else 0
    return [
        RuleLine(of[x["kind"]], x["threshold"], round(10 * x["size"]), round(count * (x["bluffs_for_a_bet"] or 0)))
        for x in entry["rules"]
    ]


@pytest.mark.parametrize(("share", "weakest"), [("g.called", None), ("pocketShare(g, 0.15)", 0.15)])
def test_what_a_bet_is_worth_is_pythons(share, weakest):
    """Best bets against a caller are worth what Python says: against the equilibrium's calls, the game's value."""
    values = run(
        "given.games.map((g, k) => g.own.map((_, i) => betValues(g, callers[k], sizes, i)))",
        ONE_CARD,
        ASK.replace("SHARE", share),
        ["one_card_rules"],
    )
    own, other = GAMES["own"], GAMES["other"]
    met = own * (1 - other)  # how likely each card is, once the same one is ruled out
    found = (met / met.sum(axis=1, keepdims=True) * np.max(values, axis=2)).sum(axis=1)
    if weakest is None:
        assert found == pytest.approx(GAMES["value"], abs=3e-5)
        return
    calls = calls_of(other, beating_bluffs(own, other, weakest))
    calls[:, :, 0] = 1  # a check is shown down
    assert found == pytest.approx(answers_to_calls(own, other, calls), abs=3e-5)


def test_the_equilibriums_bets_cost_nothing():
    """Against the equilibrium's calls every bet that it makes is as good as the best: the page's shares and values agree."""
    costs = run(
        "given.games.flatMap((g, k) => g.bets.filter(([i]) => g.own[i] > 1e-4)"
        ".map(([i, s]) => { const v = betValues(g, callers[k], sizes, i); return Math.max(...v) - v[s]; }))",
        ONE_CARD,
        ASK.replace("SHARE", "g.called"),
        ["one_card_rules"],
    )
    assert len(costs) > 4000 and max(costs) < 1e-3


def test_rule_lists_bet_as_python_says():
    assert ONE_CARD["game"]["sizes"] == SIZES.tolist()
    code = "given.lists.map(l => given.games.map(g => ruleShares(l.rules, g, given.game.sizes)))"
    for one, found in zip(ONE_CARD["lists"], run(code, ONE_CARD, "", ["one_card_rules"]), strict=True):
        expected = play(lines_of(one), GAMES["own"], GAMES["other"])
        np.testing.assert_allclose(found, expected, atol=1e-3, err_msg=one["name"])


def test_the_explorer_links_to_them_and_the_sites_front_page_to_the_overview():
    page, recipe = source("explorer.html"), (ROOT / "Makefile").read_text(encoding="utf-8")
    assert all(f'href="{name}.html"' in page for name in SMALL)
    place, link = re.search(r"sed 's\|(.*)\|&\. (.*)\|' build/site/explorer\.html > build/site/index\.html", recipe).groups()
    assert page.count(place) == 1 and 'href="00_overview.html"' in link


@pytest.mark.parametrize("name", SMALL)
def test_a_small_page_is_one_file_that_needs_nothing_else(tmp_path, name):
    size = write_small(tmp_path / "page.html", name, data_of(name))
    text = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert size == len(text.encode()) < 300_000
    assert "{{" not in text and text.count("<script") == text.count("</script>") == 4
    assert " src=" not in text and "@import" not in text and "fetch(" not in text and "https://" not in text
    node("--check", script=source(f"{name}.js"))
