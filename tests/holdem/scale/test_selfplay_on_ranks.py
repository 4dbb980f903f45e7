"""Batches of boards on several processes: the bytes do not depend on how many these are, nor on kills."""

import fcntl
import os
import re
import socket
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from games import full_disk
from toy_selfplay import DISCOUNT, GROUPS, SEED, TREE, play

from faceup.holdem.scale import selfplay
from faceup.holdem.scale.selfplay import BatchPlay
from faceup.holdem.scale.sums import Batch, fits
from faceup.holdem.solve.selfplay import SelfPlay, new_state, sampled_board
from faceup.notebook.ranks import Ranks
from faceup.notebook.source_code import SOURCES

PROGRAM = Path(__file__).with_name("toy_selfplay.py")
ONE_THREAD = {"PYTHONPATH": str(SOURCES), "NUMBA_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
RUN = "54", "16", "4", "20", "10"  # iterations, batch, part, boards between checkpoints, snapshot: as in `toy`


def started(program: tuple, *options: str, **more: str) -> subprocess.Popen:
    """A toy and its arguments on processes of torchrun."""
    command = [sys.executable, "-m", "torch.distributed.run", *options, *map(str, program)]
    return subprocess.Popen(command, env=os.environ | ONE_THREAD | more, stderr=subprocess.PIPE, text=True)


def ended(*processes: subprocess.Popen, limit: float = 300) -> list[tuple[int, str]]:
    """What they returned and said on stderr; none is left behind."""
    try:
        said = [process.communicate(timeout=limit)[1] for process in processes]
        return [(process.returncode, text) for process, text in zip(processes, said, strict=True)]
    finally:
        for process in processes:
            if process.poll() is None:
                process.terminate()  # torchrun then ends its processes
                process.wait(60)


def toy(folder: Path, behind: int = 0) -> bytes:
    """What one process leaves, from the newest checkpoint on."""
    play(folder, 54, Batch(16, 4), 20, [10], Ranks(), behind)
    return (folder / "strategy.npz").read_bytes()


@pytest.fixture(scope="module")
def alone(tmp_path_factory):
    """What one process leaves that nobody disturbs."""
    return toy(tmp_path_factory.mktemp("alone"))


def test_a_batch_adds_what_each_board_adds_to_the_strategy_at_its_beginning():
    run = BatchPlay(TREE, GROUPS, DISCOUNT._replace(epoch=1000), SEED, Batch(8, 2), Ranks())
    run.advance(16)
    before, single = new_state(TREE, GROUPS), SelfPlay(TREE, GROUPS, DISCOUNT, SEED)
    for table, value in zip(before.regrets, run.state.regrets, strict=True):
        table[...] = value * np.float32(2**-30)  # the same strategy, and so small that gains are not rounded
    expected = [table.astype(float) for table in run.state.regrets + run.state.averages]
    for iteration in range(16, 21):
        tables = [tuple(table.copy() for table in kind) for kind in (before.regrets, before.averages)]
        single.state = before._replace(regrets=tables[0], averages=tables[1])
        single._iterate(sampled_board(SEED, iteration))
        changed = zip(expected, tables[0] + tables[1], before.regrets + before.averages, strict=True)
        for total, after, start in changed:
            total += after - start
    run.advance(5)
    for found, total in zip(run.state.regrets + run.state.averages, expected, strict=True):
        np.testing.assert_allclose(found, total, rtol=0, atol=3e-6 * np.abs(total).max())


def test_discounts_that_are_due_in_a_batch_come_at_its_end(monkeypatch):
    ended_epochs = []
    monkeypatch.setattr(BatchPlay, "_end_epoch", lambda self, t: ended_epochs.append((self.state.iteration, t)))
    BatchPlay(TREE, GROUPS, DISCOUNT, SEED, Batch(16, 4), Ranks()).advance(40)
    assert ended_epochs == [(16, 1), (32, 2), (32, 3), (40, 4)]


def test_killed_on_four_processes_it_ends_on_one_with_the_same_bytes(tmp_path, alone):
    [(status, said)] = ended(started((PROGRAM, tmp_path, *RUN), "--nproc-per-node=4", FACEUP_DIE="2:30"))
    assert status and re.search(r"(?m)^rank \d: rank 2 does not answer any more \(.*\)$|rank +: 2 .*\n.*exitcode +: -9", said)
    assert [path.name for path in sorted(tmp_path.glob("checkpoint-*"))] == [f"checkpoint-0000000{n}.npz" for n in (10, 32)]
    assert toy(tmp_path) == alone


@pytest.mark.parametrize(("processes", "behind"), [(4, 1), (3, 0)])
def test_batches_that_are_too_small_are_played_by_rank_0_alone(tmp_path, processes, behind):
    """With growing batches 1, 2, 4 and 8 boards are, and 16 are shared out; with three processes all are."""
    program = PROGRAM, tmp_path / "many", *RUN
    [(status, said)] = ended(started(program, f"--nproc-per-node={processes}", FACEUP_BEHIND=str(behind)))
    assert status == 0, said
    assert ("batches of 16 boards are too small for 3 processes" in said) == (processes == 3)
    assert (tmp_path / "many" / "strategy.npz").read_bytes() == toy(tmp_path / "one", behind)


@pytest.mark.slow
def test_torchrun_starts_it_again(tmp_path, alone):
    command = (PROGRAM, tmp_path, *RUN), "--standalone", "--nproc-per-node=2", "--max-restarts=1"
    [(status, said)] = ended(started(*command, FACEUP_DIE="1:30"))
    assert status and "rank 0: set TORCH_DISABLE_SHARE_RDZV_TCP_STORE=1" in said
    [(status, said)] = ended(started(*command, FACEUP_DIE="1:30", TORCH_DISABLE_SHARE_RDZV_TCP_STORE="1"))
    assert status == 0 and "exitcode: -9" in said
    assert (tmp_path / "strategy.npz").read_bytes() == alone


@pytest.mark.slow
def test_two_machines_meet_by_tcp(tmp_path, alone):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    where = "--rdzv-backend=c10d", "--rdzv-id=toy", f"--rdzv-endpoint=127.0.0.1:{port}", "--nnodes=2", "--nproc-per-node=1"
    program = PROGRAM, tmp_path, *RUN
    machines = [started(program, *where, f"--local-addr=127.0.0.{k}", GLOO_SOCKET_IFNAME="lo") for k in (1, 2)]
    for status, said in ended(*machines):
        assert status == 0, said
    assert (tmp_path / "strategy.npz").read_bytes() == alone
    size = sum(table.size for table in new_state(TREE, GROUPS).regrets)
    batch, whole = 2 * (size - size // 2) + size // 2, size // 2  # both sums' upper halves, new regrets' lower half; averages'
    assert int((tmp_path / "sent").read_text()) == 4 * (5 * batch + 4 * whole)  # batches end at 10, 16, 32, 48 and 54


def test_two_runs_on_one_folder_are_refused(tmp_path):
    with open(tmp_path / "lock", "w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        with pytest.raises(OSError, match="another run writes there, expected a folder of its own"):
            play(tmp_path, 8, Batch(4, 2), 4, [], Ranks())
    assert [path.name for path in tmp_path.iterdir()] == ["lock"]


def test_a_full_disk_is_an_error_and_the_run_goes_on_later(tmp_path, monkeypatch):
    play(tmp_path / "other", 16, Batch(8, 2), 8, [], Ranks())
    play(tmp_path, 8, Batch(8, 2), 8, [], Ranks())
    before = {path.name: path.read_bytes() for path in tmp_path.glob("checkpoint-*")}
    with full_disk(), pytest.raises(OSError, match=r"checkpoint-000000016.npz: cannot be written .* room"):
        play(tmp_path, 16, Batch(8, 2), 8, [], Ranks())
    assert {path.name: path.read_bytes() for path in tmp_path.glob("checkpoint-*")} == before
    advanced = []
    monkeypatch.setattr(BatchPlay, "advance", lambda self, n, old=BatchPlay.advance: (advanced.append(n), old(self, n)))
    play(tmp_path, 16, Batch(8, 2), 8, [], Ranks())
    assert advanced == [8]
    assert (tmp_path / "strategy.npz").read_bytes() == (tmp_path / "other" / "strategy.npz").read_bytes()


@pytest.mark.parametrize(
    "other", [{"batch": Batch(8, 1)}, {"batch": Batch(4, 2)}, {"behind": 2}, {"snapshots": [3]}, {"seed": 8}]
)
def test_checkpoints_of_other_batches_are_refused(tmp_path, capsys, other):
    run = {"seed": SEED, "batch": Batch(8, 2), "snapshots": [8]}
    shared = {"iterations": 16, "folder": tmp_path, "every": 8}
    selfplay.train(TREE, GROUPS, DISCOUNT, **run, **shared)
    capsys.readouterr()
    selfplay.train(TREE, GROUPS, DISCOUNT, **run | other, **shared)
    assert "checkpoint-000000016.npz is refused: it is of other parameters" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("batch", "message"),
    [(Batch(48, 16), "batch is 48, expected a power of two"), (Batch(64, 0), "part is 0, expected a power of two")],
)
def test_unusable_batches_are_refused(tmp_path, batch, message):
    with pytest.raises(ValueError, match=message):
        play(tmp_path / "new", 8, batch, 4, [], Ranks())
    assert not (tmp_path / "new").exists()


@pytest.mark.parametrize(
    ("batch", "ranks", "message"),
    [
        (Batch(64, 16), 3, "processes is 3, expected a power of two"),
        (Batch(64, 16), 8, "8 processes: a batch of 64 boards in parts of 16 is for 4 at most"),
        (Batch(4, 16), 2, "2 processes: a batch of 4 boards in parts of 4 is for 1 at most"),
    ],
)
def test_batches_that_are_too_small_for_the_processes_cannot_be_summed(batch, ranks, message):
    assert not fits(batch, ranks) and fits(batch, 1)
    with pytest.raises(ValueError, match=message):
        BatchPlay(TREE, GROUPS, DISCOUNT, SEED, batch, Ranks(0, ranks))
