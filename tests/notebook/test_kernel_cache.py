"""Folders of compiled kernels: another one for each edit below, a few at most, and no mixing of two processes' work."""

import multiprocessing
import os
import shutil

import pytest
from numba.core import caching

from faceup.cards import strength
from faceup.notebook import kernel_cache
from faceup.notebook.kernel_cache import KEPT, KernelCacheLocator


def locate():
    return KernelCacheLocator.from_function(None, strength.__file__)


@pytest.fixture(autouse=True)
def places(tmp_path, monkeypatch):
    """The folders that are tried, in order."""
    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)
    monkeypatch.setattr(kernel_cache, "FOLDER", tmp_path / "build")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "user"))
    return tmp_path / "build", tmp_path / "user" / "faceup"


def block(folder):
    """Put a file in the place of a folder of empty folders: it stands for one that cannot be written."""
    shutil.rmtree(folder)
    folder.touch()


def test_a_folder_that_cannot_be_written_gives_way_to_the_users_own_with_the_same_digest(places):
    name = locate().get_cache_path().rpartition("/")[2]
    assert name.startswith("faceup.cards.strength-") and (places[0] / name).is_dir()
    block(places[0])
    assert locate().get_cache_path() == str(places[1] / name)
    block(places[1])
    with pytest.raises(OSError, match="cannot be written, expected NUMBA_CACHE_DIR to name a folder"):
        locate()


def test_functions_of_others_are_left_to_numba():
    assert KernelCacheLocator.from_function(None, os.__file__) is None


def test_folders_of_a_module_are_few(places, monkeypatch):
    def use(digit: str) -> str:
        monkeypatch.setattr(kernel_cache, "code_digest", lambda name: digit + "0" * 63)
        return locate().get_cache_path()

    (places[0] / "faceup.holdem.strength-0").mkdir(parents=True)
    for k in range(KEPT + 3):
        os.utime(use(f"{k}"), (k, k))
    use("3")  # again
    use("f")
    left = {path.name for path in places[0].iterdir()}
    assert left == {"faceup.holdem.strength-0", *(f"faceup.cards.strength-{digit}{'0' * 15}" for digit in "356f")}


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
    assert [process.exitcode for process in processes] == [0, 0]
    index = caching.IndexDataCacheFile(str(tmp_path), "kernel", "stamp")
    assert all(index.load((n, k)) == f"code of {n} {k}" for n in range(2) for k in range(50))
