"""The explorer's scripts, run by node, answer as Python does: whole-number features, leaf, mixture, reasons, money."""

import numpy as np
import pytest
from questions import ANSWER, NO_WINS, check_answers, node, random_agent, run
from random_tables import save_random_agent

from faceup.cards.cards import hole_index
from faceup.cards.equity import UNITS
from faceup.cards.features import N_DECILES, Hand
from faceup.cards.strength import strength
from faceup.holdem.lines import read_line, settle
from faceup.holdem.rules import menu_from
from faceup.holdem.words import condition, wording
from faceup.lab.paths import AGENTS
from faceup.pages.explorer import SCRIPTS, Player, page_data, source, write_explorer
from faceup.trees.tree import leaves_below, load_agent_file, n_leaves, truncate


def by_node(given: dict) -> list[dict]:
    """The answers of the scripts in node."""
    return run("answersTo(given)", given, ANSWER)


THOUSAND = [pytest.param(name, 15, 1000, marks=pytest.mark.slow) for name in ("oct", "ours")]


@pytest.mark.parametrize(("name", "depth", "n"), [("random", 30, 40), ("random", 3, 20), ("ours", 15, 40), *THOUSAND])
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
        values, counts = hand.histograms[street]
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


def test_reasons_tell_what_the_hand_has_and_what_was_asked():
    answers = [
        ("opponent_bet_flop", 0, None, 100, ["opponent: nothing yet on the flop", "at most $100"]),
        ("opponent_bet_preflop", 300, 200, 400, ["opponent’s preflop bet $300", "above $200, at most $400"]),
        ("river_equity_p90", 0.94, 0.9, None, ["draw: the best 10 % of rivers reach 94 % or more", "above 90 %"]),
        ("equity", 0.55, 0.5, 0.123456, ["equity 55 %", "above 50 %, at most 12.35 %"]),
    ]
    given = [{"feature": f, "value": x, "low": a, "high": b, "words": wording(f)._asdict()} for f, x, a, b, _ in answers]
    before = """const { state } = readLine("b300c/");
    const open = a => ({ ...a, low: a.low ?? -Infinity, high: a.high ?? Infinity });"""
    assert run("given.map(a => reason(open(a), 0.55, state, a.words))", given, before) == [said for *_, said in answers]
    lines = {"b300": "pot odds 2 to 1, so a call needs 33 % equity to break even", "b300c/": "$600 in the pot, no bet to call"}
    said = run("given.map(line => situation(readLine(line).state))", list(lines))
    assert [words.split(": ")[-1] for words in said] == list(lines.values())


def test_the_page_is_one_file_that_needs_nothing_else(tables, tmp_path):
    """Nor can a script be ended by what the page knows."""
    players = [Player("</script><b>", depth, random_agent(tmp_path), {"exploitability": 1.5}) for depth in (3, 15)]
    size = write_explorer(tmp_path / "page.html", players, tables[0], NO_WINS)
    text = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert size == len(text.encode()) < 12e6
    assert "{{" not in text and text.count("<script") == text.count("</script>") == len(SCRIPTS) + 1
    assert "</script><b>" not in text and " src=" not in text and "@import" not in text and "fetch(" not in text
    assert set(part.split('"')[0] for part in text.split("http://")[1:]) == {"www.w3.org/2000/svg"} and "https://" not in text
    for name in SCRIPTS:
        node("--check", script=source(f"{name}.js"))


def test_agents_that_differ_in_labels_do_not_share_a_page(tables, tmp_path):
    other = save_random_agent(tmp_path / "other.json", menu_from([[]], [[]], [[]], [[]]), 3)
    with pytest.raises(ValueError, match="sizes"):
        page_data([Player("A", 3, random_agent(tmp_path)), Player("B", 3, other)], tables[0], NO_WINS)
