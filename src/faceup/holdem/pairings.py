"""Results of many pairs of agents as one list of records and as one square of numbers."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from faceup.holdem.match import mean_result, result

Pair = tuple[str, str]


class Found(NamedTuple):
    """What the first of two agents wins from the second, and from how much it was found."""

    mbb: float  # mbb/g
    ci95: float  # half-width
    boards: int  # that were summed
    holes: int  # of each board


def all_and_each(drawn: int, likeliest: int) -> np.ndarray:
    """Which pairs `play.match.Table` shall play: all among the first agents, all among the others, each of them and the first.

    For agents that draw their actions, the same with their likeliest ones, and a first that all are measured by.
    """
    n = drawn + likeliest
    wanted = np.zeros((n, n), dtype=bool)
    wanted[:drawn, :drawn] = wanted[drawn:, drawn:] = True
    wanted[0] = wanted[:, 0] = True
    return wanted


def summed(names: Sequence[str], values: np.ndarray, wanted: np.ndarray, holes: int) -> dict[Pair, Found]:
    """Results of the wanted pairs (n, n) from `play_boards`' values (n_boards, n, n), those first in the names as the first."""
    found = {}
    for i, j in np.argwhere(np.triu(wanted, 1)).tolist():
        won = result(values, i, j)
        found[names[i], names[j]] = Found(*won, holes)
    return found


def summed_against(opponent: str, won: Mapping[str, np.ndarray], holes: int) -> dict[Pair, Found]:
    """Results against one opponent from mbb/g of each agent on each board, as `play_sides` gives them."""
    results = {name: mean_result(per_board) for name, per_board in won.items()}
    return {(name, opponent): Found(*r, holes) for name, r in results.items()}


def record(pair: Pair, found: Found) -> dict[str, Any]:
    """A pair for a file of metrics."""
    return {"first": pair[0], "second": pair[1]} | found._asdict()


def square(names: Sequence[str], found: Mapping[Pair, Found]) -> tuple[np.ndarray, np.ndarray]:
    """Results and intervals of the row's agent against the column's, (n, n) each; NaN where two have not met."""
    mbb, ci95 = np.full((2, len(names), len(names)), np.nan)
    for (first, second), one in found.items():
        if first in names and second in names:
            i, j = names.index(first), names.index(second)
            mbb[i, j], mbb[j, i] = one.mbb, -one.mbb
            ci95[i, j] = ci95[j, i] = one.ci95
    return mbb, ci95
