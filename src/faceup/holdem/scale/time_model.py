"""How long a batch of self-play takes on many machines: a prediction from costs that tests/benchmarks/bench_scale.py measures.

A batch takes the time of four things, one after the other: its boards are played, the sums of its parts are added up, partners
answer each other, and tables travel. Each of N processes sends 12 (1 - 1/N) bytes for each action of an infoset (scale/sums): 4
for the sum of its regrets and 4 for that of its averages, in log2 N steps each, and 4 for the regrets that follow, in as many.
Partners are neighbours first. So of these bytes all processes of a machine together send 12 (1 - 1/M) to the other M - 1
machines. They wait for one another, and the network is taken to serve all machines at once.
"""

from math import log2
from typing import NamedTuple

from faceup.holdem.scale.sums import Batch, checked

BYTES = 3 * 4  # an action: two sums and a regret
GIGABIT = 1e9 / 8  # bytes


class Costs(NamedTuple):
    """Seconds that a process of one thread needs."""

    alone: float  # for a board where its machine does nothing else, and boards are added to the tables one by one
    board: float  # for a board where all cores of its machine play
    add: float  # to add one part's sums to another's, or a batch's to the tables
    step: float  # until a partner answers
    byte: float  # to send a byte and to receive and add another


class Cluster(NamedTuple):
    """Machines that are alike."""

    machines: int
    processes: int  # of each, one a core
    gigabits: float  # a second, each way, between a machine and the network


def batch_seconds(batch: Batch, actions: int, cluster: Cluster, costs: Costs) -> float:
    """Of a batch; actions: of all infosets. Raises ValueError where it cannot be shared out among so many processes."""
    size = cluster.machines * cluster.processes
    boards, part = checked(batch, size)
    worked = boards / size * (costs.board + costs.add / part)
    handled = BYTES * actions * (1 - 1 / size) * costs.byte
    travelled = BYTES * actions * (1 - 1 / cluster.machines) / (cluster.gigabits * GIGABIT)
    return worked + handled + travelled + 3 * log2(size) * costs.step


def efficiency(batch: Batch, actions: int, cluster: Cluster, costs: Costs) -> float:
    """Boards a second on all cores, as a share of what as many cores would play that are alone and play one by one."""
    size = cluster.machines * cluster.processes
    return batch.boards * costs.alone / (size * batch_seconds(batch, actions, cluster, costs))
