"""Self-play in batches and on processes, on the default tree with the default groups."""

import os
import subprocess
import sys
from functools import partial
from itertools import product
from pathlib import Path

import numpy as np
from bench_solve import ITERATIONS, WARM_UP, new_run, updates_per_second
from report import record, seconds

from faceup.holdem.betting.betting_tree import build_tree, menu_from
from faceup.holdem.scale.selfplay import PART, BatchPlay
from faceup.holdem.scale.sums import Batch
from faceup.holdem.scale.time_model import BYTES, Cluster, Costs, batch_seconds, efficiency
from faceup.holdem.solve.groups import Groups
from faceup.holdem.solve.selfplay import SelfPlay
from faceup.notebook.parameters import load_parameters
from faceup.notebook.paths import METRICS
from faceup.notebook.ranks import Ranks
from faceup.notebook.storage import load_json, save_npz

RANKS_BATCH, RANKS_BATCHES = 256, 3  # on one, two and four processes
SINGLE_BOARDS = 768  # one by one, on one thread
CORES, GIGABITS = (8, 64, 256), (1, 10)  # of machines of 4 cores, for which efficiency is predicted
PREDICTED = (16, 64, 256, 1024, 4096, 16384)  # boards in a batch
NAMED = 4096  # the batch of `predicted_efficiency_64`: the smallest that reaches a half; the study `batches` says what it costs
ROUNDS, ROUND = 5, 192  # boards with the engine and without, in turns


def engine_overhead(run: SelfPlay, batch: int) -> float:
    """What a board costs more in batches than one by one, as a share; the best of some rounds of each."""
    batched = BatchPlay(run.tree, run.groups, run.discount, run.seed, Batch(batch, PART), Ranks())
    rounds = [[seconds(partial(one.advance, ROUND)) for one in (run, batched)] for _ in range(ROUNDS)]
    alone, in_batches = np.min(rounds, axis=0)
    return float(in_batches / alone - 1)


def rate_on_ranks(
    groups: Groups, folder: Path, processes: int, threads: int, batch: int = RANKS_BATCH, batches: int = RANKS_BATCHES
) -> dict:
    """What rate_on_ranks.py finds: boards a second, bytes that a process sends for a batch, and seconds of a batch's parts."""
    save_npz(folder / "groups.npz", flop=groups.flop, turn=groups.turn, n_groups=np.array(groups.n_groups))
    start = [sys.executable, "-m", "torch.distributed.run", "--standalone", f"--nproc-per-node={processes}"]
    program = str(Path(__file__).with_name("rate_on_ranks.py"))
    numbers = str(folder / "groups.npz"), str(batch), str(batches), str(folder / "found.json")
    threads_each = {"NUMBA_NUM_THREADS": str(processes * threads), "OMP_NUM_THREADS": "1"}  # each process takes its share
    subprocess.run([*start, program, *numbers], env=os.environ | threads_each, check=True)
    return load_json(folder / "found.json")  # type: ignore[return-value]


def fitted(single: dict, two: dict, actions: int) -> Costs:
    """The time model's costs: from one process alone that plays one by one, and from two in batches, a thread each."""
    parts = RANKS_BATCH // PART // 2  # of each process
    add = (two["empty_batch"] - two["empty_part"]) / (parts - 1)
    byte = (two["empty_part"] - add - 3 * two["step"]) / (BYTES * actions / 2)
    board = (RANKS_BATCH / two["boards_a_second"] - two["empty_batch"]) / (RANKS_BATCH / 2)
    return Costs(1 / single["boards_a_second"], board, add, two["step"], byte)


def predictions(actions: int, costs: Costs) -> dict[str, float]:
    """Efficiency by batch, cores and gigabits a second, where every process has a board at least."""
    cases = product(PREDICTED, CORES, GIGABITS)
    return {
        f"batch {batch}, {cores} cores, {gigabits} gigabit": round(_predicted(batch, cores, gigabits, actions, costs), 3)
        for batch, cores, gigabits in cases
        if batch >= cores
    }


def _predicted(batch: int, cores: int, gigabits: float, actions: int, costs: Costs) -> float:
    return efficiency(Batch(batch, min(PART, batch // cores)), actions, Cluster(cores // 4, 4, gigabits), costs)


def time_model(groups: Groups, folder: Path, two: dict, actions: int) -> dict[str, object]:
    """The costs, how well they foretell four processes on this machine, and what they foretell for other machines."""
    costs = fitted(rate_on_ranks(groups, folder, 1, 1, 1, SINGLE_BOARDS), two, actions)
    four, cores = rate_on_ranks(groups, folder, 4, 1), len(os.sched_getaffinity(0))
    shared = Costs(*(cost * max(1, 4 / cores) for cost in costs))  # processes take turns where cores are fewer
    seconds = batch_seconds(Batch(RANKS_BATCH, PART), actions, Cluster(1, 4, 10), shared)
    judged = [cost for cost in load_json(METRICS / "batches.json")["costs"] if cost["batch"] == str(NAMED)]  # type: ignore[index]
    return {
        "model_microseconds": {name: float(f"{1e6 * cost:.4g}") for name, cost in costs._asdict().items()},
        "four_processes_predicted_ratio": round(seconds * four["boards_a_second"] / RANKS_BATCH, 3),
        "predicted_efficiency_64": round(_predicted(NAMED, 64, 10, actions, costs), 3),
        "predicted_efficiency_64_batch": NAMED,
        "predicted_efficiency_64_batch_loses": {f"{cost['boards']} boards": round(cost["lost_mbb"], 1) for cost in judged},
        "predicted_efficiency": predictions(actions, costs),
    }


def test_sweeps(groups, tmp_path) -> None:
    """Rates one by one, in batches and on processes, and what they foretell."""
    run = new_run(build_tree(menu_from(**load_parameters()["betting"])), groups)
    one, two = (rate_on_ranks(groups, tmp_path, n, 2 // n) for n in (1, 2))
    values: dict[str, object] = {"hole_updates_per_second": round(updates_per_second(run, WARM_UP, ITERATIONS))}
    values |= {
        "engine_overhead": round(engine_overhead(run, 64), 3),
        "two_processes_ratio": round(two["boards_a_second"] / one["boards_a_second"], 3),
        "two_processes_sent_megabytes": round(two["sent"] / 1e6, 2),
        "two_processes_batch": RANKS_BATCH,
    }
    values |= time_model(groups, tmp_path, two, sum(table.size for table in run.state.regrets))
    record("scale", values)
