"""How fast self-play is on all ranks, on the default tree: torchrun .. rate_on_ranks.py GROUPS.npz BATCH BATCHES FOUND.json."""

import sys
from pathlib import Path
from time import perf_counter

from faceup.holdem.betting.betting_tree import build_tree, menu_from
from faceup.holdem.scale.ranks import joined
from faceup.holdem.scale.selfplay import PART, BatchPlay
from faceup.holdem.scale.sums import Batch
from faceup.holdem.solve.groups import Groups
from faceup.holdem.solve.selfplay import Discount
from faceup.notebook.parameters import section
from faceup.notebook.storage import load_npz, write_json

if __name__ == "__main__":
    arrays, (batch, batches) = load_npz(sys.argv[1]), map(int, sys.argv[2:4])
    groups = Groups(arrays["flop"], arrays["turn"], tuple(arrays["n_groups"].tolist()))
    with joined() as ranks:
        run = BatchPlay(
            build_tree(menu_from(**section("betting"))), groups, Discount(1.5, 0, 2, 100), 1, Batch(batch, PART), ranks
        )
        run.advance(batch)
        ranks.sent, start = 0, perf_counter()
        run.advance(batches * batch)
        seconds = perf_counter() - start
        if ranks.rank == 0:
            write_json(Path(sys.argv[4]), {"boards_a_second": batches * batch / seconds, "sent": ranks.sent // batches})
