"""Work shared among threads: all of it is done once, on any number of them, and errors come through."""

import numba
import numpy as np
import pytest
from numba import njit

from faceup.notebook.threads import on_threads
from tests.holdem.solve.games import threads


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
    shares = []
    on_threads(lambda share: shares.append(share))
    n = numba.get_num_threads()
    assert sorted(shares) == [(first, n) for first in range(n)]


@pytest.mark.parametrize("bad", [0, 1])
def test_errors_of_any_thread_are_raised(bad):
    out = np.zeros(10, dtype=np.int64)
    out[bad] = -1
    with pytest.raises(ValueError, match="numbers from 0 on"):
        on_threads(_add_squares, out)
