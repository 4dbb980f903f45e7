"""Work shared out: a function's items among threads, or among Dask's workers here or on other
machines; a kernel among threads.

Threads are the default, since kernels release the GIL. FACEUP_WORKERS=4 starts so many local
workers, FACEUP_SCHEDULER=tcp://.. joins a cluster that sees the same files (`python -m
faceup.lab.environment dask worker tcp://.. --nthreads 1`). Both need faceup[cluster]; Dask does the
work of a lost worker again. Any number of workers leaves the same bytes.
"""

import copyreg
import mmap
import os
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor, wait
from functools import cache
from typing import Any

import joblib
import numba
import numpy as np

from faceup.lab.environment import variables
from faceup.util.files import load_npy

ALONE = 0, 1  # the share of a thread that does all the work
_threads = cache(lambda: ThreadPoolExecutor(numba.config.NUMBA_NUM_THREADS))


def on_threads(kernel: Callable, *arguments: Any) -> None:
    """Call kernel((first, step), *arguments) on each of `numba.get_num_threads()`: for the parts
    first, first + step, ..

    The kernel is nogil, and each part writes to places of its own, so that any number of threads
    leaves the same bytes.
    """
    step = numba.get_num_threads()
    others = [_threads().submit(kernel, (first, step), *arguments) for first in range(1, step)]
    try:
        kernel((0, step), *arguments)  # ALONE where there are no others
    finally:
        wait(others)  # whoever is told of an error may use the arguments again
    for other in others:
        other.result()


def _alone(function: Callable, item: Any) -> Any:
    numba.set_num_threads(1)  # in this thread: the other items keep the others busy
    return function(item)


def _by_path(array: np.memmap) -> tuple:
    """A whole file that `load_npy` maps is sent as its path, a part of one as numbers."""
    return (
        (load_npy, (array.filename, True))
        if isinstance(array.base, mmap.mmap)
        else (np.array, (np.asarray(array),))
    )


@cache
def _client(scheduler: str, workers: int) -> Any:
    from dask.config import set as configured
    from distributed import Client, LocalCluster

    copyreg.pickle(np.memmap, _by_path)  # type: ignore[arg-type]
    own = {"NUMBA_NUM_THREADS": "1", "FACEUP_WORKERS": "", "FACEUP_SCHEDULER": ""}
    # the first stay in this process, too, where the runner has set them already
    with configured(
        {"distributed.nanny.pre-spawn-environ": variables(), "distributed.nanny.environ": own}
    ):
        return Client(
            scheduler
            or LocalCluster(
                workers, threads_per_worker=1, memory_limit=None, dashboard_address=None
            )
        )


def parallel(
    function: Callable,
    items: Iterable,
    progress: Callable[[int], None] = lambda done: None,
    processes: bool = False,
) -> list:
    """[function(item) for item in items], shared out; progress is told how many are done.

    The first item is done here, so that kernels are compiled before workers need them. The function
    writes into nothing that items share. It and its results travel as Dask pickles them, between a
    user's own machines alone. processes: where there is no cluster, share out among processes
    rather than threads, for a function that is mostly Python.
    """
    first, rest = (todo := list(items))[:1], todo[1:]
    results, pool = [function(item) for item in first], ThreadPoolExecutor(numba.get_num_threads())
    scheduler, workers = (
        os.environ.get("FACEUP_SCHEDULER", ""),
        int(os.environ.get("FACEUP_WORKERS") or 0),
    )
    if processes and rest and not (scheduler or workers) and numba.get_num_threads() > 1:
        others = joblib.Parallel(numba.get_num_threads(), return_as="generator")
        for result in others(joblib.delayed(function)(item) for item in rest):
            results.append(result)
            progress(len(results))
        return results
    if scheduler or workers:
        client = _client(scheduler, workers)
        # sent once
        pool, function = (
            client.get_executor(pure=False),
            client.submit(lambda same: same, function, pure=False),
        )
    with pool:
        for result in pool.map(_alone, [function] * len(rest), rest):
            results.append(result)
            progress(len(results))
    return results
