"""Stored results: computed once, and anew when something changes that they depend on."""

import os
import re
from functools import partial
from typing import NamedTuple

import numpy as np
import pytest

from faceup.notebook import stored as module
from faceup.notebook.progress import Progress
from faceup.notebook.stored import call_digest, stored
from faceup.trees.decision_tree import DecisionTree, predict, truncate

CALLS: list[str] = []


class Pair(NamedTuple):
    """A result with names; as one of this package's, for a result names its class."""

    first: np.ndarray
    second: float


Pair.__module__ = "faceup.notebook.stored"


@pytest.fixture(autouse=True)
def scratch(tmp_path, monkeypatch):
    """Results in a folder of the test's own, and no calls so far."""
    monkeypatch.setattr(module, "folder", lambda: tmp_path / "stored")
    monkeypatch.setattr(module, "Pair", Pair, raising=False)
    monkeypatch.setattr(work, "__module__", "faceup.notebook.stored")
    monkeypatch.delenv("FACEUP_REUSE", raising=False)
    CALLS.clear()
    return tmp_path / "stored"


def work(x, scale=1.0, folder=None, progress=None):
    """Something heavy."""
    CALLS.append("work")
    return [Pair(np.asarray(x) * scale, float("nan")), {("a", 1): None, 2: (True, np.float32(0.1))}]


def slow(x):
    """Something that another process finishes first."""
    if not CALLS:
        CALLS.append("slow")
        stored(slow, x)
    return x


def tree(threshold=0.5):
    """A small decision tree."""
    ints = [np.array(a, dtype=np.int32) for a in ([0, -1, -1], [1, -1, -1], [2, -1, -1])]
    value = np.array([[0.5, 0.5], [1, 0], [0, 1]], dtype=np.float32)
    return DecisionTree(ints[0], np.array([threshold, 0, 0], dtype=np.float32), ints[1], ints[2], value, np.ones(3))


def test_the_second_call_returns_the_same_without_work():
    for _ in range(2):
        (pair, table) = stored(work, np.arange(3), scale=2.0)
        assert isinstance(pair, Pair) and pair.first.tolist() == [0, 2, 4] and np.isnan(pair.second)
        assert table == {("a", 1): None, 2: (True, np.float32(0.1))} and type(table[2][1]) is np.float32
    assert CALLS == ["work"]


def test_a_tree_of_the_package_is_a_result():
    for _ in range(2):
        cut = stored(truncate, tree(), 0)
        assert isinstance(cut, DecisionTree) and cut.feature.dtype == np.int32 and cut.value.dtype == np.float32


@pytest.mark.parametrize(
    "change",
    [{"x": [0, 1, 3]}, {"x": np.arange(3.0)}, {"scale": 2}, {"scale": 2.5}],
    ids=["another number", "another dtype", "another type", "another value"],
)
def test_another_argument_is_another_result(change):
    told = {"x": np.arange(3), "scale": 2.0}
    assert call_digest(work, told) != call_digest(work, told | change)


def test_what_does_not_decide_the_result_does_not_count(capsys):
    for name in ("one", "two"):
        stored(work, [1], folder=name, apart_from=("folder",), progress=Progress(name, 3))
    assert CALLS == ["work"]
    assert "two: 3 of 3" in capsys.readouterr().err  # the lines that a report keeps


def test_models_are_told_by_their_contents():
    one, other = (partial(predict, tree(t)) for t in (0.5, 0.6))
    assert call_digest(work, {"x": one}) == call_digest(work, {"x": partial(predict, tree())})
    assert call_digest(work, {"x": one}) != call_digest(work, {"x": other})


def test_edited_code_is_another_result(monkeypatch):
    before = call_digest(work, {"x": 1})
    monkeypatch.setattr(module, "code_digest", lambda name: f"edited {name}")
    assert call_digest(work, {"x": 1}) != before


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
    assert stored(work, [1, 2])[0].first.tolist() == [1, 2]
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
        module._unpacked({"named": "subprocess:Popen", "items": ["true"]}, {})


def kinds(value):
    """Types and memory orders of all that a result holds."""
    if isinstance(value, np.ndarray):
        return value.dtype, value.strides, value.tobytes()
    items = value.values() if isinstance(value, dict) else value if isinstance(value, list | tuple) else ()
    return type(value), repr(value), [kinds(item) for item in items]


def odd(x):
    """Numbers of every type, and arrays in every memory order."""
    table = np.arange(24.0).reshape(2, 3, 4)
    numbers = [np.float64(0.1), np.float32(0.1), np.bool_(True), np.int8(3), np.float64("nan"), True, 2, 0.5, None, "text"]
    return {"numbers": numbers, "arrays": (table.T, table[:, ::2].transpose(1, 0, 2), np.asfortranarray(table[0]))}


def test_the_first_run_gets_what_later_runs_get(monkeypatch):
    monkeypatch.setattr(odd, "__module__", "faceup.notebook.stored")
    first, later = stored(odd, 1), stored(odd, 1)
    assert kinds(first) == kinds(later)
    assert [type(x) for x in first["numbers"]] == [type(x) for x in odd(1)["numbers"]]


def test_memory_order_and_processor_and_format_count(monkeypatch):
    table = np.arange(6.0).reshape(2, 3)
    before = call_digest(work, {"x": table})
    assert before != call_digest(work, {"x": np.asfortranarray(table)})
    monkeypatch.setattr(module.binding, "get_host_cpu_name", lambda: "another")
    other = call_digest(work, {"x": table})
    monkeypatch.setattr(module, "FORMAT", 0)
    assert len({before, other, call_digest(work, {"x": table})}) == 3


def test_a_store_that_cannot_be_written_costs_a_line_and_no_result(scratch, capsys):
    scratch.parent.joinpath("stored").touch()  # a file where the folder should be
    assert stored(work, [1, 2])[0].first.tolist() == [1, 2]
    said = capsys.readouterr().err.splitlines()
    assert len(said) == 1 and re.fullmatch(r"\[faceup\] work-\w+\.npz is not stored: .+", said[0])


def test_a_store_that_cannot_be_marked_as_used_is_read(scratch, monkeypatch):
    stored(work, [1])
    monkeypatch.setattr(module.os, "utime", lambda path: (_ for _ in ()).throw(PermissionError))
    stored(work, [1])
    assert CALLS == ["work"]


def test_a_second_writer_of_the_same_result_is_no_error(scratch, monkeypatch, capsys):
    """Another process stores it while this one computes it."""
    monkeypatch.setattr(slow, "__module__", "faceup.notebook.stored")
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


def test_progress_ends_alike_whether_computed_or_read(capsys):
    """Work that reports less than its total, such as an odd number of games in pairs."""
    said = []
    for _ in range(2):
        stored(work, [1], progress=Progress("games", 3))
        said.append(capsys.readouterr().err)
    assert said[0] == said[1] != ""
