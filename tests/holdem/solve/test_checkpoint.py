"""A stopped run goes on to the same bits; damaged and foreign checkpoints are refused, older ones used."""

from pathlib import Path

import kill_and_resume
import numpy as np
import pytest
from games import PUSH, SMALL, full_disk

from faceup.holdem.solve import checkpoint
from faceup.holdem.solve.checkpoint import clear, fingerprint, load, save, train
from faceup.holdem.solve.groups import N_RIVER_GROUPS, Groups
from faceup.holdem.solve.selfplay import Discount, SelfPlay, new_state
from faceup.notebook import source_code

TREE, DISCOUNT, SEED = PUSH, Discount(1.5, 0, 2, 2), 7
IDS = [((7 * np.arange(1326)[None] + np.arange(n)[:, None]) % 5).astype(np.int32) for n in (1755, 16_432)]
GROUPS = Groups(*IDS, (169, 5, 5, N_RIVER_GROUPS))
OWNER = fingerprint(TREE, GROUPS, DISCOUNT, SEED)
FRESH = new_state(TREE, GROUPS)
NEWEST = "checkpoint-000000004.npz"  # of the fixture `two`


def run(folder, iterations, **options):
    return train(TREE, GROUPS, DISCOUNT, SEED, iterations, folder, **({"every": 2} | options))


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def same(one, two):
    return all(a.tobytes() == b.tobytes() for a, b in zip(one, two, strict=True))


@pytest.fixture(scope="module")
def whole():
    """Seven iterations at one go, without files; average strategies after 3 and 7."""
    play = SelfPlay(TREE, GROUPS, DISCOUNT, SEED)
    play.advance(3)
    early = play.average()
    play.advance(4)
    return early, play.average()


class Killed(Exception):
    pass


def kill_at(iteration):
    def progress(done):
        if done >= iteration:
            raise Killed

    return progress


def test_a_killed_run_goes_on_to_the_same_bits(tmp_path, whole):
    with pytest.raises(Killed):
        run(tmp_path, 7, snapshots=[3], progress=kill_at(5))
    assert load(tmp_path, OWNER).iteration == 4
    told = []
    resumed = run(tmp_path, 7, snapshots=[3], progress=told.append)
    assert told[0] == 4 and told[-1] == 7 and told == sorted(told)
    assert same(resumed.average, whole[1]) and same(resumed.snapshots[3], whole[0])
    assert not same(whole[0], whole[1])
    assert names(tmp_path) == ["checkpoint-000000006.npz", "checkpoint-000000007.npz", "snapshot-000000003.npz"]


def test_a_finished_run_is_read_again(tmp_path, whole, monkeypatch):
    run(tmp_path, 7)
    monkeypatch.setattr(SelfPlay, "advance", None)  # would raise if it were called
    assert same(run(tmp_path, 7).average, whole[1])


def test_clear_leaves_what_others_wrote(tmp_path):
    folder = tmp_path / "run"
    save(folder, FRESH, OWNER)
    (folder / ".writing-1-checkpoint-000000001.npz").touch()  # left by a kill in mid-write
    (folder / "notes.txt").touch()
    clear(folder)
    assert names(folder) == ["notes.txt"]
    (folder / "notes.txt").unlink()
    for _ in range(2):
        clear(folder)
        assert not folder.exists()


@pytest.fixture
def two(tmp_path):
    """Sound checkpoints at iterations 2 and 4, with other numbers in each."""
    for iteration in (2, 4):
        for table in FRESH.regrets + FRESH.averages:
            table[...] = iteration
        save(tmp_path, FRESH._replace(iteration=iteration), OWNER)
    return tmp_path


def loaded(folder, **options):
    state = load(folder, OWNER, **options)
    return state and (state.iteration, float(state.averages[3][0, 0]))


@pytest.mark.parametrize("place", range(0, 100, 9))
def test_a_damaged_one_is_refused_and_the_older_used(two, capsys, place):
    content = bytearray((two / NEWEST).read_bytes())
    content[len(content) * place // 100] ^= 1
    (two / NEWEST).write_bytes(content)
    found = loaded(two)
    assert found in ((2, 2.0), (4, 4.0))  # 4 where the bit has no meaning, such as padding in a header
    assert found == (4, 4.0) or f"{NEWEST} is refused: it" in capsys.readouterr().err


@pytest.mark.parametrize("left", (0, 1, 100, 5000))
def test_a_cut_off_one_is_refused(two, capsys, left):
    (two / NEWEST).write_bytes((two / NEWEST).read_bytes()[:left])
    assert loaded(two) == (2, 2.0)
    assert f"{NEWEST} is refused: it cannot be read" in capsys.readouterr().err


def test_a_foreign_one_is_refused_and_later_replaced(two, whole, capsys):
    others = [
        fingerprint(TREE, GROUPS, DISCOUNT, SEED + 1),
        fingerprint(TREE, GROUPS, DISCOUNT._replace(gamma=3), SEED),
        fingerprint(TREE, GROUPS._replace(turn=GROUPS.turn[::-1]), DISCOUNT, SEED),
        fingerprint(SMALL, GROUPS, DISCOUNT, SEED),
    ]
    assert len({OWNER, *others}) == 5
    for other in others:
        assert load(two, other) is None
    assert capsys.readouterr().err.count("it is of other parameters") == 8
    for path in two.iterdir():
        path.unlink()
    save(two, FRESH._replace(iteration=99), others[0])
    assert same(run(two, 7).average, whole[1])
    assert names(two) == ["checkpoint-000000006.npz", "checkpoint-000000007.npz"]


@pytest.mark.parametrize("what", ["faceup.cards.strength", "libraries"])
def test_edited_code_and_another_library_make_a_checkpoint_foreign_and_are_named(two, monkeypatch, capsys, what):
    assert checkpoint._CODE[what]
    monkeypatch.setattr(checkpoint, "_CODE", checkpoint._CODE | {what: "0"})
    now = fingerprint(TREE, GROUPS, DISCOUNT, SEED)
    assert now != OWNER and load(two, now) is None
    assert capsys.readouterr().err.count(f"it is of other code ({what} changed). An older one is used") == 2


def digests():
    source_code._read.cache_clear()
    source_code.module_digests.cache_clear()
    return source_code.module_digests("faceup.holdem.solve.selfplay")


def test_an_edit_of_any_module_that_self_play_depends_on_is_seen(monkeypatch):
    """Each module in turn is read with one more constant, and that module alone has another digest."""
    before, read = checkpoint._CODE, Path.read_bytes
    for name in before.keys() - {"libraries"}:
        file = source_code.module_file(name)
        monkeypatch.setattr(Path, "read_bytes", lambda path, file=file: read(path) + b"\nEDITED = 1" * (path == file))
        after = digests()
        assert [other for other in before if after[other] != before[other]] == [name]
    monkeypatch.undo()
    assert digests() == before
    solve = {f"holdem.solve.{name}" for name in ("board", "groups", "lanes", "layout", "river", "selfplay")}
    others = {"cards.cards", "cards.equity", "cards.strength", "holdem.betting.betting_tree"}
    assert before.keys() >= {f"faceup.{name}" for name in solve | others}


def test_too_late_and_without_its_snapshot(two, capsys):
    assert loaded(two, most=3) == (2, 2.0)
    assert "it is past iteration 3" in capsys.readouterr().err
    assert loaded(two, snapshots=[3]) == (2, 2.0)
    assert "snapshot-000000003.npz beside it is missing or unsound" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("iterations", "options", "message"),
    [
        (0, {}, "iterations is 0, expected at least 1"),
        (7, {"every": 0}, "every is 0, expected at least 1"),
        (7, {"snapshots": [3, 7]}, r"snapshots is \[3, 7\], expected iterations from 1 to 6"),
    ],
)
def test_unusable_numbers_before_work_starts(tmp_path, iterations, options, message):
    with pytest.raises(ValueError, match=message):
        run(tmp_path / "new", iterations, **options)
    assert not (tmp_path / "new").exists()


def test_a_folder_that_cannot_be_made_is_named_before_work_starts(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(OSError, match=r"file.checkpoint-000000000.npz: cannot be written .*expected a folder"):
        run(tmp_path / "file", 7, progress=kill_at(0))


def test_the_size_of_a_run_is_said_and_what_cannot_fit_is_refused_before_work_starts(tmp_path, capsys, monkeypatch):
    run(tmp_path, 1)
    assert "[faceup] self-play on 34 nodes: 0.00 GB of tables, about 0.0 minutes on two cores" in capsys.readouterr().err
    monkeypatch.setattr(checkpoint.os, "sysconf", lambda name: 100)
    with pytest.raises(ValueError, match=r"34 nodes: .* GB of tables, .* expected at most this machine's 0.00 GB"):
        run(tmp_path / "new", 1, progress=kill_at(0))
    assert not (tmp_path / "new").exists()


def test_reuse_can_be_turned_off(tmp_path, monkeypatch, whole):
    run(tmp_path, 6, every=3)
    told = []
    monkeypatch.setenv("FACEUP_REUSE", "0")
    assert same(run(tmp_path, 7, progress=told.append).average, whole[1]) and told[0] == 0


@pytest.mark.slow
def test_killed_twice_by_the_system_it_ends_with_the_same_bytes():
    assert kill_and_resume.same_bytes(2)


def test_a_full_disk_is_an_error_and_the_earlier_checkpoint_stays(tmp_path):
    run(tmp_path, 4)
    before = {name: (tmp_path / name).read_bytes() for name in names(tmp_path)}
    with full_disk(), pytest.raises(OSError, match=r"checkpoint-00000000\d.npz: cannot be written .* room"):
        run(tmp_path, 8)
    assert {name: (tmp_path / name).read_bytes() for name in names(tmp_path)} == before
    assert same(run(tmp_path, 8).average, train(TREE, GROUPS, DISCOUNT, SEED, 8, tmp_path / "other", 8).average)
