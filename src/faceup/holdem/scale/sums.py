"""Tables that a batch of boards changes at once: what the boards add is summed in one order, whoever plays them.

A batch is cut into parts of so many boards, both powers of two. The boards of a part are added one after the other, the parts in
pairs of neighbours, then pairs of pairs, up to the batch. A rank plays neighbouring parts, and so holds a subtree of this sum.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numba import njit

from faceup.notebook.ranks import Ranks
from faceup.notebook.threads import on_threads

Tables = tuple[np.ndarray, ...]


class Batch(NamedTuple):
    """How many boards are played from one strategy, and how many of them are added one after the other."""

    boards: int
    part: int


def fits(batch: Batch, size: int) -> bool:
    """Whether a batch, with a part of its size at most, can be shared out among so many ranks."""
    return not size & (size - 1) and size * min(batch.part, batch.boards) <= batch.boards


def checked(batch: Batch, size: int) -> Batch:
    """The batch, its part at most the batch. Raises ValueError unless all numbers are powers of two, and each rank has a part."""
    for name, number in (("batch", batch.boards), ("part", batch.part), ("processes", size)):
        if number < 1 or number & (number - 1):
            raise ValueError(f"{name} is {number}, expected a power of two")
    batch = Batch(batch.boards, min(batch.part, batch.boards))
    if not fits(batch, size):
        said = f"a batch of {batch.boards} boards in parts of {batch.part} is for"
        raise ValueError(f"{size} processes: {said} {batch.boards // batch.part} at most: take a larger batch, or smaller parts")
    return batch


@njit(cache=True, nogil=True)
def _add(share, total, added):
    """total += added, both (n,); added is then 0, for its next use."""
    first, step = share
    for i in range(total.shape[0] * first // step, total.shape[0] * (first + 1) // step):
        total[i] += added[i]
        added[i] = 0


class Sums:
    """Tables that all ranks know at all times, and tables that each keeps its share of until they are gathered."""

    def __init__(self, known: Tables, kept: Tables, batch: Batch, ranks: Ranks):
        """Tables like the given ones, float32, in known and kept; all 0. Raises ValueError as `checked`."""
        self.batch, self.ranks = checked(batch, ranks.size), ranks
        self._shapes = [table.shape for table in known + kept]
        self._numbers, tables = self._new()
        self.known, self.kept = tables[: len(known)], tables[len(known) :]
        self._known, self._kept = np.split(self._numbers, [sum(table.size for table in known)])
        self._free: list[tuple[np.ndarray, Tables]] = []  # sums that are 0

    def _new(self) -> tuple[np.ndarray, Tables]:
        """All tables as one array, and as views of it."""
        ends = np.cumsum([0, *map(np.prod, self._shapes)]).tolist()
        numbers = np.zeros(ends[-1], dtype=np.float32)
        return numbers, tuple(numbers[a:b].reshape(s) for a, b, s in zip(ends, ends[1:], self._shapes, strict=False))

    def set(self, known: Tables, kept: Tables) -> None:
        """Begin on all ranks with what rank 0 has learnt before."""
        for table, value in zip(self.known + self.kept, known + kept, strict=True):
            table[...] = value
        self.ranks.broadcast(self._numbers)

    def add(self, first: int, end: int, play: Callable[[int, Tables], None]) -> None:
        """Add what boards first..end - 1 of one batch do; play(board, sums) adds one board's to tables, known ones first."""
        share = self.batch.boards // self.ranks.size
        begin = first - first % self.batch.boards + self.ranks.rank * share
        numbers, tables = self._sum(begin, share, range(first, end), play)
        for part, total in zip((self._known, self._kept), np.split(numbers, [len(self._known)]), strict=True):
            own = self.ranks.sum_share(total)
            on_threads(_add, part[own], total[own])
        if self.ranks.size > 1:
            numbers[:] = 0
        self._free.append((numbers, tables))
        self.ranks.gather(self._known)

    def _sum(self, begin: int, n: int, boards: range, play: Callable[[int, Tables], None]) -> tuple[np.ndarray, Tables]:
        """The sum over places begin..begin + n - 1; at the end of a run the last ones have no boards."""
        if n <= self.batch.part:
            sums = self._free.pop() if self._free else self._new()
            for board in range(max(begin, boards.start), min(begin + n, boards.stop)):
                play(board, sums[1])
            return sums
        sums, others = self._sum(begin, n // 2, boards, play), self._sum(begin + n // 2, n // 2, boards, play)
        on_threads(_add, sums[0], others[0])
        self._free.append(others)
        return sums

    def gather(self) -> None:
        """Fill the tables that are kept in shares, on all ranks."""
        self.ranks.gather(self._kept)
