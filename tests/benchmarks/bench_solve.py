"""How fast self-play and best responses are, on the default tree and on a rich one, with the default grids' groups."""

import resource
from time import perf_counter

import numpy as np
import pytest
from report import record

from faceup.game.betting import DECISION, Tree, build_tree, menu_from
from faceup.hands.equity import all_tables
from faceup.hands.groups import Grid, Groups, make_groups
from faceup.parameters import section
from faceup.solve.best_response import Responder, sample_flops
from faceup.solve.folding import fixing_permutations, folded_cards
from faceup.solve.policy import FixedPolicy, TablePolicy
from faceup.solve.selfplay import Discount, SelfPlay

ITERATIONS = 300
N_FLOPS = 2
HOLES = 1081


RICH = ([[0.5, 1, 2], [1], []],) * 4  # 22,688 decisions
RICH_ITERATIONS = 10


@pytest.fixture(scope="module")
def groups() -> Groups:
    """The groups of the default profile."""
    tables, knobs = all_tables(), section("selfplay")
    grids = [
        Grid(*(knobs[f"{street}_{key}"] for key in ("equity_cells", "decile_cells", "deciles"))) for street in ("flop", "turn")
    ]
    return make_groups(tables[1], tables[2], *grids)


def updates_per_second(tree: Tree, groups: Groups, iterations: int) -> float:
    """Decision nodes x 1,081 holes x iterations a second, both players updated."""
    selfplay = SelfPlay(tree, groups, Discount(1.5, 0, 2, 100), seed=1)
    selfplay.advance(10)
    start = perf_counter()
    selfplay.advance(iterations)
    assert selfplay.state.iteration == 10 + iterations
    return decisions(tree) * HOLES * iterations / (perf_counter() - start)


def decisions(tree: Tree) -> int:
    """Decision nodes of a tree."""
    return int((tree.kind == DECISION).sum())


def test_selfplay(groups) -> None:
    """Rates on both trees; seconds of the default run by its rate."""
    tree, rich = build_tree(menu_from(**section("betting"))), build_tree(menu_from(*RICH))
    rate, iterations = updates_per_second(tree, groups, ITERATIONS), section("selfplay")["iterations"]
    values = {
        "hole_updates_per_second": round(rate),
        "nodes": decisions(tree),
        "iterations": iterations,
        "seconds": round(decisions(tree) * HOLES * iterations / rate, 1),
        "rich_hole_updates_per_second": round(updates_per_second(rich, groups, RICH_ITERATIONS)),
        "rich_nodes": decisions(rich),
        "peak_rss_gb": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e9, 2),
    }
    record("selfplay", values)


def test_exploitability(groups) -> None:
    """Nodes x 1,081 holes x river boards x seats a second, in best responses to a table; and seconds a flop."""
    tree = build_tree(menu_from(**section("betting")))
    uniform = FixedPolicy(tree, None)
    tables = tuple(np.repeat(uniform.street(s, [])[0], groups.n_groups[s], axis=0) for s in range(4))
    responder = Responder(tree, TablePolicy(tables, groups))
    flops = sample_flops(N_FLOPS, seed=1).tolist()
    responder.flop([0, 1, 2])
    start = perf_counter()
    for flop in flops:
        responder.flop(flop)
    seconds = perf_counter() - start
    boards = sum(_river_boards(flop) for flop in flops)
    nodes = decisions(tree)
    record(
        "exploitability",
        {
            "hole_values_per_second": round(nodes * HOLES * boards * 2 / seconds),
            "seconds_per_flop": round(seconds / N_FLOPS, 2),
            "river_boards_per_flop": boards / N_FLOPS,
        },
    )
    assert boards > 0


def _river_boards(flop: list[int]) -> int:
    """River boards of a flop that are played, suits folded."""
    fixed = fixing_permutations(flop, np.arange(24))
    return sum(len(folded_cards([*flop, turn], fixing_permutations([turn], fixed))) for turn, _ in folded_cards(flop, fixed))
