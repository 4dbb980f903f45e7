"""A stopped run goes on to the same bits; what another run left is not used."""

from functools import partial

import numpy as np
import pytest
from games import PUSH, SMALL

from faceup.holdem.groups import N_RIVER_GROUPS, Groups
from faceup.holdem.selfplay import Discount, SelfPlay, clear, train
from faceup.lab.rng import rng

TREE, DISCOUNT, STREAM = PUSH, Discount(1.5, 0, 2, 2), partial(rng, 7, "test")
IDS = [((7 * np.arange(1326)[None] + np.arange(n)[:, None]) % 5).astype(np.int32) for n in (1755, 16_432)]
GROUPS = Groups(*IDS, (169, 5, 5, N_RIVER_GROUPS))


def run(folder, iterations=7, tree=TREE, groups=GROUPS, discount=DISCOUNT, stream=STREAM, snapshots=(3,)):
    """The run, and the iteration at which it began."""
    told = []
    return train(tree, groups, discount, stream, iterations, folder, 2, snapshots=snapshots, progress=told.append), told[0]


def same(one, two):
    return all(a.tobytes() == b.tobytes() for a, b in zip(one, two, strict=True))


@pytest.fixture(scope="module")
def whole():
    """Average strategies after 3 and 7 iterations at one go, without files."""
    play = SelfPlay(TREE, GROUPS, DISCOUNT, STREAM)
    play.advance(3)
    early = play.average()
    play.advance(4)
    return early, play.average()


def test_a_killed_run_goes_on_to_the_same_bits(tmp_path, whole, monkeypatch):
    def kill(done):
        if done >= 5:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        train(TREE, GROUPS, DISCOUNT, STREAM, 7, tmp_path, 2, snapshots=[3], progress=kill)
    resumed, start = run(tmp_path)
    assert start == 4 and not same(*whole)
    assert same(resumed.average, whole[1]) and same(resumed.snapshots[3], whole[0])
    monkeypatch.setattr(SelfPlay, "advance", None)  # would raise if it were called: a finished run is read again
    again, _ = run(tmp_path)
    assert same(again.average, whole[1]) and same(again.snapshots[3], whole[0])
    clear(tmp_path)
    assert not tmp_path.exists()
    clear(tmp_path)


def test_a_checkpoint_without_its_snapshot_is_not_used(tmp_path, whole):
    run(tmp_path, 6, snapshots=())
    resumed, start = run(tmp_path)
    assert start == 0 and same(resumed.average, whole[1]) and same(resumed.snapshots[3], whole[0])
    (tmp_path / "snapshot-000000003.npz").write_bytes(b"damaged")
    assert run(tmp_path)[1] == 0


def test_another_runs_checkpoint_is_not_used(tmp_path, capsys):
    others = {"stream": partial(rng, 8, "test")}, {"discount": DISCOUNT._replace(gamma=3)}, {"tree": SMALL}
    for other in (*others, {"groups": GROUPS._replace(turn=GROUPS.turn[::-1])}):
        run(tmp_path, 2, snapshots=())
        assert run(tmp_path, 2, snapshots=(), **other)[1] == 0
        assert "checkpoint.npz is refused: it is of another run" in capsys.readouterr().err
