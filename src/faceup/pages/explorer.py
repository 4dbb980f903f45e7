"""The explorer's page: one HTML file with the agents, the blueprint, the starting hands' equities,
and the scripts.

The scripts beside this module compute a hand's features in the browser as the same whole numbers as
`faceup.cards`; only those of the 169 starting hands, which take all boards there are, stand in the
page. The blueprint is a bucket's shares of actions in steps of 1/15. A hand's bucket follows from
its features, as in `holdem.buckets`: preflop it is the starting hand, on the river the equity, and
on flop and turn the place of its grid cells, written as one number, in the sorted list of those
that occur.

What is large is compressed (zlib) and written as base64; the browser has the counterpart. So the
page stays below 4 MB.
"""

import json
import zlib
from base64 import b64encode
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from faceup.cards.cards import CLASS_OF_HOLE, STREETS
from faceup.cards.equity import UNITS, StreetTable
from faceup.cards.features import feature_names
from faceup.cards.matchups import RUNOUTS_PREFLOP, net_wins
from faceup.holdem.agents import load_agent
from faceup.holdem.betting_lines import line_to
from faceup.holdem.buckets import Grid
from faceup.holdem.figures import action_colours
from faceup.holdem.policy import TablePolicy
from faceup.holdem.tree import BettingTree, columns, decisions
from faceup.holdem.wording import action_name, wording
from faceup.trees.agent_file import pack
from faceup.util.files import write_text

_DIGITS = np.frombuffer(b"0123456789abcdef", dtype=np.uint8)
STEPS = 15  # of a share: each is off by at most one step


def blueprint_data(
    tree: BettingTree, policy: TablePolicy, tables: Sequence[StreetTable], grids: Sequence[Grid]
) -> dict[str, Any]:
    """The blueprint as plain JSON. tables: the four streets'; grids: of flop and turn, as self-play
    rounded by.
    """
    ids = (policy.buckets.flop, policy.buckets.turn)
    return {
        "grids": [grid._asdict() for grid in grids],
        "cells": [
            group_cells(s, tables[s], grid, ids[s - 1]).tolist()
            for s, grid in enumerate(grids, start=1)
        ],
        "streets": [_shares(tree, street, table) for street, table in enumerate(policy.tables)],
    }


def group_cells(street: int, table: StreetTable, grid: Grid, ids: np.ndarray) -> np.ndarray:
    """The grid cells of each bucket (n_buckets,) int64, ascending: digits in base cells + 1, the
    equity first.

    ids (n_boards, 1326): buckets, -1 where a hole is blocked.
    """
    hands, free = np.zeros(ids.max() + 1, dtype=np.int64), np.flatnonzero(ids >= 0)
    hands[ids.ravel()[free]] = free  # one of each group
    board, hole = np.unravel_index(hands, ids.shape)
    values = [(table.equity[board, hole], UNITS[street], grid.equity_cells)]
    for later, deciles in enumerate(table.deciles, start=street + 1):
        values += [
            (deciles[board, hole, d - 1], UNITS[later], grid.decile_cells) for d in grid.deciles
        ]
    key = np.zeros(len(board), dtype=np.int64)
    for value, unit, cells in values:
        key = key * (cells + 1) + (2 * cells * value.astype(np.int64) + unit) // (2 * unit)
    return key


def _shares(tree: BettingTree, street: int, table: np.ndarray) -> dict[str, Any]:
    """A street: where each decision's shares stand in a bucket's row, and the rows, a hexadecimal
    digit for a share.

    A decision of k actions has k - 1 digits: how much the first one, two, .. actions take together.
    """
    places, parts, width = {}, [], 0
    for node in decisions(tree, street):
        summed = table[:, columns(tree, node)].cumsum(axis=1, dtype=np.float64)
        parts.append(np.rint(STEPS * summed[:, :-1] / summed[:, -1:]).astype(np.uint8))
        places[line_to(tree, int(node))] = width
        width += parts[-1].shape[1]
    return {
        "places": places,
        "width": width,
        "shares": _DIGITS[np.hstack(parts)].tobytes().decode(),
    }


# scripts that need no page: tests run them by themselves
PURE = ("cards", "worker", "betting", "agent", "blueprint", "exploit")
# in the order in which they run
SCRIPTS = (*PURE, "page", "view", "grids", "ask", "trees", "play", "main")
LARGE = ("edges", "blueprint", "files")  # parts of the data that are compressed
# pages of the small games: each has its rules, which need no page, and its view
SMALL = ("one_card", "leduc")


class Player(NamedTuple):
    """An agent that the page offers."""

    name: str
    depth: int  # its trees are cut after so many questions
    file: Path  # as `save_agent` writes it
    # mbb/g, interval: from the "blueprint"; to "br_pot", "br_blueprint", "lbr_56"
    facts: Mapping[str, Sequence[float]] = {}


def write_explorer(
    path: Path,
    players: Sequence[Player],
    preflop: StreetTable,
    wins: np.ndarray,
    blueprint: Mapping[str, Any] | None = None,
) -> int:
    """Write the page, whole or not at all; returns its size in bytes. Arguments and errors as
    `page_data`.
    """
    return _write(path, "explorer", SCRIPTS, page_data(players, preflop, wins, blueprint))


def write_small(path: Path, name: str, data: Mapping[str, Any]) -> int:
    """Write the page of a small game, one of SMALL, with the data that its notebook left; returns
    its size in bytes.
    """
    return _write(path, name, (f"{name}_rules", "page", name), data)


def _write(path: Path, template: str, names: Sequence[str], data: Mapping[str, Any]) -> int:
    scripts = "\n".join(
        f'<script id="script-{name}">\n{source(f"{name}.js")}</script>' for name in names
    )
    page = (
        source(f"{template}.html")
        .replace("{{style}}", source("explorer.css"))
        .replace("{{scripts}}", scripts)
    )
    if "{{large}}" in page:
        large = zlib.compress(_json({name: data[name] for name in LARGE}).encode(), 9)
        page = page.replace("{{large}}", b64encode(large).decode())
    page = page.replace(
        "{{data}}",
        _json({name: part for name, part in data.items() if name not in LARGE}).replace(
            "<", "\\u003c"
        ),
    )
    write_text(path, page)
    return len(page.encode())


def _json(data: Mapping[str, Any]) -> str:
    return json.dumps(data, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def page_data(
    players: Sequence[Player],
    preflop: StreetTable,
    wins: np.ndarray,
    blueprint: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """What the page knows, as plain JSON. blueprint: of `blueprint_data`, None for a page without
    one.

    preflop: equities and deciles of the 169 starting hands; wins (169, 169): of cards/matchups, who
    wins when all cards come. The last player is the one that the page opens with. Raises ValueError
    where a file is bad, or two agents differ in labels or sizes.
    """
    agents = {player.file: load_agent(player.file) for player in players}
    first = next(iter(agents.values()))
    for path, agent in agents.items():
        if agent.menu != first.menu:
            raise ValueError(f"{path}: sizes {agent.menu}, expected {first.menu}")
    keys = {path: str(k) for k, path in enumerate(agents)}
    names = {
        path: [feature_names(street, agent.history) for street in range(4)]
        for path, agent in agents.items()
    }
    combos = np.bincount(CLASS_OF_HOLE)
    return {
        "labels": first.labels,
        "menu": first.menu,
        "names": [action_name(label) for label in first.labels],
        "colours": action_colours(first.labels),
        "dark": [label == "all_in" for label in first.labels],
        "wording": {
            name: wording(name)._asdict() for four in names.values() for one in four for name in one
        },
        "preflop": {
            "equity": preflop.equity[0].tolist(),
            "deciles": [table[0].tolist() for table in preflop.deciles],
        },
        "agents": [
            {"name": p.name, "depth": p.depth, "file": keys[p.file], "facts": dict(p.facts)}
            for p in players
        ],
        # wins less losses of a hole of each starting hand against one of each other, 0 if they
        # cannot meet: 169 x 169 means
        "edges": np.round(net_wins(wins, RUNOUTS_PREFLOP) / np.outer(combos, combos), 6)
        .ravel()
        .tolist(),
        "blueprint": blueprint,
        "files": {
            keys[path]: {
                street: {"feature_names": of_round, **pack(tree)}
                for street, tree, of_round in zip(STREETS, agent.trees, names[path], strict=True)
            }
            for path, agent in agents.items()
        },
    }


def source(name: str) -> str:
    """The text of a file beside this module, such as "cards.js"."""
    return Path(__file__).with_name(name).read_text(encoding="utf-8")
