"""How fast self-play and best responses are, on the default tree and on a rich one, with the default grids' groups."""

import resource

import numpy as np
from games import node_reach, pair_outcomes
from numba import njit
from report import record, seconds

from faceup.cards.cards import fixing_permutations, folded_cards
from faceup.holdem.betting.betting_tree import DECISION, BettingTree, build_tree, menu_from
from faceup.holdem.solve.best_response import Responder, sample_flops
from faceup.holdem.solve.board import _showdown_block, board_order
from faceup.holdem.solve.groups import Groups
from faceup.holdem.solve.layout import LANES, RIVER, before_river
from faceup.holdem.solve.policy import FixedPolicy, TablePolicy, free_holes
from faceup.holdem.solve.selfplay import Discount, SelfPlay, average_strategy, sampled_board
from faceup.notebook.parameters import load_parameters

WARM_UP = 200  # iterations: a run's first ones write to memory that was never touched
ITERATIONS = 500
N_FLOPS = 2
HOLES = 1081
RICH = ([[0.5, 1, 2], [1], []],) * 4  # 22,688 decisions
RICH_WARM_UP, RICH_ITERATIONS = 10, 20


def updates_per_second(selfplay: SelfPlay, warm_up: int, iterations: int) -> float:
    """Decision nodes x 1,081 holes x iterations a second, both players updated, after some that are not counted."""
    selfplay.advance(warm_up)
    taken = seconds(lambda: selfplay.advance(iterations))
    assert selfplay.state.iteration == warm_up + iterations
    return decisions(selfplay.tree) * HOLES * iterations / taken


def new_run(tree: BettingTree, groups: Groups, ranges: np.ndarray | None = None) -> SelfPlay:
    """Self-play that has learnt nothing yet."""
    return SelfPlay(tree, groups, Discount(1.5, 0, 2, 100), seed=1, ranges=ranges)


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


@njit
def all_pairs(outcome, reach, value) -> None:
    """value (holes, LANES) = sum over holes j of outcome[i, j] times reach (holes, LANES): a showdown without sorting."""
    value[:] = 0
    for i in range(outcome.shape[0]):
        for j in range(outcome.shape[1]):
            for k in range(reach.shape[1]):
                value[i, k] += outcome[i, j] * reach[j, k]


@njit
def sorted_sums(holes, class_start, reach, value) -> None:
    """The same by running sums over holes in order of strength."""
    each, stake = np.arange(holes.shape[0]), np.ones(reach.shape[1], dtype=np.float32)
    value[:] = 0
    _showdown_block(holes, class_start, each, reach, stake, value)


def test_gains(groups) -> None:
    """What each device of self-play gains: sums by strength, holes that are played alike as one, pruning (a bound)."""
    tree = build_tree(menu_from(**load_parameters()["betting"]))
    board = np.array([51, 40, 29, 18, 3])
    order, (free, outcome) = board_order(board), pair_outcomes(board.tolist())
    outcome = np.nan_to_num(outcome)[np.ix_(*[np.searchsorted(free, order.holes)] * 2)].astype(np.float32)
    reach = np.random.default_rng(1).random((HOLES, LANES), dtype=np.float32)
    slow, fast = np.empty_like(reach), np.empty_like(reach)
    all_pairs(outcome, reach, slow)  # compiles, as the next line
    sorted_sums(order.holes, order.class_start, reach, fast)
    pairs = seconds(lambda: all_pairs(outcome, reach, slow), 3)
    sums = seconds(lambda: sorted_sums(order.holes, order.class_start, reach, fast), 100)
    np.testing.assert_allclose(fast, slow, rtol=1e-3, atol=1e-1)
    alike, apart = new_run(tree, groups), new_run(tree, groups, np.ones((2, 1326)))
    rates = [updates_per_second(run, WARM_UP, ITERATIONS) for run in (alike, apart)]
    values = {
        "showdowns_by_strength": round(pairs / sums, 1),
        "holes_played_alike_as_one": round(rates[0] / rates[1], 2),
        "river_roots_that_pruning_would_skip": round(unreached(alike), 4),
    }
    record("selfplay_gains", values)


def unreached(selfplay: SelfPlay) -> float:
    """Share of river roots, over boards and players, that none of a player's hands reaches: the other learns nothing there."""
    clipped = selfplay.in_tree_order(tuple(np.maximum(table, 0) for table in selfplay.state.regrets))
    policy = TablePolicy(average_strategy(selfplay.tree, clipped), selfplay.groups)  # regret matching
    top, shares = before_river(selfplay.tree), []
    for k in range(20):
        board = sampled_board(2, k).tolist()
        reach = node_reach(top, [policy, policy], board, np.flatnonzero(free_holes(board)))
        shares.append((reach[:, top.kind == RIVER].sum(axis=2) == 0).mean())
    return float(np.mean(shares))


def test_exploitability(groups) -> None:
    """Nodes x 1,081 holes x river boards x seats a second, in best responses to a table; and seconds a flop."""
    tree = build_tree(menu_from(**load_parameters()["betting"]))
    uniform = FixedPolicy(tree, None)
    tables = tuple(np.repeat(uniform.street(s, [])[0], groups.n_groups[s], axis=0) for s in range(4))
    responder = Responder(tree, TablePolicy(tables, groups))
    flops = sample_flops(N_FLOPS, seed=1).tolist()
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
