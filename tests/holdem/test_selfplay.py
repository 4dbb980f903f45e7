"""Self-play learns, solves a subgame and goes on after a kill; test_reference holds all that it sums up to the reference."""

from functools import partial
from types import SimpleNamespace

import numpy as np
import pytest
from games import BOARD, FEW_GROUPS, PUSH, SMALL, node_values

from faceup.cards.cards import CLASS_NAMES, HOLE_CARDS
from faceup.holdem import groups as hand_groups
from faceup.holdem.board import N_PAIRS
from faceup.holdem.groups import N_RIVER_GROUPS, Grid, Groups, make_groups
from faceup.holdem.lines import state_after
from faceup.holdem.match import Table, play_boards, random_boards, result
from faceup.holdem.policy import FixedPolicy, TablePolicy
from faceup.holdem.rules import menu_from
from faceup.holdem.selfplay import Discount, SelfPlay, clear, train
from faceup.holdem.tree import build_tree
from faceup.lab.rng import rng

DISCOUNT, STREAM = Discount(1.5, 0, 2, 2), partial(rng, 7, "test")


def test_self_play_learns(tables):
    """After 150 boards the average strategy beats the uniform one it began with, and folds weak hands more than strong ones."""
    groups = make_groups(tables[1], tables[2], Grid(10, 5, (5,)), Grid(10, 5, (5,)))
    run = SelfPlay(SMALL, groups, Discount(1.5, 0.0, 2.0, 10), partial(rng, 5, "test"))
    run.advance(150)
    average = run.average()
    hands = "72o 82o 32o 42o 62o 73o 83o 92o 52o 93o", "AA KK QQ JJ TT 99 88 AKs AKo AQs"  # one alone is noisy
    weak, strong = (average[0][[CLASS_NAMES.index(name) for name in names.split()], 0].mean() for names in hands)
    assert weak > strong + 0.5
    table = Table(SMALL, [TablePolicy(average, groups), FixedPolicy(SMALL, None)])
    won = result(play_boards(table, random_boards(10, np.random.default_rng(99))), 0, 1)
    assert won.mbb - won.ci95 > 0


def test_a_subgame_with_a_known_river_is_solved(monkeypatch):
    """What brute-force best responses win falls from 11 % of the pot to 2 %, one board dealt again and again.

    Turn and river, all-in alone, a pot of $10,000. Every hole is a group of its own, so that nothing is lost by grouping; on the
    river by its number in the place of its equity.
    """
    monkeypatch.setattr(hand_groups, "CLASS_OF_HOLE", np.arange(len(HOLE_CARDS)))
    monkeypatch.setattr(hand_groups, "_river_equity", lambda cards, out: np.copyto(out, np.arange(1326)))
    own = [np.tile(np.arange(1326, dtype=np.int32), (n, 1)) for n in (1755, 16_432)]
    groups = Groups(*own, (1326, 1326, 1326, N_RIVER_GROUPS))
    tree, dealt = build_tree(menu_from([[]], [[]], [[]], [[]]), state_after("b5000c/kk/")), np.array(BOARD)
    play, won = SelfPlay(tree, groups, Discount(1.5, 0, 2, 1), lambda k: SimpleNamespace(permutation=lambda n: dealt)), []
    for iterations in (20, 160):
        play.advance(iterations)
        average = TablePolicy(play.average(), groups)
        best = [node_values(tree, (average, average), BOARD, best=player)[1][player, 0].sum() for player in range(2)]
        won.append(sum(best) / 2 / N_PAIRS)
    assert 1000 < won[0] < 1300 and 0 < won[1] < 200


def run(folder, iterations=7, tree=PUSH, groups=FEW_GROUPS, discount=DISCOUNT, stream=STREAM, snapshots=(3,), kill_at=8):
    """The run, and the first iteration that it played; stopped after an iteration as if it were killed."""
    played = []

    def progress(done):
        played.append(done)
        if done == kill_at:
            raise KeyboardInterrupt

    return train(tree, groups, discount, stream, iterations, folder, 2, snapshots, progress=progress), (played or [None])[0]


def test_a_killed_run_goes_on_to_the_same_bits(tmp_path):
    whole = SelfPlay(PUSH, FEW_GROUPS, DISCOUNT, STREAM)
    whole.advance(3)
    early = whole.average()
    whole.advance(4)
    with pytest.raises(KeyboardInterrupt):
        run(tmp_path, kill_at=5)
    for first in (5, None):  # a finished run is read again
        resumed, began = run(tmp_path)
        assert began == first
        for found, wanted in ((resumed.average, whole.average()), (resumed.snapshots[3], early)):
            assert [a.tobytes() for a in found] == [a.tobytes() for a in wanted]
    clear(tmp_path)
    assert not tmp_path.exists()


def test_another_runs_checkpoint_is_not_used(tmp_path, capsys):
    others = {"stream": partial(rng, 8, "test")}, {"discount": DISCOUNT._replace(gamma=3)}, {"tree": SMALL}, {"snapshots": ()}
    for other in (*others, {"groups": FEW_GROUPS._replace(turn=FEW_GROUPS.turn[::-1])}):
        run(tmp_path, 2)
        assert run(tmp_path, 2, **other)[1] == 1
        assert "checkpoint.npz is refused: it is of another run" in capsys.readouterr().err
