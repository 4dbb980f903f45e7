"""Parallel work: a function's items on threads, processes or a Dask cluster; a kernel on threads.

Threads are the default, since kernels release the GIL. FACEUP_SCHEDULER=tcp://.. takes a Dask
cluster that sees the same files (faceup[cluster]; `python -m faceup.lab.environment dask worker
tcp://.. --nthreads 1` starts a worker). Any number of workers leaves the same bytes.
"""

import os
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor, wait
from functools import cache
from typing import Any

import joblib
import numba

_threads = cache(lambda: ThreadPoolExecutor(numba.config.NUMBA_NUM_THREADS))


def on_threads(kernel: Callable, *arguments: Any) -> None:
    """Call kernel((first, step), *arguments) on each of `numba.get_num_threads()` threads.

    A thread does the parts first, first + step, .. and writes to places of its own, so that any
    number of threads leaves the same bytes. The kernel is nogil.
    """
    step = numba.get_num_threads()
    others = [_threads().submit(kernel, (first, step), *arguments) for first in range(1, step)]
    try:
        kernel((0, step), *arguments)
    finally:
        wait(others)  # even after an error: the caller may reuse the arrays
    for other in others:
        other.result()


def _on_one_thread(function: Callable, item: Any) -> Any:
    numba.set_num_threads(1)  # in this thread: the other items keep the others busy
    return function(item)


def parallel(
    function: Callable,
    items: Iterable,
    progress: Callable[[int], None] = lambda done: None,
    processes: bool = False,
) -> list:
    """[function(item) for item in items] in parallel; `progress` is called with the number done.

    The first item is done here, so that kernels are compiled before workers need them. The function
    writes into nothing that items share. processes: take processes rather than threads, for a
    function that is mostly Python.
    """
    todo = [*items]
    results = [function(item) for item in todo[:1]]
    backend = "loky" if processes else "threading"
    where = {"backend": backend, "n_jobs": numba.get_num_threads()}
    if scheduler := os.environ.get("FACEUP_SCHEDULER"):
        where = {"backend": "dask", "n_jobs": -1, "scheduler_host": scheduler}
    with joblib.parallel_config(**where):
        calls = (joblib.delayed(_on_one_thread)(function, item) for item in todo[1:])
        for result in joblib.Parallel(return_as="generator")(calls):
            results.append(result)
            progress(len(results))
    return results
