"""Best responses, matches and CFR-BR on several processes: the bytes of one, and of the functions that they stand for."""

from pathlib import Path

import numpy as np
import toy_shared
from test_selfplay_on_ranks import ended, started

from faceup.holdem.play.match import play_boards
from faceup.holdem.safe import game
from faceup.holdem.scale import cfr_br
from faceup.holdem.scale.sums import Batch
from faceup.holdem.solve.best_response import answer_flops
from faceup.notebook.ranks import Ranks
from faceup.notebook.source_code import SOURCES
from faceup.notebook.storage import load_npz


def same(some: list[np.ndarray], others: list[np.ndarray]) -> bool:
    return [(a.shape, a.dtype, a.tobytes()) for a in some] == [(a.shape, a.dtype, a.tobytes()) for a in others]


def test_a_flop_that_is_drawn_twice_is_answered_once_and_counts_twice():
    told, responder = [], toy_shared.responder()
    answers, leaks = answer_flops(responder, toy_shared.FLOPS, told.append)
    twice, once = (toy_shared.responder() for _ in range(2))
    first, second = twice.flop(toy_shared.FLOPS[0].tolist(), 2), once.flop(toy_shared.FLOPS[1].tolist())
    assert same(toy_shared.arrays(answers), toy_shared.arrays((first, second, first))) and told == [2, 3]
    assert same([leaks], [twice.leaks + once.leaks])
    assert responder.leaks is leaks


def test_matches_are_those_of_each_board():
    table, found = toy_shared.table(), play_boards(toy_shared.table(), toy_shared.BOARDS)
    assert same(list(found), [table.play(board) for board in toy_shared.BOARDS])


def test_a_batch_of_one_is_cfr_br():
    run, other = toy_shared.game(), toy_shared.game()
    one, expected = cfr_br.learn_safely(run, run.state, 3, Batch(1, 16)), game.learn(other, other.state, 3)
    assert same(toy_shared.arrays(one[:3]), toy_shared.arrays(expected[:3]))


def test_a_batch_of_turn_boards_adds_what_each_adds_to_what_is_known_at_its_beginning():
    run, told = toy_shared.game(), []
    start = cfr_br.learn_safely(run, run.state, 4, Batch(4, 2))
    each = [game.learn(run, start._replace(iteration=k), 1) for k in range(4, 7)]
    found = cfr_br.learn_safely(run, start, 3, Batch(4, 2), told.append)
    before = toy_shared.arrays(start[:3])
    gained = [[after - b for after, b in zip(toy_shared.arrays(state[:3]), before, strict=True)] for state in each]
    for now, b, *added in zip(toy_shared.arrays(found[:3]), before, *gained, strict=True):
        np.testing.assert_allclose(now, b + sum(added), rtol=1e-5, atol=1e-5 * np.abs(b).max())
    assert found.iteration == 7 and told == [3]


def test_two_processes_find_what_one_finds(tmp_path):
    program, games = toy_shared.__file__, Path(__file__).parents[1] / "solve"
    process = started((program, tmp_path), "--standalone", "--nproc-per-node=2", PYTHONPATH=f"{SOURCES}:{games}")
    [(status, said)] = ended(process)
    assert status == 0, said
    expected = toy_shared.found(Ranks())
    for rank in range(2):
        assert same(list(load_npz(tmp_path / f"{rank}.npz").values()), expected)
