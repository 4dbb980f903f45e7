"""How far a long computation is, on stderr: ten lines, and on a terminal whole percents in between, each overwritten by the next.

The lines depend on the amount of work alone, not on time, nor on how often the work reports, nor on where a run was resumed:
a rerun writes the same bytes.
"""

import sys
from typing import NamedTuple

LINES = 10
NOTE = "[faceup] "  # begins a line for whoever runs a notebook, which its report leaves out


def note(text: str) -> None:
    """Say a line on stderr that depends on more than the work, such as what was found on the disk: reports do not keep it."""
    sys.stderr.write(f"{NOTE}{text}\n")
    sys.stderr.flush()


class Progress:
    """A callback: `Progress("self-play", 12000)`, then call it with the amount done, never less than before."""

    def __init__(self, what: str, total: int):
        """Raises ValueError where there is nothing to do."""
        if total < 1:
            raise ValueError(f"total is {total}, expected at least 1")
        self.what, self.total = what, total
        self._marks = sorted({-(-k * total // LINES) for k in range(1, LINES + 1)})
        self._percent = 0

    def __call__(self, done: int) -> None:
        """Report that `done` of the total is done."""
        while self._marks and self._marks[0] <= done:
            self._show(self._marks.pop(0), "\n")
        if self._marks and 100 * done // self.total > self._percent and sys.stderr.isatty():
            self._show(done, "")

    def part(self, start: int, total: int) -> "Part":
        """A callback for a part of the work, which begins when `start` is done."""
        return Part(self, start, total)

    def _show(self, done: int, end: str) -> None:
        self._percent = 100 * done // self.total
        start = "\r" if sys.stderr.isatty() else ""
        print(f"{start}{self.what}: {done:,} of {self.total:,}", end=end, file=sys.stderr, flush=True)


class Part(NamedTuple):
    """Progress of a part of some work."""

    whole: Progress
    start: int
    total: int

    def __call__(self, done: int) -> None:
        """Report that `done` of the part is done."""
        self.whole(self.start + done)
