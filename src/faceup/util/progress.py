"""Progress of a long computation: tqdm on stderr, which reports leave out."""

import sys

from tqdm import tqdm


class Progress(tqdm):
    """A callback: Progress("self-play, boards", 12000), then call it with the amount done."""

    def __init__(self, what: str, total: int):
        super().__init__(desc=what, total=total, file=sys.stderr, delay=1, mininterval=1)

    def __call__(self, done: int) -> None:
        self.update(done - self.n)

    def __reduce__(self) -> tuple:
        return str, ()  # `memo` takes all for the same
