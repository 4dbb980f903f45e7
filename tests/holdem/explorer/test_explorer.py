"""The explorer's scripts, run by node, answer as Python does: whole-number features, leaf, mixture, reasons, money."""

import json
import re
import shutil
import subprocess
from html.parser import HTMLParser

import numpy as np
import pytest
from questions import ANSWER, NO_WINS, check_answers, random_agent
from random_trees import random_tree

from faceup.cards.cards import hole_index
from faceup.cards.equity import UNITS
from faceup.cards.features import N_DECILES, Hand, feature_names
from faceup.cards.strength import strength
from faceup.holdem.betting.hand_play import settle
from faceup.holdem.betting.notation import read_line
from faceup.holdem.explorer.page import PURE, SCRIPTS, Player, explorer_page, page_data, source, write_explorer
from faceup.holdem.learn.agent_file import load_agent_file, save_agent
from faceup.holdem.play.words import condition, number, wording
from faceup.notebook.paths import AGENTS
from faceup.trees.decision_tree import leaves_below, n_leaves, truncate

NODE = pytest.mark.skipif(shutil.which("node") is None, reason="the page's scripts can only be run where node is installed")


def run(code: str, given: object) -> object:
    """What a script prints as JSON, after the page's scripts that need no page; it finds `given` under that name."""
    scripts = "\n".join(source(f"{name}.js") for name in PURE)
    done = subprocess.run(
        ["node", "-"], input=f"{scripts}\nconst given = {json.dumps(given)};\n{code}", capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def by_node(given: dict) -> list[dict]:
    """The answers of the scripts in node."""
    return run(f"{ANSWER} console.log(JSON.stringify(answersTo(given)));", given)


@NODE
@pytest.mark.parametrize("depth", [30, 3])
def test_the_page_answers_as_python_does(tables, tmp_path, depth):
    check_answers(tables, random_agent(tmp_path), depth, 60, by_node)


@NODE
@pytest.mark.slow
@pytest.mark.parametrize("name", ["oct", "ours"])
def test_the_page_answers_as_python_does_in_a_thousand_situations(tables, name):
    check_answers(tables, AGENTS / f"{name}.json", 15, 1000, by_node)


@NODE
def test_the_page_answers_as_python_does_where_a_tree_asks_for_pots(tables):
    check_answers(tables, AGENTS / "ours.json", 15, 60, by_node)


@NODE
def test_a_trees_file_is_read_as_python_reads_it(tables, tmp_path):
    path = random_agent(tmp_path)
    data = page_data([Player("it", 15, path)], tables[0], NO_WINS)
    code = """const trees = STREETS.map(street => unpack(given.files[0][street]));
    console.log(JSON.stringify(trees.map(tree => ({ ...tree, leaves: tree.feature.map((_, node) => leavesOf(tree, 99, node)),
      cut: leavesOf(tree, 3), words: tree.feature.map((f, i) => f < 0 ? null
        : condition(given.wording[tree.names[f]], tree.threshold[i], true)) }))));"""
    for found, tree, names in zip(run(code, data), *load_agent_file(path)[:2], strict=True):
        splits = np.flatnonzero(tree.feature >= 0)
        assert found["feature"] == tree.feature.tolist() and found["leaves"] == leaves_below(tree).tolist()
        assert found["cut"] == n_leaves(truncate(tree, 3))
        np.testing.assert_allclose(found["weight"], tree.weight, rtol=1e-9)
        np.testing.assert_allclose(found["value"], tree.value, atol=1e-6)
        assert [found["left"][i] for i in splits] == tree.left[splits].tolist()
        assert [found["right"][i] for i in splits] == tree.right[splits].tolist()
        said = [condition(names[tree.feature[i]], float(tree.threshold[i]), True) for i in splits]
        assert [found["words"][i] for i in splits] == said


@NODE
def test_the_papers_example_has_its_exact_equities():
    """Two ways to the same: the sweep over all holes of a board, and one hand by itself."""
    hand = Hand((48, 6), (46, 7, 36))  # Ac3h on Kh3sJc
    hole = hole_index(*hand.hole)
    found = run(f"const s = sweep({list(hand.board)}); console.log(JSON.stringify(handOf(s, {hole})));", None)
    assert found["equity"] == hand.exact_equity * UNITS[1]
    for street in (2, 3):
        values, counts = hand.histogram(street)
        assert list(found["later"][str(street)].values()) == np.repeat(values, counts).tolist()
    assert len(found["later"]["3"]) == 1081 and N_DECILES == 10


@NODE
def test_strengths_and_winnings_are_ours():
    rng = np.random.default_rng(1)
    deals = [rng.permutation(52)[:9].tolist() for _ in range(300)]
    for _ in range(100):  # flushes, straights and wheels, which are rare in random deals
        deals.append((4 * rng.permutation(13)[:9] + rng.choice(2, 9, p=(0.9, 0.1))).tolist())
    lines = ["f", "b300f", "cb400f", "b20000c", "ck/kk/kk/kk", "b250c/kb333c/kk/b777c", "b250c/b19750f"]
    cases = [[deal, lines[k % len(lines)]] for k, deal in enumerate(deals)]
    code = "given.map(([d, line]) => [strength(d.slice(0, 7)), winnings(line, [d.slice(0, 2), d.slice(2, 4)], d.slice(4))])"
    for (deal, line), (value, won) in zip(cases, run(f"console.log(JSON.stringify({code}));", cases), strict=True):
        assert value == strength(deal[:7]), deal
        assert won == settle(read_line(line), [deal[:2], deal[2:4]], deal[4:])[0], (deal, line)


@NODE
def test_wrong_lines_and_cards_are_refused():
    wrong = ["x", "k", "kk", "b150", "b20001", "b300b499", "b20000b20000", "ff", "b300c/c"]
    tried = "given.map(line => { try { readLine(line); return ''; } catch (e) { return e.message; } })"
    assert all(run(f"console.log(JSON.stringify({tried}));", wrong))
    cards = "given.map(text => { try { parseCards(text); return ''; } catch (e) { return e.message; } })"
    assert all(run(f"console.log(JSON.stringify({cards}));", ["A", "1c", "Ax", "AcAc"]))


@NODE
def test_numbers_are_said_as_python_says_them():
    said = {name: wording(name) for name in ("equity", "river_equity_p90", "opponent_bet_flop", "button")}
    values = [0.5, 0.123456, 1.0, 0.33333334, 0.0, 1234.5, 20000.0, 100.0]
    cases = [[name, value] for name in said for value in values if ("equity" in name) == (value <= 1) and name != "button"]
    given = {"words": {name: words._asdict() for name, words in said.items()}, "cases": cases}
    found = run("console.log(JSON.stringify(given.cases.map(([name, value]) => number(given.words[name], value))));", given)
    assert found == [number(said[name], value) for name, value in cases]


@NODE
def test_reasons_tell_what_the_hand_has_and_what_was_asked():
    answers = [
        ("opponent_bet_flop", 0, None, 100, ["opponent: nothing yet on the flop", "at most $100"]),
        ("opponent_bet_preflop", 100, None, 200, ["opponent’s blind only ($100): no raise before the flop", "at most $200"]),
        ("opponent_bet_preflop", 300, 200, 400, ["opponent’s preflop bet $300", "above $200, at most $400"]),
        ("river_equity_p90", 0.94, 0.9, None, ["draw: the best 10 % of rivers reach 94 % or more", "above 90 %"]),
        ("river_equity_p10", 0.2, 0.1, None, ["vulnerable: the worst 10 % of rivers leave 20 % or less", "above 10 %"]),
        ("equity", 0.55, 0.5, 0.6, ["equity 55 %", "above 50 %, at most 60 %"]),
    ]
    given = [
        {"feature": name, "value": value, "low": low, "high": high, "words": wording(name)._asdict()}
        for name, value, low, high, _ in answers
    ]
    code = """const { state } = readLine("b300c/"), open = a => ({ ...a, low: a.low ?? -Infinity, high: a.high ?? Infinity });
    console.log(JSON.stringify(given.map(a => reason(open(a), 0.55, state, a.words))));"""
    assert run(code, given) == [said for *_, said in answers]
    odds = "console.log(JSON.stringify(['', 'b300', 'b300c/b600', 'b300c/'].map(line => situation(readLine(line).state))));"
    assert [said.split(": ")[-1] for said in run(odds, None)] == [
        "pot odds 3 to 1, so a call needs 25 % equity to break even",
        "pot odds 2 to 1, so a call needs 33 % equity to break even",
        "pot odds 2 to 1, so a call needs 33 % equity to break even",
        "$600 in the pot, no bet to call",
    ]


def test_the_page_is_one_file_that_needs_nothing_else(tables, tmp_path):
    path = random_agent(tmp_path)
    players = [Player("A", depth, path, {"exploitability": 1.5}) for depth in (3, 15)]
    size = write_explorer(tmp_path / "page.html", players, tables[0], NO_WINS)
    text = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert size == len(text.encode()) < 12e6
    assert "{{" not in text and text.count("<script") == text.count("</script>") == len(SCRIPTS) + 1
    identifiers = re.findall(r' id="([^"]+)"', text)
    assert len(identifiers) == len(set(identifiers)) > 20
    assert " src=" not in text and "@import" not in text and "fetch(" not in text
    assert set(part.split('"')[0] for part in text.split("http://")[1:]) == {"www.w3.org/2000/svg"} and "https://" not in text


class Elements(HTMLParser):
    """Fails on an element that is closed in another's place."""

    def __init__(self, text: str):
        super().__init__()
        self.open: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        if tag not in ("meta", "input", "br"):
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def test_the_page_is_well_formed():
    assert not Elements(explorer_page({})).open


def test_agents_that_do_not_fit_are_refused(tables, tmp_path):
    other = tmp_path / "other.json"
    names = [feature_names(street) for street in range(4)]
    save_agent(other, [random_tree(1, 3, 5, 3)] * 4, names, ("fold", "call", "all_in"), {})
    with pytest.raises(ValueError, match="labels"):
        page_data([Player("A", 3, random_agent(tmp_path)), Player("B", 3, other)], tables[0], NO_WINS)
    with pytest.raises(ValueError, match="none"):
        page_data([], tables[0], NO_WINS)


def test_a_script_cannot_be_ended_by_what_the_page_knows():
    assert "</script><b>" not in explorer_page({"names": ["</script><b>"]})


@NODE
def test_every_script_can_be_parsed():
    for name in SCRIPTS:
        done = subprocess.run(["node", "--check", "-"], input=source(f"{name}.js"), capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
