"""How fast self-play is on all ranks, on the default tree: torchrun .. rate_on_ranks.py GROUPS.npz BATCH BATCHES FOUND.json.

Beside the rate it measures what a batch without boards takes, and so what the sums and their way cost: see scale/time_model.
"""

import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
from report import seconds

from faceup.holdem.betting.betting_tree import build_tree, menu_from
from faceup.holdem.scale.selfplay import PART, BatchPlay
from faceup.holdem.scale.sums import Batch, Sums
from faceup.holdem.solve.groups import Groups
from faceup.holdem.solve.selfplay import Discount
from faceup.notebook.parameters import load_parameters
from faceup.notebook.ranks import Ranks, joined
from faceup.notebook.storage import load_npz, write_json

WARM_UP = 200  # boards: a run's first ones write to memory that was never touched
EMPTY, STEPS = 5, 500  # batches without boards, and exchanges of one number with a neighbour


def quickest(work: Callable[[], object], times: int) -> float:
    """Seconds of the quickest call, after one that does not count."""
    work()
    return min(seconds(work) for _ in range(times))


def empty_batch(run: BatchPlay, batch: Batch, ranks: Ranks) -> float:
    """Seconds of a batch without boards: its sums are added up and sent all the same."""
    sums = Sums(run.state.regrets, run.state.averages, batch, ranks)
    return quickest(lambda: sums.add(0, 0, lambda board, tables: None), EMPTY)


def step(ranks: Ranks) -> float:
    """Seconds until a neighbour has answered, 0 where there is none."""
    given, taken = np.zeros(1, np.float32), np.zeros(1, np.float32)
    if ranks.size == 1:
        return 0.0
    return quickest(lambda: [ranks.exchange(ranks.rank ^ 1, given, taken) for _ in range(STEPS)], 3) / STEPS


if __name__ == "__main__":
    arrays, (boards, batches) = load_npz(sys.argv[1]), map(int, sys.argv[2:4])
    groups = Groups(arrays["flop"], arrays["turn"], tuple(arrays["n_groups"].tolist()))
    with joined() as ranks:
        batch = Batch(boards, min(PART, boards // ranks.size))
        tree = build_tree(menu_from(**load_parameters()["betting"]))
        run = BatchPlay(tree, groups, Discount(1.5, 0, 2, 100), 1, batch, ranks)
        run.advance(max(boards, WARM_UP // boards * boards))
        ranks.sent = 0
        taken, sent = seconds(lambda: run.advance(batches * boards)), ranks.sent // batches
        found = {"boards_a_second": batches * boards / taken, "sent": sent, "step": step(ranks)}
        found["empty_batch"] = empty_batch(run, batch, ranks)
        found["empty_part"] = empty_batch(run, Batch(ranks.size * batch.part, batch.part), ranks)  # one part a process
        if ranks.rank == 0:
            write_json(Path(sys.argv[4]), found)
