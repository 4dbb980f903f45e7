"""Self-play on a GPU, where there is one, beside the processor's, on the default tree with the default groups."""

from time import perf_counter

import numpy as np
import torch
from bench_solve import HOLES, ITERATIONS, WARM_UP, decisions, new_run, updates_per_second
from report import record

from faceup.cards.equity import all_tables
from faceup.holdem.betting.betting_tree import build_tree, menu_from
from faceup.holdem.scale.torch_sweep import TorchSweep
from faceup.holdem.solve.groups import Grid, make_groups
from faceup.holdem.solve.selfplay import SelfPlay, sampled_board
from faceup.notebook.parameters import section

BATCH, BATCHES, AT_ONCE = 2048, 4, 128  # boards; those in memory together take 14 GB
CHECKED = 4  # boards


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


def test_sweeps() -> None:
    """The processor's rate, and the GPU's where there is one."""
    run = default_run()
    values: dict[str, object] = {"hole_updates_per_second": round(updates_per_second(run, WARM_UP, ITERATIONS))}
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
