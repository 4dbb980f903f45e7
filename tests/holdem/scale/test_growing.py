"""Batches that grow: which they are, and that a run in them is a run in batches, one size after the other."""

import numpy as np
from toy_selfplay import DISCOUNT, GROUPS, SEED, TREE

from faceup.holdem.scale.growing import growth, train_growing
from faceup.holdem.scale.ranks import Ranks
from faceup.holdem.scale.selfplay import BatchPlay
from faceup.holdem.scale.sums import Batch
from faceup.holdem.solve.selfplay import SelfPlay


def test_every_batch_has_enough_boards_before_it():
    """After 2 x 3 boards two are played at once, after 4 x 3 four, and so on."""
    assert growth(40, 3) == [(1, 6), (2, 12), (4, 24), (8, 40)]
    assert growth(6, 3) == [(1, 6)] and growth(5, 3) == [(1, 5)]


def same(some: tuple[np.ndarray, ...], others: tuple[np.ndarray, ...]) -> bool:
    return all(np.array_equal(a, b) for a, b in zip(some, others, strict=True))


def test_the_first_boards_are_played_one_by_one():
    told, one = [], SelfPlay(TREE, GROUPS, DISCOUNT, SEED)
    found = train_growing(TREE, GROUPS, DISCOUNT, SEED, [3, 12], 8, told.append)
    one.advance(3)
    assert same(found[3], one.average())
    one.advance(9)
    assert same(found[12], one.average()) and told == [3, 12]


def test_later_ones_go_on_in_batches():
    """10 boards one by one, 5 batches of 2, then 4 boards of a batch of 4 and 3 of the next, which ends with the run."""
    found = train_growing(TREE, GROUPS, DISCOUNT, SEED, [10, 27], 5)
    one = SelfPlay(TREE, GROUPS, DISCOUNT, SEED)
    one.advance(10)
    state = one.state
    for batch, end in ((2, 20), (4, 27)):
        play = BatchPlay(TREE, GROUPS, DISCOUNT, SEED, Batch(batch, batch), Ranks())
        play.go_on_from(state)
        play.advance(end - play.state.iteration)
        state = play.state
    assert same(found[10], one.average()) and same(found[27], play.average())
    one.advance(17)
    assert not same(found[27], one.average())
