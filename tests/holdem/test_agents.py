"""Agents asked in words: legal actions only, the same answers as the policy of the same trees, clear refusals."""

import json
from functools import partial

import numpy as np
import pytest
from random_tables import random_models, random_table, save_random_agent
from random_trees import random_tree

from faceup.cards.cards import BOARD_CARDS, HOLE_CARDS, STREETS, hole_index, parse_cards
from faceup.cards.features import feature_names
from faceup.holdem.agents import ModelAgent, PolicyAgent, load_agent, load_models, load_policy
from faceup.holdem.infosets import TreeLeaves
from faceup.holdem.lines import line_to, state_after
from faceup.holdem.models import fit_boosted, fit_neural
from faceup.holdem.policy import FixedPolicy, ModelPolicy
from faceup.holdem.rules import act, menu_from, menu_labels
from faceup.holdem.tree import build_tree, children, columns, decisions
from faceup.holdem.words import reasons
from faceup.lab.rng import rng
from faceup.trees.tree import save_agent

MENU = menu_from([[1, 2], [1], []], [[1], []], [[1], []], [[1], []])
HOLE, BOARD = "Ac3h", "Kh3sJc7d7c"
TOLD = {"cart": "opponent", "seated": "both+seat", "sized": "ours"}  # what trees are told of the betting


@pytest.fixture(scope="module")
def tree():
    return build_tree(MENU)


def board_at(line):
    """The board's cards that lie open after a line."""
    return BOARD[: 2 * BOARD_CARDS[state_after(line).street]]


def random_rows(tree, street, n=1500):
    """Random hands, bets and answers."""
    rng = np.random.default_rng(street)
    X = rng.random((n, len(feature_names(street))), dtype=np.float32)
    X[:, -4:] *= 3000
    return X, rng.dirichlet(np.full(len(tree.labels), 0.3), n), np.ones(n)


def save(path, trees, menu=MENU):
    """The file of an agent that is told the opponent's bets, with the labels of MENU."""
    save_agent(path, trees, [feature_names(k) for k in range(4)], menu_labels(MENU), {"menu": menu} if menu else {})


@pytest.fixture(scope="module")
def folders(tree, tmp_path_factory):
    """Folders as the stage distill leaves them, (agents, distill), and in the first trees that are told more."""
    agents, distill = tmp_path_factory.mktemp("agents"), tmp_path_factory.mktemp("distill")
    for name, history in TOLD.items():
        save_random_agent(agents / f"{name}.json", MENU, 60, history=history)
    save_random_agent(agents / "oct.json", MENU, 15, seed=9)
    save(agents / "bare.json", random_models(tree.labels, 15), None)
    for k, street in enumerate(STREETS):
        boosted = fit_boosted(*random_rows(tree, k), max_depth=2, learning_rate=0.3, rounds=2, stream=partial(rng, 1, "test"))
        boosted.save(distill / f"boosted_{street}.json")
        neural = fit_neural(
            *random_rows(tree, k), layers=1, width=4, epochs=1, batch=500, learning_rate=1e-3, stream=partial(rng, 1, "test")
        )
        neural.save(distill / f"neural_{street}.safetensors")
    return agents, distill


@pytest.fixture(scope="module")
def loaded(folders, tables):
    return {name: load_agent(folders[0] / f"{name}.json") for name in (*TOLD, "oct", "bare")}


@pytest.fixture(scope="module")
def models(tables, tree, folders):
    return load_models(tree, tables, folders[1], folders[0])


@pytest.fixture(scope="module")
def both_ways(tables, tree, models, loaded, groups):
    """Name: an agent asked in text, the policy of the same strategy that matches ask, and the most that they may differ."""
    told = {name: (loaded[name], ModelPolicy(tree, loaded[name].trees, tables, TOLD[name]), 0) for name in ("seated", "sized")}
    apart = {"XGBoost": 0, "NN": 1e-6}  # a network's sums depend on how many rows it is asked at once
    known = {"table": random_table(tree, groups, 1), "random": FixedPolicy(tree, None)}
    return {
        **{name: (loaded[name.lower()], models[name], 0) for name in ("CART", "OCT")},
        **told,
        **{name: (ModelAgent(MENU, models[name].models, tables), models[name], most) for name, most in apart.items()},
        **{name: (PolicyAgent(tree, policy), policy, 0) for name, policy in known.items()},
    }


@pytest.mark.parametrize("name", ["CART", "OCT", "seated", "sized", "XGBoost", "NN", "table", "random"])
def test_text_is_answered_as_a_hand_dealt_by_a_match(tree, both_ways, name):
    asked, policy, apart = both_ways[name]
    for street, n in enumerate(BOARD_CARDS):
        rows, row_of_hole = policy.street(street, parse_cards(BOARD[: 2 * n]))
        row = rows[row_of_hole[hole_index(*parse_cards(HOLE))]]
        for node in np.random.default_rng(street).choice(decisions(tree, street), 12):
            line = line_to(tree, node)
            answer = asked.action_probabilities(HOLE, board_at(line), line)
            assert list(answer) == [tree.labels[tree.label[c]] for c in children(tree, node)]
            found = np.float32(list(answer.values()))
            np.testing.assert_allclose(found, row[columns(tree, node)], rtol=0, atol=apart, err_msg=line)


def test_holes_may_be_numbers_or_cards(tables, loaded):
    """And features from the tables are those of each hand by itself."""
    fast = ModelAgent(MENU, loaded["cart"].models, tables)
    holes, asked = np.array([700, 3, 1325]), (parse_cards(BOARD[:8]), "b300c/kk/b600")
    for agent, given in ((fast, HOLE_CARDS[holes]), (loaded["cart"], holes)):
        assert np.array_equal(agent.probabilities(given, *asked), fast.probabilities(holes, *asked))
    with pytest.raises(ValueError, match="holes of shape"):
        fast.probabilities(np.array([1326]), *asked)


@pytest.mark.parametrize("name", ["cart", "bare"])
@pytest.mark.parametrize("line", ["b300c/", "b300c/kb400", "cb20000", "", "c", "cb300b1234c/b2000c/kk/b5000"])
def test_probabilities_are_of_legal_actions_and_sum_to_1(loaded, name, line):
    asked, state = loaded[name], state_after(line)
    answer = asked.action_probabilities(HOLE, board_at(line), line)
    assert sum(answer.values()) == pytest.approx(1) and min(answer.values()) >= 0
    assert answer.keys() == asked.legal(line).keys() <= set(asked.labels)
    for label, amount in asked.legal(line).items():  # the rules agree, and so do the dollars
        action = label if label in ("fold", "call") else "raise"
        after, _ = act(state, action, amount)
        if after:
            assert after.bets[state.actor][state.street] == amount


def test_a_tree_that_names_only_illegal_actions_checks(tree, tmp_path):
    leaf = random_tree(0, 0, 1, len(tree.labels))._replace(value=np.eye(1, len(tree.labels), dtype=np.float32))  # always fold
    save(tmp_path / "folds.json", [leaf] * 4)
    folds = load_agent(tmp_path / "folds.json")
    assert folds.action_probabilities(HOLE, BOARD[:6], "b300c")["call"] == 1
    assert folds.action_probabilities(HOLE, BOARD[:6], "b300c/b600")["fold"] == 1
    assert folds.path(HOLE, BOARD[:6], "b300c") == []


@pytest.mark.parametrize("name", TOLD)
@pytest.mark.parametrize("line", ["b300c/", "b300c/kb400", "b300c/kk/b600b1800", "cb300c/kk/kk/b600"])
def test_the_path_leads_to_the_answer(loaded, name, line):
    agent, board, street = loaded[name], board_at(line), state_after(line).street
    assert agent.history == TOLD[name]
    tree, names, node = agent.trees[street], feature_names(street, agent.history), 0
    steps = agent.path(HOLE, board, line)
    for step in steps:
        assert names[tree.feature[node]] == step.feature and tree.threshold[node] == step.threshold
        node = (tree.left if step.value <= step.threshold else tree.right)[node]
    assert steps and tree.feature[node] == -1
    answer = agent.action_probabilities(HOLE, board, line)
    legal = [k for k, label in enumerate(agent.labels) if label in answer]
    share = tree.value[node, legal].sum()
    assert list(answer.values()) == pytest.approx((tree.value[node, legal] / share).tolist(), abs=1e-6)
    said = agent.explain(HOLE, board, line)
    assert ("check" in said) == ("nothing to call" in said)
    words = [text.split(maxsplit=1) for text in said.splitlines()]
    assert words[1:-1] == [["and" if i else "because", reason] for i, reason in enumerate(reasons(steps))]


BAD_CARDS = [
    ("Ac3h", "", "b300c", "has 0 cards, expected 3 cards on the flop"),
    ("Ac3h", BOARD[:6], "", "has 3 cards, expected 0 cards on the preflop"),
    ("Kh3h", BOARD[:6], "b300c", "Kh"),
    ("Ac3h", BOARD[:6], "b300c/c", "betting 'b300c/c': 'c' with nothing to call"),
]


@pytest.mark.parametrize("hole,board,line,said", BAD_CARDS)
def test_bad_cards_and_lines_are_named(loaded, hole, board, line, said):
    with pytest.raises(ValueError, match=said):
        loaded["cart"].action_probabilities(hole, board, line)


def test_models_come_in_order_and_an_empty_folder_is_named(tables, tree, folders, models, tmp_path):
    assert list(models) == ["CART", "OCT", "XGBoost", "NN"]
    with pytest.raises(ValueError, match="cart.json: there is no such file"):
        load_models(tree, tables, folders[1], tmp_path)


def test_an_agent_of_other_features_or_sizes_is_refused(folders, tmp_path):
    cart, seated = (json.loads((folders[0] / f"{name}.json").read_text()) for name in ("cart", "seated"))
    names = ["strength", *cart["flop"]["feature_names"][1:]]
    menus = {"preflop": [[3]]}, menu_from([[3]], [[1]], [[1]], [[1]]), [1, 2]
    for change, said in (
        ({"turn": seated["turn"]}, "features .*, expected one of"),  # rounds that are told differently
        ({"flop": cart["flop"] | {"feature_names": names}}, "flop: features"),
        *(({"provenance": {"menu": menu}}, "expected") for menu in menus),
    ):
        (tmp_path / "odd.json").write_text(json.dumps(cart | change))
        with pytest.raises(ValueError, match=said):
            load_agent(tmp_path / "odd.json")


def test_a_solved_tree_is_an_agent_like_any_other(tree, tables, loaded, tmp_path):
    """Trees with new answers, as 14_safe writes them: the policy that was solved, which says why."""
    taught, path = loaded["oct"], tmp_path / "safe.json"
    leaves, rng = TreeLeaves(ModelPolicy(tree, taught.trees, tables)), np.random.default_rng(1)
    weights = tuple(rng.random(w.shape, dtype=np.float32) for w in leaves.start())
    save(path, leaves.solved(weights))
    policies, board = (load_policy(path, tree, tables), leaves.policy(weights)), parse_cards(BOARD)
    for street, n in enumerate(BOARD_CARDS):
        (rows, of), (again, of_again) = (policy.street(street, board[:n]) for policy in policies)
        np.testing.assert_allclose(rows[of], again[of_again], atol=5e-3)  # four digits in a file, shared out over what is legal
    with pytest.raises(ValueError, match="safe.json: labels are"):
        load_policy(path, build_tree(menu_from([[3]], [[1]], [[1]], [[1]])), tables)
