"""Stored results: computed once, and anew when something changes that they depend on."""

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
        module._write(scratch / "x", [1, object()])
    assert not list(scratch.iterdir())


@pytest.mark.parametrize("damage", ["truncate", "flip", "delete"])
def test_damaged_results_are_computed_anew(scratch, damage):
    stored(work, [1, 2])
    (file,) = scratch.glob("work-*/arrays.npz")
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
        module._unpacked({"named": "subprocess:Popen", "items": ["true"]}, {}, module.folder())
