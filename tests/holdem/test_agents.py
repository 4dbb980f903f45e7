"""Agents with a text interface and users' own agents: legal actions only, the same probabilities as
their policies, clear errors.
"""

import contextlib
import io
import json
import re
from decimal import Decimal
from fractions import Fraction
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from games import SMALL, SMALL_MENU, save_random_agent
from random_trees import random_tree

from faceup.cards.cards import BOARD_CARDS, hole_index, parse_cards
from faceup.cards.features import BETTING_FEATURES, feature_names
from faceup.holdem.agents import (
    Agent,
    AgentPolicy,
    FunctionAgent,
    PolicyAgent,
    TreeAgent,
    load_agent,
)
from faceup.holdem.betting_lines import line_to, longer, state_after
from faceup.holdem.betting_tree import build_tree, children, columns, decision_nodes
from faceup.holdem.match import Match, play_boards, result
from faceup.holdem.match_tree import Opponent, play_opponent
from faceup.holdem.policy import FixedPolicy, ModelPolicy
from faceup.holdem.rules import CALL, DECISION, FOLD, act, legal_raises, menu_from, pot_and_call
from faceup.holdem.showdown import free_holes
from faceup.util.rng import rng

MENU = menu_from([[1, 2], [1], []], [[1], []], [[1], []], [[1], []])
TREE = build_tree(MENU)
HOLE, BOARD = "Ac3h", "Kh3sJc7d7c"
DEALT = parse_cards(BOARD)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Files of agents, each named after what its trees are told of the betting."""
    made = tmp_path_factory.mktemp("agents")
    for name in BETTING_FEATURES:
        save_random_agent(made / f"{name}.json", MENU, 60, feature_set=name)
    return made


@pytest.mark.parametrize("name", BETTING_FEATURES)
@pytest.mark.parametrize("argmax", [False, True])
def test_an_agent_by_text_equals_its_policy_on_a_tree(equities, folder, name, argmax):
    """By the agent, and by the one that takes its likeliest action; a policy of one seat calls at
    the other's decisions.
    """
    policy = load_agent(folder / f"{name}.json", equities).policy(TREE)
    asked = load_agent(folder / f"{name}.json")
    if argmax:
        policy, asked = policy.argmax(), asked.argmax()
    for street, n in enumerate(BOARD_CARDS):
        played = [one.street_rows(street, DEALT[:n]) for one in (policy, policy.on(TREE, 1))]
        row, seated = (
            rows[row_of_hole[hole_index(*parse_cards(HOLE))]] for rows, row_of_hole in played
        )
        for node in np.random.default_rng(street).choice(decision_nodes(TREE, street), 12):
            line = line_to(TREE, node)
            answer = asked.action_probabilities(HOLE, BOARD[: 2 * n], line)
            assert list(answer) == [TREE.labels[TREE.label[c]] for c in children(TREE, node)]
            np.testing.assert_array_equal(
                np.float32(list(answer.values())), row[columns(TREE, node)], err_msg=line
            )
            in_seat = (
                row[columns(TREE, node)]
                if TREE.actor[node] == 1
                else TREE.label[children(TREE, node)] == CALL
            )
            np.testing.assert_array_equal(seated[columns(TREE, node)], in_seat)


def test_trees_that_name_only_illegal_actions_check_or_call(equities):
    """Asked in text and on a tree: folds where there is nothing to call, and all-in where the other
    player is.
    """
    for label, line in ((FOLD, "b300c/"), (len(TREE.labels) - 1, "b300c/b19700")):
        leaf = random_tree(0, 0, 1, len(TREE.labels))._replace(
            value=np.eye(len(TREE.labels), dtype=np.float32)[[label]]
        )
        assert TreeAgent(MENU, [leaf] * 4).action_probabilities(HOLE, BOARD[:6], line)["call"] == 1
        node = next(node for node in decision_nodes(TREE, 1) if line_to(TREE, node) == line)
        row = ModelPolicy(TREE, [leaf] * 4, equities).street_rows(1, DEALT[:3])[0][
            0, columns(TREE, node)
        ]
        assert row.tolist() == (TREE.label[children(TREE, node)] == CALL).tolist()


@pytest.mark.parametrize("faint", [1e-10, 1e-60])  # the second is 0 as a float32
def test_the_only_legal_action_with_a_weight_is_played_however_small_the_weight(equities, faint):
    line, answer = "b300c/b19700", np.zeros(len(TREE.labels))
    answer[[FOLD, -1]] = faint, 1  # the other player is all-in
    models = [SimpleNamespace(predict=lambda X: np.tile(answer, (len(X), 1)))] * 4
    by_text = TreeAgent(MENU, models, equities).action_probabilities(HOLE, BOARD[:6], line)
    assert by_text == {"fold": 1, "call": 0}
    node = next(node for node in decision_nodes(TREE, 1) if line_to(TREE, node) == line)
    rows = ModelPolicy(TREE, models, equities).street_rows(1, DEALT[:3])[0]
    assert rows[0, columns(TREE, node)].tolist() == [1, 0]


@pytest.mark.parametrize("name", BETTING_FEATURES)
@pytest.mark.parametrize(
    "line",
    ["b300c/", "b300c/kb400", "cb20000", "", "b300c/kk/b600b1800", "cb300b1234c/b2000c/kk/b5000"],
)
def test_the_path_leads_to_the_answer(folder, name, line):
    agent, state = load_agent(folder / f"{name}.json"), state_after(line)
    assert agent.feature_set == name
    board = BOARD[: 2 * BOARD_CARDS[state.street]]
    tree, names, node = agent.trees[state.street], feature_names(state.street, agent.feature_set), 0
    steps = agent.path(HOLE, board, line)
    for name, threshold, above in steps:
        assert names[tree.feature[node]] == name and tree.threshold[node] == threshold
        node = (tree.right if above else tree.left)[node]
    assert steps and tree.feature[node] == -1
    answer = agent.action_probabilities(HOLE, board, line)
    legal = [k for k, label in enumerate(agent.labels) if label in answer]
    share = tree.value[node, legal].sum()
    assert list(answer.values()) == pytest.approx(
        (tree.value[node, legal] / share).tolist(), abs=1e-6
    )
    for label, amount in agent.legal(line).items():  # the rules agree, and so do the dollars
        after, _ = act(state, label if label in ("fold", "call") else "raise", amount)
        assert not after or after.bets[state.actor][state.street] == amount
    found, why = agent.deciding(HOLE, board, line)
    assert {*found.ranges} <= {name for name, *_ in steps}
    lines = agent.explain(HOLE, board, line).splitlines()
    assert ("check" in lines[-2]) == ("nothing to call" in lines[0])
    assert [text.split(maxsplit=1)[1] for text in lines[1:-2] if why] == why
    assert lines[-1].endswith(
        f"with {found.same} of the {found.met} hands that meet these conditions"
    )


@pytest.mark.parametrize("name", BETTING_FEATURES)
@pytest.mark.parametrize("argmax", [False, True])
def test_fold_probabilities_at_once_equal_those_of_single_lines(equities, folder, name, argmax):
    """To bets of all sizes, all-in among them, by the tree and by the way of any agent, which asks
    line by line.
    """
    agent = load_agent(folder / f"{name}.json", equities if argmax else None)
    holes = np.flatnonzero(free_holes(DEALT))[::7]
    agent = agent.argmax() if argmax else agent
    seen = [
        (line, state_after(line))
        for line in (f"b300c/kk/kk/b{amount}" for amount in (100, 450, 1234, 19_700))
    ]
    wanted = [agent.probabilities(holes, DEALT, line)[:, 0] for line, _ in seen]
    np.testing.assert_array_equal(agent.fold_probabilities(holes, DEALT, seen), wanted)
    np.testing.assert_array_equal(Agent.fold_probabilities(agent, holes, DEALT, seen), wanted)


@pytest.mark.parametrize(
    "line",
    ["", "b300", "b300c/k", "ck/kb200", "b300c/kk/k", "b300c/b600c/kk/", "b300b900c/kk/b1800c/k"],
)
def test_oct_x_folds_no_less_to_a_larger_bet(equities, line):
    """From a tenth of the pot to all-in no hand folds 5 points less often to the next bet."""
    agent = load_agent(Path(__file__).parents[2] / "reports/agents/oct_x.json", equities)
    state, bets = state_after(line), []
    (pot, _), (least, most) = pot_and_call(state), legal_raises(state)
    for bet in np.unique(np.geomspace(max(least, pot / 10), most, 25).round()).astype(int):
        after = longer(line, state, ("raise", int(bet)))
        bets.append((after, state_after(after)))
    board = parse_cards("Kh8s3c7d2c")[: BOARD_CARDS[state.street]]
    folds = agent.fold_probabilities(np.flatnonzero(free_holes(board)), board, bets)
    assert np.diff(folds, axis=0).min() >= -0.05 and np.ptp(folds) > 0.99


def test_bad_cards_and_lines_are_named(folder):
    agent, good = load_agent(folder / "opponent.json"), ["Ac3h", BOARD[:6], "b300c"]
    with pytest.raises(ValueError, match="has 0 cards, expected 3 cards on the flop"):
        agent.action_probabilities(HOLE, "", "b300c")
    for bad in (
        None,
        5,
        b"Ac3h",
        ["Ac", "3h"],
        "Ac" * 6000,
        "b300" * 4000,
        "b" + "9" * 4000,
        "\x1b[2J" * 99,
    ):
        for asked in ([bad, *good[1:]], [good[0], bad, good[2]], [*good[:2], bad]):
            with pytest.raises(ValueError, match=r"cards?|betting") as error:
                agent.action_probabilities(*asked)
            assert len(str(error.value)) < 400 and str(error.value).isprintable()


def test_an_agent_of_other_features_or_sizes_is_refused(folder, equities, tmp_path):
    cart, seated = (
        json.loads((folder / f"{name}.json").read_text()) for name in ("opponent", "both+seat")
    )
    names = ["strength", *cart["flop"]["feature_names"][1:]]
    # that are told differently, or unknown
    rounds = {"turn": seated["turn"]}, {"flop": cart["flop"] | {"feature_names": names}}
    menus = (
        *({"preflop": [[3]]}, menu_from([[3]], [[1]], [[1]], [[1]]), [1, 2]),
        *(MENU | own for own in ({"flop": [[2]]}, {"turn": []}, {"river": {}}, {"limps": "no"})),
    )
    for change in (
        *rounds,
        {"provenance": {}},
        *({"provenance": {"menu": menu}} for menu in menus),
    ):
        (tmp_path / "odd.json").write_text(json.dumps(cart | change))
        with pytest.raises(
            ValueError, match="odd.json: (features|labels|provenance.menu).* expected"
        ) as error:
            load_agent(tmp_path / "odd.json")
        assert len(str(error.value)) < 300
    with pytest.raises(ValueError, match="labels are .* expected the tree"):
        load_agent(folder / "opponent.json", equities).policy(SMALL)


N, HOLES = len(SMALL.labels), np.array([5, 900])


def malformed(n: int, k: int) -> list:
    """What is no answer for n hands and k labels: another shape, a number that is none, a row of
    zeros, or words.
    """
    spoiled = np.ones((5, n, k))
    spoiled[range(4), -1, -1], spoiled[4, -1] = (np.nan, np.inf, -np.inf, -1e-30), 0
    shapes = [
        np.ones(shape)
        for shape in ((0, k), (1, k), (2 * n, k), (n, 0), (n, 1), (n, k - 1), (n, k + 1))
    ]
    cells = [[[cell] * k] * n for cell in ("a", None, Fraction(1), Decimal(1), 1j)]
    return [*shapes, *spoiled, *cells, None, "fold", [[1.0], [1.0, 2.0]], {}]


def test_malformed_answers_are_errors_wherever_they_come_in(equities):
    """In a model on a tree, a model asked in text, an agent of one's own, and a function."""
    wanted, agent = np.isin(np.arange(1326), HOLES), Agent(SMALL_MENU)
    policy = AgentPolicy(SMALL, agent)
    for i in range(len(malformed(len(HOLES), N))):
        models = [SimpleNamespace(predict=lambda X, i=i: malformed(len(X), N)[i])] * 4
        agent.answers = lambda *_, i=i: malformed(len(HOLES), N)[i]
        for ask in (
            lambda models=models: ModelPolicy(SMALL, models, equities).street_rows(
                1, DEALT[:3], wanted
            ),
            lambda models=models: TreeAgent(SMALL_MENU, models, equities).probabilities(
                HOLES, [], ""
            ),
            lambda: policy.street_rows(0, [], wanted),
        ):
            with pytest.raises(ValueError, match="answer"):
                ask()
    spoiled = {
        "{}": {},
        "'bet'": {"bet": 1},
        "nan": {"fold": float("nan")},
        "answers [['0', '1', '0', '0']": {"call": "1"},
        "Fraction(1, 3)": {"call": Fraction(1, 3)},
        "Decimal('0.5')": {"call": Decimal("0.5")},
        "[1, 2]": {"call": [1, 2]},
        "None": None,
    }
    for message, said in spoiled.items():
        with pytest.raises(ValueError, match=re.escape(message)):
            FunctionAgent(lambda *_, said=said: said, SMALL_MENU).probabilities(HOLES, [], "")


def test_a_function_plays_matches_like_the_policy_it_is():
    """Its rows are its own answers at every decision; so it plays on its own tree and on a match
    tree.
    """

    def strong(hole, board, betting):
        """Bets with a pair or an ace."""
        return (
            {"raise_1": 3, "call": 1}
            if hole[0] == hole[2] or "A" in hole
            else {"call": 4, "fold": 1}
        )

    agent, call = FunctionAgent(strong, SMALL_MENU), FixedPolicy(SMALL, CALL)
    policy, holes = AgentPolicy(SMALL, agent), np.flatnonzero(free_holes(DEALT))[[5, 400, 900]]
    for node in np.flatnonzero(SMALL.kind == DECISION)[::7].tolist():
        board, line = DEALT[: BOARD_CARDS[SMALL.street[node]]], line_to(SMALL, node)
        found = PolicyAgent(SMALL, policy).probabilities(holes, board, node)
        assert found == pytest.approx(agent.probabilities(holes, board, line), abs=1e-6)
    few = 20, partial(rng, 1, "test")
    plain = result(play_boards(Match(SMALL, [policy, call]), [DEALT], few), 0, 1)
    assert plain.mbb and plain.mbb == pytest.approx(
        play_opponent(
            SMALL_MENU,
            [policy],
            Opponent(SMALL_MENU, SMALL_MENU, (call, call)),
            [DEALT],
            subset=few,
        )[0, 0]
    )
    with pytest.raises(ValueError, match="legal are .* expected the tree's"):
        AgentPolicy(SMALL, FunctionAgent(strong, menu_from([[2]], [[1]], [[1]], [[1]])))


def test_a_policy_checks_dollars_that_are_left_behind_an_all_in_of_its_tree():
    """After 3,000 into 200, which is read as all-in, the tree's hand ends with the call, and the
    real one goes on.
    """
    agent, state = PolicyAgent(TREE, FixedPolicy(TREE, None)), state_after("b3000c/")
    (_, (all_in, _)) = agent.readings("", state_after(""), ("raise", 3000))
    ((end, _),) = agent.readings(all_in, state_after("b3000"), ("call", 0))
    assert TREE.kind[end] != DECISION and agent.readings(end, state, ("raise", 300)) == [(end, 1.0)]
    assert agent.legal(end) == {"call": 0}
    assert agent.probabilities(np.array([5]), DEALT[:3], end).tolist() == [[1]]


@pytest.mark.slow
def test_the_example_of_contributing_prints_what_it_says(equities, all_in_wins, monkeypatch):
    """The code of "Bring your own agent" is run as it stands; only what the tests have already made
    is not made again.
    """
    root = Path(__file__).parents[2]
    section = (root / "CONTRIBUTING.md").read_text().partition("## Bring your own agent")[2]
    code, output = re.findall(r"```(?:python|text)\n(.*?)```", section, flags=re.DOTALL)[:2]
    monkeypatch.setattr("faceup.cards.matchups.preflop_wins", lambda: all_in_wins)
    monkeypatch.chdir(root)
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(code, {})
    assert printed.getvalue() == output
