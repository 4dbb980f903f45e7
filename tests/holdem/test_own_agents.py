"""Agents that users bring: played like any other, refused where an answer is none, and shown in CONTRIBUTING.md."""

import contextlib
import io
import re
import subprocess
import sys
from functools import partial
from itertools import product
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from games import BOARD, SMALL

from faceup.cards.cards import BOARD_CARDS
from faceup.holdem.agents import AgentPolicy, FunctionAgent, ModelAgent, PolicyAgent
from faceup.holdem.match import Table, play_boards, result
from faceup.holdem.match_tree import make_sides, play_sides
from faceup.holdem.policy import Agent, FixedPolicy, ModelPolicy, free_holes
from faceup.holdem.rules import CALL, menu_from
from faceup.lab.rng import rng

MENU = menu_from([[1], []], [[1], []], [[]], [[1], []])  # the tree SMALL
N = len(SMALL.labels)
HOLES = np.array([5, 900])


def malformed(n: int, k: int) -> list:
    """What is no answer for n hands and k labels: another shape, a number that is none, a row of zeros, or words."""
    shapes = [(rows, width) for rows, width in product((0, 1, n - 1, n, n + 1, 2 * n), range(10)) if (rows, width) != (n, k)]
    spoiled = np.ones((15, n, k))
    for i, (value, row) in enumerate(product((np.nan, np.inf, -np.inf, -1, -1e-30), (0, n // 2, n - 1))):
        spoiled[i, row, i % k] = value
    zeros = [np.arange(n)[:, None] != np.full(k, row) for row in (0, n - 1)]
    words = [None, "fold", [["a"] * k] * n, [[None] * k] * n, [[1.0], [1.0, 2.0]], {}]
    return [*map(np.ones, shapes), *spoiled, *zeros, *words]


def test_malformed_answers_are_errors_wherever_they_come_in(tables):
    """In a model on a tree, a model asked in text, and an agent of one's own."""
    wanted, agent = np.isin(np.arange(1326), HOLES), Agent(MENU)
    policy = AgentPolicy(SMALL, agent)
    for i in range(len(malformed(len(HOLES), N))):
        models = [SimpleNamespace(predict=lambda X, i=i: malformed(len(X), N)[i])] * 4
        agent.answers = lambda *_, i=i: malformed(len(HOLES), N)[i]
        for ask in (
            lambda models=models: ModelPolicy(SMALL, models, tables).street(1, BOARD[:3], wanted),
            lambda models=models: ModelAgent(MENU, models, tables).probabilities(HOLES, [], ""),
            lambda: policy.street(0, [], wanted),
        ):
            with pytest.raises(ValueError, match="answer"):
                ask()


@pytest.mark.parametrize(
    ("said", "told"),
    [({}, "{}"), ({"bet": 1}, "'bet'"), ({"fold": float("nan")}, "nan"), ({"call": -1}, "-1"), ({"call": 0}, "above 0"),
     ({"call": "1"}, "expected numbers"), ([1, 2], "expected a probability"), (None, "None")],
)  # fmt: skip
def test_a_function_s_answers_are_checked(said, told):
    with pytest.raises(ValueError, match=told):
        FunctionAgent(lambda *_: said, MENU).probabilities(HOLES, [], "")


def test_weight_on_illegal_actions_checks_or_calls():
    assert FunctionAgent(lambda *_: {"fold": 1}, MENU).probabilities(HOLES, BOARD[:3], "cb300c/").tolist() == [[1, 0, 0]] * 2


def strong(hole: str, board: str, betting: str) -> dict[str, float]:
    """Bets with a pair or an ace."""
    return {"raise_1": 3, "call": 1} if hole[0] == hole[2] or "A" in hole else {"call": 4, "fold": 1}


def test_a_function_plays_matches_like_the_policy_it_is():
    """Its rows are its own answers at every decision; so it plays on its own tree and on a match tree."""
    agent, call = FunctionAgent(strong, MENU), FixedPolicy(SMALL, CALL)
    policy, holes = AgentPolicy(SMALL, agent), np.flatnonzero(free_holes(BOARD))[[5, 400, 900]]
    for text, n in zip(("", "cb300c/", "ck/kk/", "ck/kk/kk/k"), BOARD_CARDS, strict=True):
        found = PolicyAgent(SMALL, policy).probabilities(holes, BOARD[:n], text)
        assert found == pytest.approx(agent.probabilities(holes, BOARD[:n], text), abs=1e-6)
    subset = np.isin(np.arange(1326), holes)
    won, again = (Table(SMALL, [p, call]).play(BOARD, subset)[0, 1] for p in (policy, AgentPolicy(SMALL, agent)))
    assert won == pytest.approx(again) and won != 0
    few = 20, partial(rng, 1, "test")
    plain = result(play_boards(Table(SMALL, [policy, call]), [BOARD], few), 0, 1)
    assert plain.mbb == pytest.approx(play_sides(make_sides(MENU, MENU), [policy], call, [BOARD], subset=few)[0, 0])
    with pytest.raises(ValueError, match="legal are .* expected the tree's"):
        AgentPolicy(SMALL, FunctionAgent(strong, menu_from([[2]], [[1]], [[1]], [[1]])))


def test_trees_alone_need_no_library_of_learning():
    code = "import sys, faceup.holdem.agents; print([m for m in ('torch', 'xgboost') if m in sys.modules])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip() == "[]"


@pytest.mark.slow
def test_the_example_of_contributing_prints_what_it_says(tables, all_in_wins, monkeypatch):
    """The code of "Bring your own agent" is run as it stands; only what the tests have already made is not made again."""
    root = Path(__file__).parents[2]
    section = (root / "CONTRIBUTING.md").read_text().partition("## Bring your own agent")[2]
    code, output = re.findall(r"```(?:python|text)\n(.*?)```", section, flags=re.DOTALL)[:2]
    monkeypatch.setattr("faceup.cards.matchups.preflop_wins", lambda: all_in_wins)
    monkeypatch.chdir(root)
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(code, {})
    assert printed.getvalue() == output
