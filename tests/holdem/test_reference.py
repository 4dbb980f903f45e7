"""The method in plain numpy by another evaluator and by hand; the fast engines against it."""

from functools import partial
from itertools import product

import numpy as np
import pytest
from games import BOARD, FEW_BUCKETS, PUSH, SMALL, equity_levels, pair_outcomes
from numpy.testing import assert_allclose

from faceup.cards.cards import hole_index, parse_cards
from faceup.holdem import reference
from faceup.holdem.betting_lines import line_labels
from faceup.holdem.betting_tree import build_tree, children, columns, decision_nodes
from faceup.holdem.buckets import hole_buckets
from faceup.holdem.cfr import Discount, SelfPlay, clear, train
from faceup.holdem.cfr_br import CfrBr, OpponentMixture
from faceup.holdem.match import random_boards
from faceup.holdem.policy import river_equities
from faceup.holdem.rules import BettingState, menu_from
from faceup.util.rng import rng

BOARDS = random_boards(3, rng(1, "test"))
LEVELS = 9


def test_a_deal_is_what_another_evaluator_says_and_regret_matching_by_hand():
    dealt, (holes, outcome) = reference.deal(BOARD), pair_outcomes(BOARD)
    assert (dealt.holes == holes).all() and (dealt.apart == ~np.isnan(outcome)).all()
    assert (dealt.beats == np.nan_to_num(outcome)).all()
    assert_allclose(
        reference.regret_matching(np.array([[3, -2, 1], [-1, 0, -1]])),
        [[0.75, 0, 0.25], [1 / 3] * 3],
    )


def bluff_catcher(pot: int, *bluffs: str):
    """Tree and deal: AA or a bluff may bet $10 into a pot at KK; holes are bluffs, KK, AA."""
    start = BettingState(
        3, 1, ((pot // 2, 0, 0, 0),) * 2, 0, 2, 0, big_blind=2, stack=pot // 2 + 10
    )
    holes = [hole_index(*parse_cards(text)) for text in (*bluffs, "KsKh", "AsAh")]
    dealt = reference.deal(parse_cards("2s3h4d6c7c"), np.isin(np.arange(1326), holes))
    meet = (dealt.holes == holes[-2]) != (dealt.holes == holes[-2])[:, None]
    return build_tree(menu_from(*[[[]]] * 4), start), dealt._replace(
        apart=meet.astype(float), beats=dealt.beats * meet
    )


def won(tree, dealt, chance, pot: int) -> list[float]:
    """Mean dollars of the pot that bluffs and AA (player 1), then KK (player 0), win."""
    value = reference.values(tree, dealt, chance)[:, 0] / dealt.apart.sum(axis=1) + pot // 2
    return [*np.delete(value[1], -2), value[0, -2]]


@pytest.mark.parametrize(("calls", "expected"), [(0.75, (0, 27.5, 6.25)), (0.5, (5, 25, 5))])
def test_best_responses_to_a_bluff_catcher_win_what_another_solver_says(calls, expected):
    """`node_locking` of b-inary/postflop-solver: KK never bets and calls with this probability."""
    tree, dealt = bluff_catcher(20, "QsQh")
    chance = np.ones((len(tree.kind), 3)) * (tree.label != len(tree.labels) - 1)[:, None]
    chance[children(tree, children(tree, 0)[-1])] = [[1 - calls], [calls]]
    assert_allclose(won(tree, dealt, reference.best_response(tree, dealt, chance, 1), 20), expected)


@pytest.mark.parametrize("opponent", ["self", "best"])
def test_a_bluff_catcher_s_equilibrium_is_another_solver_s(opponent):
    """`node_locking_partial` of b-inary/postflop-solver: one of the two bluffs in four is bet."""
    tree, dealt = bluff_catcher(10, "JsJh", "QsQh")
    rows = np.tile(np.arange(4), (4, 1))
    regrets, strategy_sums = empty(tree, (4,) * 4), empty(tree, (4,) * 4)
    for t in range(1, 401):
        reference.step(tree, dealt, rows, regrets, strategy_sums, opponent, weight=t)
    chance = reference.action_probabilities(tree, reference.strategy(tree, strategy_sums), rows)
    assert_allclose(won(tree, dealt, chance, 10), (0, 0, 15, 5), atol=0.4)
    first, second, _, aces = chance[children(tree, 0)[-1]]
    assert (first + second, aces, won(tree, dealt, chance, 10)[-1]) == pytest.approx(
        (0.5, 1, 5), abs=0.02
    )


def empty(tree, n_rows):
    return [np.zeros(shape) for shape in zip(n_rows, np.diff(tree.street_start), strict=True)]


def test_self_play_is_the_references():
    """Regrets and strategy sums after each of two boards and a discount; the average strategy."""
    run = SelfPlay(SMALL, FEW_BUCKETS, Discount(1.5, 0.5, 2, 1), stream := partial(rng, 5, "test"))
    regrets = empty(SMALL, FEW_BUCKETS.n_buckets)
    strategy_sums = empty(SMALL, FEW_BUCKETS.n_buckets)
    for k in range(2):
        board = stream(k).permutation(52)[:5].tolist()
        dealt = reference.deal(board)
        rows = np.array(
            [
                hole_buckets(FEW_BUCKETS, street, board[: (0, 3, 4, 5)[street]])[dealt.holes]
                for street in range(4)
            ]
        )
        reference.step(SMALL, dealt, rows, regrets, strategy_sums)
        reference.discount(regrets, strategy_sums, k + 1, 1.5, 0.5, 2)
        run.advance(1)
        for fast, plain in ((run.regrets, regrets), (run.strategy_sums, strategy_sums)):
            for found, wanted in zip(fast, plain, strict=True):
                assert_allclose(found, wanted, rtol=1e-3, atol=1e-4 * np.abs(wanted).max())
    for found, wanted in zip(
        run.average(), reference.strategy(SMALL, run.strategy_sums), strict=True
    ):
        assert_allclose(found, wanted, rtol=1e-5)
    assert (run.strategy_sums[3].sum(axis=1) == 0).any()  # there it is uniform


@pytest.mark.parametrize(
    ("opponent", "by_reach"), [("self", False), ("best", False), ("best", True)]
)
def test_a_river_street_is_the_references(opponent, by_reach):
    """Self-play and CFR-BR, board by board."""
    fast = CfrBr(equity_levels(LEVELS), np.zeros((169, 169)), by_reach=by_reach)
    state, tree, river = fast.start(), fast.tree, fast.learner.street_infosets(3, [])
    regrets, strategy_sums = empty(tree, (1, 1, 1, LEVELS)), empty(tree, (1, 1, 1, LEVELS))
    for k, board in enumerate(BOARDS):
        dealt = reference.deal(board)
        rows = np.zeros((4, len(dealt.holes)), dtype=int)
        rows[3] = river.row[river_equities(board)[dealt.holes]]
        learned = regrets, strategy_sums
        reference.step(tree, dealt, rows, *learned, opponent, (k + 1) / 100, by_reach)
        state = fast.train(
            state, BOARDS[k : k + 1], OpponentMixture(float(opponent == "best"), None)
        )
        for node in decision_nodes(tree):
            infosets = river.infoset[:, river.situation[node]]
            labels = tree.label[children(tree, node)]
            for found, wanted in ((state.regrets, regrets), (state.strategy_sums, strategy_sums)):
                plain = wanted[3][:, columns(tree, node)]
                assert_allclose(
                    found[3][infosets][:, labels], plain, rtol=1e-3, atol=1e-4 * np.abs(plain).max()
                )


def test_leaves_that_decisions_share_lose_less_where_regrets_count_reach():
    """A river with nine pairs, of which the learner knows a half, and it answers alike where it has
    the same actions.

    The least that a search from anywhere finds is 703 mbb.
    """
    begin = BettingState(3, 1, ((300, 0, 0, 0), (300, 0, 0, 0)), 0, 100, 0, stack=10_000)
    tree = build_tree(menu_from([[]], [[]], [[]], [[1], [1], [1], []]), begin)
    pairs = [hole_index(*parse_cards(f"{rank}s{rank}h")) for rank in "3456TJQKA"]
    dealt = reference.deal(parse_cards("2c2d7h8s9d"), np.isin(np.arange(1326), pairs))
    rows, alike = np.tile(dealt.beats.sum(axis=1) > 0, (4, 1)).astype(int), {}
    for node in decision_nodes(tree):
        alike.setdefault(tuple(tree.label[children(tree, node)]), []).append(
            np.arange(len(tree.kind))[columns(tree, node)]
        )
    lost = []
    for by_reach in (False, True):
        regrets, strategy_sums = empty(tree, (2, 2, 2, 2)), empty(tree, (2, 2, 2, 2))
        for t in range(1, 301):
            reference.step(tree, dealt, rows, regrets, strategy_sums, "best", t, by_reach)
            for table, same in product((regrets[3], strategy_sums[3]), alike.values()):
                table[:, same] = table[:, same].mean(axis=1, keepdims=True)
        lost.append(
            reference.exploitability(
                tree,
                dealt,
                reference.action_probabilities(tree, reference.strategy(tree, strategy_sums), rows),
            )
        )
    assert 703 < lost[1] < 0.85 * lost[0]


def test_self_play_on_three_hands_comes_to_what_kuhn_has_found():
    """The second player wins 1/18 ante; queens bluff and kings call one time in three."""
    tree, dealt = reference.three_hands()
    rows = np.tile(np.arange(3), (4, 1))
    regrets, strategy_sums = (empty(tree, [3] * 4) for _ in range(2))
    for t in range(1, 2001):
        reference.step(tree, dealt, rows, regrets, strategy_sums, weight=t)
    chance = reference.action_probabilities(tree, reference.strategy(tree, strategy_sums), rows)
    assert reference.values(tree, dealt, chance)[0, 0].sum() / dealt.apart.sum() == pytest.approx(
        300 / 18, abs=0.3
    )
    assert reference.exploitability(tree, dealt, chance) < 25
    node = {line_labels(tree, k): k for k in range(1, len(tree.kind))}
    queens, kings = chance[node["call, all_in"], 0], chance[node["all_in, call"], 1]
    assert (queens, kings) == (pytest.approx(1 / 3, abs=0.03), pytest.approx(1 / 3, abs=0.05))


DISCOUNT, STREAM = Discount(1.5, 0, 2, 2), partial(rng, 7, "test")


def run(
    folder,
    iterations=7,
    tree=PUSH,
    buckets=FEW_BUCKETS,
    discount=DISCOUNT,
    stream=STREAM,
    snapshots=(3,),
    kill_at=8,
):
    """The run and the first iteration that it played; it is interrupted after iteration kill_at."""
    played = []

    def progress(done):
        played.append(done)
        if done == kill_at:
            raise KeyboardInterrupt

    return train(
        tree, buckets, discount, stream, iterations, folder, 2, snapshots, progress=progress
    ), (played or [None])[0]


def test_a_killed_run_goes_on_to_the_same_bits(tmp_path):
    whole = SelfPlay(PUSH, FEW_BUCKETS, DISCOUNT, STREAM)
    whole.advance(3)
    early = whole.average()
    whole.advance(4)
    with pytest.raises(KeyboardInterrupt):
        run(tmp_path, kill_at=5)
    for first in (5, None):  # a finished run is read again
        resumed, began = run(tmp_path)
        assert began == first
        for found, wanted in ((resumed[7], whole.average()), (resumed[3], early)):
            assert [a.tobytes() for a in found] == [a.tobytes() for a in wanted]
    clear(tmp_path)
    assert not tmp_path.exists()


def test_another_runs_checkpoint_is_not_used(tmp_path):
    others = [{"stream": partial(rng, 8, "test")}, {"discount": DISCOUNT._replace(gamma=3)}]
    others += [{"tree": SMALL}, {"snapshots": ()}]
    for other in (*others, {"buckets": FEW_BUCKETS._replace(turn=FEW_BUCKETS.turn[::-1])}):
        run(tmp_path, 2)
        assert run(tmp_path, 2, **other)[1] == 1
