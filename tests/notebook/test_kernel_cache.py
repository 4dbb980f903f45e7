"""Folders of compiled kernels: another one for each edit below, a few at most, and no mixing of two processes' work."""

import multiprocessing
import os

import pytest
from numba.core import caching

from faceup.cards import strength
from faceup.notebook import kernel_cache
from faceup.notebook.kernel_cache import KEPT, KernelCacheLocator

STRENGTH = strength.__file__


def locate():
    return KernelCacheLocator.from_function(None, STRENGTH)


@pytest.fixture(autouse=True)
def places(tmp_path, monkeypatch):
    """The folders that are tried, in order."""
    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)
    monkeypatch.setattr(kernel_cache, "FOLDER", tmp_path / "build")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "user"))
    return tmp_path / "build", tmp_path / "user" / "faceup"


def test_a_folder_that_cannot_be_written_gives_way_to_the_users_own_with_the_same_digest(places):
    name = locate().get_cache_path().rpartition("/")[2]
    assert name.startswith("strength-") and (places[0] / name).is_dir()
    (places[0] / name).rmdir()
    places[0].rmdir()
    places[0].touch()  # a file stands for a folder that cannot be written
    assert locate().get_cache_path() == str(places[1] / name)
    places[1].mkdir(exist_ok=True)
    (places[1] / name).rmdir()
    places[1].rmdir()
    places[1].touch()
    with pytest.raises(OSError, match="cannot be written, expected NUMBA_CACHE_DIR to name a folder"):
        locate()


def test_functions_of_others_are_left_to_numba():
    assert KernelCacheLocator.from_function(None, os.__file__) is None


def test_folders_of_a_module_are_few(places, monkeypatch):
    (places[0] / "river-0").mkdir(parents=True)
    for k in range(KEPT + 3):
        monkeypatch.setattr(kernel_cache, "code_digest", lambda name, k=k: f"{k:064x}"[::-1])
        os.utime(locate().get_cache_path(), (k, k))
    monkeypatch.setattr(kernel_cache, "code_digest", lambda name: "3" + "0" * 63)
    locate()  # used again
    monkeypatch.setattr(kernel_cache, "code_digest", lambda name: "f" * 64)
    locate()
    left = {path.name for path in places[0].iterdir()}
    kept = ("3", "5", "6")
    assert left == {"river-0", f"strength-{'f' * 16}", *(f"strength-{k}{'0' * 15}" for k in kept)}


def save(folder: str, number: int, barrier) -> None:
    """Save one signature's code just when another process saves its own."""
    index = caching.IndexDataCacheFile(folder, "kernel", "stamp")
    for k in range(50):
        barrier.wait()
        index.save((number, k), f"code of {number} {k}")


def test_two_processes_that_save_at_once_keep_both_and_mix_up_none(tmp_path):
    fork = multiprocessing.get_context("fork")
    barrier = fork.Barrier(2)
    processes = [fork.Process(target=save, args=(str(tmp_path), number, barrier)) for number in range(2)]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
        assert process.exitcode == 0
    index = caching.IndexDataCacheFile(str(tmp_path), "kernel", "stamp")
    assert [(n, k) for n in range(2) for k in range(50) if index.load((n, k)) != f"code of {n} {k}"] == []
