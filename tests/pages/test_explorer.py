"""The explorer's scripts, run by node, answer as Python does: whole-number features, leaf, mixture,
reasons, money.
"""

import numpy as np
import pytest
from games import node_after
from questions import (
    GRIDS,
    NO_WINS,
    data_of,
    grouped_table,
    node,
    player,
    random_agent,
    random_questions,
    run,
)

from faceup.cards.cards import card_text, hole_index, parse_cards
from faceup.cards.strength import strength
from faceup.holdem.agents import load_agent
from faceup.holdem.betting_lines import line_to, read_line, settle, state_after
from faceup.holdem.betting_tree import build_tree, children, columns
from faceup.holdem.buckets import hole_buckets
from faceup.holdem.rules import DECISION, menu_from
from faceup.holdem.wording import condition
from faceup.pages.explorer import SCRIPTS, STEPS, blueprint_data, page_data, source, write_page
from faceup.trees.agent_file import load_agent_file
from faceup.trees.tree import leaves_below, n_leaves, truncate
from faceup.util.paths import AGENTS

ANSWER = """
function answersTo(given) {
  return given.questions.map(({ hole, board, betting }) => {
  const { state } = readLine(betting), cards = holeIndex(...hole), street = state.street;
  const whole = street ? serve({ board, hole: cards }).whole : wholeFeatures(cards, null, given.data.preflop);
  const tree = unpack(given.data.files[0][STREETS[street]]), x = rowOf(tree, features(whole, street), state);
  const path = pathOf(tree, x, given.depth), actions = offered(state, given.data.menu, given.data.labels);
  const steps = path.slice(0, -1).map(node => [tree.names[tree.feature[node]], x[tree.feature[node]], tree.threshold[node]]);
  const shares = legalShares(tree.value[path.at(-1)], actions);
  const rows = street ? serve({ board }).rows
    : Array.from({ length: N_HOLES }, (_, h) => features(wholeFeatures(h, null, given.data.preflop), 0));
  const hands = rows.filter(hand => hand).map(hand => rowOf(tree, hand, state));
  const { ranges, met, kept } = deciding(tree, x, hands, actions, given.depth, state);
  const words = Object.entries(ranges).map(([name, range]) => rangeWords(given.data.wording[name], ...range, x[tree.names.indexOf(name)]));
  return { x: Array.from(x), steps, words, hands: hands.length, met, kept, shares: Object.fromEntries(actions.map((a, i) => [given.data.labels[a.label], shares[i]])),
    amounts: Object.fromEntries(actions.map(a => [given.data.labels[a.label], a.amount])) };
});
}
"""


@pytest.mark.parametrize(
    ("name", "depth", "n"), [("random", 30, 40), ("random", 3, 20), ("oct_x", 15, 40)]
)
def test_the_page_answers_as_python_does(equities, tmp_path, name, depth, n):
    """Of trees cut at a depth, in n random situations and with the paper's hand; those of "oct_x"
    have pot-relative features.
    """
    path = random_agent(tmp_path) if name == "random" else AGENTS / f"{name}.json"
    papers = {"hole": parse_cards("Ac3h"), "board": parse_cards("Kh3sJc"), "betting": "b300c/"}
    agent, questions = load_agent(path, equities), [papers, *random_questions(n)]
    agent.trees = tuple(truncate(tree, depth) for tree in agent.trees)
    data = page_data([player("it", depth, path)], equities[0], NO_WINS)
    answers = run(
        "answersTo(given)", {"data": data, "depth": depth, "questions": questions}, ANSWER
    )
    for question, found in zip(questions, answers, strict=True):
        hole, board = ("".join(map(card_text, question[key])) for key in ("hole", "board"))
        asked = hole, board, question["betting"]
        raises = {
            label: amount
            for label, amount in agent.legal(question["betting"]).items()
            if label not in ("fold", "call")
        }
        x = agent.features(
            np.array([hole_index(*question["hole"])]),
            question["board"],
            [state_after(question["betting"])],
        )
        assert found["x"] == x[0].tolist(), asked
        steps = [(name, threshold, x > threshold) for name, x, threshold in found["steps"]]
        assert steps == agent.path(*asked), asked
        decided, words = agent.deciding(*asked)
        assert (found["words"], found["met"], found["kept"]) == (words, decided.met, decided.same)
        assert found["shares"] == pytest.approx(agent.action_probabilities(*asked), abs=1e-6), asked
        assert {label: amount for label, amount in found["amounts"].items() if amount} == raises, (
            asked
        )


def test_the_only_legal_action_with_a_weight_is_played_however_small_the_weight():
    assert run("legalShares([1e-60, 0, 1], [{ label: 0 }, { label: CALL }])", {}) == [1, 0]


def test_a_trees_file_is_read_as_python_reads_it(equities, tmp_path):
    path = random_agent(tmp_path)
    data = page_data([player("it", 15, path)], equities[0], NO_WINS)
    told = """STREETS.map(street => unpack(given.files[0][street])).map(tree => ({ ...tree, cut: leavesOf(tree, 3),
      leaves: tree.feature.map((_, node) => leavesOf(tree, 99, node)),
      words: tree.feature.map((f, i) => f < 0 ? null : condition(given.wording[tree.names[f]], tree.threshold[i], true)) }))"""
    for found, tree, names in zip(run(told, data), *load_agent_file(path)[:2], strict=True):
        splits = np.flatnonzero(tree.feature >= 0)
        assert found["leaves"] == leaves_below(tree).tolist()
        assert found["cut"] == n_leaves(truncate(tree, 3))
        np.testing.assert_allclose(found["weight"], tree.weight, rtol=1e-9)
        said = [condition(names[tree.feature[i]], float(tree.threshold[i]), True) for i in splits]
        assert [found["words"][i] for i in splits] == said


def test_strengths_and_winnings_are_ours():
    rng = np.random.default_rng(1)
    deals = [rng.permutation(52)[:9].tolist() for _ in range(300)]
    for _ in range(100):  # flushes, straights and wheels, which are rare in random deals
        deals.append((4 * rng.permutation(13)[:9] + rng.choice(2, 9, p=(0.9, 0.1))).tolist())
    lines = [
        "f",
        "b300f",
        "cb400f",
        "b20000c",
        "ck/kk/kk/kk",
        "b250c/kb333c/kk/b777c",
        "b250c/b19750f",
    ]
    cases = [[deal, lines[k % len(lines)]] for k, deal in enumerate(deals)]
    code = "given.map(([d, line]) => [strength(d.slice(0, 7)), winnings(line, [d.slice(0, 2), d.slice(2, 4)], d.slice(4))])"
    for (deal, line), (value, won) in zip(cases, run(code, cases), strict=True):
        assert value == strength(deal[:7]), deal
        assert won == settle(read_line(line), [deal[:2], deal[2:4]], deal[4:])[0], (deal, line)


def test_hands_have_names():
    names = {
        "AcKd9h7s5c3d2h": "ace high",
        "AcAdKh7s5c3d2h": "a pair of aces, king kicker",
        "AcAd6h6s5c3d2h": "two pair, aces and 6s, 5 kicker",
        "TcTdTh7s5c3d2h": "three 10s, 7 kicker",
        "Ac2d3h4s5c9dTh": "a straight to the 5",
        "Ac2c3c9cTcQdQh": "a flush, ace high",
        "AcAdAh7s7c3d2h": "a full house, aces over 7s",
        "8c8d8h8s7c3d2h": "four 8s",
        "9cTcJcQcKc3d2h": "a straight flush to the king",
    }
    found = run("given.map(cards => handName(strength(parseCards(cards))))", list(names))
    assert found == [*names.values()]


def test_wrong_lines_and_cards_are_refused():
    lines = ["x", "k", "kk", "b150", "b20001", "b300b499", "b20000b20000", "ff", "b300c/c"]
    for reader, wrong in (("readLine", lines), ("parseCards", ["A", "1c", "Ax", "AcAc"])):
        assert all(
            run(
                f"given.map(text => {{ try {{ {reader}(text); return ''; }} catch (e) {{ return e.message; }} }})",
                wrong,
            )
        )


def test_what_is_at_stake_in_words():
    lines = {
        "b300": "pot odds 2 to 1, so a call needs 33 % equity to break even",
        "b300c/": "$600 in the pot, no bet to call",
    }
    said = run("given.map(line => situation(readLine(line).state))", list(lines))
    assert [words.split(": ")[-1] for words in said] == list(lines.values())


@pytest.mark.parametrize("name", SCRIPTS)
def test_a_page_is_one_file_that_needs_nothing_else(equities, tmp_path, name):
    """Nor can its data end a script."""
    path, scripts, n_data, most = tmp_path / "page.html", SCRIPTS[name], 1, 300_000
    if name == "explorer":
        players = [
            player("</script><b>", depth, random_agent(tmp_path), br_pot=[1500, 20])
            for depth in (3, 15)
        ]
        n_data, most, data = 2, 4_000_000, page_data(players, equities[0], NO_WINS)
    else:
        data = data_of(name)
    size = write_page(path, name, data)
    text = path.read_text(encoding="utf-8")
    assert size == len(text.encode()) < most and "{{" not in text
    assert text.count("<script") == text.count("</script>") == len(scripts) + n_data
    assert "</script><b>" not in text
    assert " src=" not in text
    assert "@import" not in text
    assert "fetch(" not in text
    assert {part.split('"')[0] for part in text.split("http://")[1:]} <= {"www.w3.org/2000/svg"}
    assert "https://" not in text
    for script in scripts:
        node("--check", script=source(f"{script}.js"))


TABLE_MENU = menu_from([[1, 2], []], [[1], []], [[1]], [[1, 2], []])
ASK = """
const { menu, labels, data: { blueprint, preflop } } = given;
function answerOf({ hole, board, betting }) {
  const own = readAs(betting, menu, labels), cards = holeIndex(...hole), street = readLine(betting).state.street;
  if (own === null) return { own };
  const whole = street ? serve({ board, hole: cards }).whole : wholeFeatures(cards, null, preflop);
  const actions = offered(readLine(own).state, menu, labels), group = groupOf(blueprint, street, features(whole, street), cards);
  const shares = blueprintShares(blueprint, street, own, group, actions.length);
  return { own, group, labels: actions.map(one => labels[one.label]), shares };
}
"""


def test_the_pages_blueprint_is_pythons(equities, tmp_path):
    """Buckets, shares, and readings of bets that it does not have."""
    policy = grouped_table(tree := build_tree(TABLE_MENU), equities)
    data = page_data(
        [player("it", 15, random_agent(tmp_path))],
        equities[0],
        NO_WINS,
        blueprint_data(tree, policy, equities, GRIDS),
    )
    questions, met = random_questions(96), set()
    given = {"data": data, "menu": TABLE_MENU, "labels": tree.labels, "questions": questions}
    for asked, found in zip(
        questions, run("given.questions.map(answerOf)", given, ASK), strict=True
    ):
        street = state_after(asked["betting"]).street
        node = node_after(
            tree, asked["betting"], state_after(asked["betting"]).actor, lambda i: 0.5
        )
        if tree.kind[node] != DECISION:
            assert found["own"] is None, asked
            continue
        assert found["own"] == line_to(tree, node), asked
        assert found["labels"] == [tree.labels[tree.label[c]] for c in children(tree, node)]
        group = hole_buckets(policy.buckets, street, asked["board"])[hole_index(*asked["hole"])]
        assert found["group"] == group, asked
        row = policy.tables[street][group, columns(tree, node)]
        np.testing.assert_allclose(found["shares"], row, atol=1 / STEPS)
        assert sum(found["shares"]) == pytest.approx(1)
        met.add((street, found["own"].replace("/", "") == asked["betting"].replace("/", "")))
    assert met == {(street, same) for street in range(4) for same in (True, False)}
