"""Stored results: computed once, and anew when something changes that they depend on."""

import os
import re
from copy import deepcopy
from functools import partial

import numpy as np
import pytest

from faceup.notebook import stored as module
from faceup.notebook.progress import Progress
from faceup.notebook.stored import call_digest, stored
from faceup.trees.decision_tree import DecisionTree, predict

CALLS: list[str] = []


@pytest.fixture(autouse=True)
def scratch(tmp_path, monkeypatch):
    """Results in a folder of the test's own, no calls so far, and functions that count as the package's."""
    monkeypatch.setattr(module, "FOLDER", tmp_path / "stored")
    for function in (work, slow, odd):
        monkeypatch.setattr(function, "__module__", "faceup.notebook.stored")
    monkeypatch.delenv("FACEUP_REUSE", raising=False)
    CALLS.clear()
    return tmp_path / "stored"


def work(x, scale=1.0, folder=None, progress=None):
    """Something heavy."""
    CALLS.append("work")
    return np.asarray(x) * scale


def slow(x):
    """Something that another process finishes first."""
    if not CALLS:
        CALLS.append("slow")
        stored(slow, x)
    return x


def tree(threshold=0.5):
    """A small decision tree: a result with names, of a class of the package."""
    ints = [np.array(a, dtype=np.int32) for a in ([0, -1, -1], [1, -1, -1], [2, -1, -1])]
    value = np.array([[0.5, 0.5], [1, 0], [0, 1]], dtype=np.float32)
    return DecisionTree(ints[0], np.array([threshold, 0, 0], dtype=np.float32), ints[1], ints[2], value, np.ones(3))


def odd():
    """Numbers of every type, arrays in every memory order, and containers."""
    CALLS.append("odd")
    table = np.arange(24.0).reshape(2, 3, 4)
    numbers = [np.float64(0.1), np.float32(0.1), np.bool_(True), np.int8(3), np.float64("nan"), True, 2, 0.5, None, "text"]
    arrays = table.T, table[:, ::2].transpose(1, 0, 2), np.asfortranarray(table[0])
    return {"numbers": numbers, 2: arrays, ("a", 1): tree(), "nan": [float("nan")]}


def test_the_second_call_returns_what_the_first_does_without_work():
    first, second = stored(odd), stored(odd)
    assert CALLS == ["odd"]
    assert repr(first) == repr(second) == repr(odd())  # which names the types of numpy's numbers, too
    assert [array.strides for array in first[2]] == [array.strides for array in second[2]]


@pytest.mark.parametrize(
    ("name", "value", "other"),
    [
        ("x", np.arange(3), [0, 1, 3]),
        ("x", np.arange(3), np.arange(3.0)),
        ("x", np.ones((2, 3)), np.asfortranarray(np.ones((2, 3)))),
        ("x", partial(predict, tree(0.5)), partial(predict, tree(0.6))),
        ("scale", 2.0, 2),
        ("scale", 2.0, 2.5),
    ],
    ids=["number", "dtype", "memory order", "model", "type", "value"],
)
def test_another_argument_is_another_result(name, value, other):
    assert call_digest(work, {name: value}) == call_digest(work, {name: deepcopy(value)}) != call_digest(work, {name: other})


def test_another_code_processor_or_format_is_another_result(monkeypatch):
    found = {call_digest(work, {"x": 1})}
    changes = ("code_digest", lambda name: f"edited {name}"), ("binding.get_host_cpu_name", lambda: "another"), ("FORMAT", 0)
    for name, value in changes:
        monkeypatch.setattr(f"faceup.notebook.stored.{name}", value)
        found.add(call_digest(work, {"x": 1}))
    assert len(found) == 4


def test_what_does_not_decide_the_result_does_not_count_and_progress_ends_alike(capsys):
    """Work that reports less than its total, such as an odd number of games in pairs; a report keeps the lines."""
    said = []
    for name in ("one", "two"):
        stored(work, [1], folder=name, apart_from=("folder",), progress=Progress("games", 3))
        said.append(capsys.readouterr().err)
    assert CALLS == ["work"] and said[0] == said[1] and "games: 3 of 3" in said[0]


@pytest.mark.parametrize("value", [lambda x: x, object(), np.array([object()]), iter([])])
def test_what_cannot_be_told_is_refused(value):
    with pytest.raises(TypeError, match="cannot be told apart by contents"):
        stored(work, value)


def test_a_result_that_cannot_be_stored_is_refused(scratch):
    with pytest.raises(TypeError, match="a result holds a builtins:object"):
        module._kept(scratch / "x.npz", [1, object()])
    assert not scratch.exists()


@pytest.mark.parametrize("damage", ["truncate", "flip", "delete"])
def test_damaged_results_are_computed_anew(scratch, damage):
    stored(work, [1, 2])
    (file,) = scratch.glob("work-*.npz")
    content = bytearray(file.read_bytes())
    content[len(content) // 2] ^= 1
    file.write_bytes(content[:9]) if damage == "truncate" else file.write_bytes(content)
    if damage == "delete":
        file.unlink()
    assert stored(work, [1, 2]).tolist() == [1, 2]
    assert CALLS == ["work"] * 2


def test_reuse_can_be_turned_off(monkeypatch):
    stored(work, 1)
    monkeypatch.setenv("FACEUP_REUSE", "0")
    stored(work, 1)
    assert CALLS == ["work"] * 2


def test_least_lately_used_results_make_room(scratch, monkeypatch):
    for k in range(3):
        stored(work, np.full(1000, k))
        monkeypatch.setattr(module, "LIMIT", 20_000)
    stored(work, np.full(1000, 3))
    assert len(list(scratch.iterdir())) == 2
    stored(work, np.full(1000, 3))
    assert len(CALLS) == 4


def test_a_class_of_another_package_is_never_made():
    with pytest.raises(ValueError, match="no class of this package"):
        module._unpacked(b'{"named": "subprocess:Popen", "items": ["true"]}', {})


def test_a_store_that_cannot_be_written_costs_a_line_and_no_result(scratch, capsys):
    scratch.touch()  # a file where the folder should be
    assert stored(work, [1, 2]).tolist() == [1, 2]
    said = capsys.readouterr().err.splitlines()
    assert len(said) == 1 and re.fullmatch(r"\[faceup\] work-\w+\.npz is not stored: .+", said[0])


def test_a_store_that_cannot_be_marked_as_used_is_read(scratch, monkeypatch):
    stored(work, [1])
    monkeypatch.setattr(module.os, "utime", lambda path: (_ for _ in ()).throw(PermissionError))
    stored(work, [1])
    assert CALLS == ["work"]


def test_a_second_writer_of_the_same_result_is_no_error(scratch, capsys):
    """Another process stores it while this one computes it."""
    assert stored(slow, 1) == stored(slow, 1) == 1
    assert capsys.readouterr().err == "" and len(list(scratch.iterdir())) == 1


def test_what_another_process_is_writing_stays_and_what_a_killed_one_left_goes(scratch, monkeypatch):
    scratch.mkdir()
    monkeypatch.setattr(module, "LIMIT", 0)
    writing, left = scratch / ".writing-1-x.npz", scratch / ".writing-2-x.npz"
    for path in (writing, left):
        path.write_bytes(b"half")
    os.utime(left, (1, 1))
    stored(work, [1])
    assert writing.exists() and not left.exists() and len(list(scratch.glob("work-*"))) == 1


def test_the_newest_result_stays_even_where_another_seems_newer(scratch, monkeypatch):
    stored(work, np.full(1000, 1))
    (other,) = scratch.iterdir()
    os.utime(other, (2e9, 2e9))  # by a clock that is ahead
    monkeypatch.setattr(module, "LIMIT", 10_000)
    stored(work, np.full(1000, 2))
    stored(work, np.full(1000, 2))
    assert CALLS == ["work"] * 2 and not other.exists()
