"""The seconds of all of Table 1, from the rates of its parts."""

from functools import partial

import numpy as np
from report import record, seconds

from faceup.cards.cards import canonical_boards
from faceup.holdem.betting.betting_tree import CALL, menu_from
from faceup.holdem.play.agents import load_models
from faceup.holdem.play.match import Table, play_boards, random_boards
from faceup.holdem.play.match_tree import make_sides, play_sides
from faceup.holdem.play.pairings import all_and_each
from faceup.holdem.play.purified import purified
from faceup.holdem.solve.groups import Groups
from faceup.holdem.solve.policy import FixedPolicy, TablePolicy
from faceup.notebook.parameters import load_parameters
from faceup.notebook.paths import AGENTS, DATA

BOARDS = 8


def one_group() -> Groups:
    """All hands of a street before the river in one group: as fast to look up as any."""
    flop, turn = (np.zeros((len(canonical_boards(n).keys), 1326), dtype=np.int32) for n in (3, 4))
    return Groups(flop, turn, (169, 1, 1, 1981))


def uniform_table(tree, groups: Groups) -> TablePolicy:
    """Every action equally often."""
    uniform = FixedPolicy(tree, None)
    return TablePolicy(tuple(np.repeat(uniform.street(s, [])[0], groups.n_groups[s], axis=0) for s in range(4)), groups)


def test_matches(tables) -> None:
    """Each part of `16_matches` on few boards, after a board that compiles; the whole table by its own numbers of boards."""
    knobs = load_parameters()["matches"]
    mine, theirs = menu_from(**load_parameters()["betting"]), menu_from(*load_parameters()["stand_in_betting"].values())
    sides = make_sides(mine, theirs)
    tree, boards = sides.own[0], random_boards(BOARDS + 1, seed=3)
    opponent = uniform_table(sides.own[1], one_group())
    models = load_models(tree, tables, DATA / "distill", AGENTS)
    learned = {"table": uniform_table(tree, one_group()), **models}
    fixed = [FixedPolicy(tree, label) for label in (CALL, None, len(tree.labels) - 1)]
    pure = {name: purified(tree, policy) for name, policy in learned.items()}
    cheap = [name for name in learned if name not in ("XGBoost", "NN")]
    both = [players[name] for players in (learned, pure) for name in cheap]
    every = [*learned.values(), *fixed, *pure.values()]
    slow = [learned["table"], *fixed, *(players[name] for players in (learned, pure) for name in ("XGBoost", "NN"))]
    full = Table(tree, both, all_and_each(len(cheap), len(cheap)))
    few = Table(tree, every, all_and_each(len(learned) + len(fixed), len(pure)))
    holes, at_stand_in = knobs["subset_holes"], knobs["stand_in_boards"] + knobs["threshold_boards"] / 2
    slow_at_stand_in = knobs["stand_in_subset_boards"]
    parts = {}
    for name, play, times in (
        ("full", lambda these: play_boards(full, these), knobs["match_boards"]),
        ("subset", lambda these: play_boards(few, these, holes), knobs["subset_boards"]),
        ("sides", lambda these: play_sides(sides, both, opponent, these), at_stand_in),
        ("slow_sides", lambda these: play_sides(sides, slow, opponent, these, subset_size=holes), slow_at_stand_in),
    ):
        play(boards[:1])
        once = seconds(partial(play, boards[:1]))  # with what models are asked once for all boards
        parts[name] = once + (times - 1) / BOARDS * (seconds(partial(play, boards)) - once)
    rounded = {f"{name}_seconds": round(value, 1) for name, value in parts.items()}
    record("matches", {**rounded, "table_seconds": round(sum(parts.values()), 1)})
