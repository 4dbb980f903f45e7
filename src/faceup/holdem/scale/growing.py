"""Self-play in batches that grow: small ones while the strategy still changes fast, large ones when much has been learnt.

A batch is the largest power of two with at least `behind` times as many boards played before it; at first it is 1. So it doubles
each time that the boards played have doubled.
"""

from collections.abc import Callable, Sequence

from faceup.holdem.betting.betting_tree import BettingTree
from faceup.holdem.scale.ranks import Ranks
from faceup.holdem.scale.selfplay import PART, BatchPlay
from faceup.holdem.scale.sums import Batch
from faceup.holdem.solve.checkpoint import Tables
from faceup.holdem.solve.groups import Groups
from faceup.holdem.solve.selfplay import Discount


def growth(boards: int, behind: int) -> list[tuple[int, int]]:
    """Batches of a run of so many boards, and the board up to which each size is played."""
    found, batch = [(1, min(boards, 2 * behind))], 2
    while found[-1][1] < boards:
        found.append((batch, min(boards, 2 * behind * batch)))
        batch *= 2
    return found


def train_growing(
    tree: BettingTree, groups: Groups, discount: Discount, seed: int, stops: Sequence[int], behind: int,
    progress: Callable[[int], None] = lambda done: None,
) -> dict[int, Tables]:  # fmt: skip
    """Average strategies after so many boards, on one process; stops in increasing order."""
    state, averages = None, {}
    for batch, end in growth(stops[-1], behind):
        play = BatchPlay(tree, groups, discount, seed, Batch(batch, min(PART, batch)), Ranks())
        play.go_on_from(state)
        for stop in sorted({end, *(stop for stop in stops if play.state.iteration < stop < end)}):
            play.advance(stop - play.state.iteration)
            if stop in stops:
                averages[stop] = play.average()
            progress(stop)
        state = play.state
    return averages
