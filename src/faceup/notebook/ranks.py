"""Processes that share out work with torch.distributed (gloo), started by torchrun. A rank is a process and its number.

Sums and results come in one order, whoever computed them, so that the bytes are the same on any number of ranks. Arrays of
numbers travel, never objects: torch would pickle those. Who is alone does not load torch.
"""

import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from functools import cache

import numba
import numpy as np

# In torch 2.13 a process that is started again reads the addresses of those before it, and waits for ever.
RESTARTS = "set TORCH_DISABLE_SHARE_RDZV_TCP_STORE=1 for --max-restarts, with --standalone or --rdzv-backend=c10d"
PATIENCE = 5.0  # seconds: who ends at once would look like a second lost rank to others
LONGEST = timedelta(days=30)  # that ranks wait for one that works alone; a process that ends is known at once


class Ranks:
    """This process among all of them."""

    def __init__(self, rank: int = 0, size: int = 1):
        """By default the only one."""
        self.rank, self.size = rank, size
        self.sent = 0  # bytes that this rank has sent in `exchange`

    def exchange(self, partner: int, given: np.ndarray, taken: np.ndarray) -> None:
        """Send a contiguous array to a rank that sends another one of taken's size. ConnectionError where that rank is lost."""
        import torch
        import torch.distributed as dist

        with _naming(partner):
            both = (dist.isend, given), (dist.irecv, taken)
            for work in dist.batch_isend_irecv([dist.P2POp(way, torch.from_numpy(array), partner) for way, array in both]):
                work.wait()
        self.sent += given.nbytes

    def broadcast(self, array: np.ndarray, source: int = 0) -> None:
        """Fill a contiguous array, on all ranks, with what one rank has in it. ConnectionError where a rank is lost."""
        if self.size > 1:
            import torch
            import torch.distributed as dist

            with _naming(source if source != self.rank else None):
                dist.broadcast(torch.from_numpy(array), source)

    def told(self, text: str) -> str:
        """What rank 0 says, on all ranks."""
        size = np.array([len(text.encode())])
        self.broadcast(size)
        said = np.frombuffer(text.encode().ljust(size[0])[: size[0]], dtype=np.uint8).copy()
        self.broadcast(said)
        return said.tobytes().decode()

    def halves(self, n: int) -> list[tuple[int, slice, slice]]:
        """Steps of recursive halving of n numbers, neighbours first: a partner, what this rank keeps, what it gives."""
        steps, left = [], slice(0, n)
        for bit in range(self.size.bit_length() - 1):
            middle, upper = (left.start + left.stop) // 2, self.rank >> bit & 1
            halves = slice(left.start, middle), slice(middle, left.stop)
            left = halves[upper]
            steps.append((self.rank ^ 1 << bit, left, halves[1 - upper]))
        return steps

    def sum_share(self, numbers: np.ndarray) -> slice:
        """Sum arrays (n,) over ranks, a power of two, in pairs of neighbours; returns the share that this rank then has."""
        share = slice(0, len(numbers))
        for partner, share, given in self.halves(len(numbers)):
            taken = np.empty_like(numbers[share])
            self.exchange(partner, numbers[given], taken)
            numbers[share] += taken
        return share

    def gather(self, numbers: np.ndarray) -> None:
        """Fill an array (n,) with all ranks' shares."""
        for partner, share, given in reversed(self.halves(len(numbers))):
            self.exchange(partner, numbers[share], numbers[given])

    def in_order(self, n: int, size: int, work: Callable[[int], np.ndarray]) -> Iterator[np.ndarray]:
        """work(0), .., work(n - 1), (size,) float64 each, computed on one rank; all ranks get all."""
        for first in range(0, n, self.size):
            mine = work(first + self.rank) if first + self.rank < n else np.empty(0)
            for source in range(min(self.size, n - first)):
                numbers = mine if source == self.rank else np.empty(size)
                self.broadcast(numbers, source)
                yield numbers


@contextmanager
def _naming(rank: int | None) -> Iterator[None]:
    """Say who was lost, None for some other rank, where torch says that a connection was."""
    try:
        yield
    except RuntimeError as error:
        who = "another rank" if rank is None else f"rank {rank}"
        raise ConnectionError(f"{who} does not answer any more ({str(error).split('. This is')[0]})") from error


def launched() -> bool:
    """Whether torchrun has started this process."""
    return "TORCHELASTIC_RUN_ID" in os.environ


def own_rank() -> int:
    """The number of this process; 0 where torchrun has not started it."""
    return int(os.environ["RANK"]) if launched() else 0


def _own_threads() -> int:
    """How many threads of numba are this process's, where all processes of its machine work."""
    return max(1, numba.config.NUMBA_NUM_THREADS // int(os.environ["LOCAL_WORLD_SIZE"]))


@contextmanager
def all_threads() -> Iterator[None]:
    """Use all threads of this machine, while the other processes wait; nothing changes where there are none."""
    if launched():
        numba.set_num_threads(numba.config.NUMBA_NUM_THREADS)
    try:
        yield
    finally:
        if launched():
            numba.set_num_threads(_own_threads())


@cache
def join() -> Ranks:
    """All processes that torchrun has started, or this one alone. Raises ValueError where restarts would wait for ever."""
    if not launched():
        return Ranks()
    import torch.distributed as dist

    if os.environ["TORCHELASTIC_MAX_RESTARTS"] != "0" and os.environ["TORCHELASTIC_USE_AGENT_STORE"] == "True":
        raise ValueError(RESTARTS)
    dist.init_process_group("gloo", timeout=LONGEST)
    numba.set_num_threads(_own_threads())
    return Ranks(own_rank(), dist.get_world_size())


@contextmanager
def joined() -> Iterator[Ranks]:
    """As `join`, until the end. An error ends this process with a line that names its rank."""
    rank = own_rank()
    try:
        yield join()
    except (OSError, ValueError, RuntimeError) as error:
        print(f"rank {rank}: {error}", file=sys.stderr, flush=True)
        if isinstance(error, ConnectionError):
            time.sleep(PATIENCE)
        sys.exit(1)
    if launched():
        import torch.distributed as dist

        dist.destroy_process_group()
