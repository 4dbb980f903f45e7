"""Work shared out: done once, in order, to the same bytes on threads and on workers, one of them
killed.
"""

import os
import signal
import time
from functools import partial
from threading import Barrier

import numba
import numpy as np
import pytest
from numba import njit

from faceup.util.files import load_npy, save_npy
from faceup.util.parallel import on_threads, parallel


@njit(nogil=True)
def _add_squares(thread, out):
    for i in range(thread[0], len(out), thread[1]):
        if out[i] < 0:
            raise ValueError("expected numbers from 0 on")
        out[i] += i * i


def test_shares_are_done_once_each_on_a_thread_of_its_own_and_errors_are_raised_when_all_have_ended():
    n, shares, ended, all_here = numba.get_num_threads(), [], [], Barrier(numba.get_num_threads())
    on_threads(_add_squares, out := np.zeros(10))
    np.testing.assert_array_equal(out, np.arange(10) ** 2)
    on_threads(lambda thread: (all_here.wait(timeout=60), shares.append(thread)))
    assert sorted(shares) == [(first, n) for first in range(n)]
    for bad in (0, 1):
        with pytest.raises(ValueError, match="numbers from 0 on"):
            on_threads(_add_squares, np.where(np.arange(10) == bad, -1, 0))
    with pytest.raises(ZeroDivisionError):
        on_threads(lambda thread: (1 // thread[0], time.sleep(0.2), ended.append(thread[0])))
    assert sorted(ended) == list(range(1, n))


def sums(table, place, item):
    """Some sums, and who made them: threads, process, kind of table. The worker of item 2 is killed
    the first time.
    """
    if item == 2 and (place / "here").exists() and not (place / "killed").exists():
        (place / "killed").touch()
        os.kill(os.getpid(), signal.SIGKILL)
    on_threads(_add_squares, out := np.zeros(4))
    return (
        float(np.sum(table[item] / 7) + out.sum()),
        numba.get_num_threads(),
        os.getpid(),
        type(table),
    )


@pytest.mark.parametrize("workers", [0, 2])
def test_any_number_of_threads_and_workers_and_a_killed_one_leave_the_same_sums(
    workers, tmp_path, monkeypatch
):
    from lab.test_parallel import sums  # by a name that workers can import, too

    if workers:
        pytest.importorskip("distributed")
        (tmp_path / "here").touch()
    monkeypatch.setenv("FACEUP_WORKERS", str(workers))
    save_npy(tmp_path / "table.npy", np.random.default_rng(0).random((6, 1000)))
    table, before = load_npy(tmp_path / "table.npy", mmap=True), numba.get_num_threads()
    for n in [before] if workers else range(1, before + 1):
        numba.set_num_threads(n)
        found = parallel(partial(sums, table, tmp_path), range(6), (done := []).append)
        numba.set_num_threads(before)
        assert [each[0] for each in found] == [
            float(np.sum(row / 7) + 14) for row in table
        ] and done == list(range(2, 7))
        assert {each[1] for each in found[1:]} == {1} and {each[3] for each in found} == {np.memmap}
        assert (
            (os.getpid() in {each[2] for each in found[1:]})
            != bool(workers)
            == (tmp_path / "killed").exists()
        )
        # here as before
        assert os.environ.get("NUMBA_NUM_THREADS") != "1" and os.environ["FACEUP_WORKERS"] == str(
            workers
        )
    with pytest.raises(ZeroDivisionError):
        parallel(lambda item: 1 // item, [1, 0, 1])
