"""Self-play, one board: today's kernels and the trial's, in turns, from the same trained state (a checkpoint's path is given)."""

import sys
import time
from pathlib import Path

import numpy as np
from board import Board

from faceup.cards.equity import load_tables
from faceup.holdem.betting.betting_tree import build_tree, menu_from
from faceup.holdem.solve.groups import Grid, make_groups
from faceup.holdem.solve.selfplay import Discount, SelfPlay, SelfPlayState, sampled_board
from faceup.notebook.paths import DATA

BOARDS, TURNS = 150, 5
tables = load_tables(DATA / "equity")
groups = make_groups(tables[1], tables[2], Grid(20, 10, (2, 5, 8)), Grid(20, 10, (1, 3, 5, 7, 9)))
tree = build_tree(menu_from([[1, 2], [1], []], [[0.5, 1], []], [[1], []], [[0.5, 1], []]))
with np.load(Path(sys.argv[1])) as arrays:
    kept = [tuple(arrays[name].copy() for name in arrays.files if what in name) for what in ("regrets", "averages")]
    state = SelfPlayState(*kept, int(arrays["iteration"]))
old, new = SelfPlay(tree, groups, Discount(1.5, 1, 2, 10**9), 1, state), Board(tree, groups)
for what in ("regrets", "averages"):
    for mine, theirs in zip(getattr(new, what), old.in_tree_order(getattr(old.state, what)), strict=True):
        mine[:] = theirs
old.advance(5)
new.play(sampled_board(1, state.iteration))
for _ in range(TURNS):
    start = time.perf_counter()
    old.advance(BOARDS)
    middle = time.perf_counter()
    for i in range(BOARDS):
        new.play(sampled_board(1, old.state.iteration - BOARDS + i))
    took = 1000 * np.diff([start, middle, time.perf_counter()]) / BOARDS
    print(f"self-play, ms a board: today {took[0]:.2f}, trial {took[1]:.2f}", flush=True)
