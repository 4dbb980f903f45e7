"""CFR-BR with weights of its own: the weights of `safe` are a case of it, others are not."""

import numpy as np
from games import SMALL

from faceup.holdem.play.match import random_boards
from faceup.holdem.safe.game import SafeGame
from faceup.holdem.safe.learners import Levels
from faceup.holdem.safe.one_street import train_street
from faceup.holdem.solve.groups import N_RIVER_GROUPS, Groups
from faceup.holdem.solve.policy import TablePolicy
from faceup.holdem.studies.safe_training import WeightedGame, game_losses, street_losses

BOARDS, UNSEEN = random_boards(12, 1), random_boards(3, 2)


def test_on_a_street_power_one_is_the_training_of_safe():
    average, current = street_losses(8, 1, BOARDS, UNSEEN, 2)
    assert np.array_equal(average, train_street(8, "CFR-BR", BOARDS, UNSEEN, 2).exploitability)
    other = street_losses(8, 2, BOARDS, UNSEEN, 2)
    assert not np.allclose(other[0], average, rtol=1e-3) and not np.allclose(current, average, rtol=1e-3)


def test_on_the_game_power_one_is_the_training_of_safe():
    rng = np.random.default_rng(6)
    ids = [rng.integers(0, 9, (n, 1326)).astype(np.int32) for n in (1755, 16432)]
    groups = Groups(*ids, (169, 9, 9, N_RIVER_GROUPS))
    sizes = zip(groups.n_groups, np.diff(SMALL.street_start), strict=True)
    levels = Levels(SMALL, TablePolicy(tuple(rng.random(size).astype(np.float32) for size in sizes), groups), ids[1], 9)
    made_from = SMALL, levels, levels, np.zeros((169, 169)), 2, 0, 1.0, 5
    run, turns = SafeGame(*made_from), UNSEEN[:1, :4]
    run.advance(2)
    state, lost = game_losses(WeightedGame(1, *made_from), [1, 2], turns)
    assert all(np.array_equal(a, b) for a, b in zip(state.averages, run.state.averages, strict=True))
    assert lost.shape == (2, 2, 1) and lost[0, 1] == run.leak(turns) and lost[1, 1] == run.leak(turns, True)
    even = WeightedGame(0, *made_from)
    game_losses(even, [2], turns)
    assert not np.array_equal(even.state.regrets[3], run.state.regrets[3])
