"""The browser pages: each one HTML file with its data and scripts.

The scripts beside this module compute a hand's features in the browser as the same integers as
`faceup.cards`; the page holds those of the 169 starting hands alone, which need all boards. The
blueprint is stored as action probabilities by bucket in steps of 1/15. A hand's bucket follows from
its features, as in `holdem.buckets`: preflop it is the starting hand, on the river the equity, on
flop and turn the position of its grid cells, encoded as one number, in the sorted list of those
that occur.

Large parts are compressed (zlib) and base64-encoded, which keeps the page below 4 MB.
"""

import json
import re
import zlib
from base64 import b64encode
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from faceup.cards.cards import COMBOS, STREETS
from faceup.cards.equity import UNITS, StreetEquities
from faceup.cards.matchups import RUNOUTS_PREFLOP, net_wins
from faceup.holdem.agents import load_agent
from faceup.holdem.betting_lines import line_to
from faceup.holdem.betting_tree import BettingTree, columns, decision_nodes
from faceup.holdem.buckets import Grid
from faceup.holdem.figures import action_colors
from faceup.holdem.policy import TablePolicy
from faceup.holdem.wording import action_name, wording
from faceup.util.files import load_json, write_text

STEPS = 15  # of a probability: each is off by at most one step
_DIGITS = np.frombuffer(b"0123456789abcdef", dtype=np.uint8)
# scripts that need no page: tests run them alone
PURE = ("cards", "worker", "betting", "agent", "blueprint", "exploit")
# scripts of each page in the order in which they run
SCRIPTS = {
    "explorer": (*PURE, "page", "view", "grids", "ask", "play", "story", "main"),
    "one_card": ("one_card_rules", "page", "one_card"),
    "leduc": ("leduc_rules", "page", "leduc"),
}
LARGE = ("edges", "blueprint", "files")  # parts of the explorer's data that are compressed


def write_page(path: Path, name: str, data: Mapping[str, Any]) -> int:
    """Write a page, one of SCRIPTS, atomically; returns its size in bytes.

    data: from `page_data`, or those that the notebook of a small game left.
    """
    scripts = [
        f'<script id="script-{script}">\n{source(f"{script}.js")}</script>'
        for script in SCRIPTS[name]
    ]
    large = _json({part: data[part] for part in LARGE if part in data}).encode()
    small = _json({part: value for part, value in data.items() if part not in LARGE})
    parts = {
        "style": source("explorer.css"),
        "scripts": "\n".join(scripts),
        "large": b64encode(zlib.compress(large, 9)).decode(),
        "data": small.replace("<", "\\u003c"),
    }
    page = re.sub(r"\{\{(\w+)\}\}", lambda at: parts[at[1]], source(f"{name}.html"))
    write_text(path, page)
    return len(page.encode())


def source(name: str) -> str:
    """The text of a file beside this module, such as "cards.js"."""
    return Path(__file__).with_name(name).read_text(encoding="utf-8")


def _json(data: Mapping[str, Any]) -> str:
    return json.dumps(data, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def page_data(
    players: Sequence[Mapping[str, Any]],
    preflop: StreetEquities,
    wins: np.ndarray,
    blueprint: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """The explorer's data as plain JSON; blueprint: from `blueprint_data`, or None.

    players: agents by "name", "file" (written by `save_agent`), "depth" at which its trees are cut,
    and "facts": (mbb/g, interval) won from the "blueprint", lost to "br_pot", "br_blueprint",
    "lbr_56".
    preflop: equities and deciles of the 169 starting hands; wins (169, 169): from
    `cards.matchups.preflop_wins`. All agents have the same bet sizes; the page opens with the
    last player.
    """
    first = load_agent(players[0]["file"])
    read = {player["file"]: load_json(player["file"]) for player in players}
    keys = {path: str(k) for k, path in enumerate(read)}
    files = {
        keys[path]: {street: trees[street] for street in STREETS} for path, trees in read.items()
    }
    streets = [trees[street] for trees in files.values() for street in STREETS]
    words = {name: wording(name)._asdict() for tree in streets for name in tree["feature_names"]}
    # means over pairs of holes that share no card, 0 where all do
    edges = net_wins(wins, RUNOUTS_PREFLOP) / np.outer(COMBOS, COMBOS)
    return {
        "labels": first.labels,
        "menu": first.menu,
        "names": [action_name(label) for label in first.labels],
        "colors": action_colors(first.labels),
        "dark": [label == "all_in" for label in first.labels],
        "wording": words,
        "preflop": {
            "equity": preflop.equity[0].tolist(),
            "deciles": [deciles[0].tolist() for deciles in preflop.deciles],
        },
        "agents": [{**player, "file": keys[player["file"]]} for player in players],
        "edges": np.round(edges, 6).ravel().tolist(),
        "blueprint": blueprint,
        "files": files,
    }


def blueprint_data(
    tree: BettingTree,
    policy: TablePolicy,
    equities: Sequence[StreetEquities],
    grids: Sequence[Grid],
) -> dict[str, Any]:
    """The blueprint as plain JSON. equities: of the four streets; grids: of flop and turn, as in
    self-play.
    """
    buckets = (policy.buckets.flop, policy.buckets.turn)
    return {
        "grids": [grid._asdict() for grid in grids],
        "cells": [
            _bucket_cells(street, equities[street], grids[street - 1], buckets[street - 1]).tolist()
            for street in (1, 2)
        ],
        "streets": [_strategy(tree, street, table) for street, table in enumerate(policy.tables)],
    }


def _bucket_cells(street: int, table: StreetEquities, grid: Grid, bucket: np.ndarray) -> np.ndarray:
    """The grid cells of each bucket (n_buckets,) int64, ascending: digits in base cells + 1, the
    equity first.

    bucket (n_boards, 1326): -1 for blocked holes.
    """
    hands, free = np.zeros(bucket.max() + 1, dtype=np.int64), np.flatnonzero(bucket >= 0)
    hands[bucket.ravel()[free]] = free  # one hand of each bucket
    board, hole = np.unravel_index(hands, bucket.shape)
    values = [(table.equity[board, hole], UNITS[street], grid.equity_cells)]
    for later, deciles in enumerate(table.deciles, start=street + 1):
        picked = [deciles[board, hole, d - 1] for d in grid.deciles]
        values += [(decile, UNITS[later], grid.decile_cells) for decile in picked]
    key = np.zeros(len(board), dtype=np.int64)
    for value, unit, cells in values:
        key = key * (cells + 1) + (2 * cells * value.astype(np.int64) + unit) // (2 * unit)
    return key


def _strategy(tree: BettingTree, street: int, table: np.ndarray) -> dict[str, Any]:
    """The place of each decision in a bucket's row, the width of a row, and all rows as hexadecimal
    digits.

    A decision of k actions has k - 1 digits: the cumulative probabilities in steps of 1/STEPS.
    """
    places, parts, width = {}, [], 0
    for node in decision_nodes(tree, street):
        summed = table[:, columns(tree, node)].cumsum(axis=1, dtype=np.float64)
        parts.append(np.rint(STEPS * summed[:, :-1] / summed[:, -1:]).astype(np.uint8))
        places[line_to(tree, int(node))] = width
        width += parts[-1].shape[1]
    digits = _DIGITS[np.hstack(parts)].tobytes().decode()
    return {"places": places, "width": width, "shares": digits}
