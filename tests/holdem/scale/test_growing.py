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


def run(folder, progress):
    """10 boards one by one, 5 batches of 2, then 4 boards of a batch of 4 and 3 of the next, which ends with the run."""
    return train(TREE, GROUPS, DISCOUNT, SEED, 27, folder, 5, [10], progress, Batch(8, 4), 5)


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """An undisturbed run, and the boards that it told its progress at."""
    told = []
    return run(tmp_path_factory.mktemp("whole"), told.append), told


def test_boards_are_played_one_by_one_then_in_batches(whole):
    found, told = whole
    one = SelfPlay(TREE, GROUPS, DISCOUNT, SEED)
    one.advance(10)
    state = one.state
    for batch, end in ((2, 20), (4, 27)):
        play = BatchPlay(TREE, GROUPS, DISCOUNT, SEED, Batch(batch, batch), Ranks())
        play.go_on_from(state)
        play.advance(end - play.state.iteration)
        state = play.state
    assert same(found.snapshots[10], one.average()) and same(found.average, play.average())
    assert told == [*range(1, 11), *range(12, 21, 2), 24, 27]
    one.advance(17)
    assert not same(found.average, one.average())


@pytest.mark.parametrize("last", [4, 14, 23])
def test_stopped_while_batches_grow_it_ends_with_the_same_bytes(tmp_path, whole, last):
    def stop(done):
        if done >= last:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(tmp_path, stop)
    told = []
    found = run(tmp_path, told.append)
    assert same(found.average, whole[0].average) and same(found.snapshots[10], whole[0].snapshots[10])
    assert told[0] >= last - 4 and told[-1] == 27
