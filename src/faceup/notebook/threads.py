"""Kernels on all threads: numba's parallel loops compile several times as long, and their threads spin while they wait."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait
from functools import cache
from typing import Any

import numba

ALONE = 0, 1  # the share of a thread that does all the work


@cache
def _pool() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(numba.config.NUMBA_NUM_THREADS)


def on_threads(kernel: Callable, *arguments: Any) -> None:
    """Call kernel((first, step), *arguments) on each thread: its share of the work are the parts first, first + step, ..

    The kernel releases the GIL (nogil=True), and each part writes to places of its own, so that any number of threads leaves the
    same bytes. `numba.set_num_threads` says how many there are. Raises what a kernel raises.
    """
    step = numba.get_num_threads()
    others = [_pool().submit(kernel, (first, step), *arguments) for first in range(1, step)]
    try:
        kernel((0, step), *arguments)  # ALONE where there are no others
    finally:
        wait(others)  # whoever is told of an error may use the arguments again
    for other in others:
        other.result()
