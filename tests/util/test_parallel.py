"""Parallel work: once, in order, to the same bytes on threads, processes and a Dask cluster."""

import os
import signal
import time
from functools import partial
from threading import Barrier

import numba
import numpy as np
import pytest
from numba import njit

from faceup.util.files import save_npy
from faceup.util.parallel import on_threads, parallel


@njit(nogil=True)
def _add_squares(share, out):
    for i in range(share[0], len(out), share[1]):
        if out[i] < 0:
            raise ValueError("expected numbers from 0 on")
        out[i] += i * i


def test_shares_are_done_once_each_on_their_own_threads_and_errors_are_raised_at_the_end():
    n, shares, ended, all_here = numba.get_num_threads(), [], [], Barrier(numba.get_num_threads())
    on_threads(_add_squares, out := np.zeros(10))
    np.testing.assert_array_equal(out, np.arange(10) ** 2)
    on_threads(lambda share: (all_here.wait(timeout=60), shares.append(share)))
    assert sorted(shares) == [(first, n) for first in range(n)]
    for bad in (0, 1):
        with pytest.raises(ValueError, match="numbers from 0 on"):
            on_threads(_add_squares, np.where(np.arange(10) == bad, -1, 0))
    with pytest.raises(ZeroDivisionError):
        on_threads(lambda share: (1 // share[0], time.sleep(0.2), ended.append(share[0])))
    assert sorted(ended) == list(range(1, n))


def sums(table, place, item):
    """A sum, threads and process. With a file `kill` in `place`, item 2 kills its process once."""
    if item == 2 and (place / "kill").exists():
        (place / "kill").unlink()
        os.kill(os.getpid(), signal.SIGKILL)
    on_threads(_add_squares, out := np.zeros(4))
    return float(np.sum(table[item] / 7) + out.sum()), numba.get_num_threads(), os.getpid()


@pytest.fixture
def table(tmp_path):
    save_npy(tmp_path / "table.npy", np.random.default_rng(0).random((6, 1000)))
    return np.load(tmp_path / "table.npy", mmap_mode="r")


def check(table, place, processes=False):
    """Sums of all rows, in order; returns whether all but the first come from other processes."""
    from util.test_parallel import sums  # by a name that workers can import, too

    found = parallel(partial(sums, table, place), range(6), (done := []).append, processes)
    assert [each[0] for each in found] == [float(np.sum(row / 7) + 14) for row in table]
    assert done == list(range(2, 7)) and {each[1] for each in found[1:]} == {1}
    return os.getpid() not in {each[2] for each in found[1:]}


def test_any_number_of_threads_and_processes_leaves_the_same_sums(table, tmp_path):
    before = numba.get_num_threads()
    for n in range(1, before + 1):
        numba.set_num_threads(n)
        assert not check(table, tmp_path)
        numba.set_num_threads(before)
    assert check(table, tmp_path, processes=True)
    assert os.environ.get("NUMBA_NUM_THREADS") != "1"  # here as before
    with pytest.raises(ZeroDivisionError):
        parallel(lambda item: 1 // item, [1, 0, 1])


def test_a_cluster_that_loses_a_worker_leaves_the_same_sums(table, tmp_path, monkeypatch):
    distributed = pytest.importorskip("distributed")
    (tmp_path / "kill").touch()
    options = {"threads_per_worker": 1, "memory_limit": None, "dashboard_address": None}
    with distributed.LocalCluster(2, **options) as cluster:
        monkeypatch.setenv("FACEUP_SCHEDULER", cluster.scheduler_address)
        assert check(table, tmp_path) and not (tmp_path / "kill").exists()
