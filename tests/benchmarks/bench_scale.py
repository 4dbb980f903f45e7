"""Self-play in batches, on two processes, and on a GPU where there is one, on the default tree with the default groups."""

import os
import subprocess
import sys
from pathlib import Path
from time import perf_counter

import numpy as np
import torch
from bench_solve import HOLES, ITERATIONS, WARM_UP, decisions, new_run, updates_per_second
from report import record

from faceup.cards.equity import all_tables
from faceup.holdem.betting.betting_tree import build_tree, menu_from
from faceup.holdem.scale.ranks import Ranks
from faceup.holdem.scale.selfplay import PART, BatchPlay
from faceup.holdem.scale.sums import Batch
from faceup.holdem.scale.torch_sweep import TorchSweep
from faceup.holdem.solve.groups import Grid, Groups, make_groups
from faceup.holdem.solve.selfplay import SelfPlay, sampled_board
from faceup.notebook.parameters import section
from faceup.notebook.storage import load_json, save_npz

BATCH, BATCHES, AT_ONCE = 2048, 4, 128  # boards; those in memory together take 14 GB
CHECKED = 4  # boards
RANKS_BATCH, RANKS_BATCHES = 256, 3  # on two processes
ROUNDS, ROUND = 5, 192  # boards with the engine and without, in turns


def default_run() -> SelfPlay:
    """Self-play of the default profile, before its first iteration."""
    tables, knobs = all_tables(), section("selfplay")
    grids = [
        Grid(*(knobs[f"{street}_{key}"] for key in ("equity_cells", "decile_cells", "deciles"))) for street in ("flop", "turn")
    ]
    return new_run(build_tree(menu_from(**section("betting"))), make_groups(tables[1], tables[2], *grids))


def boards(first: int, n: int) -> np.ndarray:
    """Those of iterations from `first` on."""
    return np.array([sampled_board(1, k) for k in range(first, first + n)])


def gpu_rate(sweep: TorchSweep) -> float:
    """Decision nodes x 1,081 holes x boards a second, both players updated, boards located in that time."""
    batches = [boards(k * BATCH, BATCH) for k in range(BATCHES + 1)]
    sweep.sweep(batches[-1])
    torch.cuda.synchronize()
    start = perf_counter()
    for batch in batches[:-1]:
        sweep.sweep(batch)
    torch.cuda.synchronize()
    return decisions(sweep.tree) * HOLES * BATCH * BATCHES / (perf_counter() - start)


def worst_difference(run: SelfPlay, sweep: TorchSweep) -> float:
    """Between what both add to regrets and averages on a few boards from one strategy, beside the largest number of a table."""
    strategy = tuple(table * np.float32(2**-30) for table in run.state.regrets)  # so small that sums are not rounded
    sweep.regrets = sweep.load(run.in_tree_order(strategy))
    sweep.averages = [torch.zeros_like(table) for table in sweep.averages]
    sweep.sweep(boards(0, CHECKED))
    found = [*sweep.in_tree_order(sweep.regrets), *sweep.in_tree_order(sweep.averages)]
    expected = [np.zeros(table.shape) for table in found]
    for board in boards(0, CHECKED):
        regrets, averages = tuple(table.copy() for table in strategy), tuple(np.zeros_like(table) for table in strategy)
        run.state = run.state._replace(regrets=regrets, averages=averages)
        run._iterate(board)
        for total, gained in zip(expected, [*run.in_tree_order(regrets), *run.in_tree_order(averages)], strict=True):
            total += gained
    return max(float(np.abs(f - e).max() / np.abs(e).max()) for f, e in zip(found, expected, strict=True))


def engine_overhead(run: SelfPlay, batch: int) -> float:
    """What a board costs more in batches than one by one, as a share; the best of some rounds of each."""
    batched = BatchPlay(run.tree, run.groups, run.discount, run.seed, Batch(batch, PART), Ranks())
    best = [np.inf, np.inf]
    for _ in range(ROUNDS):
        for k, one in enumerate((run, batched)):
            start = perf_counter()
            one.advance(ROUND)
            best[k] = min(best[k], perf_counter() - start)
    return best[1] / best[0] - 1


def rate_on_ranks(groups: Groups, folder: Path, processes: int, threads: int) -> dict:
    """What rate_on_ranks.py finds: boards a second, and bytes that a process sends for a batch."""
    save_npz(folder / "groups.npz", flop=groups.flop, turn=groups.turn, n_groups=np.array(groups.n_groups))
    start = [sys.executable, "-m", "torch.distributed.run", "--standalone", f"--nproc-per-node={processes}"]
    program = str(Path(__file__).with_name("rate_on_ranks.py"))
    numbers = str(folder / "groups.npz"), str(RANKS_BATCH), str(RANKS_BATCHES), str(folder / "found.json")
    threads_each = {"NUMBA_NUM_THREADS": str(processes * threads), "OMP_NUM_THREADS": "1"}  # each process takes its share
    subprocess.run([*start, program, *numbers], env=os.environ | threads_each, check=True)
    return load_json(folder / "found.json")  # type: ignore[return-value]


def test_sweeps(tmp_path) -> None:
    """The processor's rate, one by one, in batches and on two processes, and the GPU's where there is one."""
    run = default_run()
    one, two = (rate_on_ranks(run.groups, tmp_path, n, 2 // n) for n in (1, 2))
    values: dict[str, object] = {"hole_updates_per_second": round(updates_per_second(run, WARM_UP, ITERATIONS))}
    values |= {
        "engine_overhead": round(engine_overhead(run, 64), 3),
        "two_processes_ratio": round(two["boards_a_second"] / one["boards_a_second"], 3),
        "two_processes_sent_megabytes": round(two["sent"] / 1e6, 2),
        "two_processes_batch": RANKS_BATCH,
    }
    if torch.cuda.is_available():
        sweep = TorchSweep(run.tree, run.groups, "cuda", AT_ONCE)
        values |= {
            "gpu": torch.cuda.get_device_name(),
            "gpu_hole_updates_per_second": round(gpu_rate(sweep)),
            "gpu_batch": BATCH,
            "gpu_largest_difference_ppm": round(1e6 * worst_difference(run, sweep), 2),
            "gpu_memory_gb": round(torch.cuda.max_memory_allocated() / 1e9, 2),
        }
        assert values["gpu_largest_difference_ppm"] < 10
    record("scale", values)
