"""Stored results: computed once, and anew when anything changes that decides them."""

from functools import cache, partial
from pickle import PicklingError
from typing import NamedTuple

import numpy as np
import pytest

from faceup.util import memo as module
from faceup.util.memo import Cache, digest, memo
from faceup.util.progress import Progress

CALLS: list[str] = []


class Leaf(NamedTuple):
    value: object


class Player:
    def __init__(self, table):
        self.table, self.cache = table, Cache()

    def play(self):
        CALLS.append("play")
        return self.cache.setdefault("sum", self.table.sum()), self

    def learn(self):
        self.table = self.table + 1


def work(x, folder=None, progress=None):
    CALLS.append("work")
    table = np.arange(24.0).reshape(2, 3, 4)
    numbers = [np.float64(0.1), np.float32(0.1), np.bool_(True), float("nan"), True, 2, None, x]
    return {"numbers": numbers, 2: table.T, ("a", 1): Leaf(np.asfortranarray(table[0]))}


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "FOLDER", tmp_path / "memo")
    for mine in (work, Player, Leaf):
        monkeypatch.setattr(mine, "__module__", "faceup.util.memo")
        monkeypatch.setattr(module, mine.__name__, mine, raising=False)
    CALLS.clear()
    return tmp_path / "memo"


def test_the_second_call_returns_the_first_result_without_work():
    first, second = (
        memo(work, 1, progress=Progress(name, n), apart_from={"folder": name})
        for n, name in enumerate("xy")
    )
    assert CALLS == ["work"] and repr(first) == repr(second) == repr(work(1))


def test_another_argument_is_another_result():
    mapped = np.memmap.__new__(np.memmap, "/proc/self/exe", np.uint8, "r", shape=(9,))
    pairs = (
        (np.arange(3), [0, 1, 2]),
        (np.arange(3), np.arange(3.0)),
        (np.ones((2, 3)), np.asfortranarray(np.ones((2, 3)))),
        (2.0, 2),
        (mapped, mapped[1:]),
        (partial(work, Leaf(1)), partial(work, Leaf(2))),
        (Player(np.arange(3)).play, Player(np.arange(4)).play),
        (Player(np.arange(3)).play, Player(np.arange(3)).learn),
        (cache(work), Player),
    )
    for value, other in pairs:
        assert digest(value) == digest(value) != digest(other)
    number = 10**9
    assert digest([number, number]) == digest([10**9 + 0 * len(CALLS), 10**9 - len(CALLS)])


def test_an_argument_of_a_notebook_is_computed_and_not_stored(folder):
    own = type("Rule", (), {"__module__": "__main__"})()
    for value in (own, lambda x: x, partial(lambda x: x), type(own), (n for n in [])):
        assert memo(work, [value]) and memo(work, [value])
        with pytest.raises(PicklingError):
            digest(value)
    assert len(CALLS) == 10 and not folder.exists()


def test_all_that_decides_a_result_is_in_its_name(folder, monkeypatch):
    for name in ("code_digest", "platform_digest"):
        monkeypatch.setattr(module, name, lambda *_: "another")
        assert memo(work, 1) and memo(work, 1)
    assert len(CALLS) == len(list(folder.iterdir())) == 2
    monkeypatch.setenv("FACEUP_REUSE", "false")
    with pytest.raises(ValueError, match="FACEUP_REUSE is 'false', expected 0, 1"):
        memo(work, 1)
    for since in ("0", "9999999999"):  # nothing, and what was stored after 2286
        monkeypatch.setenv("FACEUP_REUSE", since)
        assert memo(work, 1)
    assert len(CALLS) == 4


def test_state_is_part_of_a_name_but_for_caches():
    player, fresh = Player(np.arange(3)), Player(np.arange(3))
    player.cache["sum"] = 3
    (first, _), (second, read) = memo(player.play), memo(fresh.play)
    assert first == second == 3 and CALLS == ["play"] and not read.cache
    player.leaks = 1
    assert memo(player.play) and CALLS == ["play"] * 2
