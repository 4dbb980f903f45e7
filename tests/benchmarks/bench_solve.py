"""How fast self-play and best responses are, on the default tree and on a rich one, with the default grids' groups."""

import resource
from functools import partial

import numpy as np
import pytest
from report import record, seconds

from faceup.cards.cards import fixing_permutations, folded_cards
from faceup.holdem.best_response import Responder, sample_flops
from faceup.holdem.groups import Grid, Groups, make_groups
from faceup.holdem.policy import FixedPolicy, TablePolicy
from faceup.holdem.rules import DECISION, menu_from
from faceup.holdem.selfplay import Discount, SelfPlay
from faceup.holdem.tree import BettingTree, build_tree
from faceup.lab.parameters import load_parameters
from faceup.lab.rng import rng

WARM_UP = 200  # iterations: a run's first ones write to memory that was never touched
ITERATIONS = 500
N_FLOPS = 2
HOLES = 1081
RICH = ([[0.5, 1, 2], [1], []],) * 4  # 22,688 decisions
RICH_WARM_UP, RICH_ITERATIONS = 10, 20


@pytest.fixture(scope="module")
def groups(tables) -> Groups:
    """The groups of the default profile."""
    knobs, keys = load_parameters()["selfplay"], ("equity_cells", "decile_cells", "deciles")
    grids = [Grid(*(knobs[f"{street}_{key}"] for key in keys)) for street in ("flop", "turn")]
    return make_groups(tables[1], tables[2], *grids)


def updates_per_second(selfplay: SelfPlay, warm_up: int, iterations: int) -> float:
    """Decision nodes x 1,081 holes x iterations a second, both players updated, after some that are not counted."""
    selfplay.advance(warm_up)
    taken = seconds(lambda: selfplay.advance(iterations))
    assert selfplay.state.iteration == warm_up + iterations
    return decisions(selfplay.tree) * HOLES * iterations / taken


def new_run(tree: BettingTree, groups: Groups) -> SelfPlay:
    """Self-play that has learnt nothing yet."""
    return SelfPlay(tree, groups, Discount(1.5, 0, 2, 100), partial(rng, 1, "test"))


def decisions(tree: BettingTree) -> int:
    """Decision nodes of a tree."""
    return int((tree.kind == DECISION).sum())


def test_selfplay(groups) -> None:
    """Rates on both trees; seconds of the default run by its rate."""
    tree, rich = build_tree(menu_from(**load_parameters()["betting"])), build_tree(menu_from(*RICH))
    rate = updates_per_second(new_run(tree, groups), WARM_UP, ITERATIONS)
    iterations = load_parameters()["selfplay"]["iterations"]
    values = {
        "hole_updates_per_second": round(rate),
        "nodes": decisions(tree),
        "iterations": iterations,
        "seconds": round(decisions(tree) * HOLES * iterations / rate, 1),
        "rich_hole_updates_per_second": round(updates_per_second(new_run(rich, groups), RICH_WARM_UP, RICH_ITERATIONS)),
        "rich_nodes": decisions(rich),
        "peak_rss_gb": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e9, 2),
    }
    record("selfplay", values)


def test_exploitability(groups, all_in_wins) -> None:
    """Nodes x 1,081 holes x river boards x seats a second, in best responses to a table; and seconds a flop."""
    tree = build_tree(menu_from(**load_parameters()["betting"]))
    uniform = FixedPolicy(tree, None)
    tables = tuple(np.repeat(uniform.street(s, [])[0], groups.n_groups[s], axis=0) for s in range(4))
    responder = Responder(tree, TablePolicy(tables, groups), all_in_wins)
    flops = sample_flops(N_FLOPS, rng(1, "test")).tolist()
    responder.flop([0, 1, 2])
    taken = seconds(lambda: [responder.flop(flop) for flop in flops])
    boards = sum(map(_river_boards, flops))
    record(
        "exploitability",
        {
            "hole_values_per_second": round(decisions(tree) * HOLES * boards * 2 / taken),
            "seconds_per_flop": round(taken / N_FLOPS, 2),
            "river_boards_per_flop": boards / N_FLOPS,
        },
    )


def _river_boards(flop: list[int]) -> int:
    """River boards of a flop that are played, suits folded."""
    fixed = fixing_permutations(flop, np.arange(24))
    return sum(len(folded_cards([*flop, turn], fixing_permutations([turn], fixed))) for turn, _ in folded_cards(flop, fixed))
