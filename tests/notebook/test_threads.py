"""Work shared among threads: all of it is done once, on any number of them, and errors come through."""

import time
from threading import Barrier

import numba
import numpy as np
import pytest
from games import threads
from numba import njit

from faceup.notebook.threads import on_threads


@njit(nogil=True)
def _add_squares(share, out):
    for i in range(share[0], len(out), share[1]):
        if out[i] < 0:
            raise ValueError("expected numbers from 0 on")
        out[i] += i * i


@pytest.mark.parametrize("n", range(1, min(3, numba.config.NUMBA_NUM_THREADS) + 1))
def test_each_part_is_done_once(n):
    out = np.zeros(10, dtype=np.int64)
    with threads(n):
        on_threads(_add_squares, out)
    np.testing.assert_array_equal(out, np.arange(10) ** 2)


def test_a_share_is_a_thread_of_its_own():
    n = numba.get_num_threads()
    shares, all_here = [], Barrier(n)
    on_threads(lambda share: (all_here.wait(timeout=60), shares.append(share)))
    assert sorted(shares) == [(first, n) for first in range(n)]


def test_no_share_goes_on_after_an_error():
    ended = []

    def fail_first(share):
        if share[0] == 0:
            raise ValueError("first")
        time.sleep(0.2)
        ended.append(share[0])

    with pytest.raises(ValueError, match="first"):
        on_threads(fail_first)
    assert sorted(ended) == list(range(1, numba.get_num_threads()))


@pytest.mark.parametrize("bad", [0, 1])
def test_errors_of_any_thread_are_raised(bad):
    out = np.zeros(10, dtype=np.int64)
    out[bad] = -1
    with pytest.raises(ValueError, match="numbers from 0 on"):
        on_threads(_add_squares, out)
