"""Agents asked in words: legal actions only, the same answers as the policy of the same trees, clear refusals."""

import json

import numpy as np
import pytest
from random_tables import random_table

from faceup.cards.cards import HOLE_CARDS, STREETS, hole_index, parse_cards
from faceup.cards.features import betting_features, feature_names
from faceup.holdem.betting.betting_tree import DECISION, START, act, build_tree, children, decisions, menu_from
from faceup.holdem.betting.notation import line_to, state_after
from faceup.holdem.learn.agent_file import save_agent
from faceup.holdem.learn.boosted import fit_boosted
from faceup.holdem.learn.neural import fit_neural
from faceup.holdem.play.agents import (
    ModelAgent,
    PolicyAgent,
    TreePolicy,
    action_probabilities,
    load_agent,
    load_models,
    load_policy,
)
from faceup.holdem.play.players import DollarPlayer
from faceup.holdem.play.words import reasons
from faceup.holdem.safe.learners import Leaves
from faceup.holdem.solve.policy import FixedPolicy
from faceup.trees.cart import fit_cart
from faceup.trees.decision_tree import DecisionTree, truncate
from faceup.trees.oct import fit_oct

MENU = menu_from([[1, 2], [1], []], [[1], []], [[1], []], [[1], []])
HOLE, BOARD = "Ac3h", "Kh3sJc7d7c"
SHOWN = (0, 6, 8, 10)  # characters of the board on each street


@pytest.fixture(scope="module")
def tree():
    return build_tree(MENU)


def random_rows(tree, street, n=1500, history="opponent"):
    """Rows whose bets occur in the tree, and whose labels depend on equity and all that is told."""
    rng = np.random.default_rng(street)
    nodes = rng.choice(decisions(tree, street), n)
    told = betting_features(tree.bets[nodes], tree.actor[nodes], history)
    X = np.concatenate([rng.random((n, len(feature_names(street)) - 4), dtype=np.float32), told], axis=1)
    scale = np.maximum(np.abs(told).max(axis=0), 1)
    logits = np.outer(X[:, 0] + (told / scale).mean(axis=1), rng.normal(size=len(tree.labels))) * 5
    P = np.exp(logits) + rng.exponential(size=logits.shape)
    return X, P / P.sum(axis=1, keepdims=True), np.ones(n)


@pytest.fixture(scope="module")
def folders(tree, tmp_path_factory):
    """Folders as the stage distill leaves them: (agents, distill)."""
    agents, distill = tmp_path_factory.mktemp("agents"), tmp_path_factory.mktemp("distill")
    rows = [random_rows(tree, street) for street in range(4)]
    grown = [fit_cart(*r, max_depth=6, min_rows=5, seed=1) for r in rows]
    names = [feature_names(street) for street in range(4)]
    save_agent(agents / "cart.json", grown, names, tree.labels, {"menu": MENU})
    save_agent(agents / "bare.json", grown, names, tree.labels, {})
    searched = [fit_oct(*r, max_depth=4, min_rows=5, seed=1, regrowths=1) for r in rows]
    for path in (agents / "oct.json", distill / "oct_4.json"):
        save_agent(path, searched, names, tree.labels, {"menu": MENU})
    for street, r in zip(STREETS, rows, strict=True):
        boosted = fit_boosted(*r, max_depth=2, learning_rate=0.3, rounds=2, seed=1)
        boosted.save(distill / f"boosted_{street}.json")
        neural = fit_neural(*r, layers=1, width=4, epochs=1, batch=500, learning_rate=1e-3, seed=1)
        neural.save(distill / f"neural_{street}.safetensors")
    return agents, distill


@pytest.fixture(scope="module")
def agent(folders):
    return load_agent(folders[0] / "cart.json")


def saved(tree, history, path):
    """The file of a CART agent that is told more of the betting."""
    grown = [fit_cart(*random_rows(tree, street, history=history), max_depth=8, min_rows=5, seed=1) for street in range(4)]
    save_agent(path, grown, [feature_names(street, history) for street in range(4)], tree.labels, {"menu": MENU})
    return path


@pytest.fixture(scope="module")
def told_all(tree, tmp_path_factory):
    """The file of an agent that is told the own bets and the seat."""
    return saved(tree, "both+seat", tmp_path_factory.mktemp("told") / "agent.json")


@pytest.fixture(scope="module")
def sized(tree, tmp_path_factory):
    """An agent that is told of bets what share of the pot they are."""
    return load_agent(saved(tree, "ours", tmp_path_factory.mktemp("sized") / "agent.json"))


@pytest.fixture(scope="module")
def both_ways(tables, tree, folders, agent, told_all, sized, groups):
    """Name: an agent asked in text, the policy of the same strategy that matches ask, and the most that they may differ."""
    models, table = load_models(tree, tables, folders[1], folders[0]), random_table(tree, groups, 1)
    seated = load_agent(told_all)
    by_text = {name: ModelAgent(MENU, models[name].predict, tables) for name in ("XGBoost", "NN")}
    return {
        "CART": (agent, models["CART"], 0),
        "CART, told the seat": (seated, TreePolicy(tree, tables, seated.trees, seated.history), 0),
        "CART, told pots": (sized, TreePolicy(tree, tables, sized.trees, sized.history), 0),
        "XGBoost": (by_text["XGBoost"], models["XGBoost"], 0),
        "NN": (by_text["NN"], models["NN"], 1e-6),  # a network's sums depend on how many rows it is asked at once
        "table": (PolicyAgent(tree, table), table, 0),
        "random": (PolicyAgent(tree, FixedPolicy(tree, None)), FixedPolicy(tree, None), 0),
    }


@pytest.mark.parametrize("name", ["CART", "CART, told the seat", "CART, told pots", "XGBoost", "NN", "table", "random"])
def test_text_is_answered_as_a_hand_dealt_by_a_match(tree, both_ways, name):
    asked, policy, apart = both_ways[name]
    for street, n in enumerate(SHOWN):
        rows, row_of_hole = policy.street(street, parse_cards(BOARD[:n]))
        row = rows[row_of_hole[hole_index(*parse_cards(HOLE))]]
        for node in np.random.default_rng(street).choice(decisions(tree, street), 12):
            answer = action_probabilities(asked, HOLE, BOARD[:n], line_to(tree, node))
            assert list(answer) == [tree.labels[tree.label[c]] for c in children(tree, node)]
            expected = row[np.array(children(tree, node)) - tree.street_start[street]]
            np.testing.assert_allclose(
                np.float32(list(answer.values())), expected, rtol=0, atol=apart, err_msg=line_to(tree, node)
            )


def test_an_agent_told_the_seat_plays(told_all):
    seated = load_agent(told_all)
    assert seated.history == "both+seat"
    assert any((t.feature >= len(feature_names(k))).any() for k, t in enumerate(seated.trees)), "own bets or seat are asked for"
    assert all(step.feature in feature_names(1, "both+seat") for step in seated.path(HOLE, BOARD[:6], "b300c/"))
    player = DollarPlayer(seated, seed=3)  # who plays Slumbot
    assert player.decide(1, HOLE, BOARD[:6], "b300c/") == player.decide(1, HOLE, BOARD[:6], "b300c/")


def test_any_bet_is_seen_as_its_true_share_of_the_pot(sized):
    """By name on the path, for bets that no tree has: $450 into $600, and a raise of half the pot after it is called."""
    for line, share in (("b300c/kk/b450", 0.75), ("b300c/kk/b450b1425", 0.65), ("b300c/kk/b19700", 19_700 / 600)):
        steps = {step.feature: step.value for step in sized.path(HOLE, BOARD[:8], line)}
        assert steps.get("bet_faced", share) == pytest.approx(share)
        state = state_after(line)
        x, _ = sized._features(np.array([hole_index(*parse_cards(HOLE))]), parse_cards(BOARD[:8]), state)
        assert dict(zip(feature_names(2, "ours"), x[0].tolist(), strict=True))["bet_faced"] == pytest.approx(share)
    said = sized.explain(HOLE, BOARD[:8], "b300c/kk/b300").splitlines()
    assert said[0] == "turn: $900 in the pot, $300 to call: a bet of half the pot, pot odds 3 to 1"
    asked = any("bet faced" in line or "pots" in line for line in said)
    assert asked == any(step.feature in ("bet_faced", "stack_to_pot") for step in sized.path(HOLE, BOARD[:8], "b300c/kk/b300"))


def test_many_hands_at_once_are_those_asked_one_by_one(tables, folders):
    """Holes as numbers and as cards, features from the tables and of each hand by itself: the same rows."""
    alone = load_agent(folders[0] / "cart.json")
    fast = ModelAgent(MENU, alone.predict, tables)
    holes, board = np.array([700, 3, 1325]), parse_cards(BOARD[:8])
    found = fast.probabilities(holes, board, "b300c/kk/b600")
    assert np.array_equal(found, fast.probabilities(HOLE_CARDS[holes], board, "b300c/kk/b600"))
    assert np.array_equal(found, alone.probabilities(holes, board, "b300c/kk/b600"))
    for bad in (np.array([1326]), np.array([-1]), np.array([0.5]), np.zeros((1, 3, 2), dtype=int)):
        with pytest.raises(ValueError, match="holes of shape"):
            fast.probabilities(bad, board, "b300c/kk/b600")


def test_rounds_told_differently_are_refused(told_all, folders, tmp_path):
    content = json.loads(told_all.read_text())
    content["turn"] = json.loads((folders[0] / "cart.json").read_text())["turn"]
    (tmp_path / "mixed.json").write_text(json.dumps(content))
    with pytest.raises(ValueError, match="features .*, expected one of"):
        load_agent(tmp_path / "mixed.json")


def test_models_told_differently_are_refused(tables, tree, folders, told_all, tmp_path):
    for name in ("cart.json", "oct.json"):
        (tmp_path / name).write_text((told_all if name == "oct.json" else folders[0] / name).read_text())
    with pytest.raises(ValueError, match="oct.json: history is both.seat, expected CART's, opponent"):
        load_models(tree, tables, folders[1], tmp_path)


LINES = ["b300c/", "b300c/kb400", "b300c/kk/b600b1800", "cb20000", "", "c", "cb300b1234c/b2000c/kk/b5000"]


@pytest.mark.parametrize("file", ["cart.json", "bare.json"])
@pytest.mark.parametrize("line", LINES)
def test_probabilities_are_of_legal_actions_and_sum_to_1(folders, file, line):
    asked = load_agent(folders[0] / file)
    state = state_after(line)
    answer = asked.action_probabilities(HOLE, BOARD[: SHOWN[state.street]], line)
    assert sum(answer.values()) == pytest.approx(1) and min(answer.values()) >= 0
    assert answer.keys() == asked.legal(line).keys() <= set(asked.labels)
    for label, amount in asked.legal(line).items():  # the rules agree, and so do the dollars
        action = label if label in ("fold", "call") else "raise"
        after, _ = act(state, action, amount)
        if after:
            assert after.bets[state.actor][state.street] == amount


def test_where_all_is_asked_only_fold_and_call_are_left(agent):
    assert list(agent.action_probabilities(HOLE, "", "b20000")) == ["fold", "call"]
    assert "fold" not in agent.action_probabilities(HOLE, BOARD[:6], "b300c")


def test_a_tree_that_names_only_illegal_actions_checks(folders, tree, tmp_path):
    leaf = DecisionTree(
        *(np.array([v], dtype=t) for v, t in ((-1, np.int32), (0, np.float32), (-1, np.int32), (-1, np.int32))),
        value=np.eye(1, len(tree.labels), dtype=np.float32),  # always fold
        weight=np.ones(1),
    )
    names = [feature_names(street) for street in range(4)]
    save_agent(tmp_path / "folds.json", [leaf] * 4, names, tree.labels, {"menu": MENU})
    folds = load_agent(tmp_path / "folds.json")
    assert folds.action_probabilities(HOLE, BOARD[:6], "b300c")["call"] == 1
    assert folds.action_probabilities(HOLE, BOARD[:6], "b300c/b600")["fold"] == 1
    assert folds.path(HOLE, BOARD[:6], "b300c") == []
    assert folds.explain(HOLE, BOARD[:6], "b300c").splitlines()[-1] == "so: check 100 %"


@pytest.mark.parametrize("line", ["b300c/", "b300c/kb400", "b300c/kk/b600b1800", "cb300c/kk/kk/b600"])
def test_the_path_leads_to_the_answer(agent, line):
    state = state_after(line)
    board = BOARD[: SHOWN[state.street]]
    tree, names = agent.trees[state.street], feature_names(state.street)
    node = 0
    steps = agent.path(HOLE, board, line)
    for step in steps:
        assert names[tree.feature[node]] == step.feature and tree.threshold[node] == step.threshold
        node = (tree.left if step.value <= step.threshold else tree.right)[node]
    assert steps and tree.feature[node] == -1
    answer = agent.action_probabilities(HOLE, board, line)
    legal = [k for k, label in enumerate(agent.labels) if label in answer]
    share = tree.value[node, legal].sum()
    assert list(answer.values()) == pytest.approx((tree.value[node, legal] / share).tolist(), abs=1e-6)
    words = [text.split(maxsplit=1) for text in agent.explain(HOLE, board, line).splitlines()]
    assert words[1:-1] == [["and" if i else "because", reason] for i, reason in enumerate(reasons(steps))]


def test_state_of_a_line():
    assert state_after("") == START
    state = state_after("b300c/kb400")
    assert (state.street, state.actor) == (1, 1)  # the big blind checked, the button bet: the big blind acts
    assert state.bets == ((300, 400, 0, 0), (300, 0, 0, 0))
    assert state_after("cb300c") == state_after("cb300c/")  # the last "/" may be left out


BAD_CARDS = [
    ("Ac3h", "", "b300c", "has 0 cards, expected 3 cards on the flop"),
    ("Ac3h", BOARD, "b300c", "has 5 cards, expected 3 cards on the flop"),
    ("Ac3h", BOARD[:6], "", "has 3 cards, expected 0 cards on the preflop"),
    ("AcAc", BOARD[:6], "b300c", "appears twice"),
    ("Kh3h", BOARD[:6], "b300c", "Kh"),
    ("Ac3x", BOARD[:6], "b300c", "unknown suit"),
    ("Ac3h", "Kh3s", "b300c", "has 2 cards"),
    ("Ac3h", BOARD[:6], "b300c/c", "betting 'b300c/c': 'c' with nothing to call"),
    ("Ac3h", BOARD[:6], "b20000c", "betting 'b20000c': the hand is over"),
]


@pytest.mark.parametrize("hole,board,line,said", BAD_CARDS)
def test_bad_cards_and_lines_are_named(agent, hole, board, line, said):
    with pytest.raises(ValueError, match=said):
        agent.action_probabilities(hole, board, line)


def test_truncated_trees_make_a_policy(tables, tree, folders):
    cut = [truncate(t, 1) for t in load_agent(folders[0] / "cart.json").trees]
    rows, _ = TreePolicy(tree, tables, cut).street(2, parse_cards(BOARD[:8]))
    assert len(np.unique(rows, axis=0)) <= 2
    assert (rows >= 0).all()


def test_models_come_in_order_and_bad_folders_are_named(tables, tree, folders, tmp_path):
    agents, distill = folders
    models = load_models(tree, tables, distill, agents)
    assert list(models) == ["CART", "OCT", "XGBoost", "NN"]
    for policy in models.values():
        rows, _ = policy.street(3, parse_cards(BOARD))
        sums = rows.sum(axis=1)
        assert sums == pytest.approx(np.full(len(rows), (tree.street == 3)[tree.kind == DECISION].sum()), rel=1e-4)
    with pytest.raises(ValueError, match="cart.json: there is no such file"):
        load_models(tree, tables, distill, tmp_path)
    with pytest.raises(ValueError, match="boosted_preflop.json: there is no such file"):
        load_models(tree, tables, tmp_path, agents)
    other = build_tree(menu_from([[1]], [[1]], [[1]], [[1]]))
    with pytest.raises(ValueError, match="labels are"):
        load_models(other, tables, distill, agents)


def test_two_threads_predict_the_same_bits(tables, tree, folders):
    policy = load_models(tree, tables, folders[1], folders[0])
    X = random_rows(tree, 1, 9000)[0]
    for name in ("XGBoost", "NN"):
        whole = policy[name].predict[1](X)
        parts = np.concatenate([policy[name].predict[1](X[i : i + 2048]) for i in range(0, len(X), 2048)])
        assert np.array_equal(whole, parts)


def test_an_agent_of_other_features_or_sizes_is_refused(folders, tmp_path):
    content = json.loads((folders[0] / "cart.json").read_text())
    content["flop"]["feature_names"][0] = "strength"
    (tmp_path / "odd.json").write_text(json.dumps(content))
    with pytest.raises(ValueError, match="flop: features"):
        load_agent(tmp_path / "odd.json")
    content = json.loads((folders[0] / "cart.json").read_text())
    for menu in ({"preflop": [[3]]}, menu_from([[3]], [[1]], [[1]], [[1]]), [1, 2]):
        content["provenance"]["menu"] = menu
        (tmp_path / "odd.json").write_text(json.dumps(content))
        with pytest.raises(ValueError, match="expected"):
            load_agent(tmp_path / "odd.json")


def test_a_solved_tree_is_an_agent_like_any_other(tree, tables, folders, tmp_path):
    """Trees with new answers, as 18_safe writes them: the policy that was solved, which says why."""
    taught = load_agent(folders[0] / "oct.json")
    leaves, rng = Leaves(tree, tuple(taught.trees), tables), np.random.default_rng(1)
    weights = tuple(rng.random(w.shape, dtype=np.float32) for w in leaves.start())
    path = tmp_path / "safe.json"
    save_agent(path, leaves.solved(weights), [feature_names(street) for street in range(4)], tree.labels, {"menu": MENU})
    loaded, solved = load_policy(path, tree, tables), leaves.policy(weights)
    board = parse_cards(BOARD)
    for street, n in enumerate((0, 3, 4, 5)):
        (rows, of), (again, of_again) = (policy.street(street, board[:n]) for policy in (loaded, solved))
        np.testing.assert_allclose(rows[of], again[of_again], atol=5e-3)  # four digits in a file, shared out over what is legal
    agent = load_agent(path)
    assert agent.path(HOLE, BOARD, "cb300c/kk/kk/k") == taught.path(HOLE, BOARD, "cb300c/kk/kk/k")
    said = agent.explain(HOLE, BOARD, "cb300c/kk/kk/k")
    assert (
        "because" in said and said.splitlines()[-1].startswith("so: ") and said != taught.explain(HOLE, BOARD, "cb300c/kk/kk/k")
    )
    other = build_tree(menu_from([[3]], [[1]], [[1]], [[1]]))
    with pytest.raises(ValueError, match="safe.json: labels are"):
        load_policy(path, other, tables)
