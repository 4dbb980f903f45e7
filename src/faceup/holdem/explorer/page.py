"""The explorer's page: one HTML file with the agents, the starting hands' equities, and the scripts that answer from them.

The scripts beside this module compute a hand's features in the browser as the same whole numbers as `faceup.cards`; only those of
the 169 starting hands, which take all boards there are, stand in the page.
"""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from faceup.cards.cards import CLASS_OF_HOLE
from faceup.cards.equity import StreetTable
from faceup.cards.matchups import RUNOUTS_PREFLOP, edges
from faceup.holdem.betting.betting_tree import STREETS
from faceup.holdem.play.agents import TreeAgent, load_agent
from faceup.holdem.play.words import action_name, wording
from faceup.holdem.show.figures import action_colours
from faceup.lab.files import write_text
from faceup.trees.tree import pack

PURE = ("cards", "worker", "betting", "agent", "table", "exploit")  # scripts that need no page: tests run them by themselves
SCRIPTS = (*PURE, "view", "grids", "ask", "trees", "play", "main")  # in the order in which they run


class Player(NamedTuple):
    """An agent that the page offers."""

    name: str
    depth: int  # its trees are cut after so many questions
    file: Path  # as `save_agent` writes it
    facts: Mapping[str, float] = {}  # mbb/g: "exploitability", "match" (won from the table), each with "_ci95"


def write_explorer(
    path: Path, players: Sequence[Player], preflop: StreetTable, wins: np.ndarray, table: Mapping[str, Any] | None = None
) -> int:
    """Write the page, whole or not at all; returns its size in bytes. Arguments and errors as `page_data`."""
    text = explorer_page(page_data(players, preflop, wins, table))
    write_text(path, text)
    return len(text.encode())


def page_data(
    players: Sequence[Player], preflop: StreetTable, wins: np.ndarray, table: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """What the page knows, as plain JSON. table: of `table_data`, None for a page without one.

    preflop: equities and deciles of the 169 starting hands; wins (169, 169): of cards/matchups, who wins when all cards come.
    The last player is the one that the page opens with. Raises ValueError where a file is bad, or two agents
    differ in labels or sizes.
    """
    agents = {player.file: load_agent(player.file) for player in players}
    first = next(iter(agents.values()))
    for path, agent in agents.items():
        if (agent.labels, agent.menu) != (first.labels, first.menu):
            raise ValueError(f"{path}: labels {agent.labels}, sizes {agent.menu}: expected {first.labels}, {first.menu}")
    keys = {path: str(k) for k, path in enumerate(agents)}
    return {
        "labels": first.labels,
        "menu": first.menu,
        "names": [action_name(label) for label in first.labels],
        "colours": action_colours(first.labels),
        "dark": [label == "all_in" for label in first.labels],
        "wording": {n: wording(n)._asdict() for agent in agents.values() for names in agent.feature_names for n in names},
        "preflop": {"equity": preflop.equity[0].tolist(), "deciles": [table[0].tolist() for table in preflop.deciles]},
        "agents": [{"name": p.name, "depth": p.depth, "file": keys[p.file], "facts": dict(p.facts)} for p in players],
        "edges": _starting_edges(wins),
        "table": table,
        "files": {keys[path]: _packed(agent) for path, agent in agents.items()},
    }


def _starting_edges(wins: np.ndarray) -> list[float]:
    """Wins less losses of a hole of each starting hand against one of each other (0 if they cannot meet): 169 x 169 means."""
    combos = np.bincount(CLASS_OF_HOLE)
    return np.round(edges(wins, RUNOUTS_PREFLOP) / np.outer(combos, combos), 6).ravel().tolist()


def _packed(agent: TreeAgent) -> dict[str, dict]:
    """An agent's four trees, each with the names of its features."""
    parts = zip(STREETS, agent.trees, agent.feature_names, strict=True)
    return {street: {"feature_names": names, **pack(tree)} for street, tree, names in parts}


def explorer_page(data: Mapping[str, Any]) -> str:
    """The page as HTML."""
    scripts = "\n".join(f'<script id="script-{name}">\n{source(f"{name}.js")}</script>' for name in SCRIPTS)
    embedded = json.dumps(data, separators=(",", ":"), ensure_ascii=False, allow_nan=False).replace("<", "\\u003c")
    page = source("explorer.html").replace("{{style}}", source("explorer.css")).replace("{{scripts}}", scripts)
    return page.replace("{{data}}", embedded)


def source(name: str) -> str:
    """The text of a file beside this module, such as "cards.js"."""
    return Path(__file__).with_name(name).read_text(encoding="utf-8")
