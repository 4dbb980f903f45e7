"""The explorer's scripts, run by node, answer as Python does: whole-number features, leaf, mixture, reasons, money."""

import re
from html.parser import HTMLParser

import numpy as np
import pytest
from questions import ANSWER, NO_WINS, check_answers, node, random_agent, run
from random_tables import save_random_agent

from faceup.cards.cards import hole_index
from faceup.cards.equity import UNITS
from faceup.cards.features import N_DECILES, Hand
from faceup.cards.strength import strength
from faceup.holdem.betting.betting_tree import menu_from
from faceup.holdem.betting.hand_play import settle
from faceup.holdem.betting.notation import read_line
from faceup.holdem.explorer.page import SCRIPTS, Player, page_data, source, write_explorer
from faceup.holdem.play.words import condition, number, wording
from faceup.lab.paths import AGENTS
from faceup.trees.decision_tree import leaves_below, n_leaves, truncate
from faceup.trees.tree_file import load_agent_file


def by_node(given: dict) -> list[dict]:
    """The answers of the scripts in node."""
    return run("answersTo(given)", given, ANSWER)


THOUSAND = [pytest.param(name, 15, 1000, marks=pytest.mark.slow) for name in ("oct", "ours")]


@pytest.mark.parametrize(("name", "depth", "n"), [("random", 30, 60), ("random", 3, 60), ("ours", 15, 60), *THOUSAND])
def test_the_page_answers_as_python_does(tables, tmp_path, name, depth, n):
    """The trees of "ours" ask for pots."""
    path = random_agent(tmp_path) if name == "random" else AGENTS / f"{name}.json"
    check_answers(tables, path, depth, n, by_node)


def test_a_trees_file_is_read_as_python_reads_it(tables, tmp_path):
    path = random_agent(tmp_path)
    data = page_data([Player("it", 15, path)], tables[0], NO_WINS)
    told = """STREETS.map(street => unpack(given.files[0][street])).map(tree => ({ ...tree, cut: leavesOf(tree, 3),
      leaves: tree.feature.map((_, node) => leavesOf(tree, 99, node)),
      words: tree.feature.map((f, i) => f < 0 ? null : condition(given.wording[tree.names[f]], tree.threshold[i], true)) }))"""
    for found, tree, names in zip(run(told, data), *load_agent_file(path)[:2], strict=True):
        splits = np.flatnonzero(tree.feature >= 0)
        assert found["feature"] == tree.feature.tolist() and found["leaves"] == leaves_below(tree).tolist()
        assert found["cut"] == n_leaves(truncate(tree, 3))
        np.testing.assert_allclose(found["weight"], tree.weight, rtol=1e-9)
        np.testing.assert_allclose(found["value"], tree.value, atol=1e-6)
        assert [found["left"][i] for i in splits] == tree.left[splits].tolist()
        assert [found["right"][i] for i in splits] == tree.right[splits].tolist()
        said = [condition(names[tree.feature[i]], float(tree.threshold[i]), True) for i in splits]
        assert [found["words"][i] for i in splits] == said


def test_the_papers_example_has_its_exact_equities():
    """Two ways to the same: the sweep over all holes of a board, and one hand by itself."""
    hand = Hand((48, 6), (46, 7, 36))  # Ac3h on Kh3sJc
    hole = hole_index(*hand.hole)
    found = run(f"handOf(sweep({list(hand.board)}), {hole})")
    assert found["equity"] == hand.exact_equity * UNITS[1]
    for street in (2, 3):
        values, counts = hand.histogram(street)
        assert list(found["later"][str(street)].values()) == np.repeat(values, counts).tolist()
    assert len(found["later"]["3"]) == 1081 and N_DECILES == 10


def test_strengths_and_winnings_are_ours():
    rng = np.random.default_rng(1)
    deals = [rng.permutation(52)[:9].tolist() for _ in range(300)]
    for _ in range(100):  # flushes, straights and wheels, which are rare in random deals
        deals.append((4 * rng.permutation(13)[:9] + rng.choice(2, 9, p=(0.9, 0.1))).tolist())
    lines = ["f", "b300f", "cb400f", "b20000c", "ck/kk/kk/kk", "b250c/kb333c/kk/b777c", "b250c/b19750f"]
    cases = [[deal, lines[k % len(lines)]] for k, deal in enumerate(deals)]
    code = "given.map(([d, line]) => [strength(d.slice(0, 7)), winnings(line, [d.slice(0, 2), d.slice(2, 4)], d.slice(4))])"
    for (deal, line), (value, won) in zip(cases, run(code, cases), strict=True):
        assert value == strength(deal[:7]), deal
        assert won == settle(read_line(line), [deal[:2], deal[2:4]], deal[4:])[0], (deal, line)


def test_wrong_lines_and_cards_are_refused():
    lines = ["x", "k", "kk", "b150", "b20001", "b300b499", "b20000b20000", "ff", "b300c/c"]
    for reader, wrong in (("readLine", lines), ("parseCards", ["A", "1c", "Ax", "AcAc"])):
        assert all(run(f"given.map(text => {{ try {{ {reader}(text); return ''; }} catch (e) {{ return e.message; }} }})", wrong))


def test_numbers_are_said_as_python_says_them():
    said = {name: wording(name) for name in ("equity", "river_equity_p90", "opponent_bet_flop", "button")}
    values = [0.5, 0.123456, 1.0, 0.33333334, 0.0, 1234.5, 20000.0, 100.0]
    cases = [[name, value] for name in said for value in values if ("equity" in name) == (value <= 1) and name != "button"]
    given = {"words": {name: words._asdict() for name, words in said.items()}, "cases": cases}
    found = run("given.cases.map(([name, value]) => number(given.words[name], value))", given)
    assert found == [number(said[name], value) for name, value in cases]


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
    before = """const { state } = readLine("b300c/");
    const open = a => ({ ...a, low: a.low ?? -Infinity, high: a.high ?? Infinity });"""
    assert run("given.map(a => reason(open(a), 0.55, state, a.words))", given, before) == [said for *_, said in answers]
    lines = {
        "": "pot odds 3 to 1, so a call needs 25 % equity to break even",
        "b300": "pot odds 2 to 1, so a call needs 33 % equity to break even",
        "b300c/b600": "pot odds 2 to 1, so a call needs 33 % equity to break even",
        "b300c/": "$600 in the pot, no bet to call",
    }
    said = run("given.map(line => situation(readLine(line).state))", list(lines))
    assert [words.split(": ")[-1] for words in said] == list(lines.values())


class Elements(HTMLParser):
    """Fails on an element that is closed in another's place."""

    def __init__(self, text: str):
        super().__init__()
        self.open: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        if tag not in ("meta", "input", "br"):
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def test_the_page_is_one_well_formed_file_that_needs_nothing_else(tables, tmp_path):
    """Nor can a script be ended by what the page knows."""
    path = random_agent(tmp_path)
    players = [Player("</script><b>", depth, path, {"exploitability": 1.5}) for depth in (3, 15)]
    size = write_explorer(tmp_path / "page.html", players, tables[0], NO_WINS)
    text = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert size == len(text.encode()) < 12e6
    assert "{{" not in text and text.count("<script") == text.count("</script>") == len(SCRIPTS) + 1
    assert "</script><b>" not in text and not Elements(text).open
    identifiers = re.findall(r' id="([^"]+)"', text)
    assert len(identifiers) == len(set(identifiers)) > 20
    assert " src=" not in text and "@import" not in text and "fetch(" not in text
    assert set(part.split('"')[0] for part in text.split("http://")[1:]) == {"www.w3.org/2000/svg"} and "https://" not in text


def test_agents_that_do_not_fit_are_refused(tables, tmp_path):
    other = save_random_agent(tmp_path / "other.json", menu_from([[]], [[]], [[]], [[]]), 3)
    with pytest.raises(ValueError, match="labels"):
        page_data([Player("A", 3, random_agent(tmp_path)), Player("B", 3, other)], tables[0], NO_WINS)
    with pytest.raises(ValueError, match="none"):
        page_data([], tables[0], NO_WINS)


def test_every_script_can_be_parsed():
    for name in SCRIPTS:
        node("--check", script=source(f"{name}.js"))
