"""The prediction of a batch's time, against numbers worked out by hand."""

import pytest

from faceup.holdem.scale.sums import Batch
from faceup.holdem.scale.time_model import Cluster, Costs, batch_seconds, efficiency

COSTS = Costs(alone=0.01, board=0.0125, add=0.04, step=0.001, byte=1e-9)
ACTIONS = 8_000_000  # 96 MB in all


@pytest.mark.parametrize(
    ("batch", "cluster", "seconds", "alone"),
    [
        # One process sends nothing: 32 boards take 0.4 s, and their sum is added once: 0.04 s.
        (Batch(32, 32), Cluster(1, 1, 1), 0.44, 0.32),
        # A process plays 32 of 2,048 boards in parts of 16: 0.4 s, and two sums 0.08 s. It handles 96 MB (1 - 1/64): 0.0945 s.
        # A machine sends 90 MB at 1.25 GB/s: 0.072 s. 18 steps take 0.018 s.
        (Batch(2048, 16), Cluster(16, 4, 10), 0.6645, 20.48 / 64),
    ],
)
def test_a_batch_takes_as_long_as_by_hand(batch, cluster, seconds, alone):
    assert batch_seconds(batch, ACTIONS, cluster, COSTS) == pytest.approx(seconds)
    assert efficiency(batch, ACTIONS, cluster, COSTS) == pytest.approx(alone / seconds)


def test_a_slower_network_costs_its_bytes_alone():
    batch = Batch(256, 32)
    slow, fast = (batch_seconds(batch, ACTIONS, Cluster(2, 4, gigabits), COSTS) for gigabits in (1, 10))
    assert slow - fast == pytest.approx(48e6 / 125e6 * 0.9)


def test_a_batch_has_a_part_for_every_process():
    with pytest.raises(ValueError, match="64 processes: a batch of 1024 boards in parts of 32 is for 32 at most"):
        efficiency(Batch(1024, 32), ACTIONS, Cluster(16, 4, 10), COSTS)
