"""Random situations, what an agent answers to them in Python, and how the page's scripts are asked the same."""

import json
import shutil
import subprocess
from typing import Any

import numpy as np
import pytest
from pokerkit_table import random_choice
from random_tables import random_table, save_random_agent

from faceup.cards.cards import BOARD_CARDS, card_text, hole_index
from faceup.holdem.agents import load_agent
from faceup.holdem.groups import Grid, make_groups
from faceup.holdem.lines import longer
from faceup.holdem.policy import TablePolicy
from faceup.holdem.rules import START, act, menu_from
from faceup.pages.explorer import PURE, Player, page_data, source
from faceup.trees.tree import truncate

MENU = menu_from([[1, 2], [1], []], [[0.75], []], [[1], []], [[1, 2], []])
LABELS = ("fold", "call", "raise_0.75", "raise_1", "raise_2", "all_in")
NO_WINS = np.zeros((169, 169))  # where nothing is asked about all-ins before the flop
GRIDS = (Grid(10, 5, (2, 8)), Grid(8, 4, (1, 9)))  # of the table's groups


def random_betting(rng: np.random.Generator, street: int) -> str:
    """A line of legal actions, bets of any size among them, after which somebody is to act on a street."""
    while True:
        line, state = "", START
        while state and (state.street < street or (state.street == street and rng.random() < 0.5)):
            choice = random_choice(state, rng)
            line, state = longer(line, state, choice), act(state, *choice)[0]
        if state and state.street == street:
            return line


def random_questions(n: int) -> list[dict]:
    """n situations, as many on each street: cards as numbers and the betting."""
    rng, found = np.random.default_rng(n), []
    for k in range(n):
        cards = rng.permutation(52)[:7].tolist()
        found.append({"hole": cards[:2], "board": cards[2 : 2 + BOARD_CARDS[k % 4]], "betting": random_betting(rng, k % 4)})
    return found


def random_agent(folder):
    """The file of an agent of random trees that are told all."""
    return save_random_agent(folder / "random.json", MENU, 60, history="both+seat")


def grouped_table(tree, tables) -> TablePolicy:
    """A random table on a betting tree, of groups by GRIDS."""
    return random_table(tree, make_groups(tables[1], tables[2], *GRIDS), 1)


def node(*arguments: str, script: str) -> str:
    """What node says to a script; the test is skipped where there is no node."""
    if shutil.which("node") is None:
        pytest.skip("the page's scripts can only be run where node is installed")
    done = subprocess.run(["node", *arguments, "-"], input=script, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def run(value: str, given: object = None, before: str = "") -> Any:
    """A value as the page's scripts that need no page find it; they know `given` under that name. before: what is done first."""
    scripts = "\n".join(source(f"{name}.js") for name in PURE)
    asked = f"const given = {json.dumps(given)};\n{before}\nconsole.log(JSON.stringify({value}));"
    return json.loads(node(script=f"{scripts}\n{asked}"))


ANSWER = """
function answersTo(given) {
  return given.questions.map(({ hole, board, betting }) => {
  const { state } = readLine(betting), cards = holeIndex(...hole), street = state.street;
  const whole = street ? serve({ board, hole: cards }).whole : wholeFeatures(cards, null, given.data.preflop);
  const tree = unpack(given.data.files[0][STREETS[street]]), x = rowOf(tree, features(whole, street), state);
  const path = pathOf(tree, x, given.depth), actions = offered(state, given.data.menu, given.data.labels);
  const steps = path.slice(0, -1).map(node => [tree.names[tree.feature[node]], x[tree.feature[node]], tree.threshold[node]]);
  const shares = legalShares(tree.value[path.at(-1)], actions);
  return { x: Array.from(x), steps, shares: Object.fromEntries(actions.map((a, i) => [given.data.labels[a.label], shares[i]])),
    amounts: Object.fromEntries(actions.map(a => [given.data.labels[a.label], a.amount])) };
});
}
"""


def check_answers(tables, path, depth, n, ask):
    """The scripts against `TreeAgent`, of the trees cut at a depth, in n random situations.

    ask(given): what `answersTo` of ANSWER returns, wherever the page's scripts run.
    """
    agent, questions = load_agent(path, tables), random_questions(n)
    agent.trees = tuple(truncate(tree, depth) for tree in agent.trees)
    data = page_data([Player("it", depth, path)], tables[0], NO_WINS)
    answers = ask({"data": data, "depth": depth, "questions": questions})
    for question, found in zip(questions, answers, strict=True):
        hole, board = ("".join(map(card_text, question[key])) for key in ("hole", "board"))
        asked = hole, board, question["betting"]
        raises = {label: amount for label, amount in agent.legal(question["betting"]).items() if label not in ("fold", "call")}
        x = agent.features(np.array([hole_index(*question["hole"])]), question["board"], question["betting"])
        assert found["x"] == x[0].tolist(), asked
        assert [tuple(step) for step in found["steps"]] == agent.path(*asked), asked
        assert found["shares"] == pytest.approx(agent.action_probabilities(*asked), abs=1e-6), asked
        assert {label: amount for label, amount in found["amounts"].items() if amount} == raises, asked
