"""Self-play in the representation: decisions that look alike learn as one, and sums are those of the decisions."""

import copy

import numpy as np
import pytest
from games import SMALL

from faceup.cards.features import betting_features
from faceup.holdem.betting.betting_tree import decisions
from faceup.holdem.solve.selfplay import Discount, SelfPlay
from faceup.holdem.studies.shared import SharedSelfPlay, alike, shared_columns

EPOCH = 2
DISCOUNT = Discount(1.5, 0.0, 2.0, EPOCH)


def ready(groups, history: str, iterations: int, share_every: int = 1) -> SharedSelfPlay:
    run = SharedSelfPlay(SMALL, groups, DISCOUNT, 3, history, share_every)
    run.advance(iterations)
    return run


def tables_of(run: SelfPlay) -> tuple[np.ndarray, ...]:
    """Regrets and averages of the four streets, in the tree's order."""
    return run.in_tree_order(run.state.regrets) + run.in_tree_order(run.state.averages)


def test_alike_is_what_models_cannot_tell_apart():
    for street in range(4):
        nodes = decisions(SMALL, street)
        found = alike(SMALL, street, "opponent")
        assert sorted(np.concatenate(found).tolist()) == nodes.tolist()
        for same in found:
            told = betting_features(SMALL.bets[same], SMALL.actor[same])
            assert (told == told[0]).all()
            assert len({tuple(SMALL.label[SMALL.parent == node]) for node in same}) == 1
    fewer, more = ([len(alike(SMALL, street, history)) for street in range(4)] for history in ("opponent", "both+seat"))
    assert sum(fewer) < sum(more)
    assert all(a <= b for a, b in zip(fewer, more, strict=True))


def test_decisions_that_look_alike_play_alike(groups):
    run = ready(groups, "opponent", 2 * EPOCH)
    average, n_shared = run.average(), 0
    for street in range(4):
        for columns in shared_columns(SMALL, street, "opponent"):
            n_shared += len(columns)
            for table in (average[street], tables_of(run)[street]):
                played = table[:, columns]
                assert (played == played[:, :1]).all()
    assert n_shared > 10


def test_what_is_shared_is_the_sum(groups):
    """The first epoch learns as plain self-play does; at its end come the sums, then the discount, the same for all."""
    plain, run = SelfPlay(SMALL, groups, DISCOUNT._replace(epoch=1000), 3), ready(groups, "opponent", EPOCH, EPOCH)
    plain.advance(EPOCH)
    summed = tables_of(plain)
    for k, table in enumerate(summed):
        for columns in shared_columns(SMALL, k % 4, "opponent"):
            table[:, columns] = table[:, columns].sum(axis=1, keepdims=True)
    for found, regrets in zip(tables_of(run)[:4], summed[:4], strict=True):
        np.testing.assert_allclose(found, regrets / 2, rtol=1e-4, atol=50)  # 1 / (1 + 1)
    for found, averages in zip(tables_of(run)[4:], summed[4:], strict=True):
        np.testing.assert_allclose(found, 0.5**DISCOUNT.gamma * averages, rtol=1e-5, atol=1e-6)


def test_what_decisions_hold_in_common_counts_once(groups):
    """In the second iteration only what each has learnt since the first one is summed."""
    run = SharedSelfPlay(SMALL, groups, DISCOUNT._replace(epoch=1000), 3, "opponent", 1)
    run.advance(1)
    before, plain = [table.copy() for table in tables_of(run)], SelfPlay(SMALL, groups, run.discount, 3)
    plain.state = copy.deepcopy(run.state)
    plain.advance(1)
    run.advance(1)
    for k, (found, alone, common) in enumerate(zip(tables_of(run), tables_of(plain), before, strict=True)):
        for columns in shared_columns(SMALL, k % 4, "opponent"):
            summed = common[:, columns[:1]] + (alone - common)[:, columns].sum(axis=1, keepdims=True)
            np.testing.assert_allclose(found[:, columns[:1]], summed, rtol=1e-4, atol=50 if k < 4 else 1e-6)
    assert max(np.abs(table).max() for table in before[:4]) > 10_000  # else the check above says nothing


def test_bad_settings_are_named(groups):
    with pytest.raises(ValueError, match="history"):
        SharedSelfPlay(SMALL, groups, DISCOUNT, 3, "everything", 1)
    with pytest.raises(ValueError, match="share_every is 3, expected a divisor of epoch 2"):
        SharedSelfPlay(SMALL, groups, DISCOUNT, 3, "both", 3)
