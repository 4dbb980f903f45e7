"""Stored results: computed once, and anew when anything changes that decides them."""

from functools import partial
from typing import NamedTuple

import numba
import numpy as np
import pytest

from faceup.util import memo as module
from faceup.util.memo import Cache, described, memo

CALLS: list[str] = []


class Leaf(NamedTuple):
    value: object


class Player:
    def __init__(self, table):
        self.table, self.cache = table, Cache()

    def play(self):
        return self.cache.setdefault("sum", self.table.sum())


def work(x, folder=None, progress=None):
    CALLS.append("work")
    table = np.arange(24.0).reshape(2, 3, 4)
    numbers = [
        np.float64(0.1),
        np.float32(0.1),
        np.bool_(True),
        np.int8(3),
        np.float64("nan"),
        True,
        2,
        0.5,
        None,
        "text",
        x,
    ]
    views = table.T, table[:, ::2].transpose(1, 0, 2), np.asfortranarray(table[0])
    return {"numbers": numbers, 2: views, ("a", 1): Leaf(table)}


def tell(player):
    CALLS.append("tell")
    return player.play(), player


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "FOLDER", tmp_path / "memo")
    for mine in (work, tell, Player, Leaf):
        monkeypatch.setattr(mine, "__module__", "faceup.util.memo")
        monkeypatch.setattr(module, mine.__name__, mine, raising=False)
    CALLS.clear()
    return tmp_path / "memo"


def test_the_second_call_returns_what_the_first_does_without_work():
    first, second = (
        memo(work, 1, folder=name, progress=print, apart_from=("folder",)) for name in "xy"
    )
    # which names the types of numpy's numbers, too
    assert CALLS == ["work"] and repr(first) == repr(second) == repr(work(1))
    assert [array.strides for array in first[2]] == [array.strides for array in second[2]]


def test_another_argument_is_another_result():
    pairs = (
        (np.arange(3), [0, 1, 2]),
        (np.arange(3), np.arange(3.0)),
        (2.0, 2),
        (partial(work, Leaf(1)), partial(work, Leaf(2))),
    )
    pairs += (
        (np.ones((2, 3)), np.asfortranarray(np.ones((2, 3)))),
        (Player(np.arange(3)).play, Player(np.arange(4)).play),
    )
    for value, other in pairs:
        assert described(value) == described(value) != described(other)
    for value in (lambda x: x, object(), np.array([object()]), iter([]), np.random.default_rng(0)):
        with pytest.raises(TypeError, match="cannot be told by its contents"):
            memo(work, value)


def test_what_holds_a_users_own_class_is_computed_and_not_stored(folder):
    own = type("Rule", (), {"__module__": "__main__"})()
    assert memo(work, [own]) and memo(work, [own]) and len(CALLS) == 2 and not folder.exists()


def test_all_that_decides_a_result_is_in_its_name(folder, monkeypatch):
    changes = {
        "code_of": lambda name: f"edited {name}",
        "binding.get_host_cpu_name": lambda: "another",
    }
    # which stands for a variable of another value
    for name, value in (changes | {"LIBRARIES": ["HOME"]}).items():
        monkeypatch.setattr(f"faceup.util.memo.{name}", value)
        assert memo(work, 1) and memo(work, 1)
    assert len(CALLS) == len(list(folder.iterdir())) == 3
    monkeypatch.setenv("FACEUP_REUSE", "false")
    with pytest.raises(ValueError, match="FACEUP_REUSE is 'false', expected 1, or 0"):
        memo(work, 1)
    monkeypatch.setenv("FACEUP_REUSE", "0")
    assert memo(work, 1) and len(CALLS) == 4
    # then nothing is read, and nothing is stored
    monkeypatch.setattr(numba.config, "DISABLE_JIT", 1)
    assert memo(work, 1) and memo(work, 2) and len(CALLS) == 6 and len(list(folder.iterdir())) == 3


def test_no_state_is_left_out():
    player, fresh = Player(np.arange(3)), Player(np.arange(3))
    player.cache["sum"] = 7
    (first, _), (second, read) = memo(tell, player), memo(tell, fresh)
    assert first == second == read.play() == 3 and CALLS == ["tell"]
    player.leaks = 1
    assert memo(tell, player) and CALLS == ["tell"] * 2


def test_damaged_results_are_computed_anew_and_no_other_class_is_made(folder):
    expected = repr(memo(work, 1))
    (file,) = folder.iterdir()
    np.savez(
        folder / "evil.npz", result=np.frombuffer(b'{"subprocess:Popen": ["true"]}', dtype=np.uint8)
    )
    for k, content in enumerate((file.read_bytes()[:-99], (folder / "evil.npz").read_bytes())):
        file.write_bytes(content)
        assert repr(memo(work, 1)) == expected and len(CALLS) == k + 2
