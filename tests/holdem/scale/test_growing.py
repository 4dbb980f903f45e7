"""Batches that grow: which they are, and that a run in them is a run in batches, one size after the other."""

import numpy as np
import pytest
from toy_selfplay import DISCOUNT, GROUPS, SEED, TREE

from faceup.holdem.scale.selfplay import BatchPlay, growth, train
from faceup.holdem.scale.sums import Batch
from faceup.holdem.solve.selfplay import SelfPlay
from faceup.notebook.ranks import Ranks


def test_every_batch_has_enough_boards_before_it():
    """After 2 x 3 boards two are played at once, after 4 x 3 four, and so on up to the largest."""
    assert growth(40, 64, 3) == [(1, 6), (2, 12), (4, 24), (8, 40)]
    assert growth(40, 4, 3) == [(1, 6), (2, 12), (4, 40)]
    assert growth(40, 2, 3) == [(1, 6), (2, 40)]
    assert growth(6, 64, 3) == [(1, 6)] and growth(5, 64, 3) == [(1, 5)]
    assert growth(40, 8, 0) == [(8, 40)] and growth(40, 1, 3) == [(1, 40)]


def same(some: tuple[np.ndarray, ...], others: tuple[np.ndarray, ...]) -> bool:
    return all(np.array_equal(a, b) for a, b in zip(some, others, strict=True))


def run(folder, iterations, snapshots, behind, progress=lambda done: None, ranks=None):
    knobs = progress, Batch(8, 4), behind, ranks
    return train(TREE, GROUPS, DISCOUNT, SEED, iterations, folder, 5, snapshots, *knobs)


def test_the_first_boards_are_played_one_by_one(tmp_path):
    told, one = [], SelfPlay(TREE, GROUPS, DISCOUNT, SEED)
    found = run(tmp_path, 12, [3], 8, told.append)
    one.advance(3)
    assert same(found.snapshots[3], one.average())
    one.advance(9)
    assert same(found.average, one.average()) and told == list(range(1, 13))


def test_later_ones_go_on_in_batches(tmp_path):
    """10 boards one by one, 5 batches of 2, then 4 boards of a batch of 4 and 3 of the next, which ends with the run."""
    found = run(tmp_path, 27, [10], 5)
    one = SelfPlay(TREE, GROUPS, DISCOUNT, SEED)
    one.advance(10)
    state = one.state
    for batch, end in ((2, 20), (4, 27)):
        play = BatchPlay(TREE, GROUPS, DISCOUNT, SEED, Batch(batch, batch), Ranks())
        play.go_on_from(state)
        play.advance(end - play.state.iteration)
        state = play.state
    assert same(found.snapshots[10], one.average()) and same(found.average, play.average())
    one.advance(17)
    assert not same(found.average, one.average())


@pytest.mark.parametrize("last", [4, 14, 23])
def test_stopped_while_batches_grow_it_ends_with_the_same_bytes(tmp_path, last):
    def stop(done):
        if done >= last:
            raise KeyboardInterrupt

    expected = run(tmp_path / "alone", 27, [10], 5)
    with pytest.raises(KeyboardInterrupt):
        run(tmp_path / "stopped", 27, [10], 5, stop)
    told = []
    found = run(tmp_path / "stopped", 27, [10], 5, told.append)
    assert same(found.average, expected.average) and same(found.snapshots[10], expected.snapshots[10])
    assert told[0] >= last - 4 and told[-1] == 27
