"""How fast self-play and best responses are on the default tree, with tables of the default groups' size.

Groups are drawn at random instead of made from the equity tables: the work is the same and starts at once.
"""

import resource
from time import perf_counter

import numpy as np
from report import record

from faceup.game.betting import DECISION, build_tree, menu_from
from faceup.hands.groups import N_RIVER_GROUPS, Groups
from faceup.parameters import section
from faceup.solve.best_response import Responder, fixing_permutations, folded_cards, sample_flops
from faceup.solve.policy import FixedPolicy, TablePolicy
from faceup.solve.selfplay import Discount, SelfPlay

ITERATIONS = 300
N_FLOPS = 2
HOLES = 1081


def random_groups() -> Groups:
    """As many groups as the default grids give, each hole in a random one."""
    rng = np.random.default_rng(0)
    sizes = (169, 3156, 2968, N_RIVER_GROUPS)
    flop = rng.integers(0, sizes[1], (1755, 1326)).astype(np.int32)
    return Groups(flop, rng.integers(0, sizes[2], (16_432, 1326)).astype(np.int32), sizes)


def test_selfplay() -> None:
    """Decision nodes x 1,081 holes x iterations a second, both players updated; seconds of the default run by that rate."""
    tree = build_tree(menu_from(**section("betting")))
    selfplay = SelfPlay(tree, random_groups(), Discount(1.5, 0, 2, 100), seed=1)
    selfplay.advance(20)
    start = perf_counter()
    selfplay.advance(ITERATIONS)
    seconds = (perf_counter() - start) / ITERATIONS
    nodes, iterations = int((tree.kind == DECISION).sum()), section("selfplay")["iterations"]
    values = {
        "hole_updates_per_second": round(nodes * HOLES / seconds),
        "nodes": nodes,
        "iterations": iterations,
        "seconds": round(seconds * iterations, 1),
        "peak_rss_gb": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e9, 2),
    }
    record("selfplay", values)
    assert selfplay.state.iteration == 20 + ITERATIONS


def test_exploitability() -> None:
    """Nodes x 1,081 holes x river boards x seats a second, in best responses to a table; and seconds a flop."""
    tree = build_tree(menu_from(**section("betting")))
    uniform = FixedPolicy(tree, None)
    groups = random_groups()
    tables = tuple(np.repeat(uniform.street(s, [])[0], groups.n_groups[s], axis=0) for s in range(4))
    responder = Responder(tree, TablePolicy(tables, groups))
    flops = sample_flops(N_FLOPS, seed=1).tolist()
    responder.flop([0, 1, 2])
    start = perf_counter()
    for flop in flops:
        responder.flop(flop)
    seconds = perf_counter() - start
    boards = sum(_river_boards(flop) for flop in flops)
    nodes = int((tree.kind == DECISION).sum())
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
