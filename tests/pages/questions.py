"""Random situations, agents and tables, and how the page's scripts answer."""

import json
import shutil
import subprocess
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from games import random_table, save_random_agent
from pokerkit_table import random_choice

from faceup.cards.cards import BOARD_CARDS
from faceup.holdem.betting_lines import longer
from faceup.holdem.buckets import Grid, make_buckets
from faceup.holdem.policy import TablePolicy
from faceup.holdem.rules import START, act, menu_from
from faceup.pages.explorer import PURE, source
from faceup.util.paths import ROOT

MENU = menu_from([[1, 2], [1], []], [[0.75], []], [[1], []], [[1, 2], []])
LABELS = ("fold", "call", "raise_0.75", "raise_1", "raise_2", "all_in")
NO_WINS = np.zeros((169, 169))  # where nothing is asked about all-ins before the flop
GRIDS = (Grid(10, 5, (2, 8)), Grid(8, 4, (1, 9)))  # of the blueprint's buckets


def random_betting(rng: np.random.Generator, street: int) -> str:
    """A random line of legal actions, of any size, that leaves a decision on a street."""
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
        board, betting = cards[2 : 2 + BOARD_CARDS[k % 4]], random_betting(rng, k % 4)
        found.append({"hole": cards[:2], "board": board, "betting": betting})
    return found


def player(name, depth, file, **facts) -> dict:
    """An agent of the page."""
    return {"name": name, "depth": depth, "file": file, "facts": facts}


def random_agent(folder):
    """The file of an agent of random trees with all betting features."""
    return save_random_agent(folder / "random.json", MENU, 60, feature_set="both+seat")


def grouped_table(tree, equities) -> TablePolicy:
    """A random blueprint on a betting tree, of buckets by GRIDS."""
    return random_table(tree, 1, make_buckets(equities[1], equities[2], *GRIDS))


def data_of(name: str) -> dict:
    """What a notebook left for the page of a small game."""
    file = {"one_card": "human_rules", "leduc": "leduc"}[name]
    return json.loads((ROOT / "reports/pages" / f"{file}.json").read_text(encoding="utf-8"))


def node(*arguments: str, script: str) -> str:
    """What node says to a script; the test is skipped where there is no node."""
    if shutil.which("node") is None:
        pytest.skip("the page's scripts can only be run where node is installed")
    done = subprocess.run(["node", *arguments, "-"], input=script, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def run(value: str, given: object = None, before: str = "", names: Sequence[str] = PURE) -> Any:
    """The value of an expression by scripts that need no page, with `given`, after `before`."""
    scripts = "\n".join(source(f"{name}.js") for name in names)
    asked = f"const given = {json.dumps(given)};\n{before}\nconsole.log(JSON.stringify({value}));"
    return json.loads(node(script=f"{scripts}\n{asked}"))
